// SPDX-License-Identifier: Apache-2.0
// A job tries to leave its group, to raise its limits, and to reach what is outside.
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "os/attacks/attack_job.hpp"
#include "os/soon.hpp"

namespace trestle {
namespace {

/// The group that this process is in, by its path in the file system.
std::string group_of_manager() {
    std::ifstream file("/proc/self/cgroup");
    std::string line;
    std::getline(file, line);
    return "/sys/fs/cgroup" + (line == "0::/" ? "" : line.substr(3));
}

bool holds(const KernelGroup& group, const std::string& name, std::int64_t pid) {
    std::ifstream file(group.path() + "/" + name + "/cgroup.procs");
    for (std::int64_t inside = 0; file >> inside;) {
        if (inside == pid) return true;
    }
    return false;
}

Command as_user(std::vector<std::string> arguments) {
    Command command = shell("");
    command.arguments = {"setpriv", "--reuid=1000", "--regid=1000", "--clear-groups"};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    return command;
}

/// A job with every limit, and beside it the group `other` with a process of the same user.
class JobAndNeighbour {
  public:
    JobAndNeighbour() {
        plan = group.job({{"memory.max", "134217728"},
                          {"memory.swap.max", "0"},
                          {"pids.max", "64"},
                          {"cpuset.cpus", "0"},
                          {"cpu.max", "100000 100000"}});
        REQUIRE(group.enforcer().run(make_step("other")) == Status());
        Plan beside = plan;
        beside.group = "other";
        const auto child = group.enforcer().spawn(beside, as_user({"sleep", "1000"}));
        REQUIRE(child.ok());
        neighbour = *child;
        // Between the change of its user and its program it may not even be traced by that user.
        REQUIRE(is_soon(
            [&] { return user_of(neighbour.pid) == 1000 && name_of(neighbour.pid) == "sleep"; }));
    }

    KernelGroup group;
    Plan plan;
    Child neighbour;

