// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/placement.hpp"

#include <cstdint>
#include <string>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/node_text.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

NodeShape shape() {
    return *testing::node_from_text("2s2c2t mem=8G gpu:a100:2/4 gpu:1 nic:cx7:1").value().shape;
}

TEST_CASE("NodePlacement: sums and sets over its parts", "[model]") {
    NodePlacement placement;
    CHECK(placement.total_memory() == Bytes());
    CHECK(placement.device_set().is_empty());
    placement.cores = CoreSet::of({CoreId(1), CoreId(2)});
    placement.memory = {{DomainId(0), gib(1)}, {DomainId(1), gib(2)}};
    placement.devices = {{DeviceId(0), Count(1)}, {DeviceId(3), Count(1)}};
    CHECK(placement.total_memory() == gib(3));
    CHECK(placement.device_set() == DeviceSet::of({DeviceId(0), DeviceId(3)}));
    CHECK(to_text(threads_of(shape(), placement)) == "1-2,5-6");
}

/// A part of node 3 that takes nothing but its tasks.
NodePlacement part_of_tasks(std::int64_t tasks) {
    NodePlacement part;
    part.node = NodeId(3);
    part.tasks = Count(tasks);
    return part;
}

TEST_CASE("check(placement): what is taken has sums of 63 bits", "[model]") {
    constexpr std::int64_t most = Count::max().value();
    NodePlacement full = part_of_tasks(most);
    full.milli_cpus = MilliCpu(most);
    full.memory = {{DomainId(0), Bytes(most - 1)}, {DomainId(1), Bytes(1)}};
    full.devices = {{DeviceId(0), Count(most - 1)}, {DeviceId(1), Count(1)}};
    CHECK(check(full).ok());
    CHECK(check(Placement{{full}}).ok());
    CHECK(check(Placement{}).ok());

    NodePlacement memory = part_of_tasks(1);
    memory.memory = {{DomainId(0), Bytes(most)}, {DomainId(1), Bytes(1)}};
    NodePlacement shares = part_of_tasks(1);
    shares.devices = {{DeviceId(0), Count(most)}, {DeviceId(0), Count(1)}};
    NodePlacement milli = part_of_tasks(0);
    milli.milli_cpus = MilliCpu(1);
    NodePlacement byte = part_of_tasks(0);
    byte.memory = {{DomainId(0), Bytes(1)}};
    NodePlacement share = part_of_tasks(0);
    share.devices = {{DeviceId(0), Count(1)}};
    struct Row {
        const char* why;
        Placement placement;
        const char* message;
    };
    const Row rows[] = {
        {"two domains of one node", {{memory}}, "node 3: the sum of memory"},
        {"two shares of one node", {{shares}}, "node 3: the sum of shares of devices"},
        {"tasks of two nodes", {{full, part_of_tasks(1)}}, "node 3: the sum of tasks"},
        {"thousandths of two nodes", {{full, milli}}, "node 3: the sum of milli_cpus"},
        {"memory of two nodes", {{full, byte}}, "node 3: the sum of memory"},
        {"shares of two nodes", {{full, share}}, "node 3: the sum of shares of devices"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const Status status = check(row.placement);
        CHECK(status.code() == StatusCode::kInvalidArgument);
        CHECK_THAT(std::string(status.message()), Catch::Matchers::ContainsSubstring(row.message));
    }
    CHECK_FALSE(check(shape(), memory).ok());
    milli.milli_cpus = MilliCpu(8'001);  // of eight threads
    CHECK_FALSE(check(shape(), milli).ok());
    milli.milli_cpus = MilliCpu(8'000);
    CHECK(check(shape(), milli).ok());
}

TEST_CASE("threads_of: the first threads of each core, all of them when no number is said",
          "[model]") {
    struct Row {
        std::int64_t threads_per_core;
        const char* threads;
        const char* why;
    };
    const Row rows[] = {
        {0, "1-2,5-6", "all"},
        {1, "1-2", "the first of each"},
        {2, "1-2,5-6", "as many as there are"},
        {3, "1-2,5-6", "more than there are"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        NodePlacement placement;
        placement.cores = CoreSet::of({CoreId(1), CoreId(2)});
        placement.threads_per_core = Count(row.threads_per_core);
        CHECK(to_text(threads_of(shape(), placement)) == row.threads);
        CHECK(tres_of(shape(), placement).of({"cpu", ""}) == Count(4));  // cores are given whole
    }
}

TEST_CASE("tres_of: instances count by profile, what is not consumed does not count", "[model]") {
    NodeShape sliced = shape();
    sliced.devices[3].is_consumed = false;
    for (Device* const device : {&sliced.devices[0], &sliced.devices[1]}) {
        device->slicing = Slicing{};
        device->slicing->geometry.memory_slices = 8;
    }
    NodePlacement placement;
    placement.devices = {{DeviceId(0), Count(1), Slicing::Instance{0, 4, "3g"}},
                         {DeviceId(0), Count(1), Slicing::Instance{4, 1, "1g"}},
                         {DeviceId(1), Count(1), Slicing::Instance{0, 1, "1g"}},
                         {DeviceId(3), Count(1)}};
    CHECK(to_text(tres_of(sliced, placement)) ==
          "cpu=0,gres/gpu_slice=3,gres/gpu_slice:1g=2,gres/gpu_slice:3g=1,mem=0,node=1");
}

TEST_CASE("tres_of: a typed device counts twice, a part of one counts its shares",
          "[model][golden]") {
    NodePlacement placement;
    CHECK(to_text(tres_of(shape(), placement)) == "cpu=0,mem=0,node=1");
    placement.cores = CoreSet::range({0, 3});
    placement.memory = {{DomainId(0), gib(1)}};
    placement.devices = {{DeviceId(0), Count(4)},   // all shares: the whole device
                         {DeviceId(1), Count(3)},   // some of the next
                         {DeviceId(2), Count(1)},   // untyped
                         {DeviceId(3), Count(1)}};  // another name
    const TresCounts counts = tres_of(shape(), placement);
    CHECK(to_text(counts) ==
          "cpu=6,gres/gpu=2,gres/gpu:a100=1,gres/gpu_share=3,gres/nic=1,gres/nic:cx7=1,"
          "mem=1073741824,node=1");
    placement.milli_cpus = MilliCpu(250);
    CHECK(tres_of(shape(), placement).of({"cpu", ""}) == Count(6));
    CHECK(tres_of(shape(), placement).of({"cpu_milli", ""}) == Count(250));
    CHECK(counts.of({"gres", "gpu"}) == Count(2));
    CHECK(counts.of({"gres", "fpga"}) == Count(0));
}

TEST_CASE("Placement: prints in one line", "[model][golden]") {
    NodePlacement node;
    node.node = NodeId(3);
    CHECK(to_text(node) == "node 3: cores=");
    node.cores = CoreSet::range({0, 2});
    node.memory = {{DomainId(0), gib(1)}};
    node.devices = {{DeviceId(1), Count(1)}};
    CHECK(to_text(Placement{{node}}) == "node 3: cores=0-1 memory=0:1GiB devices=1");
    NodePlacement other;
    other.node = NodeId(4);
    other.tasks = Count(2);
    other.cores = CoreSet::range({4, 8});
    other.threads_per_core = Count(1);
    other.row = 0;
    other.milli_cpus = MilliCpu(1'500);
    other.memory = {{DomainId(0), gib(1)}, {DomainId(1), mib(3)}};
    other.devices = {{DeviceId(1), Count(3)},
                     {DeviceId(2), Count(1), Slicing::Instance{4, 1, "1g.10gb"}}};
    CHECK(to_text(Placement{{node, other}}) ==
          "node 3: cores=0-1 memory=0:1GiB devices=1; "
          "node 4: tasks=2 cores=4-7 threads_per_core=1 row=0 milli_cpus=1500 "
          "memory=0:1GiB,1:3MiB "
          "devices=1(3),2[1g.10gb@4]");
    CHECK(to_text(Placement{}).empty());
    node.component = 1;
    CHECK(to_text(Placement{{node}, {{"matlab", Count(2)}, {"power", Count(300)}}}) ==
          "node 3: component=1 cores=0-1 memory=0:1GiB devices=1; cluster: matlab:2,power:300");
    CHECK(to_text(Placement{{}, {{"matlab", Count(2)}}}) == "cluster: matlab:2");
}

}  // namespace
}  // namespace trestle
