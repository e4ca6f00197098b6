// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/earliest_start.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
#include "alloc/schedule/detail/idle_cluster.hpp"
#include "alloc/schedule/detail/node_profile.hpp"
#include "alloc/schedule/detail/time_limit.hpp"
#include "alloc/schedule/detail/window_cluster.hpp"
#include "alloc/schedule/queue/whole_nodes.hpp"
#include "alloc/schedule/timeline/owner_moment.hpp"
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

/// The options, whose policy says nothing where there is a function.
PlaceOptions without_policy(PlaceOptions options, bool has_function) {
    if (has_function) options.policy = Policy::first_fit;
    return options;
}

}  // namespace

class StartFinder::Impl {
  public:
    /// Of one policy or function. Whether a job has a place in an idle cluster is no matter of a
    /// function, so that never_placer_ has none.
    template <class... Function>
    explicit Impl(const PlaceOptions& options, const Function&... function)
        : now_placer_(options, function...),
          candidate_placer_(options, function...),
          never_placer_(options),
          idle_placer_(options, function...),
          placer_(options, function...) {}

    [[nodiscard]] const PlaceOptions& options() const { return placer_.options(); }
    [[nodiscard]] Verdict<Start> earliest_start(const Timeline& timeline,
                                                const PreparedRequest& request,
                                                const StartQuestion& question,
                                                const NodeFilter& filter);
    [[nodiscard]] std::optional<Refusal> why_never(const Timeline& timeline,
                                                   const PreparedRequest& request,
                                                   std::optional<Seconds> duration);
    [[nodiscard]] Verdict<Placement> place_throughout(const Timeline& timeline,
                                                      const PreparedRequest& request,
                                                      const Period& period,
                                                      const NodeFilter& filter);

  private:
    /// What is wrong with the question, or nothing.
    [[nodiscard]] static std::optional<Refusal> refuse_question(const Timeline& timeline,
                                                                Instant after,
                                                                std::optional<Seconds> duration);
    /// What is asked, worked out.
    struct Question {
        const PreparedRequest& request;
        Instant after;
        std::optional<Seconds> duration;
        std::optional<Instant> not_beyond;
        const NodeFilter* filter = nullptr;
        bool spares_idle = false;
    };

    /// What place() said of the moments at which it found nothing.
    struct PassedOver {
        std::optional<Refusal> first;
        std::optional<Refusal> gave_up;  ///< the first that is not a no

        void add(const Refusal& refusal);
        /// Why there is no start: the words, if each of them was a no.
        [[nodiscard]] Refusal why_not(const Refusal& words) const {
            return gave_up.value_or(words);
        }
    };

    /// The first end of a period that is later, or nothing.
    [[nodiscard]] static std::optional<Instant> next_end(const Timeline& timeline, Instant after,
                                                         const Question& asked);
    /// The moment whose words a refusal of a job with whole nodes has: see the preface.
    [[nodiscard]] static Instant moment_of_words(const Timeline& timeline, const Question& asked);

    /// True when each node that the job may have is one without other owners, and what place() says
    /// depends on nothing else.
    [[nodiscard]] bool wants_whole_nodes(const Cluster& cluster, const Request& request) const;
    /// The same answers for jobs that have their nodes alone: among nodes without owners, place()
    /// in an idle cluster says what it would in the window's.
    [[nodiscard]] Verdict<Start> on_whole_nodes(const Timeline& timeline, const Question& asked);
    /// Why a job that wants so many nodes for itself starts then and not at the moment asked for;
    /// nothing where that is the same.
    [[nodiscard]] std::optional<Refusal> waits_for(const Question& asked, Instant start,
                                                   std::int64_t wanted, const PassedOver& passed);
    /// The nodes that are free all through the job's time if it starts at the moment asked for, or
    /// how many there may be at most where that is too few.
    [[nodiscard]] std::int64_t free_at_once(const Question& asked, std::int64_t wanted);
    /// Of the nodes for a later start those that are to be tried first: with StartQuestion's
    /// spares_idle those with something on them at the moment asked for, and as many of the others
    /// as are wanted beside them, the lowest; else all. Requires: profile_ follows the timeline.
    [[nodiscard]] NodeSet first_choice(const Question& asked, Instant at, const NodeSet& nodes,
                                       std::int64_t wanted);
    [[nodiscard]] Refusal too_few(const Question& asked, std::int64_t wanted,
                                  std::int64_t free) const;

    /// What place() says no with in the idle cluster, to a request that less free cannot help.
    [[nodiscard]] std::optional<Refusal> refuse_when_idle(const PreparedRequest& request);

    static constexpr std::size_t nevers_max = 1U << 16;

    /// place() at the moment asked for: in the cluster as it is, where that says enough.
    [[nodiscard]] Verdict<Placement> at_once(const Timeline& timeline, const Question& asked);
    /// True when numbers say at which moments the request may have a place: see CandidateSweep.
    [[nodiscard]] bool candidates_can_tell(const Cluster& cluster, const Request& request) const;
    /// The earliest start behind the moment asked for, at which place() said `first`.
    [[nodiscard]] Verdict<Start> among_candidates(const Timeline& timeline, const Question& asked,
                                                  const Refusal& first);
    /// place() among these nodes, as they are all through the period.
    [[nodiscard]] Verdict<Placement> place_on(const Timeline& timeline, const Question& asked,
                                              const Period& period, NodeSet nodes);
    [[nodiscard]] const detail::FreePeriods& free_periods(const Timeline& timeline,
                                                          const Request& request);

