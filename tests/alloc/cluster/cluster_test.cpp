// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/cluster.hpp"
#include "alloc/cluster/states/node_states.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/contract.hpp"
#include "support/owner_model.hpp"
#include "support/random_fit.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::for_random_choices;

ClusterParts small_parts() {
    auto parts =
        testing::cluster_parts_from_text("3 x (4c mem=16G gpu:2/4) 2 per switch 2 per block");
    REQUIRE(parts.ok());
    return *std::move(parts);
}
Cluster small_cluster() {
    auto cluster = Cluster::create(small_parts());
    REQUIRE(cluster.ok());
    return *std::move(cluster);
}

/// Cores [first, last) of a node.
NodePlacement cores(std::uint32_t node, Interval<std::uint32_t> run) {
    NodePlacement part;
    part.node = NodeId(node);
    part.cores = CoreSet::range(run);
    return part;
}

NodePlacement rich(std::uint32_t node) {
    NodePlacement part = cores(node, {0, 2});
    part.memory = {{DomainId(0), gib(4)}};
    part.devices = {{DeviceId(0), Count(4)}, {DeviceId(1), Count(1)}};
    return part;
}

Allocation allocation(std::uint64_t owner, std::vector<NodePlacement> nodes) {
    return {OwnerId(owner), Request{}, {std::move(nodes)}};
}

/// Owner 1 has parts of nodes 0 and 2, owner 2 a core of node 1.
Cluster used_cluster() {
    Cluster cluster = small_cluster();
    REQUIRE(cluster.commit(allocation(1, {rich(0), rich(2)})).ok());
    REQUIRE(cluster.commit(allocation(2, {cores(1, {3, 4})})).ok());
    return cluster;
}

struct ClusterRow {
    StatusCode code;
    const char* message;
    const char* why;
};

template <class Action>
void check_cluster_refused(const ClusterRow& row, Action&& action) {
    INFO(row.why);
    Cluster cluster = used_cluster();
    std::vector<TraceEvent> events;
    const TraceSink sink = [&](const TraceEvent& event) { events.push_back(event); };
    const Status status = action(cluster, sink);
    CHECK(status.code() == row.code);
    CHECK_THAT(std::string(message(status)), ContainsSubstring(row.message));
    CHECK(cluster == used_cluster());
    CHECK(hash_of(cluster) == hash_of(used_cluster()));
    REQUIRE(events.size() == 1);
    CHECK(events[0].kind == TraceEvent::Kind::refusal);
    CHECK(events[0].detail == message(status));
    CHECK_THAT(to_text(events[0]), Catch::Matchers::StartsWith("refusal owner="));
}

}  // namespace

TEST_CASE("Cluster: parts that do not go together are refused", "[alloc]") {
    struct Bad {
        void (*change)(ClusterParts&);
        const char* message;
        const char* why;
    };
    const auto rows = std::vector<Bad>{
        {[](ClusterParts& p) { p.nodes[1].name = "n0"; }, "node n0: the name stands twice",
         "two nodes of one name"},
        {[](ClusterParts& p) { p.nodes[2].name = ""; }, "node 2: it has no name", "no name"},
        {[](ClusterParts& p) {
             NodeShape shape = *p.nodes[2].shape;
             shape.devices[0].shares = Count();
             p.nodes[2].shape = shape;
         },
         "node n2: device 0 (gpu): shares=0", "a shape that is not consistent, on the last node"},
        {[](ClusterParts& p) {
             p.partitions = {{}};
             p.partitions[0].name = "batch";
             p.partitions[0].nodes = NodeSet::range({2, 4});
         },
         "partition batch: node 3 does not exist", "one past the last node"},
        {[](ClusterParts& p) {
             p.fleets = {{}};
             p.fleets[0].name = "idle";
             p.fleets[0].nodes = NodeSet::range({0, 4});
         },
         "fleet idle: node 3 does not exist", "one past the last node"},
        {[](ClusterParts& p) {
             p.fleets = {{}, {}};
             p.fleets[0].name = "one";
             p.fleets[1].name = "two";
             p.fleets[0].nodes = p.fleets[1].nodes = NodeSet::of({NodeId(1)});
         },
         "fleet two: node 1 belongs to fleet one already", "fleets exclude each other"},
        {[](ClusterParts& p) {
             p.fleets = {{}};
             p.fleets[0].blocks = Count();
         },
         "blocks=0", "no block at all"},
        {[](ClusterParts& p) { p.network.trees.front().switches.back().nodes.insert(NodeId(7)); },
         "node 7 does not exist", "a switch of an absent node"},
        {[](ClusterParts& p) { p.network.blocks.front().blocks.back().nodes.insert(NodeId(7)); },
         "topology blocks: node 7 does not exist", "a block of an absent node"},
        {[](ClusterParts& p) { p.network.trees.front().switches.back().nodes.insert(NodeId(0)); },
         "node 0 hangs at another switch already", "a node at two switches"},
        {[](ClusterParts& p) {
             p.network.trees.front().switches[0].parent = TreeTopology::SwitchId(1);
         },
         "its parent must stand before it", "a circle of switches"},
    };
    for (const Bad& row : rows) {
        INFO(row.why);
        ClusterParts parts = small_parts();
        row.change(parts);
        const auto cluster = Cluster::create(parts);
        CHECK(cluster.status().code() == invalid);
        CHECK_THAT(std::string(message(cluster.status())), ContainsSubstring(row.message));
    }
}

