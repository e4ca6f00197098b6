// SPDX-License-Identifier: Apache-2.0
// Jobs cut into segments whose parts differ: a table, and random small worlds against every choice
// of nodes that is made of whole segments.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "support/uneven_jobs.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

Request segments_of(std::int64_t size, Request request) {
    request.topology.segment_size = Count(size);
    return request;
}

/// Has cores taken on nodes, lowest first.
Cluster with_taken(const char* text, const std::vector<std::uint32_t>& cores) {
    Cluster cluster = *testing::cluster_from_text(text);
    for (std::uint32_t node = 0; node < cores.size(); ++node) {
        if (cores[node] == 0) continue;
        Placement taken;
        taken.nodes.resize(1);
        taken.nodes[0].node = NodeId(node);
        for (std::uint32_t core = 0; core < cores[node]; ++core) {
            taken.nodes[0].cores.insert(CoreId(core));
        }
        REQUIRE(cluster.adopt(OwnerId(node + 1), taken).ok());
    }
    return cluster;
}

/// `n0 1, n1 3`, or the constraint in the way.
std::string tasks_placed(const Cluster& cluster, const Request& request) {
    const auto answer = place(cluster, request);
    if (!answer) return std::string(to_text(answer.refusal().constraint));
    std::string text;
    for (const NodePlacement& part : answer->nodes) {
        text +=
            fmt::format("{}{} {}", text.empty() ? "" : ", ", cluster.name(part.node), part.tasks);
    }
    return text;
}

