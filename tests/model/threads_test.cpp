// SPDX-License-Identifier: Apache-2.0
// The promise to embedders: const functions may run in parallel on one value, and a copy handed to
// another thread stays valid while the original changes. To be run under ThreadSanitizer.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/testing/cluster_text.hpp"
#include "trestle/testing/generators.hpp"
#include "trestle/testing/node_text.hpp"
#include "trestle/testing/operations.hpp"

namespace trestle {
namespace {

constexpr int thread_count = 4;

/// Runs body(i) on several threads at once and waits for all.
template <class Body>
void in_parallel(Body body) {
    std::vector<std::thread> threads;
    for (int i = 0; i < thread_count; ++i) threads.emplace_back([&body, i] { body(i); });
    for (std::thread& thread : threads) thread.join();
}

TEST_CASE("threads: const functions run in parallel on one node", "[model][threads]") {
    const Node node = testing::node_from_text("2s8c2t mem=64G gpu:8@nvlink name=n0").value();
    const std::string text = to_text(node);
    const auto hash = hash_of(node);
    std::atomic<int> agreeing = 0;
    in_parallel([&](int) {
        const Node copy = node;
        const bool agrees = to_text(node) == text && hash_of(node) == hash && copy == node &&
                            check(*node.shape).ok() &&
                            node.shape->hardware.all_threads().count() == 32;
        agreeing += agrees ? 1 : 0;
    });
    CHECK(agreeing == thread_count);
}

TEST_CASE("threads: default values made at the same time are equal", "[model][threads]") {
    // All of them hold the one empty shape that Shared keeps.
    std::vector<Node> nodes(thread_count);
    in_parallel([&](int i) { nodes[static_cast<std::size_t>(i)] = Node{}; });
    for (const Node& node : nodes) CHECK(node == Node{});
}

TEST_CASE("threads: const functions run in parallel on one cluster", "[model][threads]") {
    const Cluster cluster = testing::cluster_from_text("8 x (2s4c mem=8G gpu:2)").value();
    Request request;
    request.tasks = Count(3);
    request.nodes = Range<Count>::exactly(Count(3));
    request.cpus_per_task = Range<Count>::exactly(Count(3));
    const auto expected = place(cluster, request);
    REQUIRE(expected);
    std::atomic<int> agreeing = 0;
    in_parallel([&](int) {
        const auto found = place(cluster, request);
        agreeing += found == expected && hash_of(cluster) == hash_of(Cluster(cluster)) ? 1 : 0;
    });
    CHECK(agreeing == thread_count);
}

TEST_CASE("threads: copies stay valid while the original changes", "[model][threads]") {
    Cluster original = testing::cluster_from_text("4 x (2s4c mem=8G gpu:2)").value();
    testing::Choices choices(1);
    testing::Bounds::History bounds;
    bounds.count = 60;
    bounds.nodes = original.node_count();
    std::vector<testing::Operation> operations;
    while (operations.size() < 20) operations = testing::any_operations(choices, bounds);

    std::vector<Cluster> copies(thread_count, original);
    std::vector<std::thread> threads;
    for (Cluster& copy : copies) {
        threads.emplace_back([&copy, &operations] {
            for (const auto& operation : operations) testing::play(copy, operation);
        });
    }
    // The original goes the same way meanwhile; what is shared with the copies is only read.
    for (const auto& operation : operations) testing::play(original, operation);
    for (std::thread& thread : threads) thread.join();
    CHECK_FALSE(original.allocations().empty());
    for (const Cluster& copy : copies) CHECK(copy == original);
}

TEST_CASE("threads: a snapshot is read while the original is changed and dies",
          "[model][threads]") {
    auto original =
        std::make_unique<Cluster>(testing::cluster_from_text("4 x (2s4c mem=8G gpu:2)").value());
    const Cluster snapshot = *original;
    const auto hash = hash_of(snapshot);
    std::atomic<bool> is_same = true;
    std::thread reader([&] {
        for (int i = 0; i < 200; ++i) {
            if (hash_of(snapshot) != hash || !snapshot.allocations().empty()) is_same = false;
        }
    });
    for (std::uint32_t i = 0; i < 100; ++i) {
        const auto placement = place(*original, Request{});
        if (!placement || !original->commit({OwnerId(i), {}, *placement}).ok()) break;
        original->set_node_state(NodeId(i % 4), i % 8 < 4 ? NodeState::drained : NodeState::up);
    }
    original.reset();
    reader.join();
    CHECK(is_same);
}

}  // namespace
}  // namespace trestle