TEST_CASE("Cluster: partitions may share nodes, and there may be no node", "[alloc]") {
    ClusterParts parts = small_parts();
    parts.partitions = {{}, {}};
    parts.partitions[0].name = "day";
    parts.partitions[1].name = "night";
    parts.partitions[0].nodes = parts.partitions[1].nodes = NodeSet::range({0, 3});
    CHECK(Cluster::create(parts).ok());
    REQUIRE(Cluster::create({}).ok());
    CHECK(*Cluster::create({}) == Cluster());
    CHECK(Cluster().node_count() == 0);
}

TEST_CASE("Cluster: nodes and allocations are found by name and owner", "[alloc]") {
    const Cluster cluster = used_cluster();
    CHECK(cluster.find_node("n2") == NodeId(2));
    CHECK(cluster.find_node("n3") == std::nullopt);
    REQUIRE(cluster.find_allocation(OwnerId(2)) != nullptr);
    CHECK(cluster.find_allocation(OwnerId(2))->placement.nodes == std::vector{cores(1, {3, 4})});
    CHECK(cluster.find_allocation(OwnerId(3)) == nullptr);
    CHECK(broken_contract([&] { static_cast<void>(cluster.node(NodeId(3))); }) ==
          "the node exists");
    CHECK(broken_contract([&] { static_cast<void>(cluster.ledger(NodeId(3))); }) ==
          "the node exists");
}

TEST_CASE("Cluster: what cannot be committed changes nothing, and says so", "[alloc]") {
    struct Commit : ClusterRow {
        Allocation allocation;
    };
    NodePlacement two_shares = cores(1, {0, 1});
    two_shares.devices = {{DeviceId(0), Count(1)}, {DeviceId(0), Count(1)}};
    NodePlacement two_parts = cores(1, {0, 1});
    two_parts.memory = {{DomainId(0), gib(1)}, {DomainId(0), gib(1)}};
    const Commit rows[] = {
        {{refused, "owner 1 has an allocation already", "one allocation an owner"},
         allocation(1, {cores(1, {0, 1})})},
        {{refused, "node n2: core 1 belongs to owner 1", "the last of three nodes is taken"},
         allocation(3, {cores(0, {2, 3}), cores(1, {0, 1}), cores(2, {1, 3})})},
        {{invalid, "node 3 does not exist", "one past the last node"},
         allocation(3, {cores(1, {0, 1}), cores(3, {0, 1})})},
        {{invalid, "node 1: expected rising node ids", "a node twice"},
         allocation(3, {cores(1, {0, 1}), cores(1, {1, 2})})},
        {{invalid, "node 0: expected rising node ids", "out of order"},
         allocation(3, {cores(1, {0, 1}), cores(0, {2, 3})})},
        {{invalid, "node n1: core 4 does not exist", "one past the last core"},
         allocation(3, {cores(1, {0, 5})})},
        {{invalid, "node n1: device 0: expected devices in rising order", "a device twice"},
         allocation(3, {two_shares})},
        {{invalid, "node n1: memory domain 0: expected existing domains in rising order",
          "a domain twice"},
         allocation(3, {two_parts})},
    };
    for (const Commit& row : rows) {
        check_cluster_refused(row, [&](Cluster& cluster, const TraceSink& sink) {
            return cluster.commit(row.allocation, sink);
        });
    }
}

