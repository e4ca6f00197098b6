// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/live/pod_starts.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/seed.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/base/rng.hpp"

namespace trestle::container {
namespace {

/// A small cluster in which nodes fill up by CPUs, by devices and by the number of their pods.
std::string random_document(Rng& rng) {
    std::string items;
    const auto add = [&](const std::string& item) { items += (items.empty() ? "" : ",") + item; };
    const auto nodes = 1 + rng.below(3);
    for (std::uint64_t n = 0; n < nodes; ++n) {
        add(fmt::format(
            R"({{"kind": "Node", "metadata": {{"name": "n{}", "labels": {{"zone": "{}"}}}},
             "spec": {{"unschedulable": {}}}, "status": {{"allocatable": {{"cpu": "{}m",
             "pods": {}, "nvidia.com/gpu": {}}},
             "conditions": [{{"type": "Ready", "status": "True"}}]}}}})",
            n, rng.below(2), rng.below(8) == 0 ? "true" : "false", 2500 + 500 * rng.below(4),
            1 + rng.below(4), rng.below(4)));
    }
    const auto pods = 2 + rng.below(9);
    for (std::uint64_t p = 0; p < pods; ++p) {
        const bool runs = rng.below(5) != 0;
        std::string spec = runs ? fmt::format(R"("nodeName": "n{}",)", rng.below(nodes)) : "";
        if (!runs && rng.below(3) == 0) {
            spec += fmt::format(R"("nodeSelector": {{"zone": "{}"}},)", rng.below(2));
        }
        if (rng.below(3) != 0) spec += fmt::format(R"("activeDeadlineSeconds": {},)", rng.below(6));
        add(fmt::format(
            R"({{"kind": "Pod", "metadata": {{"namespace": "a", "name": "p{}"}}, "spec": {{{}
             "containers": [{{"resources": {{"requests": {{"cpu": {}, "nvidia.com/gpu": {}}}}}}}]}},
             "status": {{"phase": "Running"}}}})",
            p, spec, rng.below(3), rng.below(3)));
    }
    return R"({"kind": "List", "items": [)" + items + "]}";
}

/// What runs at a moment, counted anew from the pods that are there then.
Cluster cluster_of(const KubernetesCluster& pods, const std::set<OwnerId>& ended,
                   const std::map<OwnerId, Placement>& started) {
    Cluster cluster = pods.cluster;
    std::vector<std::int64_t> room = pods.pod_room;
    for (const OwnerId owner : ended) {
        const auto was = cluster.release(owner);
        if (was.ok()) ++room[was->placement.nodes.front().node.value()];
    }
    for (const auto& [owner, placement] : started) {
        REQUIRE(cluster.adopt(owner, placement).ok());
        --room[placement.nodes.front().node.value()];
    }
    for (std::uint32_t n = 0; n < cluster.node_count(); ++n) {
        const std::string name = cluster.name(NodeId(n));
        const bool was_full = std::count(pods.full.begin(), pods.full.end(), name) != 0;
        const bool is_open = was_full || cluster.class_of(NodeId(n)).state == NodeState::up;
        if (!is_open) continue;
        cluster.set_node_state(NodeId(n), room[n] > 0 ? NodeState::up : NodeState::drained);
    }
    return cluster;
}

/// pod_starts() by walking all seconds.
std::vector<std::optional<std::pair<Seconds, Placement>>> walked(
    const KubernetesCluster& pods, const std::vector<WaitingPod>& waiting) {
    std::vector<std::optional<std::pair<Seconds, Placement>>> starts(waiting.size());
    std::map<OwnerId, Placement> started;
    std::map<OwnerId, Seconds> ends;
    std::set<OwnerId> ended;
    for (const RunningPod& pod : pods.running) {
        if (pod.ends_in) ends[pod.owner] = *pod.ends_in;
    }
    for (Seconds now; now < Seconds(30); now += Seconds(1)) {
        for (const auto& [owner, end] : ends) {
            if (end > now) continue;
            if (started.erase(owner) == 0) ended.insert(owner);
        }
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            if (starts[i]) continue;
            const Cluster cluster = cluster_of(pods, ended, started);
            const auto placed =
                place(cluster, waiting[i].request, {}, NodeFilter{&waiting[i].nodes, {}});
            if (!placed) continue;
            starts[i] = std::pair(now, *placed);
            const OwnerId owner(1000 + i);
            started[owner] = *placed;
            const auto& limit = waiting[i].request.time_limit;
            if (limit) ends[owner] = now + std::max(*limit, Seconds(1));
        }
    }
    return starts;
}

