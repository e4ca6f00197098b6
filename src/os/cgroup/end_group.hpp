// SPDX-License-Identifier: Apache-2.0
#pragma once

// How what is inside a group comes to its end: signals, the kill, the removal.
//
// Layer: os, private. Main names: signal_all, kill_all, remove_group, Removal.
// Pitfall: the names of groups below were given by the job if it could make any. They are opened
// below its own group whatever they are, and never checked as names of ours.

#include <functional>
#include <string>

#include "os/directory.hpp"
#include "trestle/base/status.hpp"

namespace trestle::os::detail {

/// Sends the signal to every process of the group and those below. Processes that are forked
/// meanwhile are looked for until a round finds no new one. A fork storm would put that off for
/// ever, and the caller has other jobs to look after and SIGKILL to send: so for eight rounds, and
/// no new one after a second. A process that may not be signalled keeps it from no other: the first
/// error comes after the last process. Errors: DeadlineExceeded, also before the deadline;
/// PermissionDenied.
[[nodiscard]] Status signal_all(const GroupDirectory& group, int signal_number, Deadline deadline);

/// Kills what is in the group and below, at once where the kernel can (5.14, and never for a
/// threaded group), else one by one.
[[nodiscard]] Status kill_all(const GroupDirectory& group);

struct Removal {
    Deadline deadline;
    /// Between the end of the last process and the removal, so that what the group left elsewhere
    /// is found as long as the group is.
    std::function<Status()> when_empty;
};

/// Kills everything inside `group`, which is `name` directly below `parent`, waits for its end and
/// removes the group and those below, deepest first. Ok when it is gone in the end, by whomever.
[[nodiscard]] Status remove_group(const GroupDirectory& parent, const std::string& name,
                                  const GroupDirectory& group, const Removal& removal);

}  // namespace trestle::os::detail
