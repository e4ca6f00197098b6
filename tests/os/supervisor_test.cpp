// SPDX-License-Identifier: Apache-2.0
// The time of jobs, kept where there are no groups: the same code as with them.
#include "trestle/os/supervisor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/errno_status.hpp"
#include "machines/unpacked.hpp"
#include "os/open_files.hpp"
#include "os/plain_job.hpp"
#include "os/soon.hpp"
#include "support/catch.hpp"
#include "support/faulty_kernel.hpp"
#include "trestle/enforce/faulty_enforcer.hpp"
#include "trestle/enforce/process/end_sequence.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

static_assert(lists_all_fields<os::StopRequest>);

/// A job whose time is kept.
struct TimedJob : PlainJob {
    [[nodiscard]] Child start(const std::string& script) {
        const auto child = enforcer.spawn(plan, plain_shell(script));
        REQUIRE(child.ok());
        return *child;
    }
    [[nodiscard]] JobEnd run(const std::string& script, const os::StopRequest& stop = {}) {
        return end_of(start(script), stop);
    }
    /// As run, and its time begins when it has said that it is ready.
    [[nodiscard]] JobEnd run(const std::string& script, const ReadyMark& ready) {
        const Child child = start(script);
        REQUIRE(ready.comes());
        return end_of(child, {});
    }
    [[nodiscard]] JobEnd end_of(const Child& child, const os::StopRequest& stop) {
        const auto end = os::supervise(enforcer, plan, child, stop);
        INFO(end.status().ToString());
        REQUIRE(end.ok());
        return *end;
    }
};

constexpr const char* deaf = "trap '' TERM; ";
constexpr const char* busy_loop = "while :; do sleep 0.1; done";

bool is_readable(int fd, int timeout_ms) {
    pollfd watched{fd, POLLIN, 0};
    return ::poll(&watched, 1, timeout_ms) == 1;
}

TEST_CASE("Supervisor: a job that ends by itself", "[os]") {
    TimedJob job;
    const std::size_t before = open_files();
    CHECK(job.run("exit 3") == JobEnd{exited(3), {}, false});
    CHECK(job.run("kill -SEGV $$") == JobEnd{signaled(SIGSEGV), {}, false});
    job.plan.end.time_limit = Seconds(1000);
    CHECK(job.run("exit 0") == JobEnd{exited(0), {}, false});
    CHECK(open_files() == before);
}

TEST_CASE("Supervisor: a job over its time", "[os]") {
    TimedJob job;
    job.plan.end.time_limit = Seconds(0);
    CHECK(job.run("exec sleep 100") == JobEnd{signaled(SIGTERM), JobEnd::Cause::time_limit, false});
    job.plan.end.grace = Seconds(0);
    CHECK(job.run("exec sleep 100") == JobEnd{signaled(SIGKILL), JobEnd::Cause::time_limit, true});
    job.plan.end.grace = Seconds(1);
    job.plan.end.time_limit = Seconds(1);
    const ReadyMark ready;
    CHECK(job.run(deaf + ready.said() + busy_loop, ready) ==
          JobEnd{signaled(SIGKILL), JobEnd::Cause::time_limit, true});
}

TEST_CASE("Supervisor: a warning to the leader", "[os]") {
    TimedJob job;
    job.plan.end.time_limit = Seconds(1000);
    job.plan.end.warning = {SIGUSR1, Seconds(999), EndPolicy::Target::leader};
    const ReadyMark ready;
    CHECK(job.run("trap 'exit 7' USR1; " + ready.said() + busy_loop, ready) ==
          JobEnd{exited(7), {}, false});
}

TEST_CASE("Supervisor: a descriptor that is readable stops the job", "[os]") {
    const TemporaryFolder folder;
    const std::string fifo = (folder.path() / "stop").string();
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    int fd = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(fd >= 0);
    TimedJob job;
    CHECK(job.run("echo x > " + fifo + "; exec sleep 100", {fd, JobEnd::Cause::user_stop}) ==
          JobEnd{signaled(SIGTERM), JobEnd::Cause::user_stop, false});
    ::close(fd);  // what was written goes with it: else the next job is stopped at its birth
    fd = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(fd >= 0);
    job.plan.end.grace = Seconds(1);  // it stays readable, and nobody spins or waits for ever
    CHECK(job.run(std::string(deaf) + "echo x > " + fifo + "; " + busy_loop,
                  {fd, JobEnd::Cause::shutdown}) ==
          JobEnd{signaled(SIGKILL), JobEnd::Cause::shutdown, true});
    ::close(fd);
}

