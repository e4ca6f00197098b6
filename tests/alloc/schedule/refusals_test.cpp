// SPDX-License-Identifier: Apache-2.0
// One table of all kinds of no: place(), explain() and earliest_start() name what binds, what was
// asked and the most that there is.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using RequestChange = void (*)(Request&);

Range<Count> exactly(std::int64_t n) { return Range<Count>::exactly(Count(n)); }

DeviceRequest gpus(std::int64_t count, Per per = Per::node) {
    DeviceRequest request;
    request.count = exactly(count);
    request.per = per;
    return request;
}

Request made(RequestChange change) {
    Request request;
    change(request);
    return request;
}

/// 6 of 8 cores, 3 of 4 GPUs and 20 of 32 GiB of each of 4 nodes.
void most_of_four_nodes(Request& r) {
    r.nodes = exactly(4);
    r.tasks_per_node = exactly(1);
    r.cpus_per_task = exactly(6);
    r.devices = {gpus(3)};
    r.memory = Range<Bytes>::exactly(Bytes(20LL << 30));
}
void three_whole_nodes(Request& r) {
    r.nodes = exactly(3);
    r.exclusivity = Exclusivity::whole_node;
}
void second_node(Request& r) {
    r.exclusivity = Exclusivity::whole_node;
    r.required_nodes = {"n1"};
}

struct NoRow {
    const char* cluster;
    RequestChange change;
    const char* expected;
    const char* why;
    /// What a job has until moment 10; none: the cluster is idle, and stays so.
    RequestChange taken = nullptr;
    const char* waits_for = nullptr;  ///< in time; none: as expected
};

constexpr const char* four_nodes = "4 x (2s4c gpu:4 mem=32G)";

/// The answers of all three calls to the request of a row.
void check_row(const NoRow& row) {
    INFO(row.cluster << ": " << row.why);
    Timeline timeline(*testing::cluster_from_text(row.cluster));
    if (row.taken != nullptr) {
        const Request other = made(row.taken);
        const auto placement = place(timeline.cluster(), other);
        REQUIRE(placement);
        REQUIRE(timeline.reserve({OwnerId(1), other, *placement}, {Instant(0), Instant(10)}).ok());
    }
    const Request request = made(row.change);
    REQUIRE(check(request).ok());
    const auto now = place(timeline.cluster(), request);
    REQUIRE(!now);
    CHECK(to_text(now.refusal()) == row.expected);
    const Explanation explained = explain(timeline.cluster(), request);
    CHECK(!explained.fits);
    CHECK(explained.why == now.refusal());
    const std::string in_time = to_text(explain(timeline, request).why);
    CHECK(in_time == (row.waits_for != nullptr ? row.waits_for : row.expected));
    const auto start = earliest_start(timeline, request);
    if (row.taken != nullptr) {
        REQUIRE(start);
        CHECK(start->period.first == Instant(10));
    } else {
        REQUIRE(!start);
        CHECK(start.refusal() == now.refusal());
    }
}

