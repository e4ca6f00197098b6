// SPDX-License-Identifier: Apache-2.0
#pragma once

// FitEdits: what of a demand can be relaxed, nearest first.
//
// Layer: alloc, internal to explain_fit. Main types: FitEdit, FitEdits. An edit has levels, from 1,
// the most relaxed, to `levels`, the nearest to what was asked; most have one.
// A reader would get wrong: levels of memory are not bytes. A level is about a thousandth of what
// was asked, or of what the node has where that is less, so that answers are round.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/alloc/fit/detail/fit_conditions.hpp"
#include "trestle/alloc/fit/detail/fit_questions.hpp"
#include "trestle/alloc/fit/fit_explanation.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

struct FitEdit {
    ChangeKind kind = ChangeKind::nearness;
    std::int64_t levels = 1;
    std::int64_t unit = 1;   ///< of a level
    std::int64_t asked = 0;  ///< amounts only
    std::function<void(FitSituation&, std::int64_t amount)> apply;
    /// What it says of the placement that it leads to.
    std::function<std::string(const NodePlacement&, std::int64_t amount)> text;

    /// How much of what was asked is lost at a level, in [0, 1).
    [[nodiscard]] double loss(std::int64_t level) const {
        if (asked == 0) return 0;
        return 1 - static_cast<double>(level * unit) / static_cast<double>(asked);
    }
};

/// Its edits refer to it and to what it was made of.
class FitEdits {
  public:
    FitEdits(const FitEdits&) = delete;
    FitEdits& operator=(const FitEdits&) = delete;
    FitEdits(const NodeShape& shape, const FitSituation& asked)
        : shape_(shape), demand_(asked.demand), options_(asked.options) {
        for (std::size_t i = 0; i < demand_.devices.size(); ++i) add_device_nearness(i);
        add_nearness();
        add_packages();
        for (std::size_t i = 0; i < demand_.devices.size(); ++i) add_properties(i);
        if (options_.warning == WarningUse::never) {
            add(ChangeKind::properties, "with a device that warns",
                [](FitSituation& s) { s.options.warning = WarningUse::last; });
        }
        for (std::size_t i = 0; i < demand_.devices.size(); ++i) add_device_amounts(i);
        add_amounts();
        if (demand_.exclusivity == Exclusivity::whole_node) {
            add(ChangeKind::exclusivity, "sharing the node", [](FitSituation& s) {
                s.demand.exclusivity = Exclusivity::shared;
                s.demand.system_cores = Count();
            });
        }
    }

    /// By kind.
    [[nodiscard]] const std::vector<FitEdit>& all() const { return edits_; }

  private:
    template <class Apply>
    void add(ChangeKind kind, std::string text, Apply apply) {
        edits_.push_back(
            {kind, 1, 1, 0, [apply](FitSituation& situation, std::int64_t) { apply(situation); },
             [text = std::move(text)](const NodePlacement&, std::int64_t) { return text; }});
    }

    /// Less of something, in whole numbers; nothing where there is no less that makes sense.
    template <class Apply, class Text>
    void add_amount(Count asked, Text text, Apply apply) {
        if (asked.value() < 2) return;
        edits_.push_back({ChangeKind::amount, asked.value() - 1, 1, asked.value(),
                          [apply](FitSituation& situation, std::int64_t amount) {
                              apply(situation, Count(amount));
                          },
                          [asked, text](const NodePlacement&, std::int64_t amount) {
                              return fmt::format("{} instead of {}", text(Count(amount)), asked);
                          }});
    }
    /// `8 CPUs a task`.
    [[nodiscard]] static auto pieces(std::string_view noun, std::string rest = "") {
        return [noun, rest = std::move(rest)](Count amount) { return counted(amount, noun, rest); };
    }
    /// `2 gpu a socket`, `1 gpu 3g.20gb`.
    [[nodiscard]] static auto named(const DeviceRequest& request, std::string_view rest = "") {
        std::string noun = request.name + (request.slice.empty() ? "" : " ") + request.slice;
        return [noun = std::move(noun), rest](Count amount) {
            return fmt::format("{} {}{}", amount, noun, rest);
        };
    }

