// SPDX-License-Identifier: Apache-2.0
// Jobs are ended on a real kernel: at the right moments, by the right signals, and as a whole.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machines/unpacked.hpp"
#include "os/attacks/attack_job.hpp"
#include "os/kernel_support.hpp"
#include "os/soon.hpp"
#include "support/catch.hpp"
#include "trestle/enforce/process/end_sequence.hpp"
#include "trestle/os/supervisor.hpp"

namespace trestle {
namespace {

/// A signal that was sent, and how long after the start.
struct SentSignal {
    std::string text;
    double after = 0;
};

/// One job from its start to its end.
struct TimedRun {
    JobEnd end;
    std::vector<SentSignal> sent;

    [[nodiscard]] std::vector<std::string> texts() const {
        std::vector<std::string> all;
        for (const SentSignal& one : sent) all.push_back(one.text);
        return all;
    }
};

double seconds_since(Microseconds start) {
    return static_cast<double>((os::monotonic_now() - start).value()) / 1e6;
}

/// Starts the script in the group of the plan and keeps its time, which begins when `first` has
/// been done. What it leaves behind stays.
TimedRun run_timed(
    KernelGroup& group, const Plan& plan, const std::string& script,
    const std::function<void()>& first = [] {}) {
    TimedRun run;
    const auto child = group.enforcer().spawn(plan, shell(script));
    INFO(script << ": " << child.status().ToString());
    REQUIRE(child.ok());
    first();
    const Microseconds start = os::monotonic_now();
    const auto end =
        os::supervise(group.enforcer(), plan, *child, {}, [&](const TraceEvent& event) {
            run.sent.push_back({event.detail, seconds_since(start)});
        });
    INFO(end.status().ToString());
    REQUIRE(end.ok());
    run.end = *end;
    return run;
}

/// Two seconds, a warning after the first one, a second of grace.
EndPolicy two_seconds() {
    EndPolicy policy;
    policy.time_limit = Seconds(2);
    policy.warning = {SIGUSR1, Seconds(1), EndPolicy::Target::every_process};
    policy.grace = Seconds(1);
    return policy;
}

/// As run_timed, from when the script has said that it is ready.
TimedRun run_ready(KernelGroup& group, const Plan& plan, const std::string& script,
                   const ReadyMark& ready) {
    return run_timed(group, plan, script, [&] { REQUIRE(ready.comes()); });
}

/// Not before its moment, and not for ever after; the machine is emulated and busy.
void check_moment(const SentSignal& sent, double due) {
    INFO(sent.text);
    CHECK(sent.after >= due);
    CHECK(sent.after < due + 60);
}

constexpr const char* for_ever = "while :; do sleep 0.1; done";

/// No process is left in the group and those below, once the kill has been through.
bool is_empty_soon(KernelGroup& group) {
    return is_soon([&] {
        const auto states = group.enforcer().recover();
        REQUIRE(states.ok());
        return std::all_of(states->begin(), states->end(),
                           [](const GroupState& state) { return state.processes.empty(); });
    });
}

}  // namespace

TEST_CASE("kernel: warning, SIGTERM and SIGKILL come at their moments", "[os][privileged]") {
    if (!has_kernel()) return;
    const TemporaryFolder folder;
    const std::string mark = (folder.path() / "warned").string();
    KernelGroup group;
    Plan plan = group.job({});
    plan.end = two_seconds();
    const ReadyMark ready;
    const TimedRun run = run_ready(
        group, plan, "trap '' TERM; trap 'echo x >> " + mark + "' USR1; " + ready.said() + for_ever,
        ready);
    REQUIRE(run.texts() == std::vector<std::string>{"warning: SIGUSR1 to every_process",
                                                    "end_signal: SIGTERM to every_process",
                                                    "kill: SIGKILL to every_process"});
    check_moment(run.sent[0], 1);
    check_moment(run.sent[1], 2);
    check_moment(run.sent[2], 3);
    CHECK(to_text(run.end) == "time_limit, SIGKILL after the grace");
    // Once, if it got to it between the first moment and the last.
    CHECK((!std::filesystem::exists(mark) || std::filesystem::file_size(mark) == 2));
}

TEST_CASE("kernel: a job that heeds the warning or SIGTERM is not killed", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    Plan plan = group.job({});
    plan.end.time_limit = Seconds(100);
    plan.end.warning = {SIGUSR1, Seconds(99), EndPolicy::Target::every_process};
    plan.end.grace = Seconds(100);
    const ReadyMark first;
    const TimedRun warned =
        run_ready(group, plan, "trap 'exit 3' USR1; " + first.said() + for_ever, first);
    CHECK(warned.sent.size() == 1);
    CHECK(warned.end == JobEnd{warned.end.outcome, {}, false});
    CHECK(to_text(warned.end) == "exited, status 3");

    plan.end.warning.reset();
    plan.end.time_limit = Seconds(1);
    const ReadyMark second;
    const TimedRun ended =
        run_ready(group, plan, "trap 'exit 0' TERM; " + second.said() + for_ever, second);
    CHECK(ended.sent.size() == 1);
    CHECK(to_text(ended.end) == "time_limit, status 0");
    CHECK(exit_status(ended.end) == 124);

    plan.end.time_limit = Seconds(1000);
    const TimedRun early = run_timed(group, plan, "exit 0");
    CHECK(early.sent.empty());
    CHECK(to_text(early.end) == "exited, status 0");
}

TEST_CASE("kernel: a warning to the leader reaches no other process", "[os][privileged]") {
    if (!has_kernel()) return;
    for (const EndPolicy::Target target :
         {EndPolicy::Target::leader, EndPolicy::Target::every_process}) {
        INFO(to_text(target));
        const bool is_for_all = target == EndPolicy::Target::every_process;
        KernelGroup group;
        Plan plan = group.job({});
        plan.end.time_limit = Seconds(1000);
        plan.end.warning = {SIGUSR1, Seconds(999), target};
        const ReadyMark ready_leader;
        const ReadyMark ready_other;
        const ReadyMark warned_leader;
        const ReadyMark warned_other;
        const std::string other =
            "trap '" + warned_other.said() + "' USR1; " + ready_other.said() + for_ever;
        const auto child = group.enforcer().spawn(
            plan, shell("sh -c \"" + other + "\" & trap '" + warned_leader.said() + "' USR1; " +
                        ready_leader.said() + for_ever));
        REQUIRE(child.ok());
        REQUIRE(ready_leader.comes());
        REQUIRE(ready_other.comes());
        auto supervisor = os::Supervisor::start(group.enforcer(), plan, *child);
        REQUIRE(supervisor.ok());
        CHECK(is_soon([&] {
            REQUIRE(supervisor->step().value() == std::nullopt);
            return warned_leader.is_there() && (warned_other.is_there() || !is_for_all);
        }));
        CHECK(supervisor->stop(JobEnd::Cause::user_stop, Seconds(0)) == Status());
        std::optional<JobEnd> end;
        CHECK(is_soon([&] { return (end = supervisor->step().value()).has_value(); }));
        CHECK(end->cause == JobEnd::Cause::user_stop);
        CHECK(warned_other.is_there() == is_for_all);
    }
}

TEST_CASE("kernel: a job that is ended is over when its whole group is", "[os][privileged]") {
    if (!has_kernel()) return;
    const TemporaryFolder folder;
    const std::string saved = (folder.path() / "saved").string();
    KernelGroup group;
    Plan plan = group.job({});
    plan.end.time_limit = Seconds(1);
    plan.end.grace = Seconds(100);
    // The shell goes at once; what it started takes its time to save.
    const ReadyMark saver;
    const TimedRun slow = run_ready(group, plan,
                                    "sh -c \"trap 'sleep 1; echo x > " + saved +
                                        "; exit 0' TERM; " + saver.said() + for_ever + "\" & wait",
                                    saver);
    CHECK(to_text(slow.end) == "time_limit, SIGTERM");
    CHECK(std::filesystem::exists(saved));
    CHECK(is_empty_soon(group));

    // A daemon that heeds nothing is killed after the grace, with the rest.
    plan.end.grace = Seconds(1);
    const ReadyMark daemon;
    const TimedRun deaf = run_ready(group, plan,
                                    "setsid sh -c \"trap '' TERM; " + daemon.said() + for_ever +
                                        "\" >/dev/null 2>&1 & exec sleep 100",
                                    daemon);
    CHECK(deaf.sent.size() == 2);
    CHECK(deaf.end == JobEnd{deaf.end.outcome, JobEnd::Cause::time_limit, true});
    CHECK(deaf.end.outcome.signal_number == SIGTERM);  // the command itself heeded it
    CHECK(is_empty_soon(group));

    // Nobody ends the third: it leaves a daemon, which is for remove.
    plan.end = {};
    const TimedRun left =
        run_timed(group, plan, "setsid sleep 1000 >/dev/null 2>&1 & sleep 0.3; exit 0");
    CHECK(to_text(left.end) == "exited, status 0");
    CHECK(group.enforcer().remove("job") == Status());
}

TEST_CASE("kernel: a frozen or stopped job acts on the end signal", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    Plan plan = group.job({});
    plan.end.time_limit = Seconds(1);
    plan.end.grace = Seconds(100);
    const ReadyMark ready;
    const TimedRun frozen =
        run_timed(group, plan, "trap 'exit 5' TERM; " + ready.said() + for_ever, [&] {
            REQUIRE(ready.comes());
            CHECK(group.enforcer().freeze(plan.group) == Status());
        });
    CHECK(to_text(frozen.end) == "time_limit, status 5");
    const TimedRun stopped = run_timed(group, plan, "kill -STOP $$");
    CHECK(to_text(stopped.end) == "time_limit, SIGTERM");
}

TEST_CASE("kernel: a job that ignores signals and forks all the time does not hold us up, and ends",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group({.patience = Seconds::max()});
    Plan plan = group.job({{"pids.max", "200"}});
    plan.end.time_limit = Seconds(0);
    plan.end.grace = Seconds(1);
    const ReadyMark ready;
    // By exec: a shell that forks ends where the group has no room for one more process.
    const auto child =
        group.enforcer().spawn(plan, shell("trap '' TERM; " + ready.said() + "exec sleep 1000"));
    REQUIRE(child.ok());
    REQUIRE(ready.comes());
    const AttackJob storm(group, "job", Attacker::own_user, {"churn"});
    REQUIRE(is_soon([&] { return group.enforcer().observe("job")->pids > Count(20); }));
    const auto end = os::supervise(group.enforcer(), plan, *child);
    REQUIRE(end.ok());
    CHECK(to_text(*end) == "time_limit, SIGKILL after the grace");
    CHECK(is_empty_soon(group));
}

TEST_CASE("kernel: the reasons of an end are distinguished", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    Plan plan = group.job({{"memory.max", "67108864"}, {"memory.swap.max", "0"}});
    plan.end.time_limit = Seconds(100);
    CHECK(reason_of(run_timed(group, plan, "exit 4").end) == JobEnd::Reason::exited);
    CHECK(to_text(run_timed(group, plan, "kill -SEGV $$").end) == "signaled, SIGSEGV");
    CHECK(to_text(run_timed(group, plan, "exec tail /dev/zero").end) == "out_of_memory, SIGKILL");
    plan.end.time_limit = Seconds(0);
    CHECK(to_text(run_timed(group, plan, "exec sleep 100").end) == "time_limit, SIGTERM");
    plan.end = {};
    for (const JobEnd::Cause cause :
         {JobEnd::Cause::user_stop, JobEnd::Cause::preempted, JobEnd::Cause::shutdown}) {
        const auto child = group.enforcer().spawn(plan, shell("exec sleep 100"));
        REQUIRE(child.ok());
        auto supervisor = os::Supervisor::start(group.enforcer(), plan, *child);
        REQUIRE(supervisor.ok());
        CHECK(supervisor->step().value() == std::nullopt);
        CHECK(supervisor->stop(cause) == Status());
        std::optional<JobEnd> end;
        REQUIRE(is_soon([&] { return (end = supervisor->step().value()).has_value(); }));
        CHECK(to_text(*end) == std::string(to_text(cause)) + ", SIGTERM");
    }
}

TEST_CASE("kernel: SIGKILL of a stop is not the kernel's for memory", "[os][privileged]") {
    if (!has_kernel()) return;
    const TemporaryFolder folder;
    const std::string fifo = (folder.path() / "stop").string();
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    const int fd = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(fd >= 0);
    KernelGroup group;
    Plan plan = group.job({{"memory.max", "67108864"}, {"memory.swap.max", "0"}});
    plan.end.grace = Seconds(1);
    const auto child = group.enforcer().spawn(
        plan, shell("trap '' TERM; tail /dev/zero; echo x > " + fifo + "; " + for_ever));
    REQUIRE(child.ok());
    const auto end = os::supervise(group.enforcer(), plan, *child, {fd, JobEnd::Cause::user_stop});
    REQUIRE(end.ok());
    CHECK(to_text(*end) == "user_stop, SIGKILL after the grace");
    CHECK(end->outcome.oom_kills == Count(1));
    ::close(fd);
}

}  // namespace trestle
