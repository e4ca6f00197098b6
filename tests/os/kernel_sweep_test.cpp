// SPDX-License-Identifier: Apache-2.0
// System calls of a plan's life fail: nothing is left behind, or the error says what, and a healthy
// enforcer makes an end of it. Every second call, once or for good, with one errno of those that
// the kernel may give there, as the seed chooses. With TRESTLE_LONG in the environment every call,
// both ways, with all of them.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "enforce/detail/step_parts.hpp"
#include "machines/unpacked.hpp"
#include "os/kernel_support.hpp"
#include "os/loaded_filters.hpp"
#include "os/open_files.hpp"
#include "os/soon.hpp"
#include "support/catch.hpp"
#include "support/faulty_kernel.hpp"
#include "support/seed.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;
using os::CgroupEnforcer;
using os::CgroupOptions;

/// True when this process has a child that nobody reaped.
bool has_left_child() {
    siginfo_t info{};
    return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}

void reap_all() {
    while (::waitpid(-1, nullptr, __WALL) > 0) {
    }
}

std::string contents_of(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

Step best_effort_label(std::uint64_t owner) {
    return {Step::LabelGroup{OwnerId(owner)}, Requirement::best_effort, "owner", "job"};
}

constexpr std::uint32_t nobody = 65534;

/// Where the groups of the sweep have their scratch directories.
std::string scratch_root() {
    static const TemporaryFolder folder;
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));  // the job enters
    return folder.path().string();
}

/// Directories and marks that are left. The folder of marks may stay, it is of no one job.
std::size_t scratch_left() {
    const std::filesystem::recursive_directory_iterator there(
        scratch_root(), std::filesystem::directory_options::skip_permission_denied);
    const auto is_left = [](const auto& entry) { return entry.path().filename() != ".trestle"; };
    return static_cast<std::size_t>(std::count_if(begin(there), end(there), is_left));
}

Step scratch_step(const std::string& group) {
    return {Step::MakeScratch{{scratch_root(), group, nobody, nobody}}, Requirement::require,
            "scratch", group};
}

Plan small_plan() {
    Plan plan;
    plan.group = "job";
    plan.owner = OwnerId(7);
    plan.process.user = ProcessUser{nobody, nobody};
    plan.steps = {enable_step("", "cpuset"),
                  enable_step("", "memory"),
                  enable_step("", "pids"),
                  make_step("job"),
                  best_effort_label(7),
                  scratch_step("job"),
                  write_step("job", {"cpuset.cpus", "0"}),
                  write_step("job", {"memory.max", "67108864"}),
                  write_step("job", {"pids.max", "20"})};
    if (kernel_support().capabilities.no_device_filter.empty()) {
        DeviceAllowList list{pseudo_devices(), {}};
        list.files.push_back({{"/dev/null", Device::File::Kind::character, {}, {}},
                              DeviceRule::Access::read_write(),
                              DeviceAllowList::File::Presence::required,
                              "mem"});
        plan.steps.push_back(filter_step("job", list));
        plan.steps.push_back(filter_step("job", list));  // in place of the first
    }
    return plan;
}

/// Another owner, fewer processes, and CPUs and devices that the first has not.
Plan other_plan() {
    Plan plan = small_plan();
    plan.owner = OwnerId(8);
    for (Step& step : plan.steps) {
        if (auto* label = action_of<Step::LabelGroup>(step)) label->owner = OwnerId(8);
        if (file_of_step(step) == "pids.max") step.action = Step::SetLimit{PidsLimit{Count(10)}};
        if (file_of_step(step) == "cpuset.cpus" && ::sysconf(_SC_NPROCESSORS_ONLN) > 1) {
            step.action = Step::SetLimit{CpusLimit{PuSet::of({OsIndex(1)})}};
        }
        if (auto* load = action_of<Step::LoadFilter>(step)) {
            load->devices.files.front().file.path = "/dev/zero";
            load->devices.rules.rules.pop_back();
        }
    }
    return plan;
}

/// A process of nobody's, which waits for its end.
class Outsider {
  public:
    /// The handler of the tests for SIGTERM is not the child's, not even for a moment.
    Outsider() {
        sigset_t term;
        sigset_t before;
        ::sigemptyset(&term);
        ::sigaddset(&term, SIGTERM);
        ::pthread_sigmask(SIG_BLOCK, &term, &before);
        pid_ = ::fork();
        if (pid_ == 0) ::signal(SIGTERM, SIG_DFL);
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
        while (pid_ == 0) ::pause();
    }
    Outsider(const Outsider&) = delete;
    Outsider& operator=(const Outsider&) = delete;
    ~Outsider() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    [[nodiscard]] pid_t pid() const { return pid_; }
    /// True when the signal ends it, now or soon.
    [[nodiscard]] bool is_ended_by(int signal_number) const {
        siginfo_t info{};
        return is_soon([&] {
                   ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
                   return info.si_pid == pid_;
               }) &&
               info.si_status == signal_number;
    }

  private:
    pid_t pid_ = -1;
};

/// Where a life ended.
struct Life {
    std::string stage;
    Status status;
    std::string wrong;  ///< what does not hold although no call failed
};