    // Where things lie.

    void add_device_nearness(std::size_t i) {
        const DeviceRequest& request = demand_.devices[i].request;
        if (request.locality == Locality::require) {
            add(ChangeKind::nearness, request.name + " far from the cores",
                [i](FitSituation& s) { s.demand.devices[i].request.locality = Locality::prefer; });
        }
        if (i > 0 && request.device_locality == Locality::require) {
            add(ChangeKind::nearness, request.name + " below another switch", [i](FitSituation& s) {
                s.demand.devices[i].request.device_locality = Locality::prefer;
            });
        }
    }

    void add_nearness() {
        if (demand_.core_locality == Locality::require) {
            add(ChangeKind::nearness, "",
                [](FitSituation& s) { s.demand.core_locality = Locality::prefer; });
            edits_.back().text = [this](const NodePlacement& placement, std::int64_t) {
                const auto groups = core_groups(shape_, demand_.core_level);
                const auto used = std::count_if(
                    groups.begin(), groups.end(),
                    [&](const CoreSet& group) { return group.intersects(placement.cores); });
                return "cores on " + counted(Count(used), to_text(demand_.core_level));
            };
        }
        if (demand_.memory_locality == Locality::require) {
            add(ChangeKind::nearness, "",
                [](FitSituation& s) { s.demand.memory_locality = Locality::prefer; });
            edits_.back().text = [this](const NodePlacement& placement, std::int64_t) {
                return fmt::format("spilling {} of memory", far_memory(placement));
            };
        }
    }
    [[nodiscard]] Bytes far_memory(const NodePlacement& placement) const {
        std::vector<CoreSet> groups;
        if (demand_.memory_level) groups = core_groups(shape_, *demand_.memory_level);
        const DomainSet near = domains_near(shape_, widen(groups, placement.cores));
        Bytes sum;
        for (const MemoryShare& share : placement.memory) {
            if (!near.contains(share.domain)) sum += share.bytes;
        }
        return sum;
    }

    /// What only says how tasks and cores lie on packages and cores.
    void add_packages() {
        if (demand_.distribution != Distribution::block) {
            add(ChangeKind::nearness,
                fmt::format("tasks dealt block instead of {}", demand_.distribution),
                [](FitSituation& s) { s.demand.distribution = Distribution::block; });
        }
        const auto open = [&](Count NodeDemand::*limit, const char* how, const char* noun,
                              const char* rest) {
            if ((demand_.*limit).is_zero()) return;
            add(ChangeKind::nearness, how + counted(demand_.*limit, noun, rest),
                [limit](FitSituation& s) { s.demand.*limit = Count(); });
        };
        open(&NodeDemand::tasks_per_socket, "more than ", "task", " a socket");
        open(&NodeDemand::tasks_per_core, "more than ", "task", " a core");
        open(&NodeDemand::threads_per_core, "other than ", "thread", " a core");
        open(&NodeDemand::sockets_per_node, "fewer than ", "socket", "");
        open(&NodeDemand::cores_per_socket, "fewer than ", "free core", " a socket");
    }

    // Which devices.

    void add_properties(std::size_t i) {
        const DeviceRequest& request = demand_.devices[i].request;
        const DeviceRequest any;
        const auto open = [&](auto DeviceRequest::*property, const char* text) {
            if (request.*property == any.*property) return;
            add(ChangeKind::properties, request.name + text, [i, property](FitSituation& s) {
                s.demand.devices[i].request.*property = DeviceRequest().*property;
            });
        };
        open(&DeviceRequest::types, " of any type");
        open(&DeviceRequest::vendor, " of any vendor");
        open(&DeviceRequest::models, " of any model");
        open(&DeviceRequest::memory, " with any memory");
        open(&DeviceRequest::total_memory, " with any memory in all");
        open(&DeviceRequest::compute_capability, " of any compute capability");
        open(&DeviceRequest::attributes, " with any attributes");
    }