TEST_CASE("refusals: on an idle cluster, of cores and memory", "[alloc][time]") {
    const NoRow rows[] = {
        {four_nodes, [](Request& r) { r.nodes = exactly(5); }, "nodes: asked 5 nodes, there are 4",
         "more nodes than there are"},
        {four_nodes, [](Request& r) { r.cpus_per_task = exactly(9); },
         "cores: asked 9 cores, 8 of 8 are free", "the CPUs of a task"},
        {four_nodes, [](Request& r) { r.tasks = Count(9); },
         "cores: asked 9 cores (9 tasks), 8 of 8 are free", "tasks"},
        {four_nodes,
         [](Request& r) {
             r.tasks = Count(3);
             r.cpus_per_task = exactly(3);
         },
         "cores: asked 9 cores (3 tasks of 3 CPUs), 8 of 8 are free", "tasks of several CPUs"},
        {four_nodes,
         [](Request& r) {
             r.tasks = Count(9);
             r.tasks_per_core = Count(1);
         },
         "cores: asked 9 cores (9 tasks, 1 a core), 8 of 8 are free", "tasks that share no core"},
        {four_nodes,
         [](Request& r) {
             r.nodes = {Count(2), Count(4)};
             r.tasks = Count(40);
         },
         "cores: 40 tasks: 8 fit on n0, 8 on n1, 8 on n2, 8 on n3", "tasks of several nodes"},
        {four_nodes,
         [](Request& r) {
             r.tasks = Count(8);
             r.tasks_per_socket = Count(2);
         },
         "cores: asked 8 tasks of 1 CPU, at most 2 a socket, which leaves room for 4: they do not "
         "fit the packages as they are dealt, which have 4, 4 free cores",
         "tasks of sockets"},
        {four_nodes, [](Request& r) { r.sockets_per_node = Count(3); },
         "cores: asked 3 sockets with 1 free cores, 2 of 2 have them; the most free on one is 4",
         "sockets"},
        {four_nodes, [](Request& r) { r.cores_per_socket = Count(5); },
         "cores: asked sockets with 5 free cores, the most free on one of 2 is 4",
         "cores of a socket"},
        {four_nodes, [](Request& r) { r.threads_per_core = Count(2); },
         "cores: asked 2 threads of each core, they have 1", "threads"},
        {four_nodes, [](Request& r) { r.core_kind = Core::Kind::efficiency; },
         "cores: asked 1 core of kind efficiency, the node has none", "a kind of core"},
        {four_nodes,
         [](Request& r) {
             r.tasks = Count(2);
             r.cpus_per_task = exactly(0);
             r.milli_cpus = MilliCpu(4500);
         },
         "cores: asked 9000 thousandths of CPUs (2 tasks of 4500), 8000 are free", "thousandths"},
        {four_nodes,
         [](Request& r) {
             r.system_cores = Count(8);
             r.exclusivity = Exclusivity::whole_node;
         },
         "cores: asked 1 core, 0 of 8 are free beside 8 for the system", "cores for the system"},
        {four_nodes,
         [](Request& r) {
             r.cpus_per_task = exactly(6);
             r.core_locality = Strictness::require;
             r.core_level = HardwareLevel::package;
         },
         "locality: asked 6 cores of one package, at most 4 are free", "cores of one package"},
        {four_nodes,
         [](Request& r) {
             r.cpus_per_task = exactly(6);
             r.task_level = HardwareLevel::package;
         },
         "locality: asked 1 task of 6 CPUs, each in one package, there is room for 0; the most "
         "that "
         "a package has free is 4 CPUs",
         "a task in one package"},
        {four_nodes, [](Request& r) { r.memory = Range<Bytes>::at_least(Bytes(33LL << 30)); },
         "memory: asked 33GiB of memory, 32GiB of 32GiB are free", "memory"},
        {four_nodes,
         [](Request& r) {
             r.tasks = Count(8);
             r.memory = Range<Bytes>::at_least(Bytes(8LL << 30));
             r.memory_per = Per::cpu;
         },
         "memory: asked 64GiB of memory (8GiB a CPU), 32GiB of 32GiB are free", "memory of CPUs"},
        {four_nodes,
         [](Request& r) {
             r.devices = {gpus(2)};
             r.memory = Range<Bytes>::at_least(Bytes(20LL << 30));
             r.memory_per = Per::device;
         },
         "memory: asked 40GiB of memory (20GiB a device), 32GiB of 32GiB are free",
         "memory of devices"},
        {four_nodes,
         [](Request& r) {
             r.memory = Range<Bytes>::at_least(Bytes(20LL << 30));
             r.memory_locality = Strictness::require;
             r.core_locality = Strictness::require;
             r.core_level = HardwareLevel::package;
         },
         "locality: asked 20GiB of memory near 1 core, at most 16GiB is free there", "near memory"},
        {four_nodes, [](Request& r) { r.disk = Range<Bytes>::at_least(Bytes(1LL << 30)); },
         "disk: n0 has 0 of disk, asked 1GiB", "disk"},
    };
    for (const NoRow& row : rows) check_row(row);
}

