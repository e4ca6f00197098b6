// SPDX-License-Identifier: Apache-2.0
// As whom a process of a group runs, what it may become, and the settings between fork and exec, on
// a real kernel.
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "kernel_support.hpp"
#include "machines/unpacked.hpp"
#include "support/catch.hpp"
#include "trestle/enforce/task.hpp"
#include "trestle/os/plain_enforcer.hpp"
#include "trestle/os/program.hpp"

namespace trestle {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

constexpr std::uint32_t job_uid = 4321;
constexpr std::uint32_t job_gid = 4322;

bool is_root() {
    if (::geteuid() == 0) return true;
    WARN("SKIPPED: not root");
    return false;
}

ProcessUser job_user() {
    ProcessUser user;
    user.uid = job_uid;
    user.gid = job_gid;
    user.groups = {4400, 27};
    return user;
}

/// A copy of a program that runs as root whoever starts it.
std::string set_uid_copy(const TemporaryFolder& folder, const std::string& program) {
    fs::permissions(folder.path(), fs::perms::owner_all | fs::perms::others_exec |
                                       fs::perms::others_read | fs::perms::group_exec);
    const fs::path copy = folder.path() / program;
    fs::copy_file(fs::canonical("/bin/" + program), copy);
    REQUIRE(::chmod(copy.c_str(), 04755) == 0);
    return copy.string();
}

/// One word of /proc/self/status of a command, as `get Uid` and `get CapBnd`.
constexpr const char* reader =
    "get() { sed -n \"s/^$1:[[:space:]]*//p\" ${2:-/proc/self/status}; };";

}  // namespace

TEST_CASE("user: a root embedder's job is the user", "[os][privileged]") {
    if (!has_kernel() || !is_root()) return;
    KernelGroup group;
    Plan plan = group.job({});
    plan.process.user = job_user();
    const std::vector<std::string> scripts = {
        "test $(id -u) = 4321",
        "test $(id -g) = 4322",
        "test \"$(id -G)\" = '4322 27 4400'",
        std::string(reader) + "test \"$(get Uid)\" = '4321\t4321\t4321\t4321'",
        std::string(reader) + "test \"$(get Gid)\" = '4322\t4322\t4322\t4322'",
        std::string(reader) +
            "for set in Inh Prm Eff Bnd Amb; do "
            "test $(get Cap$set) = 0000000000000000 || exit 1; done",
        std::string(reader) + "test $(get NoNewPrivs) = 1",
        "! kill -0 1",
        "! echo x > /etc/passwd",
        "test $(cat /proc/self/cgroup | grep -c /job$) = 1",
    };
    for (const std::string& script : scripts) {
        INFO(script);
        CHECK(group.run(plan, script) == exited(0));
    }
    plan.process.user->groups.clear();
    CHECK(group.run(plan, "test \"$(id -G)\" = 4322") == exited(0));
    CHECK(::geteuid() == 0);
}

TEST_CASE("user: a set-uid program gains nothing", "[os][privileged]") {
    if (!has_kernel() || !is_root()) return;
    KernelGroup group;
    Plan plan = group.job({});
    const TemporaryFolder folder;
    const std::string root_cat = set_uid_copy(folder, "cat");
    const auto run = [&](const std::string& script) {
        Command command = shell("r=$(" + root_cat +
                                " /proc/self/status);"
                                "get() { echo \"$r\" | sed -n \"s/^$1:[[:space:]]*//p\"; };" +
                                script);
        const auto child = group.enforcer().spawn(plan, command);
        REQUIRE(message(child.status()) == "");
        return group.enforcer().wait(*child).value();
    };
    plan.process.user = job_user();
    CHECK(run("test \"$(get Uid)\" = '4321\t4321\t4321\t4321' && "
              "test $(get CapEff) = 0000000000000000") == exited(0));

    // Without no_new_privs it has the uid, and none of the capabilities.
    plan.process.user->no_new_privs = false;
    CHECK(run("test \"$(get Uid)\" = '4321\t0\t0\t0' && test $(get CapEff) = 0000000000000000 && "
              "test $(get CapPrm) = 0000000000000000") == exited(0));

    // What is kept can be gained.
    plan.process.user->capabilities = {ProcessUser::Capability::chown,
                                       ProcessUser::Capability::checkpoint_restore};
    CHECK(run("test $(get CapBnd) = 0000010000000001 && "
              "test $(get CapEff) = 0000010000000001") == exited(0));
}

