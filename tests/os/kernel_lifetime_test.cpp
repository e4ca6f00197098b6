// SPDX-License-Identifier: Apache-2.0
// Groups and processes come and go on a real kernel, and nothing stays behind.
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "os/attacks/attack_job.hpp"
#include "os/kernel_support.hpp"
#include "os/soon.hpp"
#include "support/catch.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string own_group() {
    std::ifstream file("/proc/self/cgroup");
    std::string line;
    std::getline(file, line);
    return line;
}

/// Brings the test back out of the groups that will be removed with all processes in them.
class InOwnGroupAfterwards {
  public:
    InOwnGroupAfterwards() = default;
    InOwnGroupAfterwards(const InOwnGroupAfterwards&) = delete;
    InOwnGroupAfterwards& operator=(const InOwnGroupAfterwards&) = delete;
    ~InOwnGroupAfterwards() { std::ofstream(procs_) << ::getpid() << std::flush; }

  private:
    /// The mount is at the common place, or the tests would have found another to begin with.
    std::string procs_ = "/sys/fs/cgroup" + own_group().substr(3) + "/cgroup.procs";
};

/// The kernel, in whose words nothing is ever frozen.
class NeverFrozen final : public os::ForwardingKernel {
  public:
    NeverFrozen() : ForwardingKernel(os::real_kernel()) {}
    ssize_t pread(int fd, void* buffer, std::size_t size, off_t offset) override {
        const ssize_t got = ForwardingKernel::pread(fd, buffer, size, offset);
        if (got <= 0) return got;
        char* const text = static_cast<char*>(buffer);
        const std::string_view key = "frozen 1";
        const std::size_t at = std::string_view(text, static_cast<std::size_t>(got)).find(key);
        if (at != std::string_view::npos) text[at + key.size() - 1] = '0';
        return got;
    }
};

/// One before 5.14, which kills no group at once.
class KernelWithoutKill final : public os::ForwardingKernel {
  public:
    KernelWithoutKill() : ForwardingKernel(os::real_kernel()) {}
    int openat(int at, const char* path, int flags) override {
        if (std::string_view(path) != "cgroup.kill")
            return ForwardingKernel::openat(at, path, flags);
        errno = ENOENT;
        return -1;
    }
};

/// Somebody makes a group at the moment when the first controller is switched off.
class MakesGroupWhenOff final : public os::ForwardingKernel {
  public:
    explicit MakesGroupWhenOff(std::string path)
        : ForwardingKernel(os::real_kernel()), path_(std::move(path)) {}
    ssize_t write(int fd, const void* data, std::size_t size) override {
        if (size > 1 && *static_cast<const char*>(data) == '-') {
            (void)::mkdir(path_.c_str(), 0755);
        }
        return ForwardingKernel::write(fd, data, size);
    }

  private:
    std::string path_;
};

/// A second enforcer for the same groups, for the one call that is not to wait for long.
std::unique_ptr<os::CgroupEnforcer> opened_again(KernelGroup& group, Seconds patience,
                                                 os::Kernel& kernel = os::real_kernel()) {
    auto enforcer = os::CgroupEnforcer::open(group.path(), {.patience = patience}, kernel);
    REQUIRE(enforcer.ok());
    return *std::move(enforcer);
}

/// Applies nothing but the group, and starts what leaves two daemons behind.
std::vector<std::int64_t> daemons_of(KernelGroup& group, const Plan& plan) {
    const std::string leave = "setsid sh -c 'sleep 1000 & sleep 1000' >/dev/null 2>&1 & exit 0";
    CHECK(group.run(plan, leave).exit_code == 0);
    std::vector<std::int64_t> pids;
    CHECK(is_soon([&] {
        const auto states = group.enforcer().recover();
        REQUIRE(states.ok());
        for (const GroupState& state : *states) {
            if (state.group == plan.group) pids = state.processes;
        }
        return pids.size() == 3;
    }));
    return pids;
}

}  // namespace

TEST_CASE("kernel: what daemonised is gone after the job, and so is the group",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({});
    const auto pids = daemons_of(group, plan);
    for (const std::int64_t pid : pids) CHECK(is_running(pid));
    CHECK(group.enforcer().remove("job") == Status());
    // A group is empty a moment before its last process is a zombie.
    for (const std::int64_t pid : pids) CHECK(is_soon([&] { return !is_running(pid); }));
    CHECK(groups_in(group.path()).empty());
    CHECK(group.enforcer().recover().value().empty());
    CHECK(group.enforcer().remove("job") == Status());
    CHECK(group.enforcer().observe("job").status().code() == StatusCode::kNotFound);
}

