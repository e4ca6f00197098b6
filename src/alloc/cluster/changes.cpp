// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/cluster_impl.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
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

const NodePlacement* Cluster::Impl::part_of(OwnerId owner, NodeId node) const {
    const Allocation* const found = find_allocation(owner);
    return found ? detail::find_part(found->placement, node) : nullptr;
}

NodeLedger Cluster::Impl::usage_without(std::optional<OwnerId> owner, NodeId id) const {
    NodeLedger ledger(shape(id));
    for (const detail::NodeOwner& one : owners_.on(id)) {
        if (one.owner == owner) continue;
        const Status taken = ledger.take(*part_of(one.owner, id), one.owner);
        TRESTLE_EXPECTS(taken.ok(), "what was committed does not overlap");
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
    for (std::size_t i = 0; i < placement.nodes.size(); ++i) {
        const NodeId node = placement.nodes[i].node;
        if (node.value() >= node_count() || class_of(node).state == NodeState::removed) {
            return invalid_argument("node {} does not exist", node.value());
        }
        if (i != 0 && !(placement.nodes[i - 1].node < node)) {
            return invalid_argument("node {}: expected rising node ids, each once", node.value());
        }
        const auto sum = checked_add(tasks, placement.nodes[i].tasks);
        if (!sum) {
            return invalid_argument(
                "node {}: the sum of tasks up to here exceeds {}, the largest number", node.value(),
                Count::max().value());
        }
        tasks = *sum;
    }
    return {};
}

/// Gives `part` of a node to an owner that has `held` there, in `state`, which is the node's.
Status Cluster::Impl::take(const NodePlacement& part, const NodePlacement* held, OwnerId owner,
                           NodeStateData& state) const {
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
        const Status addable = detail::check_addable(*held, part, shape(part.node));
        if (!addable.ok()) {
            return with_context(fmt::format("node {}: owner {}", name(part.node), owner.value()),
                                addable);
        }
        state.kinds =
            others_on(part.node, owner).kinds | detail::kind_of(known, detail::sum(*held, part));
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

Status Cluster::Impl::plan_take(const NodePlacement& part, const NodePlacement* held,
                                OwnerId owner) {
    detail::NodeStep step{states_.of(part.node), false, false, 0, &part};
    step.is_plain = held == nullptr && detail::is_plain(states_[step.from]->free, part);
    return plan_step(step, [&](NodeStateData& draft) { return take(part, held, owner, draft); });
}

Status Cluster::Impl::plan_take(const Placement& placement, const Allocation* held, OwnerId owner) {
    TRESTLE_TRY_STATUS(check_nodes(placement));
    begin_plan();
    for (const NodePlacement& part : placement.nodes) {
        TRESTLE_TRY_STATUS(
            plan_take(part, held ? detail::find_part(held->placement, part.node) : nullptr, owner));
    }
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
    for (const NodePlacement& part : placement.nodes) plan_release(part, owner);
}

Status Cluster::Impl::plan_release_part(const Placement& part, const Allocation& held) {
    TRESTLE_TRY_STATUS(check_nodes(part));
    begin_plan();
    for (const NodePlacement& one : part.nodes) {
        NodeLedger ledger = this->ledger(one.node);
        const Status given = ledger.give_back(one, held.owner);
        if (!given.ok()) return with_context("node " + name(one.node), given);
        NodeStateData& after = plan_.draft(state(one.node));
        after.free = ledger.free();
        after.kinds = others_on(one.node, held.owner).kinds;
        if (const NodePlacement* const has = detail::find_part(held.placement, one.node)) {
            after.kinds |= detail::kind_of(known_class(after), detail::subtract(*has, one));
        }
        plan_.add(one.node, states_.intern(after));
    }
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
    for (const NodePlacement& part : allocation.placement.nodes) {
        const std::uint64_t kind = detail::kind_of(known_class(part.node), part);
        owners_.add(part.node, {allocation.owner, static_cast<std::uint8_t>(std::countr_zero(kind)),
                                !detail::is_empty(part)});
    }
}

/// Removes an owner that has left allocations_.
void Cluster::Impl::remove_owner(const Cow<Allocation>& allocation) {
    const OwnerId owner = allocation->owner;
    if (undo_.is_noting()) undo_.add(detail::AllocationBefore{owner, allocation});
    for (const NodePlacement& part : allocation->placement.nodes) owners_.remove(part.node, owner);
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
        const auto at = std::lower_bound(
            nodes.begin(), nodes.end(), part.node,
            [](const NodePlacement& one, NodeId wanted) { return one.node < wanted; });
        if (at == nodes.end() || at->node != part.node) {
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
    for (const NodePlacement& one : part.nodes) {
        for (NodePlacement& whole : left.placement.nodes) {
            if (whole.node == one.node) whole = detail::subtract(std::move(whole), one);
        }
    }
    std::erase_if(left.placement.nodes, [&](const NodePlacement& one) {
        return detail::is_empty(one) && detail::find_part(part, one.node) != nullptr;
    });
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