    /// Needs that are kept, by how much a table of all nodes takes.
    [[nodiscard]] static std::size_t needs_max(const Cluster& cluster) {
        return std::clamp<std::size_t>(8'000'000 / (std::size_t{cluster.node_count()} + 1), 16,
                                       1024);
    }

    detail::NodeProfile profile_;
    detail::IdleCluster idle_;
    Placer now_placer_;
    detail::NodeParts parts_;
    std::vector<std::unique_ptr<detail::FreePeriods>> needs_;  ///< asked last at the end
    detail::CandidateWindow candidates_;
    Placer candidate_placer_;
    std::unordered_map<PreparedRequest, std::optional<Refusal>, Hash> nevers_;
    JournalPosition nevers_are_of_;  ///< of the idle cluster
    Placer never_placer_;
    Placer idle_placer_;
    detail::WindowCluster window_;
    Placer placer_;
};

Verdict<Start> StartFinder::Impl::earliest_start(const Timeline& timeline,
                                                 const PreparedRequest& request,
                                                 const StartQuestion& question,
                                                 const NodeFilter& filter) {
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
            return passed.why_not(asked.not_beyond ? *passed.first : found.refusal());
        }
        period = period_of(*next, duration);
        window_.open(timeline, period);
        found = placer_.place(window_.cluster(), request, filter);
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
           options().policy != Policy::random && detail::is_monotone(cluster, request) &&
           std::none_of(cluster.partitions().begin(), cluster.partitions().end(), limits_nodes);
}

Verdict<Start> StartFinder::Impl::among_candidates(const Timeline& timeline, const Question& asked,
                                                   const Refusal& first) {
    PassedOver passed;
    passed.add(first);
    if (asked.not_beyond && *asked.not_beyond <= asked.after) return first;
    const Cluster& cluster = timeline.cluster();
    std::vector<bool> may_take;
    for (std::uint32_t id = 0; id < cluster.classes().size(); ++id) {
        may_take.push_back(
            !refuse_class(cluster, cluster.classes()[ClassId(id)], *asked.request, ""));
    }
    const std::int64_t wanted = std::max<std::int64_t>(1, asked.request->nodes.least().value());
    const detail::FreePeriods& periods = free_periods(timeline, *asked.request);
    if (asked.spares_idle) profile_.follow(timeline);
    detail::CandidateSweep sweep(timeline, parts_, periods, may_take,
                                 {asked.after, asked.duration, wanted});
    while (sweep.advance() && (!asked.not_beyond || sweep.at() <= *asked.not_beyond)) {
        const Period period = period_of(sweep.at(), asked.duration);
        const NodeSet nodes = sweep.nodes();
        const NodeSet tried = first_choice(asked, sweep.at(), nodes, wanted);
        auto found = place_on(timeline, asked, period, tried);
        if (!found && tried != nodes) found = place_on(timeline, asked, period, nodes);
        if (found) {
            return Start{period, *std::move(found), std::move(passed.first), !passed.gave_up};
        }
        passed.add(found.refusal());
    }
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
    return candidate_placer_.place(candidates_.cluster(), asked.request,
                                   {&nodes, asked.filter->predicate});
}

const detail::FreePeriods& StartFinder::Impl::free_periods(const Timeline& timeline,
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

Verdict<Placement> StartFinder::Impl::place_throughout(const Timeline& timeline,
                                                       const PreparedRequest& request,
                                                       const Period& period,
                                                       const NodeFilter& filter) {
    window_.open(timeline, period);
    return placer_.place(window_.cluster(), request, filter);
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
            return idle_placer_.place(idle_.cluster(), asked.request,
                                      {&among, asked.filter->predicate});
        };
        const NodeSet first = first_choice(asked, *at, *nodes, wanted);
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

NodeSet StartFinder::Impl::first_choice(const Question& asked, Instant at, const NodeSet& nodes,
                                        std::int64_t wanted) {
    if (!asked.spares_idle || at == asked.after) return nodes;
    const auto idle = profile_.untouched(period_of(asked.after, Seconds(1)), 0);
    NodeSet first = nodes - *idle;
    std::int64_t lacking = wanted - static_cast<std::int64_t>(first.count());
    if (lacking <= 0) return first;
    for (const NodeId node : nodes&* idle) {
        if (lacking-- <= 0) break;
        first.insert(node);
    }
    return first;
}

Refusal StartFinder::Impl::too_few(const Question& asked, std::int64_t wanted,
                                   std::int64_t free) const {
    const Period period = period_of(asked.after, asked.duration);
    return {Constraint::nodes,
            fmt::format("asked {} nodes for itself, at most {} of {} are "
                        "free all through the time {}",
                        wanted, free, idle_.cluster().node_count(), to_text(period))};
}

StartFinder::StartFinder(const PlaceOptions& options) : impl_(std::make_shared<Impl>(options)) {}
StartFinder::StartFinder(const PlaceOptions& options, const ScoreFunction& function)
    : impl_(std::make_shared<Impl>(without_policy(options, function != nullptr), function)) {}
StartFinder::StartFinder(const PlaceOptions& options, const BatchScoreFunction& function)
    : impl_(std::make_shared<Impl>(without_policy(options, function != nullptr), function)) {}
StartFinder::StartFinder(StartFinder&&) noexcept = default;
StartFinder& StartFinder::operator=(StartFinder&&) noexcept = default;
StartFinder::~StartFinder() = default;

const PlaceOptions& StartFinder::options() const { return impl_->options(); }

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
