// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/cluster_impl.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "alloc/cluster/node_part.hpp"
#include "alloc/cluster/plain_commit.hpp"
#include "model/cluster_counts.hpp"
#include "model/units_text.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

std::vector<OwnerId> Cluster::Impl::owners_on(NodeId id) const {
    TRESTLE_EXPECTS(id.value() < node_count(), "the node exists");
    std::vector<OwnerId> owners;
    for (const detail::NodeOwner& one : owners_.on(id)) owners.push_back(one.owner);
    return owners;
}

NodeLedger Cluster::Impl::usage_without(std::optional<OwnerId> owner, NodeId id) const {
    NodeLedger ledger(shape(id));
    for (const detail::NodeOwner& one : owners_.on(id)) {
        if (one.owner == owner) continue;
        for (const NodePlacement& part :
             detail::parts_on(find_allocation(one.owner)->placement, id)) {
            const Status taken = ledger.take(part, one.owner);
            TRESTLE_EXPECTS(taken.ok(), "what was committed does not overlap");
        }
    }
    return ledger;
}

std::vector<Allocation> Cluster::Impl::allocations() const {
    std::vector<Allocation> all;
    all.reserve(allocations_.size());
    allocations_.for_each([&](OwnerId, const detail::KeptAllocation& one) { all.push_back(*one); });
    return all;
}

Cluster::Impl::Others Cluster::Impl::others_on(NodeId node, OwnerId owner) const {
    Others others;
    for (const detail::NodeOwner& one : owners_.on(node)) {
        if (one.owner == owner) continue;
        others.have_something |= one.has_something;
        others.kinds |= one.kinds();
    }
    return others;
}

Status Cluster::Impl::check_nodes(const Placement& placement) const {
    Count tasks;
    bool has_shared_node = false;
    for (std::size_t i = 0; i < placement.nodes.size(); ++i) {
        const NodeId node = placement.nodes[i].node;
        if (node.value() >= node_count() || class_of(node).state == NodeState::removed) {
            return invalid_argument("node {} does not exist", node.value());
        }
        if (i != 0 && !detail::stands_before(placement.nodes[i - 1], placement.nodes[i])) {
            return invalid_argument(
                "node {}: expected rising node ids, each once, or once for each component",
                node.value());
        }
        has_shared_node = has_shared_node || (i != 0 && placement.nodes[i - 1].node == node);
        const auto sum = checked_add(tasks, placement.nodes[i].tasks);
        if (!sum) {
            return invalid_argument(
                "node {}: the sum of tasks up to here exceeds {}, the largest number", node.value(),
                Count::max().value());
        }
        tasks = *sum;
    }
    if (!has_shared_node) return {};
    Status status;
    detail::for_each_node(placement, [&](std::span<const NodePlacement> parts) {
        if (parts.size() == 1 || !status.ok()) return;
        const NodeId node = parts.front().node;
        status = with_context("node " + name(node), detail::check_side_by_side(shape(node), parts));
    });
    return status;
}

/// Gives more of a node to an owner that has `held` there, in `state`, which is the node's.
Status Cluster::Impl::take(const detail::PartsOfNode& more, const detail::PartsOfNode* held,
                           OwnerId owner, NodeStateData& state) const {
    const NodePlacement& part = more.whole();
    const detail::KnownClass& known = known_class(state);
    if (detail::is_plain(state.free, part) && detail::can_take(known, state.free, part)) {
        if (!detail::is_empty(part)) detail::take(known, state.free, part);
    } else {
        NodeLedger ledger = this->ledger(part.node);
        const Status taken = ledger.take(part, owner);
        if (!taken.ok()) return with_context("node " + name(part.node), taken);
        state.free = ledger.free();
    }
    if (held) {
        const Status addable = detail::check_addable(*held, more, shape(part.node));
        if (!addable.ok()) {
            return with_context(fmt::format("node {}: owner {}", name(part.node), owner.value()),
                                addable);
        }
        state.kinds = others_on(part.node, owner).kinds |
                      detail::kind_of(known, detail::sum(held->whole(), part));
    } else {
        state.kinds |= detail::kind_of(known, part);
    }
    return {};
}

/// Plans the state that `change` makes of the node's; where the step is plain it is remembered.
template <class Change>
Status Cluster::Impl::plan_step(const detail::NodeStep& step, const Change& change) {
    std::optional<StateId> after;
    if (step.is_plain) after = transitions_.find(states_, step);
    if (!after) {
        NodeStateData& draft = plan_.draft(*states_[step.from]);
        TRESTLE_TRY_STATUS(change(draft));
        after = states_.intern(draft);
        if (step.is_plain) transitions_.add(states_, step, *after);
    }
    plan_.add(step.part->node, *after);
    return {};
}

