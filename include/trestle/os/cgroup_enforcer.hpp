// SPDX-License-Identifier: Apache-2.0
#pragma once

// The enforcer for cgroup v2: makes plans hold below one directory that the caller was given.
//
// Layer: os. Main types: CgroupEnforcer, CgroupOptions. No systemd is needed; no group outside of
// the directory is touched, and no path leads out of it.
// Pitfall: a group that hands controllers down holds no processes (kernel rule). If this process is
// alone in the directory's own group, it moves to the leaf `manager` below it. It moves back when
// the enforcer is destroyed and no other group is left.

#include <memory>
#include <string>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/os/kernel.hpp"
#include "trestle/os/start_method.hpp"

namespace trestle::os {

/// How the cgroup enforcer starts and waits.
struct CgroupOptions {
    StartMethod start = StartMethod::automatic;
    /// How long spawn (1 s at least), freeze and remove go on; Seconds::max(): for ever. signal
    /// goes on for a second at most.
    Seconds patience{30};
    /// Where scratch directories may be made: a folder of this machine that only the embedder may
    /// write, not even a sticky one as /tmp. Enforcers may share it. What one makes has its mark,
    /// by the path of its root group, in the folder `.trestle` there; remove deletes nothing else.
    /// Empty: nowhere.
    std::string scratch_root = {};

    static constexpr auto fields(auto list) {
        return list(field("start", &CgroupOptions::start),
                    field("patience", &CgroupOptions::patience),
                    field("scratch_root", &CgroupOptions::scratch_root));
    }
    friend bool operator==(const CgroupOptions&, const CgroupOptions&) = default;
};

/// See Enforcer for what each call means. Besides:
///   - cpuset.cpus and cpuset.mems are compared with what the kernel made of them (.effective). A
///     CPU that is offline or belongs to another partition fails the step.
///   - A device filter is added to those of the groups above, and replaces one that was loaded
///     for the group before. Files are looked up when the filter is loaded, and again by verify.
///   - The label is the attribute user.trestle.owner of the group's directory.
///   - A command starts in a session of its own, with no signal blocked or handled. SIGPIPE and
///     SIGXFSZ are not ignored, and no file is open but the standard three. Where the kernel cannot
///     close the others at once (before 5.11) that takes /proc; without it spawn fails.
///   - A command that becomes a user leaves the session keyring and the realtime class of the
///     embedder; one that keeps its user keeps them.
///   - A group of which a scratch directory is left is not made again before it is removed.
///   - spawn into a group that is frozen is DeadlineExceeded when patience ends, and no process is
///     left.
///   - attach is InvalidArgument for a kernel thread, and on older kernels for a process that is
///     being forked at this very moment. Then it works a moment later.
///   - signal reaches what the processes start meanwhile too, such as a program in a handler. It
///     looks for that eight times and for a second at most: DeadlineExceeded where processes come
///     as fast as they are signalled. SIGKILL reaches those, too.
///   - freeze that fails leaves the processes running.
///   - A source of events keeps the group's files open, three at most and two for pressure. Where
///     its descriptor is polled by others, the kernel reports pressure to them and not to read().
///     Then read() looks at the time that was waited, and reports half the threshold too.
///   - remove also removes the scratch directories of the group and those below, when all that ran
///     there has ended. It does so where the group itself has gone, too. Only those that this
///     enforcer made, or one before it with the same root group: also before a reboot, but not in
///     an earlier container. Links in them are not followed; a file system that was mounted there
///     is left, and an error.
///   - recover tells, behind the groups, the names of those of which only that directory is left.
///   - remove leaves a child that was spawned to be reaped by wait or poll, which still tell that
///     it was killed for memory before.
///   - A child may be stuck in the kernel before its program, where SIGKILL does not end it in
///     10 s. The error of spawn names it, and it is reaped when it has ended.
/// Waits with poll(2), starts no thread and handles no signal; SIGCHLD must not be ignored.
/// Errors: FailedPrecondition where the kernel offers no such controller or file and where
/// processes stand in the way. DeadlineExceeded when patience ends. InvalidArgument for a process
/// number below 1, and for the group `manager` or one below while this process is in it.
class CgroupEnforcer final : public Enforcer {
  public:
    /// All system calls go through `kernel`, which outlives the enforcer.
    /// Errors: FailedPrecondition with the reason that probe_cgroup gives.
    [[nodiscard]] static StatusOr<std::unique_ptr<CgroupEnforcer>> open(
        const std::string& directory, const CgroupOptions& options = {},
        Kernel& kernel = real_kernel());
    /// Groups and processes stay as they are.
    ~CgroupEnforcer() override;

    [[nodiscard]] Status run(const Step& step) override;
    [[nodiscard]] Status attach(const std::string& group, std::int64_t pid) override;
    [[nodiscard]] StatusOr<Outcome> wait(const Child& child) override;
    [[nodiscard]] StatusOr<std::optional<Outcome>> poll(const Child& child) override;
    [[nodiscard]] Status signal(const std::string& group, int signal_number) override;
    [[nodiscard]] Status signal_child(const Child& child, int signal_number) override;
    [[nodiscard]] Status freeze(const std::string& group) override;
    [[nodiscard]] Status thaw(const std::string& group) override;
    [[nodiscard]] StatusOr<ResourceUsage> observe(const std::string& group) override;
    [[nodiscard]] StatusOr<std::unique_ptr<EventSource>> events(
        const std::string& group, const EventOptions& options) override;
    [[nodiscard]] StatusOr<std::vector<Drift>> verify(const Plan& plan) override;
    [[nodiscard]] StatusOr<std::vector<GroupState>> recover() override;

  private:
    [[nodiscard]] Status remove_group(const std::string& group) override;
    [[nodiscard]] StatusOr<Child> start(const Plan& plan, const Command& command) override;
    class State;
    explicit CgroupEnforcer(std::unique_ptr<State> state);

    std::unique_ptr<State> state_;
};

}  // namespace trestle::os