TEST_CASE("pods: starts are those of a walk through all seconds", "[dialect][container][live]") {
    Rng rng(test_seed());
    std::uint32_t later = 0, never = 0, by_room = 0;
    for (std::uint32_t round = 0; round < test_rounds(2'000u); ++round) {
        const std::string text = random_document(rng);
        INFO(text);
        const auto pods = read_kubernetes_cluster(text);
        REQUIRE(pods.ok());
        by_room += pods->full.empty() ? 0u : 1u;
        const auto starts = pod_starts(*pods, pods->waiting);
        const auto expected = walked(*pods, pods->waiting);
        REQUIRE(starts.size() == expected.size());
        for (std::size_t i = 0; i < starts.size(); ++i) {
            REQUIRE(starts[i].starts_in.has_value() == expected[i].has_value());
            CHECK((starts[i].starts_in == Seconds(0)) ==
                  (starts[i].why.constraint == Constraint::none));
            if (!expected[i]) continue;
            CHECK(*starts[i].starts_in == expected[i]->first);
            CHECK(starts[i].placement == expected[i]->second);
        }
        for (const WaitingPod& pod : pods->waiting) {
            const PodStart alone = pod_start(*pods, pod);
            const auto one = walked(*pods, {pod});
            REQUIRE(alone.starts_in.has_value() == one.front().has_value());
            never += alone.may_ever_start ? 0u : 1u;
            if (!one.front()) continue;
            CHECK(alone.may_ever_start);
            CHECK(*alone.starts_in == one.front()->first);
            CHECK(alone.placement == one.front()->second);
            if (alone.starts_in->is_zero()) continue;
            ++later;
            for (const RunningPod& other : alone.waits_for) {
                CHECK(*other.ends_in <= *alone.starts_in);
            }
        }
    }
    CHECK(later > test_rounds(100u));
    CHECK(never > test_rounds(100u));
    CHECK(by_room > test_rounds(100u));
}

TEST_CASE("pods: a node more takes what one like it would when idle",
          "[dialect][container][live]") {
    Rng rng(test_seed());
    for (std::uint32_t round = 0; round < test_rounds(300u); ++round) {
        const auto pods = read_kubernetes_cluster(random_document(rng));
        REQUIRE(pods.ok());
        KubernetesCluster more = *pods;
        const auto count = static_cast<std::uint32_t>(1 + rng.below(3));
        REQUIRE(add_nodes_like(more, "n0", count).ok());
        REQUIRE(more.cluster.node_count() == pods->cluster.node_count() + count);
        CHECK(more.pod_room.size() == more.cluster.node_count());
        CHECK(more.cluster.name(NodeId(pods->cluster.node_count())) == "n0+1");
        for (std::size_t i = 0; i < more.waiting.size(); ++i) {
            NodeSet added;
            for (std::uint32_t n = pods->cluster.node_count(); n < more.cluster.node_count(); ++n) {
                added.insert(NodeId(n));
            }
            const bool is_admitted = more.waiting[i].nodes.contains(NodeId(0));
            CHECK((more.waiting[i].nodes & added) == (is_admitted ? added : NodeSet()));
            KubernetesCluster idle = *pods;
            for (const RunningPod& pod : pods->running) {
                if (pod.is_pod()) REQUIRE(idle.cluster.release(pod.owner).ok());
            }
            idle.cluster.set_node_state(NodeId(0), NodeState::up);
            const NodeSet first = NodeSet::of({NodeId(0)});
            const Request& request = more.waiting[i].request;
            CHECK(place(more.cluster, request, {}, NodeFilter{&added, {}}).has_value() ==
                  place(idle.cluster, request, {}, NodeFilter{&first, {}}).has_value());
        }
        const KubernetesCluster before = more;
        CHECK(add_nodes_like(more, "n9", 1).code() == absl::StatusCode::kNotFound);
        for (const std::uint32_t wrong : {0u, 100'001u}) {
            CHECK_FALSE(add_nodes_like(more, "n0", wrong).ok());
        }
        CHECK(more == before);
    }
}

TEST_CASE("pods: one that does not fit its node gives its room back",
          "[dialect][container][live]") {
    std::string items = R"({"kind": "Node", "metadata": {"name": "a"}, "status": {
        "allocatable": {"cpu": "3500m", "pods": 3, "nvidia.com/gpu": 2},
        "conditions": [{"type": "Ready", "status": "True"}]}})";
    for (std::uint32_t i = 0; i < 3; ++i) {
        items += fmt::format(R"(,{{"kind": "Pod", "metadata": {{"namespace": "d", "name": "r{}"}},
            "spec": {{"nodeName": "a", {} "containers": [{{"resources": {{"requests": {{
            "nvidia.com/gpu": 9}}}}}}]}}}})",
                             i, i == 0 ? R"("activeDeadlineSeconds": 60,)" : "");
    }
    for (std::uint32_t i = 1; i < 3; ++i) {
        items += fmt::format(R"(,{{"kind": "Pod", "metadata": {{"namespace": "d", "name": "w{}"}},
            "spec": {{"containers": [{{"resources": {{"requests": {{"cpu": 1}}}}}}]}}}})",
                             i);
    }
    auto pods = read_kubernetes_cluster(R"({"kind": "List", "items": [)" + items + "]}");
    REQUIRE(pods.ok());
    REQUIRE(pods->waiting.size() == 2);
    CHECK(pods->pod_room == std::vector<std::int64_t>{0});
    const PodStart alone = pod_start(*pods, pods->waiting[1]);
    CHECK(alone.may_ever_start);
    CHECK(alone.starts_in == Seconds(60));
    REQUIRE(alone.waits_for.size() == 1);
    CHECK(alone.waits_for[0].name == "d/r0");
    REQUIRE(add_nodes_like(*pods, "a", 1).ok());
    CHECK(pods->pod_room == std::vector<std::int64_t>{0, 3});
    for (const PodStart& start : pod_starts(*pods, pods->waiting)) {
        CHECK(start.starts_in == Seconds(0));
    }
}