TEST_CASE("Cluster: what one does not have cannot be released", "[alloc]") {
    check_cluster_refused({absent, "owner 3 has no allocation", "an owner that has nothing"},
                          [](Cluster& cluster, const TraceSink& sink) {
                              return cluster.release(OwnerId(3), sink).status();
                          });
    struct Part : ClusterRow {
        std::uint64_t owner;
        std::vector<NodePlacement> nodes;
    };
    NodePlacement too_much = rich(2);
    too_much.devices[1].shares = Count(2);
    const Part rows[] = {
        {{absent, "owner 3 has no allocation", "an owner that has nothing"}, 3, {rich(0)}},
        {{refused, "node n0: core 0 belongs to owner 1, not to 2", "somebody else's"},
         2,
         {rich(0)}},
        {{refused, "node n1: core 3 belongs to owner 2", "the second node is somebody else's"},
         1,
         {rich(0), cores(1, {3, 4})}},
        {{refused, "owner 1 has 1 shares of device 1, not 2", "a share too many"}, 1, {too_much}},
        {{invalid, "node 9 does not exist", "an absent node"}, 1, {rich(0), cores(9, {0, 1})}},
        {{invalid, "expected rising node ids", "the same node twice"}, 1, {rich(0), rich(0)}},
    };
    for (const Part& row : rows) {
        check_cluster_refused(row, [&](Cluster& cluster, const TraceSink& sink) {
            return cluster.release_part(OwnerId(row.owner), {row.nodes}, sink);
        });
    }
}

TEST_CASE("Cluster: a release gives back what was committed, once", "[alloc]") {
    Cluster cluster = used_cluster();
    const auto given = cluster.release(OwnerId(1));
    REQUIRE(given.ok());
    CHECK(*given == allocation(1, {rich(0), rich(2)}));
    CHECK(cluster.ledger(NodeId(0)).is_idle());
    CHECK(cluster.release(OwnerId(1)).status().code() == absent);
    REQUIRE(cluster.release(OwnerId(2)).ok());
    CHECK(cluster == small_cluster());
    CHECK(hash_of(cluster) == hash_of(small_cluster()));
}

TEST_CASE("Cluster: a part is released, then the rest, node by node", "[alloc]") {
    Cluster cluster = used_cluster();
    NodePlacement part = cores(2, {1, 2});
    part.memory = {{DomainId(0), gib(1)}};
    part.devices = {{DeviceId(0), Count(3)}, {DeviceId(1), Count(1)}};
    REQUIRE(cluster.release_part(OwnerId(1), {{part}}).ok());
    const Placement& left = cluster.find_allocation(OwnerId(1))->placement;
    REQUIRE(left.nodes.size() == 2);
    CHECK(left.nodes[0] == rich(0));
    CHECK(to_text(left.nodes[1].cores) == "0");
    CHECK(left.nodes[1].memory == SmallVector<MemoryShare>{{DomainId(0), gib(3)}});
    CHECK(left.nodes[1].devices == SmallVector<DeviceShare>{{DeviceId(0), Count(1)}});
    CHECK(cluster.ledger(NodeId(2)).free_shares(DeviceId(1)) == Count(4));
    CHECK(cluster.release_part(OwnerId(1), {{part}}).code() == refused);

    REQUIRE(cluster.release_part(OwnerId(1), {{rich(0)}}).ok());
    CHECK(cluster.find_allocation(OwnerId(1))->placement.nodes.size() == 1);
    const Placement rest = cluster.find_allocation(OwnerId(1))->placement;
    REQUIRE(cluster.release_part(OwnerId(1), rest).ok());
    CHECK(cluster.find_allocation(OwnerId(1)) == nullptr);
    REQUIRE(cluster.release(OwnerId(2)).ok());
    CHECK(cluster == small_cluster());
}

TEST_CASE("Cluster: what an owner has may be named by itself", "[alloc]") {
    Cluster cluster = used_cluster();
    std::size_t heard = 0;
    const TraceSink sink = [&](const TraceEvent&) { ++heard; };
    const auto held = [&] { return &cluster.find_allocation(OwnerId(1))->placement; };
    REQUIRE(cluster.release_part(OwnerId(1), {{rich(0)}}, sink).ok());
    REQUIRE(cluster.release_part(OwnerId(1), *held(), sink).ok());
    CHECK(heard == 2);
    CHECK(cluster.find_allocation(OwnerId(1)) == nullptr);
    CHECK(cluster.free(NodeId(2)).is_idle);
    Placement nothing{{cores(0, {0, 0})}};
    REQUIRE(cluster.adopt(OwnerId(3), nothing).ok());
    REQUIRE(cluster.extend(OwnerId(3), cluster.find_allocation(OwnerId(3))->placement, sink).ok());
    CHECK(heard == 3);
}

