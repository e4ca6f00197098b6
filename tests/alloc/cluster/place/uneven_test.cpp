// SPDX-License-Identifier: Apache-2.0
// Jobs whose tasks and devices are split unevenly over nodes: tables of splits, and all small
// worlds against an oracle that writes down every split.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/place/split/splits.hpp"
#include "support/catch.hpp"
#include "support/random_job.hpp"
#include "support/seed.hpp"
#include "support/uneven_jobs.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/place_many.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/alloc/schedule/preemption.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

/// `n0 2, n1 8`: the tasks of each node, and behind a + its devices; or the constraint in the way.
std::string split_in(const Cluster& cluster, const Request& request, Policy policy) {
    REQUIRE(check(request).ok());
    PlaceOptions options;
    options.policy = policy;
    const auto answer = place(cluster, request, options);
    if (!answer) return std::string(to_text(answer.refusal().constraint));
    std::string split;
    for (const NodePlacement& part : answer->nodes) {
        split +=
            fmt::format("{}{} {}", split.empty() ? "" : ", ", cluster.name(part.node), part.tasks);
        if (!part.devices.empty()) split += fmt::format("+{}", part.devices.size());
    }
    return split;
}
std::string split_of(const char* text, const Request& request, Policy policy) {
    const auto cluster = testing::cluster_from_text(text);
    INFO(message(cluster.status()));
    REQUIRE(cluster.ok());
    return split_in(*cluster, request, policy);
}

}  // namespace

