// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/events.hpp"

#include <string>
#include <vector>

#include "enforce/detail/group_signs.hpp"

namespace trestle {

std::string to_text(const GroupEvent& event) {
    std::string text = event.group + ": " + std::string(to_text(event.kind));
    return event.count == Count(1) ? text : text + " " + std::to_string(event.count.value());
}

std::vector<GroupEvent> events_between(const std::string& group, const TwoLooks& looks) {
    std::vector<GroupEvent> events;
    const auto add = [&](GroupEvent::Kind kind, Count count = Count(1)) {
        events.push_back({group, kind, count});
    };
    const bool is_first = !looks.before;
    const GroupSigns before = looks.before.value_or(GroupSigns{});
    const GroupSigns& now = looks.now;
    if (now.is_populated && !before.is_populated) add(GroupEvent::Kind::populated);
    if (now.is_frozen && !before.is_frozen) add(GroupEvent::Kind::frozen);
    if (!now.is_frozen && before.is_frozen) add(GroupEvent::Kind::thawed);
    const auto count_in = [](const GroupSigns& signs, GroupEvent::Kind kind) {
        const auto at = signs.counts.find(kind);
        return at == signs.counts.end() ? Count() : at->second;
    };
    for (const GroupEvent::Kind kind : counted_events) {
        const Count more = saturating_sub(count_in(now, kind), count_in(before, kind));
        if (!more.is_zero()) add(kind, more);
    }
    if (now.has_pressure) add(GroupEvent::Kind::memory_pressure);
    if (!now.is_populated && (is_first || before.is_populated || now.has_flickered)) {
        add(GroupEvent::Kind::emptied);
    }
    return events;
}

}  // namespace trestle
