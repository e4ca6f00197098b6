// SPDX-License-Identifier: Apache-2.0
// Worlds for fit(): irregular nodes, what is taken on them, and what is asked. Each maker takes
// Choices, so that the same code draws at random and goes through everything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit_options.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/model/node.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {

using testing::Choices;

/// One question to fit().
struct FitCase {
    NodeShape shape;
    NodePlacement taken;   ///< by owner 7
    NodePlacement in_row;  ///< by owner 8; has a row when it has anything
    NodeDemand demand;
    FitOptions options;

    [[nodiscard]] NodeLedger ledger() const {
        NodeLedger ledger(shape);
        const bool is_there =
            ledger.take(taken, OwnerId(7)).ok() && ledger.take(in_row, OwnerId(8)).ok();
        TRESTLE_EXPECTS(is_there, "what is taken is there");
        return ledger;
    }

    static constexpr auto fields(auto list) {
        return list(field("shape", &FitCase::shape), field("taken", &FitCase::taken),
                    field("in_row", &FitCase::in_row), field("demand", &FitCase::demand),
                    field("options", &FitCase::options));
    }
};

/// `count` cores of one thread each.
[[nodiscard]] inline HardwareTree plain_cores(std::uint32_t count) {
    HardwareTree tree;
    for (std::uint32_t i = 0; i < count; ++i) tree.cores.push_back({{OsIndex(i)}});
    return tree;
}

[[nodiscard]] inline Device plain_gpu(std::uint32_t index, const CoreSet& near = {}) {
    Device device;
    device.name = "gpu";
    device.index = index;
    device.cores = near;
    return device;
}

/// A made-up geometry in which everything that is awkward about the real ones occurs: fewer compute
/// slices than memory slices, a profile that may stand in two places of four only, one that takes
/// all memory but not all compute slices.
[[nodiscard]] inline SliceGeometry small_geometry() {
    return {"small",
            3,
            4,
            {{"1g", 1, 1, Bytes(20), {0, 1, 2, 3}, 3},
             {"1g+me", 1, 2, Bytes(40), {0, 2}, 1},
             {"2g", 2, 2, Bytes(40), {0, 2}, 1},
             {"3g", 3, 4, Bytes(80), {0}, 1}}};
}

namespace detail {

template <class T>
[[nodiscard]] T any_of(Choices& choices, std::initializer_list<T> list) {
    return choices.of(std::vector<T>(list));
}

[[nodiscard]] inline Count any_count(Choices& choices, Interval<std::int64_t> interval) {
    return Count(choices.in(interval));
}

[[nodiscard]] inline Strictness any_locality(Choices& choices) {
    return any_of(choices, {Strictness::ignore, Strictness::prefer, Strictness::require});
}

[[nodiscard]] inline HardwareLevel any_level(Choices& choices) {
    using enum HardwareLevel;
    return any_of(choices, {machine, package, die, numa, l3, l2, core});
}

/// A level that tasks are dealt to or kept in.
[[nodiscard]] inline HardwareLevel any_group_level(Choices& choices) {
    using enum HardwareLevel;
    return any_of(choices, {package, die, numa, numa, l3, l2});
}

/// Instances that can exist together, each legal.
[[nodiscard]] inline std::vector<Slicing::Instance> any_instances(Choices& choices,
                                                                  const SliceGeometry& geometry) {
    std::vector<Slicing::Instance> instances;
    std::uint32_t compute = 0;
    std::vector<std::uint32_t> made(geometry.profiles.size());
    for (std::uint32_t start = 0; start < geometry.memory_slices; ++start) {
        if (choices.one_in(2)) continue;
        const auto at = static_cast<std::size_t>(choices.below(geometry.profiles.size()));
        const SliceGeometry::Profile& profile = geometry.profiles[at];
        const bool is_legal = std::count(profile.starts.begin(), profile.starts.end(), start) > 0;
        if (!is_legal || made[at] == profile.instances_max ||
            compute + profile.compute_slices > geometry.compute_slices) {
            continue;
        }
        ++made[at];
        compute += profile.compute_slices;
        instances.push_back({start, profile.memory_slices, profile.name});
        start = instances.back().end() - 1;
    }
    return instances;
}

}  // namespace detail

