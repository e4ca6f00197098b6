// SPDX-License-Identifier: Apache-2.0
// Histories of a cluster beside its model: everything that can happen to one, sense and nonsense,
// at random or all of it. Each step is checked against the model as soon as it happened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/oracle_cluster.hpp"
#include "support/random_fit.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/cluster_bytes.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {

/// The cluster that the model describes, made from nothing.
[[nodiscard]] inline Cluster rebuilt(const ClusterModel& model) {
    auto cluster = Cluster::create(model.parts());
    REQUIRE(cluster.ok());
    for (const auto& [owner, one] : model.allocations()) REQUIRE(cluster->commit(one).ok());
    return *std::move(cluster);
}

/// How much has happened, so that a test can ask for enough of it.
struct HistoryCounts {
    std::uint64_t done = 0;
    std::uint64_t refused = 0;
    std::uint64_t placed = 0;
    std::uint64_t extended = 0;
    std::uint64_t parts_released = 0;
    std::uint64_t trials = 0;
    std::uint64_t described = 0;
};

class ClusterHistory {
  public:
    static constexpr std::uint64_t owner_count = 6;
    static constexpr std::size_t node_limit = 6;

    explicit ClusterHistory(Choices& choices) : choices_(choices) {
        ClusterParts parts;
        for (auto n = 1 + choices.below(2); n > 0; --n) shapes_.emplace_back(any_shape(choices));
        for (auto n = choices.below(5); n > 0; --n) parts.nodes.push_back(any_new_node());
        parts.counts = {{"abaqus", Count(3)}, {"power", Count(100)}};
        model_ = ClusterModel(parts);
        cluster_ = *Cluster::create(parts);
    }

    /// Lets `steps` things happen. Complexity: that of a rebuild for each.
    void run(std::uint64_t steps, std::uint32_t depth = 0) {
        while (steps > 0) {
            --steps;
            if (choices_.one_in(16) && depth < 3) {
                const std::uint64_t inside = choices_.below(steps + 1) % 12;
                try_out(inside, depth);
                steps -= inside;
            } else if (choices_.one_in(24)) {
                keep_copy(depth == 0);
            } else {
                step();
            }
        }
    }
    /// One thing at random, checked.
    void step() {
        switch (choices_.below(16)) {
            case 0:
            case 1:
            case 2:
                return place_something();
            case 3:
            case 4:
            case 5:
                return commit_nonsense();
            case 6:
                return extend();
            case 7:
            case 8:
                return release();
            case 9:
            case 10:
                return release_part();
            case 11:
            case 12:
                return change_node();
            case 13:
                return choices_.one_in(2) ? add_node() : remove_node();
            case 14:
                return describe();
            default:
                return move_between_fleets();
        }
    }

    [[nodiscard]] const Cluster& cluster() const { return cluster_; }
    [[nodiscard]] const ClusterModel& model() const { return model_; }
    [[nodiscard]] const HistoryCounts& counts() const { return counts_; }

    /// Ends in an error when the cluster is not what its model says.
    void check() const {
        REQUIRE(model_.difference(cluster_) == "");
        const Cluster fresh = rebuilt(model_);
        REQUIRE(cluster_ == fresh);
        REQUIRE(fresh == cluster_);
        REQUIRE(hash_of(cluster_) == hash_of(fresh));
        REQUIRE(to_bytes(cluster_) == to_bytes(fresh));
        for (const auto& [copy, copied] : copies_) REQUIRE(copied.difference(copy) == "");
    }

  private:
    using Copy = std::pair<Cluster, ClusterModel>;

    /// Does the same to the cluster and to the model, and compares.
    template <class ToCluster, class ToModel>
    bool both(const ToCluster& to_cluster, const ToModel& to_model) {
        const Cluster before = cluster_;
        const Status status = to_cluster(cluster_);
        const StatusCode expected = to_model(model_);
        INFO(status << " expected " << absl::StatusCodeToString(expected));
        REQUIRE(status.code() == expected);
        if (!status.ok()) {
            REQUIRE(cluster_ == before);
            REQUIRE(to_bytes(cluster_) == to_bytes(before));
        }
        ++(status.ok() ? counts_.done : counts_.refused);
        check();
        return status.ok();
    }

