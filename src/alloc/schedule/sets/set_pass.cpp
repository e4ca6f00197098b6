// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/sets/set_pass.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace trestle {

namespace detail {

void SetPass::begin(SetTimeline& nodes) {
    freed_ = nodes.take_freed();
    if (nodes_ != &nodes || !std::exchange(is_plan_whole_, true)) freed_.reset();
    nodes_ = &nodes;
    if (!has_one()) {
        std::swap(plan_, plan_before_);
        plan_ = nodes.calendar();
    }
    bounds_.clear();
    std::swap(before_, reservations_);
    reservations_.clear();
    first_start_ = end_of_time;
    has_started_behind_ = false;
    free_now_ = calendar().free_now();
    calendar().free_in(period_of(calendar().now(), Seconds(1)), idle_);
}

void SetPass::go_on() {
    if (!has_one()) plan_.set_now(nodes_->calendar().now());
}

bool SetPass::may_reserve() const {
    const auto& most = discipline_.reservations_max;
    return !most || static_cast<std::int64_t>(reservations_.size()) < most->value();
}

SetPass::Answer SetPass::ask(const SetJob& job) {
    if (job.nodes > std::int64_t{calendar().node_count()}) return Answer::waits;  // for ever
    if (!has_one()) move_reservation();
    if (!is_strict() && !may_reserve()) return start_beside(job);
    const Instant now = calendar().now();
    NodeCalendar::Question question{job.nodes, job.limit, now, std::nullopt};
    if (!has_one()) question.not_before = bounds_.bound(job.nodes, job.limit);
    if (!is_strict() && discipline_.horizon) {
        question.not_beyond = period_of(now, discipline_.horizon).end;
    }
    if (!calendar().find(question, found_)) return Answer::waits;
    const Period& period = found_.period;
    if (!has_one() && question.not_before < period.first) {
        bounds_.note(job.nodes, job.limit, period.first);
    }
    if (period.first == now) return start(job, found_.nodes);
    if (is_strict()) return Answer::ends_pass;
    const auto chosen = reservations_.add({job, period}, found_.nodes.size());
    if (found_.count == job.nodes) {
        std::copy(found_.nodes.begin(), found_.nodes.end(), chosen.begin());
    } else {
        choose(found_.nodes, job.nodes, chosen);
    }
    if (!has_one()) plan_.take(chosen, found_);
    first_start_ = std::min(first_start_, period.first);
    return Answer::is_reserved;
}

SetPass::Answer SetPass::start_beside(const SetJob& job) {
    if (job.nodes > free_now_) return Answer::waits;
    const Period period = period_of(calendar().now(), job.limit);
    NodeBits free;
    calendar().free_in(period, free);
    if (has_one() && overlap(period, reservations_[0].period)) {
        move_reservation();
        const NodeWords reserved = reservations_.nodes(0);
        for (std::size_t i = 0; i < free.size(); ++i) free[i] &= ~reserved[i];
    }
    if (count_of(free) < job.nodes) return Answer::waits;
    move_reservation();  // as it is by the turn of the last job that starts
    return start(job, free);
}

SetPass::Answer SetPass::start(const SetJob& job, NodeWords free) {
    started_ = {job, period_of(calendar().now(), job.limit)};
    started_on_.assign(free.begin(), free.end());
    keep_lowest(started_on_, job.nodes);
    nodes_->start(job.owner, started_.period, started_on_);
    if (!has_one()) plan_.take(started_on_, started_.period);
    free_now_ -= job.nodes;
    for (std::size_t i = 0; i < idle_.size(); ++i) idle_[i] &= ~started_on_[i];
    has_started_behind_ = has_started_behind_ || !reservations_.empty();
    return Answer::starts;
}

void SetPass::enter(const SetGrant& grant, NodeWords nodes) {
    add(grant, nodes);
    is_plan_whole_ = false;
}

void SetPass::add(const SetGrant& grant, NodeWords nodes) {
    const auto entered = reservations_.add(grant, nodes.size());
    std::copy(nodes.begin(), nodes.end(), entered.begin());
    first_start_ = std::min(first_start_, grant.period.first);
}

void SetPass::begin_around(std::vector<bool>& wanted) {
    nodes_->take_back();
    const NodeCalendar& nodes = nodes_->calendar();
    reservations_.clear();
    first_start_ = end_of_time;
    free_now_ = nodes.free_now();
    for (std::size_t at = 0; at < wanted.size(); ++at) {
        wanted[at] = wanted[at] && nodes.now() <= before_[at].period.first;
    }
    if (freed_) return carry(wanted);
    plan_ = nodes;
    for (std::size_t at = 0; at < wanted.size(); ++at) {
        wanted[at] = wanted[at] && hold(before_[at], before_.nodes(at));
    }
}

void SetPass::carry(const std::vector<bool>& held) {
    std::swap(plan_, plan_before_);
    plan_.set_now(nodes_->calendar().now());
    for (const SetTimeline::Freed& one : *freed_) give_back_left(one.nodes, one.period);
    for (std::size_t at = 0; at < held.size(); ++at) {
        if (!held[at]) give_back_left(before_.nodes(at), before_[at].period);
    }
    const std::size_t most = nodes_->calendar().moments() + 2 * held.size();
    if (plan_.moments() > 64 + 2 * most) plan_.drop_equal();
}

void SetPass::give_back_left(NodeWords nodes, const Period& period) {
    const Period left{std::max(period.first, plan_.now()), period.end};
    if (left.first < left.end) plan_.give_back(nodes, left);
}

bool SetPass::hold(const SetGrant& grant, NodeWords nodes) {
    plan_.free_in(grant.period, found_.nodes);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if ((nodes[i] & ~found_.nodes[i]) != 0) return false;
    }
    plan_.take(nodes, grant.period);
    return true;
}