TEST_CASE("uneven: tasks go where there is room for them", "[alloc]") {
    const auto changed = [](Request request, auto change) {
        change(request);
        return request;
    };
    const Request four = tasks_on(nodes_exactly(2), 4);
    struct Row {
        const char* cluster;
        Request request;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"(2c); (8c)", tasks_on({Count(1), Count(10)}, 10), "n0 2, n1 8", "each as far as it goes"},
        {"(1c); (3c)", four, "n0 1, n1 3", "one and three"},
        {"(4c); (4c)", four, "n0 2, n1 2", "evenly where that fits"},
        {"(3c); (3c); (1c)", tasks_on(nodes_exactly(3), 6), "n0 3, n1 2, n2 1",
         "as even as fits: 3, 2, 1 and not 3, 3, 0"},
        {"(1c); (4c); (4c)", tasks_on(nodes_exactly(3), 8), "n0 1, n1 4, n2 3",
         "the full node first, the others share"},
        {"(1c); (3c); (2c)", four, "n1 2, n2 2", "of two sets of nodes the even one"},
        {"(1c); (3c); (1c)", tasks_on({Count(1), Count(4)}, 4), "n0 1, n1 3",
         "fewest nodes come before evenness: 2 of 3 and not 1, 2, 1"},
        {"(2c); (2c)", tasks_on({Count(1), Count(5)}, 5), "cores", "five tasks on four cores"},
        {"(1c); (5c)",
         changed(four, [](Request& r) { r.cpus_per_task = Range<Count>::exactly(Count(2)); }),
         "cores", "a task of two CPUs does not fit into one core"},
        {"(2c); (6c)",
         changed(four, [](Request& r) { r.cpus_per_task = Range<Count>::exactly(Count(2)); }),
         "n0 1, n1 3", "tasks of two CPUs"},
        {"(1c); (3c)",
         changed(four, [](Request& r) { r.distribution.split = TaskDistribution::Split::even; }),
         "nodes", "an even split was asked for"},
        {"(1c); (3c)", changed(four, [](Request& r) { r.tasks_per_node = nodes_exactly(2); }),
         "nodes", "two on each node were asked for"},
        {"(1c); (3c); (2c)",
         changed(four, [](Request& r) { r.tasks_per_node = Range<Count>::exactly(Count(2)); }),
         "n1 2, n2 2", "at most two on a node"},
        {"(4c); (4c)",
         changed(tasks_on({Count(1), Count(2)}, 4),
                 [](Request& r) { r.tasks_per_node = Range<Count>::exactly(Count(2)); }),
         "n0 2, n1 2", "four fit on one node, but only two may"},
        {"(2s3c); (2s3c)",
         changed(tasks_on({Count(1), Count(3)}, 5),
                 [](Request& r) { r.tasks_per_node = Range<Count>::exactly(Count(2)); }),
         "nodes", "five fit on one node, but take three nodes at two each"},
        {"(4c); (4c); (1c)",
         changed(tasks_on({Count(1), Count(3)}, 5),
                 [](Request& r) { r.tasks_per_node = Range<Count>::at_most(Count(3)); }),
         "n0 3, n1 2", "the fewest nodes that the limit allows"},
        {"(2s2c gpu:1); (1s3c gpu:3)",
         changed(tasks_on(nodes_exactly(2), 5),
                 [](Request& r) {
                     r.distribution.sockets = Distribution::cyclic;
                     r.core_locality = Strictness::require;
                     r.devices = gpus_on({}, 4).devices;
                     r.devices[0].locality = Strictness::require;
                 }),
         "n0 2+1, n1 3+3", "tasks dealt to sockets in turn: one task may be harder than two"},
        {"(1c); (5c); (3c)",
         changed(tasks_on(nodes_exactly(3), 8),
                 [](Request& r) { r.tasks_per_node = Range<Count>::at_most(Count(4)); }),
         "n0 1, n1 4, n2 3", "at most four on a node"},
        {"(2c); (9c)",
         changed(tasks_on({Count(1), Count(8)}, 8),
                 [](Request& r) { r.tasks_per_node = Range<Count>::at_least(Count(2)); }),
         "n1 8", "one node is enough"},
        {"(4c); (4c)",
         changed(four, [](Request& r) { r.distribution.split = TaskDistribution::Split::packed; }),
         "n0 3, n1 1", "packed: one task is left for the node that was asked for"},
        {"(1c); (2c); (4c)",
         changed(tasks_on(nodes_exactly(3), 6),
                 [](Request& r) { r.distribution.split = TaskDistribution::Split::packed; }),
         "n0 1, n1 1, n2 4", "packed on the largest node first"},
        {"(2c); (2c); (4c)",
         changed(tasks_on(nodes_exactly(3), 7),
                 [](Request& r) { r.distribution.split = TaskDistribution::Split::packed; }),
         "n0 2, n1 1, n2 4", "packed, and the first of equal nodes"},
        {"(1c); (3c); (4c)", changed(four, [](Request& r) { r.required_nodes = {"n0"}; }),
         "n0 1, n1 3", "a named node has what it can have"},
        {"2 x (1s2c mem=4G); (1s6c mem=4G)",
         changed(tasks_on(nodes_exactly(3), 8),
                 [](Request& r) {
                     r.memory = Range<Bytes>::exactly(gib(1));
                     r.memory_per = Per::cpu;
                 }),
         "n0 2, n1 2, n2 4", "memory for each CPU limits the large node"},
        {"(4c gpu:1); (4c gpu:3)",
         changed(four,
                 [](Request& r) {
                     r.devices = {DeviceRequest()};
                     r.devices[0].per = Per::task;
                 }),
         "n0 1+1, n1 3+3", "a GPU for each task"},
        {"(2s2c); (2s1c)", changed(four, [](Request& r) { r.tasks_per_socket = Count(1); }),
         "n0 2, n1 2", "one task a socket"},
        {"(3s2c); (1s4c)", changed(four, [](Request& r) { r.tasks_per_socket = Count(1); }),
         "n0 3, n1 1", "one task a socket, of unlike nodes"},
        {"(3s2c); (1s4c)",
         changed(four,
                 [](Request& r) {
                     r.tasks_per_socket = Count(1);
                     r.exclusivity = Exclusivity::whole_node;
                 }),
         "n0 3, n1 1", "the same of whole nodes"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(split_of(row.cluster, row.request, Policy::first_fit) == row.expected);
    }
}