TEST_CASE("kernel: a fork storm ends with one removal", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelWithoutKill without_kill;
    for (os::Kernel* kernel : {&os::real_kernel(), static_cast<os::Kernel*>(&without_kill)}) {
        KernelGroup group;
        (void)group.job({{"pids.max", "200"}});
        const auto enforcer = opened_again(group, Seconds(120), *kernel);
        const AttackJob storm(group, "job", Attacker::own_user, {"churn"});
        REQUIRE(is_soon([&] { return enforcer->observe("job")->pids > Count(20); }));
        const StatusCode code = enforcer->signal("job", SIGURG).code();
        CHECK((code == StatusCode::kOk || code == StatusCode::kDeadlineExceeded));
        CHECK(enforcer->remove("job") == Status());
        CHECK(groups_in(group.path()).empty());
    }
}

TEST_CASE("kernel: groups below and frozen processes are removed too", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    Plan plan = group.job({});
    REQUIRE(group.enforcer().run(make_step("job/step_0")) == Status());
    REQUIRE(group.enforcer().run(make_step("job/step_0/task_1")) == Status());
    plan.group = "job/step_0/task_1";
    const auto child = group.enforcer().spawn(plan, shell("exec sleep 1000"));
    REQUIRE(child.ok());
    CHECK(group.enforcer().freeze("job/step_0") == Status());
    const auto states = group.enforcer().recover();
    REQUIRE(states.ok());
    CHECK(*states ==
          std::vector<GroupState>{{"job", {}, std::nullopt, true, false},
                                  {"job/step_0", {}, std::nullopt, true, true},
                                  {"job/step_0/task_1", {child->pid}, std::nullopt, true, true}});
    CHECK(group.enforcer().remove("job") == Status());
    CHECK(groups_in(group.path()).empty());
    CHECK(group.enforcer().wait(*child)->signal_number == SIGKILL);
}

TEST_CASE("kernel: a command that cannot be started leaves nothing", "[os][privileged]") {
    if (!has_kernel()) return;
    for (const auto start : {os::StartMethod::automatic, os::StartMethod::fork_and_move}) {
        KernelGroup group({.start = start});
        const Plan plan = group.job({});
        Command command = shell("");
        command.arguments = {"no-such-program"};
        const auto child = group.enforcer().spawn(plan, command);
        CHECK(child.status().code() == StatusCode::kNotFound);
        CHECK_THAT(std::string(message(child.status())),
                   ContainsSubstring("cannot execute for no-such-program"));
        CHECK(group.enforcer().recover().value() == std::vector<GroupState>{{"job", {}}});
        CHECK((::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD));
        CHECK(group.enforcer().remove("job") == Status());
        CHECK(groups_in(group.path()).empty());
    }
}

TEST_CASE("kernel: a plan that fails half way leaves nothing", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    Plan plan;
    plan.group = "job";
    plan.steps = {enable_step("", "memory"), enable_step("", "pids"), make_step("job"),
                  write_step("job", {"memory.max", "67108864"}),
                  write_step("job", {"pids.max", "5000000"})};
    const auto applied = group.enforcer().apply(plan);
    REQUIRE_FALSE(applied.ok());
    CHECK_THAT(std::string(message(applied.status())),
               ContainsSubstring("/job/pids.max: Invalid argument"));
    CHECK(groups_in(group.path()).empty());

    plan.steps = {make_step("job"), odd_step("job")};
    CHECK_THAT(std::string(message(group.enforcer().apply(plan).status())),
               ContainsSubstring("the kernel offers no such file"));
    plan.steps = {enable_step("", "no_such_controller"), make_step("job")};
    CHECK_THAT(std::string(message(group.enforcer().apply(plan).status())),
               ContainsSubstring("controller no_such_controller is not available, only:"));
    plan.steps = {make_step("job"), make_step("job")};
    CHECK(group.enforcer().apply(plan).status().code() == StatusCode::kAlreadyExists);
    CHECK(groups_in(group.path()).empty());
}

