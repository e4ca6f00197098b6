// SPDX-License-Identifier: Apache-2.0
// Calls that take a cluster as it is now.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "growth.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/cluster_bytes.hpp"
#include "trestle/alloc/cluster/cluster_diff.hpp"
#include "trestle/alloc/cluster/columns/node_columns.hpp"
#include "trestle/alloc/cluster/columns/observer.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/place_many.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/alloc/schedule/compaction.hpp"
#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/alloc/schedule/preemption.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/testing/operations.hpp"

namespace trestle::growth {
namespace {

NodeSet all_nodes(const Cluster& cluster) {
    NodeSet nodes;
    for (std::uint32_t n = 0; n < cluster.node_count(); ++n) nodes.insert(NodeId(n));
    return nodes;
}

Partition partition_of(const Cluster& cluster) {
    Partition all;
    all.name = "all";
    all.nodes = all_nodes(cluster);
    return all;
}

/// Leaf switches of 32 nodes below one.
Network network_of(const Cluster& cluster) {
    TreeTopology tree;
    tree.name = "tree";
    tree.switches.push_back({"top", {}, {}});
    for (std::uint32_t n = 0; n < cluster.node_count(); ++n) {
        if (n % 32 == 0) {
            tree.switches.push_back({"s" + std::to_string(n), TreeTopology::SwitchId(0), {}});
        }
        tree.switches.back().nodes.insert(NodeId(n));
    }
    Network network;
    network.trees.push_back(std::move(tree));
    return network;
}

std::size_t read_node(const Cluster& cluster, NodeId id) {
    return cluster.node(id).name.size() + cluster.class_of(id).features.size() +
           cluster.shape(id).devices.size() + cluster.owners_on(id).size() +
           cluster.ledger(id).holdings().size() + cluster.free(id).memory.size() +
           cluster.state(id).free.shares.size() + cluster.find_node(cluster.name(id))->value();
}

std::size_t read_whole(const Cluster& cluster) {
    (void)cluster.states();
    (void)cluster.classes();
    (void)cluster.journal();
    (void)cluster.description();
    return cluster.node_count() + cluster.allocation_count() + cluster.network().trees.size() +
           cluster.partitions().size() + cluster.fleets().size() + cluster.counts().size() +
           cluster.free_counts().size() + cluster.last_owner()->value() +
           cluster.find_allocation(OwnerId(2))->placement.nodes.size();
}

/// A job that comes, grows, shrinks and goes.
bool resize(Cluster& cluster, const Placement& first, const Placement& second) {
    return cluster.adopt(newcomer, first).ok() && cluster.extend(newcomer, second).ok() &&
           cluster.release_part(newcomer, second).ok() && cluster.release(newcomer).ok();
}

void count_descriptions(const Cluster& half) {
    Cluster own = half;
    measure("set_node_state, health, weight, features", [&] {
        own.set_node_state(NodeId(0), NodeState::drained);
        own.set_node_health(NodeId(0), Health::warning);
        own.set_node_weight(NodeId(0), 7);
        own.set_node_features(NodeId(0), {"f"});
        return true;
    });
    own = half;
    measure("add_node, remove_node", [&] {
        Node node = own.node(NodeId(0));
        node.name = "newcomer";
        return own.remove_node(*own.add_node(node)).ok();
    });
    const Partition partition = partition_of(own);
    (void)measure("set_partitions", [&] { return own.set_partitions({partition}); });
    Request in_partition = *gpus(1, 1);
    in_partition.partition = "all";
    (void)measure("place in a partition", [&] { return place(own, in_partition); });
    Network network = network_of(own);
    (void)measure("set_network", [&] { return own.set_network(std::move(network)); });
    Request below_switch = *gpus(16, 8);
    below_switch.topology.switches_max = Count(1);
    (void)measure("place below a switch", [&] { return place(own, below_switch); });
    measure("set_fleets, add and remove a node of it", [&] {
        Fleet fleet;
        fleet.name = "f";
        return own.set_fleets({fleet}).ok() && own.add_to_fleet("f", NodeId(0)).ok() &&
               own.remove_from_fleet("f", NodeId(0)).ok();
    });
    (void)measure("set_counts", [&] { return own.set_counts({{"licence", Count(3)}}); });
}

}  // namespace

void count_placing(const Cluster& half) {
    const Watched watched;
    const PreparedRequest one = gpus(1, 1);
    const PreparedRequest wide = gpus(64, 8);
    (void)measure("place", [&] { return place(half, one); });
    (void)measure("place 64 nodes", [&] { return place(half, wide); });
    (void)measure("place a never", [&] { return place(half, gpus(1, 9)); });

    Cluster own = half;
    Placer placer;
    (void)placer.place(own, one);
    (void)placer.place(own, wide);
    auto placed = measure("Placer again", [&] { return placer.place(own, one); });
    require(placed.has_value(), "room for one GPU");
    (void)measure("Placer again 64 nodes", [&] { return placer.place(own, wide); });
    measure("commit and release", [&] {
        require(own.commit({newcomer, one, *placed}).ok(), "a commit");
        return own.release(newcomer).ok();
    });
    measure("Placer and commit 100 alike", [&] {
        for (std::uint64_t i = 0; i < 100; ++i) {
            require(own.commit({OwnerId(30'000'000 + i), one, *placer.place(own, one)}).ok(),
                    "a job");
        }
        return true;
    });
    measure("Placer 20 that differ", [&] {
        for (std::int64_t i = 0; i < 20; ++i) (void)placer.place(own, gpus(1, 1, 17 + i));
        return true;
    });
    measure("trial with a job", [&] {
        auto trial = own.trial();
        return own.commit({newcomer, one, *placer.place(own, one)}).ok();
    });
    std::vector<JobOrder> orders;
    std::vector<OwnerId> owners;
    for (std::uint64_t i = 0; i < 100; ++i) {
        owners.push_back(OwnerId(40'000'000 + i));
        orders.push_back({owners.back(), one});
    }
    (void)measure("place_many 100", [&] { return place_many(own, orders, placer); });
    require(measure("release_many 100", [&] { return release_many(own, owners); }).ok(), "100");
    (void)measure("explain a never", [&] { return explain(half, gpus(1, 9)); });
    (void)measure("explain a no of 64 nodes", [&] { return explain(half, gpus(64, 8, 4096)); });
}

void count_reading_and_changing(const Cluster& half) {
    const Watched watched;
    (void)measure("what is known of a node", [&] { return read_node(half, NodeId(2)); });
    (void)measure("what is known of the whole", [&] { return read_whole(half); });
    (void)measure("allocations", [&] { return half.allocations(); });
    (void)measure("text of a placement",
                  [&] { return to_text(half.find_allocation(OwnerId(2))->placement, half); });

    Cluster own = measure("copy of a cluster", [&] { return half; });
    require(own.release(OwnerId(0)).ok(), "a job to end");
    (void)measure("diff of a job", [&] { return diff(half, own); });
    (void)measure("nodes and owners that differ", [&] {
        std::uint64_t sum = 0;
        half.for_each_different_node(own, [&](NodeId id) { sum += id.value(); });
        half.for_each_different_owner(own, [&](OwnerId id) { sum += id.value(); });
        return sum;
    });
    (void)measure("two clusters compared", [&] { return half == own; });
    measure("a change, trial, mark and rollback", [&] {
        auto trial = own.trial();
        const auto mark = trial.mark();
        require(own.release(OwnerId(2)).ok(), "a job to end");
        trial.rollback(mark);
        return true;
    });
    const Placement first = *place(half, gpus(1, 1));
    own = half;
    require(own.adopt(newcomer, first).ok(), "room for a job");
    const Placement second = *place(own, gpus(1, 1));
    require(own.release(newcomer).ok(), "its end");
    require(
        measure("adopt, extend, release_part, release", [&] { return resize(own, first, second); }),
        "a job that is resized");
    testing::Operation submit;
    submit.owner = newcomer;
    submit.request = *gpus(1, 1);
    measure("testing::play", [&] {
        testing::play(own, submit);
        return true;
    });
    count_descriptions(half);
    (void)measure("hash of a cluster", [&] { return hash_of(half); });
    const auto bytes = measure("to_bytes", [&] { return to_bytes(half); });
    (void)measure("from_bytes", [&] { return from_bytes(bytes); });
    (void)measure("parts and create", [&] { return Cluster::create(half.parts()); });
    (void)measure("whole_nodes, one", [&] {
        NodeSet one;
        one.insert(NodeId(1));
        return whole_nodes(half, one);
    });
}

void count_columns(const Cluster& half) {
    const Watched watched;
    Cluster own = half;
    auto observer = measure("Observer", [&] { return std::make_unique<Observer>(own); });
    const auto& layout = observer->layout();
    std::vector<std::int64_t> free(layout.nodes * layout.resources.size());
    std::vector<std::int64_t> devices(layout.nodes * layout.devices);
    const Observer::Observation out{free, devices, {}, {}, {}};
    require(measure("observe", [&] { return observer->observe(own, out); }).ok(), "a table");
    require(own.release(OwnerId(0)).ok(), "a job to end");
    require(
        measure("observe after a job", [&] { return observer->observe(own, out); })->size() == 1,
        "a node that changed");

    NodeColumns columns(own);
    const auto flags = std::make_unique<bool[]>(own.node_count());
    std::vector<double> scores(own.node_count());
    std::vector<std::int32_t> counts(own.node_count());
    const Request request = *gpus(1, 1);
    measure("feasible, score, fit_count", [&] {
        columns.feasible(request, {flags.get(), own.node_count()});
        columns.score(request, scores);
        columns.fit_count(request, counts);
        return true;
    });
}

void count_making_room(const Cluster& full) {
    const Watched watched;
    const PreparedRequest whole = gpus(1, 8);
    std::vector<PreemptionPlan::Victim> victims;
    std::vector<OwnerId> movable;
    for (const Allocation& one : full.allocations()) {
        victims.push_back({one.owner, 1, {}});
        movable.push_back(one.owner);
    }
    (void)measure("plan_preemption", [&] { return plan_preemption(full, whole, victims); });
    (void)measure("plan_compaction", [&] { return plan_compaction(full, whole, movable); });
    PlaceOptions options;
    PolicyOptions::TypicalJob typical;
    typical.cpus = MilliCpu(8000);
    typical.devices = Count(8);
    options.policy_options.typical_jobs = std::vector<PolicyOptions::TypicalJob>{typical};
    (void)measure("expected_fragments",
                  [&] { return expected_fragments(full, options.policy_options); });
    CompactionRules rules;
    rules.moves_max = Count(4);
    movable.resize(std::min<std::size_t>(movable.size(), 64));
    (void)measure("plan_defragmentation, 64 movable",
                  [&] { return plan_defragmentation(full, movable, rules, options); });
}

}  // namespace trestle::growth