TEST_CASE("uneven: devices of a job go where they are free", "[alloc]") {
    const auto changed = [](Request request, auto change) {
        change(request);
        return request;
    };
    const auto of_one_numa = [&](std::int64_t gpus) {
        return changed(gpus_on(nodes_exactly(2), gpus), [](Request& r) {
            r.common_attributes = {{"numa", {}}};
        });
    };
    struct Row {
        const char* cluster;
        Request request;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"(4c gpu:1); (4c gpu:2)", gpus_on(nodes_exactly(2), 3), "n0 1+1, n1 1+2", "one and two"},
        {"(4c); (4c gpu:3)", gpus_on(nodes_exactly(2), 3), "n0 1, n1 1+3", "none and three"},
        {"(4c gpu:1); (4c gpu:4); (4c gpu:1)", gpus_on(nodes_exactly(3), 6),
         "n0 1+1, n1 1+4, n2 1+1", "as even as fits"},
        {"(4c gpu:2); (4c gpu:4)", gpus_on({Count(1), Count(2)}, 5), "n0 1+2, n1 1+3",
         "two nodes where one is too few"},
        {"(4c gpu:1); (4c gpu:1)", gpus_on(nodes_exactly(2), 3), "devices", "three of two"},
        {"(4c gpu:4); (4c gpu:4)",
         changed(gpus_on(nodes_exactly(2), 5),
                 [](Request& r) { r.distribution.split = TaskDistribution::Split::packed; }),
         "n0 1+4, n1 1+1", "packed"},
        {"(1c gpu:4); (3c gpu:1)",
         changed(gpus_on(nodes_exactly(2), 4), [](Request& r) { r.tasks = Count(4); }),
         "n0 1+3, n1 3+1", "tasks and devices, each where they fit"},
        {"(2c gpu:1); (4c gpu:3)",
         changed(gpus_on(nodes_exactly(2), 4), [](Request& r) { r.cpus_per_device = Count(2); }),
         "cores", "two CPUs for each device: one and two"},
        {"(2c gpu:1); (6c gpu:3)",
         changed(gpus_on(nodes_exactly(2), 4), [](Request& r) { r.cpus_per_device = Count(2); }),
         "n0 1+1, n1 1+3", "two CPUs for each device"},
        {"(4c gpu:1); (4c gpu:3)",
         changed(
             gpus_on(nodes_exactly(2), 2),
             [](Request& r) { r.devices[0].count = Range<Count>::between(Count(4), Count(6)); }),
         "n0 1+1, n1 1+3", "the fewest of a range"},
        {"(4c gpu:1@slices=a100-40gb); (4c gpu:2@slices=a100-40gb)",
         changed(gpus_on(nodes_exactly(2), 16), [](Request& r) { r.devices[0].slice = "1g.5gb"; }),
         "n0 1+7, n1 1+9", "instances of cut devices: seven on each"},
        {"(4c gpu:1); (4c gpu:4)",
         changed(gpus_on(nodes_exactly(2), 2),
                 [](Request& r) {
                     r.devices[0].count = Range<Count>::between(Count(4), Count(6));
                     r.devices[0].prefer = DeviceRequest::Prefer::most;
                 }),
         "n0 1+1, n1 1+4", "as many of a range as there are"},
        {"(2s4c gpu:4); (2s4c gpu:4)", of_one_numa(4), "n0 1+2, n1 1+2",
         "two GPUs of one domain on each node"},
        {"(2s4c gpu:2); (2s4c gpu:6)", of_one_numa(4), "n0 1+1, n1 1+3",
         "as many as are of one domain"},
        {"(2s4c gpu:2); (2s4c gpu:6)", of_one_numa(5), "device_attributes", "no domain has four"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(split_of(row.cluster, row.request, Policy::first_fit) == row.expected);
    }
}

TEST_CASE("uneven: a refusal says what fits where", "[alloc]") {
    const Cluster cluster = *testing::cluster_from_text("(2c); (7c)");
    const auto tasks = place(cluster, tasks_on(nodes_exactly(2), 10));
    REQUIRE(!tasks);
    CHECK(tasks.refusal().reason == "10 tasks: 7 fit on n1, 2 on n0");
    // Two amounts: the one that is short, or both.
    Request both = tasks_on(nodes_exactly(2), 4);
    both.devices = gpus_on({}, 4).devices;
    const auto gpus = place(*testing::cluster_from_text("(4c gpu:1); (4c gpu:2)"), both);
    REQUIRE(!gpus);
    CHECK(gpus.refusal().reason == "4 gpu: 2 fit on n1, 1 on n0");
    both.cpus_per_device = Count(2);
    const auto together = place(*testing::cluster_from_text("(6c gpu:1); (2c gpu:3)"), both);
    REQUIRE(!together);
    INFO(together.refusal().reason);
    CHECK(together.refusal().reason.find("gpu") != std::string::npos);
}

