// SPDX-License-Identifier: Apache-2.0
// Nodes that serve several components of a job: a part for each, in every change of a cluster.
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/cluster_bytes.hpp"
#include "trestle/alloc/cluster/cluster_diff.hpp"
#include "trestle/alloc/node/job/cpu_bind.hpp"
#include "trestle/alloc/node/job/device_bind.hpp"
#include "trestle/alloc/node/job/job.hpp"
#include "trestle/alloc/node/job/task_layout.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {

using Catch::Matchers::ContainsSubstring;

namespace {

Cluster two_gpu_nodes() {
    ClusterParts parts = testing::cluster_from_text("2 x (1s8c1t mem=8G gpu:2/4 nic:1/2)")->parts();
    for (Node& node : parts.nodes) {
        NodeShape shape = *node.shape;
        shape.devices[2].is_consumed = false;
        node.shape = Shared<NodeShape>(std::move(shape));
    }
    return *Cluster::create(parts);
}

NodePlacement part_for(std::uint32_t node, std::uint32_t component,
                       std::initializer_list<std::uint32_t> cores) {
    NodePlacement part;
    part.node = NodeId(node);
    part.component = component;
    for (const std::uint32_t core : cores) part.cores.insert(CoreId(core));
    return part;
}

/// A leader and workers on node 0, workers alone on node 1.
Placement leader_and_workers() {
    Placement placement{{part_for(0, 0, {0}), part_for(0, 1, {2, 3}), part_for(1, 1, {4, 5})}};
    placement.nodes[0].memory = {{DomainId(0), gib(1)}};
    placement.nodes[1].memory = {{DomainId(0), gib(2)}};
    placement.nodes[0].devices = {{DeviceId(0), Count(1)}};
    placement.nodes[1].devices = {{DeviceId(0), Count(3)}, {DeviceId(1), Count(4)}};
    return placement;
}

}  // namespace

TEST_CASE("components: what parts of one node take adds up", "[alloc]") {
    const Cluster before = two_gpu_nodes();
    Cluster cluster = before;
    const OwnerId job(7);
    int heard = 0;
    const TraceSink sink = [&](const TraceEvent&) { ++heard; };
    REQUIRE(cluster.commit({job, {}, leader_and_workers()}, sink).ok());
    CHECK(heard == 3);
    const FreeState& free = cluster.free(NodeId(0));
    CHECK(to_text(free.cores) == "1,4-7");
    CHECK(free.memory == std::vector{gib(5)});
    CHECK(free.shares[0] == Count(0));
    CHECK(free.shares[1] == Count(0));
    CHECK(cluster.owners_on(NodeId(0)) == std::vector{job});
    CHECK(cluster.ledger(NodeId(0)).holdings().size() == 1);
    // The same, of one component: nothing but the allocation differs.
    Cluster other = before;
    NodePlacement both = part_for(0, 0, {0, 2, 3});
    both.memory = {{DomainId(0), gib(3)}};
    both.devices = {{DeviceId(0), Count(4)}, {DeviceId(1), Count(4)}};
    REQUIRE(other.commit({job, {}, {{both, part_for(1, 0, {4, 5})}}}).ok());
    CHECK(other.state(NodeId(0)) == cluster.state(NodeId(0)));
    CHECK(other.state(NodeId(1)) == cluster.state(NodeId(1)));

    CHECK(*from_bytes(to_bytes(cluster)) == cluster);
    const ClusterDiff changes = diff(before, cluster);
    REQUIRE(changes.allocations.size() == 1);
    CHECK(changes.allocations[0].after->placement == leader_and_workers());
    REQUIRE(cluster.release(job).ok());
    CHECK(cluster == before);
}

