// SPDX-License-Identifier: Apache-2.0
// Beside systemd: in a unit with Delegate=yes, and below a scope that it is asked for.
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>

#include "os/kernel_support.hpp"
#include "os/soon.hpp"
#include "support/catch.hpp"
#include "support/codes.hpp"
#include "trestle/os/systemd_scope.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;
using os::CgroupEnforcer;
using os::ScopeOptions;
using os::SystemdScope;

/// True as root beside systemd with a writable cgroup v2; otherwise says why the test is skipped.
bool has_systemd() {
    if (!has_device_filters()) return false;
    const bool is_there = std::filesystem::exists("/run/systemd/system");
    if (!is_there) WARN("SKIPPED: systemd does not run here");
    return is_there;
}

std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool is_done(const std::string& command) { return std::system(command.c_str()) == 0; }

/// What can be written in the group, and holds a setting. Processes come and go, and what groups
/// below may have is the one thing that is the delegate's to say.
std::map<std::string, std::string> settings_of(const std::string& directory) {
    std::map<std::string, std::string> settings;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
        const std::string name = entry.path().filename().string();
        using std::filesystem::perms;
        constexpr perms both = perms::owner_read | perms::owner_write;
        const bool is_setting = (entry.status().permissions() & both) == both;
        const bool is_ours =
            name == "cgroup.procs" || name == "cgroup.threads" || name == "cgroup.subtree_control";
        if (!entry.is_regular_file() || !is_setting || is_ours) continue;
        if (name.ends_with(".pressure") || name.ends_with(".peak")) continue;
        settings[name] = contents(entry.path());
    }
    return settings;
}

/// Limits of each kind, and no device but /dev/null.
Plan limited_plan() {
    DeviceRules null_only;
    null_only.add({Device::File::Kind::character, 1, 3, DeviceRule::Access::all()});
    Plan plan;
    plan.group = "job";
    plan.steps = {enable_step("", "memory"),
                  enable_step("", "pids"),
                  enable_step("", "cpuset"),
                  make_step("job"),
                  write_step("job", {"memory.max", "67108864"}),
                  write_step("job", {"pids.max", "20"}),
                  write_step("job", {"cpuset.cpus", "1"}),
                  filter_step("job", {null_only, {}})};
    return plan;
}

Outcome run_in(CgroupEnforcer& enforcer, const Plan& plan, const std::string& script) {
    const auto child = enforcer.spawn(plan, shell(script));
    INFO(script << ": " << child.status().ToString());
    REQUIRE(child.ok());
    const auto outcome = enforcer.wait(*child);
    REQUIRE(outcome.ok());
    return *outcome;
}

/// The limits of limited_plan() hold.
void check_limited(CgroupEnforcer& enforcer, const Plan& plan, const std::string& directory) {
    CHECK(contents(directory + "/job/memory.max") == "67108864\n");
    CHECK(contents(directory + "/job/pids.max") == "20\n");
    CHECK(contents(directory + "/job/cpuset.cpus.effective") == "1\n");
    CHECK(run_in(enforcer, plan, "echo > /dev/null && ! echo 2>&- > /dev/full") ==
          exited(0, Count(0)));
    CHECK(run_in(enforcer, plan, "test $(nproc) = 1") == exited(0, Count(0)));
}

ScopeOptions scope_named(const std::string& unit) {
    ScopeOptions options;
    options.unit = unit;
    return options;
}

SystemdScope started(const ScopeOptions& options) {
    auto scope = SystemdScope::start(options);
    INFO(scope.status().ToString());
    REQUIRE(scope.ok());
    return *std::move(scope);
}

/// Waits, for it takes systemd a moment to see that a group is empty.
bool goes_away(const std::string& path) {
    return is_soon([&] { return !std::filesystem::exists(path); });
}

}  // namespace

