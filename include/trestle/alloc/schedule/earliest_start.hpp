// SPDX-License-Identifier: Apache-2.0
#pragma once

// earliest_start: the first moment from which a request has a place for as long as it takes.
//
// Layer: alloc. Main function: earliest_start(timeline, request, question, options); main types:
// Start, StartQuestion; StartFinder does the same with a cache. The answer is a moment and a
// placement. Resources that are taken at any moment of the job's time count as taken. The start is
// the earliest at which place() then finds a placement. Between two ends of other jobs nothing
// becomes free, so only `after` and the later ends are tried.
// Pitfall: a reservation in the way does not end the search: a short job may start before it, a
// long one behind it. The refusal of a request that never fits is that of the last moment. With a
// last moment to try (`not_beyond`), which says nothing about later ones, it is that of the first.

#include <functional>
#include <memory>
#include <optional>

#include "trestle/alloc/cluster/place/node_filter.hpp"
#include "trestle/alloc/cluster/place/place_options.hpp"
#include "trestle/alloc/cluster/place/policy.hpp"
#include "trestle/alloc/cluster/place/prepared_request.hpp"
#include "trestle/alloc/schedule/period.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// From when on, and how long.
struct StartQuestion {
    std::optional<Instant> after = {};  ///< not before; absent: now
    std::optional<Seconds> duration =
        {};  ///< absent: the request's time limit, else its partition's
    std::optional<Instant> not_beyond = {};  ///< starts behind this moment are not looked for
    /// A start later than `after` prefers nodes that are in use at `after`. So the idle ones stay
    /// for jobs that can use them until then. The moment is the same.
    bool spares_idle = false;

    static constexpr auto fields(auto list) {
        return list(field("after", &StartQuestion::after),
                    field("duration", &StartQuestion::duration),
                    field("not_beyond", &StartQuestion::not_beyond),
                    field("spares_idle", &StartQuestion::spares_idle));
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

/// earliest_start() with a cache: fast for repeated questions about one timeline as it changes. The
/// answers are the same. Two threads must not use one object at the same time.
class StartFinder {
  public:
    explicit StartFinder(const PlaceOptions& options = {});
    /// With a function of the caller's own, the options' policy says nothing. Among the states that
    /// it is asked about are those of nodes at later moments, and of idle ones. An exception from
    /// it passes through, and the finder can be asked again.
    StartFinder(const PlaceOptions& options, const ScoreFunction& function);
    StartFinder(const PlaceOptions& options, const BatchScoreFunction& function);
    StartFinder(StartFinder&&) noexcept;
    StartFinder& operator=(StartFinder&&) noexcept;
    ~StartFinder();

    [[nodiscard]] const PlaceOptions& options() const;
    /// True when the policy may leave out a node that fits: a function, or an expression that may
    /// be no number. A smaller job may then have no place where a larger one has.
    [[nodiscard]] bool may_refuse() const;

    /// The earliest start, or why there is none: Constraint::gave_up where place() gave up on any
    /// of the moments, which is not a no. As for Placer, prepare a request that is asked about
    /// again. Constraint::invalid for a duration of 0, a start before now(), and one after which
    /// the duration does not fit into time.
    [[nodiscard]] Verdict<Start> earliest_start(const Timeline& timeline,
                                                const PreparedRequest& request,
                                                const StartQuestion& question = {},
                                                const NodeFilter& filter = {});

    /// Why the request can never start, even after the end of all other jobs. Idle nodes lack
    /// something, or the partition does not run jobs for so long. Absent when it may start at some
    /// time, and when place() gave up. For some jobs a busier node is better than an idle one.
    /// These are tasks dealt to sockets that require nearness, and jobs in partitions that limit
    /// what a job has of a node. Such a job is refused only for reasons that no other job can
    /// change.
    /// Complexity: one place() in the idle cluster, and for such a job a second one.
    [[nodiscard]] std::optional<Refusal> why_never(const Timeline& timeline,
                                                   const PreparedRequest& request,
                                                   std::optional<Seconds> duration = {});

    /// place() in a cluster where all that is taken at any moment of the period is taken. The
    /// result can be had all through the period, or says why nothing can. Requires: the period has
    /// a moment and begins at now() or later.
    [[nodiscard]] Verdict<Placement> place_throughout(const Timeline& timeline,
                                                      const PreparedRequest& request,
                                                      const Period& period,
                                                      const NodeFilter& filter = {});

    /// `watch` is called at the beginning of each earliest_start(), as Placer::set_watch().
    void set_watch(std::function<void()> watch);

    /// Where the request of the last question stood, as Placer::last_request().
    [[nodiscard]] const PreparedRequest* last_request() const;

  private:
    friend class JobQueue;  // which has to know one again

    class Impl;
    std::shared_ptr<Impl> impl_;  ///< of this object alone
};

/// The earliest start, or why there is none, as StartFinder::earliest_start. Complexity: one
/// place() for each moment that is looked at.
[[nodiscard]] Verdict<Start> earliest_start(const Timeline& timeline,
                                            const PreparedRequest& request,
                                            const StartQuestion& question = {},
                                            const PlaceOptions& options = {},
                                            const NodeFilter& filter = {});

}  // namespace trestle
