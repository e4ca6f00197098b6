// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/compaction.hpp"

#include <string>
#include <vector>

#include "alloc/cluster/place/eligibility.hpp"
#include "alloc/cluster/states/node_states.hpp"
#include "alloc/schedule/detail/node_sets.hpp"
#include "support/catch.hpp"
#include "support/oracle_compaction.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

static_assert(lists_all_fields<CompactionPlan::Move>);
static_assert(lists_all_fields<CompactionRules>);
static_assert(lists_all_fields<CompactionPlan>);
static_assert(lists_all_fields<FragmentationPlan>);

Request compact_gpus(std::int64_t count, std::int64_t nodes = 1) {
    Request request;
    request.nodes = Range<Count>::exactly(Count(nodes));
    request.devices = {DeviceRequest{}};
    request.devices[0].count = Range<Count>::exactly(Count(count));
    return request;
}

/// Gives the owner so many GPUs of a node; owners are entered in rising order.
void run_on(Cluster& cluster, std::uint64_t owner, std::uint32_t node, std::int64_t gpus) {
    const NodeSet there = NodeSet::of({NodeId(node)});
    const Request request = compact_gpus(gpus);
    const auto placement = place(cluster, request, {}, {&there});
    REQUIRE(placement);
    REQUIRE(cluster.commit({OwnerId(owner), request, *placement}).ok());
}

Request ask_cores(std::int64_t cores, std::int64_t nodes = 1) {
    Request request;
    request.nodes = Range<Count>::exactly(Count(nodes));
    request.cpus_per_task = Range<Count>::exactly(Count(cores));
    return request;
}
NodePlacement cores_on(std::uint32_t node, std::uint32_t first, std::uint32_t count) {
    NodePlacement part;
    part.node = NodeId(node);
    part.cores = CoreSet::range({first, first + count});
    return part;
}

/// A job on a node, with so many GPUs.
struct RunningJob {
    std::uint32_t node;
    std::int64_t gpus;
};

/// Owners 1, 2, ... have these.
Cluster with_jobs(const char* text, const std::vector<RunningJob>& jobs) {
    Cluster cluster = *testing::cluster_from_text(text);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        run_on(cluster, i + 1, jobs[i].node, jobs[i].gpus);
    }
    return cluster;
}
std::vector<OwnerId> all_owners(const Cluster& cluster) {
    std::vector<OwnerId> owners;
    for (const Allocation& one : cluster.allocations()) owners.push_back(one.owner);
    return owners;
}

std::string words_of(const Placement& placement) {
    std::string text;
    for (const NodePlacement& one : placement.nodes) {
        text += fmt::format("{}{}:{}", text.empty() ? "" : ",", one.node, one.devices.size());
    }
    return text;
}
/// `1>2:4 2>0:1` (owner > node:GPUs), then where the request comes to.
std::string words_of(const CompactionPlan& plan) {
    std::string text;
    for (const CompactionPlan::Move& move : plan.moves) {
        text += fmt::format("{}>{} ", move.owner, words_of(move.to));
    }
    return text + "| " + words_of(plan.placement);
}

