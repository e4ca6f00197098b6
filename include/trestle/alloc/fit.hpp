// SPDX-License-Identifier: Apache-2.0
#pragma once

// fit: cores, memory and devices on one node, chosen together and exactly.
//
// Layer: alloc. Main function: fit(shape, usage, demand, options). The answer is the best placement
// under the order below, a Refusal that proves there is none, or Constraint::gave_up.
//
// The order, first difference decides: counts of devices as preferred (in the order of the
// demands); fewest pairs of a core and a device far from it (demands with locality ignore do not
// count); least memory far from the cores; fewest classes of cores with the same near memory;
// fewest untouched devices that would be given in part; strongest links; lowest devices; lowest
// cores; lowest devices for the first demand, then the second. What is required only rules out.
// A reader would get wrong: cores are given whole. A node whose cores have at least t threads
// counts t CPUs a core, and takes the fewest cores that give the CPUs asked for.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/demand.hpp"
#include "trestle/alloc/detail/core_choice.hpp"
#include "trestle/alloc/detail/device_search.hpp"
#include "trestle/alloc/usage.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

struct FitOptions {
    /// Work budget: a step is one subset of devices or one subset of core classes looked at.
    std::uint64_t steps_max = 1'000'000;

    static constexpr auto fields() {
        return field_list(field("steps_max", &FitOptions::steps_max));
    }
    friend bool operator==(const FitOptions&, const FitOptions&) = default;
};

/// CPUs that one core counts for: the fewest threads of any core; 1 on a node without cores.
[[nodiscard]] inline std::int64_t cpus_per_core(const NodeShape& shape) {
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const Core& core : shape.hardware.cores) least = std::min(least, core.threads.size());
    return shape.hardware.cores.empty() ? 1 : static_cast<std::int64_t>(least);
}

namespace detail {

/// The search for one node. Pure: made, asked once, thrown away.
class FitSearch {
  public:
    FitSearch(const NodeShape& shape, const NodeUsage& usage, const NodeDemand& demand,
              const FitOptions& options)
        : shape_(shape),
          usage_(usage),
          demand_(demand),
          cpus_per_core_(cpus_per_core(shape)),
          cores_(shape, usage),
          devices_(shape, usage, demand),
          budget_{options.steps_max} {}

    [[nodiscard]] Verdict<NodePlacement> run() {
        if (auto refusal = refuse_early()) return *std::move(refusal);
        std::vector<std::uint32_t> counts;
        if (try_counts(counts)) return placement();
        if (has_given_up_) {
            return Refusal{Constraint::gave_up, "the step budget ended before an answer"};
        }
        if (!has_picked_) {
            return Refusal{Constraint::devices,
                           "each demand finds devices, but not all of them different ones"};
        }
        if (shortage_ && !has_enough_) return *shortage_;
        return Refusal{Constraint::locality,
                       "cores, memory and devices are free, but not near each other as required"};
    }

  private:
    struct Best {
        CoreChoice cores;
        std::uint32_t opened = 0;
        std::uint64_t links = 0;
        DevicePick pick;
        Bytes memory;

        [[nodiscard]] bool beats(const Best& other) const {
            const auto key = [](const Best& b) {
                return std::tie(b.cores.remote, b.cores.spill, b.cores.spread, b.opened);
            };
            if (key(*this) != key(other)) return key(*this) < key(other);
            if (links != other.links) return links > other.links;
            if (pick.set != other.pick.set) return pick.set < other.pick.set;
            return cores.cores < other.cores.cores;
        }
    };

    [[nodiscard]] std::uint32_t cores_for(Count cpus) const {
        const Count cores = div_ceil(cpus, cpus_per_core_);
        constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
        return static_cast<std::uint32_t>(std::min(cores.value(), most));
    }

    /// The counts of a demand that are worth a try; none when max < min.
    struct CountRange {
        std::int64_t min = 0;
        std::int64_t max = 0;
    };
    [[nodiscard]] CountRange count_range(std::size_t i) const {
        const DeviceDemand& one = demand_.devices[i];
        const auto there = static_cast<std::int64_t>(devices_.candidates(i).size());
        return {one.count.least().value(),
                std::min(one.count.max.value_or(Count::max()).value(), there)};
    }