/// Any subset of [0, count).
[[nodiscard]] inline CoreSet any_cores(Choices& choices, std::uint32_t count) {
    CoreSet cores;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (choices.one_in(2)) cores.insert(CoreId(i));
    }
    return cores;
}

namespace detail {

/// Some shares of the device, or some instances.
inline void take_some(Choices& choices, const Device& device, DeviceId id, NodePlacement& taken) {
    if (device.slicing && (device.slicing->is_fixed || choices.below(3) > 0)) {
        const bool is_fixed = device.slicing->is_fixed;
        const auto instances =
            is_fixed ? device.slicing->instances : any_instances(choices, device.slicing->geometry);
        for (const Slicing::Instance& instance : instances) {
            if (choices.one_in(2)) continue;
            taken.devices.push_back({id, Count(1), instance});
        }
        return;
    }
    const Count shares = any_count(choices, {0, device.shares.value() + 1});
    if (!shares.is_zero()) taken.devices.push_back({id, shares});
}

}  // namespace detail

namespace detail {

/// Quarters of the CPUs that are left beside `pinned`.
[[nodiscard]] inline MilliCpu any_milli_cpus(Choices& choices, const NodeShape& shape,
                                             const CoreSet& pinned) {
    const std::uint32_t left =
        shape.hardware.threads_of(shape.allocatable_cores() - pinned).count();
    return MilliCpu(250 * choices.in(Interval<std::int64_t>{0, 4 * std::int64_t{left} + 1}));
}

}  // namespace detail

/// Any part of what the shape gives: some cores, some quarters of CPUs, some units of some domains,
/// some shares or instances of some devices.
[[nodiscard]] inline NodePlacement any_taken(Choices& choices, const NodeShape& shape) {
    NodePlacement taken;
    if (choices.one_in(2)) {
        for (const CoreId core : shape.allocatable_cores()) {
            if (choices.one_in(3)) taken.cores.insert(core);
        }
    }
    if (choices.one_in(4)) {
        taken.milli_cpus = detail::any_milli_cpus(choices, shape, taken.cores);
    }
    for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
        if (choices.one_in(2)) continue;
        const Bytes bytes(
            choices.in(Interval<std::int64_t>{0, shape.memory[i].allocatable().value() + 1}));
        if (!bytes.is_zero()) taken.memory.push_back({DomainId(i), bytes});
    }
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        if (!choices.one_in(3)) continue;
        detail::take_some(choices, shape.devices[i], DeviceId(i), taken);
    }
    return taken;
}

