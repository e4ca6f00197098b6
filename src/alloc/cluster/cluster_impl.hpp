// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cluster::Impl: how a cluster keeps its nodes and owners, and every change of them.
//
// Layer: alloc (private). An operation first works out the state that every node would come to,
// which is where it can fail, and then puts all of that in place.
// Pitfall: put_state, put_owner, remove_owner, put_description and put_free_counts are all the ways
// there are to change a cluster; undo() knows them and no others.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/functional/function_ref.h>

#include "alloc/cluster/compact_cluster_parts.hpp"
#include "alloc/cluster/kept_allocation.hpp"
#include "alloc/cluster/node_owners.hpp"
#include "alloc/cluster/node_part.hpp"
#include "alloc/cluster/pending_states.hpp"
#include "alloc/cluster/states/description.hpp"
#include "alloc/cluster/states/journal.hpp"
#include "alloc/cluster/states/node_states.hpp"
#include "alloc/cluster/undo_log.hpp"
#include "base/cow/cow_map.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/hash.hpp"

namespace trestle {

class Cluster::Impl {
  public:
    Impl() = default;
    [[nodiscard]] static StatusOr<Impl> create(const ClusterParts& parts);
    [[nodiscard]] static StatusOr<Impl> from_compact_parts(const CompactClusterParts& compact);
    [[nodiscard]] std::uint32_t node_count() const { return states_.node_count(); }
    [[nodiscard]] Node node(NodeId id) const;
    [[nodiscard]] std::string name(NodeId id) const { return (*description_->names)[id]; }
    [[nodiscard]] const NodeClass& class_of(NodeId id) const {
        return description_->classes[state(id).node_class];
    }
    [[nodiscard]] const NodeShape& shape(NodeId id) const { return *class_of(id).shape; }
    [[nodiscard]] std::optional<NodeId> find_node(std::string_view name) const {
        return description_->names->find(name);
    }
    [[nodiscard]] const Network& network() const { return *description_->network; }
    [[nodiscard]] const std::vector<Partition>& partitions() const {
        return *description_->partitions;
    }
    [[nodiscard]] const std::vector<Fleet>& fleets() const { return *description_->fleets; }
    [[nodiscard]] const std::vector<ClusterCount>& counts() const { return description_->counts; }
    [[nodiscard]] const std::vector<ClusterCount>& free_counts() const { return free_counts_; }
    [[nodiscard]] ClusterParts parts() const;
    /// All that a cluster has but for its owners.
    [[nodiscard]] Impl without_owners() const;
    [[nodiscard]] CompactClusterParts compact_parts() const;
    [[nodiscard]] const NodeStateData& state(NodeId id) const;
    [[nodiscard]] const FreeState& free(NodeId id) const { return state(id).free; }
    [[nodiscard]] NodeLedger ledger(NodeId id) const { return usage_without(std::nullopt, id); }
    [[nodiscard]] std::vector<OwnerId> owners_on(NodeId id) const;
    [[nodiscard]] std::vector<Allocation> allocations() const;
    [[nodiscard]] std::size_t allocation_count() const { return allocations_.size(); }
    [[nodiscard]] std::optional<OwnerId> last_owner() const { return allocations_.last(); }
    [[nodiscard]] const Allocation* find_allocation(OwnerId owner) const;
    [[nodiscard]] Status commit(Allocation&& allocation, const TraceSink& sink = {});
    [[nodiscard]] Status adopt(OwnerId owner, Placement placement, const TraceSink& sink = {});
    [[nodiscard]] Status extend(OwnerId owner, const Placement& more, const TraceSink& sink = {});
    [[nodiscard]] StatusOr<Allocation> release(OwnerId owner, const TraceSink& sink = {});
    [[nodiscard]] Status release_part(OwnerId owner, const Placement& part,
                                      const TraceSink& sink = {});
    [[nodiscard]] StatusOr<NodeId> add_node(const Node& node);
    [[nodiscard]] Status remove_node(NodeId id);
    void set_node_state(NodeId id, NodeState state);
    void set_node_health(NodeId id, Health health);
    void set_node_weight(NodeId id, std::uint32_t weight);
    void set_node_features(NodeId id, std::vector<std::string> features);
    [[nodiscard]] Status set_partitions(std::vector<Partition> partitions);
    [[nodiscard]] Status set_fleets(std::vector<Fleet> fleets);
    [[nodiscard]] Status add_to_fleet(std::string_view fleet, NodeId node);
    [[nodiscard]] Status remove_from_fleet(std::string_view fleet, NodeId node);
    [[nodiscard]] Status set_network(Network network);
    [[nodiscard]] Status set_counts(std::vector<ClusterCount> counts);
    [[nodiscard]] const NodeStates& states() const { return states_; }
    [[nodiscard]] const NodeClasses& classes() const { return description_->classes; }
    [[nodiscard]] const Journal& journal() const { return journal_; }
    void for_each_different_node(const Impl& other, absl::FunctionRef<void(NodeId)> visit) const;
    void for_each_different_owner(const Impl& other, absl::FunctionRef<void(OwnerId)> visit) const {
        allocations_.for_each_difference(other.allocations_, visit);
    }
    [[nodiscard]] const Cow<detail::Description>& description() const { return description_; }
    [[nodiscard]] bool equals(const Impl& other) const;
    void hash_into(HashState& state) const;

