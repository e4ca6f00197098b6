// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/compaction.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/oracle_compaction.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

static_assert(lists_all_fields<Move>);
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
    for (const Move& move : plan.moves) {
        text += fmt::format("{}>{} ", move.owner, words_of(move.to));
    }
    return text + "| " + words_of(plan.placement);
}

/// Every move can be made when its turn comes, and then the request fits.
void check_steps(Cluster cluster, const Request& request, const CompactionPlan& plan,
                 bool is_live) {
    const Cluster before = cluster;
    const CompactionOracle oracle(before, request, {}, is_live);
    for (const Move& move : plan.moves) {
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
        {"a chip that is a core away from its GPUs: on the same node, stopped first",
         "(2s2c gpu:2@s0 gpu:2@s1)",
         {{0, 4}},
         compact_gpus(1),
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
            REQUIRE(plan.ok());
            const std::string wanted = is_live ? row.live : row.plan;
            REQUIRE(plan->has_value() == !wanted.empty());
            CHECK(cluster == before);
            if (!*plan) continue;
            CHECK(words_of(**plan) == wanted);
            CHECK((*plan)->is_smallest);
            check_steps(cluster, row.request, **plan, is_live);
        }
    }
}
}  // namespace trestle
