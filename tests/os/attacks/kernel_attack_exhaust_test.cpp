// SPDX-License-Identifier: Apache-2.0
// A job tries to outlive its end, to hide from it, and to take away what the manager needs.
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "os/attacks/attack_job.hpp"
#include "os/soon.hpp"

namespace trestle {
namespace {

std::size_t processes_of(KernelGroup& group) {
    const auto states = group.enforcer().recover();
    REQUIRE(states.ok());
    std::size_t count = 0;
    for (const GroupState& state : *states) count += state.processes.size();
    return count;
}

/// True when a process is in the group of this path, now or soon.
bool is_entered(const std::string& path) {
    return is_soon([&] {
        std::ifstream inside(path + "/cgroup.procs");
        std::int64_t pid = 0;
        return static_cast<bool>(inside >> pid);
    });
}

}  // namespace

TEST_CASE("attack: forking faster than the kill is of no use", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group({.patience = Seconds(120)});
    for (const char* act : {"storm", "churn"}) {
        for (const char* pids_max : {"100", "max"}) {
            INFO(act << ", pids.max " << pids_max);
            // Without a limit of processes that of memory ends the growth.
            (void)group.job(
                {{"pids.max", pids_max}, {"memory.max", "33554432"}, {"memory.swap.max", "0"}});
            const AttackJob storm(group, "job", Attacker::user, {act});
            CHECK(is_soon([&] {
                const auto usage = group.enforcer().observe("job");
                REQUIRE(usage.ok());
                return usage->pids > Count(30) || usage->oom_kills > Count(0);
            }));
            CHECK(group.enforcer().remove("job") == Status());
            CHECK(groups_in(group.path()).empty());
            CHECK(processes_of(group) == 0);
        }
    }
}

TEST_CASE("attack: root hides in groups of its own, and dies with the job", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    (void)group.job({{"memory.max", "134217728"}});
    const std::string job = group.path() + "/job";
    const std::vector<std::string> names = {"hidden", "manager", ".hidden", "memory.hidden"};
    std::vector<AttackJob> attacks;
    for (const std::string& name : names) {
        attacks.emplace_back(group, "job", Attacker::root,
                             std::vector<std::string>{"hide " + job + "/" + name});
        CHECK(is_entered(job + "/" + name));
    }
    attacks.emplace_back(group, "job", Attacker::root,
                         std::vector<std::string>{"hide " + job + "/hidden/deeper"});
    CHECK(is_entered(job + "/hidden/deeper"));
    CHECK(group.enforcer().remove("job") == Status());
    CHECK(groups_in(group.path()).empty());
    CHECK(processes_of(group) == 0);
}

TEST_CASE("attack: a job that has used up its processes and its memory stops no other",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan =
        group.job({{"pids.max", "50"}, {"memory.max", "33554432"}, {"memory.swap.max", "0"}});
    // The attack and its act are two of the 50.
    CHECK(answers_to(group, Attacker::user, {"fork 48", "fork 1"}) ==
          std::vector<std::string>{"done", "EAGAIN"});
    CHECK(processes_of(group) >= 48);
    const auto oom = group.enforcer().spawn(plan, shell("exec tail /dev/zero"));
    // Attaching and clone3 are refused by a full group; the manager itself goes on as before.
    if (oom.ok()) CHECK(group.enforcer().wait(*oom).ok());
    REQUIRE(group.enforcer().run(make_step("next")) == Status());
    Plan next = plan;
    next.group = "next";
    CHECK(group.run(next, "sh -c 'exit 4'").exit_code == 4);
    std::ifstream own("/proc/self/cgroup");
    std::string line;
    std::getline(own, line);
    CHECK(line.find(group.name()) == std::string::npos);  // in none of the constrained groups
    CHECK(group.enforcer().remove("job") == Status());
    CHECK(group.enforcer().remove("next") == Status());
    CHECK(groups_in(group.path()).empty());
}

TEST_CASE("attack: names that climb out of the root are refused by every call",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({});
    for (const std::string name : {"..", "../out", "job/..", "job/../../out", "/sys/fs/cgroup",
                                   "job//x", "./job", "job/.", "a\nb", "cgroup.procs", ".hidden"}) {
        INFO(name);
        Plan out = plan;
        out.group = name;
        auto& enforcer = group.enforcer();
        for (const Status& status :
             {enforcer.run(make_step(name)), enforcer.run(write_step(name, {"pids.max", "max"})),
              enforcer.run(enable_step(name, "pids")), enforcer.run(filter_step(name, {})),
              enforcer.spawn(out, shell("exit 0")).status(), enforcer.attach(name, ::getpid()),
              enforcer.signal(name, SIGKILL), enforcer.freeze(name), enforcer.thaw(name),
              enforcer.observe(name).status(), enforcer.remove(name)}) {
            CHECK(status.code() == StatusCode::kInvalidArgument);
        }
    }
}

/// The enforcer is not root, and neither is the job: it may do there whatever the enforcer may.
TEST_CASE("attack: a job of the manager's own user is held from outside only",
          "[os][privileged][guest-user]") {
    if (!has_kernel()) return;
    REQUIRE(::getuid() != 0);
    KernelGroup group;
    (void)group.job({{"memory.max", "67108864"}});
    REQUIRE(group.enforcer().run(make_step("other")) == Status());
    const std::string root = kernel_support().directory;
    const std::string above = root.substr(0, root.rfind('/'));
    struct Row {
        std::string act;
        const char* answer;
        const char* why;
    };
    const Row rows[] = {
        {"write " + group.path() + "/job/memory.max max", "done", "its limits are its user's"},
        {"mkdir " + group.path() + "/job/below", "done", "as are the groups"},
        {"write " + group.path() + "/other/cgroup.procs 0", "done", "it leaves for a neighbour"},
        {"kill " + std::to_string(::getpid()), "done", "it may kill the manager"},
        {"write " + above + "/cgroup.procs 0", "EACCES", "but not leave what was delegated"},
        {"write /sys/fs/cgroup/cgroup.procs 0", "EACCES", "nor go to the top"},
        {"write " + root + "/memory.max max", "EACCES", "nor raise the limit of all of it"},
        {"write " + root + "/cgroup.kill 1", "EACCES", "nor use what only the outside may"},
    };
    std::vector<std::string> acts;
    for (const Row& row : rows) acts.push_back(row.act);
    const auto answers = answers_to(group, Attacker::own_user, acts);
    for (std::size_t i = 0; i < acts.size(); ++i) {
        INFO(rows[i].act << ": " << rows[i].why);
        CHECK(answers[i] == rows[i].answer);
    }
    CHECK(group.enforcer().remove("job") == Status());
    CHECK(group.enforcer().remove("other") == Status());
}

}  // namespace trestle