TEST_CASE("refusals: on an idle cluster, of devices", "[alloc][time]") {
    const NoRow rows[] = {
        {four_nodes, [](Request& r) { r.devices = {gpus(5)}; },
         "devices: asked 5 gpu, 4 of 4 are free on the node", "devices of a node"},
        {four_nodes,
         [](Request& r) {
             r.tasks = Count(3);
             r.devices = {gpus(2, Per::task)};
         },
         "devices: asked 6 gpu (2 a task), 4 of 4 are free on the node", "of tasks"},
        {four_nodes, [](Request& r) { r.devices = {gpus(3, Per::socket)}; },
         "devices: asked 3 gpu on each of 2 sockets, 4 of 4 are free on the node", "of sockets"},
        {four_nodes,
         [](Request& r) {
             r.nodes = {Count(1), Count(4)};
             r.devices = {gpus(17, Per::job)};
         },
         "devices: 17 gpu: 4 fit on n0, 4 on n1, 4 on n2, 4 on n3", "of the job"},
        {four_nodes,
         [](Request& r) {
             r.devices = {gpus(3), gpus(2)};
         },
         "devices: asked 3 gpu and 2 gpu at once, 4 devices in all are free for these",
         "two demands"},
        {four_nodes,
         [](Request& r) {
             r.devices = {gpus(4)};
             r.cpus_per_device = Count(3);
         },
         "cores: asked 12 cores (3 CPUs a device), 8 of 8 are free", "CPUs of devices"},
        {four_nodes,
         [](Request& r) {
             r.devices = {gpus(1)};
             r.devices[0].name = "nic";
         },
         "devices: asked 1 nic, the node has none", "a name"},
        {four_nodes,
         [](Request& r) {
             r.devices = {gpus(1)};
             r.devices[0].types = {"h100"};
         },
         "device_attributes: asked 1 gpu:h100, none of the 4 on the node matches: there is no type",
         "a type"},
        {four_nodes,
         [](Request& r) {
             r.devices = {gpus(1)};
             r.devices[0].memory = Range<Bytes>::at_least(Bytes(80LL << 30));
         },
         "device_attributes: asked 1 gpu with 80GiB.. of memory, none of the 4 on the node "
         "matches: "
         "there is 0 of memory",
         "memory of each"},
        {four_nodes,
         [](Request& r) {
             r.devices = {gpus(1)};
             r.devices[0].shares = Count(10);
         },
         "devices: asked 10 shares of each of 1 gpu, 0 of 4 that match have them, at most 1 are "
         "free on one",
         "shares"},
        {four_nodes,
         [](Request& r) {
             r.devices = {gpus(1)};
             r.devices[0].slice = "1g.5gb";
         },
         "devices: asked 1 gpu 1g.5gb, 0 free on the 4 that match", "instances"},
        {four_nodes,
         [](Request& r) {
             r.cpus_per_task = exactly(5);
             r.devices = {gpus(1)};
             r.devices[0].locality = Strictness::require;
         },
         "locality: asked 5 cores near 1 gpu, at most 4 free ones are", "nearness"},
        {four_nodes,
         [](Request& r) {
             r.devices = {gpus(3)};
             r.common_attributes = {{"package", {}}};
         },
         "device_attributes: asked 3 gpu of one package, at most 2 gpu free of one (package 0)",
         "a value in common"},
    };
    for (const NoRow& row : rows) check_row(row);
}

TEST_CASE("refusals: on an idle cluster, of nodes and the job", "[alloc][time]") {
    const NoRow rows[] = {
        {four_nodes, [](Request& r) { r.features = {"fast"}; }, "features: n0 lacks fast",
         "a feature"},
        {four_nodes, [](Request& r) { r.partition = "p"; }, "partition: there is no partition p",
         "a partition"},
        {four_nodes,
         [](Request& r) {
             r.nodes = exactly(3);
             r.excluded_nodes = {"n0", "n1"};
         },
         "nodes: asked 3 nodes, 2 of 4 can take a part; n0 is excluded", "excluded nodes"},
        {four_nodes, [](Request& r) { r.required_nodes = {"n9"}; },
         "nodes: n9 is required, there is no such node", "a required node"},
        {four_nodes,
         [](Request& r) {
             r.nodes = exactly(2);
             r.required_nodes = {"n0", "n1", "n2"};
         },
         "nodes: 3 nodes are required by name, asked 2", "too many required nodes"},
        {four_nodes,
         [](Request& r) {
             r.cluster_counts = {{"matlab", Count(1)}};
         },
         "cluster_counts: asked 1 matlab, 0 are free", "a count of the cluster"},
        {four_nodes,
         [](Request& r) {
             r.nodes = exactly(2);
             r.topology.switches_max = Count(1);
         },
         "topology: asked a topology of kind tree, there is none", "no topology"},
        {"4 x (4c) 2 per switch",
         [](Request& r) {
             r.nodes = exactly(3);
             r.topology.switches_max = Count(1);
         },
         "topology: asked 3 nodes at 1 leaf switch, at most 2 nodes can be had", "one switch"},
        {four_nodes,
         [](Request& r) { r.components = {made([](Request& part) { part.devices = {gpus(5)}; })}; },
         "devices: group 2 of 2: asked 5 gpu, 4 of 4 are free on the node", "a second group"},
        {four_nodes,
         [](Request& r) {
             r.components = {made([](Request& part) { part.required_nodes = {"n9"}; })};
         },
         "nodes: group 2 of 2: n9 is required, there is no such node", "its required node"},
        {four_nodes,
         [](Request& r) { r.components = {made([](Request& part) { part.nodes = exactly(4); })}; },
         "nodes: asked 5 nodes, there are 4", "all groups"},
        {four_nodes,
         [](Request& r) {
             r.cpus_per_task = exactly(5);
             r.component_nodes = Request::ComponentNodes::shared;
             r.components = {made([](Request& part) {
                 part.nodes = exactly(4);
                 part.cpus_per_task = exactly(4);
             })};
         },
         "nodes: asked 5 CPUs on 1 node and 16 CPUs on 4 nodes: each group of the job fits on the "
         "nodes by itself, but not beside the others",
         "groups that share nodes"},
    };
    for (const NoRow& row : rows) check_row(row);
}

