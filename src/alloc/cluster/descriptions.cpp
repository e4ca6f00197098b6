// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/cluster_impl.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/class_of.hpp"
#include "alloc/cluster/compact_cluster_parts.hpp"
#include "model/cluster_counts.hpp"
#include "model/fleets.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

namespace {

Status check_name(const Node& node, std::size_t position) {
    const bool is_removed = node.state == NodeState::removed;
    if (!is_removed && node.name.empty()) {
        return invalid_argument("node {}: it has no name", position);
    }
    if (is_removed && !node.name.empty()) {
        return invalid_argument("node {}: a removed node has no name", node.name);
    }
    return {};
}

bool has_same_class(const Node& a, const Node& b) {
    return a.shape.is_same_object(b.shape) && a.features == b.features && a.weight == b.weight &&
           a.state == b.state && a.health == b.health;
}

Status append_names(NodeNames& names, const std::vector<Node>& nodes) {
    const Node* previous = nullptr;
    for (const Node& node : nodes) {
        TRESTLE_TRY_STATUS(check_name(node, names.size()));
        names.append(node.name);
        if (!previous || !node.shape.is_same_object(previous->shape)) {
            TRESTLE_TRY_STATUS(with_context("node " + node.name, trestle::check(*node.shape)));
        }
        previous = &node;
    }
    if (const auto twice = names.index()) {
        return invalid_argument("node {}: the name stands twice", *twice);
    }
    return {};
}

StatusOr<NodeNames> names_of(const CompactClusterParts& compact) {
    auto names = NodeNames::from_runs(compact.names);
    if (!names) return invalid_argument("names: expected runs that follow each other");
    if (const auto twice = names->index()) {
        return invalid_argument("node {}: the name stands twice", *twice);
    }
    for (std::size_t i = 0; i < compact.shapes.size(); ++i) {
        TRESTLE_TRY_STATUS(
            with_context("shape " + std::to_string(i), trestle::check(*compact.shapes[i])));
    }
    for (const NodeKind& kind : compact.kinds) {
        if (kind.shape < compact.shapes.size()) continue;
        return invalid_argument("kinds: shape {} does not exist", kind.shape);
    }
    NodeSet removed;
    std::uint32_t end = 0;
    for (const NodeRun& run : compact.nodes) {
        if (run.kind >= compact.kinds.size() || run.count == 0 || run.count > names->size() - end) {
            return invalid_argument("nodes: {} of kind {}, expected {} in all of {} kinds",
                                    run.count, run.kind, names->size(), compact.kinds.size());
        }
        const std::uint32_t first = std::exchange(end, end + run.count);
        if (compact.kinds[run.kind].state == NodeState::removed) removed.insert_range({first, end});
    }
    if (end != names->size()) {
        return invalid_argument("nodes: {} names, kinds of {}", names->size(), end);
    }
    if (removed != names->holes()) {
        return invalid_argument("node {}: expected a name, or none of a removed node",
                                (removed ^ names->holes()).first()->value());
    }
    return *std::move(names);
}

}  // namespace

StatusOr<Cluster::Impl> Cluster::Impl::create(NodeNames names, const std::vector<LikeNodes>& runs,
                                              const ClusterParts& others) {
    TRESTLE_TRY_STATUS(detail::check(others.partitions, names));
    TRESTLE_TRY_STATUS(detail::check(others.fleets, names));
    TRESTLE_TRY_STATUS(detail::check(others.network, names));
    TRESTLE_TRY_STATUS(check(others.counts));

    Impl cluster;
    detail::Description description{Cow(std::move(names)), {},
                                    Cow(others.network),   Cow(others.partitions),
                                    Cow(others.fleets),    others.counts};
    const detail::Memberships members =
        detail::memberships(others.partitions, description.names->size());
    std::uint32_t at = 0;
    for (const LikeNodes& run : runs) {
        for (const std::uint32_t end = at + run.count; at < end;) {
            const std::uint32_t first = at;
            const std::uint32_t list = members.list_of[first];
            while (at < end && members.list_of[at] == list) ++at;
            NodeClass one = trestle::class_of(*run.like);
            one.partitions = members.lists[list];
            const ClassId id = description.classes.intern(std::move(one));
            cluster.states_.append(at - first, {id, 0, description.classes.known(id).idle});
        }
    }
    cluster.free_counts_ = others.counts;
    cluster.description_ = Cow<detail::Description>(std::move(description));
    return cluster;
}

StatusOr<Cluster::Impl> Cluster::Impl::create(const ClusterParts& parts) {
    NodeNames names;
    TRESTLE_TRY_STATUS(append_names(names, parts.nodes));
    std::vector<LikeNodes> runs;
    for (const Node& node : parts.nodes) {
        if (runs.empty() || !has_same_class(node, *runs.back().like)) {
            runs.push_back({&node, 0});
        }
        ++runs.back().count;
    }
    return create(std::move(names), runs, parts);
}

