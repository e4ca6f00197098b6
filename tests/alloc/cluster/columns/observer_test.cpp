// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/columns/observer.hpp"
#include "alloc/cluster/node_part.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/random_job.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using testing::Choices;
using testing::cluster_from_text;
using testing::for_random_choices;

/// Tables for a layout, with numbers in them that nobody would write.
struct ObservedTables {
    explicit ObservedTables(const Observer::Layout& layout)
        : free(layout.nodes * layout.resources.size(), -7),
          devices(layout.nodes * layout.devices, -7),
          cores(layout.nodes * layout.core_words, 7),
          fragments(layout.nodes, -7),
          usable(std::make_unique<bool[]>(layout.nodes)),
          nodes(layout.nodes) {}

    [[nodiscard]] Observer::Observation all() {
        return {free, devices, cores, fragments, {usable.get(), nodes}};
    }
    friend bool operator==(const ObservedTables& a, const ObservedTables& b) {
        return a.free == b.free && a.devices == b.devices && a.cores == b.cores &&
               a.fragments == b.fragments &&
               std::equal(a.usable.get(), a.usable.get() + a.nodes, b.usable.get());
    }

    std::vector<std::int64_t> free;
    std::vector<std::int64_t> devices;
    std::vector<std::uint64_t> cores;
    std::vector<double> fragments;
    std::unique_ptr<bool[]> usable;
    std::size_t nodes;
};

TEST_CASE("Observer: what is free, by node", "[alloc][columns]") {
    Cluster cluster =
        *cluster_from_text("1 x (1s4c2t mem=8G gpu:a100:2 nic:2) + 1 x (1s2c1t mem=4G)");
    Observer::Options options;
    options.typical_jobs = std::vector<PolicyOptions::TypicalJob>{PolicyOptions::TypicalJob()};
    Observer observer(cluster, options);
    CHECK(observer.layout() == Observer::Layout{2, {"cpu", "memory", "gpu", "nic"}, 2, 1});
    ObservedTables tables(observer.layout());
    REQUIRE(observer.observe(cluster, tables.all()).ok());
    const std::int64_t gib = std::int64_t{1} << 30;
    CHECK(tables.free == std::vector<std::int64_t>{8000, 8 * gib, 2000, 2000, 2000, 4 * gib, 0, 0});
    CHECK(tables.devices == std::vector<std::int64_t>{1000, 1000, -1, -1});
    CHECK(tables.cores == std::vector<std::uint64_t>{0xf, 0x3});
    CHECK(tables.usable[0]);

    Request request;
    request.devices.emplace_back();
    request.memory = Range<Bytes>::exactly(Bytes(gib));
    const auto found = place(cluster, request);
    REQUIRE(found);
    REQUIRE(cluster.commit({OwnerId(1), request, *found}).ok());
    const auto changed = observer.observe(cluster, tables.all());
    REQUIRE(changed.ok());
    CHECK(std::vector<NodeId>(changed->begin(), changed->end()) == std::vector<NodeId>{NodeId(0)});
    CHECK(tables.free == std::vector<std::int64_t>{6000, 7 * gib, 1000, 2000, 2000, 4 * gib, 0, 0});
    CHECK(tables.devices == std::vector<std::int64_t>{0, 1000, -1, -1});
    CHECK(tables.cores == std::vector<std::uint64_t>{0xe, 0x3});
    CHECK(observer.observe(cluster, tables.all())->empty());
}

TEST_CASE("Observer: tables that do not fit, and another cluster", "[alloc][columns]") {
    const Cluster cluster = *cluster_from_text("2 x (1s4c1t mem=8G gpu:2)");
    Observer observer(cluster);
    ObservedTables tables(observer.layout());
    const ObservedTables before(observer.layout());
    tables.free.pop_back();
    CHECK(message(observer.observe(cluster, tables.all()).status()) ==
          "free: 5 entries, expected 6");
    tables.free.push_back(-7);
    const Cluster other = *cluster_from_text("3 x (1s4c1t mem=8G gpu:2)");
    CHECK(observer.observe(other, tables.all()).status().code() == StatusCode::kInvalidArgument);
    CHECK(tables == before);
    Observer::Observation some;
    some.free = tables.free;  // the others are not wanted
    CHECK(observer.observe(cluster, some)->size() == 2);
    CHECK(tables.devices == before.devices);
}

