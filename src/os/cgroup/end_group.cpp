// SPDX-License-Identifier: Apache-2.0
#include "end_group.hpp"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/errno_status.hpp"
#include "group/tree.hpp"
#include "group/values.hpp"
#include "trestle/enforce/group_name.hpp"

namespace trestle::os::detail {

namespace {

void keep_first(Status& first, const Status& next) {
    if (first.ok()) first = next;
}

/// Calls `visit` for the group and all below it, also when it fails for one, and gives the first
/// error. Groups that go away meanwhile are passed over.
template <class Visit>
Status for_each_group(const GroupDirectory& group, Visit visit) {
    Status first = visit(group);
    std::vector<std::string> names;
    keep_first(first, list_below(group, "", names));
    for (const std::string& name : names) {
        const auto below = group.below(name);
        const Status visited = below.ok() ? visit(*below) : below.status();
        if (visited.code() != StatusCode::kNotFound) keep_first(first, visited);
    }
    return first;
}

/// One signal for the processes of groups, each of which gets it once.
class SignalRound {
  public:
    explicit SignalRound(int signal_number) : signal_(signal_number) {}

    /// Sends it to those processes of the group that it has not reached, and gives the first error:
    /// a process that may not be signalled does not keep it from the others.
    [[nodiscard]] Status send(const GroupDirectory& group) {
        TRESTLE_TRY(auto pids, pids_in(group));
        std::erase_if(pids, [this](std::int64_t pid) { return reached_.contains(pid); });
        Status first;
        for (std::size_t at = 0; at < pids.size(); at += most_held) {
            const std::size_t count = std::min(most_held, pids.size() - at);
            keep_first(first, send_to(group, std::span(pids).subspan(at, count)));
        }
        return first;
    }
    /// True when there was a process that it had not reached since this was asked.
    [[nodiscard]] bool take_news() { return std::exchange(has_news_, false); }

  private:
    static constexpr std::size_t most_held = 64;

    /// A number that was read may be another process's by now, which is in no group of ours. So
    /// each is held first and looked up again: what is listed then is the process that is held.
    [[nodiscard]] Status send_to(const GroupDirectory& group, std::span<const std::int64_t> pids) {
        has_news_ = true;
        Status first;
        std::vector<std::pair<std::int64_t, Fd>> held;
        for (const std::int64_t pid : pids) {
            Fd pidfd(group.kernel().pidfd_open(static_cast<pid_t>(pid), 0));
            // It has ended; another one may have its number later. EINVAL, since 6.15 ENOENT: the
            // number lives on as that of a session or of processes that it led.
            if (!pidfd && (errno == ESRCH || errno == EINVAL || errno == ENOENT)) continue;
            // EPERM: a seccomp filter that is older than the call. Without room for one, too, the
            // number is what there is.
            const bool has_none =
                errno == ENOSYS || errno == EPERM || errno == EMFILE || errno == ENFILE;
            if (!pidfd && !has_none) {
                keep_first(first, error(group, pid));
                reached_.insert(pid);
                continue;
            }
            held.emplace_back(pid, std::move(pidfd));
        }
        TRESTLE_TRY(const auto still, pids_in(group));
        for (const auto& [pid, pidfd] : held) {
            // It has ended, or moved on to another group.
            if (!std::binary_search(still.begin(), still.end(), pid)) continue;
            reached_.insert(pid);
            const int sent = pidfd ? group.kernel().pidfd_send_signal(pidfd.get(), signal_)
                                   : group.kernel().kill(static_cast<pid_t>(pid), signal_);
            if (sent != 0 && errno != ESRCH) keep_first(first, error(group, pid));
        }
        return first;
    }
    [[nodiscard]] Status error(const GroupDirectory& group, std::int64_t pid) const {
        return errno_status(errno, fmt::format("{}: cannot send signal {} to process {}",
                                               group.path(), signal_, pid));
    }

    int signal_;
    bool has_news_ = false;
    std::set<std::int64_t> reached_;
};

/// One by one, while they stand still where the kernel can (5.2): what runs on forks faster than it
/// is found. Frozen processes die of it, too.
Status kill_each(const GroupDirectory& group) {
    const auto frozen = group.read("cgroup.freeze");
    const bool freezes =
        frozen.ok() && frozen->starts_with('0') && group.write("cgroup.freeze", "1").ok();
    if (freezes) (void)group.wait_for("frozen", 1, Deadline::in(Seconds(1)));
    SignalRound round(SIGKILL);
    const Status killed =
        for_each_group(group, [&](const GroupDirectory& one) { return round.send(one); });
    if (freezes) (void)group.write("cgroup.freeze", "0");
    return killed;
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

/// Of one signal. Those that end by it are through after two or three.
constexpr int rounds_max = 8;

}  // namespace

Status signal_all(const GroupDirectory& group, int signal_number, Deadline deadline) {
    if (signal_number == SIGKILL) return kill_all(group);
    const Deadline end = deadline.at_most(Seconds(1));
    SignalRound round(signal_number);
    Status first;
    for (int number = 1;; ++number) {
        keep_first(first, for_each_group(
                              group, [&](const GroupDirectory& one) { return round.send(one); }));
        if (!round.take_news()) return first;
        if (number >= rounds_max || (number > 1 && end.left_ms() == 0)) {
            TRESTLE_TRY_STATUS(first);
            return make_error(StatusCode::kDeadlineExceeded,
                              "{}: new processes come as fast as signal {} is sent", group.path(),
                              signal_number);
        }
    }
}

Status kill_all(const GroupDirectory& group) {
    const Status killed = group.write("cgroup.kill", "1");
    const bool is_missing = killed.code() == StatusCode::kNotFound && group.has("cgroup.procs");
    const bool is_threaded = killed.code() == StatusCode::kUnimplemented;   // EOPNOTSUPP
    const bool is_locked = killed.code() == StatusCode::kPermissionDenied;  // by chmod
    return is_missing || is_threaded || is_locked ? kill_each(group) : killed;
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