TEST_CASE("uneven: a refusal names what binds, in numbers of tasks", "[alloc]") {
    const auto changed = [](Request request, auto change) {
        change(request);
        return request;
    };
    const auto three_cpus = [](Request& r) { r.cpus_per_task = nodes_exactly(3); };
    const auto one_switch = [](Request& r) { r.topology.switches_max = Count(1); };
    const auto with_b = [](Request& r) { r.feature_counts = {{{"b"}, Count(1)}}; };
    const auto segments = [](Request& r) { r.topology.segment_size = Count(2); };
    const auto without_last = [](Request& r) { r.excluded_nodes = {"n2"}; };
    const auto with_n1 = [](Request& r) { r.required_nodes = {"n1"}; };
    const auto two_of_a_node = [](Request& r) {
        r.tasks_per_node = Range<Count>::exactly(Count(2));
    };
    struct Row {
        const char* cluster;
        Request request;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"(8c); (2c); (2c)", changed(tasks_on({Count(1), Count(3)}, 6), three_cpus),
         "cores: 6 tasks: 2 fit on n0, 0 on n1 and n2", "nodes that take no task"},
        {"(8c); (2c)", changed(tasks_on(nodes_exactly(2), 6), three_cpus),
         "cores: 6 tasks: 2 fit on n0, 0 on n1", "one node takes no task"},
        {"3 x (4c)", changed(tasks_on({Count(1), Count(3)}, 9), without_last),
         "cores: 9 tasks: 4 fit on n0, 4 on n1, 0 on n2; n2 is excluded", "not for lack of cores"},
        {"(3c); (2c)", changed(tasks_on(nodes_exactly(1), 3), with_n1),
         "cores: n1 is required: asked 3 cores (3 tasks), 2 of 2 are free",
         "what the required node lacks"},
        {"4 x (4c)", changed(tasks_on({Count(1), Count(4)}, 5), two_of_a_node),
         "nodes: 5 tasks, 2 on each node: asked 1..4 nodes", "no number of nodes is accepted"},
        {"(8c); (2c)", changed(tasks_on(nodes_exactly(2), 2), three_cpus),
         "nodes: asked 2 nodes, 1 of 2 can take a part; asked 3 cores, 2 of 2 are free",
         "the tasks fit, but a node has none"},
        {"(2c); (2c)", changed(tasks_on(nodes_exactly(2), 6), three_cpus),
         "cores: asked 3 cores, 2 of 2 are free", "no node takes a task"},
        {"(8c); 5 x (2c)", changed(tasks_on({Count(1), Count(5)}, 6), three_cpus),
         "cores: 6 tasks: 2 fit on 1 node", "more nodes than are named"},
        {"4 x (4c) 2 per switch", changed(tasks_on(nodes_exactly(2), 9), one_switch),
         "cores: 9 tasks: 4 fit on n0, 4 on n1", "too many for any two nodes, on any switch"},
        {"4 x (2c) 2 per switch", changed(tasks_on(nodes_exactly(2), 7), one_switch),
         "cores: 7 tasks: 2 fit on n0, 2 on n1", "no node has a part of the even split"},
        {"2 x (4c) 2 per block", changed(tasks_on(nodes_exactly(2), 9), segments),
         "cores: 9 tasks: 4 fit on n0, 4 on n1", "the same for a segment"},
        {"2 x (4c) 1 per switch", changed(tasks_on(nodes_exactly(2), 8), one_switch),
         "topology: asked 2 nodes at 1 leaf switch, at most 1 node can be had",
         "here the network binds"},
        {"2 x (4c gpu:1) 2 per switch", changed(gpus_on(nodes_exactly(2), 3), one_switch),
         "devices: 3 gpu: 1 fit on n0, 1 on n1", "devices of the job"},
        {"2 x (4c features=a)", changed(tasks_on(nodes_exactly(2), 2), with_b),
         "features: asked 1 node with b, 0 of 2 that can take a part have it",
         "a feature that no node has"},
        {"2 x (4c features=a) 2 per switch",
         changed(changed(tasks_on(nodes_exactly(2), 2), with_b), one_switch),
         "features: asked 1 node with b, 0 of 2 that can take a part have it",
         "the same below one switch"},
        {"(4c features=b); (4c); (1c)",
         changed(changed(tasks_on(nodes_exactly(3), 9), with_b),
                 [](Request& r) { r.distribution.split = TaskDistribution::Split::even; }),
         "nodes: asked 3 nodes, 2 of 3 can take a part; asked 3 cores (3 tasks), 1 of 1 are free",
         "the feature is there, the cores are not"},
    };
    const auto memory = [](Request& r) { r.memory = Range<Bytes>::at_least(Bytes(6LL << 30)); };
    const auto two_gpus = [](Request& r) { r.devices = gpus_on({}, 2).devices; };
    const auto even = [](Request& r) { r.distribution.split = TaskDistribution::Split::even; };
    const auto two_groups = [](Request& r) {
        r.components = {tasks_on(nodes_exactly(1), 3)};
        r.component_nodes = Request::ComponentNodes::shared;
    };
    const Row most[] = {
        {"(1c); (3c)", tasks_on(nodes_exactly(1), 4),
         "cores: asked 4 cores (4 tasks), 3 of 3 are free", "the most of any node"},
        {"(3c); (1c)", tasks_on(nodes_exactly(1), 4),
         "cores: asked 4 cores (4 tasks), 3 of 3 are free", "in any order"},
        {"(4c gpu:1); (4c gpu:3)", gpus_on(nodes_exactly(1), 4),
         "devices: asked 4 gpu, 3 of 3 are free on the node", "devices"},
        {"(4c mem=1G); (4c mem=3G)", changed(tasks_on(nodes_exactly(1), 1), memory),
         "memory: asked 6GiB of memory, 3GiB of 3GiB are free", "memory"},
        {"(3c gpu:1); (3c gpu:3)", changed(tasks_on(nodes_exactly(1), 5), two_gpus),
         "cores: asked 5 cores (5 tasks), 3 of 3 are free", "more GPUs would not help"},
        {"(3c gpu:3); (3c gpu:1)", changed(tasks_on(nodes_exactly(1), 5), two_gpus),
         "cores: asked 5 cores (5 tasks), 3 of 3 are free", "in any order"},
        {"(8c mem=8G); (8c mem=2G)", changed(tasks_on({Count(1), Count(2)}, 9), memory),
         "cores: 9 tasks: 8 fit on n0, 0 on n1; n1: asked 6GiB of memory, 2GiB of 2GiB are free",
         "what the node without a task lacks"},
        {"(99c mem=8G); (99c mem=2G)", changed(tasks_on(nodes_exactly(2), 9), memory),
         "nodes: asked 2 nodes, 1 of 2 can take a part; asked 6GiB of memory, 2GiB of 2GiB are "
         "free",
         "no number of tasks is said of the other node"},
        {"(3c gpu:2); (2c gpu:1); (2c gpu:1)", changed(tasks_on(nodes_exactly(2), 6), even),
         "nodes: asked 2 nodes, 1 of 3 can take a part; asked 3 cores (3 tasks), 2 of 2 are free",
         "an even split"},
        {"1 x (6c gpu:4)", changed(tasks_on(nodes_exactly(1), 4), two_groups),
         "cores: the groups of the job asked 7 CPUs together, 6 are free", "groups that share"},
        {"(3c); (4c); (3c); (4c)", tasks_on({Count(1), Count(1)}, 5),
         "cores: asked 5 cores (5 tasks), 4 of 4 are free", "of four nodes"},
        {"3 x (6c)",
         changed(tasks_on(nodes_exactly(2), 2),
                 [](Request& r) { r.components = {tasks_on(nodes_exactly(2), 4)}; }),
         "nodes: asked 4 nodes, there are 3", "the nodes of all groups"},
    };
    for (const Row& row : most) {
        INFO(row.why);
        REQUIRE(check(row.request).ok());
        const auto answer = place(*testing::cluster_from_text(row.cluster), row.request);
        REQUIRE(!answer);
        CHECK(to_text(answer.refusal()) == row.expected);
    }
    for (const Row& row : rows) {
        INFO(row.why);
        REQUIRE(check(row.request).ok());
        const auto answer = place(*testing::cluster_from_text(row.cluster), row.request);
        REQUIRE(!answer);
        CHECK(to_text(answer.refusal()) == row.expected);
    }
}