SetPass::Answer SetPass::ask_around(const SetJob& job, std::optional<std::size_t> held) {
    if (held) return move_up(job, before_[*held], before_.nodes(*held));
    NodeCalendar::Question question{job.nodes, job.limit, plan_.now(), std::nullopt};
    if (discipline_.horizon) {
        question.not_beyond = period_of(plan_.now(), discipline_.horizon).end;
    }
    const bool may = job.nodes <= std::int64_t{plan_.node_count()};
    if (!may || !plan_.find(question, found_)) return Answer::waits;
    return grant_found(job);
}

SetPass::Answer SetPass::move_up(const SetJob& job, const SetGrant& held, NodeWords nodes) {
    const Instant first = held.period.first;
    const Instant now = plan_.now();
    if (first == now) {
        plan_.give_back(nodes, held.period);
        return start(job, nodes);
    }
    if (plan_.may_go_on(job.nodes, first, nodes)) {
        plan_.give_back(nodes, held.period);
        const Instant last(first.value() - 1);
        if (plan_.find({job.nodes, job.limit, now, last}, found_)) {
            return grant_found(job);
        }
        plan_.take(nodes, held.period);
    } else if (job.limit && period_of(now, job.limit).end <= first) {
        // A start that is earlier ends before its own nodes matter.
        const Instant last(first.value() - job.limit->value());
        if (plan_.find({job.nodes, job.limit, now, last}, found_)) {
            const Answer answer = grant_found(job);
            plan_.give_back(nodes, held.period);
            return answer;
        }
    }
    add(held, nodes);
    return Answer::is_reserved;
}

SetPass::Answer SetPass::grant_found(const SetJob& job) {
    const Instant now = plan_.now();
    if (found_.period.first == now) return start(job, found_.nodes);
    plan_.free_in(period_of(now, Seconds(1)), idle_);
    const auto chosen = reservations_.add({job, found_.period}, found_.nodes.size());
    choose(found_.nodes, job.nodes, chosen);
    plan_.take(chosen, found_);
    first_start_ = std::min(first_start_, found_.period.first);
    return Answer::is_reserved;
}

void SetPass::finish() { move_reservation(); }

void SetPass::move_reservation() {
    if (!discipline_.spares_idle || !has_started_behind_ || reservations_.size() != 1) return;
    has_started_behind_ = false;
    const SetGrant& one = reservations_[0];
    const auto nodes = reservations_.nodes(0);
    if (!has_one()) {
        plan_.give_back(nodes, one.period);
        bounds_.clear();
    }
    NodeBits free;
    calendar().free_in(one.period, free);
    choose(free, one.job.nodes, nodes);
    if (!has_one()) plan_.take(nodes, one.period);
}

void SetPass::choose(NodeWords free, std::int64_t wanted, std::span<std::uint64_t> chosen) {
    if (!discipline_.spares_idle) {
        std::copy(free.begin(), free.end(), chosen.begin());
        return keep_lowest(chosen, wanted);
    }
    for (std::size_t i = 0; i < free.size(); ++i) chosen[i] = free[i] & ~idle_[i];
    const std::int64_t lacking = wanted - count_of(chosen);
    if (lacking <= 0) return keep_lowest(chosen, wanted);
    idle_chosen_.resize(free.size());
    for (std::size_t i = 0; i < free.size(); ++i) idle_chosen_[i] = free[i] & idle_[i];
    keep_lowest(idle_chosen_, lacking);
    for (std::size_t i = 0; i < free.size(); ++i) chosen[i] |= idle_chosen_[i];
}

}  // namespace detail

}  // namespace trestle
