// SPDX-License-Identifier: Apache-2.0
// Whatever happened to a cluster, it equals the one that is made from nothing; an operation that
// fails leaves it as it was; copies stay what they were.
#include <cstdint>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/cluster_history.hpp"
#include "support/seed.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using testing::for_random_choices;

/// `count` operations in histories of 200.
void check_histories(std::uint64_t count) {
    constexpr std::uint64_t steps = 200;
    HistoryCounts sum;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), count / steps}, [&](Choices& choices) {
        ClusterHistory history(choices);
        history.run(steps);
        const HistoryCounts& one = history.counts();
        sum.done += one.done;
        sum.refused += one.refused;
        sum.placed += one.placed;
        sum.extended += one.extended;
        sum.parts_released += one.parts_released;
        sum.trials += one.trials;
        sum.described += one.described;
    });
    CHECK(sum.done > count / 4);
    CHECK(sum.refused > count / 10);
    CHECK(sum.placed > count / 50);
    CHECK(sum.extended > count / 200);
    CHECK(sum.parts_released > count / 50);
    CHECK(sum.trials > count / 50);
    CHECK(sum.described > count / 50);
}

}  // namespace

TEST_CASE("law: a cluster equals the one made from nothing, whatever happened", "[law]") {
    check_histories(test_rounds(8'000u));
}

TEST_CASE("law: a cluster equals the one made from nothing after 200,000 operations",
          "[law][slow]") {
    check_histories(200'000);
}

TEST_CASE("law: a cluster equals the one made from nothing after 10 million operations",
          "[law][long]") {
    check_histories(10'000'000);
}

namespace {

/// Two nodes of two cores and a device of two shares, so small that all of it can be gone through.
struct SmallWorld {
    ClusterModel model;
    Cluster cluster;

    SmallWorld() {
        auto parts = *testing::cluster_parts_from_text("2 x (2c mem=2G gpu:1/2)");
        parts.counts = {{"abaqus", Count(1)}};
        parts.fleets = {{}, {}};
        parts.fleets[0].name = "red";
        parts.fleets[1].name = "blue";
        model = ClusterModel(parts);
        cluster = *Cluster::create(parts);
    }

    [[nodiscard]] static Placement share_of(std::uint32_t node, std::int64_t shares) {
        NodePlacement part;
        part.node = NodeId(node);
        part.cores = CoreSet::of({CoreId(0)});
        part.devices = {{DeviceId(0), Count(shares)}};
        return {{part}};
    }
    /// What can happen, by number; false when there is no such number.
    Status act(std::uint64_t number, StatusCode& expected) {
        const NodeId first(0);
        const Placement whole = share_of(0, 2);
        NodePlacement second;
        second.node = NodeId(1);
        second.cores = CoreSet::range({0, 2});
        const Placement licensed{{second}, {{"abaqus", Count(1)}}};
        NodePlacement core;
        core.cores = CoreSet::of({CoreId(1)});
        const OwnerId a(1);
        const OwnerId b(2);
        switch (number) {
            case 0:
                expected = model.commit({a, {}, whole});
                return cluster.commit({a, {}, whole});
            case 1:
                expected = model.commit({b, {}, licensed});
                return cluster.commit({b, {}, licensed});
            case 2:
                expected = model.release(a);
                return cluster.release(a).status();
            case 3:
                expected = model.extend(b, {{core}});
                return cluster.extend(b, {{core}});
            case 4:
                expected = model.release_part(a, share_of(0, 1));
                return cluster.release_part(a, share_of(0, 1));
            case 5:
                expected = model.release_part(b, {{core}});
                return cluster.release_part(b, {{core}});
            case 6:
                expected = model.remove_node(first);
                return cluster.remove_node(first);
            case 7:
                expected = model.add_to_fleet("red", first);
                return cluster.add_to_fleet("red", first);
            case 8:
                expected = model.add_to_fleet("blue", first);
                return cluster.add_to_fleet("blue", first);
            default:
                expected = model.set_counts({});
                return cluster.set_counts({});
        }
    }
    static constexpr std::uint64_t acts = 10;
};

}  // namespace

TEST_CASE("law: all short histories of a small cluster, tried, undone and done again",
          "[law][slow]") {
    const std::uint64_t histories = testing::for_all_choices([](Choices& choices) {
        SmallWorld world;
        const auto happen = [&] {
            StatusCode expected = StatusCode::kOk;
            const Cluster before = world.cluster;
            const Status status = world.act(choices.below(SmallWorld::acts), expected);
            if (status.code() != expected) FAIL(status);
            if (!status.ok() && !(world.cluster == before)) FAIL("a failure changed something");
        };
        happen();
        happen();
        const ClusterModel before = world.model;
        {
            const Cluster::Trial trial = world.cluster.trial();
            happen();
            happen();
        }
        world.model = before;
        happen();
        const std::string difference = world.model.difference(world.cluster);
        if (!difference.empty()) FAIL(difference);
        if (!(world.cluster == rebuilt(world.model))) FAIL("not what a rebuild gives");
    });
    CHECK(histories == 100'000);
}

TEST_CASE("law: copies are read while the original changes", "[law][threads]") {
    INFO("seed " << test_seed());
    Choices choices(test_seed());
    ClusterHistory history(choices);
    for (int round = 0; round < 20; ++round) {
        history.run(20);
        const Cluster copy = history.cluster();
        const ClusterModel model = history.model();
        std::vector<std::string> differences(3);
        std::vector<std::thread> readers;
        for (std::string& difference : differences) {
            readers.emplace_back([&difference, &model, copy] {
                for (int i = 0; i < 20 && difference.empty(); ++i) {
                    const Cluster mine = copy;
                    difference = model.difference(mine);
                }
            });
        }
        history.run(20);
        for (std::thread& reader : readers) reader.join();
        for (const std::string& difference : differences) CHECK(difference == "");
    }
}

}  // namespace trestle