/// By adding up what everybody has.
void check_row(const Cluster& cluster, NodeId node, const Observer::Layout& layout,
               const ObservedTables& tables) {
    const NodeShape& shape = cluster.shape(node);
    CoreSet cores;
    for (std::uint32_t c = 0; c < shape.hardware.core_count(); ++c) cores.insert(CoreId(c));
    std::int64_t memory = 0;
    for (const MemoryDomain& one : shape.memory) {
        if (one.is_ordinary()) memory += (one.capacity - one.reserved).value();
    }
    std::vector<std::int64_t> shares;
    for (const Device& device : shape.devices) shares.push_back(device.shares.value());
    std::int64_t milli_cpus = 0;
    for (const Allocation& held : cluster.allocations()) {
        for (const NodePlacement& part : detail::parts_on(held.placement, node)) {
            cores -= part.cores;
            milli_cpus += part.milli_cpus.value();
            for (const MemoryShare& share : part.memory) {
                if (shape.memory[share.domain.value()].is_ordinary()) memory -= share.bytes.value();
            }
            for (const DeviceShare& share : part.devices) {
                shares[share.device.value()] -= share.shares.value();
            }
        }
    }
    const std::int64_t* const free = tables.free.data() + node.value() * layout.resources.size();
    const auto threads = static_cast<std::int64_t>(shape.hardware.threads_of(cores).count());
    REQUIRE(free[0] == 1000 * threads - milli_cpus);
    REQUIRE(free[1] == memory);
    std::vector<std::int64_t> sums(layout.resources.size(), 0);
    std::size_t shown = node.value() * layout.devices;
    for (std::size_t d = 0; d < shares.size(); ++d) {
        if (!shape.devices[d].is_consumed) continue;
        const std::int64_t left = 1000 * shares[d] / shape.devices[d].shares.value();
        for (std::size_t r = 2; r < sums.size(); ++r) {
            if (layout.resources[r] == shape.devices[d].name) sums[r] += left;
        }
        if (shape.devices[d].name == "gpu") REQUIRE(tables.devices[shown++] == left);
    }
    for (; shown < (node.value() + 1) * layout.devices; ++shown)
        REQUIRE(tables.devices[shown] == -1);
    for (std::size_t r = 2; r < sums.size(); ++r) REQUIRE(free[r] == sums[r]);
    for (std::uint32_t c = 0; c < 64 * layout.core_words; ++c) {
        const std::uint64_t word = tables.cores[node.value() * layout.core_words + c / 64];
        REQUIRE((word >> (c % 64) & 1) == (cores.contains(CoreId(c)) ? 1u : 0u));
    }
    REQUIRE(tables.usable[node.value()] == is_usable(cluster.class_of(node)));
}

/// A job comes, one goes, or a node is another than before.
void change_something(Choices& choices, Cluster& cluster, std::uint64_t next_owner) {
    if (choices.one_in(4)) {
        const NodeId node(static_cast<std::uint32_t>(choices.below(cluster.node_count())));
        if (cluster.class_of(node).state == NodeState::removed) return;
        if (choices.one_in(6)) return static_cast<void>(cluster.remove_node(node));
        cluster.set_node_state(node, choices.one_in(2) ? NodeState::up : NodeState::drained);
        return;
    }
    if (choices.one_in(3) && cluster.allocation_count() > 0) {
        static_cast<void>(cluster.release(OwnerId(1 + choices.below(next_owner))));
        return;
    }
    const Request request = any_job(choices, cluster, {true, false});
    if (!check(request).ok()) return;
    const auto found = place(cluster, request);
    if (found) REQUIRE(cluster.commit({OwnerId(next_owner), request, *found}).ok());
}

TEST_CASE("law: an observer that follows a cluster shows what all owners have",
          "[alloc][columns][law]") {
    std::uint64_t written = 0;
    std::uint64_t rows = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(300u)}, [&](Choices& choices) {
        Cluster cluster = any_job_world(choices, {6, false});
        Observer::Options options;
        options.typical_jobs = any_typical_jobs(choices);
        Observer following(cluster, options);
        ObservedTables tables(following.layout());
        for (std::uint64_t step = 1; step <= 12; ++step) {
            const auto changed = following.observe(cluster, tables.all());
            REQUIRE(changed.ok());
            written += changed->size();
            rows += cluster.node_count();
            Observer fresh(cluster, options);
            REQUIRE(fresh.layout() == following.layout());
            ObservedTables expected(fresh.layout());
            REQUIRE(fresh.observe(cluster, expected.all())->size() == cluster.node_count());
            REQUIRE(tables == expected);
            for (std::uint32_t n = 0; n < cluster.node_count(); ++n) {
                check_row(cluster, NodeId(n), fresh.layout(), tables);
            }
            change_something(choices, cluster, 100 + step);
        }
    });
    CHECK(written < rows / 2);
    CHECK(written > rows / 10);
}

}  // namespace
}  // namespace trestle