namespace detail {

/// Cores in one or two parts side by side, or anyhow.
[[nodiscard]] inline std::vector<CoreSet> any_parts(Choices& choices, std::uint32_t cores) {
    if (choices.one_in(3)) return {any_cores(choices, cores), any_cores(choices, cores)};
    const auto half = static_cast<std::uint32_t>(choices.below(cores + 1));
    return {CoreSet::range({0, half}), CoreSet::range({half, cores})};
}

inline void add_groups(Choices& choices, NodeShape& shape) {
    using enum HardwareLevel;
    for (const HardwareLevel level : {package, package, l3, l2, die}) {
        if (!choices.one_in(level == package ? 3 : 6)) continue;
        std::uint32_t number = 0;
        for (const CoreSet& cores : any_parts(choices, shape.hardware.core_count())) {
            shape.hardware.groups.push_back({level, OsIndex(number++), cores});
        }
    }
}

inline void add_memory(Choices& choices, NodeShape& shape) {
    const std::uint32_t cores = shape.hardware.core_count();
    const bool is_regular = choices.one_in(2);
    const auto parts = any_parts(choices, cores);
    for (auto n = 1 + choices.below(4); n > 0; --n) {
        MemoryDomain domain;
        domain.os_index = OsIndex(static_cast<std::uint32_t>(shape.memory.size()));
        domain.capacity = Bytes(static_cast<std::int64_t>(choices.below(8)));
        domain.cores = is_regular ? parts[shape.memory.size() % 2] : any_cores(choices, cores);
        if (choices.one_in(6)) {
            domain.kind =
                any_of(choices, {MemoryDomain::Kind::high_bandwidth, MemoryDomain::Kind::persistent,
                                 MemoryDomain::Kind::device});
        }
        if (choices.one_in(6)) {
            domain.reserved =
                Bytes(choices.in(Interval<std::int64_t>{0, domain.capacity.value() + 1}));
        }
        shape.memory.push_back(domain);
    }
    if (!choices.one_in(2)) return;
    for (std::size_t i = 0; i < shape.memory.size() * shape.memory.size(); ++i) {
        shape.distances.push_back(any_of(choices, {10u, 20u, 30u}));
    }
}

/// How a device is shared: whole only, in shares, in slices, or by everybody.
inline void set_sharing(Choices& choices, Device& device) {
    switch (choices.below(12)) {
        case 0:
        case 1:
        case 2:
            device.shares = any_count(choices, {2, 5});
            break;
        case 3:
            device.is_consumed = false;
            break;
        case 4:
        case 5:
            device.slicing = Slicing{small_geometry(), {}, choices.one_in(3)};
            if (device.slicing->is_fixed || choices.one_in(2)) {
                device.slicing->instances = any_instances(choices, device.slicing->geometry);
            }
            break;
        default:
            break;
    }
}

/// `halves`: cores that devices are often near to; empty: each is near to others.
[[nodiscard]] inline Device any_device(Choices& choices, std::uint32_t cores,
                                       const std::vector<CoreSet>& halves) {
    Device device;
    device.name = choices.one_in(4) ? "nic" : "gpu";
    device.type = any_of<std::string>(choices, {"a", "b"});
    device.memory = Bytes(any_of(choices, {std::int64_t{40}, std::int64_t{80}}));
    if (!halves.empty()) {
        device.cores = halves[choices.below(2)];
    } else if (choices.one_in(2)) {
        device.cores = any_parts(choices, cores)[choices.below(2)];
    }
    if (cores > 0 && choices.one_in(8)) {
        device.reserved_cores.insert(CoreId(static_cast<std::uint32_t>(choices.below(cores))));
    }
    for (std::uint32_t number = 0; number < 3; ++number) {
        if (choices.one_in(3)) device.switches.push_back(number);
    }
    set_sharing(choices, device);
    if (choices.one_in(6)) device.health = Health::warning;
    if (choices.one_in(16)) device.health = Health::failure;
    if (choices.one_in(16)) device.is_drained = true;
    return device;
}

/// Attributes of which a device has none, one value or several, some of them the name of one that
/// is built in.
inline void add_attributes(Choices& choices, Device& device) {
    for (const char* name : {"rack", "rack", "domain", "numa"}) {
        if (!choices.one_in(std::string_view(name) == "numa" ? 12 : 3)) continue;
        device.attributes.push_back({name, any_of<std::string>(choices, {"1", "1.0", "2", "x"})});
    }
    if (choices.one_in(3)) device.vendor = any_of<std::string>(choices, {"nvidia", "amd"});
    if (choices.one_in(3)) device.model = any_of<std::string>(choices, {"H100", "h100", "L4"});
}

/// Of two devices in a row the second is often like the first. Two of them can be cut at most: the
/// oracle tries all ways to do it.
inline void add_devices(Choices& choices, NodeShape& shape) {
    std::uint32_t nics = 0;
    std::uint32_t sliced = 0;
    const std::uint32_t cores = shape.hardware.core_count();
    const auto half = static_cast<std::uint32_t>(choices.below(cores + 1));
    std::vector<CoreSet> halves;
    if (choices.one_in(3)) halves = {CoreSet::range({0, half}), CoreSet::range({half, cores})};
    for (auto n = choices.one_in(6) ? 0 : 1 + choices.below(5); n > 0; --n) {
        const auto all = static_cast<std::uint32_t>(shape.devices.size());
        const bool is_twin = all > 0 && choices.one_in(2);
        Device device = is_twin ? shape.devices.back() : any_device(choices, cores, halves);
        device.index = device.name == "nic" ? nics++ : all - nics;
        if (device.slicing && ++sliced > 2) device.slicing.reset();
        shape.devices.push_back(device);
    }
}

/// No links, any, or the same between the devices of each pair or of each island of three.
inline void add_links(Choices& choices, NodeShape& shape) {
    const auto kind = choices.below(4);
    if (kind == 0) return;
    for (std::uint32_t a = 0; a < shape.devices.size(); ++a) {
        for (std::uint32_t b = a + 1; b < shape.devices.size(); ++b) {
            std::uint32_t strength = a / (kind + 1) == b / (kind + 1) ? 4 : 0;
            if (kind == 3) strength = static_cast<std::uint32_t>(choices.below(4));
            if (strength > 0) shape.links.push_back({DeviceId(a), DeviceId(b), strength});
        }
    }
}

[[nodiscard]] inline Range<Count> any_range(Choices& choices) {
    const Count least(any_of(choices, {0, 1, 1, 1, 2}));
    if (choices.one_in(3)) return Range<Count>::at_least(least);
    return Range<Count>::between(least, least + any_count(choices, {0, 3}));
}

/// Whole devices, shares of each or of all together, or instances.
inline void ask_for_parts(Choices& choices, const Device& like, DeviceRequest& request) {
    if (like.slicing ? choices.below(3) > 0 : choices.one_in(20)) {
        request.slice = any_of<std::string>(choices, {"1g", "1g", "1g+me", "2g", "3g"});
    } else if (choices.one_in(like.shares > Count(1) ? 2 : 8)) {
        request.shares = any_count(choices, {1, 4});
        if (choices.one_in(2)) request.shares_per = Per::node;
    }
}

inline void count_per_socket(Choices& choices, NodeDemand::Device& demand) {
    demand.request.per = Per::socket;
    demand.request.count = demand.count;
    demand.sockets = any_count(choices, {1, 3});
    const std::int64_t sockets = demand.sockets.value();
    demand.count.min = Count(demand.count.least().value() * sockets);
    if (demand.count.max) demand.count.max = Count(demand.count.max->value() * sockets);
}

/// For devices as `like` for the most part.
[[nodiscard]] inline NodeDemand::Device any_device_demand(Choices& choices, const Device& like) {
    NodeDemand::Device demand;
    DeviceRequest& request = demand.request;
    request.name = choices.one_in(12) ? "nic" : like.name;
    if (choices.one_in(6)) request.types = {like.type};
    if (choices.one_in(12)) request.memory = Range<Bytes>::at_least(Bytes(80));
    if (choices.one_in(12)) request.total_memory = Range<Bytes>::between(Bytes(40), Bytes(160));
    ask_for_parts(choices, like, request);
    request.prefer = any_of(choices, {DeviceRequest::Prefer::fewest, DeviceRequest::Prefer::most});
    request.locality = choices.one_in(2) ? Strictness::prefer : any_locality(choices);
    if (choices.one_in(6)) request.locality_level = any_level(choices);
    if (choices.one_in(3)) request.device_locality = any_locality(choices);
    demand.count = any_range(choices);
    if (choices.one_in(4)) request.per = Per::task;
    if (choices.one_in(12)) count_per_socket(choices, demand);
    return demand;
}

/// How tasks lie on threads, cores and sockets.
inline void shape_tasks(Choices& choices, NodeDemand& demand) {
    using enum Distribution;
    if (choices.one_in(8)) demand.threads_per_core = any_count(choices, {1, 3});
    if (choices.one_in(6)) demand.tasks_per_core = any_count(choices, {1, 3});
    if (choices.one_in(8)) demand.tasks_per_socket = any_count(choices, {1, 4});
    if (choices.one_in(12)) demand.sockets_per_node = any_count(choices, {1, 3});
    if (choices.one_in(10)) demand.cores_per_socket = any_count(choices, {1, 4});
    if (choices.one_in(4)) demand.distribution = any_of(choices, {cyclic, fcyclic, plane});
    if (choices.one_in(4)) demand.plane_size = any_count(choices, {1, 4});
    if (choices.one_in(3)) demand.distribution_level = any_group_level(choices);
    if (choices.one_in(6)) demand.task_level = any_group_level(choices);
    if (choices.one_in(4)) demand.core_locality = any_locality(choices);
    if (choices.one_in(3)) demand.core_level = any_level(choices);
}

/// One to three attributes that all devices of the demand, or those of one name, have in common.
inline void add_common(Choices& choices, NodeDemand& demand) {
    for (auto n = 1 + choices.below(3); n > 0; --n) {
        Request::CommonAttribute one;
        one.name = any_of<std::string>(
            choices, {"numa", "numa", "package", "l3", "switch", "root_switch", "island", "island",
                      "type", "model", "vendor", "rack", "rack", "domain", "unknown"});
        if (choices.one_in(3)) one.devices = {any_of<std::string>(choices, {"gpu", "nic"})};
        demand.common_attributes.push_back(std::move(one));
    }
}

/// Most devices are free, each is in one of two racks or in both, and their racks are asked about.
inline void make_usual(Choices& choices, FitCase& one) {
    if (!choices.one_in(3)) one.taken = one.in_row = NodePlacement();
    one.options.rows = one.in_row.row ? one.options.rows : 1;
    for (Device& device : one.shape.devices) {
        device.health = choices.one_in(6) ? Health::warning : Health::healthy;
        device.is_drained = false;
        device.attributes = {{"rack", choices.one_in(2) ? "a" : "b"}};
        if (choices.one_in(4)) device.attributes = {{"rack", "b"}, {"rack", "a"}};
    }
    for (NodeDemand::Device& demand : one.demand.devices) {
        demand.request.types.clear();
        demand.request.memory = demand.request.total_memory = {};
        if (choices.one_in(2)) demand.count.max = demand.count.least() + Count(2);
    }
    if (one.taken == NodePlacement() && choices.one_in(3)) {  // instances of two devices
        for (std::size_t i = 0; i < std::min<std::size_t>(2, one.shape.devices.size()); ++i) {
            one.shape.devices[i].shares = Count(1);
            one.shape.devices[i].slicing = Slicing{small_geometry(), {}, false};
        }
        for (std::size_t i = 2; i < one.shape.devices.size(); ++i) {
            one.shape.devices[i].slicing.reset();
        }
        DeviceRequest& request = one.demand.devices.front().request;
        request.shares = Count();
        request.shares_per = Per::device;
        request.slice = any_of<std::string>(choices, {"1g", "1g", "2g"});
    }
    for (Request::CommonAttribute& common : one.demand.common_attributes) {
        common.name = any_of<std::string>(choices, {"rack", "rack", "numa", "island", "package"});
    }
}

}  // namespace detail

