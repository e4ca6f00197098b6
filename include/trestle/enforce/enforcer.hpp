// SPDX-License-Identifier: Apache-2.0
#pragma once

// Enforcer: the small interface between plans and a machine.
//
// Layer: enforce. Main types: Enforcer, Applied, Child, GroupState. Implementations: MemoryEnforcer
// and FaultyEnforcer here, cgroup v2 in os. Functions apply() and update() are common to all. They
// run the steps and take everything back when one fails. An implementation provides the single
// step.
// Pitfall: apply starts no process. spawn does, inside the group, and only wait (or poll) reaps it.
//
// Threat model. The embedder is trusted: its plans are checked, not suspected. The job is not
// trusted: everything that runs in a group may be hostile. What cgroup v2 enforcement in os
// guarantees depends on the user that the job runs as.
//
//   the job runs as   | leaves | raises | opens a   | outlives | reaches      | takes from
//                     | group  | limits | denied    | remove   | the manager  | the manager
//                     |        |        | device    |          |              |
//   (a) another user  | no     | no     | no        | no       | no           | no
//   (b) (a), root in a user namespace: all as (a)
//   (c) real root     | YES    | YES    | YES, by   | if it    | YES          | YES
//                     |        |        | bpf(2)    | has left |              |
//   (d) the manager's | YES, up to what was         | if it    | YES          | YES
//       own user      | delegated to the manager    | has left |              |
//
// Guaranteed for (a) and (b): setsid, daemons, namespaces and forking faster than the kill change
// nothing. All processes of the job are in the group, and gone when remove returns Ok. The device
// filter goes by number: other paths, links, mounts and device files of the job do not help. No
// file of the manager is open in a job, except the three standard files. A job has a session of its
// own, unless ProcessSettings::keeps_session is set. So /dev/tty is not the manager's terminal.
// Memory, processes and CPUs are limited for the whole group. The manager is in none of the groups
// that it limits. Not promised to any job:
//   - Jobs of one user are not separated. They may signal and, outside of namespaces, trace each
//     other across groups. Give each job a user of its own.
//   - A file that a process outside of the group opened and passed in, over a socket or as a
//     standard file, works. It cannot be opened anew.
//   - Limits of a process (open files, nice) are no limits of the group.
//   - Before Linux 5.2, one removal may not suffice: a job that forks fast can survive, and remove
//     says so. Since 5.2 the group is frozen for the kill, and since 5.14 killed as a whole.
//   - Disk space, network, and time in the kernel on behalf of others are not limited.
// For (c) the filter, the limits and remove hold as long as the job does not choose to leave its
// group, which takes one write. Groups that it makes below its own are removed too. Use real root
// for trusted jobs only, or without CAP_SYS_ADMIN, CAP_BPF and a writable cgroup file system. Row
// (d) is what an enforcer without privileges can give. That is accounting, fair shares and an end
// of the job, not isolation. Each line is an attack in tests/os/attacks, with the errno that the
// kernel answers.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/drift.hpp"
#include "trestle/enforce/events.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/plan_update.hpp"
#include "trestle/enforce/process/command.hpp"
#include "trestle/enforce/process/outcome.hpp"
#include "trestle/enforce/process/usage.hpp"
#include "trestle/enforce/step.hpp"
#include "trestle/model/trace.hpp"

namespace trestle {

/// What apply or update did not do of the steps that are best effort; empty: all of it holds.
struct Applied {
    /// Those of the plan, then at most one for each resource, in order of the steps.
    std::vector<Shortfall> shortfalls;

    static constexpr auto fields(auto list) {
        return list(field("shortfalls", &Applied::shortfalls));
    }
    friend bool operator==(const Applied&, const Applied&) = default;
};

/// `swap: no such file; memory, devices: no cgroup`, one line; empty when all of the plan holds.
[[nodiscard]] std::string to_text(const Applied& applied);

/// A process that an enforcer started and has not reaped.
struct Child {
    std::string group;
    std::int64_t pid = 0;