TEST_CASE("uneven: no refusal says that enough nodes can take a part", "[alloc][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(1'000U)}, [&](testing::Choices& choices) {
        const Cluster cluster = any_job_world(choices, {4, false});
        const Request request = any_split_job(choices, cluster);
        if (!check(request).ok()) return;
        const auto answer = place(cluster, request);
        if (answer) return;
        const std::string& reason = answer.refusal().reason;
        int asked = 0;
        int able = 0;
        if (std::sscanf(reason.c_str(), "asked %d nodes, %d of", &asked, &able) != 2) return;
        INFO(world_text(cluster, request) << "\nanswer " << reason);
        CHECK(able < asked);
    });
}

TEST_CASE("uneven: many numbers that a node may have cost little", "[alloc]") {
    const Cluster cluster = *testing::cluster_from_text("(64c); (32c)");
    Request job = tasks_on(nodes_exactly(2), 96'000);
    job.cpus_per_task = Range<Count>::at_most(Count(0));
    job.milli_cpus = MilliCpu(1);
    CHECK(split_in(cluster, job, Policy::first_fit) == "n0 64000, n1 32000");
    job.distribution.split = TaskDistribution::Split::packed;
    CHECK(split_in(cluster, job, Policy::first_fit) == "n0 64000, n1 32000");
    job.tasks = Count(96'001);
    const auto none = place(cluster, job);
    REQUIRE(!none);
    CHECK(none.refusal().reason == "96001 tasks: 64000 fit on n0, 32000 on n1");
}

TEST_CASE("uneven: the part of one node is the smallest of any split", "[alloc]") {
    Request job = tasks_on(nodes_exactly(2), 8);
    CHECK(detail::part_of_one(job, 2).tasks == Count(1));
    job.tasks_per_node = Range<Count>::at_most(Count(5));
    CHECK(detail::part_of_one(job, 2).tasks == Count(3));
    job.tasks_per_node = Range<Count>::at_most(Count(4));
    job.devices = gpus_on({}, 1).devices;
    CHECK(detail::part_of_one(job, 2).tasks == Count(4));
    CHECK(detail::part_of_one(job, 2).devices == std::vector{Count(0)});
}

TEST_CASE("uneven: groups of a job split each by itself", "[alloc]") {
    Request job = tasks_on(nodes_exactly(2), 4);
    job.components = {tasks_on(nodes_exactly(2), 3)};
    CHECK(split_of("(1c); (3c); (1c); (2c)", job, Policy::first_fit) == "n0 1, n1 3, n2 1, n3 2");
    CHECK(split_of("(1c); (3c); (1c); (1c)", job, Policy::first_fit) == "nodes");
}

TEST_CASE("uneven: the network comes before evenness", "[alloc]") {
    // Nodes of so many cores, two below each switch.
    const auto split_at = [](const std::vector<int>& cores, const Request& request) {
        std::string text;
        for (const int count : cores)
            text += fmt::format("{}({}c)", text.empty() ? "" : "; ", count);
        ClusterParts parts = *testing::cluster_parts_from_text(text);
        std::vector<TreeTopology::Switch> switches{{"top", std::nullopt, {}}};
        for (std::uint32_t first = 0; first < cores.size(); first += 2) {
            switches.push_back({fmt::format("s{}", first / 2), TreeTopology::SwitchId(0),
                                NodeSet::of({NodeId(first), NodeId(first + 1)})});
        }
        parts.network.trees = {{"tree", std::move(switches)}};
        return split_in(*Cluster::create(std::move(parts)), request, Policy::first_fit);
    };
    Request job = tasks_on(nodes_exactly(2), 4);
    CHECK(split_at({2, 1, 3, 2}, job) == "n0 2, n2 2");
    job.topology.switches_max = Count(2);
    CHECK(split_at({2, 1, 3, 2}, job) == "n2 2, n3 2");
    CHECK(split_at({2, 1, 3, 1, 2, 1}, job) == "n2 3, n3 1");
    CHECK(split_at({2, 1, 2, 1, 2, 1}, job) == "n0 2, n2 2");
    job.topology.switches_max = Count(1);
    CHECK(split_at({2, 1, 2, 1, 2, 1}, job) == "topology");
    CHECK(split_at({2, 1, 3, 1, 2, 1}, job) == "n2 3, n3 1");
    job.topology = {};
    job.topology.is_contiguous = true;
    CHECK(split_at({2, 1, 3, 1}, job) == "n1 1, n2 3");
}

TEST_CASE("uneven: what is not searched loses no answer of the even split", "[alloc]") {
    const auto in_blocks = [](const char* text, std::uint32_t size) {
        ClusterParts parts = *testing::cluster_parts_from_text(text);
        BlockTopology blocks;
        blocks.name = "blocks";
        for (std::uint32_t i = 0; i + size <= parts.nodes.size(); i += size) {
            NodeSet nodes;
            for (std::uint32_t k = i; k < i + size; ++k) nodes.insert(NodeId(k));
            blocks.blocks.push_back({fmt::format("b{}", i / size), nodes});
        }
        parts.network.blocks = {blocks};
        return *Cluster::create(std::move(parts));
    };
    Request job = tasks_on(nodes_exactly(4), 8);
    job.topology.segment_size = Count(2);
    SECTION("a preferred level is dropped") {
        job.topology.level = Count(0);
        job.topology.within = Strictness::prefer;
        CHECK(split_in(in_blocks("8 x (2c)", 2), job, Policy::first_fit) ==
              "n0 2, n1 2, n2 2, n3 2");
    }
    SECTION("a packed split of segments") {
        job.distribution.split = TaskDistribution::Split::packed;
        CHECK(split_in(in_blocks("8 x (4c)", 2), job, Policy::first_fit) ==
              "n0 4, n1 2, n2 1, n3 1");
    }
    SECTION("a no stays one") {
        CHECK(split_in(in_blocks("8 x (1c)", 2), job, Policy::first_fit) == "cores");
    }
    SECTION("alternatives are tried") {
        Request gpus = gpus_on(nodes_exactly(2), 6);
        gpus.tasks = Count(2);
        gpus.topology.segment_size = Count(2);
        gpus.device_alternatives = {gpus_on({}, 2).devices};
        CHECK(split_in(in_blocks("(4c gpu:1); (4c gpu:3); (1c); (3c)", 2), gpus,
                       Policy::first_fit) == "n0 1+1, n1 1+1");
    }
    SECTION("20,000 nodes: too many for a packed split of two amounts") {
        Request many = gpus_on(nodes_exactly(20'000), 30'000);
        many.tasks = Count(30'000);
        many.distribution.split = TaskDistribution::Split::packed;
        CHECK(place(*testing::cluster_from_text("20000 x (4c gpu:4)"), many).has_value());
    }
}

TEST_CASE("uneven: choices of switches that cannot do are passed over", "[alloc]") {
    // Below each switch so many nodes; 10 switches below each middle one.
    const auto tree_of = [](const std::string& text, std::uint32_t leaves, std::uint32_t size) {
        ClusterParts parts = *testing::cluster_parts_from_text(text);
        std::vector<TreeTopology::Switch> switches{{"top", std::nullopt, {}}};
        for (std::uint32_t i = 0; i < leaves / 10; ++i) {
            switches.push_back({fmt::format("m{}", i), TreeTopology::SwitchId(0), {}});
        }
        for (std::uint32_t i = 0; i < leaves; ++i) {
            NodeSet nodes;
            for (std::uint32_t k = i * size; k < (i + 1) * size; ++k) nodes.insert(NodeId(k));
            switches.push_back({fmt::format("s{}", i), TreeTopology::SwitchId(1 + i / 10), nodes});
        }
        parts.network.trees = {{"tree", std::move(switches)}};
        return *Cluster::create(std::move(parts));
    };
    SECTION("no middle switch has 48 nodes, which is only preferred") {
        Request job = tasks_on(nodes_exactly(48), 96);
        job.topology.level = Count(1);
        job.topology.within = Strictness::prefer;
        CHECK(place(tree_of("160 x (2c)", 40, 4), job).has_value());
    }
    SECTION("only the last two of 100 switches have room") {
        // Eight nodes with three free cores each are nowhere.
        const Cluster cluster =
            tree_of("392 x (2c); (2c); (4c); (2c); (4c); (2c); (4c); (2c); (4c)", 100, 4);
        Request job = tasks_on(nodes_exactly(8), 24);
        job.topology.switches_max = Count(3);
        const auto answer = place(cluster, job);
        REQUIRE(answer.has_value());
        CHECK(answer->nodes.front().node == NodeId(392));
        job.tasks = Count(25);
        CHECK(split_in(cluster, job, Policy::first_fit) == "cores");
    }
}

TEST_CASE("uneven: what asks place() splits a job as it does", "[alloc]") {
    const Request ten = tasks_on({Count(1), Count(10)}, 10);
    const Cluster cluster = *testing::cluster_from_text("(2c); (8c)");
    SECTION("a start does not wait for even nodes") {
        const Timeline timeline(cluster);
        const auto start = earliest_start(timeline, ten, {{}, Seconds(60), {}});
        REQUIRE(start);
        CHECK(start->period.first == timeline.now());
        CHECK(start->placement.nodes[1].tasks == Count(8));
    }
    SECTION("no more than one owner has to end") {
        Cluster used = *testing::cluster_from_text("(2c); (8c); (8c)");
        for (std::uint32_t node = 0; node < 3; ++node) {
            NodePlacement part;
            part.node = NodeId(node);
            part.cores = CoreSet::range({0, 1});
            REQUIRE(used.adopt(OwnerId(node), {{part}}).ok());
        }
        const Request asked = tasks_on(nodes_exactly(2), 15);
        CHECK_FALSE(place(used, asked));
        std::vector<PreemptionPlan::Victim> victims;
        for (std::uint64_t owner = 0; owner < 3; ++owner)
            victims.push_back({OwnerId(owner), 1, {}});
        const auto plan = plan_preemption(used, asked, victims);
        REQUIRE(plan);
        CHECK(plan->cost == 1);
        CHECK(plan->is_cheapest);
    }
    SECTION("a list takes one job after the other") {
        Cluster used = cluster;
        Placer placer;
        const std::vector<JobOrder> jobs{{OwnerId(1), tasks_on(nodes_exactly(2), 7)},
                                         {OwnerId(2), tasks_on(nodes_exactly(1), 3)}};
        const auto placed = place_many(used, jobs, placer);
        REQUIRE(placed.ok());
        CHECK(placed->placed.size() == 2);
    }
    SECTION("an explanation says how many tasks fit where") {
        const Explanation why = explain(cluster, tasks_on(nodes_exactly(2), 12));
        CHECK_FALSE(why.fits);
        CHECK(why.why.reason == "12 tasks: 8 fit on n1, 2 on n0");
        CHECK(why.fitting == Count(2));
    }
    SECTION("licences and lists of node counts are as ever") {
        Request listed = ten;
        listed.nodes = {};
        listed.node_counts = {Count(2), Count(4)};
        CHECK(place(cluster, listed).has_value());
        listed.node_counts = {Count(4)};
        CHECK_FALSE(place(cluster, listed).has_value());
        const Cluster four = *testing::cluster_from_text("4 x (4c)");
        Request one_task = tasks_on(Range<Count>::between(Count(3), Count(4)), 1);
        one_task.node_counts = {Count(4)};
        CHECK(place(four, one_task)->nodes.size() == 4);  // as with nodes=4: so many are asked for
        one_task.nodes = Range<Count>::between(Count(1), Count(4));
        CHECK(place(four, one_task)->nodes.size() == 4);
        one_task.node_counts = {Count(5)};
        CHECK_FALSE(place(four, one_task).has_value());
        listed.node_counts = {Count(2)};
        listed.cluster_counts = {{"abaqus", Count(1)}};
        CHECK(place(cluster, listed).refusal().constraint == Constraint::cluster_counts);
    }
}

}  // namespace trestle
