// SPDX-License-Identifier: Apache-2.0
// What fit() chooses on recorded machines, spelled out.
#include <string>
#include <utility>
#include <vector>

#include "machines/dgx2_with_nics.hpp"
#include "machines/recordings.hpp"
#include "model/core_groups.hpp"
#include "support/catch.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/model/granularity.hpp"
#include "trestle/set/text.hpp"

namespace trestle {
namespace {

DeviceRequest devices(const char* name, std::int64_t count) {
    DeviceRequest request;
    request.name = name;
    request.count = Range<Count>::exactly(Count(count));
    return request;
}

/// One task of so many CPUs, and devices.
Request asked(std::int64_t cpus, std::vector<DeviceRequest> devices = {}) {
    Request request;
    request.cpus_per_task = Range<Count>::at_least(Count(cpus));
    request.devices = std::move(devices);
    return request;
}

/// A machine in use.
class Machine {
  public:
    explicit Machine(NodeShape shape) : shape_(std::move(shape)), ledger_(shape_) {}

    /// `cores 0-3, gpu 0,1, memory 0:4GiB` or `no: <constraint>`: what it is, nothing is taken.
    [[nodiscard]] std::string offer(const Request& request) const {
        const auto answer = ask(request);
        if (!answer) return "no: " + std::string(to_text(answer.refusal().constraint));
        std::string text = "cores " + to_text(answer->cores);
        for (const std::string name : {"gpu", "nic"}) {
            std::string found;
            for (const DeviceShare& share : answer->devices) {
                const Device& device = shape_.devices[share.device.value()];
                if (device.name != name) continue;
                found += (found.empty() ? ", " + name + " " : ",") + std::to_string(device.index);
            }
            text += found;
        }
        for (const MemoryShare& share : answer->memory) {
            text += &share == &answer->memory.front() ? ", memory " : ",";
            text += to_text(share.domain) + ":" + to_text(share.bytes);
        }
        return text;
    }
    /// Takes what offer() tells.
    std::string take(const Request& request) {
        const std::string text = offer(request);
        const auto answer = ask(request);
        INFO(text);
        REQUIRE(answer);
        REQUIRE(ledger_.take(*answer, OwnerId(++owners_)).ok());
        return text;
    }
    /// Takes one device, whatever fit() would choose.
    void take_device(const char* name, std::uint32_t index) {
        NodePlacement placement;
        placement.devices = {{*shape_.find_device(name, index)}};
        REQUIRE(ledger_.take(placement, OwnerId(++owners_)).ok());
    }
    [[nodiscard]] const NodeShape& shape() const { return shape_; }

  private:
    [[nodiscard]] Verdict<NodePlacement> ask(const Request& request) const {
        const auto packages = core_groups(shape_, HardwareLevel::package).size();
        return fit(shape_, ledger_, demand_of(request, {}, static_cast<std::uint32_t>(packages)));
    }