/// Which of the plans holds in the group, by the files alone: 7 or 8, or 0 for a mixture.
int plan_in_force(const std::string& path) {
    const std::string pids = contents_of(path + "/job/pids.max");
    const std::string cpus = contents_of(path + "/job/cpuset.cpus");
    const auto holds = [&](const Plan& plan) {
        return std::all_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
            const std::string file = file_of_step(step), value = value_of_step(step);
            return (file != "pids.max" || value == pids) &&
                   (file != "cpuset.cpus" || value == cpus);
        });
    };
    return holds(small_plan()) ? 7 : holds(other_plan()) ? 8 : 0;
}

/// A command that leaves files in its scratch directory, also where it may not look itself.
Command leaves_files() {
    const std::string script = "mkdir -p " + scratch_root() + "/job/a/b && chmod 0 " +
                               scratch_root() + "/job/a/b && > " + scratch_root() + "/job/file";
    return {{"/bin/sh", "-c", script}, {{"PATH", "/usr/bin:/bin"}}, ""};
}

/// Patient, for a machine that is emulated and busy: only a group that is said to be busy for good
/// takes all of it.
CgroupOptions swept_options(os::StartMethod start) {
    return {.start = start, .patience = Seconds(30), .scratch_root = scratch_root()};
}

/// Apply, look, spawn, wait, take in, change, signal, stop and go on, remove: until the first
/// error.
Life live(FaultyKernel& kernel, const std::string& path, os::StartMethod start) {
    Life life;
    const auto enter = [&](const char* stage) {
        life.stage = stage;
        kernel.set_stage(stage);
    };
    const auto failed = [&](const Status& status) {
        life.status = status;
        return !status.ok();
    };
    enter("open");
    auto opened = CgroupEnforcer::open(path, swept_options(start), kernel);
    if (failed(opened.status())) return life;
    CgroupEnforcer& enforcer = **opened;
    enter("apply");
    const Plan plan = small_plan();
    if (failed(enforcer.apply(plan).status())) return life;
    if (contents_of(path + "/job/pids.max") != "20") life.wrong += "pids.max ";
    if (contents_of(path + "/job/cpuset.cpus.effective") != "0") life.wrong += "cpuset ";
    const bool has_filter = kernel_support().capabilities.no_device_filter.empty();
    if (has_filter && !filters_become(1)) life.wrong += "filter ";
    enter("events");
    const auto source = enforcer.events("job", {});
    if (failed(source.status())) return life;
    enter("spawn");
    const auto child = enforcer.spawn(plan, leaves_files());
    if (failed(child.status())) return life;
    enter("wait");
    const auto outcome = enforcer.wait(*child);
    if (failed(outcome.status())) return life;
    if (outcome->ending != Outcome::Ending::exited || outcome->exit_code != 0)
        life.wrong += "outcome ";
    enter("attach");
    const Outsider outsider;
    if (failed(enforcer.attach("job", outsider.pid()))) return life;
    enter("update");
    const PlanUpdate change = plan_update(plan, other_plan()).value();
    const auto updated = enforcer.update(change);
    const int holds = plan_in_force(path);
    const bool is_mixture = message(updated.status()).find("not taken back") != std::string::npos;
    if (holds != (updated.ok() ? 8 : 7) && !is_mixture) life.wrong += "update ";
    if (failed(updated.status())) return life;
    enter("verify");
    const auto drifts = enforcer.verify(other_plan());
    if (failed(drifts.status())) return life;
    const auto is_sound = [&] { return kernel.failed_with() == 0; };
    if (is_sound() && !drifts->empty()) life.wrong += "drift: " + to_text(drifts->front()) + " ";
    enter("signal");
    if (failed(enforcer.signal("job", SIGTERM))) return life;
    // No such process: somebody else has ended it, says the kernel.
    const bool is_sent = kernel.failed_with() != ESRCH;
    if (is_sent && !outsider.is_ended_by(SIGTERM)) life.wrong += "signal ";
    enter("read events");
    const auto events = (*source)->read();
    if (failed(events.status())) return life;
    if (is_sound() && events->empty()) life.wrong += "no event ";
    enter("freeze");
    if (failed(enforcer.freeze("job"))) return life;
    enter("thaw");
    if (failed(enforcer.thaw("job"))) return life;
    enter("recover");
    const auto found = enforcer.recover();
    if (failed(found.status())) return life;
    if (is_sound() && found->front().owner != OwnerId(8)) life.wrong += "owner ";
    enter("remove");
    if (failed(enforcer.remove("job"))) return life;
    enter("close");
    return life;
}

/// What a failed life left, brought to its end by an enforcer with a healthy kernel.
void make_an_end(const std::string& path) {
    auto healthy = CgroupEnforcer::open(path, swept_options(os::StartMethod::automatic));
    REQUIRE(healthy.ok());
    const auto left = (*healthy)->recover();
    REQUIRE(left.ok());
    for (const GroupState& state : *left) CHECK((*healthy)->remove(state.group) == Status());
    CHECK(groups_in(path).empty());
    CHECK(scratch_left() == 0);
    CHECK((*healthy)->apply(small_plan()).status() == Status());
    CHECK((*healthy)->remove("job") == Status());
}

