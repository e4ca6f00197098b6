// SPDX-License-Identifier: Apache-2.0
// fit() against its oracle on every occupancy of a family of nodes: each subset of the cores and of
// the devices taken, for each of a family of demands.
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/fit_agreement.hpp"
#include "support/random_fit.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {
namespace {

/// What is particular to the devices of a node.
enum class Kind { anywhere, near, pairs, islands, shared, reserving, ailing, switched };

constexpr Kind all_kinds[] = {Kind::anywhere, Kind::near,      Kind::pairs,  Kind::islands,
                              Kind::shared,   Kind::reserving, Kind::ailing, Kind::switched};

struct Size {
    std::uint32_t cores;
    std::uint32_t devices;
};

void connect(NodeShape& shape, std::uint32_t a, std::uint32_t b, std::uint32_t strength) {
    shape.links.push_back({DeviceId(a), DeviceId(b), strength});
}

/// The i-th of the node's devices; the first half lies at the first half of the cores.
Device device_of(Kind kind, Size size, std::uint32_t i) {
    const std::uint32_t half = size.cores / 2;
    const bool is_first = i < (size.devices + 1) / 2;
    Device device =
        plain_gpu(i, is_first ? CoreSet::range({0, half}) : CoreSet::range({half, size.cores}));
    if (kind == Kind::anywhere) device.cores = {};
    if (kind == Kind::shared) device.shares = Count(2);
    if (kind == Kind::reserving) device.reserved_cores = CoreSet::of({CoreId(i)});
    if (kind == Kind::ailing && i == 0) device.health = Health::warning;
    if (kind == Kind::ailing && i == 2) device.health = Health::failure;
    if (kind == Kind::switched) {
        device.name = i % 2 == 0 ? "gpu" : "nic";
        device.index = i / 2;
        device.switches = {7, i == 3 ? 0u : i / 2};
    }
    return device;
}

/// Two packages with a memory domain each, cores of one thread or, where they are few, of two.
NodeShape node_of(Kind kind, Size size) {
    NodeShape shape;
    shape.hardware = plain_cores(size.cores);
    const std::uint32_t half = size.cores / 2;
    for (std::uint32_t i = 0; i < size.cores && size.cores == 4; ++i) {
        shape.hardware.cores[i].threads.emplace_back(size.cores + i);
    }
    for (std::uint32_t i = 0; i < 2; ++i) {
        const CoreSet cores =
            i == 0 ? CoreSet::range({0, half}) : CoreSet::range({half, size.cores});
        shape.hardware.groups.push_back({HardwareLevel::package, OsIndex(i), cores});
        shape.memory.push_back({OsIndex(i), MemoryDomain::Kind::dram, Bytes(3 + i), cores});
    }
    for (std::uint32_t i = 0; i < size.devices; ++i) {
        shape.devices.push_back(device_of(kind, size, i));
    }
    for (std::uint32_t a = 0; a < size.devices; ++a) {
        for (std::uint32_t b = a + 1; b < size.devices; ++b) {
            if (kind == Kind::pairs && a / 2 == b / 2) connect(shape, a, b, 2);
            if (kind == Kind::islands) connect(shape, a, b, a + b == 3 ? 4 : 1);
        }
    }
    return shape;
}

NodeDemand cpus(std::int64_t tasks, std::int64_t cpus_per_task) {
    NodeDemand demand;
    demand.tasks = Count(tasks);
    demand.cpus_per_task = Count(cpus_per_task);
    return demand;
}

NodeDemand with_devices(NodeDemand demand, Range<Count> count, Strictness locality,
                        const char* name = "gpu") {
    NodeDemand::Device devices;
    devices.request.name = name;
    devices.request.locality = locality;
    devices.count = count;
    demand.devices.push_back(devices);
    return demand;
}

/// Twelve questions, each about something else.
std::vector<NodeDemand> demands() {
    using enum Strictness;
    const auto exactly = [](std::int64_t count) { return Range<Count>::exactly(Count(count)); };
    const auto between = [](std::int64_t a, std::int64_t b) {
        return Range<Count>::between(Count(a), Count(b));
    };
    std::vector<NodeDemand> all = {
        with_devices(cpus(1, 1), exactly(1), prefer),
        with_devices(cpus(1, 2), exactly(2), prefer),
        with_devices(cpus(1, 2), exactly(1), require),
        with_devices(cpus(1, 1), between(1, 3), ignore),
        cpus(1, 3),
        cpus(3, 1),
        cpus(2, 2),
        cpus(1, 1),
        with_devices(with_devices(cpus(1, 1), exactly(1), ignore), exactly(1), prefer, "nic"),
        with_devices(with_devices(cpus(1, 1), between(0, 1), prefer), exactly(1), ignore, "nic"),
        with_devices(cpus(1, 2), exactly(1), prefer),
        with_devices(cpus(1, 1), between(0, 2), prefer),
    };
    all[1].memory = Bytes(2);
    all[1].memory_locality = require;
    all[3].devices[0].request.prefer = DeviceRequest::Prefer::most;
    all[3].cpus_per_device = Count(1);
    all[4].memory = Bytes(4);
    all[4].core_locality = require;
    all[5].distribution = Distribution::cyclic;
    all[5].memory = Bytes(1);
    all[5].memory_per = Per::cpu;
    all[6].tasks_per_socket = Count(1);
    all[7].exclusivity = Exclusivity::whole_node;
    all[8].devices[1].request.device_locality = require;
    all[9].devices[1].request.device_locality = prefer;
    all[10].devices[0].request.shares = Count(1);
    all[10].cores_per_socket = Count(2);
    all[11].devices[0].request.prefer = DeviceRequest::Prefer::most;
    all[11].memory = Bytes(2);
    all[11].memory_per = Per::device;
    return all;
}

/// Asks every demand in every occupancy.
void ask_all(const NodeShape& shape, Tally& tally) {
    REQUIRE(message(check(shape)) == "");
    const std::vector<NodeDemand> questions = demands();
    const auto cores = shape.hardware.core_count();
    const auto devices = static_cast<std::uint32_t>(shape.devices.size());
    for (std::uint32_t used = 0; used >> (cores + devices) == 0; ++used) {
        FitCase one;
        one.shape = shape;
        for (std::uint32_t i = 0; i < cores; ++i) {
            if ((used >> i & 1) != 0) one.taken.cores.insert(CoreId(i));
        }
        for (std::uint32_t i = 0; i < devices; ++i) {
            if ((used >> (cores + i) & 1) == 0) continue;
            one.taken.devices.push_back({DeviceId(i), Count(1)});
        }
        for (const NodeDemand& demand : questions) {
            one.demand = demand;
            tally.add(agrees(one));
        }
    }
}

}  // namespace

TEST_CASE("fit: every occupancy of every small node", "[alloc][law][unsanitized]") {
    Tally tally;
    for (const Kind kind : all_kinds) ask_all(node_of(kind, {4, 3}), tally);
    CHECK(tally.all == 8 * 12 * 128);
}

TEST_CASE("fit: every occupancy of nodes of up to 8 cores, 4 devices and 2 domains",
          "[alloc][law][slow]") {
    Tally tally;
    for (const Kind kind : all_kinds) {
        ask_all(node_of(kind, {4, 4}), tally);
        ask_all(node_of(kind, {6, 3}), tally);
    }
    for (const Kind kind : {Kind::pairs, Kind::shared, Kind::reserving, Kind::switched}) {
        ask_all(node_of(kind, {8, 4}), tally);
    }
    CHECK(tally.all == 12 * (8 * (256 + 512) + 4 * 4096));
}

}  // namespace trestle