    [[nodiscard]] OwnerId any_owner() { return OwnerId(choices_.below(owner_count)); }
    [[nodiscard]] NodeId any_id() {
        return NodeId(static_cast<std::uint32_t>(choices_.below(model_.node_count())));
    }
    [[nodiscard]] Node any_new_node() {
        Node node;
        node.name = "n" + std::to_string(8 + choices_.below(30));
        if (choices_.one_in(8)) node.name = "n0" + std::to_string(8 + choices_.below(4));
        if (choices_.one_in(8)) node.name = "login";
        while (std::count(names_.begin(), names_.end(), node.name) != 0) node.name += "x";
        names_.push_back(node.name);
        node.shape = choices_.of(shapes_);
        if (choices_.one_in(4)) node.features = {"fast"};
        node.weight = static_cast<std::uint32_t>(1 + choices_.below(2));
        return node;
    }
    [[nodiscard]] std::vector<ClusterCount> any_counts(std::int64_t most) {
        std::vector<ClusterCount> counts;
        for (const char* name : {"abaqus", "matlab", "power"}) {
            if (choices_.one_in(3)) {
                counts.push_back({name, Count(choices_.in(Interval<std::int64_t>{0, most}))});
            }
        }
        if (!choices_.one_in(8))
            std::erase_if(counts, [](auto& one) { return one.count.is_zero(); });
        return counts;
    }
    /// Some units of some nodes, mostly in order, not always there.
    [[nodiscard]] Placement any_placement() {
        Placement placement;
        for (std::uint32_t i = 0; i < model_.node_count(); ++i) {
            if (!choices_.one_in(3)) continue;
            NodePlacement part = any_taken(choices_, *model_.node(NodeId(i)).shape);
            part.node = NodeId(i);
            part.tasks = Count(static_cast<std::int64_t>(1 + choices_.below(2)));
            if (choices_.one_in(8)) part.row = static_cast<std::uint32_t>(choices_.below(2));
            if (choices_.one_in(24)) part.node = NodeId(i + 1);
            if (choices_.one_in(24)) part.cores.insert(CoreId(7));
            placement.nodes.push_back(std::move(part));
        }
        if (choices_.one_in(6)) placement.cluster_counts = any_counts(3);
        return placement;
    }

    void commit_nonsense() {
        const OwnerId owner = any_owner();
        const Placement placement = any_placement();
        if (choices_.one_in(4)) {
            both([&](Cluster& c) { return c.adopt(owner, placement); },
                 [&](ClusterModel& m) {
                     return m.commit({owner, Request(), placement});
                 });
            return;
        }
        Request request;
        request.tasks = Count(static_cast<std::int64_t>(1 + choices_.below(3)));
        both(
            [&](Cluster& c) {
                return c.commit({owner, request, placement});
            },
            [&](ClusterModel& m) {
                return m.commit({owner, request, placement});
            });
    }
    void place_something() {
        Request request;
        request.nodes = Range<Count>::exactly(Count(choices_.in(Interval<std::int64_t>{1, 3})));
        request.cpus_per_task =
            Range<Count>::exactly(Count(choices_.in(Interval<std::int64_t>{1, 3})));
        request.memory = Range<Bytes>::exactly(Bytes(choices_.in(Interval<std::int64_t>{0, 3})));
        if (choices_.one_in(2)) {
            DeviceRequest devices;
            devices.count = Range<Count>::exactly(Count(1));
            if (choices_.one_in(3)) devices.shares = Count(1);
            request.devices = {devices};
        }
        const auto placement = place(cluster_, request);
        if (!placement) return;
        const OwnerId owner = any_owner();
        if (both(
                [&](Cluster& c) {
                    return c.commit({owner, request, *placement});
                },
                [&](ClusterModel& m) {
                    return m.commit({owner, request, *placement});
                })) {
            ++counts_.placed;
        }
    }
    void extend() {
        const OwnerId owner = any_owner();
        const Placement more = any_placement();
        if (both([&](Cluster& c) { return c.extend(owner, more); },
                 [&](ClusterModel& m) { return m.extend(owner, more); })) {
            ++counts_.extended;
        }
    }
    void release() {
        const OwnerId owner = any_owner();
        const auto held = model_.allocations().find(owner);
        const auto expected = held == model_.allocations().end()
                                  ? std::nullopt
                                  : std::optional<Allocation>(held->second);
        both(
            [&](Cluster& c) {
                const auto given = c.release(owner);
                if (given.ok()) REQUIRE(*given == expected);
                return given.status();
            },
            [&](ClusterModel& m) { return m.release(owner); });
    }
    /// Of what the owner has some; or something else.
    [[nodiscard]] Placement any_part(OwnerId owner) {
        const auto held = model_.allocations().find(owner);
        if (held == model_.allocations().end() || choices_.one_in(6)) return any_placement();
        Placement part = held->second.placement;
        for (NodePlacement& one : part.nodes) {
            for (const CoreId core : CoreSet(one.cores)) {
                if (choices_.one_in(3)) one.cores.erase(core);
            }
            if (choices_.one_in(3)) one.milli_cpus = {};
            erase_if(one.memory, [&](const auto&) { return choices_.one_in(3); });
            erase_if(one.devices, [&](const auto&) { return choices_.one_in(3); });
            for (DeviceShare& share : one.devices) {
                if (share.shares > Count(1) && choices_.one_in(2)) share.shares = Count(1);
            }
        }
        std::erase_if(part.nodes, [&](const auto&) { return choices_.one_in(4); });
        if (choices_.one_in(2)) part.cluster_counts.clear();
        return part;
    }
    void release_part() {
        const OwnerId owner = any_owner();
        const Placement part = any_part(owner);
        if (both([&](Cluster& c) { return c.release_part(owner, part); },
                 [&](ClusterModel& m) { return m.release_part(owner, part); })) {
            ++counts_.parts_released;
        }
    }

