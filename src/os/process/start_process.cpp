// SPDX-License-Identifier: Apache-2.0
#include "start_process.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

#include "../kernel_text.hpp"
#include "base/errno_status.hpp"
#include "signals_held.hpp"
#include "trestle/enforce/group_name.hpp"

namespace trestle::os::detail {

namespace {

struct Pipe {
    Fd read;
    Fd write;
};

StatusOr<Pipe> make_pipe(Kernel& kernel) {
    std::array<int, 2> ends{};
    if (kernel.pipe2(ends.data(), O_CLOEXEC) != 0) return errno_status(errno, "pipe2");
    return Pipe{Fd(ends[0]), Fd(ends[1])};
}

/// True for the errors of a clone3 that is missing, too old or forbidden by a seccomp filter; the
/// others would hit a fork too.
bool lacks_clone3(int error) {
    return error == ENOSYS || error == EINVAL || error == E2BIG || error == EPERM ||
           error == EOPNOTSUPP;
}

/// As fork(), with a descriptor of the child, which starts in the group if one is given.
pid_t clone_process(Kernel& kernel, const GroupDirectory* group, Fd& pidfd) {
    int fd = -1;
    clone_args arguments{};
    arguments.flags = CLONE_PIDFD;
    arguments.pidfd = static_cast<std::uint64_t>(std::bit_cast<std::uintptr_t>(&fd));
    arguments.exit_signal = SIGCHLD;
    if (group != nullptr) {
        arguments.flags |= CLONE_INTO_CGROUP;
        arguments.cgroup = static_cast<unsigned>(group->fd());
    }
    const pid_t pid = kernel.clone3(&arguments, sizeof arguments);
    if (pid > 0) pidfd = Fd(fd);
    return pid;
}

/// Reaps a child if it has ended. True when there is none any more.
bool is_reaped(Kernel& kernel, const StartedProcess& child) {
    siginfo_t info{};
    const int result = retried([&] {
        return kernel.waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOHANG);
    });
    return result == 0 ? info.si_pid != 0 : errno == ECHILD;
}

/// Ends a child that has not executed its program, or may not have. False when it has not ended by
/// then, stuck in the kernel, as in a file system whose server does not answer.
bool end_child(Kernel& kernel, const StartedProcess& child, Deadline deadline) {
    constexpr int look_again_ms = 5;
    (void)kernel.kill(static_cast<pid_t>(child.pid), SIGKILL);
    while (!is_reaped(kernel, child)) {
        const int left = deadline.left_ms(child.pidfd ? 1000 : look_again_ms);
        if (left == 0) return false;
        struct pollfd end {
            child.pidfd.get(), POLLIN, 0
        };
        (void)kernel.poll(&end, 1, left);
    }
    return true;
}

/// A child has not come to its program in time.
Status too_late(const ExecImage& image, const StartPlace& place) {
    const auto events = place.group != nullptr ? place.group->read("cgroup.events") : "";
    if (events.ok() && keyed_number(*events, "frozen") == 1) {
        return make_error(StatusCode::kDeadlineExceeded, "cannot execute {}: {} is frozen",
                          image.program(), place.group->path());
    }
    return make_error(StatusCode::kDeadlineExceeded, "cannot execute {} within {} s",
                      image.program(), place.patience.value());
}

/// Waits for the child to write or to execute its program.
Status await_pipe(const ExecImage& image, const StartPlace& place, const Pipe& report_pipe,
                  Deadline deadline) {
    struct pollfd end {
        report_pipe.read.get(), POLLIN, 0
    };
    for (;;) {
        const int left = deadline.left_ms();
        const int ready = retried([&] { return place.kernel.poll(&end, 1, left); });
        if (ready > 0) return {};
        if (ready < 0) return errno_status(errno, "cannot wait for " + image.program());
        if (left == 0) return too_late(image, place);
    }
}

/// Waits for the child to execute its program or to say why it could not. False when it was killed
/// before its first instruction.
StatusOr<bool> await_program(const ExecImage& image, const StartPlace& place,
                             const Pipe& report_pipe, Deadline deadline) {
    for (bool has_begun = false;; has_begun = true) {
        TRESTLE_TRY_STATUS(await_pipe(image, place, report_pipe, deadline));
        ChildReport report;
        const auto size = retried(
            [&] { return place.kernel.read(report_pipe.read.get(), &report, sizeof report); });
        if (size == 0) return has_begun;
        if (size > 0 && report.stage == ChildStage::none) continue;
        const int error = size < 0 ? errno : report.error_number;
        const std::string stage(to_text(report.stage));
        return errno_status(error, fmt::format("cannot {} for {}", stage, image.program()));
    }
}

/// Moves the child, which waits for it, into the group and lets it go on.
Status move_child(const GroupDirectory& group, pid_t pid, const Fd& go) {
    TRESTLE_TRY_STATUS(group.write("cgroup.procs", std::to_string(pid)));
    if (retried([&] { return group.kernel().write(go.get(), "g", 1); }) == 1) return {};
    return errno_status(errno, fmt::format("cannot let process {} go on", pid));
}

/// A child that has executed its program, or was killed before its first instruction.
struct Start {
    StartedProcess process;
    bool has_begun = false;
};

/// Ends a child that failed to start. Says so when it is left.
Status give_up(StartedProcess child, const StartPlace& place, const Status& why) {
    if (end_child(place.kernel, child, Deadline::in(place.kill_patience))) return why;
    const std::int64_t pid = child.pid;
    if (place.unended != nullptr) place.unended->push_back(std::move(child));
    return make_error(why.code(), "{}; process {} is left, SIGKILL has not ended it within {} s",
                      message(why), pid, place.kill_patience.value());
}

bool was_killed_for_memory(const StartPlace& place) {
    const auto events = place.group->read("memory.events");
    const auto kills = events.ok() ? keyed_number(*events, "oom_kill") : std::nullopt;
    return kills && place.oom_kills &&
           *kills > static_cast<std::uint64_t>(place.oom_kills->value());
}

StatusOr<Start> start_by(StartMethod method, const ExecImage& image, const StartPlace& place,
                         Deadline deadline) {
    Kernel& kernel = place.kernel;
    TRESTLE_TRY(Pipe report, make_pipe(kernel));
    TRESTLE_TRY(Pipe go, make_pipe(kernel));
    StartedProcess started;
    const bool is_automatic = method == StartMethod::automatic;
    bool is_moved = false;
    pid_t pid = -1;
    int error = ENOSYS;
    {
        const SignalsHeld held;
        if (is_automatic) {
            pid = clone_process(kernel, place.group, started.pidfd);
            error = errno;
        }
        if (pid < 0 && (!is_automatic || lacks_clone3(error))) {
            is_moved = place.group != nullptr;
            pid = kernel.fork();
            error = errno;
        }
        if (pid == 0) {
            go.write.reset();  // so that the end of the parent ends the wait for it
            ChildProgram{image, report.write.get(), is_moved ? go.read.get() : -1}.run();
        }
    }
    const std::string where = place.group != nullptr ? " in " + place.group->path() : "";
    if (pid < 0) return errno_status(error, "cannot start a process" + where);
    report.write.reset();  // go.read stays open: the write below never meets a pipe without reader
    started.pid = pid;
    if (!started.pidfd) started.pidfd = Fd(kernel.pidfd_open(pid, 0));
    Status moved;
    if (is_moved) moved = move_child(*place.group, pid, go.write);
    if (!moved.ok()) return give_up(std::move(started), place, moved);
    const auto has_begun = await_program(image, place, report, deadline);
    if (!has_begun.ok()) return give_up(std::move(started), place, has_begun.status());
    return Start{std::move(started), *has_begun};
}

}  // namespace