    static constexpr auto fields(auto list) {
        return list(field("group", &Child::group), field("pid", &Child::pid));
    }
    friend bool operator==(const Child&, const Child&) = default;
};

/// A group as it is found below the enforcer's root.
struct GroupState {
    std::string group;
    std::vector<std::int64_t> processes;  ///< in the group itself, rising; zombies do not count
    /// The label that the plan left there; absent if there is none, or one that is not a number. A
    /// job that runs as root or as the manager's own user can write it (rows c and d of the threat
    /// model). So use it to find the owner's record, not as proof of the owner.
    std::optional<OwnerId> owner = {};
    bool is_populated = false;  ///< a process runs in it or below
    bool is_frozen = false;     ///< by its own freeze or that of a group above
    /// The group has gone, as after a reboot, and its scratch directory has not: remove(group)
    /// takes it away.
    bool is_scratch_only = false;

    static constexpr auto fields(auto list) {
        return list(field("group", &GroupState::group), field("processes", &GroupState::processes),
                    field("owner", &GroupState::owner),
                    field("is_populated", &GroupState::is_populated),
                    field("is_frozen", &GroupState::is_frozen),
                    field("is_scratch_only", &GroupState::is_scratch_only));
    }
    friend bool operator==(const GroupState&, const GroupState&) = default;
};

/// Makes plans hold. Errors of a machine carry path and errno text; a group that does not exist is
/// NotFound unless stated. Not thread-safe: one thread at a time for one enforcer.
class Enforcer {
  public:
    Enforcer() = default;
    Enforcer(const Enforcer&) = delete;
    Enforcer& operator=(const Enforcer&) = delete;
    virtual ~Enforcer() = default;

    /// Runs all steps. When a required one fails, what the plan made is removed again and the error
    /// names the step. Where that removal fails too, the error ends in `left behind: <group>`, and
    /// remove(group) finishes the work. Controllers enabled for the parent stay enabled: others may
    /// rely on them by now. After the first failure of a best-effort step the other steps of the
    /// same resource are not tried. Each step tried is reported to `trace`, when there is one.
    [[nodiscard]] StatusOr<Applied> apply(const Plan& plan, const TraceSink& trace = {});

    /// Runs the steps of an update, which plan_update makes of two plans. When a required one
    /// fails, those that were done are taken back, last first, and the error names the step. Where
    /// that fails too, what was tightened before stays so. Then the error ends in `not taken back:
    /// <step>` for each that is left. That is within the new plan, but for one case. If of two
    /// things that moved one could not be taken back, it is a mixture. A controller that was
    /// enabled stays so. Best effort and `trace` are as for apply; steps taken back are reported
    /// too. Where a best-effort step that tightens or moves falls short, moves that were done are
    /// taken back. No step moves or loosens any more: a best-effort one is a shortfall, a required
    /// one fails the update. The group then has no more than the old plan gave it. Plans made with
    /// capabilities have no steps that the machine cannot do, and so keep clear of this.
    [[nodiscard]] StatusOr<Applied> update(const PlanUpdate& update, const TraceSink& trace = {});

    /// Does one step, or fails and has changed nothing.
    /// Errors: AlreadyExists for a group that is there; others as the machine gives them.
    [[nodiscard]] virtual Status run(const Step& step) = 0;

    /// Starts the command inside plan.group, which apply has made, with the plan's process
    /// settings. The command never runs outside the group, not even for a moment. Errors: NotFound
    /// for a program that does not exist, InvalidArgument for an empty command, FailedPrecondition
    /// for a variable of which only the digest is known. After an error there is no process. In a
    /// group that is frozen no program comes to run: that is an error when patience ends. Devices
    /// are counted from 0 behind a device filter. That is if the plan requires it, or if apply or
    /// update of this enforcer has loaded a best-effort one. Otherwise the variables are right with
    /// and without a filter (Plan::behind_filter). Vendors whose variables take indexes only
    /// (Intel, Neuron) are an exception. Behind a best-effort filter of another enforcer, as before
    /// a restart, their programs find no device. If verify finds that such a filter holds, spawn
    /// with_filter_in_force(plan).
    [[nodiscard]] StatusOr<Child> spawn(const Plan& plan, const Command& command);