    void change_node() {
        const std::vector<NodeId> live = model_.live_nodes();
        if (live.empty()) return;
        const NodeId id = choices_.of(live);
        switch (choices_.below(4)) {
            case 0: {
                using enum NodeState;
                const auto state = choices_.of(std::vector{up, up, drained, down});
                cluster_.set_node_state(id, state);
                model_.change(id, [&](Node& node) { node.state = state; });
                break;
            }
            case 1: {
                using enum Health;
                const auto health = choices_.of(std::vector{healthy, warning, failure});
                cluster_.set_node_health(id, health);
                model_.change(id, [&](Node& node) { node.health = health; });
                break;
            }
            case 2: {
                const auto weight = static_cast<std::uint32_t>(choices_.below(3));
                cluster_.set_node_weight(id, weight);
                model_.change(id, [&](Node& node) { node.weight = weight; });
                break;
            }
            default: {
                std::vector<std::string> features;
                if (choices_.one_in(2)) features = {"fast"};
                cluster_.set_node_features(id, features);
                model_.change(id, [&](Node& node) { node.features = features; });
            }
        }
        ++counts_.done;
        check();
    }
    void add_node() {
        if (model_.node_count() >= node_limit) return;
        Node node = any_new_node();
        if (choices_.one_in(8)) node.name = choices_.of(names_);
        if (choices_.one_in(12)) node.name.clear();
        both([&](Cluster& c) { return c.add_node(node).status(); },
             [&](ClusterModel& m) { return m.add_node(node); });
    }
    void remove_node() {
        if (model_.node_count() == 0) return;
        const NodeId id = any_id();
        both([&](Cluster& c) { return c.remove_node(id); },
             [&](ClusterModel& m) { return m.remove_node(id); });
    }

