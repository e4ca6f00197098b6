// SPDX-License-Identifier: Apache-2.0
// Choosing where the nodes of a job lie: Topology/<algorithm>/<state>/<nodes>, the CPU time of one
// answer (changes: of one answer, its nodes taken and given back). States: empty, mixed (0 to all
// nodes of a leaf eligible, evenly), full (one leaf in 20 has some, the others up to 3).
#include <benchmark/benchmark.h>

#include <cstdint>
#include <optional>
#include <string>

#include "alloc/cluster/topology/run_index.hpp"
#include "alloc/cluster/topology/select_box.hpp"
#include "alloc/cluster/topology/select_run.hpp"
#include "alloc/cluster/topology/topology.hpp"
#include "alloc/cluster/topology/torus_index.hpp"
#include "trestle/base/rng.hpp"

namespace trestle {
namespace {

constexpr std::uint32_t nodes_a_leaf = 32;
constexpr std::uint32_t leaves_a_pod = 32;

enum State { empty, mixed, full };
constexpr const char* state_names[] = {"empty", "mixed", "full"};

/// Leaf switches below pods below a top.
TreeTopology tree_of(std::uint32_t node_count) {
    TreeTopology tree{"tree", {{"top", std::nullopt, {}}}};
    std::uint32_t pod = 0;
    for (std::uint32_t leaf = 0; leaf < node_count / nodes_a_leaf; ++leaf) {
        if (leaf % leaves_a_pod == 0) {
            pod = static_cast<std::uint32_t>(tree.switches.size());
            tree.switches.push_back({"pod" + std::to_string(leaf), TreeTopology::SwitchId(0), {}});
        }
        const std::uint32_t first = leaf * nodes_a_leaf;
        tree.switches.push_back({"leaf" + std::to_string(leaf), TreeTopology::SwitchId(pod),
                                 NodeSet::range({first, first + nodes_a_leaf})});
    }
    return tree;
}

BlockTopology blocks_of(std::uint32_t node_count) {
    BlockTopology topology{"blocks", {}, {}};
    for (std::uint32_t first = 0; first < node_count; first += nodes_a_leaf) {
        topology.blocks.push_back(
            {"b" + std::to_string(first), NodeSet::range({first, first + nodes_a_leaf})});
    }
    return topology;
}

template <class Topology>
LeafIndex index_of(const Topology& topology, State state) {
    LeafIndex index{Shared<LeafTree>(LeafTree(topology))};
    Rng rng(1);
    for (std::uint32_t leaf = 0; leaf < index.tree().leaf_count(); ++leaf) {
        const auto any = static_cast<std::uint32_t>(rng.below(nodes_a_leaf + 1));
        const auto few = static_cast<std::uint32_t>(rng.below(4));
        const bool is_few = rng.below(20) != 0;
        index.set_count(leaf, state == empty              ? nodes_a_leaf
                              : state == mixed || !is_few ? any
                                                          : few);
    }
    return index;
}

void choose_leaves(benchmark::State& run, LeafIndex index, const LeafQuestion& question) {
    for (auto _ : run) {
        const auto choice = select_leaves(index, question);
        if (!choice) return run.SkipWithError("no choice");
        for (const LeafShare& share : choice->shares) {
            for (std::uint32_t i = 0; i < share.nodes; ++i) index.remove(share.leaf);
        }
        for (const LeafShare& share : choice->shares) {
            for (std::uint32_t i = 0; i < share.nodes; ++i) index.add(share.leaf);
        }
    }
}

void choose_box(benchmark::State& run, std::uint32_t length, const TorusTopology::Shape& shape) {
    TorusTopology topology{"torus", {{"torus", {length, length, length}, {}}}};
    for (std::uint32_t i = 0; i < length * length * length; ++i) {
        topology.toruses[0].nodes.emplace_back(NodeId(i));
    }
    TorusIndex index(topology);
    Rng rng(3);
    for (std::uint32_t i = 0; i < length * length * length; ++i) {
        if (rng.below(20) != 0) index.add(NodeId(i));
    }
    for (auto _ : run) benchmark::DoNotOptimize(select_box(index, {shape, {}}));
}

void choose_run(benchmark::State& run, std::uint32_t node_count) {
    RunIndex index(node_count);
    Rng rng(4);
    for (std::uint32_t i = 0; i < node_count; ++i) {
        if (rng.below(10) != 0) index.add(i);
    }
    for (auto _ : run) {
        const auto nodes = select_contiguous(index, {8, {}});
        for (const NodeId node : *nodes) index.remove(node.value());
        for (const NodeId node : *nodes) index.add(node.value());
    }
}

void add_leaves(const std::string& name, const LeafIndex& index, const LeafQuestion& question) {
    benchmark::RegisterBenchmark(
        name.c_str(), [=](benchmark::State& run) { choose_leaves(run, index, question); });
}

[[maybe_unused]] const bool are_registered = [] {
    for (const std::uint32_t nodes : {1024u, 102'400u, 1'024'000u}) {
        const std::string size = std::to_string(nodes);
        for (const State state : {empty, mixed, full}) {
            const std::string tail = std::string("/") + state_names[state] + "/" + size;
            add_leaves("Topology/tree_64_changes" + tail, index_of(tree_of(nodes), state),
                       {64, 1, {}, {}, {}});
            if (state == full) continue;
            add_leaves("Topology/blocks_64_by_16_changes" + tail, index_of(blocks_of(nodes), state),
                       {64, 16, {}, {}, {}});
        }
        benchmark::RegisterBenchmark(("Topology/contiguous_8_changes/tenth_taken/" + size).c_str(),
                                     [=](benchmark::State& run) { choose_run(run, nodes); });
    }
    for (const std::uint32_t length : {10u, 48u}) {
        benchmark::RegisterBenchmark(
            ("Topology/box_2x4x8/twentieth_taken/" + std::to_string(length * length * length))
                .c_str(),
            [=](benchmark::State& run) {
                choose_box(run, length, {2, 4, 8});
            });
    }
    return true;
}();

}  // namespace
}  // namespace trestle