StatusOr<Cluster::Impl> Cluster::Impl::from_compact_parts(const CompactClusterParts& compact) {
    TRESTLE_TRY(NodeNames names, names_of(compact));
    std::vector<Node> likes;
    for (const NodeKind& kind : compact.kinds) {
        likes.push_back(
            {"", compact.shapes[kind.shape], kind.features, kind.weight, kind.state, kind.health});
    }
    std::vector<LikeNodes> runs;
    runs.reserve(compact.nodes.size());
    for (const NodeRun& run : compact.nodes) runs.push_back({&likes[run.kind], run.count});
    return create(std::move(names), runs,
                  {{}, compact.network, compact.partitions, compact.fleets, compact.counts});
}

ClusterParts Cluster::Impl::parts() const {
    ClusterParts parts{{}, network(), partitions(), fleets(), counts()};
    parts.nodes.reserve(node_count());
    for (std::uint32_t i = 0; i < node_count(); ++i) parts.nodes.push_back(node(NodeId(i)));
    return parts;
}

CompactClusterParts Cluster::Impl::compact_parts() const {
    CompactClusterParts compact{
        description_->names->runs(), {}, {}, {}, network(), partitions(), fleets(), counts()};
    constexpr std::uint32_t none = ~std::uint32_t{0};
    std::vector<std::uint32_t> kind_of(classes().size(), none);  // by class
    const auto position = [](auto& list, const auto& wanted) {
        auto at = std::find(list.begin(), list.end(), wanted);
        if (at == list.end()) at = list.insert(at, wanted);
        return static_cast<std::uint32_t>(at - list.begin());
    };
    for (std::uint32_t i = 0; i < node_count(); ++i) {
        const ClassId id = state(NodeId(i)).node_class;
        std::uint32_t& kind = kind_of[id.value()];
        if (kind == none) {
            const NodeClass& one = classes()[id];
            kind =
                position(compact.kinds, NodeKind{position(compact.shapes, one.shape), one.features,
                                                 one.weight, one.state, one.health});
        }
        if (compact.nodes.empty() || compact.nodes.back().kind != kind) {
            compact.nodes.push_back({kind, 0});
        }
        ++compact.nodes.back().count;
    }
    return compact;
}

void Cluster::Impl::put_description(Cow<detail::Description> description) {
    if (undo_.is_noting()) undo_.add(detail::DescriptionBefore{description_, node_count()});
    description_ = std::move(description);
    journal_.restart();
}

template <class Change>
void Cluster::Impl::change_class(NodeId id, const Change& change) {
    NodeClass one = class_of(id);
    TRESTLE_EXPECTS(one.state != NodeState::removed, "the node was not removed");
    change(one);
    NodeStateData after = state(id);
    if (const auto known = classes().find(one)) {
        after.node_class = *known;
    } else {
        Cow<detail::Description> description = description_;
        after.node_class = description.write().classes.intern(std::move(one));
        put_description(std::move(description));
    }
    put_state(id, states_.intern(after));
}

void Cluster::Impl::set_node_state(NodeId id, NodeState state) {
    change_class(id, [&](NodeClass& one) { one.state = state; });
}

void Cluster::Impl::set_node_health(NodeId id, Health health) {
    change_class(id, [&](NodeClass& one) { one.health = health; });
}

void Cluster::Impl::set_node_weight(NodeId id, std::uint32_t weight) {
    change_class(id, [&](NodeClass& one) { one.weight = weight; });
}

void Cluster::Impl::set_node_features(NodeId id, std::vector<std::string> features) {
    change_class(id, [&](NodeClass& one) { one.features = std::move(features); });
}

StatusOr<NodeId> Cluster::Impl::add_node(const Node& node) {
    if (node.state == NodeState::removed) {
        return invalid_argument("node {}: a node that is removed cannot be added", node.name);
    }
    Cow<detail::Description> description = description_;
    TRESTLE_TRY_STATUS(append_names(description.write().names.write(), {node}));
    const ClassId added = description.write().classes.intern(trestle::class_of(node));
    const FreeState& idle = description->classes.known(added).idle;
    put_description(description);
    states_.append(1, {added, 0, idle});
    return NodeId(node_count() - 1);
}

Status Cluster::Impl::remove_node(NodeId id) {
    if (class_of(id).state == NodeState::removed) {
        return not_found("node {} was removed", id.value());
    }
    if (const std::vector<OwnerId> owners = owners_on(id); !owners.empty()) {
        return failed_precondition("node {}: owner {} has something on it", name(id),
                                   owners.front().value());
    }
    Cow<detail::Description> changed = description_;
    detail::Description& description = changed.write();
    description.names.write().remove(id);
    for (Partition& one : description.partitions.write()) one.nodes.erase(id);
    for (Fleet& one : description.fleets.write()) one.nodes.erase(id);
    detail::remove_node(description.network.write(), id);
    NodeStateData after = state(id);
    NodeClass one = class_of(id);
    one.state = NodeState::removed;
    one.partitions.clear();
    after.node_class = description.classes.intern(std::move(one));
    put_description(std::move(changed));
    put_state(id, states_.intern(after));
    return {};
}