TEST_CASE("Cluster: what an owner has on a node is used alike", "[alloc]") {
    Cluster cluster = used_cluster();
    const Cluster before = cluster;
    NodePlacement more = cores(0, {2, 3});
    more.threads_per_core = Count(1);
    CHECK_THAT(std::string(cluster.extend(OwnerId(1), {{more}}).message()),
               ContainsSubstring("uses 0 threads of each core, not 1"));
    CHECK(cluster == before);
    NodePlacement memory;
    memory.node = NodeId(1);
    memory.memory = {{DomainId(0), gib(1)}};
    REQUIRE(cluster.adopt(OwnerId(3), {{memory}}).ok());
    more = cores(1, {0, 1});
    more.threads_per_core = Count(1);
    REQUIRE(cluster.extend(OwnerId(3), {{more}}).ok());
    CHECK(cluster.find_allocation(OwnerId(3))->placement.nodes[0].threads_per_core == Count(1));
}

TEST_CASE("Cluster: a placement or an extension whose sums do not fit is refused", "[alloc]") {
    Cluster cluster = used_cluster();
    const Cluster before = cluster;
    NodePlacement more = cores(0, {2, 3});
    more.tasks = Count::max();
    CHECK_THAT(std::string(cluster.extend(OwnerId(1), {{more}}).message()),
               ContainsSubstring("leaves no room for"));
    NodePlacement other = cores(1, {0, 1});
    other.tasks = Count(1);
    CHECK_THAT(std::string(cluster.adopt(OwnerId(3), {{more, other}}).message()),
               ContainsSubstring("the sum of tasks"));
    CHECK(cluster == before);
    REQUIRE(cluster.adopt(OwnerId(3), {{more}}).ok());
    const Cluster with_most = cluster;
    CHECK_THAT(std::string(cluster.extend(OwnerId(3), {{other}}).message()),
               ContainsSubstring("owner 3: node 1: the sum of tasks"));
    CHECK(cluster == with_most);
}

TEST_CASE("Cluster: what was moved from is empty, and good for something else", "[alloc]") {
    Cluster cluster = used_cluster();
    const Cluster copy = cluster;
    Cluster taken = std::move(cluster);
    CHECK(taken == copy);
    CHECK(cluster == Cluster());
    CHECK(cluster.states().count() == 0);
    REQUIRE(cluster.add_node(copy.node(NodeId(0))).ok());
    CHECK(cluster.states().count() == 1);
    REQUIRE(cluster.commit(allocation(1, {rich(0)})).ok());
    CHECK(cluster.state(NodeId(0)) == copy.state(NodeId(0)));
}

TEST_CASE("Cluster: nothing is assigned to a cluster with an open trial", "[alloc]") {
    Cluster cluster = used_cluster();
    const Cluster before = cluster;
    const Cluster::Trial trial = cluster.trial();
    CHECK(broken_contract([&] { cluster = small_cluster(); }) != "");
    CHECK(cluster == before);
}

TEST_CASE("Cluster: states whose numbers become those of others", "[alloc][law]") {
    Rng rng(test_seed());
    Cluster cluster = small_cluster();
    std::uint64_t epochs = 0;
    std::uint64_t seen = cluster.states().epoch();
    for (std::uint64_t step = 0; step < 3000; ++step) {
        const OwnerId owner(rng.below(4));
        const auto node = static_cast<std::uint32_t>(rng.below(3));
        NodePlacement part = cores(node, {0, static_cast<std::uint32_t>(rng.below(2))});
        part.memory = {{DomainId(0), Bytes(1 + static_cast<std::int64_t>(rng.below(1000)))}};
        if (cluster.find_allocation(owner) != nullptr) {
            REQUIRE(cluster.release(owner).ok());
        } else if (!cluster.adopt(owner, {{part}}).ok()) {
            continue;
        }
        if (cluster.states().epoch() != seen) ++epochs;
        seen = cluster.states().epoch();
        for (std::uint32_t i = 0; i < 3; ++i) {
            REQUIRE(cluster.free(NodeId(i)) == cluster.ledger(NodeId(i)).free());
        }
        REQUIRE(cluster.states().limit() < 1000);
    }
    CHECK(epochs > 1);
}

