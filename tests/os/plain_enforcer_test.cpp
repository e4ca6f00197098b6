// SPDX-License-Identifier: Apache-2.0
// Starting, waiting and the settings between fork and exec: the same code as with groups.
#include "trestle/os/plain_enforcer.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <vector>

#include "machines/unpacked.hpp"
#include "os/plain_job.hpp"
#include "os/process/start_process.hpp"
#include "os/soon.hpp"
#include "support/catch.hpp"
#include "support/faulty_kernel.hpp"
#include "trestle/os/discover.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

/// A signal has this disposition until the end of the scope.
class ScopedDisposition {
  public:
    ScopedDisposition(int signal_number, void (*handler)(int))
        : number_(signal_number), before_(::signal(signal_number, handler)) {}
    ScopedDisposition(const ScopedDisposition&) = delete;
    ScopedDisposition& operator=(const ScopedDisposition&) = delete;
    ~ScopedDisposition() { ::signal(number_, before_); }

  private:
    int number_;
    void (*before_)(int);
};

bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) == 0 || errno != ECHILD; }

}  // namespace

TEST_CASE("PlainEnforcer: a command ends with its own exit code or signal", "[os]") {
    PlainJob job;
    CHECK(job.run(plain_shell("exit 0")).value() == exited(0));
    CHECK(job.run(plain_shell("exit 42")).value() == exited(42));
    CHECK(job.run(plain_shell("kill -9 $$")).value() == signaled(9));
    CHECK(job.run(plain_shell("kill -15 $$")).value() == signaled(15));
    CHECK_FALSE(has_children());
}

TEST_CASE("PlainEnforcer: a program that cannot be started is one line and no process", "[os]") {
    const TemporaryFolder folder;
    const std::string text_file = (folder.path() / "text").string();
    std::ofstream(text_file) << "no program";
    struct Row {
        const char* why;
        Command command;
        StatusCode code;
        std::string says;
    };
    const Command base = plain_shell("true");
    const auto of = [&](std::vector<std::string> arguments, std::string directory = "") {
        return Command{std::move(arguments), base.environment, std::move(directory)};
    };
    const Row rows[] = {
        {"not along PATH", of({"no-such-program"}), StatusCode::kNotFound,
         "cannot execute for no-such-program: No such file"},
        {"not at the path", of({"/no/such"}), StatusCode::kNotFound, "/no/such"},
        {"not executable", of({text_file}), StatusCode::kPermissionDenied, "Permission denied"},
        {"a folder", of({"/tmp"}), StatusCode::kPermissionDenied, "Permission denied"},
        {"no such directory", of({"true"}, "/no/such"), StatusCode::kNotFound,
         "cannot change to the directory"},
        {"no words", of({}), StatusCode::kInvalidArgument, "command: it is empty"},
        {"an empty word", of({""}), StatusCode::kInvalidArgument, "command: it is empty"},
        {"a NUL byte", of({"sh", std::string("a\0b", 3)}), StatusCode::kInvalidArgument, "NUL"},
    };
    PlainJob job;
    for (const Row& row : rows) {
        INFO(row.why);
        const auto child = job.enforcer.spawn(job.plan, row.command);
        REQUIRE_FALSE(child.ok());
        const std::string line(message(child.status()));
        CHECK(child.status().code() == row.code);
        CHECK_THAT(line, ContainsSubstring(row.says));
        CHECK(line.find('\n') == std::string::npos);
        CHECK_FALSE(has_children());
    }
    CHECK(job.enforcer.recover().value() == std::vector<GroupState>{{"job", {}}});
}