TEST_CASE("user: root has the capabilities that are kept", "[os][privileged]") {
    if (!has_kernel() || !is_root()) return;
    KernelGroup group;
    Plan plan = group.job({});
    plan.process.user = ProcessUser{};
    plan.process.user->capabilities = {ProcessUser::Capability::kill,
                                       ProcessUser::Capability::dac_override};
    CHECK(group.run(plan, std::string(reader) +
                              "for set in Prm Eff Bnd; do "
                              "test $(get Cap$set) = 0000000000000022 || exit 1; done; "
                              "! mount -t tmpfs none /mnt") == exited(0));
    plan.process.user->capabilities.reset();
    CHECK(group.run(plan, std::string(reader) + "test $(get CapEff) = $(get CapBnd) && "
                                                "test $(get CapEff) != 0000000000000022") ==
          exited(0));
}

TEST_CASE("user: the directory is entered as the user", "[os][privileged]") {
    if (!has_kernel() || !is_root()) return;
    KernelGroup group;
    Plan plan = group.job({});
    plan.process.user = job_user();
    const TemporaryFolder folder;  // 0700, root's
    Command command = shell("true");
    command.directory = folder.path().string();
    const auto denied = group.enforcer().spawn(plan, command);
    CHECK(denied.status().code() == StatusCode::kPermissionDenied);
    CHECK_THAT(std::string(message(denied.status())),
               ContainsSubstring("cannot change to the directory for sh"));
    REQUIRE(::chown(folder.path().c_str(), job_uid, job_gid) == 0);
    const auto child = group.enforcer().spawn(plan, command);
    REQUIRE(message(child.status()) == "");
    CHECK(group.enforcer().wait(*child).value() == exited(0));
    CHECK(group.enforcer().recover().value() == std::vector<GroupState>{{"job", {}}});
}

TEST_CASE("settings: nice, oom_score_adj, umask, limits and memory policy are the command's",
          "[os][privileged]") {
    if (!has_kernel() || !is_root()) return;
    KernelGroup group;
    Plan plan = group.job({});
    plan.process.user = job_user();
    plan.process.nice = 7;
    plan.process.oom_score_adj = -300;
    plan.process.umask = 027;
    plan.process.memory_policy = MemoryPolicy{MemoryPolicy::Mode::bind, PuSet::of({OsIndex(0)})};
    plan.process.limits = {{ProcessSettings::Limit::Resource::nofile, 16, 16},
                           {ProcessSettings::Limit::Resource::core, 0, 0}};
    CHECK(group.run(plan, "test $(ulimit -n) = 16") == exited(0));
    plan.process.limits = {{ProcessSettings::Limit::Resource::nproc, 64, 64},
                           {ProcessSettings::Limit::Resource::memlock, 4096, 8192}};
    const std::vector<std::string> scripts = {
        "test $(cut -d' ' -f19 /proc/self/stat) = 7",
        "test $(cat /proc/self/oom_score_adj) = -300",
        "test $(umask) = 0027",
        "grep -q '^Max processes *64 *64' /proc/self/limits",
        "grep -q '^Max locked memory *4096 *8192' /proc/self/limits",
        "grep -q ' bind:0 ' /proc/self/numa_maps",
    };
    for (const std::string& script : scripts) {
        INFO(script);
        CHECK(group.run(plan, script) == exited(0));
    }
    struct Row {
        MemoryPolicy policy;
        const char* shown;
    };
    const auto node_0 = PuSet::of({OsIndex(0)});
    const Row rows[] = {{{MemoryPolicy::Mode::standard, {}}, " default "},
                        {{MemoryPolicy::Mode::local, {}}, " local "},
                        {{MemoryPolicy::Mode::interleave, node_0}, " interleave:0 "},
                        {{MemoryPolicy::Mode::preferred, node_0}, " prefer:0 "}};
    for (const Row& row : rows) {
        INFO(row.shown);
        plan.process.memory_policy = row.policy;
        CHECK(group.run(plan, std::string("grep -q '") + row.shown + "' /proc/self/numa_maps") ==
              exited(0));
    }
}

TEST_CASE("task_plan: each task of a job runs on its own CPUs", "[os][privileged]") {
    if (!has_kernel() || !is_root()) return;
    KernelGroup group;
    Plan plan = group.job({{"cpuset.cpus", "0-2"}});
    plan.process.affinity = PuSet::range({0, 3});
    for (const char* cpus : {"0", "1-2", "0,2"}) {
        const auto task = task_plan(plan, {*parse_set<PuSet>(cpus)});
        REQUIRE(task.ok());
        CHECK(group.run(*task, std::string(reader) + "test $(get Cpus_allowed_list) = " + cpus) ==
              exited(0));
    }
}

