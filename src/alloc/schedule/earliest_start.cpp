// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/earliest_start.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "alloc/cluster/place/detail/monotone.hpp"
#include "alloc/cluster/place/eligibility.hpp"
#include "alloc/cluster/states/journal.hpp"
#include "alloc/schedule/candidates/candidate_window.hpp"
#include "alloc/schedule/candidates/free_periods.hpp"
#include "alloc/schedule/candidates/node_need.hpp"
#include "alloc/schedule/candidates/node_parts.hpp"
#include "alloc/schedule/candidates/start_finder_impl.hpp"
#include "alloc/schedule/detail/idle_cluster.hpp"
#include "alloc/schedule/detail/node_profile.hpp"
#include "alloc/schedule/detail/time_limit.hpp"
#include "alloc/schedule/detail/window_cluster.hpp"
#include "alloc/schedule/queue/whole_nodes.hpp"
#include "alloc/schedule/timeline/owner_moment.hpp"
#include "base/counted_text.hpp"
#include "base/cow/cow_map.hpp"
#include "model/partition_rules.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/partition.hpp"

namespace trestle {

namespace {

/// Why a partition of the job never runs one for so long, or nothing.
std::optional<Refusal> refuse_duration(const Cluster& cluster, const Request& request,
                                       std::optional<Seconds> duration) {
    const auto refuse_one = [&](const std::string& name) -> std::optional<Refusal> {
        const auto at = find_partition(cluster, name);
        if (!at) return std::nullopt;
        const Partition& partition = cluster.partitions()[*at];
        if (!partition.max_time || (duration && *duration <= *partition.max_time)) {
            return std::nullopt;
        }
        const std::string asked = duration ? to_text(*duration) + " s" : "for ever";
        return Refusal{Constraint::partition,
                       fmt::format("partition {} runs jobs for at most {} s, asked {}", name,
                                   *partition.max_time, asked)};
    };
    if (auto refusal = refuse_one(request.partition)) return refusal;
    for (const Request& component : request.components) {
        if (auto refusal = refuse_one(component.partition)) return refusal;
    }
    return std::nullopt;
}

}  // namespace

Verdict<Start> StartFinder::Impl::earliest_start(const Timeline& timeline,
                                                 const PreparedRequest& request,
                                                 const StartQuestion& question,
                                                 const NodeFilter& filter) {
    last_request_ = &request;
    call_watch();
    const Instant after = question.after.value_or(timeline.now());
    const auto duration =
        question.duration ? question.duration : time_limit_of(timeline.cluster(), *request);
    if (auto refusal = refuse_question(timeline, after, duration)) return *std::move(refusal);
    if (auto refusal = refuse_duration(timeline.cluster(), *request, duration)) {
        return *std::move(refusal);
    }
    const Question asked{
        request, after, duration, question.not_beyond, &filter, question.spares_idle};
    if (wants_whole_nodes(timeline.cluster(), *request)) return on_whole_nodes(timeline, asked);
    if (candidates_can_tell(timeline.cluster(), *request)) {
        auto now = at_once(timeline, asked);
        if (now) return Start{period_of(after, duration), *std::move(now), {}, true};
        return among_candidates(timeline, asked, now.refusal());
    }
    Period period = period_of(after, duration);
    window_.open(timeline, period);
    auto found = placer_.place(window_.cluster(), request, filter);
    PassedOver passed;
    while (!found) {
        passed.add(found.refusal());
        const auto next = next_end(timeline, period.first, asked);
        if (!next) {
            if (asked.not_beyond) return passed.why_not(*passed.first);
            // Of these refusals only the last one's words are read. A function that refuses nodes
            // may answer otherwise when it is asked again.
            auto again = placer_.place(window_.cluster(), request, filter);
            if (!again) return passed.why_not(again.refusal());
            return Start{period, *std::move(again), std::move(passed.first), !passed.gave_up};
        }
        period = period_of(*next, duration);
        window_.open(timeline, period);
        found = placer_.place_without_words(window_.cluster(), request, filter);
    }
    const bool is_earliest = !passed.gave_up;
    return Start{period, *std::move(found), std::move(passed.first), is_earliest};
}

Verdict<Placement> StartFinder::Impl::at_once(const Timeline& timeline, const Question& asked) {
    const Period period = period_of(asked.after, asked.duration);
    if (asked.after == timeline.now()) {
        auto found = now_placer_.place(timeline.cluster(), asked.request, *asked.filter);
        const bool gave_up = !found && found.refusal().constraint == Constraint::gave_up;
        const auto begins = timeline.starts().first();
        const bool stays = !begins || period.end <= begins->at;  // no reservation begins meanwhile
        if (!gave_up && (!found || stays)) return found;
    }
    return place_throughout(timeline, asked.request, period, *asked.filter);
}

bool StartFinder::Impl::candidates_can_tell(const Cluster& cluster, const Request& request) const {
    const auto limits_nodes = [](const Partition& one) {
        return one.max_cpus_per_node.has_value();
    };
    return request.components.empty() && request.cluster_counts.empty() &&
           options().policy != Policy::random && !may_refuse() &&
           detail::is_monotone(cluster, request) &&
           std::none_of(cluster.partitions().begin(), cluster.partitions().end(), limits_nodes);
}

template <class Idle>
NodeSet StartFinder::Impl::first_choice(const Question& asked, Instant at, const NodeSet& nodes,
                                        std::int64_t wanted, const Idle& idle_of) {
    if (!asked.spares_idle || at == asked.after) return nodes;
    const NodeSet idle = idle_of(nodes);
    NodeSet first = nodes - idle;
    std::int64_t lacking = wanted - static_cast<std::int64_t>(first.count());
    if (lacking <= 0) return first;
    for (const NodeId node : nodes& idle) {
        if (lacking-- <= 0) break;
        first.insert(node);
    }
    return first;
}

Verdict<Start> StartFinder::Impl::among_candidates(const Timeline& timeline, const Question& asked,
                                                   const Refusal& first) {
    PassedOver passed;
    passed.add(first);
    if (asked.not_beyond && *asked.not_beyond <= asked.after) return first;
    const Cluster& cluster = timeline.cluster();
    if (!detail::may_have_place_when_idle(cluster, *asked.request)) {
        return in_last_words(timeline, asked, std::move(passed));
    }
    std::vector<bool> may_take;
    for (std::uint32_t id = 0; id < cluster.classes().size(); ++id) {
        may_take.push_back(
            !refuse_class(cluster, cluster.classes()[ClassId(id)], *asked.request, ""));
    }
    const std::int64_t wanted = std::max<std::int64_t>(1, asked.request->nodes.least().value());
    detail::FreePeriods& periods = free_periods(timeline, *asked.request);
    NodeSet looked_at;
    NodeSet idle;
    const auto idle_of = [&](const NodeSet& nodes) {
        for (const NodeId node : nodes - looked_at) {
            if (!parts_.is_taken(node, asked.after)) idle.insert(node);
        }
        looked_at |= nodes;
        return nodes & idle;
    };
    const detail::TaskRoom tasks(cluster, *asked.request);
    detail::CandidateSweep sweep(timeline, parts_, periods, may_take,
                                 {asked.after, asked.duration, asked.not_beyond, wanted, &tasks});
    while (sweep.advance()) {
        const Period period = period_of(sweep.at(), asked.duration);
        const NodeSet nodes = sweep.nodes();
        const NodeSet tried = first_choice(asked, sweep.at(), nodes, wanted, idle_of);
        auto found = place_on(timeline, asked, period, tried);
        if (!found && tried != nodes) found = place_on(timeline, asked, period, nodes);
        if (found) {
            return Start{period, *std::move(found), std::move(passed.first), !passed.gave_up};
        }
        passed.add(found.refusal());
    }
    return in_last_words(timeline, asked, std::move(passed));
}

Verdict<Start> StartFinder::Impl::in_last_words(const Timeline& timeline, const Question& asked,
                                                PassedOver passed) {
    if (asked.not_beyond) return passed.why_not(*passed.first);
    const Period last = period_of(moment_of_words(timeline, asked), asked.duration);
    auto words = place_throughout(timeline, asked.request, last, *asked.filter);
    if (!words) return passed.why_not(words.refusal());
    return Start{last, *std::move(words), std::move(passed.first), false};
}

Verdict<Placement> StartFinder::Impl::place_on(const Timeline& timeline, const Question& asked,
                                               const Period& period, NodeSet nodes) {
    if (asked.filter->candidates) nodes &= *asked.filter->candidates;
    candidates_.open(timeline, parts_, period, nodes);
    return candidate_placer_.place_without_words(candidates_.cluster(), asked.request,
                                                 {&nodes, asked.filter->predicate});
}

detail::FreePeriods& StartFinder::Impl::free_periods(const Timeline& timeline,
                                                     const Request& request) {
    parts_.follow(timeline);
    detail::NodeNeed need = detail::least_need(request);
    const auto known = std::find_if(needs_.begin(), needs_.end(),
                                    [&](const auto& one) { return one->need() == need; });
    if (known != needs_.end()) {
        std::rotate(known, std::next(known), needs_.end());
    } else {
        if (needs_.size() >= needs_max(timeline.cluster())) needs_.erase(needs_.begin());
        needs_.push_back(std::make_unique<detail::FreePeriods>(std::move(need)));
    }
    needs_.back()->follow(timeline, parts_);
    return *needs_.back();
}

std::optional<Refusal> StartFinder::Impl::why_never(const Timeline& timeline,
                                                    const PreparedRequest& request,
                                                    std::optional<Seconds> duration) {
    const Cluster& cluster = timeline.cluster();
    if (!duration) duration = time_limit_of(cluster, *request);
    if (refuse_question(timeline, timeline.now(), duration)) return std::nullopt;  // no question
    if (auto refusal = refuse_duration(cluster, *request, duration)) return refusal;
    idle_.follow(cluster);
    const auto changed = idle_.cluster().journal().since(nevers_are_of_);
    if (!changed || !changed->empty() || nevers_.size() >= nevers_max) nevers_.clear();
    nevers_are_of_ = idle_.cluster().journal().position();
    const auto known = nevers_.find(request);
    if (known != nevers_.end()) return known->second;
    return nevers_.emplace(request, refuse_when_idle(request)).first->second;
}

std::optional<Refusal> StartFinder::Impl::refuse_when_idle(const PreparedRequest& request) {
    auto found = never_placer_.place(idle_.cluster(), request);
    if (found) return std::nullopt;
    const bool is_ever =
        detail::is_refused_ever(never_placer_, idle_.cluster(), request, found.refusal());
    return is_ever ? std::optional(found.refusal()) : std::nullopt;
}

Verdict<Placement> StartFinder::Impl::place_on_idle(const Timeline& timeline,
                                                    const PreparedRequest& request) {
    idle_.follow(timeline.cluster());
    return idle_placer_.place(idle_.cluster(), request);
}

Verdict<Placement> StartFinder::Impl::place_throughout(const Timeline& timeline,
                                                       const PreparedRequest& request,
                                                       const Period& period,
                                                       const NodeFilter& filter) {
    if (is_idle_from(timeline, period.first)) {
        idle_.follow(timeline.cluster());
        return idle_placer_.place(idle_.cluster(), request, filter);
    }
    window_.open(timeline, period);
    return placer_.place(window_.cluster(), request, filter);
}

bool StartFinder::Impl::is_idle_from(const Timeline& timeline, Instant at) const {
    if (has_function_ || options().policy == Policy::random) return false;
    const auto last = timeline.ends().last();
    return (!last || last->at <= at) && timeline.ends().size() == timeline.size();
}

std::optional<Refusal> StartFinder::Impl::refuse_question(const Timeline& timeline, Instant after,
                                                          std::optional<Seconds> duration) {
    const auto invalid = [](std::string reason) {
        return Refusal{Constraint::invalid, std::move(reason)};
    };
    if (after < timeline.now()) {
        return invalid(fmt::format("start after {}: expected from now, {}, on", after.value(),
                                   timeline.now().value()));
    }
    if (after == end_of_time) {
        return invalid(fmt::format("start after {}: the end of time", after.value()));
    }
    if (!duration) return std::nullopt;
    if (duration->is_zero()) return invalid("duration 0: expected 1 s or more");
    if (checked_add(after, *duration)) return std::nullopt;
    return invalid(fmt::format("start after {} for {} s: this is beyond the end of time",
                               after.value(), duration->value()));
}

void StartFinder::Impl::PassedOver::add(const Refusal& refusal) {
    if (!first) first = refusal;
    if (!gave_up && refusal.constraint == Constraint::gave_up) gave_up = refusal;
}

std::optional<Instant> StartFinder::Impl::next_end(const Timeline& timeline, Instant after,
                                                   const Question& asked) {
    const auto next = timeline.ends().next({Instant(after.value() + 1), OwnerId(0)});
    if (!next || (asked.not_beyond && *asked.not_beyond < next->at)) return std::nullopt;
    return next->at;
}

Instant StartFinder::Impl::moment_of_words(const Timeline& timeline, const Question& asked) {
    const auto last = timeline.ends().last();
    return last && !asked.not_beyond ? std::max(asked.after, last->at) : asked.after;
}

bool StartFinder::Impl::wants_whole_nodes(const Cluster& cluster, const Request& request) const {
    return request.cluster_counts.empty() && options().policy != Policy::random &&
           detail::wants_whole_nodes(cluster, request);
}

Verdict<Start> StartFinder::Impl::on_whole_nodes(const Timeline& timeline, const Question& asked) {
    idle_.follow(timeline.cluster());
    profile_.follow(timeline);
    std::int64_t wanted = std::max<std::int64_t>(1, asked.request->nodes.least().value());
    for (const Request& one : asked.request->components) {
        wanted = saturating_add(Count(wanted), std::max(Count(1), one.nodes.least())).value();
    }
    const std::int64_t most = std::int64_t{timeline.cluster().node_count()} - wanted;
    std::optional<NodeSet> idle;
    const auto idle_of = [&](const NodeSet&) {
        if (!idle) idle = profile_.untouched(period_of(asked.after, Seconds(1)), 0);
        return *idle;
    };
    PassedOver passed;
    for (std::optional<Instant> at = asked.after; at && most >= 0;
         at = next_end(timeline, *at, asked)) {
        at = profile_.first_with(most, *at, asked.duration);
        if (!at || (asked.not_beyond && *asked.not_beyond < *at && asked.after < *at)) break;
        const Period period = period_of(*at, asked.duration);
        auto nodes = profile_.untouched(period, wanted);
        if (!nodes) continue;
        if (asked.filter->candidates) *nodes &= *asked.filter->candidates;
        const auto place_on_idle = [&](const NodeSet& among) {
            return idle_placer_.place_without_words(idle_.cluster(), asked.request,
                                                    {&among, asked.filter->predicate});
        };
        const NodeSet first = first_choice(asked, *at, *nodes, wanted, idle_of);
        auto found = place_on_idle(first);
        if (!found && first != *nodes) found = place_on_idle(*nodes);
        if (!found) {
            passed.add(found.refusal());
            continue;
        }
        return Start{period, *std::move(found), waits_for(asked, *at, wanted, passed),
                     !passed.gave_up};
    }
    if (asked.not_beyond) {
        const std::int64_t free = free_at_once(asked, wanted);
        if (free < wanted) return passed.why_not(too_few(asked, wanted, free));
    }
    const Period last = period_of(moment_of_words(timeline, asked), asked.duration);
    auto words = place_throughout(timeline, asked.request, last, *asked.filter);
    if (!words) return passed.why_not(words.refusal());
    // On this moment the search among idle nodes gave up, and perhaps on others.
    return Start{last, *std::move(words), waits_for(asked, last.first, wanted, passed),
                 last.first == asked.after};
}

std::optional<Instant> StartFinder::Impl::first_untouched(const Timeline& timeline,
                                                          std::int64_t wanted,
                                                          std::optional<Seconds> duration) {
    profile_.follow(timeline);
    const std::int64_t most = std::int64_t{timeline.cluster().node_count()} - wanted;
    for (std::optional<Instant> at = timeline.now(); at && most >= 0;) {
        at = profile_.first_with(most, *at, duration);
        if (!at || profile_.untouched(period_of(*at, duration), wanted)) return at;
        const auto next = timeline.ends().next({Instant(at->value() + 1), OwnerId(0)});
        at = next ? std::optional(next->at) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<Refusal> StartFinder::Impl::waits_for(const Question& asked, Instant start,
                                                    std::int64_t wanted, const PassedOver& passed) {
    if (start == asked.after) return std::nullopt;
    const std::int64_t free = free_at_once(asked, wanted);
    // With enough of them place() was asked at that moment, and before all others.
    if (free >= wanted && passed.gave_up && passed.first == passed.gave_up) return passed.first;
    return too_few(asked, wanted, free);
}

std::int64_t StartFinder::Impl::free_at_once(const Question& asked, std::int64_t wanted) {
    const Period period = period_of(asked.after, asked.duration);
    const std::int64_t most =
        std::int64_t{idle_.cluster().node_count()} - profile_.most_taken(period);
    if (most < wanted) return most;
    return static_cast<std::int64_t>(profile_.untouched(period, 0)->count());
}

Refusal StartFinder::Impl::too_few(const Question& asked, std::int64_t wanted,
                                   std::int64_t free) const {
    const Period period = period_of(asked.after, asked.duration);
    return {Constraint::nodes,
            fmt::format("asked {} for itself, at most {} of {} are free all through the time {}",
                        counted_text(wanted, "node"), free, idle_.cluster().node_count(),
                        to_text(period))};
}

StartFinder::StartFinder(const PlaceOptions& options) : impl_(std::make_shared<Impl>(options)) {}
StartFinder::StartFinder(const PlaceOptions& options, const ScoreFunction& function)
    : impl_(std::make_shared<Impl>(options, function)) {}
StartFinder::StartFinder(const PlaceOptions& options, const BatchScoreFunction& function)
    : impl_(std::make_shared<Impl>(options, function)) {}
StartFinder::StartFinder(StartFinder&&) noexcept = default;
StartFinder& StartFinder::operator=(StartFinder&&) noexcept = default;
StartFinder::~StartFinder() = default;

const PlaceOptions& StartFinder::options() const { return impl_->options(); }

bool StartFinder::may_refuse() const { return impl_->may_refuse(); }

void StartFinder::set_watch(std::function<void()> watch) { impl_->set_watch(std::move(watch)); }

const PreparedRequest* StartFinder::last_request() const { return impl_->last_request(); }

Verdict<Start> StartFinder::earliest_start(const Timeline& timeline, const PreparedRequest& request,
                                           const StartQuestion& question,
                                           const NodeFilter& filter) {
    return impl_->earliest_start(timeline, request, question, filter);
}

std::optional<Refusal> StartFinder::why_never(const Timeline& timeline,
                                              const PreparedRequest& request,
                                              std::optional<Seconds> duration) {
    return impl_->why_never(timeline, request, duration);
}

Verdict<Placement> StartFinder::place_throughout(const Timeline& timeline,
                                                 const PreparedRequest& request,
                                                 const Period& period, const NodeFilter& filter) {
    return impl_->place_throughout(timeline, request, period, filter);
}

Verdict<Start> earliest_start(const Timeline& timeline, const PreparedRequest& request,
                              const StartQuestion& question, const PlaceOptions& options,
                              const NodeFilter& filter) {
    return StartFinder(options).earliest_start(timeline, request, question, filter);
}

}  // namespace trestle
