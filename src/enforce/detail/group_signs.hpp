// SPDX-License-Identifier: Apache-2.0
#pragma once

// GroupSigns: what a group shows at one moment; two of them make events.
//
// Layer: enforce (private). Main names: GroupSigns, TwoLooks, events_between, counted_events.
// Bodies: events.cpp.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/events.hpp"

namespace trestle {

/// What a group shows at one moment, as far as events are made of it.
struct GroupSigns {
    bool is_populated = false;
    bool is_frozen = false;
    bool has_flickered = false;  ///< it was populated meanwhile, or may have been
    bool has_pressure = false;   ///< since the look before
    std::map<GroupEvent::Kind, Count> counts = {};  ///< since the group was made; absent is 0

    static constexpr auto fields(auto list) {
        return list(field("is_populated", &GroupSigns::is_populated),
                    field("is_frozen", &GroupSigns::is_frozen),
                    field("has_flickered", &GroupSigns::has_flickered),
                    field("has_pressure", &GroupSigns::has_pressure),
                    field("counts", &GroupSigns::counts));
    }
    friend bool operator==(const GroupSigns&, const GroupSigns&) = default;
};

/// The kinds that a machine counts.
inline constexpr std::array counted_events = {
    GroupEvent::Kind::memory_high, GroupEvent::Kind::memory_max,     GroupEvent::Kind::oom,
    GroupEvent::Kind::oom_kill,    GroupEvent::Kind::oom_group_kill, GroupEvent::Kind::pids_max};

/// Two looks at one group.
struct TwoLooks {
    std::optional<GroupSigns> before;  ///< absent: the first look
    GroupSigns now;
};

/// What happened to `group` between the two looks; all that shows at the first one. A counter that
/// went back (its controller was off meanwhile) gives nothing.
[[nodiscard]] std::vector<GroupEvent> events_between(const std::string& group,
                                                     const TwoLooks& looks);

}  // namespace trestle