/// A small node in which nothing is regular.
[[nodiscard]] inline NodeShape any_shape(Choices& choices) {
    NodeShape shape;
    std::uint32_t thread = 0;
    const auto threads = choices.below(3);  // one, two, or both
    for (auto n = choices.one_in(40) ? 0 : 2 + choices.below(6); n > 0; --n) {
        Core core{{OsIndex(thread++)}};
        if (threads == 1 || (threads == 2 && choices.one_in(2))) {
            core.threads.emplace_back(thread++);
        }
        if (threads == 2 && choices.one_in(6)) core.threads.emplace_back(thread++);
        shape.hardware.cores.push_back(core);
    }
    if (choices.one_in(3)) {
        for (Core& core : shape.hardware.cores) core.kind = choices.one_in(2) ? 1 : 0;
    }
    if (choices.one_in(8)) {
        shape.system_cores = any_cores(choices, shape.hardware.core_count() / 2);
    }
    detail::add_groups(choices, shape);
    detail::add_memory(choices, shape);
    detail::add_devices(choices, shape);
    detail::add_links(choices, shape);
    return shape;
}

/// Any demand, often for devices that the shape has.
[[nodiscard]] inline NodeDemand any_demand(Choices& choices, const NodeShape& shape) {
    NodeDemand demand;
    demand.tasks = Count(detail::any_of(choices, {1, 1, 2, 3}));
    demand.cpus_per_task = Count(detail::any_of(choices, {0, 1, 1, 2, 3}));
    if (choices.one_in(4)) {
        demand.milli_cpus = MilliCpu(detail::any_of(choices, {250, 500, 750, 1'500, 2'250}));
    }
    detail::shape_tasks(choices, demand);
    demand.memory = Bytes(detail::any_of(choices, {0, 1, 1, 2, 4}));
    demand.memory_per = detail::any_of(choices, {Per::node, Per::node, Per::cpu, Per::device});
    demand.memory_locality = choices.one_in(2) ? Strictness::prefer : detail::any_locality(choices);
    if (choices.one_in(6)) demand.memory_level = detail::any_level(choices);
    for (auto n = choices.below(3); n > 0; --n) {
        const bool has_any = !shape.devices.empty();
        demand.devices.push_back(
            detail::any_device_demand(choices, has_any ? choices.of(shape.devices) : plain_gpu(0)));
    }
    if (choices.one_in(3)) demand.cpus_per_device = detail::any_count(choices, {0, 3});
    if (choices.one_in(16)) {
        demand.exclusivity = Exclusivity::whole_node;
        demand.system_cores = detail::any_count(choices, {0, 3});
    }
    using enum Core::Kind;
    if (choices.one_in(8)) {
        demand.core_kind = detail::any_of(choices, {performance, efficiency});
    }
    if (choices.one_in(6)) {
        demand.preferred_core_kind = detail::any_of(choices, {performance, efficiency});
    }
    return demand;
}

