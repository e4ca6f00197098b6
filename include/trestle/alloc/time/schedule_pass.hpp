// SPDX-License-Identifier: Apache-2.0
#pragma once

// schedule_pass: one pass over a queue: who starts now, who is promised what, who waits and why.
//
// Layer: alloc. Main function: schedule_pass(timeline, queue, discipline, finder); main types:
// QueuedJob, Discipline, PassResult. Jobs have their turn in the discipline's order. One that can
// start now does; one that cannot is promised the earliest start there is, as long as promises are
// left, and none of those behind may touch what was promised. So a discipline is an order and a
// number of promises: strict() has none and ends with the first that waits, easy() has one,
// conservative() one for each.
// A reader would get wrong: a promise is for this pass. The next one makes all of them anew, from
// what runs then: on other places, and behind the first at other times, later ones too. Who wants
// to keep one reserves it in the timeline that is passed in. Where the policy looks at what is free
// (best_fit, say), what a pass has started may draw a promise to another node, and the next pass
// may then start one more: whoever wants all of them calls it until nothing starts. A job that
// could not start in the empty cluster either stands in nobody's way.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/time/earliest_start.hpp"
#include "trestle/alloc/time/period.hpp"
#include "trestle/alloc/timeline.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// A job that waits.
struct QueuedJob {
    OwnerId owner;
    Shared<Request> request;
    std::optional<Seconds> duration;  ///< absent: that of time_limit_of()
    std::int64_t priority = 0;        ///< the caller's; higher first, where that is the order

    static constexpr auto fields(auto list) {
        return list(field("owner", &QueuedJob::owner), field("request", &QueuedJob::request),
                    field("duration", &QueuedJob::duration),
                    field("priority", &QueuedJob::priority));
    }
    friend bool operator==(const QueuedJob&, const QueuedJob&) = default;
};

/// Who has the first turn. as_queued: who stands first. by_priority: who has the highest.
/// shortest_first: who takes least time. Between equal ones who stands first.
enum class QueueOrder { as_queued, by_priority, shortest_first };

constexpr auto enum_names(QueueOrder) {
    using enum QueueOrder;
    return std::array{named(as_queued, "as_queued"), named(by_priority, "by_priority"),
                      named(shortest_first, "shortest_first")};
}

/// How a pass goes over a queue.
struct Discipline {
    QueueOrder order = QueueOrder::as_queued;
    /// Promises to those who cannot start now; absent: to all. 0: the first of them ends the pass.
    std::optional<Count> promises_max;
    /// Jobs that are looked at and do not start, at most; absent: all.
    std::optional<Count> depth;
    /// No promise is made for a start behind now() and this; who would need one waits without.
    std::optional<Seconds> horizon;

    [[nodiscard]] static Discipline strict(QueueOrder order = QueueOrder::as_queued) {
        return {order, Count(0), {}, {}};
    }
    [[nodiscard]] static Discipline easy(QueueOrder order = QueueOrder::as_queued) {
        return {order, Count(1), {}, {}};
    }
    [[nodiscard]] static Discipline conservative(QueueOrder order = QueueOrder::as_queued) {
        return {order, {}, {}, {}};
    }

    static constexpr auto fields(auto list) {
        return list(field("order", &Discipline::order),
                    field("promises_max", &Discipline::promises_max),
                    field("depth", &Discipline::depth), field("horizon", &Discipline::horizon));
    }
    friend bool operator==(const Discipline&, const Discipline&) = default;
};

/// A job that does not start now.
struct WaitingJob {
    std::size_t job = 0;           ///< position in the queue
    Refusal why;                   ///< what stands in its way now
    std::optional<Instant> until;  ///< the promised start; absent: none was made
    bool is_earliest = true;       ///< Start::is_earliest of the promise

    static constexpr auto fields(auto list) {
        return list(field("job", &WaitingJob::job), field("why", &WaitingJob::why),
                    field("until", &WaitingJob::until),
                    field("is_earliest", &WaitingJob::is_earliest));
    }
    friend bool operator==(const WaitingJob&, const WaitingJob&) = default;
};

/// What a pass says. Each job of the queue is in `starts` or in `waiting`.
struct PassResult {
    std::vector<TimedAllocation> starts;    ///< from now on, in the order of their turns
    std::vector<TimedAllocation> promises;  ///< later, in the order of their turns
    std::vector<WaitingJob> waiting;        ///< in the order of their turns

    static constexpr auto fields(auto list) {
        return list(field("starts", &PassResult::starts), field("promises", &PassResult::promises),
                    field("waiting", &PassResult::waiting));
    }
    friend bool operator==(const PassResult&, const PassResult&) = default;
};