TEST_CASE("pods: an end that is too far away is none", "[dialect][container][live]") {
    const auto pods = read_kubernetes_cluster(R"({"kind": "List", "items": [
        {"kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"cpu": 2, "pods": 3},
         "conditions": [{"type": "Ready", "status": "True"}]}}]})");
    REQUIRE(pods.ok());
    Request request;
    request.milli_cpus = cpus(2);
    request.cpus_per_task = Range<Count>::exactly(Count(0));
    request.time_limit = Seconds(5);
    const WaitingPod first = pod_of_request(*pods, request);
    request.time_limit = Seconds::max();
    const WaitingPod last = pod_of_request(*pods, request);
    const auto starts = pod_starts(*pods, {first, last, last});
    REQUIRE(starts.size() == 3);
    CHECK(starts[1].starts_in == Seconds(5));
    CHECK_FALSE(starts[2].starts_in);
    CHECK(starts[2].may_ever_start);
}

TEST_CASE("pods: a request that is none is refused", "[dialect][container][live]") {
    Rng rng(test_seed());
    const auto pods = read_kubernetes_cluster(random_document(rng));
    REQUIRE(pods.ok());
    Request request;
    request.nodes = {Count(3), Count(1)};
    const WaitingPod pod = pod_of_request(*pods, request);
    const PodStart start = pod_start(*pods, pod);
    CHECK(start.why.constraint == Constraint::invalid);
    CHECK_FALSE(start.may_ever_start);
    CHECK(pod_starts(*pods, {pod}) == std::vector<PodStart>{start});
}

}  // namespace
}  // namespace trestle::container
