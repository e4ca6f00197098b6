// SPDX-License-Identifier: Apache-2.0
// PlaceOptions::spare_devices: work without devices comes to nodes with devices last. That every
// policy agrees with its oracle then is for tests/laws.
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

PlaceOptions sparing(Policy policy) {
    PlaceOptions options;
    options.policy = policy;
    options.spare_devices = true;
    return options;
}

Request on_nodes(std::int64_t nodes, std::int64_t gpus) {
    Request request;
    request.nodes = Range<Count>::exactly(Count(nodes));
    if (gpus != 0) {
        request.devices = {DeviceRequest{}};
        request.devices[0].count = Range<Count>::exactly(Count(gpus));
    }
    return request;
}

/// The nodes, by name.
std::string nodes_for(const Cluster& cluster, const Request& request, const PlaceOptions& options) {
    const auto placement = place(cluster, request, options);
    if (!placement) return std::string(to_text(placement.refusal().constraint));
    std::string text;
    for (const NodePlacement& part : placement->nodes) {
        text += (text.empty() ? "" : " ") + cluster.name(part.node);
    }
    return text;
}

Cluster mixed_cluster() {
    auto cluster = testing::cluster_from_text("2 x (2c gpu:2); (8c); (4c)");
    REQUIRE(cluster.ok());
    return *std::move(cluster);
}

}  // namespace

TEST_CASE("spare_devices: work without devices keeps away from them as long as it can") {
    struct Row {
        Policy policy;
        Request request;
        const char* expected;
        const char* why;
    };
    Request leader_and_worker = on_nodes(1, 1);
    leader_and_worker.components = {on_nodes(1, 0)};
    Request named = on_nodes(2, 0);
    named.required_nodes = {"n1"};
    Request none_asked = on_nodes(1, 1);
    none_asked.devices[0].count = Range<Count>::exactly(Count(0));
    Request other_device = on_nodes(1, 1);
    other_device.devices[0].name = "nic";
    const Row rows[] = {
        {Policy::first_fit, on_nodes(1, 0), "n2", "n0 has GPUs"},
        {Policy::best_fit, on_nodes(1, 0), "n3", "n0 would be fuller, but has GPUs"},
        {Policy::worst_fit, on_nodes(1, 0), "n2", "the policy decides among those without"},
        {Policy::first_fit, on_nodes(3, 0), "n0 n2 n3", "two nodes are without GPUs"},
        {Policy::first_fit, on_nodes(1, 1), "n0", "GPUs are asked for"},
        {Policy::first_fit, leader_and_worker, "n0 n2", "each group for itself"},
        {Policy::first_fit, named, "n1 n2", "what the request names comes first"},
        {Policy::first_fit, none_asked, "n2", "no device is asked for"},
        {Policy::first_fit, other_device, "devices", "there is none of that name"},
    };
    const Cluster cluster = mixed_cluster();
    for (const Row& row : rows) {
        INFO(to_text(row.policy) << ": " << row.why);
        CHECK(nodes_for(cluster, row.request, sparing(row.policy)) == row.expected);
    }
    PlaceOptions plain;
    CHECK(nodes_for(cluster, on_nodes(1, 0), plain) == "n0");
}

TEST_CASE("spare_devices: a draw, and a function of the caller's, come after it") {
    const Cluster cluster = mixed_cluster();
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        PlaceOptions options = sparing(Policy::random);
        options.policy_options.seed = seed;
        const std::string one = nodes_for(cluster, on_nodes(1, 0), options);
        CHECK((one == "n2" || one == "n3"));
        const std::string three = nodes_for(cluster, on_nodes(3, 0), options);
        CHECK((three == "n0 n2 n3" || three == "n1 n2 n3"));
    }
    const ScoreFunction most_devices = [](const ScoreInput& input) -> Score {
        return {static_cast<double>(input.before.all_devices - input.before.milli_cpus), 0};
    };
    Placer placer(sparing(Policy::first_fit), most_devices);
    const auto placement = placer.place(cluster, on_nodes(1, 0));
    REQUIRE(placement);
    CHECK(placement->nodes.front().node == NodeId(3));
}

TEST_CASE("spare_devices: what cannot be given, or is not used up, is not spared") {
    ClusterParts parts = mixed_cluster().parts();
    const auto set_all = [&](std::size_t node, auto change) {
        NodeShape shape = *parts.nodes[node].shape;
        for (Device& device : shape.devices) change(device);
        parts.nodes[node].shape = shape;
    };
    set_all(1, [](Device& device) { device.is_drained = true; });
    CHECK(nodes_for(*Cluster::create(parts), on_nodes(1, 0), sparing(Policy::first_fit)) == "n1");
    set_all(0, [](Device& device) { device.is_consumed = false; });
    CHECK(nodes_for(*Cluster::create(parts), on_nodes(1, 0), sparing(Policy::first_fit)) == "n0");

    PlaceOptions nics = sparing(Policy::first_fit);
    nics.policy_options.device = "nic";
    CHECK(nodes_for(mixed_cluster(), on_nodes(1, 0), nics) == "n0");
}

}  // namespace trestle