TEST_CASE("Supervisor: a loop of the caller's own", "[os]") {
    TimedJob job;
    const ReadyMark ready;
    const Child child = job.start(deaf + ready.said() + busy_loop);
    REQUIRE(ready.comes());
    auto supervisor = os::Supervisor::start(job.enforcer, job.plan, child);
    REQUIRE(supervisor.ok());
    CHECK(supervisor->step().value() == std::nullopt);
    CHECK_FALSE(is_readable(supervisor->fd(), 300));
    CHECK(supervisor->stop(JobEnd::Cause::preempted) == Status());
    CHECK(is_readable(supervisor->fd(), 10'000));
    CHECK(supervisor->step().value() == std::nullopt);
    CHECK(supervisor->stop(JobEnd::Cause::user_stop, Seconds(0)) == Status());
    std::optional<JobEnd> end;
    while (!end && is_readable(supervisor->fd(), 10'000)) end = supervisor->step().value();
    CHECK(end == JobEnd{signaled(SIGKILL), JobEnd::Cause::preempted, true});
    CHECK(supervisor->step().value() == end);
}

TEST_CASE("Supervisor: a stop that comes after the end changes nothing", "[os]") {
    TimedJob job;
    const Child child = job.start("exit 2");
    auto supervisor = os::Supervisor::start(job.enforcer, job.plan, child);
    REQUIRE(supervisor.ok());
    CHECK(is_readable(supervisor->fd(), 10'000));
    CHECK(supervisor->stop(JobEnd::Cause::user_stop) == Status());
    CHECK(is_readable(supervisor->fd(), 10'000));
    CHECK(supervisor->step().value() == JobEnd{exited(2), {}, false});
}

TEST_CASE("Supervisor: another time limit while the job runs", "[os]") {
    TimedJob job;
    job.plan.end.time_limit = Seconds(1000);
    const Child child = job.start("exec sleep 100");
    auto supervisor = os::Supervisor::start(job.enforcer, job.plan, child);
    REQUIRE(supervisor.ok());
    CHECK(supervisor->set_time_limit(Seconds(0)) == Status());
    std::optional<JobEnd> end;
    while (!end && is_readable(supervisor->fd(), 10'000)) end = supervisor->step().value();
    CHECK(end == JobEnd{signaled(SIGTERM), JobEnd::Cause::time_limit, false});
}

TEST_CASE("Supervisor: a signal that fails is reported, SIGKILL is tried again", "[os]") {
    TimedJob job;
    const Child child = job.start("exec sleep 100");
    FaultyEnforcer faulty(job.enforcer, {});
    std::vector<std::string> sent;
    auto supervisor = os::Supervisor::start(
        faulty, job.plan, child, [&](const TraceEvent& event) { sent.push_back(event.detail); });
    REQUIRE(supervisor.ok());
    CHECK(supervisor->stop(JobEnd::Cause::user_stop, Seconds(0)) == Status());
    faulty.set_fault(
        FaultyEnforcer::Fault::once(faulty.call_count() + 1));  // behind the look at the child
    CHECK(supervisor->step().status().code() == StatusCode::kInternal);
    CHECK(job.enforcer.poll(child).value() == std::nullopt);
    std::optional<JobEnd> end;
    while (!end && is_readable(supervisor->fd(), 10'000)) end = supervisor->step().value();
    CHECK(end == JobEnd{signaled(SIGKILL), JobEnd::Cause::user_stop, true});
    REQUIRE(sent.size() == 2);
    CHECK_THAT(sent[0], Catch::Matchers::ContainsSubstring("failed: injected fault"));
    CHECK(sent[1] == "kill: SIGKILL to every_process");
}

TEST_CASE("Supervisor: what cannot be looked at is not taken for the end", "[os]") {
    TimedJob job;
    const ReadyMark leader_ready;
    const ReadyMark ready;
    const Child leader = job.start(deaf + leader_ready.said() + "exec sleep 100");
    const Child other = job.start(deaf + ready.said() + "exec sleep 100");
    REQUIRE(leader_ready.comes());
    REQUIRE(ready.comes());
    FaultyEnforcer faulty(job.enforcer, {});
    auto supervisor = os::Supervisor::start(faulty, job.plan, leader);
    REQUIRE(supervisor.ok());
    CHECK(supervisor->stop(JobEnd::Cause::user_stop, Seconds(1000)) == Status());
    CHECK(supervisor->step().value() == std::nullopt);
    // Not of the signal: a step that sends it may see the end of it at once.
    CHECK(job.enforcer.signal_child(leader, SIGKILL) == Status());
    siginfo_t info{};
    REQUIRE(::waitid(P_PID, static_cast<id_t>(leader.pid), &info, WEXITED | WNOWAIT) == 0);
    faulty.set_fault(
        FaultyEnforcer::Fault::for_good(faulty.call_count() + 1));  // behind the look at the child
    for (int i = 0; i < 3; ++i) CHECK(supervisor->step().value() == std::nullopt);
    CHECK(is_readable(supervisor->fd(), 10'000));
    faulty.set_fault({});
    CHECK(supervisor->step().value() == std::nullopt);
    CHECK(job.enforcer.signal_child(other, SIGKILL) == Status());
    CHECK(job.enforcer.wait(other).value() == signaled(SIGKILL));
    CHECK(supervisor->step().value() == JobEnd{signaled(SIGKILL), JobEnd::Cause::user_stop, false});
}

/// Steps until the end, whatever a step says: the timer may be what has failed.
std::optional<JobEnd> step_to_the_end(os::Supervisor& supervisor) {
    for (int tries = 0; tries < 1000; ++tries) {
        const auto end = supervisor.step();
        if (end.ok() && *end) return *end;
        (void)is_readable(supervisor.fd(), end.ok() ? 10'000 : 10);
    }
    return {};
}

/// A job over its time, while one call fails. How many calls its keeper made.
std::size_t keep_with(const CallFault& fault, std::size_t& reported) {
    TimedJob job;
    job.plan.end.time_limit = Seconds(0);
    const Child child = job.start("exec sleep 100");
    FaultyKernel kernel;
    kernel.set_fault(fault);
    auto supervisor = os::Supervisor::start(job.enforcer, job.plan, child, {}, kernel);
    INFO("call " << fault.call << " " << to_text(kernel.failed_call()) << ", errno "
                 << kernel.failed_with() << (fault.is_for_good ? ", for good" : ""));
    if (!supervisor.ok()) {
        ++reported;
        CHECK(supervisor.status() == errno_status(kernel.failed_with(), kernel.failed_call().call));
        CHECK(job.enforcer.poll(child).value() == std::nullopt);
        kernel.set_fault({});
        supervisor = os::Supervisor::start(job.enforcer, job.plan, child, {}, kernel);
    }
    REQUIRE(supervisor.ok());
    CHECK(step_to_the_end(*supervisor) ==
          JobEnd{signaled(SIGTERM), JobEnd::Cause::time_limit, false});
    return kernel.calls().size();
}

TEST_CASE("Supervisor: any call fails in any way, and the job ends in time all the same", "[os]") {
    const std::size_t files = open_files();
    std::size_t reported = 0;
    const std::size_t calls = keep_with({1000, 0, false}, reported);
    CHECK(calls >= 7);  // as many as there are when the job ends in the step that signals it
    for (const bool is_for_good : {false, true}) {
        for (std::size_t call = 0; call < calls + 3; ++call) {
            for (std::size_t choice = 0; choice < 4; ++choice) {
                (void)keep_with({call, choice, is_for_good}, reported);
            }
        }
    }
    CHECK(reported >= 2 * (3 + 4 + 2 + 2));  // what start() cannot do without
    CHECK(open_files() == files);
}

TEST_CASE("Supervisor: signals that do not exist, and another process's child", "[os]") {
    TimedJob job;
    const Child child = job.start("exec sleep 100");
    job.plan.end.end_signal = 0;
    CHECK(os::Supervisor::start(job.enforcer, job.plan, child).status().code() ==
          StatusCode::kInvalidArgument);
    job.plan.end = {};
    const Child stranger{"job", child.pid + 1};
    auto supervisor = os::Supervisor::start(job.enforcer, job.plan, stranger);
    REQUIRE(supervisor.ok());
    CHECK(supervisor->step().status().code() == StatusCode::kNotFound);
    CHECK(job.enforcer.remove("job") == Status());
    CHECK(job.enforcer.wait(child).value() == signaled(SIGKILL));
}

}  // namespace
}  // namespace trestle