TEST_CASE("PlainEnforcer: settings fail as one line that says which", "[os]") {
    PlainJob job;
    job.plan.process.affinity.insert(OsIndex(500'000));
    CHECK_THAT(std::string(message(job.run(plain_shell("true")).status())),
               ContainsSubstring("cannot set CPU affinity for sh"));
    job.plan.process = {};
    constexpr std::uint64_t beyond_the_kernel = std::uint64_t{1} << 40;  // fs.nr_open
    job.plan.process.limits = {{ProcessSettings::Limit::Resource::nofile, 1, beyond_the_kernel}};
    CHECK_THAT(std::string(message(job.run(plain_shell("true")).status())),
               ContainsSubstring("cannot set resource limits for sh"));
    CHECK_FALSE(has_children());
}

TEST_CASE("PlainEnforcer: affinity, limits, environment and directory reach the command", "[os]") {
    PlainJob job;
    const auto node = os::discover();
    REQUIRE(node.ok());
    job.plan.process.affinity.insert(node->shape->hardware.cores.back().threads.back());
    CHECK(job.run(plain_shell("test $(nproc) = 1")).value() == exited(0));

    job.plan.process.limits = {{ProcessSettings::Limit::Resource::nofile, 33, 44},
                               {ProcessSettings::Limit::Resource::core, 0, 0}};
    CHECK(job.run(plain_shell("test $(ulimit -Sn) = 33")).value() == exited(0));
    CHECK(job.run(plain_shell("test $(ulimit -Hn) = 44")).value() == exited(0));

    job.plan.process.environment = {{"A", "from the plan"}};
    Command command =
        plain_shell("test \"$A\" = 'from the plan' && test \"$B\" = b && test -z \"$HOME\"");
    command.environment.push_back({"A", "from the command"});
    command.environment.push_back({"B", "b"});
    CHECK(job.run(command).value() == exited(0));

    command = plain_shell("test $(pwd) = /usr");
    command.directory = "/usr";
    CHECK(job.run(command).value() == exited(0));
}

TEST_CASE("PlainEnforcer: nothing of the parent leaks into the command", "[os]") {
    PlainJob job;
    const int fd = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC
    REQUIRE(fd > 2);
    CHECK(job.run(plain_shell("test ! -e /proc/self/fd/" + std::to_string(fd))).value() ==
          exited(0));
    ::close(fd);

    sigset_t term;
    sigset_t before;
    ::sigemptyset(&term);
    ::sigaddset(&term, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &term, &before);
    CHECK(job.run(plain_shell("grep -q 'SigBlk:.0000000000000000' /proc/self/status")).value() ==
          exited(0));
    sigset_t after;
    ::pthread_sigmask(SIG_SETMASK, &before, &after);
    CHECK(::sigismember(&after, SIGTERM) == 1);
    CHECK(::sigismember(&after, SIGUSR1) == 0);
}

namespace {

/// A child never comes to its program, and is out of reach of SIGKILL for a while, as one that is
/// stuck in a file system.
class StuckKernel final : public os::ForwardingKernel {
  public:
    StuckKernel() : ForwardingKernel(os::real_kernel()) {}
    pid_t clone3(clone_args* arguments, std::size_t size) override {
        const pid_t pid = ForwardingKernel::clone3(arguments, size);
        while (pid == 0) ::pause();
        return pid;
    }
    int kill(pid_t pid, int) override {
        pid_ = pid;
        return 0;
    }
    int waitid(idtype_t kind, id_t id, siginfo_t* info, int options) override {
        if ((options & WNOHANG) == 0) let_go();  // or nobody would come back from it
        return ForwardingKernel::waitid(kind, id, info, options);
    }
    void let_go() const { (void)::kill(pid_, SIGKILL); }
    [[nodiscard]] pid_t pid() const { return pid_; }

  private:
    pid_t pid_ = 0;
};

}  // namespace

TEST_CASE("start_process: a child that nothing ends is named, and reaped when it has ended",
          "[os]") {
    using namespace os::detail;
    StuckKernel kernel;
    ChildTable table(kernel);
    const auto image = ExecImage::of(plain_shell("exit 7"), {});
    REQUIRE(image.ok());
    StartPlace place{nullptr, os::StartMethod::automatic, kernel, Seconds(0)};
    place.unended = table.unended();
    place.kill_patience = Seconds(0);
    const Status status = start_process(*image, place).status();
    CHECK(status.code() == StatusCode::kDeadlineExceeded);
    CHECK_THAT(std::string(message(status)),
               ContainsSubstring("cannot execute sh within 0 s; process " +
                                 std::to_string(kernel.pid()) + " is left"));
    CHECK(table.unended()->size() == 1);
    kernel.let_go();
    CHECK(is_soon([&] { return table.unended()->empty(); }));
    CHECK_FALSE(has_children());
}

TEST_CASE("start_process: a broken pipe ends the command also where the parent ignores it",
          "[os]") {
    using namespace os::detail;
    const ScopedDisposition pipe(SIGPIPE, SIG_IGN);
    const ScopedDisposition file_size(SIGXFSZ, SIG_IGN);
    const ScopedDisposition hang_up(SIGHUP, SIG_IGN);  // as nohup does, for the command too
    const ScopedDisposition handled(SIGUSR1, [](int) {});
    const auto ignored_of = [](os::StartMethod method) {
        const auto image =
            ExecImage::of(plain_shell("mask=0x$(sed -n 's/SigIgn:.//p' /proc/self/status);"
                                      "test $((mask & 0x1001201)) = 1"),
                          {});
        auto process = start_process(*image, {nullptr, method});
        REQUIRE(process.ok());
        ChildTable table;
        const Child child = table.add({*std::move(process), "g", std::nullopt});
        return table.wait(child).value().number;
    };
    CHECK(ignored_of(os::StartMethod::automatic) == 0);
    CHECK(ignored_of(os::StartMethod::fork_and_move) == 0);
}

TEST_CASE("ChildTable: a wait that fails forgets the child only when no wait is possible", "[os]") {
    using namespace os::detail;
    FaultyKernel kernel;
    ChildTable table(kernel);
    const auto start = [&] {
        auto process = start_process(*ExecImage::of(plain_shell("exit 7"), {}), {});
        REQUIRE(process.ok());
        return table.add({*std::move(process), "g", std::nullopt});
    };
    const std::size_t second_errno = 1;  // of the errnos of waitid
    REQUIRE(errnos_of("waitid", "").at(second_errno) == EINVAL);

    Child child = start();
    kernel.set_fault(
        CallFault{0, second_errno, false});  // a pidfd that this kernel does not wait for
    CHECK(table.wait(child).value().number == 7);
    REQUIRE(kernel.calls().size() == 2);

    child = start();
    kernel.set_fault(CallFault{2, second_errno, true});
    CHECK(table.wait(child).status().code() == StatusCode::kInvalidArgument);
    CHECK(table.poll(child).status().code() == StatusCode::kInvalidArgument);
    kernel.set_fault(std::nullopt);
    CHECK(table.wait(child).value().number == 7);  // it was kept

    child = start();
    REQUIRE(::waitpid(static_cast<pid_t>(child.pid), nullptr, 0) == child.pid);
    const Status reaped = table.wait(child).status();
    CHECK_THAT(std::string(message(reaped)), ContainsSubstring("No child processes"));
    CHECK(table.pids_of("g").empty());
    CHECK(table.wait(child).status().code() == StatusCode::kNotFound);
}

TEST_CASE("PlainEnforcer: polling, signals and removal reach the children", "[os]") {
    PlainJob job;
    const auto child = job.enforcer.spawn(job.plan, plain_shell("exec sleep 1000"));
    REQUIRE(child.ok());
    CHECK(job.enforcer.poll(*child).value() == std::nullopt);
    CHECK(job.enforcer.recover().value() ==
          std::vector<GroupState>{{"job", {child->pid}, std::nullopt, true, false}});
    CHECK(job.enforcer.signal_child({"other", child->pid}, SIGTERM).code() ==
          StatusCode::kNotFound);
    CHECK(job.enforcer.signal_child(*child, 12345).code() == StatusCode::kInvalidArgument);
    CHECK(job.enforcer.signal_child(*child, SIGTERM) == Status());
    CHECK(job.enforcer.wait(*child).value() == signaled(SIGTERM));
    CHECK(job.enforcer.signal_child(*child, SIGTERM).code() == StatusCode::kNotFound);
    CHECK(job.enforcer.wait(*child).status().code() == StatusCode::kNotFound);

    const auto other = job.enforcer.spawn(job.plan, plain_shell("exec sleep 1000"));
    REQUIRE(other.ok());
    CHECK(job.enforcer.remove("job") == Status());
    CHECK(job.enforcer.remove("job") == Status());
    CHECK(job.enforcer.wait(*other).value() == signaled(SIGKILL));
    CHECK(job.enforcer.recover().value().empty());
    CHECK(job.enforcer.spawn(job.plan, plain_shell("true")).status().code() ==
          StatusCode::kNotFound);
}

TEST_CASE("PlainEnforcer: a process that ended and is not reaped does not count", "[os]") {
    PlainJob job;
    const auto child = job.enforcer.spawn(job.plan, plain_shell("exit 3"));
    REQUIRE(child.ok());
    siginfo_t info{};
    REQUIRE(::waitid(P_PID, static_cast<id_t>(child->pid), &info, WEXITED | WNOWAIT) == 0);
    CHECK(job.enforcer.recover().value() ==
          std::vector<GroupState>{{"job", {}, std::nullopt, false, false}});
    CHECK(job.enforcer.signal("job", SIGTERM) == Status());
    CHECK(job.enforcer.wait(*child).value() == exited(3));
}

TEST_CASE("PlainEnforcer: a number that was reaped elsewhere gets no signal", "[os]") {
    PlainJob job;
    const auto child = job.enforcer.spawn(job.plan, plain_shell("exit 0"));
    REQUIRE(child.ok());
    REQUIRE(::waitpid(static_cast<pid_t>(child->pid), nullptr, 0) == child->pid);
    CHECK(job.enforcer.signal("job", SIGTERM) == Status());
    CHECK(job.enforcer.recover().value() ==
          std::vector<GroupState>{{"job", {}, std::nullopt, false, false}});
    CHECK(job.enforcer.remove("job") == Status());
}

TEST_CASE("PlainEnforcer: best effort gives a shortfall for each resource, required an error",
          "[os]") {
    const auto node = os::discover();
    REQUIRE(node.ok());
    NodePlacement placement;
    placement.cores.insert(CoreId(0));
    placement.memory = {{DomainId(0), mib(64)}};
    Request request;
    request.memory = Range<Bytes>::exactly(mib(64));
    LimitPolicy policy;
    policy.requirements = Requirements::all(Requirement::best_effort);
    os::PlainEnforcer enforcer("there is no cgroup here");
    auto made = plan(*node, placement, request, policy, {.group = "a"});
    REQUIRE(made.ok());
    const auto applied = enforcer.apply(*made);
    REQUIRE(applied.ok());
    std::string short_of;
    for (const Shortfall& shortfall : applied->shortfalls) {
        short_of += shortfall.resource + " ";
        CHECK_THAT(shortfall.reason, ContainsSubstring("there is no cgroup here"));
    }
    CHECK(short_of == "cpu memory swap devices ");

    policy.requirements = Requirements{};
    made = plan(*node, placement, request, policy, {.group = "b"});
    REQUIRE(made.ok());
    const auto again = enforcer.apply(*made);
    CHECK(again.status().code() == StatusCode::kFailedPrecondition);
    CHECK(enforcer.recover().value() ==
          std::vector<GroupState>{{"a", {}, OwnerId(0), false, false}});
}

TEST_CASE("PlainEnforcer: what needs a group is refused with the reason", "[os]") {
    PlainJob job;
    CHECK_THAT(std::string(message(job.enforcer.freeze("job"))),
               ContainsSubstring("there is no cgroup here"));
    CHECK(job.enforcer.thaw("job").code() == StatusCode::kFailedPrecondition);
    CHECK(job.enforcer.attach("job", 1).code() == StatusCode::kFailedPrecondition);
    CHECK(job.enforcer.freeze("other").code() == StatusCode::kNotFound);
    CHECK_THAT(std::string(message(job.enforcer.events("job", {}).status())),
               ContainsSubstring("there is no cgroup here"));
    CHECK(job.enforcer.events("other", {}).status().code() == StatusCode::kNotFound);
    CHECK(job.enforcer.observe("job").value() == ResourceUsage{});
    CHECK(job.enforcer.observe("other").status().code() == StatusCode::kNotFound);
    Step step;
    step.group = "job";
    CHECK(job.enforcer.run(step).code() == StatusCode::kAlreadyExists);
    step.group = "missing/child";
    CHECK(job.enforcer.run(step).code() == StatusCode::kNotFound);
}

TEST_CASE("PlainEnforcer: the owner is kept, and what needs a group does not hold", "[os]") {
    PlainJob job;
    Step label{Step::LabelGroup{OwnerId(42)}, Requirement::require, "owner", "job"};
    CHECK(job.enforcer.run(label) == Status());
    CHECK(job.enforcer.recover().value() ==
          std::vector<GroupState>{{"job", {}, OwnerId(42), false, false}});
    label.group = "other";
    CHECK(job.enforcer.run(label).code() == StatusCode::kNotFound);

    const MemoryLimit limit{MemoryLimit::File::max, kib(4)};
    job.plan.steps = {{Step::SetLimit{limit}, Requirement::require, "memory", "job"}};
    CHECK(job.enforcer.verify(job.plan).value() ==
          std::vector<Drift>{{"memory", "memory.max", "4096", "", "there is no cgroup here"}});
    job.plan.group = "other";
    CHECK(job.enforcer.verify(job.plan).status().code() == StatusCode::kNotFound);
}

TEST_CASE("program_candidates: as execvp looks along PATH", "[os]") {
    using os::detail::program_candidates;
    using List = std::vector<std::string>;
    CHECK(program_candidates("ls", "/usr/bin:/bin") == List{"/usr/bin/ls", "/bin/ls"});
    CHECK(program_candidates("ls", "") == List{"./ls"});
    CHECK(program_candidates("ls", ":/bin:") == List{"./ls", "/bin/ls", "./ls"});
    CHECK(program_candidates("./ls", "/bin") == List{"./ls"});
    CHECK(program_candidates("/bin/ls", "/x") == List{"/bin/ls"});
}

TEST_CASE("start_process: with fork in place of clone3 all is the same", "[os]") {
    using namespace os::detail;
    const auto image = ExecImage::of(plain_shell("exit 7"), {});
    REQUIRE(image.ok());
    auto process = start_process(*image, {nullptr, os::StartMethod::fork_and_move});
    REQUIRE(process.ok());
    ChildTable table;
    const Child child = table.add({*std::move(process), "g", std::nullopt});
    const auto end = table.wait(child);
    REQUIRE(end.ok());
    CHECK(end->is_exit);
    CHECK(end->number == 7);
    const auto missing = ExecImage::of({{"/no/such"}, {}, ""}, {});
    CHECK(start_process(*missing, {nullptr, os::StartMethod::fork_and_move}).status().code() ==
          StatusCode::kNotFound);
    CHECK_FALSE(has_children());
}

}  // namespace trestle