TEST_CASE("SystemdScope: names, libraries and buses that are not there are errors with a reason",
          "[os][systemd]") {
    for (const char* unit : {"", ".scope", "job.service", "a b.scope", "a/b.scope", "a\n.scope"}) {
        INFO(unit);
        const Status status = SystemdScope::start(scope_named(unit)).status();
        CHECK(status.code() == StatusCode::kInvalidArgument);
    }
    ScopeOptions options = scope_named("trestle_test.scope");
    options.slice = "batch";
    CHECK(SystemdScope::start(options).status().code() == StatusCode::kInvalidArgument);
    options.slice = "";
    options.library_folder = "/nowhere";
    const Status without = SystemdScope::start(options).status();
    CHECK(without.code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(without.ToString(), ContainsSubstring("no such library"));
    CHECK(SystemdScope::adopt(options).status().code() == StatusCode::kFailedPrecondition);
    if (std::filesystem::exists("/run/dbus/system_bus_socket")) return;
    options.library_folder = "";
    const Status no_bus = SystemdScope::start(options).status();
    CHECK(no_bus.code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(no_bus.ToString(), ContainsSubstring("trestle_test.scope: no "));
}

TEST_CASE("kernel: in a unit with Delegate=yes the unit's own settings stay systemd's",
          "[os][privileged][guest-systemd]") {
    if (!has_systemd()) return;
    const std::string unit = kernel_support().directory;
    const auto before = settings_of(unit);
    REQUIRE(before.contains("memory.max"));
    {
        auto enforcer = CgroupEnforcer::open(unit);
        REQUIRE(enforcer.ok());
        const Plan plan = limited_plan();
        const auto applied = (*enforcer)->apply(plan);
        INFO(applied.status().ToString());
        REQUIRE(applied.ok());
        CHECK(contents(unit + "/cgroup.procs").empty());
        CHECK(contents(unit + "/manager/cgroup.procs") == std::to_string(::getpid()) + "\n");
        check_limited(**enforcer, plan, unit);
        CHECK(settings_of(unit) == before);

        // systemd writes its settings again, and ours are not among them.
        REQUIRE(is_done("systemctl daemon-reload"));
        check_limited(**enforcer, plan, unit);
        CHECK(settings_of(unit) == before);
        CHECK((*enforcer)->remove("job") == Status());
    }
    CHECK(groups_in(unit).empty());
    CHECK(settings_of(unit) == before);
}

TEST_CASE("kernel: a scope is made, held open, reloaded without loss, and stopped",
          "[os][privileged][guest-systemd]") {
    if (!has_systemd()) return;
    SystemdScope scope = started(scope_named("trestle_test.scope"));
    CHECK(scope.unit() == "trestle_test.scope");
    CHECK(scope.directory() == "/sys/fs/cgroup/system.slice/trestle_test.scope/jobs");
    const std::string above = std::filesystem::path(scope.directory()).parent_path();
    const auto before = settings_of(above);
    CHECK(contents(above + "/pids.max") == "max\n");
    CHECK(contents(above + "/cgroup.procs").empty());
    auto enforcer = CgroupEnforcer::open(scope.directory());
    REQUIRE(enforcer.ok());
    CHECK((*enforcer)->recover()->empty());
    const Plan plan = limited_plan();
    const auto applied = (*enforcer)->apply(plan);
    INFO(applied.status().ToString());
    REQUIRE(applied.ok());
    check_limited(**enforcer, plan, scope.directory());
    REQUIRE(is_done("systemctl daemon-reload"));
    check_limited(**enforcer, plan, scope.directory());
    CHECK(settings_of(above) == before);

    const auto again = SystemdScope::start(scope_named("trestle_test.scope"));
    CHECK(again.status().code() == StatusCode::kAlreadyExists);
    CHECK_THAT(again.status().ToString(), ContainsSubstring("org.freedesktop.systemd1.UnitExists"));

    const auto child = (*enforcer)->spawn(plan, shell("trap '' TERM; while :; do sleep 60; done"));
    REQUIRE(child.ok());
    CHECK(scope.stop() == Status());
    CHECK_FALSE(std::filesystem::exists(above));
    const auto outcome = (*enforcer)->wait(*child);
    REQUIRE(outcome.ok());
    CHECK(outcome->signal_number == SIGKILL);
    CHECK(scope.stop() == Status());
}

namespace {

/// Shared with children, which say there whether they were forked with signals held: 1, else 2.
int* held_in_child = nullptr;

void tell_held() {
    if (held_in_child == nullptr) return;
    sigset_t held;
    (void)::pthread_sigmask(SIG_BLOCK, nullptr, &held);
    *held_in_child = ::sigismember(&held, SIGUSR1) == 1 ? 1 : 2;
}

}  // namespace

TEST_CASE("kernel: no handler of the program runs in the process that holds a scope open",
          "[os][privileged][guest-systemd]") {
    if (!has_systemd()) return;
    void* shared =
        ::mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(shared != MAP_FAILED);
    REQUIRE(::pthread_atfork(nullptr, nullptr, tell_held) == 0);
    held_in_child = static_cast<int*>(shared);
    SystemdScope scope = started(scope_named("trestle_test.scope"));
    CHECK(*held_in_child == 1);
    held_in_child = nullptr;
    CHECK(::munmap(shared, sizeof(int)) == 0);
    CHECK(scope.stop() == Status());
}

TEST_CASE("kernel: a scope without holder goes away with its last job",
          "[os][privileged][guest-systemd]") {
    if (!has_systemd()) return;
    std::optional<SystemdScope> scope = started(scope_named("trestle_test.scope"));
    const std::string directory = scope->directory();
    auto enforcer = CgroupEnforcer::open(directory);
    REQUIRE(enforcer.ok());
    REQUIRE((*enforcer)->apply(limited_plan()).ok());
    const auto child = (*enforcer)->spawn(limited_plan(), shell("exec sleep 600"));
    REQUIRE(child.ok());
    CHECK(scope->abandon() == Status());
    scope.reset();
    REQUIRE(is_done("systemctl daemon-reload"));  // it has seen all that was before
    CHECK(std::filesystem::exists(directory + "/job"));
    CHECK((*enforcer)->signal("job", SIGKILL) == Status());
    CHECK(goes_away(directory));
    CHECK((*enforcer)->wait(*child).ok());
    CHECK(SystemdScope::adopt(scope_named("trestle_test.scope")).status().code() ==
          StatusCode::kNotFound);
}

TEST_CASE("kernel: the next scheduler adopts the scope of one that was killed",
          "[os][privileged][guest-systemd]") {
    if (!has_systemd()) return;
    const pid_t scheduler = ::fork();
    if (scheduler == 0) {
        auto scope = SystemdScope::start(scope_named("trestle_test.scope"));
        if (!scope.ok()) ::_exit(1);
        auto enforcer = CgroupEnforcer::open(scope->directory());
        if (!enforcer.ok() || !(*enforcer)->apply(limited_plan()).ok()) ::_exit(2);
        if (!(*enforcer)->spawn(limited_plan(), shell("exec sleep 600")).ok()) ::_exit(3);
        ::_exit(0);  // without a destructor, as killed
    }
    int status = -1;
    REQUIRE(::waitpid(scheduler, &status, 0) == scheduler);
    REQUIRE(status == 0);
    auto scope = SystemdScope::adopt(scope_named("trestle_test.scope"));
    INFO(scope.status().ToString());
    REQUIRE(scope.ok());
    auto enforcer = CgroupEnforcer::open(scope->directory());
    REQUIRE(enforcer.ok());
    const auto groups = (*enforcer)->recover();
    REQUIRE(groups.ok());
    REQUIRE(groups->size() == 1);
    CHECK(groups->front().group == "job");
    CHECK(groups->front().processes.size() == 1);
    check_limited(**enforcer, limited_plan(), scope->directory());
    CHECK((*enforcer)->remove("job") == Status());
    CHECK(std::filesystem::exists(scope->directory()));  // held by the new keeper
    CHECK(scope->stop() == Status());
}

TEST_CASE("kernel: the name of a scope that failed can be used again",
          "[os][privileged][guest-systemd]") {
    if (!has_systemd()) return;
    REQUIRE_FALSE(
        is_done("systemd-run --quiet --scope --unit=trestle_test.scope "
                "--property=RuntimeMaxSec=1 sleep 600"));
    CHECK(is_soon([] { return is_done("systemctl --quiet is-failed trestle_test.scope"); }));
    ScopeOptions options = scope_named("trestle_test.scope");
    options.slice = "trestle_test.slice";
    SystemdScope scope = started(options);
    CHECK(scope.directory() == "/sys/fs/cgroup/trestle_test.slice/trestle_test.scope/jobs");
    CHECK(scope.stop() == Status());
}

}  // namespace trestle