    /// What all owners on a node but one have of it.
    struct Others {
        bool have_something = false;
        std::uint64_t kinds = 0;  ///< as NodeStateData::kinds
    };
    /// Nodes alike but for their names and partitions that follow each other.
    struct LikeNodes {
        const Node* like = nullptr;
        std::uint32_t count = 0;
    };

    [[nodiscard]] static StatusOr<Impl> create(NodeNames names, const std::vector<LikeNodes>& runs,
                                               const ClusterParts& others);
    [[nodiscard]] const detail::KnownClass& known_class(NodeId id) const {
        return known_class(state(id));
    }
    [[nodiscard]] const detail::KnownClass& known_class(const NodeStateData& state) const {
        return description_->classes.known(state.node_class);
    }
    /// ledger(), as if `owner` had nothing.
    [[nodiscard]] NodeLedger usage_without(std::optional<OwnerId> owner, NodeId id) const;
    [[nodiscard]] Others others_on(NodeId node, OwnerId owner) const;
    /// Brings what is known of a node nearer to the cache. Requires: the node exists.
    void prefetch(NodeId node) const;

    // These fill plan_ with the state that every node would come to; put_states() makes it so.
    void begin_plan();
    [[nodiscard]] Status check_nodes(const Placement& placement) const;
    [[nodiscard]] Status plan_take(const Placement& placement, const Allocation* held,
                                   OwnerId owner);
    void plan_release(const Placement& placement, OwnerId owner);
    [[nodiscard]] Status plan_release_part(const Placement& part, const Allocation& held);
    [[nodiscard]] Status plan_release_part(std::span<const NodePlacement> parts,
                                           const Allocation& held);
    [[nodiscard]] Status plan_take(const detail::PartsOfNode& more, const detail::PartsOfNode* held,
                                   OwnerId owner);
    [[nodiscard]] Status take(const detail::PartsOfNode& more, const detail::PartsOfNode* held,
                              OwnerId owner, NodeStateData& state) const;
    void plan_release(const NodePlacement& part, OwnerId owner);
    template <class Change>
    [[nodiscard]] Status plan_step(const detail::NodeStep& step, const Change& change);

    // Every change of a cluster is one of these. The two about owners stand beside a change of
    // allocations_; nodes are added and removed with a description.
    void put_state(NodeId node, StateId state);
    void put_owner(const Allocation& allocation);
    void remove_owner(const Cow<Allocation>& allocation);
    void put_allocation(OwnerId owner, std::optional<Cow<Allocation>> after);
    void put_description(Cow<detail::Description> description);
    void put_free_counts(std::vector<ClusterCount> counts);
    void undo(std::size_t size);
    void put_back(detail::NodeBefore before);
    void put_back(detail::AllocationBefore before);
    void put_back(detail::DescriptionBefore before);
    void put_back(detail::CountsBefore before);

    template <class Change>
    void change_class(NodeId id, const Change& change);
    void put_fleets(std::vector<Fleet> fleets);
    void put_states() {
        for (const detail::NodeAfter& one : plan_.list()) put_state(one.node, one.state);
    }
    /// What a sink hears when the change is complete, so that it may throw, or change the cluster
    /// again. Nothing without a sink.
    [[nodiscard]] std::vector<TraceEvent> events_of(const TraceSink& sink, TraceEvent::Kind kind,
                                                    OwnerId owner,
                                                    const Placement& placement) const;
    /// Reports the change to the sink, one event a node. Requires: the change is complete, and
    /// there is a sink.
    void report(const TraceSink& sink, TraceEvent::Kind kind, OwnerId owner,
                const Placement& placement) const;
    /// `why`, and the sink hears of it.
    [[nodiscard]] static Status refuse(const TraceSink& sink, OwnerId owner, Status why);

    detail::UndoLog undo_;  ///< first, to refuse an assignment before anything is assigned
    Cow<detail::Description> description_;
    NodeStates states_;
    CowMap<OwnerId, detail::KeptAllocation> allocations_;
    detail::NodeOwners owners_;
    std::vector<ClusterCount> free_counts_;
    // What follows is no part of the value.
    Journal journal_;
    detail::PendingStates plan_;
    detail::TransitionCache transitions_;
};

}  // namespace trestle