  private:
    static unsigned user_of(std::int64_t pid) {
        std::ifstream status("/proc/" + std::to_string(pid) + "/status");
        for (std::string word; status >> word;) {
            unsigned user = 0;
            if (word == "Uid:" && status >> user) return user;
        }
        return 0;
    }
    static std::string name_of(std::int64_t pid) {
        std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
        std::string name;
        std::getline(file, name);
        return name;
    }
};

}  // namespace

TEST_CASE("attack: a job that is not root stays in its group", "[os][privileged]") {
    if (!has_kernel()) return;
    JobAndNeighbour two;
    const std::string own = two.group.path();
    const OpenFolder folder;
    std::filesystem::create_directory(folder.path("mount"));
    const std::string mount = folder.path("mount");
    check_attacks(
        two.group,
        {{"write " + own + "/other/cgroup.procs 0", "EACCES", "EACCES", "done", "to a neighbour"},
         {"write " + group_of_manager() + "/cgroup.procs 0", "EACCES", "EACCES", "done",
          "to the manager's own group"},
         {"write /sys/fs/cgroup/cgroup.procs 0", "EACCES", "EACCES", "done", "to the very top"},
         {"write " + own + "/other/cgroup.threads 0", "EACCES", "EACCES", "EOPNOTSUPP",
          "one thread of it: only inside a threaded group"},
         {"clone_into " + own + "/other", "EACCES", "EACCES", "done", "a child to a neighbour"},
         {"cgroupfs " + mount + " cgroup.procs 0", "EPERM", "EACCES", "done",
          "over a mount of its own; that of a namespace ends at the own group"},
         {"chmod " + own + "/other/cgroup.procs", "EPERM", "EPERM", "done", "by another mode"},
         {"unshare user", "done", "done", "done", "stays inside, see below"},
         {"unshare cgroup", "EPERM", "done", "done", "stays inside, see below"},
         {"setsid", "done", "done", "done", "stays inside, see below"}});
}

TEST_CASE("attack: namespaces, sessions and daemons stay in the group, and die with it",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({});
    for (const char* leave :
         {"setsid sh -c 'sleep 1000 & sleep 1000 &'", "unshare --user sleep 1000 &",
          "unshare --user --map-root-user --cgroup --mount --pid --fork sleep 1000 &",
          "nohup setsid unshare --user --map-root-user sh -c '(sleep 1000 &)' &"}) {
        INFO(leave);
        const std::string script = std::string(leave) + " exit 0";
        const auto child = group.enforcer().spawn(
            plan, as_user({"sh", "-c", "{ " + script + "; } >/dev/null 2>&1"}));
        REQUIRE(child.ok());
        CHECK(group.enforcer().wait(*child)->exit_code == 0);
    }
    std::vector<std::int64_t> pids;
    CHECK(is_soon([&] {
        const auto left = group.enforcer().recover();
        REQUIRE(left.ok());
        REQUIRE(left->size() == 1);
        pids = left->front().processes;
        return pids.size() >= 5;
    }));
    CHECK(group.enforcer().remove("job") == Status());
    // A group is empty a moment before its last process is a zombie.
    for (const std::int64_t pid : pids) {
        CHECK(is_soon([&] { return !is_running(pid); }));
    }
    CHECK(groups_in(group.path()).empty());
}

TEST_CASE("attack: a job that is not root cannot raise its limits", "[os][privileged]") {
    if (!has_kernel()) return;
    JobAndNeighbour two;
    const std::string job = two.group.path() + "/job";
    check_attacks(two.group,
                  {{"write " + job + "/memory.max max", "EACCES", "EACCES", "done", "its memory"},
                   {"write " + job + "/pids.max max", "EACCES", "EACCES", "done", "its processes"},
                   {"write " + job + "/cpuset.cpus 1", "EACCES", "EACCES", "done", "its CPUs"},
                   {"write " + two.group.path() + "/memory.max max", "EACCES", "EACCES", "done",
                    "the limit above it"},
                   {"affinity 2", "EINVAL", "EINVAL", "EINVAL", "a CPU outside of its set (now 1)"},
                   {"mkdir " + job + "/below", "EACCES", "EACCES", "done", "groups of its own"},
                   {"mkdir " + two.group.path() + "/beside", "EACCES", "EACCES", "done",
                    "a group without limits"},
                   {"write " + job + "/cgroup.subtree_control +memory", "EACCES", "EACCES", "EBUSY",
                    "controllers, while it is inside"},
                   {"write " + job + "/cgroup.type threaded", "EACCES", "EACCES", "EOPNOTSUPP",
                    "another type of group: not where domain controllers are"},
                   {"write " + job + "/cgroup.freeze 0", "EACCES", "EACCES", "done", "thaw itself"},
                   {"write " + two.group.path() + "/other/cgroup.kill 1", "EACCES", "EACCES",
                    "done", "kill its neighbours"},
                   {"symlink /tmp " + job + "/link", "EACCES", "EACCES", "EPERM",
                    "the tree of groups has no links"},
                   {"nofile", "EPERM", "EPERM", "done", "a hard limit of the process"},
                   {"nice", "EACCES", "EACCES", "done", "be preferred"},
                   {"write /proc/self/oom_score_adj -1000", "EACCES", "EACCES", "done",
                    "be the last to be killed"}});
    // The neighbour was killed by root above, nobody else could.
    CHECK(two.group.enforcer().wait(two.neighbour)->signal_number == SIGKILL);
}

TEST_CASE("attack: other users are out of reach, processes of the same user are not",
          "[os][privileged]") {
    if (!has_kernel()) return;
    JobAndNeighbour two;
    Plan beside = two.plan;
    beside.group = "other";
    const auto foreign = two.group.enforcer().spawn(beside, shell("exec sleep 1000"));
    REQUIRE(foreign.ok());
    const std::string manager = std::to_string(::getpid());
    const std::string root_process = std::to_string(foreign->pid);
    const std::string same_user = std::to_string(two.neighbour.pid);
    check_attacks(two.group,
                  {{"kill " + manager, "EPERM", "EPERM", "done", "the manager"},
                   {"ptrace " + manager, "EPERM", "EPERM", "done", "the manager"},
                   {"ptrace " + root_process, "EPERM", "EPERM", "done", "a job of root"},
                   {"kill " + same_user, "done", "done", "done",
                    "a job of the same user: users keep jobs apart, groups do not"},
                   {"ptrace " + same_user, "done", "EPERM", "done",
                    "the same, but its namespace is not the attacker's"},
                   {"write /proc/" + manager + "/oom_score_adj 1000", "EACCES", "EACCES", "done",
                    "have the manager killed first"},
                   {"setuid", "EPERM", "done", "done", "root of a namespace is root already"}});
    std::ofstream("/proc/self/oom_score_adj") << 0 << std::flush;
}

TEST_CASE("attack: real root leaves its group, and is then no longer held", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({{"memory.max", "67108864"}});
    REQUIRE(group.enforcer().run(make_step("other")) == Status());
    const auto child = group.enforcer().spawn(
        plan, shell("echo $$ > " + group.path() + "/other/cgroup.procs; exec sleep 1000"));
    REQUIRE(child.ok());
    CHECK(is_soon([&] { return holds(group, "other", child->pid); }));
    CHECK(group.enforcer().remove("job") == Status());
    CHECK(group.enforcer().poll(*child).value() == std::nullopt);  // it lives on
    CHECK(group.enforcer().remove("other") == Status());
    CHECK(group.enforcer().wait(*child)->signal_number == SIGKILL);
}

}  // namespace trestle
