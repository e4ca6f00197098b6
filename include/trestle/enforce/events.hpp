// SPDX-License-Identifier: Apache-2.0
#pragma once

// Events of a group: it fills, empties, freezes, hits a limit, waits for memory, goes away.
//
// Layer: enforce. Main types: GroupEvent, GroupEvent::Kind, EventOptions, EventSource. A source
// looks at counters and states that the machine keeps, so nothing is lost between two reads,
// however late they come.
// Pitfall: `oom` is counted where a limit was hit, which may be a group
// above or below. That a process was killed for memory is `oom_kill`.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/process/usage.hpp"

namespace trestle {

/// Something that happened to a group since the source was read last.
struct GroupEvent {
    /// What happens to a group. Those below count as well, except where the kernel is older than
    /// the count: pids_max before 6.12 is that of the group alone.
    enum class Kind {
        populated,        ///< it has a process now
        frozen,           ///< all of its processes stand still
        thawed,           ///< they go on
        memory_high,      ///< memory was above memory.high, and processes were slowed down
        memory_max,       ///< memory was about to go above memory.max
        oom,              ///< nothing could be reclaimed below memory.max; a process may be killed
        oom_kill,         ///< a process was killed for memory
        oom_group_kill,   ///< all processes of a memory.oom.group were
        pids_max,         ///< a fork was refused
        memory_pressure,  ///< processes waited for memory as long as EventOptions says
        emptied,          ///< it has no process any more; zombies do not count
        removed,          ///< the group does not exist any more: the last event of a source
    };

    std::string group;
    Kind kind = Kind::populated;
    Count count{1};  ///< how often, for what is counted; else 1

    static constexpr auto fields(auto list) {
        return list(field("group", &GroupEvent::group), field("kind", &GroupEvent::kind),
                    field("count", &GroupEvent::count));
    }
    friend bool operator==(const GroupEvent&, const GroupEvent&) = default;
};

constexpr auto enum_names(GroupEvent::Kind) {
    using enum GroupEvent::Kind;
    return std::array{named(populated, "populated"),   named(frozen, "frozen"),
                      named(thawed, "thawed"),         named(memory_high, "memory_high"),
                      named(memory_max, "memory_max"), named(oom, "oom"),
                      named(oom_kill, "oom_kill"),     named(oom_group_kill, "oom_group_kill"),
                      named(pids_max, "pids_max"),     named(memory_pressure, "memory_pressure"),
                      named(emptied, "emptied"),       named(removed, "removed")};
}

/// `job_42: oom_kill 2`, `job_42: emptied`.
[[nodiscard]] std::string to_text(const GroupEvent& event);

/// Which events a source gives besides those that cost nothing.
struct EventOptions {
    /// Memory pressure: within `window`, some process (or all at once) waited for memory for
    /// `threshold`. The kernel takes windows of 0.5 to 10 s, from users without rights multiples of
    /// 2 s only.
    struct PressureTrigger {
        /// Which tasks have to wait for memory before it counts as pressure.
        enum class Stall { some, full };

        Stall stall = Stall::some;
        Microseconds threshold{200'000};
        Microseconds window{2'000'000};

        static constexpr auto fields(auto list) {
            return list(field("stall", &PressureTrigger::stall),
                        field("threshold", &PressureTrigger::threshold),
                        field("window", &PressureTrigger::window));
        }
        friend bool operator==(const PressureTrigger&, const PressureTrigger&) = default;
    };

    std::optional<PressureTrigger> memory_pressure = {};

    static constexpr auto fields(auto list) {
        return list(field("memory_pressure", &EventOptions::memory_pressure));
    }
    friend bool operator==(const EventOptions&, const EventOptions&) = default;
};

constexpr auto enum_names(EventOptions::PressureTrigger::Stall) {
    return std::array{named(EventOptions::PressureTrigger::Stall::some, "some"),
                      named(EventOptions::PressureTrigger::Stall::full, "full")};
}

/// Reports what happens to one group. The first read gives the state at the time of opening. That
/// is populated or emptied, frozen when it is, and what was counted since the group was made. Each
/// further one gives what is different since, in the order of GroupEvent::Kind, not of time. A
/// group that filled and emptied between two reads is reported as emptied again. After `removed`
/// there are no more events. Must not outlive its enforcer, and is used from the enforcer's thread.
class EventSource {
  public:
    EventSource() = default;
    EventSource(const EventSource&) = delete;
    EventSource& operator=(const EventSource&) = delete;
    virtual ~EventSource() = default;

    /// For poll(2), epoll and the like in a loop of the caller's: readable while there is something
    /// to read, and sometimes when there is not. -1 where there is no machine.
    [[nodiscard]] virtual int fd() const = 0;
    /// What has happened since the last read, perhaps nothing. Does not wait.
    [[nodiscard]] virtual StatusOr<std::vector<GroupEvent>> read() = 0;
    /// As read, but waits until there is something; nothing after `timeout`.
    [[nodiscard]] virtual StatusOr<std::vector<GroupEvent>> next(Microseconds timeout) = 0;
};

}  // namespace trestle