TEST_CASE("refusals: for now, until others end", "[alloc][time]") {
    const NoRow rows[] = {
        {four_nodes, [](Request& r) { r.cpus_per_task = exactly(3); },
         "cores: asked 3 cores, 2 of 8 are free", "cores", most_of_four_nodes},
        {four_nodes,
         [](Request& r) {
             r.nodes = {Count(1), Count(4)};
             r.tasks = Count(9);
         },
         "cores: 9 tasks: 2 fit on n0, 2 on n1, 2 on n2, 2 on n3", "tasks", most_of_four_nodes},
        {four_nodes, [](Request& r) { r.devices = {gpus(2)}; },
         "devices: asked 2 gpu, 1 of 4 are free on the node", "devices", most_of_four_nodes},
        {four_nodes,
         [](Request& r) {
             r.nodes = {Count(1), Count(4)};
             r.devices = {gpus(5, Per::job)};
         },
         "devices: 5 gpu: 1 fit on n0, 1 on n1, 1 on n2, 1 on n3", "devices of the job",
         most_of_four_nodes},
        {four_nodes, [](Request& r) { r.memory = Range<Bytes>::at_least(Bytes(20LL << 30)); },
         "memory: asked 20GiB of memory, 12GiB of 32GiB are free", "memory", most_of_four_nodes},
        {four_nodes, [](Request& r) { r.exclusivity = Exclusivity::whole_node; },
         "cores: the whole node is asked, others use it", "a whole node", most_of_four_nodes,
         "nodes: asked 1 node for itself, at most 0 of 4 are free all through the time from 0 on"},
        {four_nodes, [](Request& r) { r.nodes = exactly(2); },
         "nodes: asked 2 nodes, 1 of 4 can take a part; asked 1 core, 0 of 8 are free", "nodes",
         three_whole_nodes},
        {four_nodes,
         [](Request& r) {
             r.nodes = {Count(2), Count(4)};
             r.node_counts = {Count(2), Count(4)};
         },
         "nodes: asked 2 nodes, 1 of 4 can take a part; asked 1 core, 0 of 8 are free",
         "a list of counts", three_whole_nodes},
        {four_nodes,
         [](Request& r) {
             r.nodes = exactly(3);
             r.topology.is_contiguous = true;
         },
         "topology: asked 3 nodes in a row, at most 2 follow each other", "neighbours",
         second_node},
        {four_nodes, [](Request& r) { r.required_nodes = {"n1"}; },
         "cores: n1 is required: asked 1 core, 0 of 8 are free", "a required node", second_node},
        {four_nodes,
         [](Request& r) { r.components = {made([](Request& part) { part.nodes = exactly(2); })}; },
         "nodes: asked 3 nodes, 1 of 4 can take a part; asked 1 core, 0 of 8 are free", "groups",
         three_whole_nodes},
    };
    for (const NoRow& row : rows) check_row(row);
}

}  // namespace
}  // namespace trestle