/// Errors that come out as another one, or not as an error of the machine.
bool is_told_otherwise(const FaultyKernel& kernel) {
    const int error = kernel.failed_with();
    const CallMade& made = kernel.failed_call();
    if (made.stage == "open" || made.call == "faccessat") return true;
    if (made.call == "bpf" && error == E2BIG) return true;
    if (made.call == "pidfd_open" && (error == ESRCH || error == EINVAL)) return true;
    return error == ENOENT || error == ENOSYS || error == EAGAIN || error == ENODEV;
}

std::string said_of(const FaultyKernel& kernel, const CallFault& fault) {
    if (kernel.failed_with() == 0) return "no fault";
    return to_text(kernel.failed_call()) + ": " + std::strerror(kernel.failed_with()) +
           (fault.is_for_good ? " for good" : " once");
}

/// What a life with a fault has to leave behind it, and how its error has to read.
void check_end(const FaultyKernel& kernel, const Life& life, const std::string& path) {
    CHECK(life.wrong == "");
    const std::string text(message(life.status));
    const bool names_rest = text.find("left behind: job") != std::string::npos;
    if (life.status.ok()) {
        CHECK(groups_in(path).empty());
        CHECK(scratch_left() == 0);
        return;
    }
    if (!is_told_otherwise(kernel)) {
        CHECK_THAT(text, ContainsSubstring(std::strerror(kernel.failed_with())));
    }
    if (life.stage == "apply" || life.stage == "update") {
        CHECK_THAT(text, ContainsSubstring("step "));
    }
    if (life.stage == "apply") {
        if (!names_rest) CHECK(groups_in(path).empty());
        if (!names_rest) CHECK(scratch_left() == 0);
    }
    if (life.stage == "remove") CHECK(names_rest);
}

/// One life with one fault, in a root of its own.
void sweep_once(CgroupEnforcer& top, const std::string& name, CallFault fault,
                os::StartMethod start) {
    const std::string path = kernel_support().directory + "/" + name;
    REQUIRE(top.run(make_step(name)) == Status());
    const std::size_t files = open_files();
    FaultyKernel kernel;
    kernel.set_fault(fault);
    const Life life = live(kernel, path, start);
    INFO(said_of(kernel, fault));
    INFO("ended at " << life.stage << ": " << message(life.status));
    check_end(kernel, life, path);
    CHECK(open_files() == files);
    if (fault.choice == 0 || !groups_in(path).empty() || scratch_left() != 0) make_an_end(path);
    if (life.stage != "wait") CHECK_FALSE(has_left_child());
    reap_all();
    CHECK(top.remove(name) == Status());
    CHECK(open_files() == files);
    CHECK(filters_become(0));
}

/// The calls of a life, but not the same call to the same file twice. With `only`: of that stage.
void sweep(os::StartMethod start, const std::string& only) {
    KernelGroup group;
    CgroupEnforcer& top = group.above();
    const std::string name = group.name() + "/swept";
    for (const char* controller : {"cpuset", "memory", "pids"}) {
        REQUIRE(group.enforcer().run(enable_step("", controller)) == Status());
    }
    REQUIRE(top.run(make_step(name)) == Status());
    FaultyKernel healthy;
    const Life life = live(healthy, kernel_support().directory + "/" + name, start);
    INFO(life.stage << ": " << message(life.status));
    REQUIRE(life.status.ok());
    REQUIRE(life.wrong == "");
    REQUIRE(top.remove(name) == Status());
    const bool is_exhaustive = std::getenv("TRESTLE_LONG") != nullptr;
    INFO("seed " << test_seed());
    std::set<CallMade> swept;
    std::size_t lives = 0;
    for (std::size_t call = 0; call < healthy.calls().size(); ++call) {
        const CallMade& made = healthy.calls()[call];
        if (!only.empty() && made.stage != only) continue;
        if (!swept.insert(made).second) continue;
        if (!is_exhaustive && swept.size() % 2 != test_seed() % 2) continue;
        const std::size_t choices = errnos_of(made.call, made.path).size();
        for (std::size_t choice = 0; choice < choices; ++choice) {
            for (const bool is_for_good : {false, true}) {
                const std::size_t chosen = test_seed() + call;
                const bool is_chosen =
                    chosen % choices == choice && (chosen / choices % 2 == 0) == is_for_good;
                if (!is_exhaustive && !is_chosen) continue;
                sweep_once(top, name, {call, choice, is_for_good}, start);
                ++lives;
            }
        }
    }
    WARN(healthy.calls().size() << " calls, " << swept.size() << " different, " << lives
                                << " lives with one fault");
}

}  // namespace

TEST_CASE("kernel: whichever system call fails nothing is left behind", "[os][privileged]") {
    if (!has_kernel()) return;
    sweep(os::StartMethod::automatic, "");
}

TEST_CASE("kernel: whichever system call fails nothing is left behind when a child is moved",
          "[os][privileged]") {
    if (!has_kernel()) return;
    sweep(os::StartMethod::fork_and_move, "spawn");
}

}  // namespace trestle
