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
// before it, a long one behind. A request that no time helps is refused in the words of the last;
// with a moment not to go beyond, which says nothing of time, in those of the first.

#include <cstdint>
#include <optional>

#include "trestle/alloc/place/node_filter.hpp"
#include "trestle/alloc/place/place_options.hpp"
#include "trestle/alloc/place/placer.hpp"
#include "trestle/alloc/time/detail/idle_cluster.hpp"
#include "trestle/alloc/time/detail/node_profile.hpp"
#include "trestle/alloc/time/detail/window_cluster.hpp"
#include "trestle/alloc/time/period.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// From when on, and how long.
struct StartQuestion {
    std::optional<Instant> after;       ///< not before; absent: now
    std::optional<Seconds> duration;    ///< absent: that of time_limit_of()
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
    std::optional<Refusal> waits_for;  ///< why not at the moment asked for; absent: it is then
    bool is_earliest = true;           ///< false where place() gave up on an earlier moment

    static constexpr auto fields(auto list) {
        return list(field("period", &Start::period), field("placement", &Start::placement),
                    field("waits_for", &Start::waits_for),
                    field("is_earliest", &Start::is_earliest));
    }
    friend bool operator==(const Start&, const Start&) = default;
};

/// How long the request may run: what it asks for, else what its partition gives; nothing: for
/// ever. See effective_time_limit().
[[nodiscard]] std::optional<Seconds> time_limit_of(const Cluster& cluster, const Request& request);

namespace detail {

/// Why a partition of the job never runs one for so long, or nothing.
[[nodiscard]] std::optional<Refusal> refuse_duration(const Cluster& cluster, const Request& request,
                                                     std::optional<Seconds> duration);

}  // namespace detail

/// earliest_start() with a memory, for whoever asks more than once: quick where it is asked about
/// one timeline as it changes. Its answers are the same. No two threads may ask one at a time.
class StartFinder {
  public:
    explicit StartFinder(const PlaceOptions& options = {})
        : idle_placer_(options), placer_(options) {}

    [[nodiscard]] const PlaceOptions& options() const { return placer_.options(); }

    /// The earliest start, or why there is none: Constraint::gave_up where place() gave up on any
    /// of the moments, which is not a no. A request that is asked about again should be the same
    /// object in memory. Requires: check(*request) is ok. Errors: InvalidArgument for a duration of
    /// 0, a start before now(), and one after which the duration does not fit into time.
    [[nodiscard]] StatusOr<Verdict<Start>> earliest_start(const Timeline& timeline,
                                                          const Shared<Request>& request,
                                                          const StartQuestion& question = {},
                                                          const NodeFilter& filter = {});

    /// place() in a cluster where all that is taken at any moment of the period is taken: what can
    /// be had all through it, or the words why nothing can. Requires: check(*request) is ok; the
    /// period has a moment and begins at now() or later.
    [[nodiscard]] Verdict<Placement> place_throughout(const Timeline& timeline,
                                                      const Shared<Request>& request,
                                                      const Period& period,
                                                      const NodeFilter& filter = {});

  private:
    [[nodiscard]] static Status check(const Timeline& timeline, Instant after,
                                      std::optional<Seconds> duration);
    /// What is asked, worked out.
    struct Question {
        const Shared<Request>& request;
        Instant after;
        std::optional<Seconds> duration;
        std::optional<Instant> not_beyond;
        const NodeFilter* filter = nullptr;
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

    /// The first end of anybody's time that is later, or nothing.
    [[nodiscard]] static std::optional<Instant> next_end(const Timeline& timeline, Instant after,
                                                         const Question& asked);
    /// The moment whose words a refusal of a job with whole nodes has: see the preface.
    [[nodiscard]] static Instant moment_of_words(const Timeline& timeline, const Question& asked);

    /// True when each node that the job may have is one that nobody else has anything of, and what
    /// place() says depends on nothing else.
    [[nodiscard]] bool wants_whole_nodes(const Cluster& cluster, const Request& request) const;
    /// The same answers for jobs that have their nodes alone: among nodes that nobody has anything
    /// of, place() in an idle cluster says what it would in the window's.
    [[nodiscard]] StatusOr<Verdict<Start>> on_whole_nodes(const Timeline& timeline,
                                                          const Question& asked);
    /// Why a job that wants so many nodes for itself starts then and not at the moment asked for;
    /// nothing where that is the same.
    [[nodiscard]] std::optional<Refusal> waits_for(const Question& asked, Instant start,
                                                   std::int64_t wanted, const PassedOver& passed);
    /// The nodes that are free all through the job's time if it starts at the moment asked for, or
    /// how many there may be at most where that is too few.
    [[nodiscard]] std::int64_t free_at_once(const Question& asked, std::int64_t wanted);
    [[nodiscard]] Refusal too_few(const Question& asked, std::int64_t wanted,
                                  std::int64_t free) const;

    detail::NodeProfile profile_;
    detail::IdleCluster idle_;
    Placer idle_placer_;
    detail::WindowCluster window_;
    Placer placer_;
};

/// The earliest start, or why there is none. Errors and requirements: those of
/// StartFinder::earliest_start. Complexity: one place() for each moment that is looked at.
[[nodiscard]] StatusOr<Verdict<Start>> earliest_start(const Timeline& timeline,
                                                      const Request& request,
                                                      const StartQuestion& question = {},
                                                      const PlaceOptions& options = {},
                                                      const NodeFilter& filter = {});

}  // namespace trestle