namespace detail {

/// Positions in the queue in the order of their turns.
[[nodiscard]] inline std::vector<std::size_t> turns(const Cluster& cluster,
                                                    std::span<const QueuedJob> queue,
                                                    QueueOrder order) {
    std::vector<std::size_t> positions(queue.size());
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    std::vector<std::int64_t> keys;  // lowest first
    keys.reserve(queue.size());
    for (const QueuedJob& job : queue) {
        const auto duration = job.duration ? job.duration : time_limit_of(cluster, *job.request);
        if (order == QueueOrder::by_priority) keys.push_back(~job.priority);  // the reverse order
        if (order == QueueOrder::shortest_first) {
            keys.push_back(duration.value_or(Seconds::max()).value());
        }
        if (order == QueueOrder::as_queued) keys.push_back(0);
    }
    std::stable_sort(positions.begin(), positions.end(),
                     [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    return positions;
}

/// Ok when each owner stands once and has nothing yet.
[[nodiscard]] inline Status check_queue(const Timeline& timeline,
                                        std::span<const QueuedJob> queue) {
    std::vector<OwnerId> owners;
    owners.reserve(queue.size());
    for (const QueuedJob& job : queue) owners.push_back(job.owner);
    std::sort(owners.begin(), owners.end());
    const auto twice = std::adjacent_find(owners.begin(), owners.end());
    if (twice != owners.end()) {
        return failed_precondition("owner {} stands twice in the queue", twice->value());
    }
    for (const OwnerId owner : owners) {
        if (!timeline.period_of(owner)) continue;
        return failed_precondition("owner {} has something already", owner.value());
    }
    return {};
}

/// One pass.
class Pass {
  public:
    Pass(const Timeline& timeline, std::span<const QueuedJob> queue, const Discipline& discipline,
         StartFinder& finder)
        : plan_(timeline), queue_(queue), discipline_(discipline), finder_(finder) {
        if (!discipline.horizon) return;
        horizon_ = period_of(timeline.now(), discipline.horizon).last;
    }

    [[nodiscard]] StatusOr<PassResult> run() {
        TRESTLE_TRY_STATUS(check_queue(plan_, queue_));
        const auto depth =
            static_cast<std::size_t>(discipline_.depth.value_or(Count::max()).value());
        for (const std::size_t position : turns(plan_.cluster(), queue_, discipline_.order)) {
            if (blocked_by_) {
                wait(position, fmt::format("waits behind owner {}", *blocked_by_));
            } else if (result_.waiting.size() >= depth) {
                wait(position, "the pass looks at no more jobs");
            } else {
                const Status status = look_at(position);
                if (!status.ok()) {
                    return with_context(fmt::format("owner {}", queue_[position].owner), status);
                }
            }
        }
        return std::move(result_);
    }

  private:
    void wait(std::size_t position, std::string why) {
        result_.waiting.push_back({position, {Constraint::none, std::move(why)}, std::nullopt});
    }
    [[nodiscard]] bool may_promise() const {
        return !discipline_.promises_max || static_cast<std::int64_t>(result_.promises.size()) <
                                                discipline_.promises_max->value();
    }
    [[nodiscard]] Status look_at(std::size_t position) {
        const QueuedJob& job = queue_[position];
        const bool is_strict = discipline_.promises_max == Count(0);
        StartQuestion question{std::nullopt, job.duration, {}};
        if (!is_strict) question.not_beyond = horizon_;
        if (!is_strict && !may_promise()) question.not_beyond = plan_.now();
        TRESTLE_TRY(auto found, finder_.earliest_start(plan_, job.request, question));
        if (!found) {
            result_.waiting.push_back({position, found.refusal(), std::nullopt});
            return {};
        }
        const bool is_now = found->period.first == plan_.now();
        if (!is_now) result_.waiting.push_back({position, *found->waits_for, std::nullopt});
        if (!is_now && is_strict) {
            blocked_by_ = job.owner;
            return {};
        }
        TimedAllocation given{{job.owner, job.request, std::move(found->placement)}, found->period};
        TRESTLE_TRY_STATUS(plan_.reserve(given.allocation, given.period));
        if (!is_now) {
            result_.waiting.back().until = given.period.first;
            result_.waiting.back().is_earliest = found->is_earliest;
        }
        (is_now ? result_.starts : result_.promises).push_back(std::move(given));
        return {};
    }

    Timeline plan_;  ///< with what starts and what was promised
    std::span<const QueuedJob> queue_;
    const Discipline& discipline_;
    StartFinder& finder_;
    std::optional<Instant> horizon_;
    std::optional<OwnerId> blocked_by_;
    PassResult result_;
};

}  // namespace detail

/// One pass. Errors: FailedPrecondition for an owner that stands twice or has something already;
/// InvalidArgument for a duration that earliest_start() refuses, naming the owner. Requires:
/// check(*job.request) is ok for all. Complexity: one earliest_start() for each job that has a
/// turn; jobs that share a request object are known without comparing.
[[nodiscard]] inline StatusOr<PassResult> schedule_pass(const Timeline& timeline,
                                                        std::span<const QueuedJob> queue,
                                                        const Discipline& discipline,
                                                        StartFinder& finder) {
    return detail::Pass(timeline, queue, discipline, finder).run();
}
/// The same without a memory of earlier passes.
[[nodiscard]] inline StatusOr<PassResult> schedule_pass(const Timeline& timeline,
                                                        std::span<const QueuedJob> queue,
                                                        const Discipline& discipline,
                                                        const PlaceOptions& options = {}) {
    StartFinder finder(options);
    return schedule_pass(timeline, queue, discipline, finder);
}

}  // namespace trestle
