// SPDX-License-Identifier: Apache-2.0
// The question of fit() answered without thinking: every way to give devices to demands times every
// set of cores, compared by the order in the preface of alloc/fit.hpp, word by word. For nodes of
// at most 16 cores and a handful of devices. Shares with the library its value types and
// mismatch().
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/alloc/demand.hpp"
#include "trestle/alloc/device_match.hpp"
#include "trestle/alloc/usage.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

class FitOracle {
  public:
    FitOracle(const NodeShape& shape, const NodeUsage& usage, const NodeDemand& demand)
        : shape_(shape), usage_(usage), demand_(demand), answers_(shape.devices.size(), nobody) {
        for (const Core& core : shape.hardware.cores) {
            const auto threads = static_cast<std::int64_t>(core.threads.size());
            cpus_per_core_ = cpus_per_core_ == 0 ? threads : std::min(cpus_per_core_, threads);
        }
        cpus_per_core_ = std::max<std::int64_t>(1, cpus_per_core_);
    }

    [[nodiscard]] std::optional<NodePlacement> best() {
        const bool wants_all = demand_.exclusivity == Exclusivity::whole_node;
        if (wants_all && !usage_.holdings().empty()) return std::nullopt;
        give_devices(0);
        return best_ ? std::optional(placement_of(*best_)) : std::nullopt;
    }

  private:
    static constexpr std::size_t nobody = ~std::size_t{0};

    /// A feasible answer; less is better, first member first.
    struct Candidate {
        std::vector<std::int64_t> counts;  ///< by demand, negative where most are preferred
        std::int64_t far_pairs = 0;
        Bytes far_memory;
        std::size_t core_classes = 0;
        std::int64_t opened = 0;
        std::int64_t minus_links = 0;
        std::vector<DeviceId> devices;  ///< rising
        std::vector<CoreId> cores;      ///< rising
        std::vector<std::vector<DeviceId>> by_demand;
        Bytes memory;

        [[nodiscard]] auto order() const {
            return std::tie(counts, far_pairs, far_memory, core_classes, opened, minus_links,
                            devices, cores, by_demand);
        }
    };

    [[nodiscard]] const Device& device(std::size_t i) const { return shape_.devices[i]; }

    [[nodiscard]] Count shares_for(std::size_t i, std::size_t demand) const {
        const Count asked = demand_.devices[demand].request.shares;
        return asked.is_zero() ? device(i).shares : asked;
    }

    /// Every device goes to one of the demands or to none.
    void give_devices(std::size_t i) {
        if (i == answers_.size()) return try_cores();
        answers_[i] = nobody;
        give_devices(i + 1);
        for (std::size_t d = 0; d < demand_.devices.size(); ++d) {
            if (!is_usable(device(i)) || mismatch(device(i), demand_.devices[d].request)) continue;
            const DeviceId id(static_cast<std::uint32_t>(i));
            if (usage_.free_shares(id) < shares_for(i, d)) continue;
            answers_[i] = d;
            give_devices(i + 1);
            answers_[i] = nobody;
        }
    }

    [[nodiscard]] bool counts_are_right() const {
        for (std::size_t d = 0; d < demand_.devices.size(); ++d) {
            const auto count = std::count(answers_.begin(), answers_.end(), d);
            if (!demand_.devices[d].count.contains(Count(count))) return false;
            Bytes memory;
            for (std::size_t i = 0; i < answers_.size(); ++i) {
                if (answers_[i] == d) memory += device(i).memory;
            }
            if (!demand_.devices[d].request.total_memory.contains(memory)) return false;
        }
        return true;
    }

    void try_cores() {
        if (!counts_are_right()) return;
        const auto cores = shape_.hardware.core_count();
        for (std::uint32_t mask = 0; mask >> cores == 0; ++mask) {
            std::vector<CoreId> chosen;
            for (std::uint32_t i = 0; i < cores; ++i) {
                if ((mask >> i & 1) != 0) chosen.emplace_back(i);
            }
            try_candidate(chosen);
        }
    }

    [[nodiscard]] std::int64_t cores_needed() const {
        const auto devices = static_cast<std::int64_t>(answers_.size()) -
                             std::count(answers_.begin(), answers_.end(), nobody);
        const std::int64_t cpus =
            std::max(demand_.cpus().value(), demand_.cpus_per_device.value() * devices);
        const std::int64_t cores = (cpus + cpus_per_core_ - 1) / cpus_per_core_;
        if (demand_.exclusivity != Exclusivity::whole_node) return cores;
        return std::max<std::int64_t>(cores, shape_.hardware.core_count());
    }

    void try_candidate(const std::vector<CoreId>& cores) {
        if (static_cast<std::int64_t>(cores.size()) != cores_needed()) return;
        for (const CoreId core : cores) {
            if (!usage_.free_cores().contains(core)) return;
        }
        Candidate candidate;
        candidate.cores = cores;
        candidate.counts.resize(demand_.devices.size());
        candidate.by_demand.resize(demand_.devices.size());
        for (std::uint32_t i = 0; i < answers_.size(); ++i) {
            if (answers_[i] == nobody) continue;
            const std::size_t d = answers_[i];
            const DeviceRequest& request = demand_.devices[d].request;
            candidate.counts[d] += request.prefer == Prefer::most ? -1 : 1;
            candidate.devices.emplace_back(i);
            candidate.by_demand[d].emplace_back(i);
            const std::int64_t far = far_cores(i, cores);
            if (request.locality == Locality::require && far > 0) return;
            if (request.locality != Locality::ignore) candidate.far_pairs += far;
            const bool is_untouched = usage_.free_shares(DeviceId(i)) == device(i).shares;
            if (is_untouched && shares_for(i, d) < device(i).shares) ++candidate.opened;
        }
        for (const DeviceLink& link : shape_.links) {
            const bool has_both =
                answers_[link.a.value()] != nobody && answers_[link.b.value()] != nobody;
            if (has_both) candidate.minus_links -= link.strength;
        }
        if (!set_memory(candidate)) return;
        candidate.core_classes = classes_of(cores);
        if (!best_ || candidate.order() < best_->order()) best_ = std::move(candidate);
    }