    [[nodiscard]] std::optional<Refusal> refuse_early() const {
        if (demand_.exclusivity == Exclusivity::whole_node && !usage_.is_idle()) {
            return Refusal{Constraint::cores, "the whole node is asked, others use it"};
        }
        for (std::size_t i = 0; i < demand_.devices.size(); ++i) {
            if (count_range(i).min > count_range(i).max) return refuse_devices(i);
        }
        const std::uint32_t cores = cores_for(demand_.cpus());
        if (cores > usage_.free_cores().count()) return refuse_cores(cores);
        if (demand_.memory_per == Per::node && demand_.memory > cores_.free_memory()) {
            return refuse_memory(demand_.memory);
        }
        return std::nullopt;
    }

    [[nodiscard]] Refusal refuse_cores(std::uint32_t asked) const {
        return {Constraint::cores,
                fmt::format("asked {} cores, {} of {} are free", asked, usage_.free_cores().count(),
                            shape_.hardware.core_count())};
    }

    [[nodiscard]] Refusal refuse_memory(Bytes asked) const {
        return {Constraint::memory, fmt::format("asked {} of memory, {} of {} are free", asked,
                                                cores_.free_memory(), shape_.ordinary_memory())};
    }

    [[nodiscard]] Refusal refuse_devices(std::size_t i) const {
        const DeviceRequest& request = demand_.devices[i].request;
        std::size_t named = 0;
        std::size_t matching = 0;
        std::string unusable;
        for (const Device& device : shape_.devices) {
            if (device.name != request.name) continue;
            ++named;
            if (mismatch(device, request)) continue;
            ++matching;
            if (is_usable(device)) continue;
            unusable += fmt::format("; {} {} is {}", device.name, device.index,
                                    device.is_drained ? "drained" : "failed");
        }
        const bool lacks_kind =
            static_cast<std::int64_t>(matching) < count_range(i).min && matching < named;
        return {lacks_kind ? Constraint::device_attributes : Constraint::devices,
                fmt::format("asked {} {}{}, {} free of {} that match of {} on the node{}",
                            demand_.devices[i].count, request.name, kind_text(request),
                            devices_.candidates(i).size(), matching, named, unusable)};
    }

    [[nodiscard]] static std::string kind_text(const DeviceRequest& request) {
        std::string text;
        for (const std::string& type : request.types) text += (text.empty() ? ":" : "|") + type;
        return text;
    }

    /// Settles the count of demand counts.size() and all behind it; true at the first combination,
    /// in order of preference, for which a placement exists.
    bool try_counts(std::vector<std::uint32_t>& counts) {
        const std::size_t i = counts.size();
        if (i == demand_.devices.size()) return search(counts);
        const CountRange range = count_range(i);
        const bool wants_most = demand_.devices[i].request.prefer == Prefer::most;
        for (std::int64_t step = 0; step <= range.max - range.min; ++step) {
            const std::int64_t count = wants_most ? range.max - step : range.min + step;
            counts.push_back(static_cast<std::uint32_t>(count));
            const bool is_found = try_counts(counts);
            counts.pop_back();
            if (is_found || has_given_up_) return is_found;
        }
        return false;
    }

    /// The best placement for these counts, into best_; false when there is none or it gave up.
    bool search(const std::vector<std::uint32_t>& counts) {
        best_.reset();
        devices_.for_each_pick(counts, [&](const DevicePick& pick) {
            if (!budget_.spend()) {
                has_given_up_ = true;
                return false;
            }
            consider(pick);
            return !has_given_up_;
        });
        return best_.has_value() && !has_given_up_;
    }

