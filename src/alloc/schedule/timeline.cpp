// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/timeline.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "alloc/cluster/states/node_classes.hpp"
#include "alloc/cluster/states/trial_marks.hpp"
#include "alloc/schedule/timeline/timeline_impl.hpp"
#include "trestle/alloc/cluster/trial_mark.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

Timeline::Timeline() noexcept = default;
Timeline::Timeline(Cluster cluster, Instant now)
    : impl_(std::make_unique<Impl>(std::move(cluster), now)) {}
Timeline::Timeline(Impl made) : impl_(std::make_unique<Impl>(std::move(made))) {}
Timeline::Timeline(const Timeline& other)
    : impl_(other.impl_ ? std::make_unique<Impl>(*other.impl_) : nullptr) {}
Timeline::Timeline(Timeline&& other) noexcept = default;
Timeline& Timeline::operator=(Timeline&& other) noexcept = default;
Timeline::~Timeline() = default;

Timeline& Timeline::operator=(const Timeline& other) {
    if (impl_) {
        *impl_ = other.impl();  // in its place: cluster() stays where it is
    } else if (other.impl_) {
        impl_ = std::make_unique<Impl>(*other.impl_);
    }
    return *this;
}

const Timeline::Impl& Timeline::without_nodes() {
    static const Impl empty{};
    return empty;
}

// Small, so that the compiler inlines it into every query.
const Timeline::Impl& Timeline::impl() const { return impl_ ? *impl_ : without_nodes(); }

Timeline::Impl& Timeline::impl() {
    if (!impl_) impl_ = std::make_unique<Impl>();
    return *impl_;
}

StatusOr<Timeline> Timeline::create(Cluster cluster, const TimelineParts& parts) {
    TRESTLE_TRY(Impl made, Impl::create(std::move(cluster), parts));
    return Timeline(std::move(made));
}

const Cluster& Timeline::cluster() const { return impl().cluster(); }

Instant Timeline::now() const { return impl().now(); }

std::size_t Timeline::size() const { return impl().size(); }

std::optional<Period> Timeline::period_of(OwnerId owner) const { return impl().period_of(owner); }

const Allocation* Timeline::find_allocation(OwnerId owner) const {
    return impl().find_allocation(owner);
}

std::vector<TimedAllocation> Timeline::reservations() const { return impl().reservations(); }

TimelineParts Timeline::parts() const { return impl().parts(); }

std::optional<Instant> Timeline::next_change() const { return impl().next_change(); }

StatusOr<Cluster> Timeline::free_at(Instant at) const { return impl().free_at(at); }

std::vector<ClusterCount> Timeline::free_counts(const Period& period) const {
    return impl().free_counts(period);
}

Status Timeline::reserve(Allocation allocation, const Period& period, const TraceSink& sink) {
    return impl().reserve(std::move(allocation), period, sink);
}

StatusOr<TimedAllocation> Timeline::cancel(OwnerId owner, const TraceSink& sink) {
    return impl().cancel(owner, sink);
}

Status Timeline::set_end(OwnerId owner, Instant end) { return impl().set_end(owner, end); }

StatusOr<Timeline::Advance> Timeline::advance(Instant to, const TraceSink& sink) {
    return impl().advance(to, sink);
}

Status Timeline::change_cluster(absl::FunctionRef<Status(Cluster&)> change) {
    return impl().change_cluster(change);
}

const CowMap<OwnerId, Period>& Timeline::periods() const { return impl().periods(); }

const CowMap<OwnerId, Cow<Allocation>>& Timeline::reserved() const { return impl().reserved(); }

const Timeline::Moments& Timeline::starts() const { return impl().starts(); }

const Timeline::Moments& Timeline::ends() const { return impl().ends(); }

NodeStateData Timeline::state(NodeId node, const Period& period) const {
    return impl().state(node, period);
}

Period Timeline::starts_around(NodeId node, Instant at) const {
    return impl().starts_around(node, at);
}

MilliCpu Timeline::most_cpus(NodeId node, const std::string& partition,
                             const Period& period) const {
    return impl().most_cpus(node, partition, period);
}

const BasicJournal<OwnerId>& Timeline::journal() const { return impl().journal(); }

void Timeline::for_each_different_owner(const Timeline& other,
                                        absl::FunctionRef<void(OwnerId)> visit) const {
    impl().for_each_different_owner(other.impl(), visit);
}

bool operator==(const Timeline& a, const Timeline& b) { return a.impl().equals(b.impl()); }

void Timeline::hash_into(HashState& state) const { impl().hash_into(state); }

struct Timeline::Trial::Marks {
    detail::TrialMarks<Timeline> timelines;
};

Timeline::Trial::Trial(Timeline& timeline) : timeline_(timeline), before_(timeline) {}

Timeline::Trial::~Trial() {
    if (!is_kept_) undo();
}

void Timeline::Trial::undo() {
    if (marks_) marks_->timelines.forget();
    timeline_ = before_;
}

TrialMark Timeline::Trial::mark() {
    if (!marks_) marks_ = std::make_unique<Marks>();
    return marks_->timelines.add(timeline_);
}

void Timeline::Trial::rollback(TrialMark mark) {
    TRESTLE_EXPECTS(marks_ != nullptr, "the mark is of this trial");
    timeline_ = marks_->timelines.back_to(mark);
}

StatusOr<Placement> whole_nodes(const Cluster& cluster, const NodeSet& nodes) {
    Placement whole;
    for (const NodeId node : nodes) {
        if (node.value() >= cluster.node_count() ||
            cluster.class_of(node).state == NodeState::removed) {
            return invalid_argument("node {} does not exist", node.value());
        }
        const FreeState& idle = cluster.classes().known(cluster.state(node).node_class).idle;
        NodePlacement part;
        part.node = node;
        part.cores = idle.cores;
        for (std::uint32_t i = 0; i < idle.memory.size(); ++i) {
            if (!idle.memory[i].is_zero()) part.memory.push_back({DomainId(i), idle.memory[i]});
        }
        for (std::uint32_t i = 0; i < idle.shares.size(); ++i) {
            if (!idle.shares[i].is_zero()) part.devices.push_back({DeviceId(i), idle.shares[i]});
        }
        whole.nodes.push_back(std::move(part));
    }
    return whole;
}

}  // namespace trestle