    /// Cores that the device is far from. A device without cores is near to all.
    [[nodiscard]] std::int64_t far_cores(std::size_t i, const std::vector<CoreId>& cores) const {
        const CoreSet& near = device(i).cores;
        if (near.is_empty()) return 0;
        return std::count_if(cores.begin(), cores.end(),
                             [&](CoreId core) { return !near.contains(core); });
    }

    [[nodiscard]] bool is_ordinary(std::uint32_t domain) const {
        const MemoryKind kind = shape_.memory[domain].kind;
        return kind == MemoryKind::dram || kind == MemoryKind::high_bandwidth;
    }
    [[nodiscard]] bool is_near(std::uint32_t domain, const std::vector<CoreId>& cores) const {
        return std::any_of(cores.begin(), cores.end(),
                           [&](CoreId core) { return shape_.memory[domain].cores.contains(core); });
    }

    /// Different sets of ordinary domains that the cores are near to.
    [[nodiscard]] std::size_t classes_of(const std::vector<CoreId>& cores) const {
        std::vector<std::vector<std::uint32_t>> classes;
        for (const CoreId core : cores) {
            std::vector<std::uint32_t> near;
            for (std::uint32_t i = 0; i < shape_.memory.size(); ++i) {
                if (is_ordinary(i) && is_near(i, {core})) near.push_back(i);
            }
            if (std::find(classes.begin(), classes.end(), near) == classes.end()) {
                classes.push_back(near);
            }
        }
        return classes.size();
    }

    /// How much memory, and how much of it comes from far away; false when there is not enough.
    [[nodiscard]] bool set_memory(Candidate& candidate) const {
        std::int64_t factor = 1;
        if (demand_.memory_per == Per::cpu) {
            factor = static_cast<std::int64_t>(candidate.cores.size()) * cpus_per_core_;
        }
        if (demand_.memory_per == Per::device) {
            factor = static_cast<std::int64_t>(candidate.devices.size());
        }
        candidate.memory = demand_.memory * factor;
        Bytes near;
        Bytes all;
        for (std::uint32_t i = 0; i < shape_.memory.size(); ++i) {
            if (!is_ordinary(i)) continue;
            all += usage_.free_memory(DomainId(i));
            if (is_near(i, candidate.cores)) near += usage_.free_memory(DomainId(i));
        }
        if (all < candidate.memory) return false;
        if (demand_.memory_locality == Locality::ignore) return true;
        candidate.far_memory = saturating_sub(candidate.memory, near);
        return demand_.memory_locality == Locality::prefer || candidate.far_memory.is_zero();
    }

    /// Domain by domain: near before far (not when nearness is ignored), among the far ones the
    /// nearest to any near one, DRAM before fast memory, the lowest.
    [[nodiscard]] std::vector<MemoryShare> take_memory(const Candidate& candidate) const {
        std::vector<std::tuple<bool, std::uint32_t, bool, std::uint32_t>> order;
        for (std::uint32_t i = 0; i < shape_.memory.size(); ++i) {
            if (!is_ordinary(i)) continue;
            const bool is_far =
                demand_.memory_locality != Locality::ignore && !is_near(i, candidate.cores);
            std::uint32_t distance = is_far ? ~std::uint32_t{0} : 0;
            for (std::uint32_t from = 0; is_far && from < shape_.memory.size(); ++from) {
                if (!is_ordinary(from) || !is_near(from, candidate.cores)) continue;
                distance = std::min(distance, shape_.distance(DomainId(from), DomainId(i)));
            }
            order.emplace_back(is_far, distance, shape_.memory[i].kind != MemoryKind::dram, i);
        }
        std::sort(order.begin(), order.end());
        Bytes missing = candidate.memory;
        std::vector<MemoryShare> shares;
        for (const auto& entry : order) {
            const DomainId domain(std::get<3>(entry));
            const Bytes part = std::min(missing, usage_.free_memory(domain));
            missing -= part;
            if (!part.is_zero()) shares.push_back({domain, part});
        }
        std::sort(shares.begin(), shares.end());
        return shares;
    }

    [[nodiscard]] NodePlacement placement_of(const Candidate& candidate) const {
        NodePlacement placement;
        placement.tasks = demand_.tasks;
        for (const CoreId core : candidate.cores) placement.cores.insert(core);
        placement.memory = take_memory(candidate);
        for (std::size_t d = 0; d < candidate.by_demand.size(); ++d) {
            for (const DeviceId id : candidate.by_demand[d]) {
                placement.devices.push_back({id, shares_for(id.value(), d)});
            }
        }
        std::sort(placement.devices.begin(), placement.devices.end());
        return placement;
    }

    const NodeShape& shape_;
    const NodeUsage& usage_;
    const NodeDemand& demand_;
    std::int64_t cpus_per_core_ = 0;
    std::vector<std::size_t> answers_;  ///< by device: the demand that it answers
    std::optional<Candidate> best_;
};

/// The best placement under the order of alloc/fit.hpp, or nothing when there is none.
[[nodiscard]] inline std::optional<NodePlacement> oracle_fit(const NodeShape& shape,
                                                             const NodeUsage& usage,
                                                             const NodeDemand& demand) {
    return FitOracle(shape, usage, demand).best();
}

}  // namespace trestle
