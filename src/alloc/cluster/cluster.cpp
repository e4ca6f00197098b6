// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/cluster.hpp"

#include <utility>

#include "alloc/cluster/cluster_impl.hpp"
#include "alloc/cluster/compact_cluster_parts.hpp"
#include "alloc/cluster/states/trial_marks.hpp"
#include "trestle/base/contract.hpp"

namespace trestle {

Cluster::Cluster() noexcept = default;
Cluster::Cluster(Impl made) : impl_(std::make_unique<Impl>(std::move(made))) {}
Cluster::Cluster(const Cluster& other)
    : impl_(other.impl_ ? std::make_unique<Impl>(*other.impl_) : nullptr) {}
Cluster::Cluster(Cluster&& other) noexcept = default;
Cluster::~Cluster() = default;

Cluster& Cluster::operator=(const Cluster& other) {
    if (impl_) {
        *impl_ = other.impl();  // which refuses while a trial is open
    } else if (other.impl_) {
        impl_ = std::make_unique<Impl>(*other.impl_);
    }
    return *this;
}

Cluster& Cluster::operator=(Cluster&& other) {
    if (this == &other) return *this;
    if (impl_) impl_->undo_ = detail::UndoLog();  // as above
    impl_ = std::move(other.impl_);
    return *this;
}

const Cluster::Impl& Cluster::without_nodes() {
    static const Impl empty{};
    return empty;
}

// Small, so that the compiler inlines it into every query.
const Cluster::Impl& Cluster::impl() const { return impl_ ? *impl_ : without_nodes(); }

Cluster::Impl& Cluster::impl() {
    if (!impl_) impl_ = std::make_unique<Impl>();
    return *impl_;
}

StatusOr<Cluster> Cluster::create(const ClusterParts& parts) {
    TRESTLE_TRY(Impl made, Impl::create(parts));
    return Cluster(std::move(made));
}

StatusOr<Cluster> CompactClusterParts::cluster() const {
    TRESTLE_TRY(Cluster::Impl made, Cluster::Impl::from_compact_parts(*this));
    return Cluster(std::move(made));
}

std::uint32_t Cluster::node_count() const { return impl().node_count(); }

Node Cluster::node(NodeId id) const { return impl().node(id); }

std::string Cluster::name(NodeId id) const { return impl().name(id); }

const NodeClass& Cluster::class_of(NodeId id) const { return impl().class_of(id); }

const NodeShape& Cluster::shape(NodeId id) const { return impl().shape(id); }

std::optional<NodeId> Cluster::find_node(std::string_view name) const {
    return impl().find_node(name);
}

const Network& Cluster::network() const { return impl().network(); }

const std::vector<Partition>& Cluster::partitions() const { return impl().partitions(); }

const std::vector<Fleet>& Cluster::fleets() const { return impl().fleets(); }

const std::vector<ClusterCount>& Cluster::counts() const { return impl().counts(); }

const std::vector<ClusterCount>& Cluster::free_counts() const { return impl().free_counts(); }

ClusterParts Cluster::parts() const { return impl().parts(); }

CompactClusterParts CompactClusterParts::of(const Cluster& cluster) {
    return cluster.impl().compact_parts();
}

const NodeStateData& Cluster::state(NodeId id) const { return impl().state(id); }

const FreeState& Cluster::free(NodeId id) const { return impl().free(id); }

NodeLedger Cluster::ledger(NodeId id) const { return impl().ledger(id); }

std::vector<OwnerId> Cluster::owners_on(NodeId id) const { return impl().owners_on(id); }

std::vector<Allocation> Cluster::allocations() const { return impl().allocations(); }

std::size_t Cluster::allocation_count() const { return impl().allocation_count(); }

std::optional<OwnerId> Cluster::last_owner() const { return impl().last_owner(); }

const Allocation* Cluster::find_allocation(OwnerId owner) const {
    return impl().find_allocation(owner);
}

Status Cluster::commit(Allocation allocation, const TraceSink& sink) {
    return impl().commit(std::move(allocation), sink);
}

Status Cluster::adopt(OwnerId owner, Placement placement, const TraceSink& sink) {
    return impl().adopt(owner, std::move(placement), sink);
}

Status Cluster::extend(OwnerId owner, const Placement& more, const TraceSink& sink) {
    return impl().extend(owner, more, sink);
}

StatusOr<Allocation> Cluster::release(OwnerId owner, const TraceSink& sink) {
    return impl().release(owner, sink);
}

Status Cluster::release_part(OwnerId owner, const Placement& part, const TraceSink& sink) {
    return impl().release_part(owner, part, sink);
}

StatusOr<NodeId> Cluster::add_node(const Node& node) { return impl().add_node(node); }

Status Cluster::remove_node(NodeId id) { return impl().remove_node(id); }

void Cluster::set_node_state(NodeId id, NodeState state) { impl().set_node_state(id, state); }

void Cluster::set_node_health(NodeId id, Health health) { impl().set_node_health(id, health); }

void Cluster::set_node_weight(NodeId id, std::uint32_t weight) {
    impl().set_node_weight(id, weight);
}

void Cluster::set_node_features(NodeId id, std::vector<std::string> features) {
    impl().set_node_features(id, std::move(features));
}

Status Cluster::set_partitions(std::vector<Partition> partitions) {
    return impl().set_partitions(std::move(partitions));
}

Status Cluster::set_fleets(std::vector<Fleet> fleets) {
    return impl().set_fleets(std::move(fleets));
}

Status Cluster::add_to_fleet(std::string_view fleet, NodeId node) {
    return impl().add_to_fleet(fleet, node);
}

Status Cluster::remove_from_fleet(std::string_view fleet, NodeId node) {
    return impl().remove_from_fleet(fleet, node);
}

Status Cluster::set_network(Network network) { return impl().set_network(std::move(network)); }

Status Cluster::set_counts(std::vector<ClusterCount> counts) {
    return impl().set_counts(std::move(counts));
}

const NodeStates& Cluster::states() const { return impl().states(); }

const NodeClasses& Cluster::classes() const { return impl().classes(); }

const BasicJournal<NodeId>& Cluster::journal() const { return impl().journal(); }

void Cluster::for_each_different_node(const Cluster& other,
                                      absl::FunctionRef<void(NodeId)> visit) const {
    impl().for_each_different_node(other.impl(), visit);
}

void Cluster::for_each_different_owner(const Cluster& other,
                                       absl::FunctionRef<void(OwnerId)> visit) const {
    impl().for_each_different_owner(other.impl(), visit);
}

const Cow<detail::Description>& Cluster::description() const { return impl().description(); }

void Cluster::hash_into(HashState& state) const { impl().hash_into(state); }

bool operator==(const Cluster& a, const Cluster& b) { return a.impl().equals(b.impl()); }

std::string to_text(const Placement& placement, const Cluster& cluster) {
    std::string text;
    for (const NodePlacement& part : placement.nodes) {
        text += (text.empty() ? "" : "\n") + to_text(part, cluster.node(part.node));
    }
    return text;
}

struct Cluster::Trial::Marks {
    detail::TrialMarks<std::size_t> sizes;
};

Cluster::Trial Cluster::trial() { return Trial(*this); }

Cluster::Trial::Trial(Cluster& cluster) : cluster_(cluster), size_(cluster.impl().undo_.size()) {
    cluster_.impl().undo_.open();
}

Cluster::Trial::~Trial() {
    if (!is_kept_) undo();
    cluster_.impl().undo_.close();
}

void Cluster::Trial::undo() {
    if (marks_) marks_->sizes.forget();
    cluster_.impl().undo(size_);
}

TrialMark Cluster::Trial::mark() {
    if (!marks_) marks_ = std::make_unique<Marks>();
    return marks_->sizes.add(cluster_.impl().undo_.size());
}

void Cluster::Trial::rollback(TrialMark mark) {
    TRESTLE_EXPECTS(marks_ != nullptr, "the mark is of this trial");
    cluster_.impl().undo(marks_->sizes.back_to(mark));
}

}  // namespace trestle
