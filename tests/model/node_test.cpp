// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/node.hpp"

#include <functional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/node_text.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

NodeShape regular_shape() {
    return *testing::node_from_text("2s2c2t mem=8G l3=1 gpu:2@nvlink nic:1").value().shape;
}

TEST_CASE("NodeShape: sums over its parts", "[model]") {
    const NodeShape shape = regular_shape();
    CHECK(shape.total_memory() == gib(8));
    CHECK(shape.ordinary_memory() == gib(8));
    CHECK(shape.cpu_count() == Count(8));
    CHECK(NodeShape{}.total_memory() == Bytes());
    CHECK(NodeShape{}.cpu_count() == Count(0));
}

TEST_CASE("NodeShape: what the system keeps is not given", "[model]") {
    NodeShape shape = regular_shape();
    shape.system_cores = CoreSet::of({CoreId(0), CoreId(3)});
    shape.memory[0].reserved = gib(1);
    CHECK(check(shape).ok());
    CHECK(to_text(shape.allocatable_cores()) == "1-2");
    CHECK(shape.ordinary_memory() == gib(7));
    CHECK(shape.total_memory() == gib(8));
    CHECK(shape.cpu_count() == Count(8));
    shape.memory[0].reserved = shape.memory[0].capacity;  // all of it
    CHECK(check(shape).ok());
    CHECK(shape.memory[0].allocatable() == Bytes());
}

TEST_CASE("NodeShape: devices are found by name and index within the name", "[model]") {
    const NodeShape shape = regular_shape();
    CHECK(shape.find_device("gpu", 1) == DeviceId(1));
    CHECK(shape.find_device("nic", 0) == DeviceId(2));
    CHECK(shape.find_device("gpu", 2) == std::nullopt);
    CHECK(shape.find_device("", 0) == std::nullopt);
}

TEST_CASE("NodeShape: distances are 10 and 20 where the firmware told nothing", "[model]") {
    NodeShape shape = regular_shape();
    CHECK(shape.distance(DomainId(0), DomainId(0)) == 10);
    CHECK(shape.distance(DomainId(0), DomainId(1)) == 20);
    shape.distances = {10, 21, 31, 11};
    CHECK(shape.distance(DomainId(0), DomainId(1)) == 21);
    CHECK(shape.distance(DomainId(1), DomainId(0)) == 31);
    CHECK(shape.distance(DomainId(1), DomainId(1)) == 11);
}

TEST_CASE("check: a consistent shape is accepted", "[model]") {
    CHECK(check(NodeShape{}).ok());
    CHECK(check(regular_shape()).ok());
    NodeShape shape = regular_shape();
    shape.memory.push_back({OsIndex(7), MemoryDomain::Kind::high_bandwidth, gib(1), CoreSet()});
    CHECK(check(shape).ok());  // a memory-only domain
    shape.memory.push_back({OsIndex(8), MemoryDomain::Kind::device, gib(1), CoreSet()});
    CHECK(shape.total_memory() == gib(10));
    CHECK(shape.ordinary_memory() == gib(9));
    shape.hardware.groups.push_back({HardwareLevel::die, OsIndex(0), CoreSet()});
    CHECK(check(shape).ok());  // a group whose cores are all offline
}