    [[nodiscard]] NodeSet any_nodes() {
        NodeSet nodes;
        for (std::uint32_t i = 0; i < model_.node_count(); ++i) {
            if (choices_.one_in(2)) nodes.insert(NodeId(i));
        }
        if (choices_.one_in(12)) nodes.insert(NodeId(model_.node_count()));
        return nodes;
    }
    [[nodiscard]] Network any_network() {
        Network network;
        if (choices_.one_in(4)) return network;
        const NodeSet nodes = any_nodes();
        network.trees = {
            {"tree", {{"top", std::nullopt, {}}, {"s0", TreeTopology::SwitchId(0), nodes}}}};
        network.blocks = {{"blocks", {{"b0", nodes}}, {}}};
        RingTopology::Ring ring{"ring", {}};
        TorusTopology::Torus torus{"torus", {1, 1, 1}, {std::nullopt}};
        for (const NodeId node : nodes) {
            ring.nodes.push_back(node);
            torus.nodes.emplace_back(node);
        }
        torus.shape.x = static_cast<std::uint32_t>(torus.nodes.size());
        network.rings = {{"rings", {ring}}};
        network.toruses = {{"toruses", {torus}}};
        return network;
    }
    [[nodiscard]] std::vector<Fleet> any_fleets() {
        std::vector<Fleet> fleets;
        NodeSet left = any_nodes();
        for (const char* name : {"red", "blue"}) {
            Fleet fleet;
            fleet.name = name;
            fleet.nodes = any_nodes() & left;
            if (choices_.one_in(3)) fleet.size.max = Count(2);
            if (!choices_.one_in(8)) left -= fleet.nodes;
            fleets.push_back(std::move(fleet));
        }
        return fleets;
    }
    [[nodiscard]] std::vector<Partition> any_partitions() {
        std::vector<Partition> partitions;
        for (const char* name : {"day", "night"}) {
            if (choices_.one_in(3)) continue;
            Partition one;
            one.name = choices_.one_in(12) ? "day" : name;
            one.nodes = any_nodes();
            partitions.push_back(std::move(one));
        }
        return partitions;
    }
    void describe() {
        bool is_done = false;
        switch (choices_.below(4)) {
            case 0: {
                const auto partitions = any_partitions();
                is_done = both([&](Cluster& c) { return c.set_partitions(partitions); },
                               [&](ClusterModel& m) { return m.set_partitions(partitions); });
                break;
            }
            case 1: {
                const auto fleets = any_fleets();
                is_done = both([&](Cluster& c) { return c.set_fleets(fleets); },
                               [&](ClusterModel& m) { return m.set_fleets(fleets); });
                break;
            }
            case 2: {
                const auto network = any_network();
                is_done = both([&](Cluster& c) { return c.set_network(network); },
                               [&](ClusterModel& m) { return m.set_network(network); });
                break;
            }
            default: {
                const auto counts = any_counts(6);
                is_done = both([&](Cluster& c) { return c.set_counts(counts); },
                               [&](ClusterModel& m) { return m.set_counts(counts); });
            }
        }
        if (is_done) ++counts_.described;
    }
    void move_between_fleets() {
        if (model_.node_count() == 0) return;
        const std::string fleet = choices_.of(std::vector<std::string>{"red", "blue", "green"});
        const NodeId id = any_id();
        if (choices_.one_in(3)) {
            both([&](Cluster& c) { return c.remove_from_fleet(fleet, id); },
                 [&](ClusterModel& m) { return m.remove_from_fleet(fleet, id); });
        } else {
            both([&](Cluster& c) { return c.add_to_fleet(fleet, id); },
                 [&](ClusterModel& m) { return m.add_to_fleet(fleet, id); });
        }
    }

    /// Everything that happens in a trial is undone, or kept, or undone and then goes on.
    void try_out(std::uint64_t steps, std::uint32_t depth) {
        const ClusterModel before = model_;
        {
            Cluster::Trial trial = cluster_.trial();
            run(steps, depth + 1);
            if (choices_.one_in(3)) {
                trial.undo();
                model_ = before;
                check();
                step();
            }
            if (choices_.one_in(3)) {
                trial.keep();
            } else {
                model_ = before;
            }
        }
        ++counts_.trials;
        check();
    }
    /// A copy that must not change any more, or one to go on from: whatever happened to the
    /// original, it is what it was.
    void keep_copy(bool may_go_back) {
        if (copies_.size() < 3) {
            copies_.emplace_back(cluster_, model_);
            return;
        }
        const auto at = copies_.begin() + static_cast<std::ptrdiff_t>(choices_.below(3));
        if (may_go_back && choices_.one_in(2)) {
            cluster_ = at->first;
            model_ = at->second;
            check();
        }
        copies_.erase(at);
    }

    Choices& choices_;
    std::vector<Shared<NodeShape>> shapes_;
    std::vector<std::string> names_;
    Cluster cluster_;
    ClusterModel model_;
    std::vector<Copy> copies_;
    HistoryCounts counts_;
};

}  // namespace trestle
