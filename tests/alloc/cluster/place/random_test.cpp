// SPDX-License-Identifier: Apache-2.0
// The policy `random`: what is drawn, how evenly, and that the same seed draws the same.
#include <array>
#include <cstdint>
#include <set>

#include "support/catch.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

PlaceOptions at_random(std::uint64_t seed) {
    PlaceOptions options;
    options.policy = Policy::random;
    options.policy_options.seed = seed;
    return options;
}

/// A part of one GPU.
Request part_of_one(std::int64_t shares) {
    Request request;
    request.devices = {DeviceRequest{}};
    request.devices[0].shares = Count(shares);
    return request;
}

/// GPUs that are cut in four.
Cluster shared_gpus(const char* text) {
    ClusterParts parts = testing::cluster_from_text(text)->parts();
    for (Node& node : parts.nodes) {
        NodeShape shape = *node.shape;
        for (Device& device : shape.devices) device.shares = Count(4);
        node.shape = shape;
    }
    return *Cluster::create(parts);
}

}  // namespace

TEST_CASE("random: a part of one device is taken of any that has enough", "[alloc][unsanitized]") {
    Cluster cluster = shared_gpus("2 x (4c gpu:4)");
    NodePlacement taken;
    taken.node = NodeId(0);
    taken.devices = {{DeviceId(1), Count(3)}};
    REQUIRE(cluster.commit({OwnerId(1), {}, {{taken}, {}}}).ok());
    std::array<std::array<int, 4>, 2> drawn{};
    for (std::uint64_t seed = 0; seed < 7'000; ++seed) {
        const auto placement = place(cluster, part_of_one(2), at_random(seed));
        REQUIRE(placement);
        const NodePlacement& part = placement->nodes.front();
        REQUIRE(part.devices.size() == 1);
        ++drawn[part.node.value()][part.devices.front().device.value()];
        CHECK(placement == place(cluster, part_of_one(2), at_random(seed)));
    }
    CHECK(drawn[0][1] == 0);  // one share is left
    for (const std::size_t device : {0U, 2U, 3U}) CHECK(std::abs(drawn[0][device] - 1167) < 150);
    for (const int count : drawn[1]) CHECK(std::abs(count - 875) < 130);
}

TEST_CASE("random: the next decision draws anew, on the same node too") {
    Cluster cluster = shared_gpus("(8c gpu:4)");
    Placer placer(at_random(7));
    const PreparedRequest request(part_of_one(1));
    std::set<std::uint32_t> drawn;
    for (std::uint64_t owner = 1; owner < 40; ++owner) {
        const auto placement = placer.place(cluster, request);
        REQUIRE(placement);
        CHECK(placement == placer.place(cluster, request));  // nothing has changed
        drawn.insert(placement->nodes.front().devices.front().device.value());
        REQUIRE(cluster.commit({OwnerId(owner), request, *placement}).ok());
        REQUIRE(cluster.release(OwnerId(owner)).ok());
        REQUIRE(cluster.commit({OwnerId(100 + owner), {}, {}}).ok());  // the state stays as it was
    }
    CHECK(drawn.size() == 4);
}

TEST_CASE("random: whole devices are those that fit() chooses") {
    const Cluster cluster = *testing::cluster_from_text("(4c gpu:4)");
    Request request;
    request.devices = {DeviceRequest{}};
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto placement = place(cluster, request, at_random(seed));
        REQUIRE(placement);
        CHECK(placement->nodes.front().devices.front().device == DeviceId(0));
    }
}

}  // namespace trestle