Status Cluster::Impl::plan_take(const detail::PartsOfNode& more, const detail::PartsOfNode* held,
                                OwnerId owner) {
    const NodePlacement& part = more.whole();
    detail::NodeStep step{states_.of(part.node), false, false, 0, &part};
    step.is_plain = held == nullptr && detail::is_plain(states_[step.from]->free, part);
    return plan_step(step, [&](NodeStateData& draft) { return take(more, held, owner, draft); });
}

Status Cluster::Impl::plan_take(const Placement& placement, const Allocation* held, OwnerId owner) {
    TRESTLE_TRY_STATUS(check_nodes(placement));
    begin_plan();
    Status planned;
    detail::for_each_node(placement, [&](std::span<const NodePlacement> parts) {
        if (!planned.ok()) return;
        std::span<const NodePlacement> before;
        if (held) before = detail::parts_on(held->placement, parts.front().node);
        const detail::PartsOfNode has(before);
        planned = plan_take(detail::PartsOfNode(parts), before.empty() ? nullptr : &has, owner);
    });
    TRESTLE_TRY_STATUS(planned);
    if (placement.cluster_counts.empty()) return {};
    TRESTLE_TRY_STATUS(check(placement.cluster_counts));
    if (const auto refusal = trestle::refuse(free_counts_, placement.cluster_counts)) {
        return failed_precondition("{}", refusal->reason);
    }
    return {};
}

/// Plans to take `part` back, which is all that the owner has of a node.
void Cluster::Impl::plan_release(const NodePlacement& part, OwnerId owner) {
    const Others others = others_on(part.node, owner);
    detail::NodeStep step{states_.of(part.node), true, others.have_something, others.kinds, &part};
    step.is_plain = detail::is_plain(states_[step.from]->free, part);
    const Status planned = plan_step(step, [&](NodeStateData& draft) {
        draft.kinds = others.kinds;
        if (step.is_plain) {
            detail::give_back(known_class(draft), draft.free, part);
            draft.free.is_idle = !others.have_something;
        } else {
            draft.free = usage_without(owner, part.node).free();
        }
        return Status();
    });
    TRESTLE_EXPECTS(planned.ok(), "what was taken can be given back");
}

void Cluster::Impl::plan_release(const Placement& placement, OwnerId owner) {
    begin_plan();
    detail::for_each_node(placement, [&](std::span<const NodePlacement> parts) {
        plan_release(detail::PartsOfNode(parts).whole(), owner);
    });
}

namespace {

/// The part of an owner's placement that `part` is to be taken from: that of its component, or the
/// only one on the node. Null where there is none.
const NodePlacement* part_to_reduce(const Placement& held, const NodePlacement& part) {
    const auto here = detail::parts_on(held, part.node);
    return here.size() == 1 ? here.data() : detail::find_part(held, part.node, part.component);
}

}  // namespace

/// Plans to take parts of one node back from the owner.
Status Cluster::Impl::plan_release_part(std::span<const NodePlacement> parts,
                                        const Allocation& held) {
    const NodeId node = parts.front().node;
    const std::string where = "node " + name(node);
    const auto here = detail::parts_on(held.placement, node);
    NodeLedger ledger = this->ledger(node);
    for (const NodePlacement& one : parts) {
        TRESTLE_TRY_STATUS(with_context(where, ledger.give_back(one, held.owner)));
        if (here.size() < 2) continue;
        const NodePlacement* const from = part_to_reduce(held.placement, one);
        if (from == nullptr) {
            return failed_precondition("{}: owner {} has nothing there for component {}", where,
                                       held.owner.value(), one.component);
        }
        NodeLedger of_component(shape(node));
        TRESTLE_TRY_STATUS(of_component.take(*from, held.owner));
        TRESTLE_TRY_STATUS(with_context(fmt::format("{}: component {}", where, one.component),
                                        of_component.give_back(one, held.owner)));
    }
    NodeStateData& after = plan_.draft(state(node));
    after.free = ledger.free();
    after.kinds = others_on(node, held.owner).kinds;
    if (!here.empty()) {
        NodePlacement left = detail::PartsOfNode(here).whole();
        for (const NodePlacement& one : parts) left = detail::subtract(std::move(left), one);
        after.kinds |= detail::kind_of(known_class(after), left);
    }
    plan_.add(node, states_.intern(after));
    return {};
}

