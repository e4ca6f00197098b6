// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/place/place.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/oracle_place.hpp"
#include "support/random_place.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::for_random_choices;

std::string text_of(const PlaceCase& one) {
    std::string text = to_text(one.cluster.parts());
    for (const Allocation& taken : one.cluster.allocations()) text += "\n" + to_text(taken);
    return text + "\n" + to_text(one.request);
}

constexpr Policy policies[] = {Policy::first_fit, Policy::best_fit, Policy::worst_fit};

PlaceOptions by(Policy policy) {
    PlaceOptions options;
    options.policy = policy;
    return options;
}

bool agrees(const PlaceCase& one, Policy policy) {
    const PlaceOracle oracle(one.cluster, one.request);
    const auto answer = place(one.cluster, one.request, by(policy));
    if (answer.has_value() != oracle.has_placement()) {
        FAIL(text_of(one) << "\n" << to_text(policy) << ": " << to_text(answer));
    }
    if (!answer) return false;
    const std::string wrong = oracle.wrong_with(*answer);
    if (!wrong.empty()) FAIL(text_of(one) << "\n" << to_text(answer) << "\n" << wrong);
    return true;
}

Cluster cluster_of(const char* text) {
    auto cluster = testing::cluster_from_text(text);
    INFO(message(cluster.status()));
    REQUIRE(cluster.ok());
    return *std::move(cluster);
}

/// `n0 cores=0-1; n2 cores=0`, or the constraint in the way.
std::string answer_to(const Cluster& cluster, const Request& request,
                      Policy policy = Policy::first_fit) {
    const auto answer = place(cluster, request, by(policy));
    if (!answer) return std::string(to_text(answer.refusal().constraint));
    std::string text;
    for (const NodePlacement& part : answer->nodes) {
        text += (text.empty() ? "" : "; ") + to_text(part, cluster.node(part.node));
    }
    return text;
}

Request nodes_and_tasks(Range<Count> nodes, std::int64_t tasks) {
    Request request;
    request.nodes = nodes;
    request.tasks = Count(tasks);
    return request;
}

}  // namespace

TEST_CASE("place: there is an answer exactly when brute force finds one, and it is right",
          "[alloc][law]") {
    std::uint64_t placed = 0;
    std::uint64_t all = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(1'500u)}, [&](Choices& choices) {
        const PlaceCase one = any_place_case(choices);
        for (const Policy policy : policies) {
            ++all;
            placed += agrees(one, policy) ? 1u : 0u;
        }
    });
    CHECK(placed > all / 8);
}

TEST_CASE("place: many answers agree with brute force", "[alloc][law][slow]") {
    INFO("seed " << test_seed());
    for_random_choices({test_seed() + 1, test_rounds(20'000u)}, [&](Choices& choices) {
        const PlaceCase one = any_place_case(choices);
        agrees(one, choices.of(std::vector(std::begin(policies), std::end(policies))));
    });
}

TEST_CASE("place: on one node the policies are plain loops over the nodes", "[alloc][law]") {
    std::uint64_t placed = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(600u)}, [&](Choices& choices) {
        PlaceCase one = any_place_case(choices);
        one.request.nodes = Range<Count>::exactly(Count(1));
        one.request.topology = {};
        for (const auto& entry : enum_names(Policy())) {
            const PlaceOptions options = any_place_options(choices, entry.value);
            const auto expected = PlaceOracle(one.cluster, one.request, options).best();
            const auto answer = place(one.cluster, one.request, options);
            INFO(text_of(one) << "\n" << entry.name << ": " << to_text(answer));
            REQUIRE(answer.has_value() == expected.has_value());
            if (!expected) continue;
            ++placed;
            REQUIRE(*answer == *expected);
        }
    });
    CHECK(placed > test_rounds(500u));
}