TEST_CASE("Cluster: a copy is independent of what it was copied from", "[alloc]") {
    Cluster original = used_cluster();
    const Cluster copy = original;
    REQUIRE(original.release(OwnerId(1)).ok());
    REQUIRE(original.commit(allocation(5, {cores(1, {0, 3})})).ok());
    original.set_node_state(NodeId(0), NodeState::drained);
    CHECK(copy == used_cluster());
    CHECK(copy != original);
    CHECK(copy.node(NodeId(0)).state == NodeState::up);
    CHECK(original.node(NodeId(0)).state == NodeState::drained);
}

TEST_CASE("Cluster: a node that is drained keeps what runs there", "[alloc]") {
    Cluster cluster = used_cluster();
    cluster.set_node_state(NodeId(0), NodeState::drained);
    CHECK(cluster.ledger(NodeId(0)) == used_cluster().ledger(NodeId(0)));
    cluster.set_node_state(NodeId(0), NodeState::up);
    CHECK(cluster == used_cluster());
    CHECK(broken_contract([&] { cluster.set_node_state(NodeId(3), NodeState::up); }) ==
          "the node exists");
}

TEST_CASE("Cluster: a sink that throws finds the change complete", "[alloc]") {
    struct Refused {};
    Cluster cluster = *Cluster::create(small_parts());
    NodePlacement part;
    part.cores = CoreSet::of({CoreId(0)});
    const TraceSink sink = [](const TraceEvent&) { throw Refused(); };
    CHECK_THROWS_AS(cluster.commit({OwnerId(7), {}, {{part}}}, sink), Refused);
    REQUIRE(cluster.find_allocation(OwnerId(7)) != nullptr);
    NodePlacement more;
    more.cores = CoreSet::of({CoreId(1)});
    CHECK_THROWS_AS(cluster.extend(OwnerId(7), {{more}}, sink), Refused);
    CHECK(cluster.find_allocation(OwnerId(7))->placement.nodes.at(0).cores.count() == 2);
    CHECK_THROWS_AS(cluster.release_part(OwnerId(7), {{more}}, sink), Refused);
    CHECK(cluster.find_allocation(OwnerId(7))->placement.nodes.at(0).cores == part.cores);
    CHECK_FALSE(cluster.commit({OwnerId(8), {}, {{part}}}).ok());
    CHECK(cluster.commit({OwnerId(8), {}, {{more}}}).ok());
    CHECK(cluster.release(OwnerId(8)).ok());
    CHECK_THROWS_AS(cluster.release(OwnerId(7), sink), Refused);
    CHECK(cluster == *Cluster::create(small_parts()));
}

TEST_CASE("Cluster: a sink may take back at once what it hears of", "[alloc]") {
    Cluster cluster = *Cluster::create(small_parts());
    const TraceSink sink = [&](const TraceEvent& event) {
        if (event.kind == TraceEvent::Kind::commit) CHECK(cluster.release(event.owner).ok());
    };
    CHECK(cluster.commit(allocation(1, {cores(0, {0, 1})}), sink).ok());
    CHECK(cluster == *Cluster::create(small_parts()));
}

TEST_CASE("Cluster: a sink sees every commit, release and refusal, in order", "[alloc][golden]") {
    Cluster cluster = small_cluster();
    std::string lines;
    const TraceSink sink = [&](const TraceEvent& event) { lines += to_text(event) + "\n"; };
    REQUIRE(cluster.commit(allocation(1, {rich(0), rich(2)}), sink).ok());
    REQUIRE(!cluster.commit(allocation(2, {cores(0, {0, 1})}), sink).ok());
    REQUIRE(cluster.release_part(OwnerId(1), {{cores(0, {1, 2})}}, sink).ok());
    REQUIRE(cluster.release(OwnerId(1), sink).ok());
    REQUIRE(!cluster.release(OwnerId(1), sink).ok());
    CHECK(lines ==
          "commit owner=1 n0: cores=0-1 memory=0:4GiB devices=gpu:0,gpu:1(1/4)\n"
          "commit owner=1 n2: cores=0-1 memory=0:4GiB devices=gpu:0,gpu:1(1/4)\n"
          "refusal owner=2: node n0: core 0 belongs to owner 1\n"
          "release owner=1 n0: cores=1\n"
          "release owner=1 n0: cores=0 memory=0:4GiB devices=gpu:0,gpu:1(1/4)\n"
          "release owner=1 n2: cores=0-1 memory=0:4GiB devices=gpu:0,gpu:1(1/4)\n"
          "refusal owner=1: owner 1 has no allocation\n");
}