/// True when some nodes make up whole segments of blocks of `block` nodes and serve the job.
bool has_whole_segments(const Cluster& cluster, const Request& request, std::uint32_t block) {
    Request anywhere = request;
    anywhere.topology = {};
    const std::int64_t size = request.topology.segment_size->value();
    for (std::uint32_t chosen = 1; chosen < 1U << cluster.node_count(); ++chosen) {
        NodeSet nodes;
        std::map<std::uint32_t, std::int64_t> in_block;
        for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
            if ((chosen >> i & 1U) == 0) continue;
            nodes.insert(NodeId(i));
            ++in_block[i / block];
        }
        const auto count = static_cast<std::int64_t>(nodes.count());
        if (!request.nodes.contains(Count(count))) continue;
        bool is_whole = true;
        for (const auto& one : in_block) is_whole &= one.second % size == 0;
        if (!is_whole) continue;
        anywhere.nodes = nodes_exactly(count);
        NodeFilter filter;
        filter.candidates = &nodes;
        if (place(cluster, anywhere, {}, filter)) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("segments: parts that differ", "[alloc]") {
    struct Row {
        const char* cluster;
        std::vector<std::uint32_t> taken;  ///< cores, by node
        Request request;
        const char* expected;
        const char* why;
    };
    const auto packed = [](Request request) {
        request.distribution.split = TaskDistribution::Split::packed;
        return request;
    };
    const auto with_feature = [](Request request) {
        request.feature_counts = {{{"a"}, Count(1)}};
        return request;
    };
    const auto requires_node = [](Request request, const char* name) {
        request.required_nodes = {name};
        return request;
    };
    const Row rows[] = {
        {"2 x (4c) 2 per block",
         {3},
         segments_of(2, tasks_on(nodes_exactly(2), 4)),
         "n0 1, n1 3",
         "the even split does not fit, one and three does"},
        {"2 x (4c) 2 per block",
         {},
         segments_of(2, tasks_on(nodes_exactly(2), 9)),
         "cores",
         "nine tasks on eight cores are a plain no"},
        {"2 x (4c) 2 per block",
         {},
         segments_of(2, tasks_on(nodes_exactly(2), 5)),
         "n0 3, n1 2",
         "an even split whose parts differ"},
        {"4 x (4c) 4 per block",
         {3, 3, 0, 0},
         segments_of(2, tasks_on(nodes_exactly(2), 7)),
         "n2 4, n3 3",
         "two nodes of one block that have room"},
        {"4 x (4c) 2 per block",
         {3, 0, 0, 3},
         segments_of(2, tasks_on(nodes_exactly(2), 6)),
         "topology",
         "six fit on two nodes, but not of one block"},
        {"6 x (4c) 3 per block",
         {3, 3, 0, 3, 2, 0},
         segments_of(2, tasks_on(nodes_exactly(2), 6)),
         "n4 2, n5 4",
         "of three nodes in a block the two with most room"},
        {"6 x (4c) 3 per block",
         {0, 3, 3, 0, 3, 3},
         segments_of(2, tasks_on(nodes_exactly(4), 10)),
         "n0 4, n1 1, n3 4, n4 1",
         "one segment in each block"},
        {"6 x (4c) 3 per block",
         {0, 0, 0, 3, 3, 3},
         segments_of(2, tasks_on(nodes_exactly(4), 11)),
         "topology",
         "three free nodes of a block are one segment, not one and a half"},
        {"4 x (4c) 2 per block",
         {3},
         segments_of(1, tasks_on(nodes_exactly(2), 5)),
         "n2 3, n3 2",
         "segments of one node"},
        {"2 x (4c) 2 per block",
         {},
         packed(segments_of(2, tasks_on(nodes_exactly(2), 5))),
         "n0 4, n1 1",
         "a packed split"},
        {"2 x (4c) 2 per block",
         {3},
         segments_of(2, gpus_on(nodes_exactly(2), 1)),
         "devices",
         "no device at all"},
        {"3 x (4c) 3 per block; (4c features=a)",
         {0, 0, 3},
         with_feature(segments_of(2, tasks_on(nodes_exactly(2), 5))),
         "topology",
         "the feature is not in the block"},
        {"2 x (4c) 2 per block; 2 x (4c features=a) 2 per block",
         {0, 0, 3},
         with_feature(segments_of(2, tasks_on(nodes_exactly(2), 5))),
         "n2 1, n3 4",
         "the segment has the nodes with the feature"},
        {"6 x (4c) 3 per block",
         {3, 3, 0, 3, 2, 0},
         requires_node(segments_of(2, tasks_on(nodes_exactly(2), 5)), "n0"),
         "n0 1, n2 4",
         "the segment has the required node"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        REQUIRE(check(row.request).ok());
        CHECK(tasks_placed(with_taken(row.cluster, row.taken), row.request) == row.expected);
    }
}

TEST_CASE("segments: an uneven job that fits now does not wait", "[alloc]") {
    Timeline timeline(with_taken("2 x (4c) 2 per block", {3}));
    const Request request = segments_of(2, tasks_on(nodes_exactly(2), 4));
    const auto start = earliest_start(timeline, request);
    REQUIRE(start);
    CHECK(start->period.first == timeline.now());
    CHECK(start->is_earliest);
}

TEST_CASE("segments: random worlds, every choice of whole segments", "[alloc][law]") {
    INFO("seed " << test_seed());
    std::uint64_t placed = 0;
    std::uint64_t noes = 0;
    testing::for_random_choices({test_seed(), test_rounds(300U)}, [&](testing::Choices& choices) {
        const auto block = static_cast<std::uint32_t>(2 + choices.below(3));
        const auto blocks = static_cast<std::uint32_t>(1 + choices.below(8 / block));
        const std::string text = fmt::format("{} x (4c gpu:2) {} per block", block * blocks, block);
        std::vector<std::uint32_t> taken;
        for (std::uint32_t i = 0; i < block * blocks; ++i) {
            taken.push_back(static_cast<std::uint32_t>(choices.below(4)));
        }
        const Cluster cluster = with_taken(text.c_str(), taken);
        const auto size = static_cast<std::int64_t>(1 + choices.below(3));
        const auto nodes = size * static_cast<std::int64_t>(1 + choices.below(3));
        Request request =
            choices.one_in(4)
                ? gpus_on(nodes_exactly(nodes), 1 + static_cast<std::int64_t>(choices.below(9)))
                : tasks_on(nodes_exactly(nodes),
                           nodes + static_cast<std::int64_t>(choices.below(12)));
        if (choices.one_in(4)) request.nodes.max = Count(nodes + size);
        if (choices.one_in(4)) request.distribution.split = TaskDistribution::Split::packed;
        if (choices.one_in(4)) request.tasks_per_node = Range<Count>::at_most(Count(3));
        request = segments_of(size, std::move(request));
        if (!check(request).ok()) return;
        const auto answer = place(cluster, request);
        INFO(world_text(cluster, request) << "\nanswer " << to_text(answer));
        REQUIRE(answer.has_value() == has_whole_segments(cluster, request, block));
        if (!answer) {
            ++noes;
            CHECK(answer.refusal().constraint != Constraint::gave_up);
            return;
        }
        ++placed;
        std::map<std::uint32_t, std::int64_t> in_block;
        for (const NodePlacement& one : answer->nodes) ++in_block[one.node.value() / block];
        for (const auto& one : in_block) CHECK(one.second % size == 0);
    });
    CHECK(placed > test_rounds(30U));
    CHECK(noes > test_rounds(30U));
}

}  // namespace trestle