    NodeShape shape_;
    NodeLedger ledger_;
    std::uint64_t owners_ = 0;
};

/// The same machine with nothing taken.
Machine idle(const Machine& machine) { return Machine(machine.shape()); }

TEST_CASE("POWER8: two GPUs are an NVLink pair, and a single one leaves a pair whole",
          "[machines]") {
    const NodeShape& shape = recorded_shape("xml__power8gpudistances");
    const Machine machine(shape);
    CHECK(machine.offer(asked(4, {devices("gpu", 2)})) == "cores 0-1, gpu 0,1");
    CHECK(machine.offer(asked(8, {devices("gpu", 4)})) == "cores 0-1,4-5, gpu 0,1,2,3");
    CHECK(machine.offer(asked(2, {devices("gpu", 3)})) == "cores 0, gpu 0,1,2");

    struct Row {
        const char* why;
        std::uint32_t taken;
        const char* single;
        const char* two;
    };
    const Row rows[] = {
        {"the partner, on the left", 0, "cores 0, gpu 1", "cores 4, gpu 2,3"},
        {"the partner, though it is not the lowest left", 3, "cores 4, gpu 2", "cores 0, gpu 0,1"},
        {"the partner, lower", 1, "cores 0, gpu 0", "cores 4, gpu 2,3"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Machine used = idle(machine);
        used.take_device("gpu", row.taken);
        CHECK(used.offer(asked(2, {devices("gpu", 1)})) == row.single);
        CHECK(used.offer(asked(2, {devices("gpu", 2)})) == row.two);
    }

    Machine singles = idle(machine);
    for (const char* expected :
         {"cores 0, gpu 0", "cores 1, gpu 1", "cores 4, gpu 2", "cores 5, gpu 3"}) {
        CHECK(singles.take(asked(2, {devices("gpu", 1)})) == expected);
    }
}

TEST_CASE("POWER8: nearness to cores outranks links, and can be required", "[machines]") {
    const NodeShape& shape = recorded_shape("xml__power8gpudistances");
    Machine machine(shape);
    CHECK(machine.take(asked(8, {devices("gpu", 1)})) == "cores 0-3, gpu 0");
    CHECK(machine.offer(asked(2, {devices("gpu", 1)})) == "cores 4, gpu 2");
    DeviceRequest anywhere = devices("gpu", 1);
    anywhere.locality = Strictness::ignore;
    CHECK(machine.offer(asked(2, {anywhere})) == "cores 4, gpu 1");
    DeviceRequest near = devices("gpu", 3);
    CHECK(machine.offer(asked(2, {near})) == "cores 4, gpu 1,2,3");
    near.locality = Strictness::require;
    CHECK(machine.offer(asked(2, {near})) == "no: locality");
}

TEST_CASE("DGX-2: eight of sixteen GPUs lie with the cores, all alike through the NVSwitches",
          "[machines]") {
    const NodeShape& shape = recorded_shape("xml__nvidiaDGX2.v2");
    Machine machine(shape);
    CHECK(machine.offer(asked(2, {devices("gpu", 8)})) == "cores 0-1, gpu 0,1,2,3,4,5,6,7");
    CHECK(machine.offer(asked(4, {devices("gpu", 16)})) ==
          "cores 0-3, gpu 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15");
    machine.take_device("gpu", 3);
    CHECK(machine.offer(asked(1, {devices("gpu", 7)})) == "cores 0, gpu 0,1,2,4,5,6,7");
    CHECK(machine.offer(asked(1, {devices("gpu", 8)})) == "cores 2, gpu 8,9,10,11,12,13,14,15");
    CHECK(machine.offer(asked(1, {devices("gpu", 16)})) == "no: devices");
}

TEST_CASE("DGX-2: the switches above its GPUs, four boards of two pairs", "[machines]") {
    const NodeShape& shape = recorded_shape("xml__nvidiaDGX2.v2");
    for (std::uint32_t i = 0; i < 16; ++i) {
        INFO("gpu " << i);
        const std::uint32_t board = i / 4 * 3;
        CHECK(shape.devices[i].switches == std::vector{board, board + 1 + i % 4 / 2});
    }
}

TEST_CASE("DGX-2: a GPU and a NIC below one switch", "[machines]") {
    const NodeShape shape = dgx2_with_nics();
    Machine machine(shape);
    const auto below_one = [](DeviceRequest request) {
        request.device_locality = Strictness::require;
        return request;
    };
    const auto nic = shape.find_device("nic", 1);
    REQUIRE(nic);
    CHECK(shape.devices[nic->value()].switches == std::vector<std::uint32_t>{9, 10});

    CHECK(machine.offer(asked(1, {devices("gpu", 1), devices("nic", 1)})) ==
          "cores 0, gpu 0, nic 0");
    const Request pair = asked(1, {devices("gpu", 1), below_one(devices("nic", 1))});
    CHECK(machine.offer(pair) == "cores 0, gpu 4, nic 0");
    CHECK(machine.offer(asked(1, {devices("gpu", 2), below_one(devices("nic", 2))})) ==
          "cores 0, gpu 4,12, nic 0,1");
    const auto all_with_nic = [&](std::int64_t count) {
        return asked(1, {devices("nic", 1), below_one(devices("gpu", count))});
    };
    CHECK(machine.offer(all_with_nic(4)) == "cores 0, gpu 4,5,6,7, nic 0");
    CHECK(machine.offer(all_with_nic(5)) == "no: locality");

    machine.take_device("nic", 0);
    CHECK(machine.offer(pair) == "cores 2, gpu 12, nic 1");
    CHECK(machine.offer(all_with_nic(4)) == "cores 2, gpu 12,13,14,15, nic 1");
    for (const std::uint32_t i : {12u, 13u, 14u, 15u}) machine.take_device("gpu", i);
    CHECK(machine.offer(pair) == "no: locality");
}

TEST_CASE("Hybrid CPU: kinds of cores, and clusters that share an L2 cache", "[machines]") {
    const NodeShape& shape = recorded_shape("20em64t-hybrid-1p6c2t+2ca4co1t");
    for (std::uint32_t i = 0; i < 14; ++i) CHECK(shape.hardware.cores[i].kind == (i < 6 ? 1 : 0));
    Machine machine(shape);
    Request four = asked(4);
    four.core_level = HardwareLevel::l2;
    CHECK(machine.take(four) == "cores 0-1");  // of two threads each
    CHECK(machine.take(four) == "cores 2-3");
    CHECK(machine.take(four) == "cores 4-5");
    CHECK(machine.take(four) == "cores 6-9");  // a cluster of efficiency cores
    CHECK(machine.offer(asked(2)) == "cores 10-11");

    Request two_threads = asked(4);
    two_threads.threads_per_core = Count(2);
    CHECK(idle(machine).offer(two_threads) == "cores 0-1");  // a cluster's cores have one

    const auto threads = with_granularity(shape, HardwareLevel::thread);
    std::string kinds;
    for (const Core& unit : threads.hardware.cores) kinds += std::to_string(unit.kind);
    CHECK(kinds == "11111111111100000000");
}

TEST_CASE("DGX Spark: five kinds of cores in two clusters", "[machines]") {
    const NodeShape& shape = recorded_shape("nvidia-dgx-gb10");
    std::string kinds;
    for (const Core& core : shape.hardware.cores) kinds += std::to_string(core.kind);
    CHECK(kinds == "00000222221111133334");
    Machine machine(shape);
    Request cluster = asked(10);
    cluster.core_level = HardwareLevel::l3;
    cluster.core_locality = Strictness::require;
    CHECK(machine.take(asked(1)) == "cores 0");
    CHECK(machine.take(cluster) == "cores 10-19");
    CHECK(machine.offer(cluster) == "no: cores");
    cluster.cpus_per_task = Range<Count>::at_least(Count(11));
    CHECK(idle(machine).offer(cluster) == "no: locality");
}

TEST_CASE("AC922: GPU memory is never given as memory, not with 34 NUMA nodes either",
          "[machines]") {
    ::setenv("HWLOC_KEEP_NVIDIA_GPU_NUMA_NODES", "1", 1);
    const Node node = read_anew("nvidiagpunumanodes");
    ::unsetenv("HWLOC_KEEP_NVIDIA_GPU_NUMA_NODES");
    NodeShape shape = *node.shape;
    shape.distances.clear();
    for (std::uint32_t i = 0; shape.memory.size() < 34; ++i) {  // as a node of GB200
        shape.memory.push_back({OsIndex(300 + i), MemoryDomain::Kind::device, gib(16), {}});
    }
    REQUIRE(check(shape).ok());
    const Machine machine(shape);
    Request request = asked(16);
    request.memory = Range<Bytes>::at_least(gib(100));
    CHECK(machine.offer(request) == "cores 0-3, memory 0:100GiB");
    request.memory = Range<Bytes>::at_least(gib(200));
    CHECK(machine.offer(request) == "cores 0-2,4, memory 0:126796MiB,4:78004MiB");  // all near
    request.core_level = HardwareLevel::package;
    request.core_locality = Strictness::require;
    CHECK(machine.offer(request) == "cores 4-7, memory 0:75763200KiB,4:133952000KiB");
    request.memory_locality = Strictness::require;
    CHECK(machine.offer(request) == "no: locality");
    request.memory = Range<Bytes>::at_least(gib(300));
    CHECK(machine.offer(request) == "no: memory");
    for (MemoryDomain& domain : shape.memory) domain.kind = MemoryDomain::Kind::dram;
    request.memory_locality = Strictness::prefer;
    CHECK(Machine(shape).offer(request) ==
          "cores 4-7, memory 0:126796MiB,1:3595776KiB,4:133952000KiB,5:15GiB,6:15GiB,7:15GiB");
}

TEST_CASE("cgroup2 machine: six cores are all, memory without cores is spill", "[machines]") {
    const NodeShape& shape = recorded_shape("32amd64-4s2n4c-cgroup2");
    const Machine machine(shape);
    CHECK(to_text(shape.hardware.all_threads()) == "0-5");
    CHECK(machine.offer(asked(6)) == "cores 0-5");
    CHECK(machine.offer(asked(7)) == "no: cores");
    Request request = asked(2);
    request.memory = Range<Bytes>::at_least(gib(16));
    CHECK(machine.offer(request) == "cores 4-5, memory 1:16GiB");  // the first has less
    request.memory = Range<Bytes>::at_least(gib(20));
    CHECK(machine.offer(request) == "cores 0,4, memory 0:16775084KiB,1:4196436KiB");  // all near
    request.core_locality = Strictness::require;
    CHECK(machine.offer(request) == "cores 4-5, memory 0:4GiB,1:16GiB");
    request.memory_locality = Strictness::require;
    CHECK(machine.offer(request) == "no: locality");
    request.core_locality = Strictness::prefer;
    request.memory_locality = Strictness::prefer;
    request.memory = Range<Bytes>::at_least(gib(64));
    CHECK(machine.offer(request) ==
          "cores 0,4, memory 0:16775084KiB,1:16GiB,2:16GiB,3:16GiB,4:2132KiB");
}

TEST_CASE("cpuset machine: only allowed cores and memory; cores near memory are preferred",
          "[machines]") {
    const NodeShape& shape = recorded_shape("16amd64-8n2c-cpusets");
    const Machine machine(shape);
    CHECK(to_text(shape.hardware.all_threads()) == "0-3,5-6,12-15");
    CHECK(machine.offer(asked(10)) == "cores 0-9");
    CHECK(machine.offer(asked(11)) == "no: cores");
    Request request = asked(2);
    CHECK(machine.offer(request) == "cores 0-1");
    request.memory = Range<Bytes>::at_least(gib(1));
    CHECK(machine.offer(request) == "cores 2-3, memory 0:1GiB");
    request = asked(4);
    request.memory = Range<Bytes>::at_least(gib(16));
    request.memory_locality = Strictness::require;
    CHECK(machine.offer(request) == "cores 0-2,4, memory 0:8GiB,1:8GiB");
    request.memory = Range<Bytes>::at_least(gib(25));
    CHECK(machine.offer(request) == "no: locality");  // the fourth domain has no cores
    request.memory_locality = Strictness::prefer;
    CHECK(machine.offer(request) == "cores 2-5, memory 0:8GiB,1:8GiB,2:8GiB,3:1GiB");
}

TEST_CASE("KNL: memory from the DRAM of the cluster first, then from its fast memory",
          "[machines]") {
    const NodeShape& shape = recorded_shape("xml__64intel64-fakeKNL-SNC4-hybrid");
    Machine machine(shape);
    Request request = asked(16);
    request.memory = Range<Bytes>::at_least(gib(2));
    request.memory_locality = Strictness::require;
    CHECK(machine.take(request) == "cores 0-3, memory 0:1GiB,1:1GiB");
    CHECK(machine.take(request) == "cores 4-7, memory 2:1GiB,3:1GiB");
    request.cpus_per_task = Range<Count>::at_least(Count(8));
    request.core_level = HardwareLevel::l2;
    request.core_locality = Strictness::require;
    CHECK(machine.take(request) == "cores 8-9, memory 4:1GiB,5:1GiB");
    CHECK(machine.take(request) == "cores 12-13, memory 6:1GiB,7:1GiB");
}

}  // namespace
}  // namespace trestle
