// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cluster: nodes, their network, and the allocations of owners. A value.
//
// Layer: alloc. Main types: Cluster, Cluster::Trial. Copies are cheap: they share all that neither
// changes afterwards. Every operation checks everything first, so that after an error the cluster
// is what it was. Where to put a request is a pure function of a cluster: place() in place.hpp.
// Nodes in equal states are one entry that decisions look at.
// Pitfall: const functions may run in parallel on one cluster, and a copy may go to another thread
// while the original changes. Nodes and allocations are given by value.

#include <absl/functional/function_ref.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/alloc/cluster/cluster_parts.hpp"
#include "trestle/alloc/cluster/node_class.hpp"
#include "trestle/alloc/cluster/trial_mark.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/trace.hpp"

namespace trestle {

template <class T>
class Cow;
template <class Which>
class BasicJournal;
class NodeClasses;
class NodeStates;
struct CompactClusterParts;
namespace detail {
struct Description;
class AllocationFinder;
class IdleCluster;
class WindowCluster;
}  // namespace detail

class Cluster {
  public:
    class Trial;

    /// A cluster without nodes.
    Cluster() noexcept;
    Cluster(const Cluster& other);
    Cluster& operator=(const Cluster& other);
    /// What was moved from is a cluster without nodes.
    Cluster(Cluster&& other) noexcept;
    Cluster& operator=(Cluster&& other);
    ~Cluster();

    /// An idle cluster. Errors: InvalidArgument for two nodes of one name, a shape that check()
    /// refuses, and a node in two fleets. The same for a network, partition or fleet that names an
    /// absent node.
    /// Complexity: linear in the nodes.
    [[nodiscard]] static StatusOr<Cluster> create(const ClusterParts& parts);

    /// @name Nodes and counts
    /// Numbers of nodes are below this; those of removed nodes stay.
    [[nodiscard]] std::uint32_t node_count() const;
    /// Requires: the node exists.
    [[nodiscard]] Node node(NodeId id) const;
    /// Empty for a node that was removed. Requires: the node exists.
    [[nodiscard]] std::string name(NodeId id) const;
    /// What the node has in common with others. Requires: the node exists.
    [[nodiscard]] const NodeClass& class_of(NodeId id) const;
    /// Requires: the node exists.
    [[nodiscard]] const NodeShape& shape(NodeId id) const;
    /// The node called `name`, or nothing. Complexity: logarithmic in the ranges of names.
    [[nodiscard]] std::optional<NodeId> find_node(std::string_view name) const;
    [[nodiscard]] const Network& network() const;
    [[nodiscard]] const std::vector<Partition>& partitions() const;
    [[nodiscard]] const std::vector<Fleet>& fleets() const;
    /// Licences and the like: how many there are, and how many are free.
    [[nodiscard]] const std::vector<ClusterCount>& counts() const;
    [[nodiscard]] const std::vector<ClusterCount>& free_counts() const;
    /// The parts from which create() makes this cluster, without its allocations. Complexity:
    /// linear in the nodes.
    [[nodiscard]] ClusterParts parts() const;

    /// @name Allocations
    /// The state of a node that decisions look at. Requires: the node exists.
    [[nodiscard]] const NodeStateData& state(NodeId id) const;
    /// What is left of a node. Requires: the node exists.
    [[nodiscard]] const FreeState& free(NodeId id) const;
    /// The allocations of each owner on a node. Requires: the node exists. Complexity: linear in
    /// its owners.
    [[nodiscard]] NodeLedger ledger(NodeId id) const;
    /// The owners on a node, rising. Requires: the node exists.
    [[nodiscard]] std::vector<OwnerId> owners_on(NodeId id) const;
    /// By owner. Complexity: linear in the allocations.
    [[nodiscard]] std::vector<Allocation> allocations() const;
    [[nodiscard]] std::size_t allocation_count() const;
    /// The highest owner with an allocation, or nothing.
    [[nodiscard]] std::optional<OwnerId> last_owner() const;
    /// What `owner` has, or nothing; good until the cluster changes.
    /// Complexity: logarithmic in the allocations.
    [[nodiscard]] const Allocation* find_allocation(OwnerId owner) const;

    /// @name Giving and taking
    /// Gives the allocation's placement to its owner. The sink of this and of the releases hears
    /// one event a part, or one refusal, when all is done. Errors: FailedPrecondition when the
    /// owner has an allocation already, or a unit is not free (the message names node, unit and
    /// owner). InvalidArgument for nodes or units that do not exist, or stand twice: a node once
    /// for each component, a unit once in all of them. Nothing changes then.
    [[nodiscard]] Status commit(Allocation allocation, const TraceSink& sink = {});

    /// Enters what runs already, as after a restart or by a decision made elsewhere: commit() of a
    /// placement without a request.
    [[nodiscard]] Status adopt(OwnerId owner, Placement placement, const TraceSink& sink = {});

    /// Gives the owner more, beside what it has, on the same nodes or on others. What it has of a
    /// node for the same component grows, and its tasks add up; another component has a part of its
    /// own. Errors: NotFound when the owner has nothing. FailedPrecondition for cores of another
    /// row than the owner has on the node, or other threads_per_core than the component has there;
    /// else those of commit(). Nothing changes then.
    [[nodiscard]] Status extend(OwnerId owner, const Placement& more, const TraceSink& sink = {});

    /// Takes everything back from `owner` and returns what it was.
    /// Errors: NotFound when the owner has nothing, as after a first release.
    [[nodiscard]] StatusOr<Allocation> release(OwnerId owner, const TraceSink& sink = {});