Status Cluster::Impl::set_partitions(std::vector<Partition> partitions) {
    TRESTLE_TRY_STATUS(detail::check(partitions, *description_->names));
    const detail::Memberships members = detail::memberships(partitions, node_count());
    Cow<detail::Description> changed = description_;
    detail::Description& description = changed.write();
    std::vector<std::pair<NodeId, ClassId>> moved;
    for (std::uint32_t i = 0; i < node_count(); ++i) {
        const auto& list = members.lists[members.list_of[i]];
        if (class_of(NodeId(i)).partitions == list) continue;
        NodeClass one = class_of(NodeId(i));
        one.partitions = list;
        moved.emplace_back(i, description.classes.intern(std::move(one)));
    }
    description.partitions = Cow(std::move(partitions));
    put_description(std::move(changed));
    for (const auto& [node, node_class] : moved) {
        NodeStateData after = state(node);
        after.node_class = node_class;
        put_state(node, states_.intern(after));
    }
    return {};
}

void Cluster::Impl::put_fleets(std::vector<Fleet> fleets) {
    Cow<detail::Description> changed = description_;
    changed.write().fleets = Cow(std::move(fleets));
    put_description(std::move(changed));
}

Status Cluster::Impl::set_fleets(std::vector<Fleet> fleets) {
    TRESTLE_TRY_STATUS(detail::check(fleets, *description_->names));
    put_fleets(std::move(fleets));
    return {};
}

Status Cluster::Impl::add_to_fleet(std::string_view fleet, NodeId node) {
    if (class_of(node).state == NodeState::removed) {
        return not_found("node {} was removed", node.value());
    }
    std::vector<Fleet> changed = fleets();
    TRESTLE_TRY_STATUS(trestle::add_node(changed, fleet, node));
    put_fleets(std::move(changed));
    return {};
}

Status Cluster::Impl::remove_from_fleet(std::string_view fleet, NodeId node) {
    std::vector<Fleet> changed = fleets();
    TRESTLE_TRY_STATUS(trestle::remove_node(changed, fleet, node));
    put_fleets(std::move(changed));
    return {};
}

Status Cluster::Impl::set_network(Network network) {
    TRESTLE_TRY_STATUS(detail::check(network, *description_->names));
    Cow<detail::Description> changed = description_;
    changed.write().network = Cow(std::move(network));
    put_description(std::move(changed));
    return {};
}

Status Cluster::Impl::set_counts(std::vector<ClusterCount> counts) {
    TRESTLE_TRY_STATUS(check(counts));
    const std::vector<ClusterCount> held = subtract(this->counts(), free_counts_);
    for (const ClusterCount& one : held) {
        if (count_of(counts, one.name) < one.count) {
            return failed_precondition("{}: owners have {}, there would be {}", one.name,
                                       one.count.value(), count_of(counts, one.name).value());
        }
    }
    Cow<detail::Description> changed = description_;
    put_free_counts(subtract(counts, held));
    changed.write().counts = std::move(counts);
    put_description(std::move(changed));
    return {};
}

void Cluster::Impl::for_each_different_node(const Impl& other,
                                            absl::FunctionRef<void(NodeId)> visit) const {
    if (!description_->names.is_same_object(other.description_->names)) {
        description_->names->for_each_difference(*other.description_->names, visit);
    }
    states_.for_each_difference(other.states_, visit);
}

bool Cluster::Impl::equals(const Impl& b) const {
    const Impl& a = *this;
    if (a.node_count() != b.node_count() || !(a.allocations_ == b.allocations_)) return false;
    const bool is_one_description = a.description_.is_same_object(b.description_);
    if (!is_one_description) {
        const detail::Description& x = *a.description_;
        const detail::Description& y = *b.description_;
        if (!(x.names == y.names && x.network == y.network && x.partitions == y.partitions &&
              x.fleets == y.fleets && x.counts == y.counts)) {
            return false;
        }
    }
    // What is free follows from classes and allocations.
    std::vector<std::optional<ClassId>> equal_to(a.classes().size());  // by class of a
    for (std::uint32_t i = 0; i < a.node_count(); ++i) {
        const ClassId x = a.state(NodeId(i)).node_class;
        const ClassId y = b.state(NodeId(i)).node_class;
        if ((is_one_description && x == y) || equal_to[x.value()] == y) continue;
        if (!(a.classes()[x] == b.classes()[y])) return false;
        equal_to[x.value()] = y;
    }
    return true;
}

}  // namespace trestle