    void consider(const DevicePick& pick) {
        has_picked_ = true;
        if (!total_memory_fits(pick)) {
            note({Constraint::device_attributes, "no free devices have the total memory asked"});
            return;
        }
        const auto chosen = static_cast<std::int64_t>(pick.shares.size());
        const Count for_devices =
            checked_mul(demand_.cpus_per_device, chosen).value_or(Count::max());
        CoreQuestion question;
        question.count = cores_for(std::max(demand_.cpus(), for_devices));
        question.memory_locality = demand_.memory_locality;
        question.allowed = usage_.free_cores();
        if (demand_.exclusivity == Exclusivity::whole_node) {
            question.count = std::max(question.count, question.allowed.count());
        }
        question.memory = memory_for(question.count, chosen);
        if (question.count > usage_.free_cores().count()) return note(refuse_cores(question.count));
        if (question.memory > cores_.free_memory()) return note(refuse_memory(question.memory));
        has_enough_ = true;
        for (std::size_t i = 0; i < pick.shares.size(); ++i) {
            const CoreSet& near = shape_.devices[pick.shares[i].device.value()].cores;
            const Locality locality = demand_.devices[pick.demand[i]].request.locality;
            if (near.is_empty() || locality == Locality::ignore) continue;
            if (locality == Locality::require) question.allowed &= near;
            question.near_device.push_back(near);
        }
        auto cores = cores_.choose(question, budget_);
        if (!cores) {
            has_given_up_ = budget_.left == 0;
            return;
        }
        Best found{*std::move(cores), devices_.opened(pick), devices_.link_strength(pick.set), pick,
                   question.memory};
        if (!best_ || found.beats(*best_)) best_ = std::move(found);
    }

    /// Keeps the first shortage met; it is the answer when no pick of devices has enough of all.
    void note(Refusal refusal) {
        if (!shortage_) shortage_ = std::move(refusal);
    }

    [[nodiscard]] Bytes memory_for(std::uint32_t cores, std::int64_t devices) const {
        switch (demand_.memory_per) {
            case Per::cpu:
                return checked_mul(demand_.memory, cores * cpus_per_core_).value_or(Bytes::max());
            case Per::device:
                return checked_mul(demand_.memory, devices).value_or(Bytes::max());
            default:
                return demand_.memory;
        }
    }

    [[nodiscard]] bool total_memory_fits(const DevicePick& pick) const {
        for (std::size_t i = 0; i < demand_.devices.size(); ++i) {
            const Range<Bytes>& wanted = demand_.devices[i].request.total_memory;
            if (wanted.is_open()) continue;
            Bytes sum;
            for (std::size_t j = 0; j < pick.shares.size(); ++j) {
                if (pick.demand[j] == i)
                    sum += shape_.devices[pick.shares[j].device.value()].memory;
            }
            if (!wanted.contains(sum)) return false;
        }
        return true;
    }

    [[nodiscard]] NodePlacement placement() const {
        NodePlacement result;
        result.tasks = demand_.tasks;
        result.cores = best_->cores.cores;
        result.memory = cores_.take_memory(result.cores, best_->memory, demand_.memory_locality);
        result.devices = best_->pick.shares;
        std::sort(result.devices.begin(), result.devices.end());
        return result;
    }

    const NodeShape& shape_;
    const NodeUsage& usage_;
    const NodeDemand& demand_;
    std::int64_t cpus_per_core_;
    CoreChooser cores_;
    DeviceSearch devices_;
    StepBudget budget_;
    std::optional<Best> best_;
    std::optional<Refusal> shortage_;
    bool has_picked_ = false;
    bool has_enough_ = false;
    bool has_given_up_ = false;
};

}  // namespace detail

/// The best placement of `demand` on a node of this shape and usage; its `node` is id 0. Memory
/// comes from the domains near to the cores first, then from those at the least distance of one of
/// these; among equals DRAM before fast memory, then the lowest (where nearness is ignored, all are
/// equals). Other kinds of memory are never given.
/// Requires: check(shape) is ok, `usage` belongs to `shape`.
/// A Refusal names what lacks; Constraint::gave_up says that the budget ended first, never a wrong
/// no. Complexity: subsets of device classes times subsets of core classes, within the budget.
[[nodiscard]] inline Verdict<NodePlacement> fit(const NodeShape& shape, const NodeUsage& usage,
                                                const NodeDemand& demand,
                                                const FitOptions& options = {}) {
    return detail::FitSearch(shape, usage, demand, options).run();
}

}  // namespace trestle
