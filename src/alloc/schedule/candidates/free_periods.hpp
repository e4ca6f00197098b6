// SPDX-License-Identifier: Apache-2.0
#pragma once

// FreePeriods: when which nodes may have enough for a need. CandidateSweep: the moments at which
// enough of them may have it all through a duration.
//
// Layer: alloc (detail). Main types: FreePeriods, CandidateSweep. Both speak of numbers only: at
// all other moments place() would say no, at these it has to be asked. A period begins now or where
// a job ends, so a sweep reads only nodes that have enough now or whose jobs end by its moment.
// Periods stand by their length: most are gaps between jobs, too short for most questions.

#include <absl/container/btree_set.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "alloc/schedule/candidates/node_need.hpp"
#include "alloc/schedule/candidates/node_parts.hpp"
#include "trestle/alloc/schedule/period.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle::detail {

/// A period in which a node has enough.
struct NodePeriod {
    Instant first;
    NodeId node;
    Instant end;

    friend bool operator==(const NodePeriod&, const NodePeriod&) = default;
    friend auto operator<=>(const NodePeriod&, const NodePeriod&) = default;
};

class FreePeriods {
  public:
    using Set = absl::btree_set<NodePeriod>;
    using Sets = std::array<Set, 65>;  ///< at most 63 digits, and those without an end
    static constexpr std::size_t without_end = 64;

    explicit FreePeriods(NodeNeed need) : need_(std::move(need)) {}

    [[nodiscard]] const NodeNeed& need() const { return need_; }
    /// Periods of the nodes that were read, by the binary digits of their length. Those without an
    /// end, which are long enough for any question, are the last.
    [[nodiscard]] const Sets& by_length() const { return by_length_; }
    [[nodiscard]] static std::size_t digits_of(Seconds length) {
        return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(length.value())));
    }
    [[nodiscard]] static std::size_t set_of(const Period& one) {
        return one.end == end_of_time ? without_end : digits_of(one.end - one.first);
    }
    /// Where the periods begin to stand that may be as long as this.
    [[nodiscard]] static std::size_t first_set_of(const std::optional<Seconds>& duration) {
        return duration ? digits_of(*duration) : without_end;
    }
    /// No period that begins until then and ends after now() is missing.
    [[nodiscard]] Instant known_until() const { return known_until_; }

    /// Requires: the parts follow the timeline, here and below. Complexity: the nodes that changed
    /// since the last time; those that have enough now, the first time.
    void follow(const Timeline& timeline, NodeParts& parts);
    /// Reads the nodes of the jobs that end behind known_until(), as far as to the next moment at
    /// which a period begins; known_until() is that moment then, or `end_of_time`.
    void look_further(const Timeline& timeline, NodeParts& parts);

  private:
    void start_anew(const Timeline& timeline, NodeParts& parts);
    [[nodiscard]] ClassNeed& need_of(const Cluster& cluster, ClassId id);
    void enter(const Timeline& timeline, NodeParts& parts, NodeId node);
    [[nodiscard]] bool begins_at(NodeId node, Instant at) const;

    NodeNeed need_;
    std::vector<std::optional<ClassNeed>> by_class_;
    Sets by_length_;
    Instant known_until_;
    std::vector<bool> is_read_;                 ///< by node
    std::vector<std::vector<Period>> by_node_;  ///< what stands in by_length_
    NodeParts::Position followed_;
    std::vector<Period> found_;  ///< of one node
};

class CandidateSweep {
  public:
    struct Question {
        Instant after;
        std::optional<Seconds> duration;
        std::optional<Instant> not_beyond;
        std::int64_t wanted = 1;          ///< nodes
        const TaskRoom* tasks = nullptr;  ///< that all nodes together have room for
    };
    /// `may_take` by class: whether its nodes may take the request at all.
    CandidateSweep(const Timeline& timeline, NodeParts& parts, FreePeriods& periods,
                   const std::vector<bool>& may_take, const Question& asked);

    /// True when enough nodes may serve from the moment asked for on.
    [[nodiscard]] bool has_enough() const {
        return static_cast<std::int64_t>(serving_.size()) >= asked_.wanted;
    }
    /// Goes to the next moment at which enough nodes may serve, all through the duration, and at
    /// which place() may say what it did not say before; false when there is none. It is an end of
    /// a part's time.
    [[nodiscard]] bool advance();
    [[nodiscard]] Instant at() const { return at_; }
    /// The nodes that may serve then.
    [[nodiscard]] NodeSet nodes() const;

  private:
    struct Serving {
        Instant last;  ///< at which the job may start there
        NodeId node;
        friend auto operator<=>(const Serving&, const Serving&) = default;
    };
    [[nodiscard]] std::optional<Instant> last_start(const NodePeriod& one) const;
    /// Reads on in each set behind the moment at which the sweep is.
    void find_cursors();
    /// The start of the next period that is long enough, if it begins before `bound`; else a moment
    /// from `bound` on.
    [[nodiscard]] Instant next_begin(Instant bound);
    /// Enters those that have begun to serve and drops those that do no longer; true when there
    /// were any of the first.
    bool enter_begun();
    [[nodiscard]] bool may_take(NodeId node) const;
    /// True when the nodes that may serve have cores for all tasks, at this moment.
    [[nodiscard]] bool has_room() const;

    const Timeline& timeline_;
    NodeParts& parts_;
    FreePeriods& periods_;
    const std::vector<bool>& may_take_;
    bool all_may_take_ = false;
    Question asked_;
    Instant at_;
    /// What has not begun yet of the periods of a length.
    struct Cursor {
        FreePeriods::Set::const_iterator next;
        FreePeriods::Set::const_iterator end;
    };
    std::vector<Cursor> cursors_;   ///< none for what is too short or empty
    std::vector<Serving> serving_;  ///< a heap, first the shortest that may start
    bool has_begun_ = false;        ///< periods from the beginning of time on were entered
    bool was_tried_ = false;        ///< in vain with these nodes: only an end on one of them helps
};

}  // namespace trestle::detail