StatusOr<StartedProcess> start_process(const ExecImage& image, const StartPlace& place) {
    const Deadline deadline = Deadline::in(std::max(place.patience, Seconds(1)));
    TRESTLE_TRY(Start start, start_by(place.method, image, place, deadline));
    const bool is_inside = place.method == StartMethod::automatic && place.group != nullptr;
    if (start.has_begun || !is_inside) return std::move(start.process);
    // Since 6.14 Linux compares how often cgroup.kill was written in the group of the parent and in
    // that of the child, and kills a child that CLONE_INTO_CGROUP starts where the numbers differ.
    // One that is moved is not compared. One that was killed for memory is not started again.
    if (was_killed_for_memory(place)) return std::move(start.process);
    if (!end_child(place.kernel, start.process, Deadline::in(place.kill_patience))) {
        return std::move(start.process);
    }
    TRESTLE_TRY(start, start_by(StartMethod::fork_and_move, image, place, deadline));
    return std::move(start.process);
}

std::vector<StartedProcess>* ChildTable::unended() {
    std::erase_if(unended_, [&](const auto& child) { return is_reaped(kernel_, child); });
    return &unended_;
}

Child ChildTable::add(Entry entry) {
    const Child child{entry.group, entry.process.pid};
    entries_.insert_or_assign(child.pid, std::move(entry));
    return child;
}

