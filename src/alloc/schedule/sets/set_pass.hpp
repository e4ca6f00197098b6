// SPDX-License-Identifier: Apache-2.0
#pragma once

// SetPass: a pass over jobs that want nothing but a number of nodes for themselves, on sets of like
// nodes.
//
// Layer: alloc (detail). Main types: SetPass, SetGrants. It decides as Pass does, which asks the
// finder: the same starts and reservations, on the same nodes. There is neither a plan nor a
// placement.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "alloc/schedule/sets/node_calendar.hpp"
#include "alloc/schedule/sets/set_timeline.hpp"
#include "alloc/schedule/sets/start_bounds.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"

namespace trestle::detail {

struct SetJob {
    OwnerId owner;
    std::int64_t nodes = 0;
    std::optional<Seconds> limit;  ///< how long it runs
};

/// What a job has now, or later.
struct SetGrant {
    SetJob job;
    Period period;
};

/// Grants, and the nodes of each.
class SetGrants {
  public:
    void clear() {
        grants_.clear();
        bits_.clear();
    }
    /// The nodes of the new one, in `words` words, to be written.
    std::span<std::uint64_t> add(const SetGrant& grant, std::size_t words) {
        grants_.push_back(grant);
        bits_.resize(bits_.size() + words);
        return nodes(grants_.size() - 1);
    }

    [[nodiscard]] std::size_t size() const { return grants_.size(); }
    [[nodiscard]] bool empty() const { return grants_.empty(); }
    [[nodiscard]] const SetGrant& operator[](std::size_t at) const { return grants_[at]; }
    [[nodiscard]] NodeWords nodes(std::size_t at) const {
        return NodeWords(bits_).subspan(at * words(), words());
    }
    [[nodiscard]] std::span<std::uint64_t> nodes(std::size_t at) {
        return std::span(bits_).subspan(at * words(), words());
    }

  private:
    [[nodiscard]] std::size_t words() const { return bits_.size() / grants_.size(); }

    std::vector<SetGrant> grants_;
    NodeBits bits_;  ///< one set behind the other
};

class SetPass {
  public:
    explicit SetPass(const Discipline& discipline) : discipline_(discipline) {}

    /// A new pass on the calendar of the nodes, which stay.
    void begin(SetTimeline& nodes);
    /// The same pass at a later moment. Requires: nothing but time has changed, and nothing
    /// started.
    void go_on();
    [[nodiscard]] bool has_begun() const { return nodes_ != nullptr; }
    void forget() { nodes_ = nullptr; }

    enum class Answer { waits, starts, is_reserved, ends_pass };
    /// What starts is entered into the nodes.
    [[nodiscard]] Answer ask(const SetJob& job);

    /// The same pass anew: what it started is taken back. Of reservations_before() those in
    /// `wanted` are held, except where the time has come or the nodes are not free: these leave
    /// `wanted`. Requires: reservations for all, and no call of go_on().
    void begin_around(std::vector<bool>& wanted);
    /// As ask(), beside all that is held; `held` is what the job itself has.
    [[nodiscard]] Answer ask_around(const SetJob& job, std::optional<std::size_t> held);
    /// A reservation that was made before this pass began. It is not in the plan.
    void enter(const SetGrant& grant, NodeWords nodes);

    /// The only reservation is moved, as if a job behind the last start were asked for.
    void finish();

    [[nodiscard]] bool may_reserve() const;
    /// True when no job starts any more.
    [[nodiscard]] bool is_full() const { return !may_matter(1); }
    /// False where it can be said of all jobs of so many nodes that they do not start.
    [[nodiscard]] bool may_matter(std::int64_t nodes) const {
        return may_reserve() || is_strict() || nodes <= free_now_;
    }
    /// By the last call of ask() that said so.
    [[nodiscard]] const SetGrant& started() const { return started_; }
    [[nodiscard]] NodeWords started_on() const { return started_on_; }
    [[nodiscard]] const SetGrants& reservations() const { return reservations_; }
    /// Those of the pass before this one.
    [[nodiscard]] const SetGrants& reservations_before() const { return before_; }
    /// True when a reservation begins then or has begun.
    [[nodiscard]] bool has_begun_by(Instant at) const { return first_start_ <= at; }
    /// Of the reservations. Requires: there are any.
    [[nodiscard]] Instant first_start() const { return first_start_; }

  private:
    [[nodiscard]] bool is_strict() const { return discipline_.reservations_max == Count(0); }
    /// True when the only reservation that there can be is not in the calendar.
    [[nodiscard]] bool has_one() const {
        return discipline_.reservations_max && *discipline_.reservations_max <= Count(1);
    }
    [[nodiscard]] const NodeCalendar& calendar() const {
        return has_one() ? nodes_->calendar() : plan_;
    }
    /// Those of `free` that a job gets which starts later.
    void choose(NodeWords free, std::int64_t wanted, std::span<std::uint64_t> chosen);
    void move_reservation();
    /// The plan of the pass before is that of this one, with what has become free since.
    void carry(const std::vector<bool>& held);
    /// False when the nodes are not free.
    [[nodiscard]] bool hold(const SetGrant& grant, NodeWords nodes);
    void give_back_left(NodeWords nodes, const Period& period);
    /// The earliest start of a job that is held, if its own nodes were free.
    [[nodiscard]] Answer move_up(const SetJob& job, const SetGrant& held, NodeWords nodes);
    void add(const SetGrant& grant, NodeWords nodes);
    /// What the last search has found is the job's.
    [[nodiscard]] Answer grant_found(const SetJob& job);
    /// On the lowest of those.
    [[nodiscard]] Answer start(const SetJob& job, NodeWords free);
    [[nodiscard]] Answer start_beside(const SetJob& job);

    const Discipline& discipline_;
    SetTimeline* nodes_ = nullptr;
    NodeCalendar plan_;          ///< with the reservations
    NodeCalendar plan_before_;   ///< of the pass before
    bool is_plan_whole_ = true;  ///< it has all reservations
    /// Absent: `plan_before_` is none that can be carried on.
    std::optional<std::vector<SetTimeline::Freed>> freed_;
    StartBounds bounds_;  ///< of the jobs in `plan_`
    SetGrants reservations_;
    SetGrants before_;
    Instant first_start_;  ///< of the reservations
    SetGrant started_;
    NodeBits started_on_;
    NodeCalendar::Found found_;  ///< by the last search
    NodeBits idle_;              ///< free now
    NodeBits idle_chosen_;
    std::int64_t free_now_ = 0;
    bool has_started_behind_ = false;
};

}  // namespace trestle::detail