/// Any node, partly taken or idle, perhaps by somebody in a row of a partition, and any demand.
[[nodiscard]] inline FitCase any_fit_case(Choices& choices) {
    FitCase one;
    one.shape = any_shape(choices);
    if (choices.one_in(2)) one.taken = any_taken(choices, one.shape);
    if (choices.one_in(4)) {
        one.in_row.row = detail::any_of(choices, {0u, 0u, 1u, 2u});
        one.in_row.cores = any_cores(choices, one.shape.hardware.core_count()) -
                           one.shape.system_cores - one.taken.cores;
        one.taken.milli_cpus =
            choices.one_in(4)
                ? detail::any_milli_cpus(choices, one.shape, one.taken.cores | one.in_row.cores)
                : MilliCpu();
    }
    one.demand = any_demand(choices, one.shape);
    one.options.warning =
        detail::any_of(choices, {FitOptions::WarningUse::last, FitOptions::WarningUse::alike,
                                 FitOptions::WarningUse::never});
    if (one.in_row.row) one.options.rows = static_cast<std::uint32_t>(choices.below(4));
    return one;
}

/// Any case, with devices that have attributes, of which the demand asks some to be in common.
[[nodiscard]] inline FitCase any_common_case(Choices& choices) {
    FitCase one = any_fit_case(choices);
    for (Device& device : one.shape.devices) {
        if (choices.one_in(2)) detail::add_attributes(choices, device);
    }
    if (one.demand.devices.empty() || choices.one_in(3)) {
        const bool has_any = !one.shape.devices.empty();
        one.demand.devices.push_back(detail::any_device_demand(
            choices, has_any ? choices.of(one.shape.devices) : plain_gpu(0)));
    }
    if (choices.one_in(2)) {  // more devices, less about cores
        one.demand.cpus_per_task = Count(1);
        one.demand.core_locality = Strictness::prefer;
        one.demand.memory = Bytes();
    }
    detail::add_common(choices, one.demand);
    if (choices.one_in(2)) detail::make_usual(choices, one);
    return one;
}

}  // namespace trestle