    /// Takes a part back: the nodes, cores, bytes, devices and counts named, all of which `owner`
    /// has. Where the owner has parts of a node for several components, they are those of the
    /// component that is named. Its tasks stay. Errors: NotFound when the owner has nothing;
    /// FailedPrecondition for a unit that is free, or that another owner or component has, naming
    /// it. Nothing changes then.
    [[nodiscard]] Status release_part(OwnerId owner, const Placement& part,
                                      const TraceSink& sink = {});

    /// @name Changing nodes and counts
    /// Adds a node behind the others. Errors: InvalidArgument when the name is empty or known, or
    /// check(shape) is an error. Complexity: linear in the ranges of names, which are sorted anew,
    /// here and in remove_node().
    [[nodiscard]] StatusOr<NodeId> add_node(const Node& node);
    /// Takes a node out of the cluster, its partitions, fleets and network; its number stays.
    /// Errors: NotFound when it was removed; FailedPrecondition, naming the owner, when an owner
    /// has something on it. Requires: the node was added.
    [[nodiscard]] Status remove_node(NodeId id);
    /// Sets whether a node takes work; what runs there stays. place() skips nodes that take no
    /// work; commit() does not check it. Requires: the node exists and was not removed, here and
    /// below. Complexity: linear in the classes of nodes. Classes are never dropped, so do not use
    /// the weight for a value that changes all the time.
    void set_node_state(NodeId id, NodeState state);
    void set_node_health(NodeId id, Health health);
    void set_node_weight(NodeId id, std::uint32_t weight);
    void set_node_features(NodeId id, std::vector<std::string> features);
    /// Errors: InvalidArgument for what create() would refuse. Nothing changes then.
    /// Complexity: linear in the nodes for partitions.
    [[nodiscard]] Status set_partitions(std::vector<Partition> partitions);
    [[nodiscard]] Status set_fleets(std::vector<Fleet> fleets);
    /// Puts a node into a fleet; one that is there already stays. Errors: NotFound when there is no
    /// such fleet or the node was removed. FailedPrecondition, naming the fleet, when another has
    /// the node or this one has as many as it may. Nothing changes then.
    [[nodiscard]] Status add_to_fleet(std::string_view fleet, NodeId node);
    /// Takes a node out of a fleet. Errors: NotFound when there is no such fleet, or the node is
    /// not in it. Nothing changes then.
    [[nodiscard]] Status remove_from_fleet(std::string_view fleet, NodeId node);
    [[nodiscard]] Status set_network(Network network);
    /// Errors: FailedPrecondition when owners have more of a name than there would be; else as
    /// above.
    [[nodiscard]] Status set_counts(std::vector<ClusterCount> counts);

    /// @name Trying
    /// A trial notes changes until it ends. They are then undone, unless keep() was called.
    /// Complexity: that of the changes; all states, where there was a new class of nodes.
    [[nodiscard]] Trial trial();

    /// @name What decisions are made from
    /// For caches of decisions; the types are private, in src/alloc/cluster/states and
    /// src/base/cow.
    [[nodiscard]] const NodeStates& states() const;
    [[nodiscard]] const NodeClasses& classes() const;
    [[nodiscard]] const BasicJournal<NodeId>& journal() const;
    /// visit(node) for each node that both have and of which name, class or state may differ. The
    /// order is unspecified, and a node may come twice. `visit_owner(owner)` for each whose
    /// allocations differ, rising.
    /// Complexity: that of what the two do not share. For diff() in cluster_diff.hpp.
    void for_each_different_node(const Cluster& other, absl::FunctionRef<void(NodeId)> visit) const;
    void for_each_different_owner(const Cluster& other,
                                  absl::FunctionRef<void(OwnerId)> visit) const;
    [[nodiscard]] const Cow<detail::Description>& description() const;

    friend bool operator==(const Cluster& a, const Cluster& b);
    void hash_into(HashState& state) const;

  private:
    class Impl;
    friend struct CompactClusterParts;      // in src/alloc/cluster
    friend class detail::AllocationFinder;  // likewise
    friend class detail::IdleCluster;       // in alloc/schedule
    friend class detail::WindowCluster;     // likewise

    explicit Cluster(Impl made);
    [[nodiscard]] static const Impl& without_nodes();
    [[nodiscard]] const Impl& impl() const;
    [[nodiscard]] Impl& impl();

    std::unique_ptr<Impl> impl_;  ///< absent: a cluster without nodes
};

/// One line a node. Requires: the nodes exist in the cluster, and as for to_text(part, node).
[[nodiscard]] std::string to_text(const Placement& placement, const Cluster& cluster);

/// A span of changes to a cluster that is undone when it ends. Trials end in the opposite order of
/// their beginnings, and the cluster must outlive them at its address.
class Cluster::Trial {
  public:
    explicit Trial(Cluster& cluster);
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;
    ~Trial();
    /// Makes the cluster what it was when the trial began; the trial goes on.
    void undo();
    /// The present state, for rollback(). Complexity: constant.
    [[nodiscard]] TrialMark mark();
    /// Makes the cluster what it was at the mark. The mark stays valid; later ones do not.
    /// Requires: the mark is of this trial and was not rolled back itself; trials that began since
    /// have ended. Complexity: what changed since.
    void rollback(TrialMark mark);
    /// What happened stays; an outer trial may still undo it.
    void keep() { is_kept_ = true; }

  private:
    struct Marks;

    Cluster& cluster_;
    std::size_t size_;
    std::unique_ptr<Marks> marks_;  ///< absent until the first
    bool is_kept_ = false;
};

}  // namespace trestle