Status Cluster::Impl::plan_release_part(const Placement& part, const Allocation& held) {
    TRESTLE_TRY_STATUS(check_nodes(part));
    begin_plan();
    Status planned;
    detail::for_each_node(part, [&](std::span<const NodePlacement> parts) {
        if (planned.ok()) planned = plan_release_part(parts, held);
    });
    TRESTLE_TRY_STATUS(planned);
    if (part.cluster_counts.empty()) return {};
    TRESTLE_TRY_STATUS(check(part.cluster_counts));
    if (const auto refusal = trestle::refuse(held.placement.cluster_counts, part.cluster_counts)) {
        return failed_precondition("owner {}: {}", held.owner.value(), refusal->reason);
    }
    return {};
}

void Cluster::Impl::put_state(NodeId node, StateId state) {
    if (undo_.is_noting()) undo_.add(detail::NodeBefore{node, states_[states_.of(node)]});
    states_.move(node, state);
    journal_.add(node);
}

/// Enters an owner that is in allocations_ already.
void Cluster::Impl::put_owner(const Allocation& allocation) {
    if (undo_.is_noting()) undo_.add(detail::AllocationBefore{allocation.owner, std::nullopt});
    detail::for_each_node(allocation.placement, [&](std::span<const NodePlacement> parts) {
        const detail::PartsOfNode all(parts);
        const NodePlacement& part = all.whole();
        const std::uint64_t kind = detail::kind_of(known_class(part.node), part);
        owners_.add(part.node, {allocation.owner, static_cast<std::uint8_t>(std::countr_zero(kind)),
                                !detail::is_empty(part)});
    });
}

/// Removes an owner that has left allocations_.
void Cluster::Impl::remove_owner(const Cow<Allocation>& allocation) {
    const OwnerId owner = allocation->owner;
    if (undo_.is_noting()) undo_.add(detail::AllocationBefore{owner, allocation});
    detail::for_each_node(allocation->placement, [&](std::span<const NodePlacement> parts) {
        owners_.remove(parts.front().node, owner);
    });
}

void Cluster::Impl::put_allocation(OwnerId owner, std::optional<Cow<Allocation>> after) {
    if (auto before = allocations_.take(owner)) remove_owner(before->shared());
    if (!after) return;
    const Allocation& given = **after;
    allocations_.insert(owner, detail::KeptAllocation(*std::move(after)));
    put_owner(given);
}

void Cluster::Impl::put_free_counts(std::vector<ClusterCount> counts) {
    if (undo_.is_noting()) undo_.add(detail::CountsBefore{free_counts_});
    free_counts_ = std::move(counts);
}

void Cluster::Impl::undo(std::size_t size) {
    undo_.set_undoing(true);
    while (undo_.size() > size) {
        std::visit([&](auto&& before) { put_back(std::move(before)); }, undo_.pop());
    }
    undo_.set_undoing(false);
}

void Cluster::Impl::put_back(detail::NodeBefore before) {
    put_state(before.node, states_.intern(before.data));
}

void Cluster::Impl::put_back(detail::AllocationBefore before) {
    put_allocation(before.owner, std::move(before.allocation));
}

void Cluster::Impl::put_back(detail::CountsBefore before) {
    put_free_counts(std::move(before.counts));
}

void Cluster::Impl::put_back(detail::DescriptionBefore before) {
    while (node_count() > before.node_count) states_.remove_last_node();
    const bool is_class_new = before.description->classes.size() < classes().size();
    put_description(std::move(before.description));
    if (is_class_new) states_.forget_unused();  // its number will be another's
}

Status Cluster::Impl::commit(Allocation&& allocation, const TraceSink& sink) {
    const OwnerId owner = allocation.owner;
    Cow<Allocation> entered(std::move(allocation));
    const Allocation& given = *entered;
    if (!allocations_.insert(owner, detail::KeptAllocation(std::move(entered)))) {
        return refuse(sink, owner,
                      failed_precondition("owner {} has an allocation already", owner.value()));
    }
    const Status planned = plan_take(given.placement, nullptr, owner);
    if (!planned.ok()) {
        allocations_.erase(owner);
        return refuse(sink, owner, planned);
    }
    put_states();
    if (!given.placement.cluster_counts.empty()) {
        put_free_counts(subtract(free_counts_, given.placement.cluster_counts));
    }
    put_owner(given);
    if (sink) report(sink, TraceEvent::Kind::commit, owner, given.placement);
    return {};
}