    // How much.

    [[nodiscard]] static Count times(Count a, Count b) {
        return checked_mul(a, b.value()).value_or(Count::max());
    }
    static void lower(Range<Count>& range, Count least) {
        if (range.max == range.min) range.max = least;
        range.min = least;
    }

    void add_device_amounts(std::size_t i) {
        const DeviceDemand& demand = demand_.devices[i];
        const DeviceRequest& request = demand.request;
        if (demand.sockets.is_zero()) {
            add_amount(demand.count.least(), named(request), [i](FitSituation& s, Count amount) {
                lower(s.demand.devices[i].count, amount);
            });
        } else {
            add_amount(request.count.least(), named(request, " a socket"),
                       [i](FitSituation& s, Count amount) {
                           DeviceDemand& one = s.demand.devices[i];
                           lower(one.request.count, amount);
                           lower(one.count, times(amount, one.sockets));
                       });
            add_amount(demand.sockets, pieces("socket", " with " + request.name),
                       [i](FitSituation& s, Count amount) {
                           DeviceDemand& one = s.demand.devices[i];
                           one.count.min = times(one.request.count.least(), amount);
                           if (one.request.count.max) {
                               one.count.max = times(*one.request.count.max, amount);
                           }
                           one.sockets = amount;
                       });
        }
        const bool is_sum = request.shares_per == Per::node;
        add_amount(
            request.shares, pieces("share", " of " + request.name + (is_sum ? "" : " each")),
            [i](FitSituation& s, Count amount) { s.demand.devices[i].request.shares = amount; });
    }

    void add_amounts() {
        add_amount(demand_.cpus_per_task, pieces("CPU", demand_.tasks == Count(1) ? "" : " a task"),
                   [](FitSituation& s, Count amount) { s.demand.cpus_per_task = amount; });
        const auto milli_cpus = Count(demand_.milli_cpus.value());
        add_amount(
            milli_cpus, [](Count amount) { return fmt::format("{} thousandths of a CPU", amount); },
            [](FitSituation& s, Count amount) { s.demand.milli_cpus = MilliCpu(amount.value()); });
        add_amount(demand_.tasks, pieces("task"),
                   [](FitSituation& s, Count amount) { s.demand.tasks = amount; });
        add_amount(demand_.cpus_per_device, pieces("CPU", " a device"),
                   [](FitSituation& s, Count amount) { s.demand.cpus_per_device = amount; });
        add_memory();
        if (demand_.exclusivity != Exclusivity::whole_node || demand_.system_cores.is_zero()) {
            return;
        }
        add(ChangeKind::amount,
            fmt::format("no cores left to the system instead of {}", demand_.system_cores),
            [](FitSituation& s) { s.demand.system_cores = Count(); });
    }
    void add_memory() {
        const std::int64_t asked = demand_.memory.value();
        const Bytes most = std::min(demand_.memory, shape_.ordinary_memory());
        const auto floor = std::bit_floor(static_cast<std::uint64_t>(most.value()));
        const auto bytes = static_cast<std::int64_t>(std::max<std::uint64_t>(1, floor / 1024));
        if (asked <= bytes) return;
        const char* per = demand_.memory_per == Per::cpu      ? " a CPU"
                          : demand_.memory_per == Per::device ? " a device"
                                                              : "";
        edits_.push_back(
            {ChangeKind::amount, (asked - 1) / bytes, bytes, asked,
             [](FitSituation& s, std::int64_t amount) { s.demand.memory = Bytes(amount); },
             [asked, per](const NodePlacement&, std::int64_t amount) {
                 return fmt::format("{} of memory{} instead of {}", Bytes(amount), per,
                                    Bytes(asked));
             }});
    }

    const NodeShape& shape_;
    const NodeDemand& demand_;
    const FitOptions& options_;
    std::vector<FitEdit> edits_;
};

}  // namespace trestle::detail
