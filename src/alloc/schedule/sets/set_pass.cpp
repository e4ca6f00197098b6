// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/sets/set_pass.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace trestle {

namespace detail {

void SetPass::begin(SetTimeline& nodes) {
    nodes_ = &nodes;
    if (!has_one()) plan_ = nodes.calendar();
    reservations_.clear();
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
    std::optional<Instant> not_beyond;
    if (!is_strict() && discipline_.horizon) {
        not_beyond = period_of(now, discipline_.horizon).end;
    }
    if (!calendar().find(job.nodes, job.limit, not_beyond, found_)) return Answer::waits;
    if (found_.start == now) return start(job, lowest_of(found_.nodes, job.nodes));
    if (is_strict()) return Answer::ends_pass;
    SetGrant one{job, period_of(found_.start, job.limit), choose(found_.nodes, job.nodes)};
    if (!has_one()) plan_.take(one.nodes, one.period);
    reservations_.push_back(std::move(one));
    return Answer::is_reserved;
}

SetPass::Answer SetPass::start_beside(const SetJob& job) {
    if (job.nodes > free_now_) return Answer::waits;
    const Period period = period_of(calendar().now(), job.limit);
    NodeBits free;
    calendar().free_in(period, free);
    if (has_one() && overlap(period, reservations_.front().period)) {
        move_reservation();
        const NodeBits& reserved = reservations_.front().nodes;
        for (std::size_t i = 0; i < free.size(); ++i) free[i] &= ~reserved[i];
    }
    if (count_of(free) < job.nodes) return Answer::waits;
    move_reservation();  // as it is by the turn of the last job that starts
    return start(job, lowest_of(free, job.nodes));
}

SetPass::Answer SetPass::start(const SetJob& job, NodeBits nodes) {
    started_ = {job, period_of(calendar().now(), job.limit), std::move(nodes)};
    nodes_->start(job.owner, started_.period, started_.nodes);
    if (!has_one()) plan_.take(started_.nodes, started_.period);
    free_now_ -= job.nodes;
    for (std::size_t i = 0; i < idle_.size(); ++i) idle_[i] &= ~started_.nodes[i];
    has_started_behind_ = has_started_behind_ || !reservations_.empty();
    return Answer::starts;
}

void SetPass::finish() { move_reservation(); }

void SetPass::move_reservation() {
    if (!discipline_.spares_idle || !has_started_behind_ || reservations_.size() != 1) return;
    has_started_behind_ = false;
    SetGrant& one = reservations_.front();
    if (!has_one()) plan_.give_back(one.nodes, one.period);
    NodeBits free;
    calendar().free_in(one.period, free);
    one.nodes = choose(free, one.job.nodes);
    if (!has_one()) plan_.take(one.nodes, one.period);
}

NodeBits SetPass::choose(const NodeBits& free, std::int64_t wanted) const {
    if (!discipline_.spares_idle) return lowest_of(free, wanted);
    NodeBits busy = free;
    for (std::size_t i = 0; i < free.size(); ++i) busy[i] &= ~idle_[i];
    const std::int64_t lacking = wanted - count_of(busy);
    if (lacking <= 0) return lowest_of(busy, wanted);
    NodeBits idle = free;
    for (std::size_t i = 0; i < free.size(); ++i) idle[i] &= idle_[i];
    const NodeBits beside = lowest_of(idle, lacking);
    for (std::size_t i = 0; i < free.size(); ++i) busy[i] |= beside[i];
    return busy;
}

}  // namespace detail

}  // namespace trestle