TEST_CASE("components: parts that do not stand side by side are refused", "[alloc]") {
    struct Row {
        const char* why;
        std::function<void(Placement&)> change;
        const char* said;
    };
    const auto at = [](std::size_t i) {
        return [i](Placement& p) -> NodePlacement& { return p.nodes[i]; };
    };
    const std::vector<Row> rows{
        {"one component twice", [&](Placement& p) { at(1)(p).component = 0; },
         "each once, or once for each component"},
        {"components fall", [&](Placement& p) { at(0)(p).component = 2; },
         "each once, or once for each component"},
        {"a core of both", [&](Placement& p) { at(1)(p).cores.insert(CoreId(0)); },
         "component 1: core 0 stands in another component too"},
        {"different rows", [&](Placement& p) { at(1)(p).row = 1; },
         "of another row than those of component 0"},
        {"more memory than there is",
         [&](Placement& p) {
             at(1)(p).memory = {{DomainId(0), gib(8)}};
         },
         "component 1: "},
        {"more shares than the device has",
         [&](Placement& p) { at(0)(p).devices[0].shares = Count(2); }, "component 1: "},
        {"more shares of what is not used up",
         [&](Placement& p) {
             at(0)(p).devices = {{DeviceId(2), Count(2)}};
             at(1)(p).devices = {{DeviceId(2), Count(1)}};
         },
         "device 2 has 2 shares, not 3"},
        {"a device that is not there",
         [&](Placement& p) {
             at(1)(p).devices = {{DeviceId(9), Count(1)}};
         },
         "device 9"},
        {"a domain that is not there",
         [&](Placement& p) {
             at(0)(p).memory = {{DomainId(9), gib(1)}};
         },
         "memory domain 9"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Cluster cluster = two_gpu_nodes();
        const Cluster before = cluster;
        Placement placement = leader_and_workers();
        row.change(placement);
        CHECK_THAT(std::string(cluster.adopt(OwnerId(1), placement).message()),
                   ContainsSubstring(row.said));
        CHECK(cluster == before);
        Timeline timeline(before, Instant(0));
        CHECK_FALSE(timeline.reserve({OwnerId(1), {}, placement}, {Instant(5), Instant(9)}).ok());
    }
}

TEST_CASE("components: parts grow and are given back one by one", "[alloc]") {
    Cluster cluster = two_gpu_nodes();
    const OwnerId job(7);
    REQUIRE(cluster.adopt(job, leader_and_workers()).ok());
    const auto nodes = [&] { return cluster.find_allocation(job)->placement.nodes; };
    REQUIRE(cluster.extend(job, {{part_for(0, 1, {4})}}).ok());
    CHECK(to_text(nodes()[1].cores) == "2-4");
    CHECK(nodes()[1].tasks == Count(2));
    REQUIRE(cluster.extend(job, {{part_for(1, 0, {0})}}).ok());  // a part of its own
    REQUIRE(nodes().size() == 4);
    CHECK(nodes()[2].component == 0);
    NodePlacement other_threads = part_for(0, 0, {6});
    other_threads.threads_per_core = Count(1);
    CHECK_THAT(std::string(cluster.extend(job, {{other_threads}}).message()),
               ContainsSubstring("uses 0 threads of each core, not 1"));

    const Cluster before = cluster;
    CHECK_THAT(std::string(cluster.release_part(job, {{part_for(0, 0, {2})}}).message()),
               ContainsSubstring("component 0"));  // it is component 1's
    CHECK_THAT(std::string(cluster.release_part(job, {{part_for(0, 2, {2})}}).message()),
               ContainsSubstring("nothing there for component 2"));
    CHECK(cluster == before);
    REQUIRE(cluster.release_part(job, component_placement({nodes()}, 0)).ok());
    REQUIRE(nodes().size() == 2);
    CHECK(nodes()[0].component == 1);
    CHECK(to_text(cluster.free(NodeId(0)).cores) == "0-1,5-7");
    REQUIRE(cluster.release_part(job, {{nodes()}}).ok());
    CHECK(cluster.find_allocation(job) == nullptr);
    CHECK(cluster == two_gpu_nodes());
}

TEST_CASE("components: a trial takes them back", "[alloc]") {
    Cluster cluster = two_gpu_nodes();
    const Cluster before = cluster;
    {
        const Cluster::Trial trial = cluster.trial();
        REQUIRE(cluster.adopt(OwnerId(1), leader_and_workers()).ok());
        REQUIRE(cluster.extend(OwnerId(1), {{part_for(0, 1, {4})}}).ok());
        REQUIRE(cluster.release_part(OwnerId(1), {{part_for(0, 0, {0})}}).ok());
    }
    CHECK(cluster == before);
}

TEST_CASE("components: steps, layouts and bindings are of one component", "[alloc]") {
    const Cluster cluster = two_gpu_nodes();
    const std::vector<Node> nodes{cluster.node(NodeId(0)), cluster.node(NodeId(1))};
    const Placement all = leader_and_workers();
    const auto job = JobState::create(nodes, {OwnerId(1), {}, all});
    CHECK_THAT(std::string(job.status().message()), ContainsSubstring("serves components 0 and 1"));
    const auto layout = layout_tasks(nodes, all, Request());
    REQUIRE_FALSE(layout);
    CHECK_THAT(layout.refusal().reason, ContainsSubstring("node n0: the placement has parts"));
    CHECK(layout.refusal().constraint == Constraint::invalid);
    CHECK_FALSE(bind_cpus(nodes, all, {}, {}));
    CHECK_FALSE(bind_devices(nodes, all, {}, {}));

    const Placement workers = component_placement(all, 1);
    REQUIRE(workers.nodes.size() == 2);
    CHECK(JobState::create(nodes, {OwnerId(1), {}, workers}).ok());
    const auto tasks = layout_tasks(nodes, workers, Request());
    REQUIRE(tasks);
    CHECK(tasks->size() == 2);
    CHECK(component_placement(all, 2).nodes.empty());
}

TEST_CASE("components: a timeline keeps a node for all of them together", "[alloc]") {
    Timeline timeline(two_gpu_nodes(), Instant(0));
    const Allocation job{OwnerId(1), {}, leader_and_workers()};
    REQUIRE(timeline.reserve(job, {Instant(10), Instant(20)}).ok());
    Cluster then = timeline.cluster();
    REQUIRE(then.commit(job).ok());
    CHECK(timeline.state(NodeId(0), {Instant(5), Instant(15)}) == then.state(NodeId(0)));
    CHECK(*timeline.free_at(Instant(12)) == then);
    const Allocation late{OwnerId(2), {}, {{part_for(0, 0, {1}), part_for(0, 1, {3})}}};
    CHECK_FALSE(timeline.reserve(late, {Instant(15), Instant(30)}).ok());
    CHECK(timeline.reserve(late, {Instant(20), Instant(30)}).ok());
    REQUIRE(timeline.cancel(OwnerId(1)).ok());
    CHECK(timeline.state(NodeId(0), {Instant(5), Instant(15)}).free.is_idle);
}

}  // namespace trestle