TEST_CASE("settings: each that fails is named, and nothing is left", "[os][privileged]") {
    if (!has_kernel() || !is_root()) return;
    KernelGroup group;
    const Plan plain = group.job({});
    struct Row {
        void (*change)(ProcessSettings&);
        StatusCode code;
        const char* says;
    };
    const Row rows[] = {
        {[](ProcessSettings& s) {
             s.memory_policy = MemoryPolicy{MemoryPolicy::Mode::bind, PuSet::of({OsIndex(63)})};
         },
         StatusCode::kInvalidArgument, "cannot set the memory policy for sh"},
        {[](ProcessSettings& s) { s.affinity.insert(OsIndex(100'000)); },
         StatusCode::kInvalidArgument, "cannot set CPU affinity for sh"},
        {[](ProcessSettings& s) {
             s.limits = {{ProcessSettings::Limit::Resource::nofile, 1, std::uint64_t{1} << 40}};
         },
         StatusCode::kPermissionDenied, "cannot set resource limits for sh"},
        {[](ProcessSettings& s) { s.nice = 20; }, StatusCode::kInvalidArgument, "nice: 20"},
    };
    for (const Row& row : rows) {
        INFO(row.says);
        Plan plan = plain;
        row.change(plan.process);
        const Status status = group.enforcer().spawn(plan, shell("true")).status();
        CHECK(status.code() == row.code);
        CHECK_THAT(std::string(message(status)), ContainsSubstring(row.says));
    }
    CHECK(group.enforcer().recover().value() == std::vector<GroupState>{{"job", {}}});
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

namespace {

/// What an embedder that is user 1000 is told: the message, or "" for a command that ran and left
/// with 0.
std::string told_as_user_1000(const ProcessSettings& settings, const std::string& script) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
        if (::setgroups(0, nullptr) != 0 || ::setgid(1000) != 0 || ::setuid(1000) != 0) ::_exit(3);
        os::PlainEnforcer enforcer("no cgroup");
        Plan plan;
        plan.group = "job";
        plan.process = settings;
        std::string told = "cannot make the group";
        if (enforcer.run(make_step("job")).ok()) {
            const auto child = enforcer.spawn(plan, shell(script));
            told = message(child.status());
            if (child.ok() && enforcer.wait(*child).value() != exited(0)) told = "it failed";
            if (!child.ok() && ::waitpid(-1, nullptr, 0) != -1) told = "a process is left";
        }
        (void)!::write(ends[1], told.data(), told.size());
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string told(4096, '\0');
    const auto size = ::read(ends[0], told.data(), told.size());
    ::close(ends[0]);
    told.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    int ended = 0;
    REQUIRE(::waitpid(pid, &ended, 0) == pid);
    REQUIRE(ended == 0);
    return told;
}

}  // namespace

TEST_CASE("user: an embedder that is not root may start a process as itself only",
          "[os][privileged]") {
    if (!is_root()) return;
    ProcessUser self;
    self.uid = 1000;
    self.gid = 1000;
    self.capabilities.reset();
    struct Row {
        void (*change)(ProcessUser&);
        const char* told;
    };
    const Row rows[] = {
        {[](ProcessUser&) {}, ""},
        {[](ProcessUser& user) { user.uid = 1001; },
         "cannot set the uid for sh: Operation not permitted"},
        {[](ProcessUser& user) { user.gid = 1001; },
         "cannot set the gid for sh: Operation not permitted"},
        {[](ProcessUser& user) { user.groups = {0}; },
         "cannot set the supplementary groups for sh: Operation not permitted"},
        {[](ProcessUser& user) { user.capabilities.emplace(); },
         "cannot drop capabilities from the bounding set for sh: Operation not permitted"},
    };
    for (const Row& row : rows) {
        ProcessSettings settings;
        settings.user = self;
        row.change(*settings.user);
        CHECK(told_as_user_1000(settings, std::string(reader) + "test $(id -u) = 1000 && "
                                                                "test $(get NoNewPrivs) = 1") ==
              row.told);
    }
    ProcessSettings settings;
    settings.nice = -5;
    CHECK_THAT(told_as_user_1000(settings, "true"), ContainsSubstring("set the nice value"));
    settings = {};
    settings.oom_score_adj = -1;
    CHECK_THAT(told_as_user_1000(settings, "true"), ContainsSubstring("set oom_score_adj"));
}

}  // namespace trestle
