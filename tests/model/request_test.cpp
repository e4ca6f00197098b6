// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/request.hpp"

#include <functional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

const Range<Count> falling_counts{Count(2), Count(1)};
const Range<Bytes> falling_bytes{gib(2), gib(1)};

TEST_CASE("Request: a default one asks for one task with one CPU on one node", "[model]") {
    const Request request;
    CHECK(check(request).ok());
    CHECK(request.nodes.is_single());
    CHECK(request.nodes.least() == Count(1));
    CHECK(request.cpus_per_task.least() == Count(1));
    CHECK(request.memory.least() == Bytes());
    CHECK(request.devices.empty());
}

TEST_CASE("check: a request without cores asks for thousandths of CPUs", "[model]") {
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(0));
    CHECK_FALSE(check(request).ok());
    request.milli_cpus = MilliCpu(1);
    CHECK(check(request).ok());
    request.cpus_per_task = Range<Count>::at_least(Count(1));
    CHECK(check(request).ok());  // both
    request.cpus_per_task = falling_counts;
    CHECK_FALSE(check(request).ok());
}

TEST_CASE("check: what cannot be meant is named", "[model]") {
    struct Row {
        std::function<void(Request&)> change;
        std::string error;
        const char* why;
    };
    const std::vector<Row> rows = {
        {[](Request& r) { r.nodes = falling_counts; },
         "nodes: expected a rising range that holds 1 or more", "2 to 1 nodes"},
        {[](Request& r) { r.nodes = Range<Count>::exactly(Count(0)); },
         "nodes: expected a rising range that holds 1 or more", "no node"},
        {[](Request& r) {
             r.node_counts = {Count(1), Count(4)};
         },
         "node_counts: 4, expected a count in nodes, 1", "a list that the range forbids"},
        {[](Request& r) {
             r.nodes = {};
             r.node_counts = {Count(4), Count(4)};
         },
         "node_counts: 4 behind 4, expected rising counts from 1 on", "twice"},
        {[](Request& r) {
             r.nodes = {};
             r.node_counts = {Count(0)};
         },
         "node_counts: 0 behind 0, expected rising counts from 1 on", "no node"},
        {[](Request& r) {
             r.feature_counts = {{{"rack1"}, Count(0)}};
         },
         "feature_counts: 0 nodes with \"rack1\", expected 1 or more and a feature", "on no node"},
        {[](Request& r) {
             r.feature_counts = {{{}, Count(1)}};
         },
         "feature_counts: 1 nodes with \"\", expected 1 or more and a feature", "with what"},
        {[](Request& r) {
             r.feature_counts = {{{"rack1"}, Count(2)}};
         },
         "feature_counts: 2 nodes with rack1, expected at most 1", "more than all nodes"},
        {[](Request& r) {
             r.feature_sets = {{"a"}, {}};
         },
         "feature_sets: an empty expression, expected a feature", "every node meets it"},
        {[](Request& r) {
             r.cluster_counts = {{"matlab", Count(0)}};
         },
         "cluster_counts: cluster count matlab: 0, expected 1 or more", "none is left out"},
        {[](Request& r) {
             r.components.resize(2);
             r.components[1].tasks = Count(0);
         },
         "components[1]: tasks: 0, expected 1 or more", "a group is a request"},
        {[](Request& r) {
             r.components.resize(1);
             r.components[0].components.resize(1);
         },
         "components[0]: time_limit, price_max, cluster_counts, components or component_nodes, "
         "expected them in the request itself",
         "groups of groups"},
        {[](Request& r) {
             r.components.resize(1);
             r.components[0].time_limit = Seconds(1);
         },
         "components[0]: time_limit, price_max, cluster_counts, components or component_nodes, "
         "expected them in the request itself",
         "the job has one time limit"},
        {[](Request& r) { r.tasks = Count(0); }, "tasks: 0, expected 1 or more", "no task"},
        {[](Request& r) { r.cpus_per_task = falling_counts; },
         "cpus_per_task: expected a rising range that holds 1 or more", "falling"},
        {[](Request& r) { r.cpus_per_task = Range<Count>::at_most(Count(0)); },
         "cpus_per_task: expected a rising range that holds 1 or more", "no CPU"},
        {[](Request& r) { r.memory = falling_bytes; }, "memory: expected a rising range",
         "falling"},
        {[](Request& r) { r.disk = falling_bytes; }, "disk: expected a rising range", "falling"},
        {[](Request& r) { r.memory_per = Per::socket; },
         "memory_per: socket, expected node, cpu or device", "a unit without meaning here"},
        {[](Request& r) { r.devices[0].name.clear(); }, "devices: a demand has no name",
         "devices of what"},
        {[](Request& r) { r.devices[0].count = falling_counts; },
         "devices: gpu: expected rising ranges", "falling count"},
        {[](Request& r) { r.devices[0].memory = falling_bytes; },
         "devices: gpu: expected rising ranges", "falling memory"},
        {[](Request& r) { r.devices[0].total_memory = falling_bytes; },
         "devices: gpu: expected rising ranges", "falling total"},
        {[](Request& r) {
             r.devices[0].compute_capability = {Version{9, 0}, Version{8, 0}};
         },
         "devices: gpu: expected rising ranges", "falling capability"},
        {[](Request& r) { r.devices[0].per = Per::cpu; },
         "devices: gpu: counted per cpu, expected node, job, task or socket", "per CPU"},
        {[](Request& r) { r.threads_per_core = Count(0); },
         "threads_per_core: 0, expected 1 or more", "cores that run nothing"},
        {[](Request& r) { r.tasks_per_core = Count(0); }, "tasks_per_core: 0, expected 1 or more",
         "no core would do"},
        {[](Request& r) { r.tasks_per_socket = Count(0); },
         "tasks_per_socket: 0, expected 1 or more", "no socket would do"},
        {[](Request& r) { r.tasks_per_node = Range<Count>::at_most(Count(0)); },
         "tasks_per_node: expected a rising range that holds 1 or more", "no node would do"},
        {[](Request& r) {
             r.tasks_per_node = {Count(3), Count(2)};
         },
         "tasks_per_node: expected a rising range that holds 1 or more", "falling"},
        {[](Request& r) {
             r.nodes = Range<Count>::exactly(Count(2));
             r.tasks = Count(3);
             r.tasks_per_node = Range<Count>::at_least(Count(2));
         },
         "tasks_per_node: 2 or more on 2 nodes, expected no more than the 3 tasks",
         "one node would have one"},
        {[](Request& r) {
             r.nodes = Range<Count>::exactly(Count(2));
             r.tasks = Count(5);
             r.tasks_per_node = Range<Count>::at_most(Count(2));
         },
         "tasks_per_node: at most 2 on 2 nodes, expected room for 5 tasks",
         "one task would be left"},
        {[](Request& r) { r.sockets_per_node = Count(0); },
         "sockets_per_node: 0, expected 1 or more", "absent says it"},
        {[](Request& r) { r.cores_per_socket = Count(0); },
         "cores_per_socket: 0, expected 1 or more", "absent says it"},
        {[](Request& r) { r.distribution.plane_size = Count(0); },
         "distribution: planes of 0 tasks, expected 1 or more", "dealing would never end"},
        {[](Request& r) { r.distribution.nodes = Distribution::fcyclic; },
         "distribution: fcyclic over nodes, expected block, cyclic or plane",
         "it is for cores inside a node"},
        {[](Request& r) { r.core_level = HardwareLevel::thread; },
         "core_level, memory_level: thread, expected core or wider", "cores are given whole"},
        {[](Request& r) { r.memory_level = HardwareLevel::thread; },
         "core_level, memory_level: thread, expected core or wider", "cores are given whole"},
        {[](Request& r) { r.system_cores = Count(1); },
         "system_cores: 1 of a shared node, expected a whole node", "whose cores would it be"},
        {[](Request& r) { r.devices[0].shares_per = Per::task; },
         "devices: gpu: shares per task, expected device or node", "shares per task"},
        {[](Request& r) {
             r.devices[0].slice = "1g";
             r.devices[0].shares = Count(1);
         },
         "devices: gpu: shares of instances, expected one or the other", "a part of a part"},
        {[](Request& r) { r.devices[0].locality_level = HardwareLevel::thread; },
         "devices: gpu: locality_level: thread, expected core or wider", "cores are given whole"},
        {[](Request& r) {
             r.device_alternatives = {{DeviceRequest{}}, {DeviceRequest{}, DeviceRequest{}}};
             r.device_alternatives[1][1].name.clear();
         },
         "devices: a demand has no name", "alternatives are checked too"},
        {[](Request& r) { r.devices[0].per = Per::device; },
         "devices: gpu: counted per device, expected node, job, task or socket", "per itself"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Request request;
        request.devices.resize(1);
        REQUIRE(check(request).ok());
        row.change(request);
        const Status status = check(request);
        CHECK(status.code() == StatusCode::kInvalidArgument);
        CHECK(message(status) == row.error);
    }
}

TEST_CASE("check: alternatives whose combinations are too many", "[model]") {
    Request one;
    one.feature_sets = {feature("a"), feature("b")};
    Request request;
    request.components.assign(12, one);
    CHECK(check(request).ok());
    request.components.assign(13, one);
    CHECK(message(check(request)).find("more than 4096 combinations") != std::string_view::npos);
    request.components.assign(200, one);
    CHECK_FALSE(check(request).ok());
}

TEST_CASE("check: lists and groups that can be meant", "[model]") {
    Request request;
    request.nodes = Range<Count>::between(Count(1), Count(8));
    request.node_counts = {Count(1), Count(4), Count(8)};
    request.features = feature("a100") & !feature("old");
    request.feature_counts = {{{"rack1"}, Count(2)}, {{"rack2"}, Count(8)}};
    request.feature_sets = {{"rack1"}, {"rack2"}};
    request.cluster_counts = {{"abaqus@flex1", Count(2)}, {"power", Count(300)}};
    request.components.resize(2);
    request.components[0].partition = "gpu";
    request.time_limit = Seconds(60);
    CHECK(message(check(request)) == "");
}

TEST_CASE("Request: prints what differs from a default one", "[model][golden]") {
    Request request;
    CHECK(to_text(request) == "{}");
    request.nodes = Range<Count>::between(Count(2), Count(4));
    request.tasks = Count(8);
    request.memory = Range<Bytes>::at_least(gib(200));
    request.devices.resize(1);
    request.devices[0].types = {"a100", "h100"};
    request.devices[0].compute_capability = Range<Version>::at_least({8, 0});
    request.exclusivity = Exclusivity::whole_node;
    request.time_limit = Seconds(60);
    CHECK(to_text(request) ==
          "{nodes=2..4, tasks=8, memory=200GiB.., devices=[{types=[a100, h100], "
          "compute_capability=8.0..}], exclusivity=whole_node, time_limit=60}");
}

}  // namespace
}  // namespace trestle