TEST_CASE("place: what the parts of a job are, and where they go", "[alloc]") {
    const auto exactly = [](std::int64_t n) { return Range<Count>::exactly(Count(n)); };
    struct Row {
        const char* cluster;
        Request request;
        const char* expected;
        const char* why;
    };
    Request named = nodes_and_tasks(exactly(2), 2);
    named.required_nodes = {"n2"};
    Request excluded = nodes_and_tasks(exactly(1), 1);
    excluded.excluded_nodes = {"n0"};
    Request featured = nodes_and_tasks(exactly(1), 1);
    featured.features = {"fast"};
    Request contiguous = nodes_and_tasks(exactly(2), 2);
    contiguous.topology.is_contiguous = true;
    contiguous.excluded_nodes = {"n1"};
    Request one_switch = nodes_and_tasks(exactly(2), 2);
    one_switch.topology.switches_max = Count(1);
    one_switch.excluded_nodes = {"n0"};
    Request two_switches = one_switch;
    two_switches.excluded_nodes.clear();
    two_switches.required_nodes = {"n0", "n3"};
    Request absent_node = named;
    absent_node.required_nodes = {"n9"};
    Request gpus;
    gpus.devices = {DeviceRequest{}};
    gpus.devices[0].count = exactly(3);
    gpus.devices[0].per = Per::job;
    gpus.nodes = exactly(2);
    const Row rows[] = {
        {"3 x (2c)", nodes_and_tasks(exactly(2), 3), "n0 cores=0-1; n1 cores=0",
         "the first part has the task that is left over"},
        {"(1c); (2c)", nodes_and_tasks(exactly(2), 3), "n0 cores=0; n1 cores=0-1",
         "the larger part goes where it fits"},
        {"3 x (2c)", nodes_and_tasks({Count(1), Count(3)}, 4), "n0 cores=0-1; n1 cores=0-1",
         "one node is too few, two are enough"},
        {"3 x (2c)", nodes_and_tasks({Count(1), std::nullopt}, 7), "cores",
         "seven tasks on six cores"},
        {"3 x (2c)", nodes_and_tasks(exactly(3), 2), "n0 cores=0; n1 cores=0; n2 cores=0",
         "a node that is asked for has a task at least"},
        {"3 x (2c)", nodes_and_tasks(exactly(4), 4), "nodes", "more nodes than there are"},
        {"3 x (2c)", named, "n0 cores=0; n2 cores=0", "a named node is always taken"},
        {"3 x (2c)", absent_node, "nodes", "a named node does not exist"},
        {"2 x (2c)", excluded, "n1 cores=0", "not the excluded one"},
        {"(2c); (2c features=fast,new)", featured, "n1 cores=0", "only where the feature is"},
        {"2 x (2c)", featured, "features", "the feature is nowhere"},
        {"4 x (2c)", contiguous, "n2 cores=0; n3 cores=0", "a gap cannot be inside"},
        {"4 x (2c) 2 per switch", one_switch, "n2 cores=0; n3 cores=0", "both at one switch"},
        {"4 x (2c) 2 per switch", two_switches, "topology", "the named ones are at two switches"},
        {"4 x (2c)", one_switch, "topology", "without a network there is no switch"},
        {"(2c gpu:1); (2c gpu:2)", gpus, "n0 cores=0 devices=gpu:0; n1 cores=0 devices=gpu:0,gpu:1",
         "GPUs of the whole job: two and one"},
        {"(2c gpu:1); (2c state=drained gpu:2)", gpus, "nodes", "a drained node gives nothing"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(answer_to(cluster_of(row.cluster), row.request) == row.expected);
    }
}

TEST_CASE("place: policies choose between nodes that fit", "[alloc]") {
    const Cluster cluster = cluster_of("(4c); (2c); (8c); (2c)");
    const Request request = nodes_and_tasks(Range<Count>::exactly(Count(1)), 2);
    CHECK(answer_to(cluster, request, Policy::first_fit) == "n0 cores=0-1");
    CHECK(answer_to(cluster, request, Policy::best_fit) == "n1 cores=0-1");
    CHECK(answer_to(cluster, request, Policy::worst_fit) == "n2 cores=0-1");
}

TEST_CASE("place: future_fit sees no room on cores that two jobs share", "[alloc]") {
    Cluster cluster = cluster_of("2 x (2c gpu:1)");
    NodePlacement shared;
    shared.node = NodeId(1);
    shared.cores = CoreSet::range({0, 2});
    shared.row = 0;
    REQUIRE(cluster.adopt(OwnerId(1), {{shared}}).ok());
    PlaceOptions options = by(Policy::future_fit);
    options.fit.rows = 2;
    std::vector<PolicyOptions::TypicalJob> jobs(1);
    jobs[0].cpus = MilliCpu(1000);
    jobs[0].devices = Count(1);
    jobs[0].thousandths = Count(1000);
    jobs[0].seen = Count(1);
    options.policy_options.typical_jobs = std::move(jobs);
    const auto placement = place(cluster, Request(), options);
    REQUIRE(placement);
    CHECK(placement->nodes.front().node == NodeId(0));
}

TEST_CASE("place: a part that is smaller may need more than a larger one", "[alloc]") {
    // Two tasks have two memory domains near, one task has one: 4 GiB near it are only on n0.
    const Cluster cluster = cluster_of("(2c mem=4G); (2c numa=2 mem=4G)");
    Request request = nodes_and_tasks(Range<Count>::exactly(Count(2)), 3);
    request.memory = Range<Bytes>::exactly(gib(4));
    request.memory_locality = Strictness::require;
    CHECK(answer_to(cluster, request) ==
          "n0 cores=0 memory=0:4GiB; n1 cores=0-1 memory=0:2GiB,1:2GiB");
}

TEST_CASE("place: partitions that are not up, or not there, give no nodes", "[alloc]") {
    auto parts = testing::cluster_parts_from_text("2 x (2c)");
    REQUIRE(parts.ok());
    parts->partitions = {{}};
    parts->partitions[0].name = "batch";
    parts->partitions[0].nodes = NodeSet::of({NodeId(1)});
    Request request;
    request.partition = "batch";
    CHECK(answer_to(*Cluster::create(*parts), request) == "n1 cores=0");
    parts->partitions[0].state = Partition::State::drain;
    CHECK(answer_to(*Cluster::create(*parts), request) == "partition");
    request.partition = "debug";
    CHECK(answer_to(*Cluster::create(*parts), request) == "partition");
}

TEST_CASE("place: of two rings the one that serves the job is taken", "[alloc]") {
    ClusterParts parts = *testing::cluster_parts_from_text("2 x (2c features=fast); 2 x (2c)");
    parts.network.rings = {
        {"ring", {{"r0", {NodeId(0), NodeId(2)}}, {"r1", {NodeId(1), NodeId(3)}}}}};
    Request request = nodes_and_tasks(Range<Count>::exactly(Count(2)), 2);
    request.topology.is_on_ring = true;
    request.feature_counts = {{{"fast"}, Count(1)}};
    CHECK(answer_to(*Cluster::create(parts), request) == "n0 cores=0; n2 cores=0");
    parts.nodes[1].features.clear();
    CHECK(answer_to(*Cluster::create(parts), request) == "n0 cores=0; n2 cores=0");
}

TEST_CASE("place: a partition says how many nodes a job may have", "[alloc]") {
    auto parts = testing::cluster_parts_from_text("2 x (2c)");
    REQUIRE(parts.ok());
    parts->partitions = {{}};
    parts->partitions[0].name = "batch";
    parts->partitions[0].nodes = NodeSet::range({0, 2});
    parts->partitions[0].nodes_per_job.max = Count(1);
    Request request = nodes_and_tasks({Count(1), Count(2)}, 4);
    request.partition = "batch";
    CHECK(answer_to(*Cluster::create(*parts), request) == "cores");
    parts->partitions[0].nodes_per_job.max = Count(2);
    CHECK(answer_to(*Cluster::create(*parts), request) == "n0 cores=0-1; n1 cores=0-1");
}

TEST_CASE("place: a request that is wrong itself is refused with what is wrong", "[alloc]") {
    const Cluster cluster = cluster_of("2 x (2c gpu:2)");
    Request no_nodes;
    no_nodes.nodes = Range<Count>::exactly(Count(0));
    Request too_many = {};
    too_many.devices = {DeviceRequest{}};
    too_many.device_alternatives.assign(5000, too_many.devices);
    for (const Request& request : {no_nodes, too_many}) {
        const auto answer = place(cluster, request);
        REQUIRE(!answer.has_value());
        CHECK(answer.refusal().constraint == Constraint::invalid);
        CHECK(answer.refusal().reason == message(check(request)));
    }
}

TEST_CASE("place: a budget that ends is no refusal", "[alloc]") {
    const Cluster cluster = cluster_of("2 x (2c gpu:2)");
    Request request;
    request.devices = {DeviceRequest{}};
    PlaceOptions options;
    options.fit.steps_max = 1;
    const auto answer = place(cluster, request, options);
    REQUIRE(!answer.has_value());
    CHECK(answer.refusal().constraint == Constraint::gave_up);
}

TEST_CASE("place: gives up when the choices of switches outgrow the budget", "[alloc]") {
    const auto cluster = testing::cluster_from_text("40 x (1c) 1 per switch");
    REQUIRE(cluster.ok());
    // Every node has one core; the first of twenty is to give two, so parts differ.
    Request request = nodes_and_tasks(Range<Count>::exactly(Count(20)), 21);
    request.topology.switches_max = Count(39);
    PlaceOptions options;
    options.fit.steps_max = 1000;
    const auto verdict = place(*cluster, request, options);
    REQUIRE_FALSE(verdict);
    CHECK(verdict.refusal().constraint == Constraint::gave_up);
}

}  // namespace trestle