/// Every move can be made when its turn comes, and then the request fits.
void check_steps(Cluster cluster, const Request& request, const CompactionPlan& plan,
                 bool is_live) {
    const Cluster before = cluster;
    const CompactionOracle oracle(before, request, {}, is_live);
    for (const CompactionPlan::Move& move : plan.moves) {
        REQUIRE(oracle.is_feasible(cluster, move));
        CompactionOracle::make(cluster, move.owner, move.to);
    }
    REQUIRE(cluster.commit({OwnerId(999'999), request, plan.placement}).ok());
}

}  // namespace

TEST_CASE("compaction: the fewest moves make room", "[alloc][compaction]") {
    struct Row {
        const char* why;
        const char* cluster;
        std::vector<RunningJob> jobs;
        Request request;
        const char* plan;
        const char* live;  ///< the plan of live moves; empty: there is none
    };
    const std::vector<Row> rows{
        {"what fits needs no moves", "2 x (8c gpu:4)", {{0, 2}}, compact_gpus(4), "| 1:4", "| 1:4"},
        {"two halves, one whole",
         "2 x (8c gpu:4)",
         {{0, 2}, {1, 2}},
         compact_gpus(4),
         "1>1:2 | 0:4",
         "1>1:2 | 0:4"},
        {"where fewest have to go",
         "2 x (8c gpu:4)",
         {{0, 1}, {0, 1}, {1, 2}},
         compact_gpus(4),
         "3>0:2 | 1:4",
         "3>0:2 | 1:4"},
        {"a large job is one move too",
         "3 x (8c gpu:4)",
         {{0, 3}, {1, 1}, {1, 1}, {2, 1}, {2, 1}, {2, 1}},
         compact_gpus(3),
         "2>0:1 | 1:3",
         "2>0:1 | 1:3"},
        {"one makes room for the next",
         "(8c gpu:4); (8c gpu:3); (8c gpu:2)",
         {{0, 3}, {1, 1}, {2, 1}},
         compact_gpus(4),
         "2>2:1 1>1:3 | 0:4",
         "2>2:1 1>1:3 | 0:4"},
        {"for two nodes one of each",
         "3 x (8c gpu:2)",
         {{0, 1}, {1, 1}},
         compact_gpus(2, 2),
         "1>1:1 | 0:2,2:2",
         "1>1:1 | 0:2,2:2"},
        {"a job that gives its node up is given two others",
         "4 x (8c gpu:2)",
         {{0, 1}, {1, 1}, {2, 1}, {3, 1}},
         compact_gpus(2, 2),
         "1>2:1 2>3:1 | 0:2,1:2",
         "1>2:1 2>3:1 | 0:2,1:2"},
        {"who cannot go anywhere stays",
         "2 x (8c gpu:4)",
         {{0, 3}, {1, 3}},
         compact_gpus(2),
         "",
         ""},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const Cluster cluster = with_jobs(row.cluster, row.jobs);
        for (const bool is_live : {false, true}) {
            const Cluster before = cluster;
            const auto plan =
                plan_compaction(cluster, row.request, all_owners(cluster), {is_live, {}, {}});
            const std::string wanted = is_live ? row.live : row.plan;
            REQUIRE(plan.has_value() == !wanted.empty());
            CHECK(cluster == before);
            if (!plan) continue;
            CHECK(words_of(*plan) == wanted);
            CHECK(plan->is_smallest);
            check_steps(cluster, row.request, *plan, is_live);
        }
    }
}

TEST_CASE("compaction: a job that is stopped may start again on its own units",
          "[alloc][compaction]") {
    Cluster cluster = *testing::cluster_from_text("(2s2c gpu:2@s0 gpu:2@s1)");
    Request request = compact_gpus(2);
    request.devices[0].locality = Strictness::require;
    request.core_locality = Strictness::require;  // so that one package has it all
    request.core_level = HardwareLevel::package;
    NodePlacement across;  // a GPU of each socket
    across.cores = CoreSet::range({0, 1});
    across.devices = {{DeviceId(1), Count(1)}, {DeviceId(2), Count(1)}};
    REQUIRE(cluster.commit({OwnerId(7), compact_gpus(2), {{across}}}).ok());
    const std::vector<OwnerId> all{OwnerId(7)};
    const auto plan = plan_compaction(cluster, request, all);
    REQUIRE(plan);
    CHECK(words_of(*plan) == "7>0:2 | 0:2");
    CHECK(plan->is_smallest);
    check_steps(cluster, request, *plan, false);
    const auto live = plan_compaction(cluster, request, all, {true, {}, {}});
    REQUIRE_FALSE(live);
    CHECK(live.refusal().constraint != Constraint::gave_up);
}

TEST_CASE("compaction: a node is tried though another in the same state came first",
          "[alloc][compaction]") {
    Cluster cluster = *testing::cluster_from_text("2 x (2s2c gpu:2@s0 gpu:2@s1)");
    Request request = compact_gpus(2);
    request.devices[0].locality = Strictness::require;
    request.core_locality = Strictness::require;  // so that one package has it all
    request.core_level = HardwareLevel::package;
    for (const std::uint32_t node : {0u, 1u}) {
        NodePlacement across;
        across.node = NodeId(node);
        across.cores = CoreSet::range({0, 1});
        across.devices = {{DeviceId(1), Count(1)}, {DeviceId(2), Count(1)}};
        REQUIRE(cluster.commit({OwnerId(node + 1), request, {{across}}}).ok());
    }
    // Neither fits beside the other; the second can only move where it is.
    const auto plan = plan_compaction(cluster, request, std::vector{OwnerId(2)});
    REQUIRE(plan);
    CHECK(words_of(*plan) == "2>1:2 | 1:2");
}

TEST_CASE("compaction: an order that works is found where others do not", "[alloc][compaction]") {
    // Owner 1 can only go where owner 2 is, and has the lower number.
    const Cluster cluster = with_jobs("(8c gpu:4); (8c gpu:3); (8c gpu:1)", {{0, 3}, {1, 1}});
    const Request request = compact_gpus(4);
    const auto plan = plan_compaction(cluster, request, all_owners(cluster));
    REQUIRE(plan);
    CHECK(words_of(*plan) == "2>2:1 1>1:3 | 0:4");
    check_steps(cluster, request, *plan, false);
}

TEST_CASE("compaction: rules bound a plan", "[alloc][compaction]") {
    const Cluster cluster =
        with_jobs("4 x (8c gpu:4)", {{0, 1}, {0, 1}, {1, 3}, {2, 3}, {3, 1}, {3, 1}, {3, 1}});
    const Request request = compact_gpus(4);
    const std::vector<OwnerId> all = all_owners(cluster);
    const auto plan = [&](CompactionRules rules, NodeFilter filter = {}) {
        const auto found = plan_compaction(cluster, request, all, rules, {}, filter);
        return found ? words_of(*found) : to_text(found.refusal());
    };
    CHECK(plan({}) == "1>1:1 2>2:1 | 0:4");
    CHECK_THAT(plan({false, Count(1), {}}), ContainsSubstring("up to 1 moves of 7 owners"));
    CHECK(plan({false, {}, NodeSet::range({2, 4})}) == "1>2:1 2>3:1 | 0:4");
    CHECK_THAT(plan({false, {}, NodeSet::of({NodeId(0)})}), ContainsSubstring("all moves of 7"));
    CHECK_THAT(plan({false, {}, {}, 0}), ContainsSubstring("no plan within 0 trials"));
    CHECK_THAT(plan({false, {}, {}, 0}), Catch::Matchers::StartsWith("gave_up: "));
    const NodeSet last = NodeSet::of({NodeId(3)});
    CHECK(plan({}, {&last}) == "5>0:1 6>0:1 7>1:1 | 3:4");
}

TEST_CASE("compaction: a move for another move leaves the nodes of the request alone",
          "[alloc][compaction]") {
    // Owner 1 can only go where owner 2 is; that goes to n1 or n2, which are alike but for the
    // filter.
    Cluster cluster = *testing::cluster_from_text("(16c gpu:4); 2 x (4c gpu:4); (12c gpu:4)");
    const auto run = [&](std::uint64_t owner, std::uint32_t node, std::int64_t gpus, int cpus) {
        const NodeSet there = NodeSet::of({NodeId(node)});
        Request job = compact_gpus(gpus);
        job.cpus_per_task = Range<Count>::exactly(Count(cpus));
        REQUIRE(cluster.commit({OwnerId(owner), job, *place(cluster, job, {}, {&there})}).ok());
    };
    run(1, 0, 3, 10);
    run(2, 3, 1, 4);
    const NodeSet candidates = NodeSet::range({0, 2});
    const auto plan =
        plan_compaction(cluster, compact_gpus(4, 2), all_owners(cluster), {}, {}, {&candidates});
    REQUIRE(plan);
    CHECK(words_of(*plan) == "2>2:1 1>3:3 | 0:4,1:4");
    CHECK(plan->is_smallest);
}

TEST_CASE("compaction: only owners that are named move", "[alloc][compaction]") {
    const Cluster cluster = with_jobs("2 x (8c gpu:4)", {{0, 2}, {1, 2}});
    const Request request = compact_gpus(4);
    const std::vector<OwnerId> second{OwnerId(2)};
    const auto plan = plan_compaction(cluster, request, second);
    REQUIRE(plan);
    CHECK(words_of(*plan) == "2>0:2 | 1:4");
    const auto nobody = plan_compaction(cluster, request, std::vector<OwnerId>());
    REQUIRE_FALSE(nobody);
    CHECK(nobody.refusal().constraint == place(cluster, request).refusal().constraint);
    CHECK_THAT(nobody.refusal().reason,
               Catch::Matchers::StartsWith(place(cluster, request).refusal().reason));
}

TEST_CASE("compaction: owners that cannot be asked for are named", "[alloc][compaction]") {
    const Cluster cluster = with_jobs("2 x (8c gpu:4)", {{0, 2}, {1, 2}});
    const auto says = [&](std::vector<OwnerId> movable) {
        return plan_compaction(cluster, compact_gpus(4), movable).refusal();
    };
    CHECK(says({OwnerId(1), OwnerId(9)}) ==
          Refusal{Constraint::invalid, "owner 9 has nothing to move"});
    CHECK(says({OwnerId(2), OwnerId(1), OwnerId(2)}).constraint == Constraint::invalid);
    CHECK_THAT(says({OwnerId(2), OwnerId(2)}).reason, ContainsSubstring("owner 2 stands twice"));
}

TEST_CASE("compaction: no owner gets less than it has", "[alloc][compaction]") {
    // Owner 1 was adopted: its empty request would be content with a core. Owner 2 has more than it
    // asked for.
    Cluster cluster = with_jobs("3 x (8c gpu:4)", {{0, 2}, {1, 2}, {2, 2}});
    const Allocation first = *cluster.release(OwnerId(1));
    REQUIRE(cluster.adopt(OwnerId(1), first.placement).ok());
    NodePlacement more;
    more.node = NodeId(1);
    more.devices = {{DeviceId(3), Count(1)}};
    REQUIRE(cluster.extend(OwnerId(2), {{more}}).ok());
    const Request request = compact_gpus(4);
    const auto plan = plan_compaction(cluster, request, all_owners(cluster));
    REQUIRE(plan);
    CHECK(words_of(*plan) == "3>0:2 | 2:4");
    const std::vector<OwnerId> stay{OwnerId(1), OwnerId(2)};
    CHECK_FALSE(plan_compaction(cluster, request, stay));
}

TEST_CASE("compaction: an owner without request stays, though a core is all it has",
          "[alloc][compaction]") {
    Cluster cluster = *testing::cluster_from_text("2 x (2c)");
    REQUIRE(cluster.adopt(OwnerId(1), {{cores_on(0, 0, 1)}}).ok());
    REQUIRE(cluster.commit({OwnerId(2), ask_cores(1), {{cores_on(1, 0, 1)}}}).ok());
    const std::vector<OwnerId> first{OwnerId(1)};
    CHECK_FALSE(plan_compaction(cluster, ask_cores(2), first));
    const std::vector<OwnerId> second{OwnerId(2)};
    CHECK(plan_compaction(cluster, ask_cores(2), second));
}

TEST_CASE("compaction: a job of any number of nodes is settled without all sets of them",
          "[alloc][compaction]") {
    Cluster cluster = *testing::cluster_from_text("60 x (2c)");
    Request any = ask_cores(1);
    any.nodes = Range<Count>::at_least(Count(1));
    any.excluded_nodes = {"n7"};  // so that nodes differ
    REQUIRE(cluster.commit({OwnerId(1), any, {{cores_on(0, 0, 1)}}}).ok());
    for (std::uint32_t i = 1; i < 60; ++i) {
        REQUIRE(cluster.adopt(OwnerId(100 + i), {{cores_on(i, 0, 2)}}).ok());
    }
    const std::vector<OwnerId> mover{OwnerId(1)};
    const auto none = plan_compaction(cluster, ask_cores(2), mover);
    REQUIRE_FALSE(none);
    CHECK(none.refusal().constraint == Constraint::cores);
    const auto unsure = plan_compaction(cluster, ask_cores(2), mover, {false, {}, {}, 50});
    REQUIRE_FALSE(unsure);
    CHECK(unsure.refusal().constraint == Constraint::gave_up);
}

TEST_CASE("compaction: a search whose budget ends ends", "[alloc][compaction][unsanitized]") {
    SECTION("a job of half the nodes, which nothing else would hold") {
        Cluster cluster = *testing::cluster_from_text("60 x (2c)");
        const Request half = ask_cores(1, 30);
        Placement held;
        for (std::uint32_t i = 0; i < 30; ++i) held.nodes.push_back(cores_on(i, 0, 1));
        REQUIRE(cluster.commit({OwnerId(1), half, held}).ok());
        for (std::uint32_t i = 30; i < 60; ++i) {
            REQUIRE(cluster.adopt(OwnerId(100 + i), {{cores_on(i, 0, 2)}}).ok());
        }
        const auto plan = plan_compaction(cluster, ask_cores(2), std::vector{OwnerId(1)});
        REQUIRE_FALSE(plan);
        CHECK(plan.refusal().constraint == Constraint::gave_up);
    }
    SECTION("many who may move, and nowhere to go") {
        Cluster cluster = *testing::cluster_from_text("10 x (8c gpu:4)");
        for (std::uint32_t i = 0; i < 40; ++i) run_on(cluster, i, i / 4, 1);
        const CompactionRules rules{false, {}, NodeSet(), 1'000};
        const auto plan = plan_compaction(cluster, compact_gpus(4), all_owners(cluster), rules);
        REQUIRE_FALSE(plan);
        CHECK(plan.refusal().constraint == Constraint::gave_up);
    }
}

TEST_CASE("compaction: room for a request that less free room suits better",
          "[alloc][compaction]") {
    // Of an idle node fit() takes the core with two threads, of which the partition gives one.
    ClusterParts parts = *testing::cluster_parts_from_text("2 x (2c)");
    NodeShape shape = *parts.nodes[0].shape;
    shape.hardware.cores[0].threads = {OsIndex(0), OsIndex(2)};
    parts.nodes[0].shape = shape;
    parts.partitions = {{}};
    parts.partitions[0].name = "batch";
    parts.partitions[0].nodes = NodeSet::of({NodeId(0)});
    parts.partitions[0].max_cpus_per_node = Count(1);
    Cluster cluster = *Cluster::create(parts);
    REQUIRE(cluster.commit({OwnerId(1), ask_cores(1), {{cores_on(0, 0, 1)}}}).ok());
    REQUIRE(cluster.commit({OwnerId(2), ask_cores(1), {{cores_on(0, 1, 1)}}}).ok());
    Request request = ask_cores(1);
    request.partition = "batch";
    const auto plan = plan_compaction(cluster, request, all_owners(cluster));
    REQUIRE(plan);
    CHECK(plan->moves.size() == 1);
    CHECK(plan->moves[0].owner == OwnerId(2));
    CHECK(plan->is_smallest);
    check_steps(cluster, request, *plan, false);
}

TEST_CASE("compaction: nodes in one state differ by what a partition has of them",
          "[alloc][compaction]") {
    // n1 and n2 have a core free each; of n1 a job of the partition has all that this gives.
    ClusterParts parts = *testing::cluster_parts_from_text("3 x (2c)");
    parts.partitions = {{}};
    parts.partitions[0].name = "batch";
    parts.partitions[0].nodes = NodeSet::range({0, 3});
    parts.partitions[0].max_cpus_per_node = Count(1);
    Cluster cluster = *Cluster::create(parts);
    Request job = ask_cores(1);
    job.partition = "batch";
    REQUIRE(cluster.commit({OwnerId(1), job, {{cores_on(0, 0, 1)}}}).ok());
    REQUIRE(cluster.commit({OwnerId(2), job, {{cores_on(1, 0, 1)}}}).ok());
    REQUIRE(cluster.adopt(OwnerId(3), {{cores_on(2, 0, 1)}}).ok());
    CHECK(cluster.states().of(NodeId(1)) == cluster.states().of(NodeId(2)));
    CHECK_FALSE(refuse_node(cluster, NodeId(1), job));
    CHECK(detail::tells_nodes_apart(cluster, job));
    CHECK_FALSE(detail::tells_nodes_apart(cluster, ask_cores(1)));
}

TEST_CASE("compaction: where place() gives up nothing is certain", "[alloc][compaction]") {
    Cluster cluster = *testing::cluster_from_text("(3c gpu:2); (3c); (2c gpu:1)");
    const auto gpu = [](std::uint32_t node) {
        NodePlacement part = cores_on(node, 0, 1);
        part.devices = {{DeviceId(0), Count(1)}};
        return part;
    };
    REQUIRE(cluster.commit({OwnerId(1), compact_gpus(1), {{gpu(0)}}}).ok());
    REQUIRE(cluster.commit({OwnerId(2), ask_cores(1), {{cores_on(1, 0, 1)}}}).ok());
    REQUIRE(cluster.commit({OwnerId(3), ask_cores(1), {{cores_on(1, 1, 1)}}}).ok());
    const std::vector<OwnerId> all = all_owners(cluster);
    const auto plan = [&](const std::vector<OwnerId>& movable, std::uint64_t steps) {
        PlaceOptions options;
        options.fit.steps_max = steps;
        return plan_compaction(cluster, ask_cores(3), movable, {}, options);
    };
    const auto sure = plan(all, 1'000'000);
    REQUIRE(sure);
    CHECK(words_of(*sure) == "1>2:1 | 0:0");
    CHECK(sure->is_smallest);
    const auto unsure = plan(all, 4);
    REQUIRE(unsure);
    CHECK(words_of(*unsure) == "2>0:0 3>0:0 | 1:0");
    CHECK_FALSE(unsure->is_smallest);
    const auto none = plan({OwnerId(1)}, 4);
    REQUIRE_FALSE(none);
    CHECK(none.refusal().constraint == Constraint::gave_up);
}

TEST_CASE("compaction: nodes that are alike are asked once", "[alloc][compaction][unsanitized]") {
    // On each of 2,000 nodes eight have to go; on n0 one, for whom another makes room.
    ClusterParts parts =
        *testing::cluster_parts_from_text("(8c gpu:8); (8c gpu:7); (8c gpu:1); 2000 x (8c gpu:8)");
    Cluster cluster = *Cluster::create(parts);
    run_on(cluster, 1, 0, 7);
    run_on(cluster, 2, 1, 1);
    for (std::uint32_t node = 3; node < 2003; ++node) {
        for (std::uint64_t i = 0; i < 8; ++i) run_on(cluster, 8 * node + i, node, 1);
    }
    const Request request = compact_gpus(8);
    const auto plan =
        plan_compaction(cluster, request, all_owners(cluster), {false, {}, {}, 10'000});
    REQUIRE(plan);
    CHECK(words_of(*plan) == "2>2:1 1>1:7 | 0:8");
    CHECK(plan->is_smallest);
}

TEST_CASE("compaction: an owner that moves keeps its licences, and needs no second ones",
          "[alloc][compaction]") {
    ClusterParts parts = *testing::cluster_parts_from_text("2 x (8c gpu:4)");
    parts.counts = {{"matlab", Count(2)}};
    Cluster cluster = *Cluster::create(parts);
    Request job = compact_gpus(2);
    job.cluster_counts = {{"matlab", Count(1)}};
    for (const std::uint32_t node : {0u, 1u}) {
        const NodeSet there = NodeSet::of({NodeId(node)});
        REQUIRE(cluster.commit({OwnerId(node + 1), job, *place(cluster, job, {}, {&there})}).ok());
    }
    const std::vector<OwnerId> all = all_owners(cluster);
    for (const bool is_live : {false, true}) {
        const auto plan = plan_compaction(cluster, compact_gpus(4), all, {is_live, {}, {}});
        REQUIRE(plan);
        CHECK(words_of(*plan) == "1>1:2 | 0:4");
        CHECK(plan->moves[0].to.cluster_counts == job.cluster_counts);
    }
    Request licensed = compact_gpus(4);
    licensed.cluster_counts = job.cluster_counts;
    const auto none = plan_compaction(cluster, licensed, all);
    REQUIRE_FALSE(none);
    CHECK(none.refusal().constraint == Constraint::cluster_counts);
    CHECK(plan_compaction(cluster, licensed, all, {false, {}, {}, 10}) == none);
}

TEST_CASE("compaction: a large cluster in fragments", "[alloc][compaction][unsanitized]") {
    Cluster cluster = *testing::cluster_from_text("60 x (16c gpu:8)");
    Rng rng(7);
    std::uint64_t owner = 0;
    for (std::uint32_t node = 0; node < 60; ++node) {
        for (std::uint64_t jobs = 4 + rng.below(5); jobs > 0; --jobs) {
            run_on(cluster, ++owner, node, 1);
        }
    }
    for (const std::int64_t nodes : {1, 2}) {
        const Request request = compact_gpus(8, nodes);
        const auto plan = plan_compaction(cluster, request, all_owners(cluster));
        REQUIRE(plan);
        CHECK(plan->moves.size() == static_cast<std::size_t>(4 * nodes));
        CHECK(plan->is_smallest == (nodes == 1));
        check_steps(cluster, request, *plan, false);
    }
}

TEST_CASE("compaction: fragments are brought together", "[alloc][compaction]") {
    // A job wants 2 GPUs: one GPU left is a fragment, two are none.
    const Cluster cluster = with_jobs("3 x (8c gpu:2)", {{0, 1}, {1, 1}, {2, 1}});
    PlaceOptions options;
    options.policy = Policy::fgd;
    PolicyOptions::TypicalJob pair;
    pair.devices = Count(2);
    options.policy_options.typical_jobs = std::vector<PolicyOptions::TypicalJob>{pair};
    CHECK(*expected_fragments(cluster, options.policy_options) == 3'000'000);
    const std::vector<OwnerId> all = all_owners(cluster);
    const auto plan = plan_defragmentation(cluster, all, {}, options);
    REQUIRE(plan.ok());
    REQUIRE(plan->moves.size() == 1);
    CHECK(plan->moves[0].owner == OwnerId(1));
    CHECK(plan->before == 3'000'000);
    CHECK(plan->after == 1'000'000);
    CHECK(plan->is_settled);
    const auto none = *plan_defragmentation(cluster, all, {false, Count(0), {}}, options);
    CHECK(none.moves.empty());
    CHECK_FALSE(none.is_settled);
    CHECK(plan_defragmentation(cluster, std::vector{OwnerId(9)}, {}, options).status().code() ==
          StatusCode::kNotFound);
}

TEST_CASE("compaction: typical jobs by which nothing can be measured are an error",
          "[alloc][compaction]") {
    struct Row {
        const char* why;
        std::vector<PolicyOptions::TypicalJob> jobs;
        const char* says;
    };
    const auto job = [](Count devices, Count seen) {
        return PolicyOptions::TypicalJob{MilliCpu(1000), devices, Count(1000), {}, seen};
    };
    const PolicyOptions::TypicalJob good = job(Count(2), Count(1));
    const std::vector<Row> rows{
        {"there are none", {}, "the options name none"},
        {"nobody has seen one", {job(Count(2), Count(0))}, "the options name none"},
        {"more devices than can be counted", {good, job(Count::max(), Count(1))}, "typical job 1"},
    };
    const Cluster cluster = with_jobs("(8c gpu:2)", {{0, 1}});
    for (const Row& row : rows) {
        INFO(row.why);
        PlaceOptions options;
        options.policy_options.typical_jobs = row.jobs;
        const auto measured = expected_fragments(cluster, options.policy_options).status();
        const auto planned =
            plan_defragmentation(cluster, std::vector{OwnerId(1)}, {}, options).status();
        CHECK(measured.code() == StatusCode::kInvalidArgument);
        CHECK_THAT(std::string(message(measured)), ContainsSubstring(row.says));
        CHECK(planned == measured);
    }
}

TEST_CASE("compaction: a move may make another worth while", "[alloc][compaction]") {
    // Once owner 1 has filled the hole beside owner 3, owner 4 can go where it was.
    const Cluster cluster =
        with_jobs("(8c gpu:3); (8c gpu:2); (8c gpu:3)", {{0, 1}, {0, 1}, {1, 1}, {2, 2}});
    PlaceOptions options;
    options.policy = Policy::fgd;
    PolicyOptions::TypicalJob pair;
    pair.devices = Count(2);
    options.policy_options.typical_jobs = std::vector<PolicyOptions::TypicalJob>{pair};
    const auto plan =
        *plan_defragmentation(cluster, std::vector{OwnerId(1), OwnerId(4)}, {}, options);
    REQUIRE(plan.moves.size() == 2);
    CHECK(plan.moves[0].owner == OwnerId(1));
    CHECK(plan.moves[1].owner == OwnerId(4));
    CHECK(plan.before == 3'000'000);
    CHECK(plan.after == 0);
    CHECK(plan.is_settled);
}

}  // namespace trestle