Status Cluster::Impl::extend(OwnerId owner, const Placement& more, const TraceSink& sink) {
    const Allocation* const found = find_allocation(owner);
    if (!found) return refuse(sink, owner, not_found("owner {} has no allocation", owner.value()));
    const Status planned = plan_take(more, found, owner);
    if (!planned.ok()) return refuse(sink, owner, planned);
    Allocation grown = *found;
    std::vector<NodePlacement>& nodes = grown.placement.nodes;
    for (const NodePlacement& part : more.nodes) {
        const auto at = std::lower_bound(nodes.begin(), nodes.end(), part, detail::stands_before);
        if (at == nodes.end() || detail::stands_before(part, *at)) {
            nodes.insert(at, part);
            continue;
        }
        *at = detail::sum(std::move(*at), part);
    }
    const Status fits = check(grown.placement);
    if (!fits.ok()) {
        return refuse(sink, owner, with_context(fmt::format("owner {}", owner.value()), fits));
    }
    grown.placement.cluster_counts = add(grown.placement.cluster_counts, more.cluster_counts);
    // `more` may be the owner's own, and is gone in the end.
    const std::vector<TraceEvent> events = events_of(sink, TraceEvent::Kind::commit, owner, more);
    put_states();
    if (!more.cluster_counts.empty()) {
        put_free_counts(subtract(free_counts_, more.cluster_counts));
    }
    put_allocation(owner, Cow<Allocation>(std::move(grown)));
    for (const TraceEvent& event : events) sink(event);
    return {};
}

StatusOr<Allocation> Cluster::Impl::release(OwnerId owner, const TraceSink& sink) {
    std::optional<detail::KeptAllocation> gone = allocations_.take(owner);
    if (!gone) return refuse(sink, owner, not_found("owner {} has no allocation", owner.value()));
    if (const auto node = gone->first_node()) prefetch(*node);
    const Placement& placement = (*gone)->placement;
    plan_release(placement, owner);
    put_states();
    if (!placement.cluster_counts.empty()) {
        put_free_counts(add(free_counts_, placement.cluster_counts));
    }
    remove_owner(gone->shared());
    if (sink) report(sink, TraceEvent::Kind::release, owner, placement);
    return std::move(gone->shared().write());
}

Status Cluster::Impl::release_part(OwnerId owner, const Placement& part, const TraceSink& sink) {
    const Allocation* const found = find_allocation(owner);
    if (!found) return refuse(sink, owner, not_found("owner {} has no allocation", owner.value()));
    const Status planned = plan_release_part(part, *found);
    if (!planned.ok()) return refuse(sink, owner, planned);
    Allocation left = *found;
    std::vector<bool> is_reduced(left.placement.nodes.size());
    for (const NodePlacement& one : part.nodes) {
        const NodePlacement* const from = part_to_reduce(left.placement, one);
        if (from == nullptr) continue;  // nothing of a node where the owner has nothing
        const auto at = static_cast<std::size_t>(from - left.placement.nodes.data());
        left.placement.nodes[at] = detail::subtract(std::move(left.placement.nodes[at]), one);
        is_reduced[at] = true;
    }
    std::vector<NodePlacement> kept;
    for (std::size_t i = 0; i < is_reduced.size(); ++i) {
        NodePlacement& one = left.placement.nodes[i];
        if (!is_reduced[i] || !detail::is_empty(one)) kept.push_back(std::move(one));
    }
    left.placement.nodes = std::move(kept);
    left.placement.cluster_counts =
        subtract(std::move(left.placement.cluster_counts), part.cluster_counts);
    // `part` may be the owner's own, and is gone in the end.
    const std::vector<TraceEvent> events = events_of(sink, TraceEvent::Kind::release, owner, part);
    put_states();
    if (!part.cluster_counts.empty()) put_free_counts(add(free_counts_, part.cluster_counts));
    const bool has_all_given = left.placement == Placement();
    put_allocation(owner,
                   has_all_given ? std::nullopt : std::optional(Cow<Allocation>(std::move(left))));
    for (const TraceEvent& event : events) sink(event);
    return {};
}

std::vector<TraceEvent> Cluster::Impl::events_of(const TraceSink& sink, TraceEvent::Kind kind,
                                                 OwnerId owner, const Placement& placement) const {
    std::vector<TraceEvent> events;
    if (!sink) return events;
    for (const NodePlacement& part : placement.nodes) {
        events.push_back({kind, owner, name(part.node), units_to_text(part, node(part.node))});
    }
    return events;
}

void Cluster::Impl::report(const TraceSink& sink, TraceEvent::Kind kind, OwnerId owner,
                           const Placement& placement) const {
    for (const TraceEvent& event : events_of(sink, kind, owner, placement)) sink(event);
}

Status Cluster::Impl::refuse(const TraceSink& sink, OwnerId owner, Status why) {
    if (sink) sink({TraceEvent::Kind::refusal, owner, "", std::string(message(why))});
    return why;
}

}  // namespace trestle