    /// Moves a running process into the group. Its environment and open files stay as they are, so
    /// a device that it has opened stays open to it. Limits on the number of processes do not keep
    /// it out.
    [[nodiscard]] virtual Status attach(const std::string& group, std::int64_t pid) = 0;

    /// Waits until the child has ended, and reaps it. The group and what else runs in it stay.
    [[nodiscard]] virtual StatusOr<Outcome> wait(const Child& child) = 0;

    /// As wait, but gives nothing while the child is still running.
    [[nodiscard]] virtual StatusOr<std::optional<Outcome>> poll(const Child& child) = 0;

    /// Sends a signal to every process of the group and the groups below. One that may not be
    /// signalled, as a set-uid program, keeps it from no other: the error comes after the last.
    [[nodiscard]] virtual Status signal(const std::string& group, int signal_number) = 0;

    /// Sends a signal to the child only, not to what it started. Ok when it has ended and is not
    /// reaped: no other process has its number until then. Errors: NotFound when it was reaped.
    [[nodiscard]] virtual Status signal_child(const Child& child, int signal_number) = 0;

    /// Stops every process of the group until thaw; returns when all stand still.
    [[nodiscard]] virtual Status freeze(const std::string& group) = 0;
    [[nodiscard]] virtual Status thaw(const std::string& group) = 0;

    [[nodiscard]] virtual StatusOr<ResourceUsage> observe(const std::string& group) = 0;

    /// Tells what happens to the group from now on. Counters are gone with the group, so read the
    /// source before you remove it. Errors: FailedPrecondition for a pressure trigger where the
    /// kernel has none.
    [[nodiscard]] virtual StatusOr<std::unique_ptr<EventSource>> events(
        const std::string& group, const EventOptions& options) = 0;

    /// The steps of the plan that do not hold now, in their order; empty when all hold. Compares
    /// effective values, not only written ones, and the loaded device filter. Steps that apply
    /// reported as shortfalls are included. What this process may not read is a Drift found
    /// `unknown`. Only the plan's own groups are read. Limits of groups above are seen as far as
    /// they narrow CPUs and memory nodes; their limits of memory, time and processes are not.
    /// Changes nothing.
    [[nodiscard]] virtual StatusOr<std::vector<Drift>> verify(const Plan& plan) = 0;

    /// Kills everything inside the group and the groups below, also what daemonised or is frozen,
    /// and removes them. Ok when there is no such group. An error names what is left.
    [[nodiscard]] Status remove(const std::string& group);

    /// All groups below the root, by the tree alone: also those of a predecessor that died at any
    /// moment. One that died between making a group and labelling it left no owner. Parents before
    /// children, otherwise by name. Behind them those of which only a scratch directory is left.
    [[nodiscard]] virtual StatusOr<std::vector<GroupState>> recover() = 0;

  private:
    class StepRun;

    /// remove; what it removes counts as unfiltered already.
    [[nodiscard]] virtual Status remove_group(const std::string& group) = 0;
    /// spawn, with devices counted for good.
    [[nodiscard]] virtual StatusOr<Child> start(const Plan& plan, const Command& command) = 0;
    /// Removes what was made, last first, and gives `cause` with what could not be removed.
    [[nodiscard]] Status undo(const Plan& plan, const StepRun& steps, const Status& cause);
    /// Takes back the moves that were done, last first, and makes them shortfalls.
    /// Errors: those of take_back, to which it comes when one cannot be taken back.
    [[nodiscard]] Status move_back(const PlanUpdate& update, StepRun& steps);
    /// Takes back what was done, last first, and gives `cause` with what could not be taken back.
    /// What stays looser or elsewhere keeps all that was tightened for it.
    [[nodiscard]] Status take_back(const PlanUpdate& update, const StepRun& steps,
                                   const Status& cause);

    std::set<std::string> filtered_;  ///< groups whose filter apply or update has loaded
};

}  // namespace trestle
