// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/demand_edits.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "model/core_groups.hpp"
#include "trestle/model/locality.hpp"

namespace trestle {

namespace detail {

double DemandEdit::loss(std::int64_t level) const {
    if (asked == 0) return 0;
    return 1 - static_cast<double>(level * unit) / static_cast<double>(asked);
}

DemandEdits::DemandEdits(const NodeShape& shape, const FitSituation& asked)
    : shape_(shape), demand_(asked.demand), options_(asked.options) {
    for (std::size_t i = 0; i < demand_.devices.size(); ++i) add_device_nearness(i);
    add_common();
    add_nearness();
    add_packages();
    if (demand_.core_kind) {
        add(FitExplanation::Relaxation::Kind::properties, "on cores of any kind",
            [](FitSituation& s) { s.demand.core_kind.reset(); });
    }
    for (std::size_t i = 0; i < demand_.devices.size(); ++i) add_properties(i);
    if (options_.warning == FitOptions::WarningUse::never) {
        add(FitExplanation::Relaxation::Kind::properties, "with a device that warns",
            [](FitSituation& s) { s.options.warning = FitOptions::WarningUse::last; });
    }
    for (std::size_t i = 0; i < demand_.devices.size(); ++i) add_device_amounts(i);
    add_amounts();
    if (demand_.exclusivity == Exclusivity::whole_node) {
        add(FitExplanation::Relaxation::Kind::exclusivity, "sharing the node", [](FitSituation& s) {
            s.demand.exclusivity = Exclusivity::shared;
            s.demand.system_cores = Count();
        });
    }
}

void DemandEdits::add_device_nearness(std::size_t i) {
    const DeviceRequest& request = demand_.devices[i].request;
    if (request.locality == Strictness::require) {
        add(FitExplanation::Relaxation::Kind::nearness, request.name + " far from the cores",
            [i](FitSituation& s) { s.demand.devices[i].request.locality = Strictness::prefer; });
    }
    if (i > 0 && request.device_locality == Strictness::require) {
        add(FitExplanation::Relaxation::Kind::nearness, request.name + " below another switch",
            [i](FitSituation& s) {
                s.demand.devices[i].request.device_locality = Strictness::prefer;
            });
    }
}

void DemandEdits::add_common() {
    for (std::size_t i = 0; i < demand_.common_attributes.size(); ++i) {
        const Request::CommonAttribute& one = demand_.common_attributes[i];
        const std::string devices = common_devices(demand_, one);
        if (devices.empty()) continue;
        add(FitExplanation::Relaxation::Kind::nearness,
            fmt::format("{} of more than one {}", devices, one.name),
            [i](FitSituation& s) { s.demand.common_attributes[i].name.clear(); });
    }
}

void DemandEdits::add_nearness() {
    if (demand_.core_locality == Strictness::require) {
        add(FitExplanation::Relaxation::Kind::nearness, "",
            [](FitSituation& s) { s.demand.core_locality = Strictness::prefer; });
        edits_.back().text = [this](const NodePlacement& placement, std::int64_t) {
            const auto groups = core_groups(shape_, demand_.core_level);
            const auto used = std::count_if(
                groups.begin(), groups.end(),
                [&](const CoreSet& group) { return group.intersects(placement.cores); });
            return "cores on " + counted(Count(used), to_text(demand_.core_level));
        };
    }
    if (demand_.memory_locality == Strictness::require) {
        add(FitExplanation::Relaxation::Kind::nearness, "",
            [](FitSituation& s) { s.demand.memory_locality = Strictness::prefer; });
        edits_.back().text = [this](const NodePlacement& placement, std::int64_t) {
            return fmt::format("spilling {} of memory", far_memory(placement));
        };
    }
}

Bytes DemandEdits::far_memory(const NodePlacement& placement) const {
    std::vector<CoreSet> groups;
    if (demand_.memory_level) groups = core_groups(shape_, *demand_.memory_level);
    const DomainSet near = domains_near(shape_, widen(groups, placement.cores));
    Bytes sum;
    for (const MemoryShare& share : placement.memory) {
        if (!near.contains(share.domain)) sum += share.bytes;
    }
    return sum;
}

void DemandEdits::add_packages() {
    if (demand_.distribution != Distribution::block) {
        add(FitExplanation::Relaxation::Kind::nearness,
            fmt::format("tasks dealt block instead of {}", demand_.distribution),
            [](FitSituation& s) { s.demand.distribution = Distribution::block; });
    }
    const bool is_finer = demand_.distribution_level != HardwareLevel::package &&
                          demand_.distribution != Distribution::block;
    if (is_finer) {
        add(FitExplanation::Relaxation::Kind::nearness,
            fmt::format("tasks dealt to packages instead of groups of level {}",
                        demand_.distribution_level),
            [](FitSituation& s) { s.demand.distribution_level = HardwareLevel::package; });
    }
    if (demand_.task_level) {
        add(FitExplanation::Relaxation::Kind::nearness,
            fmt::format("tasks in several groups of level {}", *demand_.task_level),
            [](FitSituation& s) { s.demand.task_level.reset(); });
    }
    const auto open = [&](Count NodeDemand::*limit, const char* how, const char* noun,
                          const char* rest) {
        if ((demand_.*limit).is_zero()) return;
        add(FitExplanation::Relaxation::Kind::nearness, how + counted(demand_.*limit, noun, rest),
            [limit](FitSituation& s) { s.demand.*limit = Count(); });
    };
    open(&NodeDemand::tasks_per_socket, "more than ", "task", " a socket");
    open(&NodeDemand::tasks_per_core, "more than ", "task", " a core");
    open(&NodeDemand::threads_per_core, "other than ", "thread", " a core");
    open(&NodeDemand::sockets_per_node, "fewer than ", "socket", "");
    open(&NodeDemand::cores_per_socket, "fewer than ", "free core", " a socket");
}

void DemandEdits::add_properties(std::size_t i) {
    const DeviceRequest& request = demand_.devices[i].request;
    const DeviceRequest any;
    const auto open = [&](auto DeviceRequest::*property, const char* text) {
        if (request.*property == any.*property) return;
        add(FitExplanation::Relaxation::Kind::properties, request.name + text,
            [i, property](FitSituation& s) {
                s.demand.devices[i].request.*property = DeviceRequest().*property;
            });
    };
    open(&DeviceRequest::types, " of any type");
    if (!request.vendor.empty()) add_vendor(i);
    open(&DeviceRequest::models, " of any model");
    open(&DeviceRequest::memory, " with any memory");
    open(&DeviceRequest::total_memory, " with any memory in all");
    open(&DeviceRequest::compute_capability, " of any compute capability");
    open(&DeviceRequest::share_kind, " with shares of any kind");
    open(&DeviceRequest::mig_profile, " of any MIG profile");
    open(&DeviceRequest::attributes, " with any attributes");
}

void DemandEdits::add_vendor(std::size_t i) {
    edits_.push_back(
        {FitExplanation::Relaxation::Kind::properties, 1, 1, 0,
         [i](FitSituation& s, std::int64_t) { s.demand.devices[i].request.vendor.clear(); },
         [this, i](const NodePlacement& placement, std::int64_t) {
             const DeviceRequest& request = demand_.devices[i].request;
             std::set<std::string> vendors;
             for (const DeviceShare& share : placement.devices) {
                 const Device& device = shape_.devices[share.device.value()];
                 if (device.name == request.name) vendors.insert(device.vendor);
             }
             vendors.erase("");
             if (vendors.empty()) return request.name + " of any vendor";
             return fmt::format("{} of vendor {} instead of {}", request.name,
                                fmt::join(vendors, " and "), request.vendor);
         }});
}

void DemandEdits::lower(Range<Count>& range, Count least) {
    if (range.max == range.min) range.max = least;
    range.min = least;
}

void DemandEdits::add_device_amounts(std::size_t i) {
    const NodeDemand::Device& demand = demand_.devices[i];
    const DeviceRequest& request = demand.request;
    if (demand.sockets.is_zero()) {
        add_amount(demand.count.least(), named(request), [i](FitSituation& s, Count amount) {
            lower(s.demand.devices[i].count, amount);
        });
    } else {
        add_amount(request.count.least(), named(request, " a socket"),
                   [i](FitSituation& s, Count amount) {
                       NodeDemand::Device& one = s.demand.devices[i];
                       lower(one.request.count, amount);
                       lower(one.count, times(amount, one.sockets));
                   });
        add_amount(demand.sockets, pieces("socket", " with " + request.name),
                   [i](FitSituation& s, Count amount) {
                       NodeDemand::Device& one = s.demand.devices[i];
                       one.count.min = times(one.request.count.least(), amount);
                       if (one.request.count.max) {
                           one.count.max = times(*one.request.count.max, amount);
                       }
                       one.sockets = amount;
                   });
    }
    const bool is_sum = request.shares_per == Per::node;
    add_amount(request.shares, pieces("share", " of " + request.name + (is_sum ? "" : " each")),
               [i](FitSituation& s, Count amount) { s.demand.devices[i].request.shares = amount; });
}

void DemandEdits::add_amounts() {
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
    add(FitExplanation::Relaxation::Kind::amount,
        fmt::format("no cores left to the system instead of {}", demand_.system_cores),
        [](FitSituation& s) { s.demand.system_cores = Count(); });
}

void DemandEdits::add_memory() {
    const std::int64_t asked = demand_.memory.value();
    const Bytes most = std::min(demand_.memory, shape_.ordinary_memory());
    const auto floor = std::bit_floor(static_cast<std::uint64_t>(most.value()));
    const auto bytes = static_cast<std::int64_t>(std::max<std::uint64_t>(1, floor / 1024));
    if (asked <= bytes) return;
    const char* per = demand_.memory_per == Per::cpu      ? " a CPU"
                      : demand_.memory_per == Per::device ? " a device"
                                                          : "";
    edits_.push_back({FitExplanation::Relaxation::Kind::amount, (asked - 1) / bytes, bytes, asked,
                      [](FitSituation& s, std::int64_t amount) { s.demand.memory = Bytes(amount); },
                      [asked, per](const NodePlacement&, std::int64_t amount) {
                          return fmt::format("{} of memory{} instead of {}", Bytes(amount), per,
                                             Bytes(asked));
                      }});
}

}  // namespace detail

}  // namespace trestle