TEST_CASE("kernel: the command is inside from its first instruction", "[os][privileged]") {
    if (!has_kernel()) return;
    for (const auto start : {os::StartMethod::automatic, os::StartMethod::fork_and_move}) {
        KernelGroup group({.start = start});
        const Plan plan = group.job({});
        const std::string inside = "grep -q '^0::.*/" + group.name() + "/job$' /proc/self/cgroup";
        CHECK(group.run(plan, inside) == exited(0, std::nullopt));
    }
}

TEST_CASE("kernel: signals reach all processes of the group, also those below",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    Plan plan = group.job({});
    const auto first = group.enforcer().spawn(plan, shell("exec sleep 1000"));
    REQUIRE(group.enforcer().run(make_step("job/below")) == Status());
    plan.group = "job/below";
    const auto second = group.enforcer().spawn(plan, shell("exec sleep 1000"));
    REQUIRE(first.ok());
    REQUIRE(second.ok());
    CHECK(group.enforcer().poll(*first).value() == std::nullopt);
    CHECK(group.enforcer().signal("job", SIGTERM) == Status());
    CHECK(group.enforcer().wait(*first)->signal_number == SIGTERM);
    CHECK(group.enforcer().wait(*second)->signal_number == SIGTERM);
    CHECK(group.enforcer().signal("gone", SIGTERM).code() == StatusCode::kNotFound);
}

TEST_CASE("kernel: freezing stops the processes until they are thawed", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({});
    const TemporaryFolder folder;
    const std::string fifo = (folder.path() / "go").string();
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    const auto child = group.enforcer().spawn(plan, shell("read word < " + fifo));
    REQUIRE(child.ok());
    CHECK(group.enforcer().freeze("job") == Status());
    std::fstream pipe(fifo);
    pipe << "go" << std::endl;
    // What is not frozen has ended by the time that all of another command has run.
    REQUIRE(group.enforcer().run(make_step("other")) == Status());
    Plan other = plan;
    other.group = "other";
    CHECK(group.run(other, "sleep 0.1") == exited(0, std::nullopt));
    CHECK(group.enforcer().poll(*child).value() == std::nullopt);
    CHECK(group.enforcer().thaw("job") == Status());
    CHECK(group.enforcer().wait(*child).value() == exited(0, std::nullopt));
}

TEST_CASE("kernel: a freeze that takes too long is taken back", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({});
    const auto child = group.enforcer().spawn(plan, shell("while :; do :; done"));
    REQUIRE(child.ok());
    NeverFrozen kernel;
    const auto hasty = opened_again(group, Seconds(0), kernel);
    CHECK(hasty->freeze("job").code() == StatusCode::kDeadlineExceeded);
    std::string value;
    std::ifstream(group.path() + "/job/cgroup.freeze") >> value;
    CHECK(value == "0");
    CHECK(group.enforcer().signal("job", SIGKILL) == Status());
    CHECK(group.enforcer().wait(*child)->signal_number == SIGKILL);
}

TEST_CASE("kernel: a running process can be attached", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({});
    REQUIRE(group.enforcer().run(make_step("other")) == Status());
    const auto child = group.enforcer().spawn(plan, shell("exec sleep 1000"));
    REQUIRE(child.ok());
    CHECK(group.enforcer().attach("other", child->pid) == Status());
    CHECK(group.enforcer().recover().value() ==
          std::vector<GroupState>{{"job", {}}, {"other", {child->pid}, std::nullopt, true, false}});
    CHECK(group.enforcer().attach("other", 999'999'999).code() != StatusCode::kOk);
    for (const std::int64_t pid : {0, -1}) {
        CHECK(group.enforcer().attach("job", pid).code() == StatusCode::kInvalidArgument);
    }
    CHECK(group.enforcer().remove("other") == Status());
    CHECK(group.enforcer().wait(*child).ok());
}

TEST_CASE("kernel: a successor finds and removes what a dead manager left", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({{"memory.max", "67108864"}});
    const auto pids = daemons_of(group, plan);
    auto successor = os::CgroupEnforcer::open(group.path());
    REQUIRE(successor.ok());
    const auto left = (*successor)->recover();
    REQUIRE(left.ok());
    CHECK(*left == std::vector<GroupState>{{"job", pids, std::nullopt, true, false}});
    for (const GroupState& state : *left) CHECK((*successor)->remove(state.group) == Status());
    CHECK(groups_in(group.path()).empty());
}