TEST_CASE("check: the first breach in a shape is named", "[model]") {
    struct Row {
        std::function<void(NodeShape&)> change;
        std::string error;
        const char* why;
    };
    const CoreSet too_far = CoreSet::of({CoreId(0), CoreId(4)});
    const std::vector<Row> rows = {
        {[](NodeShape& s) { s.hardware.cores[1].threads.clear(); },
         "core 1: it has no hardware thread", "a core that runs nothing"},
        {[](NodeShape& s) { s.hardware.cores[2].threads[0] = OsIndex(1u << 20); },
         "core 2: hardware thread 1048576, expected below 1048576", "more than a set holds"},
        {[](NodeShape& s) { s.memory[1].os_index = OsIndex(4'000'000'000); },
         "memory domain 4000000000: expected a number below 1048576", "more than a set holds"},
        {[](NodeShape& s) { s.devices[1].index = 1u << 20; },
         "device 1 (gpu): index 1048576, expected below 1048576", "more than a set holds"},
        {[](NodeShape& s) { s.memory[0].capacity = Bytes::max(); },
         "memory: the domains hold more than 2^63 bytes", "sums have to fit"},
        {[](NodeShape& s) { s.devices[0].memory = s.devices[1].memory = Bytes::max(); },
         "devices: with the node's they hold more than 2^63 bytes", "sums have to fit"},
        {[](NodeShape& s) { s.hardware.cores[3].threads[1] = OsIndex(0); },
         "core 3: hardware thread 0 belongs to two cores", "threads are not shared"},
        {[&](NodeShape& s) { s.hardware.groups[1].cores = too_far; },
         "package 1: core 4 does not exist", "a group beyond the machine"},
        {[&](NodeShape& s) { s.memory[1].cores = too_far; },
         "memory domain 1: core 4 does not exist", "memory near to nothing"},
        {[](NodeShape& s) {
             s.distances = {10, 20, 20};
         },
         "distances: 3 values, expected 4 for 2 memory domains", "not a square"},
        {[](NodeShape& s) { s.devices[2].name.clear(); }, "device 2: it has no name",
         "no job could ask for it"},
        {[&](NodeShape& s) { s.devices[0].cores = too_far; },
         "device 0 (gpu): core 4 does not exist, the node has 4 cores",
         "cores from another machine"},
        {[](NodeShape& s) { s.devices[1].shares = Count(0); },
         "device 1 (gpu): shares=0, expected 1 or more", "a device of nothing"},
        {[](NodeShape& s) { s.devices[1].index = 0; }, "device 1: gpu index 0 exists twice",
         "two devices with one name and index"},
        {[&](NodeShape& s) { s.system_cores = too_far; }, "system_cores: core 4 does not exist",
         "the system runs nowhere"},
        {[](NodeShape& s) { s.memory[1].reserved = s.memory[1].capacity + Bytes(1); },
         "memory domain 1: 4294967297 bytes reserved of 4294967296", "more than there is"},
        {[&](NodeShape& s) { s.devices[1].reserved_cores = too_far; },
         "device 1 (gpu): reserved core 4 does not exist", "cores from another machine"},
        {[](NodeShape& s) {
             s.devices[1].slicing = Slicing{{"g", 1, 65, {}}, {}, false};
         },
         "slices of g: 65 memory slices, expected at most 64", "the slicing is checked too"},
        {[](NodeShape& s) {
             s.devices[1].slicing = Slicing{{"g", 1, 1, {}}, {}, false};
             s.devices[1].is_consumed = false;
         },
         "device 1 (gpu): it is cut into slices and not consumed",
         "an instance could not be told from the rest"},
        {[](NodeShape& s) { s.links[0].b = DeviceId(3); },
         "link 0-3: expected two devices below 3, lower one first", "a link to no device"},
        {[](NodeShape& s) {
             s.links[0] = {DeviceId(1), DeviceId(0), 1};
         },
         "link 1-0: expected two devices below 3, lower one first", "the wrong way round"},
        {[](NodeShape& s) {
             s.links[0] = {DeviceId(1), DeviceId(1), 1};
         },
         "link 1-1: expected two devices below 3, lower one first", "to itself"},
        {[](NodeShape& s) { s.links.push_back(s.links[0]); },
         "links: expected them sorted and each pair once", "one pair twice"},
        {[](NodeShape& s) {
             s.links = {{DeviceId(1), DeviceId(2), 1}, {DeviceId(0), DeviceId(1), 1}};
         },
         "links: expected them sorted and each pair once", "not sorted"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        NodeShape shape = regular_shape();
        row.change(shape);
        const Status status = check(shape);
        CHECK(status.code() == StatusCode::kInvalidArgument);
        CHECK(message(status) == row.error);
    }
}

TEST_CASE("is_usable: a node takes work when it is up and not broken", "[model]") {
    Node node;
    CHECK(is_usable(node));
    node.health = Health::warning;
    CHECK(is_usable(node));
    node.health = Health::failure;
    CHECK_FALSE(is_usable(node));
    node.health = Health::healthy;
    for (const NodeState state : {NodeState::drained, NodeState::down}) {
        node.state = state;
        CHECK_FALSE(is_usable(node));
    }
}

TEST_CASE("Node: copies share their shape, equal shapes need not be one object", "[model]") {
    const Node node{"n0", regular_shape(), {}, 1, NodeState::up, Health::healthy};
    const Node copy = node;
    const Node other{"n0", regular_shape(), {}, 1, NodeState::up, Health::healthy};
    CHECK(copy.shape.is_same_object(node.shape));
    CHECK_FALSE(other.shape.is_same_object(node.shape));
    CHECK(other == node);
}

TEST_CASE("Node: prints in one line", "[model][golden]") {
    const Node node =
        testing::node_from_text("1c mem=1G gpu:1 name=n0 features=ib weight=2").value();
    CHECK(to_text(node) ==
          "{name=n0, shape={hardware={cores=[{threads=[0]}], groups=[{cores=0}]}, "
          "memory=[{capacity=1GiB, cores=0}], devices=[{name=gpu}]}, features=[ib], weight=2}");
}

}  // namespace
}  // namespace trestle
