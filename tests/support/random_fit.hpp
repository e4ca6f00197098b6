// SPDX-License-Identifier: Apache-2.0
// Worlds for fit(): irregular nodes, what is taken on them, and what is asked. Each maker takes
// Choices, so that the same code draws at random and goes through everything.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "trestle/alloc/demand.hpp"
#include "trestle/alloc/usage.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/model/node.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {

using testing::Choices;

/// One question to fit().
struct FitCase {
    NodeShape shape;
    NodePlacement taken;  ///< by owner 7
    NodeDemand demand;

    [[nodiscard]] NodeUsage usage() const {
        NodeUsage usage(shape);
        const Status status = usage.take(taken, OwnerId(7));
        TRESTLE_EXPECTS(status.ok(), "what is taken is there");
        return usage;
    }

    static constexpr auto fields() {
        return field_list(field("shape", &FitCase::shape), field("taken", &FitCase::taken),
                          field("demand", &FitCase::demand));
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

/// Any subset of [0, count).
[[nodiscard]] inline CoreSet any_cores(Choices& choices, std::uint32_t count) {
    CoreSet cores;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (choices.one_in(2)) cores.insert(CoreId(i));
    }
    return cores;
}

/// Any part of what the shape has: some cores, some units of some domains, some shares of some
/// devices.
[[nodiscard]] inline NodePlacement any_taken(Choices& choices, const NodeShape& shape) {
    NodePlacement taken;
    if (choices.one_in(2)) taken.cores = any_cores(choices, shape.hardware.core_count());
    for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
        if (choices.one_in(2)) continue;
        const Bytes bytes(static_cast<std::int64_t>(
            choices.below(static_cast<std::uint64_t>(shape.memory[i].capacity.value()) + 1)));
        if (!bytes.is_zero()) taken.memory.push_back({DomainId(i), bytes});
    }
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        if (choices.one_in(2)) continue;
        const Count shares(static_cast<std::int64_t>(
            choices.below(static_cast<std::uint64_t>(shape.devices[i].shares.value()) + 1)));
        if (!shares.is_zero()) taken.devices.push_back({DeviceId(i), shares});
    }
    return taken;
}

namespace detail {

template <class T>
[[nodiscard]] T any_of(Choices& choices, std::initializer_list<T> list) {
    return choices.of(std::vector<T>(list));
}

inline void add_memory(Choices& choices, NodeShape& shape) {
    const std::uint32_t cores = shape.hardware.core_count();
    for (auto n = 1 + choices.below(4); n > 0; --n) {
        MemoryDomain domain;
        domain.os_index = OsIndex(static_cast<std::uint32_t>(shape.memory.size()));
        domain.capacity = Bytes(static_cast<std::int64_t>(choices.below(8)));
        domain.cores = any_cores(choices, cores);
        if (choices.one_in(6)) {
            domain.kind = any_of(
                choices, {MemoryKind::high_bandwidth, MemoryKind::persistent, MemoryKind::device});
        }
        shape.memory.push_back(domain);
    }
    if (!choices.one_in(2)) return;
    for (std::size_t i = 0; i < shape.memory.size() * shape.memory.size(); ++i) {
        shape.distances.push_back(any_of(choices, {10u, 20u, 30u}));
    }
}

inline void add_devices(Choices& choices, NodeShape& shape) {
    const std::uint32_t cores = shape.hardware.core_count();
    std::uint32_t nics = 0;
    for (auto n = choices.below(6); n > 0; --n) {
        Device device;
        const auto all = static_cast<std::uint32_t>(shape.devices.size());
        device.name = choices.one_in(6) ? "nic" : "gpu";
        device.index = device.name == "nic" ? nics++ : all - nics;
        device.type = any_of<std::string>(choices, {"a", "b"});
        device.memory = Bytes(any_of(choices, {std::int64_t{40}, std::int64_t{80}}));
        if (choices.one_in(2)) device.cores = any_cores(choices, cores);
        if (choices.one_in(3))
            device.shares = Count(static_cast<std::int64_t>(choices.below(4)) + 1);
        if (choices.one_in(16)) device.health = Health::failure;
        if (choices.one_in(16)) device.is_drained = true;
        shape.devices.push_back(device);
    }
    if (!choices.one_in(2)) return;
    for (std::uint32_t a = 0; a < shape.devices.size(); ++a) {
        for (std::uint32_t b = a + 1; b < shape.devices.size(); ++b) {
            const auto strength = static_cast<std::uint32_t>(choices.below(4));
            if (strength > 0) shape.links.push_back({DeviceId(a), DeviceId(b), strength});
        }
    }
}

[[nodiscard]] inline Locality any_locality(Choices& choices) {
    return any_of(choices, {Locality::ignore, Locality::prefer, Locality::require});
}

[[nodiscard]] inline DeviceDemand any_device_demand(Choices& choices) {
    DeviceDemand demand;
    DeviceRequest& request = demand.request;
    if (choices.one_in(8)) request.name = "nic";
    if (choices.one_in(6)) request.types = {"a"};
    if (choices.one_in(6)) request.memory = Range<Bytes>::at_least(Bytes(80));
    if (choices.one_in(6)) request.total_memory = Range<Bytes>::between({Bytes(80), Bytes(160)});
    if (choices.one_in(4)) request.shares = Count(static_cast<std::int64_t>(choices.below(3)) + 1);
    request.prefer = any_of(choices, {Prefer::fewest, Prefer::most});
    request.locality = any_locality(choices);
    const Count least(static_cast<std::int64_t>(choices.below(3)));
    const Count most = least + Count(static_cast<std::int64_t>(choices.below(3)));
    demand.count =
        choices.one_in(3) ? Range<Count>::at_least(least) : Range<Count>::between({least, most});
    return demand;
}

}  // namespace detail

/// A small node in which nothing is regular.
[[nodiscard]] inline NodeShape any_shape(Choices& choices) {
    NodeShape shape;
    std::uint32_t thread = 0;
    for (auto n = choices.one_in(20) ? 0 : 2 + choices.below(5); n > 0; --n) {
        Core core{{OsIndex(thread++)}};
        if (choices.one_in(2)) core.threads.emplace_back(thread++);
        shape.hardware.cores.push_back(core);
    }
    detail::add_memory(choices, shape);
    detail::add_devices(choices, shape);
    return shape;
}

[[nodiscard]] inline NodeDemand any_demand(Choices& choices) {
    NodeDemand demand;
    demand.tasks = Count(static_cast<std::int64_t>(choices.below(3)) + 1);
    demand.cpus_per_task = Count(static_cast<std::int64_t>(choices.below(5)));
    demand.memory = Bytes(static_cast<std::int64_t>(choices.below(6)));
    demand.memory_per = detail::any_of(choices, {Per::node, Per::node, Per::cpu, Per::device});
    demand.memory_locality = detail::any_locality(choices);
    for (auto n = choices.below(3); n > 0; --n) {
        demand.devices.push_back(detail::any_device_demand(choices));
    }
    if (choices.one_in(3)) {
        demand.cpus_per_device = Count(static_cast<std::int64_t>(choices.below(3)));
    }
    if (choices.one_in(8)) demand.exclusivity = Exclusivity::whole_node;
    return demand;
}

/// Any node, partly taken or idle, and any demand.
[[nodiscard]] inline FitCase any_fit_case(Choices& choices) {
    FitCase one;
    one.shape = any_shape(choices);
    if (!choices.one_in(3)) one.taken = any_taken(choices, one.shape);
    one.demand = any_demand(choices);
    return one;
}

}  // namespace trestle
