// SPDX-License-Identifier: Apache-2.0
#include "end_group.hpp"

#include <signal.h>

#include <cerrno>
#include <cstdint>
#include <set>
#include <vector>

#include "group_tree.hpp"
#include "group_values.hpp"
#include "trestle/enforce/group_name.hpp"

namespace trestle::os::detail {

namespace {

/// Calls `visit` for the group and all below it. Those that go away meanwhile are passed over.
template <class Visit>
Status for_each_group(const GroupDirectory& group, Visit visit) {
    TRESTLE_TRY_STATUS(visit(group));
    std::vector<std::string> names;
    TRESTLE_TRY_STATUS(list_below(group, "", names));
    for (const std::string& name : names) {
        const auto below = group.below(name);
        const Status visited = below.ok() ? visit(*below) : below.status();
        if (!visited.ok() && visited.code() != StatusCode::kNotFound) return visited;
    }
    return {};
}

/// Sends the signal to those processes of the group that are not in `reached`, and adds them.
Status signal_new(const GroupDirectory& group, int signal_number, std::set<std::int64_t>& reached) {
    TRESTLE_TRY(const auto pids, pids_in(group));
    for (const std::int64_t pid : pids) {
        if (!reached.insert(pid).second) continue;
        const int sent = group.kernel().kill(static_cast<pid_t>(pid), signal_number);
        if (sent != 0 && errno != ESRCH) {
            return errno_status(errno, fmt::format("{}: cannot send signal {} to process {}",
                                                   group.path(), signal_number, pid));
        }
    }
    return {};
}

/// One by one; frozen processes die of it, too.
Status kill_each(const GroupDirectory& group) {
    std::set<std::int64_t> reached;
    return for_each_group(
        group, [&](const GroupDirectory& one) { return signal_new(one, SIGKILL, reached); });
}

/// Removes the group and those below, deepest first.
Status remove_empty(const GroupDirectory& parent, const std::string& name,
                    const GroupDirectory& group) {
    std::vector<std::string> names;
    TRESTLE_TRY_STATUS(list_below(group, "", names));
    for (auto below = names.rbegin(); below != names.rend(); ++below) {
        const auto above = group.below(parent_group(*below));
        if (above.status().code() == StatusCode::kNotFound) continue;
        TRESTLE_TRY_STATUS(above.status());
        TRESTLE_TRY_STATUS(above->remove(below->substr(below->rfind('/') + 1)));
    }
    return parent.remove(name);
}

/// A group whose last process has just ended may be busy for some more milliseconds.
Status remove_when_free(const GroupDirectory& parent, const std::string& name,
                        const GroupDirectory& group, Deadline deadline) {
    Status status = remove_empty(parent, name, group);
    while (status.code() == StatusCode::kFailedPrecondition && deadline.left_ms() > 0) {
        (void)group.kernel().poll(nullptr, 0, deadline.left_ms(2));
        status = remove_empty(parent, name, group);
    }
    return status;
}

}  // namespace

Status signal_all(const GroupDirectory& group, int signal_number, Deadline deadline) {
    if (signal_number == SIGKILL) return kill_all(group);
    std::set<std::int64_t> reached;
    for (int round = 1;; ++round) {
        const std::size_t before = reached.size();
        TRESTLE_TRY_STATUS(for_each_group(group, [&](const GroupDirectory& one) {
            return signal_new(one, signal_number, reached);
        }));
        if (reached.size() == before) return {};
        if (round > 1 && deadline.left_ms() == 0) {
            return make_error(StatusCode::kDeadlineExceeded,
                              "{}: new processes come as fast as signal {} is sent", group.path(),
                              signal_number);
        }
    }
}

Status kill_all(const GroupDirectory& group) {
    const Status killed = group.write("cgroup.kill", "1");
    const bool is_missing = killed.code() == StatusCode::kNotFound && group.has("cgroup.procs");
    const bool is_threaded = killed.code() == StatusCode::kUnimplemented;  // EOPNOTSUPP
    return is_missing || is_threaded ? kill_each(group) : killed;
}

Status remove_group(const GroupDirectory& parent, const std::string& name,
                    const GroupDirectory& group, const Removal& removal) {
    const Deadline deadline = removal.deadline;
    Status status;
    do {
        // One by one it may miss what is forked meanwhile, hence again.
        status = kill_all(group);
        if (!status.ok()) break;
        status = group.wait_for("populated", 0, deadline.at_most(Seconds(1)));
    } while (status.code() == StatusCode::kDeadlineExceeded && deadline.left_ms() > 0);
    if (status.ok()) status = removal.when_empty();
    if (status.ok()) status = remove_when_free(parent, name, group, deadline);
    if (status.ok()) return {};
    const bool is_gone = parent.below(name).status().code() == StatusCode::kNotFound;
    return is_gone ? removal.when_empty() : status;
}

}  // namespace trestle::os::detail