StatusOr<const ChildTable::Entry*> ChildTable::find(const Child& child) const {
    const auto at = entries_.find(child.pid);
    if (at == entries_.end() || at->second.group != child.group) {
        return not_found("process {}: no child of this enforcer in {}", child.pid, child.group);
    }
    return &at->second;
}

std::vector<std::int64_t> ChildTable::pids_of(const std::string& group) const {
    std::vector<std::int64_t> pids;
    for (const auto& [pid, entry] : entries_) {
        if (entry.group == group && is_running(pid)) pids.push_back(pid);
    }
    return pids;
}

bool ChildTable::has_running_below(const std::string& group) const {
    return !running_below(group).empty();
}

std::vector<std::int64_t> ChildTable::running_below(const std::string& group) const {
    std::vector<std::int64_t> pids;
    for (const auto& [pid, entry] : entries_) {
        if (trestle::is_below(entry.group, group) && is_running(pid)) pids.push_back(pid);
    }
    return pids;
}

void ChildTable::keep_counts(
    const Removed& removed,
    const std::function<std::optional<Count>(const std::string&)>& oom_kills_of) {
    for (auto& [pid, entry] : entries_) {
        if (!trestle::is_below(entry.group, removed.group)) continue;
        Farewell farewell = entry.farewell.value_or(Farewell());
        farewell.is_killed = farewell.is_killed || std::binary_search(removed.running.begin(),
                                                                      removed.running.end(), pid);
        if (const auto now = oom_kills_of(entry.group)) {
            farewell.oom_kills = saturating_sub(*now, entry.oom_kills.value_or(Count()));
        }
        entry.farewell = farewell;
    }
}

bool ChildTable::is_running(std::int64_t pid) const {
    siginfo_t info{};
    const int result = retried([&] {
        return kernel_.waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
    });
    return result == 0 && info.si_pid == 0;
}

Status ChildTable::signal_below(const std::string& group, int signal_number) const {
    Status first;
    for (const auto& [pid, entry] : entries_) {
        if (!trestle::is_below(entry.group, group)) continue;
        const Status sent = signal({entry.group, pid}, signal_number);
        if (first.ok()) first = sent;
    }
    return first;
}

/// By its descriptor where there is one: the number is safe too, unless the child is reaped
/// elsewhere.
Status ChildTable::signal(const Child& child, int signal_number) const {
    TRESTLE_TRY(const Entry* entry, find(child));
    const Fd& pidfd = entry->process.pidfd;
    int result = pidfd ? kernel_.pidfd_send_signal(pidfd.get(), signal_number) : -1;
    // EPERM: a seccomp filter that is older than the call.
    if (!pidfd || (result != 0 && (errno == ENOSYS || errno == EPERM))) {
        result = kernel_.kill(static_cast<pid_t>(child.pid), signal_number);
    }
    if (result == 0 || errno == ESRCH) return {};
    return errno_status(errno, fmt::format("cannot signal process {}", child.pid));
}

StatusOr<EndOfProcess> ChildTable::wait(const Child& child) {
    TRESTLE_TRY(const auto end, reap(child, 0));
    return *end;
}

StatusOr<std::optional<EndOfProcess>> ChildTable::poll(const Child& child) {
    return reap(child, WNOHANG);
}

StatusOr<std::optional<EndOfProcess>> ChildTable::reap(const Child& child, int flags) {
    (void)unended();
    TRESTLE_TRY(const Entry* entry, find(child));
    const Fd& pidfd = entry->process.pidfd;
    siginfo_t info{};
    const auto wait_by = [&](idtype_t kind, std::int64_t id) {
        return retried(
            [&] { return kernel_.waitid(kind, static_cast<id_t>(id), &info, WEXITED | flags); });
    };
    int result = pidfd ? wait_by(P_PIDFD, pidfd.get()) : wait_by(P_PID, child.pid);
    // EINVAL: a kernel with pidfds that waits for none (5.3).
    if (pidfd && result != 0 && errno == EINVAL) result = wait_by(P_PID, child.pid);
    if (result != 0) {
        const int error = errno;
        // It was reaped elsewhere: how it ended is unknown. After other errors it is there.
        if (error == ECHILD) entries_.erase(child.pid);
        return errno_status(error, fmt::format("cannot wait for process {}", child.pid));
    }
    if (info.si_pid == 0) return std::optional<EndOfProcess>();
    entries_.erase(child.pid);
    return std::optional(EndOfProcess{info.si_code == CLD_EXITED, info.si_status});
}

}  // namespace trestle::os::detail