namespace {

/// As Linux since 6.14 after a write to cgroup.kill: a child that is started inside of the group
/// runs no instruction.
class KillingKernel final : public os::ForwardingKernel {
  public:
    KillingKernel() : ForwardingKernel(os::real_kernel()) {}
    pid_t clone3(clone_args* arguments, std::size_t size) override {
        const pid_t pid = ForwardingKernel::clone3(arguments, size);
        if (pid == 0) ::kill(::getpid(), SIGKILL);
        return pid;
    }
};

}  // namespace

TEST_CASE("kernel: a group that was killed takes new commands", "[os][privileged]") {
    if (!has_kernel()) return;
    KillingKernel killing;
    for (os::Kernel* kernel : {&os::real_kernel(), static_cast<os::Kernel*>(&killing)}) {
        INFO("a kernel that kills: " << (kernel == &killing));
        KernelGroup group({}, *kernel);
        const Plan plan = group.job({});
        CHECK(group.run(plan, "exit 3") == exited(3));
        const auto child = group.enforcer().spawn(plan, shell("sleep 1000 & wait"));
        REQUIRE(child.ok());
        REQUIRE(group.enforcer().signal("job", SIGKILL) == Status());
        CHECK(group.enforcer().wait(*child).value() == signaled(SIGKILL));
        CHECK(group.run(plan, "exit 4") == exited(4));
        CHECK(group.run(plan, "exit 5") == exited(5));
        const auto none = group.enforcer().spawn(plan, {{"/no/such/program"}, {}, ""});
        CHECK(none.status().code() == StatusCode::kNotFound);
        CHECK(group.enforcer().remove("job") == Status());
    }
}

TEST_CASE("kernel: the manager leaves its group for a leaf, and comes back", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const InOwnGroupAfterwards afterwards;
    REQUIRE(group.enforcer().run(make_step("own")) == Status());
    CHECK_THAT(os::probe_cgroup(group.path() + "/own").reason,
               ContainsSubstring("none of the controllers"));
    for (const char* controller : {"memory", "pids"}) {
        REQUIRE(group.enforcer().run(enable_step("", controller)) == Status());
    }
    REQUIRE(group.enforcer().attach("own", ::getpid()) == Status());
    const std::string before = own_group();
    CHECK(os::probe_cgroup().directory == group.path() + "/own");
    CHECK(os::probe_cgroup().crowd.empty());
    {
        // A process beside this one: the place stays the same, without controllers for groups.
        Plan in_own;
        in_own.group = "own";
        const auto beside = group.enforcer().spawn(in_own, shell("exec sleep 100"));
        REQUIRE(beside.ok());
        const os::CgroupSupport support = os::probe_cgroup();
        CHECK(support.is_usable);
        CHECK(support.directory == group.path() + "/own");
        CHECK_THAT(support.crowd, ContainsSubstring("other processes"));
        CHECK(support.capabilities.controllers.empty());
        CHECK(group.enforcer().signal_child(*beside, SIGKILL) == Status());
        CHECK(group.enforcer().wait(*beside).ok());
    }
    {
        const auto enforcer = os::CgroupEnforcer::open(group.path() + "/own");
        INFO(enforcer.status().ToString());
        REQUIRE(enforcer.ok());
        Plan plan;
        plan.group = "job";
        plan.steps = {enable_step("", "memory"), enable_step("", "pids"), make_step("job"),
                      write_step("job", {"memory.max", "67108864"})};
        const auto applied = (*enforcer)->apply(plan);
        INFO(applied.status().ToString());
        REQUIRE(applied.ok());
        CHECK(own_group() == before + "/manager");
        CHECK((*enforcer)->recover().value() == std::vector<GroupState>{{"job", {}}});
        CHECK((*enforcer)->remove("job") == Status());
    }
    CHECK(own_group() == before);
    CHECK(groups_in(group.path() + "/own").empty());
}

TEST_CASE("kernel: a manager that would come back leaves a group made meanwhile its controllers",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const InOwnGroupAfterwards afterwards;
    REQUIRE(group.enforcer().run(make_step("own")) == Status());
    for (const char* controller : {"memory", "pids"}) {
        REQUIRE(group.enforcer().run(enable_step("", controller)) == Status());
    }
    REQUIRE(group.enforcer().attach("own", ::getpid()) == Status());
    const std::string before = own_group();
    const std::string own = group.path() + "/own";
    MakesGroupWhenOff kernel(own + "/late");
    {
        const auto enforcer = os::CgroupEnforcer::open(own, {}, kernel);
        REQUIRE(enforcer.ok());
        for (const char* controller : {"memory", "pids"}) {
            REQUIRE((*enforcer)->run(enable_step("", controller)) == Status());
        }
    }
    CHECK(own_group() == before + "/manager");
    CHECK(std::filesystem::exists(own + "/late/memory.max"));
    CHECK(std::filesystem::exists(own + "/late/pids.max"));
}