TEST_CASE("Cluster: a sink changes nothing but hears everything", "[alloc][law]") {
    Cluster silent = small_cluster();
    Cluster traced = small_cluster();
    std::size_t events = 0;
    const TraceSink sink = [&](const TraceEvent&) { ++events; };
    REQUIRE(silent.commit(allocation(1, {rich(0), rich(1)})).ok());
    REQUIRE(traced.commit(allocation(1, {rich(0), rich(1)}), sink).ok());
    CHECK(silent == traced);
    CHECK(events == 2);
}

TEST_CASE("Cluster: a placement prints as one line a node", "[alloc]") {
    const Cluster cluster = small_cluster();
    CHECK(to_text(rich(1), cluster.node(NodeId(1))) ==
          "n1 cores=0-1 memory=0:4GiB devices=gpu:0,gpu:1(1/4)");
    CHECK(to_text(Placement{{cores(0, {0, 1}), cores(2, {1, 2})}}, cluster) ==
          "n0 cores=0\nn2 cores=1");
}

TEST_CASE("Cluster: random histories agree with a model of every node", "[alloc][law]") {
    constexpr std::uint64_t owners = 4;
    std::uint64_t committed = 0;
    std::uint64_t released = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(200u)}, [&](Choices& choices) {
        const NodeShape shape = any_shape(choices);
        ClusterParts parts;
        for (int i = 0; i < 3; ++i) parts.nodes.push_back({"n" + std::to_string(i), shape, {}});
        Cluster cluster = *Cluster::create(parts);
        std::vector<OwnerModel> nodes(3, OwnerModel(shape));
        std::map<OwnerId, Placement> held;
        for (int step = 0; step < 30; ++step) {
            const OwnerId owner(choices.below(owners));
            const Cluster before = cluster;
            if (held.count(owner) != 0) {
                REQUIRE(cluster.commit({owner, {}, {}}).code() == refused);
                for (const NodePlacement& part : held[owner].nodes) {
                    REQUIRE(nodes[part.node.value()].give_back(part, owner) == StatusCode::kOk);
                }
                REQUIRE(cluster.release(owner)->placement == held[owner]);
                held.erase(owner);
                ++released;
            } else {
                REQUIRE(cluster.release(owner).status().code() == absent);
                Placement placement;
                auto expected = StatusCode::kOk;
                std::vector<OwnerModel> tried = nodes;
                for (std::uint32_t i = 0; i < 3; ++i) {
                    if (choices.one_in(2)) continue;
                    placement.nodes.push_back(any_taken(choices, shape));
                    placement.nodes.back().node = NodeId(i);
                    const auto code = tried[i].take(placement.nodes.back(), owner);
                    if (expected == StatusCode::kOk) expected = code;
                }
                REQUIRE(cluster.commit({owner, {}, placement}).code() == expected);
                if (expected == StatusCode::kOk) {
                    for (const NodePlacement& part : placement.nodes) {
                        REQUIRE(nodes[part.node.value()].take(part, owner) == StatusCode::kOk);
                    }
                    held[owner] = placement;
                    ++committed;
                } else {
                    REQUIRE(cluster == before);
                }
            }
            REQUIRE(cluster.allocations().size() == held.size());
            for (std::uint32_t i = 0; i < 3; ++i) {
                REQUIRE(nodes[i].equals(cluster.ledger(NodeId(i)), owners));
            }
        }
        while (!held.empty()) {
            REQUIRE(cluster.release(held.begin()->first).ok());
            held.erase(held.begin());
        }
        REQUIRE(cluster == *Cluster::create(parts));
        REQUIRE(hash_of(cluster) == hash_of(*Cluster::create(parts)));
    });
    CHECK(committed > test_rounds(1'000u));
    CHECK(released > test_rounds(1'000u));
}

}  // namespace trestle
