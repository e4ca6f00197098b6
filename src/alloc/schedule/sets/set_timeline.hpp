// SPDX-License-Identifier: Apache-2.0
#pragma once

// SetTimeline: what a timeline has taken of nodes that are all alike, whole ones, as a calendar.
//
// Layer: alloc (detail). Main type: SetTimeline. It follows a timeline whose owners all have their
// nodes alone, in a cluster of one class of nodes without partitions and networks. A job that wants
// nothing but a number of nodes for itself then gets the lowest ones that are free.
// Pitfall: it says nothing where one of that is not so; the caller asks the general way.

#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "alloc/cluster/states/description.hpp"
#include "alloc/cluster/states/journal.hpp"
#include "alloc/schedule/sets/node_calendar.hpp"
#include "base/cow/cow.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/ids.hpp"

namespace trestle::detail {

/// True when all nodes are of one class and of no partition, and new work may go to them.
/// Complexity: the states that nodes are in.
[[nodiscard]] bool are_of_one_class(const Cluster& cluster);

class SetTimeline {
  public:
    /// The calendar is that of the timeline. False when it cannot be: see above; the next call
    /// begins anew. Complexity: the changes since the last time and their moments.
    [[nodiscard]] bool follow(const Timeline& timeline);
    /// True when the last call of follow() began anew.
    [[nodiscard]] bool is_anew() const { return is_anew_; }
    /// Owners that the last call of follow() found in another place or time than before, and those
    /// that have begun since.
    [[nodiscard]] std::span<const OwnerId> changed() const { return changed_; }
    void forget() { is_known_ = false; }

    struct Freed {
        NodeBits nodes;
        Period period;  ///< what was left of the time then
    };
    /// What was taken and is free again, by all calls of follow() since this was called last.
    /// Absent if more has changed.
    [[nodiscard]] std::optional<std::vector<Freed>> take_freed();
    [[nodiscard]] bool is_known() const { return is_known_; }

    /// The nodes are taken in the period, as the owner will have them if the caller takes them.
    void start(OwnerId owner, const Period& period, NodeWords nodes);

    /// Undoes all calls of start() since the last one of follow().
    void take_back();

    [[nodiscard]] const NodeCalendar& calendar() const { return calendar_; }

  private:
    using Run = Interval<std::uint32_t>;
    struct Taken {
        absl::InlinedVector<Run, 4> nodes;
        Period period;
        friend bool operator==(const Taken&, const Taken&) = default;
    };

    [[nodiscard]] bool start_anew(const Timeline& timeline);
    [[nodiscard]] bool knows_nodes(const Cluster& cluster) const;
    /// False where one of the nodes has another owner then.
    [[nodiscard]] bool enter(OwnerId owner, Taken taken);
    [[nodiscard]] std::optional<Taken> what_has(const Timeline& timeline, OwnerId owner) const;
    [[nodiscard]] NodeBits bits_of(const Taken& taken) const;

    bool is_known_ = false;
    bool is_anew_ = false;
    Cow<Description> description_;
    ClassId class_;
    JournalPosition followed_;
    JournalPosition nodes_followed_;
    NodeCalendar calendar_;
    std::unordered_map<OwnerId, Taken> taken_;
    std::vector<OwnerId> started_;  ///< by start() since the last call of follow()
    std::vector<OwnerId> changed_;
    std::vector<Freed> freed_;
    bool is_only_freed_ = false;
};

}  // namespace trestle::detail