TEST_CASE("kernel: a later enforcer knows the leaf that this process was left in",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const InOwnGroupAfterwards afterwards;
    REQUIRE(group.enforcer().run(make_step("own")) == Status());
    REQUIRE(group.enforcer().run(enable_step("", "pids")) == Status());
    REQUIRE(group.enforcer().attach("own", ::getpid()) == Status());
    const std::string before = own_group();
    {
        const auto first = os::CgroupEnforcer::open(group.path() + "/own");
        REQUIRE(first.ok());
        REQUIRE((*first)->run(enable_step("", "pids")) == Status());
        REQUIRE((*first)->run(make_step("job")) == Status());
    }
    CHECK(own_group() == before + "/manager");
    {
        const auto second = os::CgroupEnforcer::open(group.path() + "/own");
        REQUIRE(second.ok());
        CHECK((*second)->recover().value() == std::vector<GroupState>{{"job", {}}});
        // Had remove killed this process, nobody would see the error: so it is asked last.
        for (const Status& status :
             {(*second)->freeze("manager/below"), (*second)->signal("manager", 0),
              (*second)->run(make_step("manager")), (*second)->run(make_step("manager/below")),
              (*second)->attach("manager", ::getpid()), (*second)->observe("manager").status(),
              (*second)->remove("manager")}) {
            CHECK(status.code() == StatusCode::kInvalidArgument);
            CHECK_THAT(std::string(message(status)), ContainsSubstring("this process is in"));
        }
        CHECK((*second)->remove("job") == Status());
    }
    CHECK(own_group() == before);
    CHECK(groups_in(group.path() + "/own").empty());
}

TEST_CASE("kernel: this process in the way of controllers is named, too", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const InOwnGroupAfterwards afterwards;
    REQUIRE(group.enforcer().run(enable_step("", "pids")) == Status());
    REQUIRE(group.enforcer().run(make_step("own")) == Status());
    REQUIRE(group.enforcer().attach("own", ::getpid()) == Status());
    const Status refused = group.enforcer().run(enable_step("own", "pids"));
    CHECK(refused.code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(std::string(message(refused)),
               ContainsSubstring("1 processes are in it (one is " + std::to_string(::getpid())));
}

TEST_CASE("kernel: foreign processes in the way are an error, and the group stays a domain",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    REQUIRE(group.enforcer().run(enable_step("", "cpu")) == Status());
    const Plan plan = group.job({});
    const auto child = group.enforcer().spawn(plan, shell("exec sleep 1000"));
    REQUIRE(child.ok());
    const Status refused = group.enforcer().run(enable_step("job", "cpu"));
    CHECK(refused.code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(std::string(message(refused)),
               ContainsSubstring("1 processes are in it (one is " + std::to_string(child->pid)));
    std::string type;
    std::ifstream(group.path() + "/job/cgroup.type") >> type;
    CHECK(type == "domain");
    CHECK(group.enforcer().remove("job") == Status());
    CHECK(group.enforcer().wait(*child).ok());
}

TEST_CASE("kernel: a command for a frozen group is an error in time, and no process",
          "[os][privileged]") {
    if (!has_kernel()) return;
    for (const auto method : {os::StartMethod::automatic, os::StartMethod::fork_and_move}) {
        KernelGroup group({.start = method});
        const Plan plan = group.job({});
        REQUIRE(group.enforcer().freeze("job") == Status());
        const auto hasty =
            os::CgroupEnforcer::open(group.path(), {.start = method, .patience = Seconds(1)});
        REQUIRE(hasty.ok());
        const auto child = (*hasty)->spawn(plan, shell("true"));
        CHECK(child.status().code() == StatusCode::kDeadlineExceeded);
        CHECK_THAT(std::string(message(child.status())),
                   ContainsSubstring("cannot execute sh: ") && ContainsSubstring("/job is frozen"));
        CHECK((::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD));
        CHECK(group.enforcer().thaw("job") == Status());
        CHECK(group.run(plan, "exit 4") == exited(4));
    }
}

}  // namespace trestle
