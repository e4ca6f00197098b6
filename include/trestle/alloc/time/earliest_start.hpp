// SPDX-License-Identifier: Apache-2.0
#pragma once

// earliest_start: the first moment from which a request has a place for as long as it takes.
//
// Layer: alloc. Main function: earliest_start(timeline, request, question, options); main types:
// Start, StartQuestion; StartFinder does the same with a memory. When and where are one answer: the
// start is the earliest at which place() finds a placement in a cluster where all that is taken at
// any moment of the job's time is taken, and the placement is that one. Between two ends of others
// such a cluster only loses, so that `after` and the ends behind it are all moments to look at.
// A reader would get wrong: a reservation in the way is not the end of the matter: a short job goes
// before it, a long one behind. A request that no time helps is refused in the words of the last.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/place/eligibility.hpp"
#include "trestle/alloc/place/node_filter.hpp"
#include "trestle/alloc/place/place_options.hpp"
#include "trestle/alloc/place/placer.hpp"
#include "trestle/alloc/time/detail/window_cluster.hpp"
#include "trestle/alloc/time/period.hpp"
#include "trestle/alloc/time/timeline.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/partition.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// From when on, and how long.
struct StartQuestion {
    std::optional<Instant> after;      ///< not before; absent: now
    std::optional<Seconds> duration;   ///< absent: that of time_limit_of()
    std::optional<Instant> not_beyond;  ///< starts behind this moment are not looked for

    static constexpr auto fields(auto list) {
        return list(field("after", &StartQuestion::after),
                    field("duration", &StartQuestion::duration),
                    field("not_beyond", &StartQuestion::not_beyond));
    }
    friend bool operator==(const StartQuestion&, const StartQuestion&) = default;
};

/// When and where.
struct Start {
    Period period;
    Placement placement;
    std::optional<Refusal> waits_for;  ///< why not at once; absent: it is

    static constexpr auto fields(auto list) {
        return list(field("period", &Start::period), field("placement", &Start::placement),
                    field("waits_for", &Start::waits_for));
    }
    friend bool operator==(const Start&, const Start&) = default;
};

/// How long the request may run: what it asks for, else what its partition gives; nothing: for
/// ever. See effective_time_limit().
[[nodiscard]] inline std::optional<Seconds> time_limit_of(const Cluster& cluster,
                                                          const Request& request) {
    if (const auto at = find_partition(cluster, request.partition)) {
        return effective_time_limit(cluster.partitions()[*at], request);
    }
    return request.time_limit;
}

namespace detail {

/// Why a partition of the job never runs one for so long, or nothing.
[[nodiscard]] inline std::optional<Refusal> refuse_duration(const Cluster& cluster,
                                                            const Request& request,
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

}  // namespace detail

/// earliest_start() with a memory, for whoever asks more than once: quick where it is asked about
/// one timeline as it changes. Its answers are the same. No two threads may ask one at a time.
class StartFinder {
  public:
    explicit StartFinder(PlaceOptions options = {}) : placer_(std::move(options)) {}

    [[nodiscard]] const PlaceOptions& options() const { return placer_.options(); }

    /// The earliest start, or why there is none. A request that is asked about again should be the
    /// same object in memory. Requires: check(*request) is ok.
    /// Errors: InvalidArgument for a duration of 0, a start before now(), and one after which the
    /// duration does not fit into time.
    [[nodiscard]] StatusOr<Verdict<Start>> earliest_start(const Timeline& timeline,
                                                          const Shared<Request>& request,
                                                          const StartQuestion& question = {},
                                                          const NodeFilter& filter = {}) {
        const Instant after = question.after.value_or(timeline.now());
        const auto duration = question.duration ? question.duration
                                                : time_limit_of(timeline.cluster(), *request);
        TRESTLE_TRY_STATUS(check(timeline, after, duration));
        if (auto refusal = detail::refuse_duration(timeline.cluster(), *request, duration)) {
            return Verdict<Start>(*std::move(refusal));
        }
        Period period = period_of(after, duration);
        window_.open(timeline, period);
        auto found = placer_.place(window_.cluster(), request, filter);
        if (found) return Verdict<Start>(Start{period, *std::move(found), std::nullopt});
        const Refusal waits_for = found.refusal();
        Refusal last = waits_for;
        while (const auto next = next_end(timeline, period.first)) {
            if (question.not_beyond && *question.not_beyond < *next) break;
            period = period_of(*next, duration);
            window_.move_on(timeline, period);
            found = placer_.place(window_.cluster(), request, filter);
            if (found) return Verdict<Start>(Start{period, *std::move(found), waits_for});
            last = found.refusal();
        }
        return Verdict<Start>(std::move(last));
    }

  private:
    [[nodiscard]] static Status check(const Timeline& timeline, Instant after,
                                      std::optional<Seconds> duration) {
        if (after < timeline.now()) {
            return invalid_argument("start after {}: expected from now, {}, on", after.value(),
                                    timeline.now().value());
        }
        if (after == end_of_time) return invalid_argument("start after {}: the end of time", after.value());
        if (!duration) return {};
        if (duration->is_zero()) return invalid_argument("duration 0: expected 1 s or more");
        if (checked_add(after, Instant(duration->value()))) return {};
        return invalid_argument("start after {} for {} s: this is beyond the end of time",
                                after.value(), duration->value());
    }
    /// The first end of anybody's time that is later, or nothing.
    [[nodiscard]] static std::optional<Instant> next_end(const Timeline& timeline, Instant after) {
        const auto next = timeline.ends().next({Instant(after.value() + 1), OwnerId(0)});
        return next ? std::optional(next->at) : std::nullopt;
    }

    detail::WindowCluster window_;
    Placer placer_;
};

/// The earliest start, or why there is none. Errors and requirements: those of
/// StartFinder::earliest_start. Complexity: one place() for each moment that is looked at.
[[nodiscard]] inline StatusOr<Verdict<Start>> earliest_start(const Timeline& timeline,
                                                             const Request& request,
                                                             const StartQuestion& question = {},
                                                             const PlaceOptions& options = {},
                                                             const NodeFilter& filter = {}) {
    return StartFinder(options).earliest_start(timeline, Shared<Request>(request), question,
                                               filter);
}

}  // namespace trestle
