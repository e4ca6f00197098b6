// SPDX-License-Identifier: Apache-2.0
// A real kernel that has changed behind the plan's back, managers that are killed, and others that
// do the same at the same time.
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "enforce/detail/step_parts.hpp"
#include "os/attacks/attack_job.hpp"
#include "os/kernel_support.hpp"
#include "os/soon.hpp"
#include "support/catch.hpp"
#include "support/faulty_kernel.hpp"
#include "trestle/enforce/device/device_filter.hpp"
#include "trestle/enforce/plan_update.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;
using os::CgroupEnforcer;

void put(const std::string& path, const std::string& value) {
    std::ofstream(path) << value << std::flush;
}

std::string line_of(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

/// Takes CPU 3 offline for a while, and waits for it to leave the set of this group, and to come
/// back: older kernels tell cpusets in the background.
class GroupWithoutCpu3 {
  public:
    explicit GroupWithoutCpu3(const std::string& group)
        : effective_(group + "/cpuset.cpus.effective"), before_(line_of(effective_)) {
        put(file_, "0");
        is_offline_ = line_of(file_) == "0" && is_soon([this] { return !is_as_before(); });
    }
    GroupWithoutCpu3(const GroupWithoutCpu3&) = delete;
    GroupWithoutCpu3& operator=(const GroupWithoutCpu3&) = delete;
    ~GroupWithoutCpu3() {
        put(file_, "1");
        CHECK(is_soon([this] { return is_as_before(); }));
    }

    [[nodiscard]] bool is_offline() const { return is_offline_; }

  private:
    [[nodiscard]] bool is_as_before() const { return line_of(effective_) == before_; }

    std::string file_ = "/sys/devices/system/cpu/cpu3/online";
    std::string effective_;
    std::string before_;
    bool is_offline_ = false;
};

Plan plan_for_cpu(const std::string& cpus) {
    Plan plan;
    plan.group = "job";
    plan.steps = {enable_step("", "cpuset"), make_step("job"),
                  write_step("job", {"cpuset.cpus", cpus})};
    return plan;
}

/// A filter that nobody has seen, allowing all pseudo-devices.
Plan plan_with_filter() {
    Plan plan;
    plan.group = "job";
    plan.steps = {make_step("job"), filter_step("job", {pseudo_devices(), {}})};
    return plan;
}

bpf_attr no_attributes() {
    bpf_attr attributes;
    std::memset(&attributes, 0, sizeof attributes);
    return attributes;
}

/// Attaches a program that denies all devices, as somebody else would; false where it cannot.
bool attach_foreign(const std::string& group, std::uint32_t flags) {
    const auto program = compile_filter({});
    REQUIRE(program.ok());
    bpf_attr load = no_attributes();
    load.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
    load.insn_cnt = static_cast<std::uint32_t>(program->size());
    load.insns = std::bit_cast<std::uintptr_t>(program->data());
    const char* license = "Apache-2.0";
    load.license = std::bit_cast<std::uintptr_t>(license);
    const int fd = static_cast<int>(::syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof load));
    const int directory = ::open(group.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bpf_attr attach = no_attributes();
    attach.target_fd = static_cast<std::uint32_t>(directory);
    attach.attach_bpf_fd = static_cast<std::uint32_t>(fd);
    attach.attach_type = BPF_CGROUP_DEVICE;
    attach.attach_flags = flags;
    const bool is_attached = ::syscall(SYS_bpf, BPF_PROG_ATTACH, &attach, sizeof attach) == 0;
    ::close(fd);
    ::close(directory);
    return is_attached;
}

std::size_t device_program_count(const std::string& group) {
    const int directory = ::open(group.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bpf_attr query = no_attributes();
    query.query.target_fd = static_cast<std::uint32_t>(directory);
    query.query.attach_type = BPF_CGROUP_DEVICE;
    CHECK(::syscall(SYS_bpf, BPF_PROG_QUERY, &query, sizeof query) == 0);
    ::close(directory);
    return query.query.prog_cnt;
}

/// Runs `body` in a child process; its text comes back when it has ended, however it did.
template <class Body>
std::string in_child(Body body) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    const pid_t pid = ::fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        const std::string text = body();
        (void)!::write(ends[1], text.data(), text.size());
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string text;
    std::array<char, 256> part;
    for (ssize_t size = 0; (size = ::read(ends[0], part.data(), part.size())) > 0;) {
        text.append(part.data(), static_cast<std::size_t>(size));
    }
    ::close(ends[0]);
    CHECK(::waitpid(pid, nullptr, 0) == pid);
    return text;
}

}  // namespace

TEST_CASE("kernel: a CPU that went offline after the plan fails it and leaves nothing",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    {
        const GroupWithoutCpu3 without(group.path());
        if (!without.is_offline()) {
            WARN("SKIPPED: CPU 3 cannot be taken offline");
            return;
        }
        for (const char* cpus : {"3", "2-3"}) {
            const Status refused = group.enforcer().apply(plan_for_cpu(cpus)).status();
            CHECK(refused.code() == StatusCode::kFailedPrecondition);
            CHECK_THAT(std::string(message(refused)), ContainsSubstring("the kernel gives "));
            CHECK(groups_in(group.path()).empty());
        }
    }
    CHECK(group.enforcer().apply(plan_for_cpu("3")).ok());
}

TEST_CASE("kernel: an update to a CPU that went offline gives no other CPU meanwhile",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    REQUIRE(group.enforcer().apply(plan_for_cpu("2")).ok());
    const GroupWithoutCpu3 without(group.path());
    if (!without.is_offline()) {
        WARN("SKIPPED: CPU 3 cannot be taken offline");
        return;
    }
    const auto update = plan_update(plan_for_cpu("2"), plan_for_cpu("3"));
    REQUIRE(update.ok());
    const Status refused = group.enforcer().update(*update).status();
    CHECK(refused.code() == StatusCode::kFailedPrecondition);
    // It was not tried: with CPU 3 alone the group would have had all that are there.
    CHECK_THAT(std::string(message(refused)), ContainsSubstring("the kernel gives none of 3"));
    CHECK(line_of(group.path() + "/job/cpuset.cpus") == "2");
    CHECK(line_of(group.path() + "/job/cpuset.cpus.effective") == "2");
}

TEST_CASE("kernel: a CPU that a sibling has for itself fails the plan and leaves nothing",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const std::string taker = group.name() + "_taker";
    const std::string path = kernel_support().directory + "/" + taker;
    REQUIRE(group.above().run(make_step(taker)) == Status());
    REQUIRE(group.above().run(write_step(taker, {"cpuset.cpus", "3"})) == Status());
    put(path + "/cpuset.cpus.partition", "root");
    if (line_of(path + "/cpuset.cpus.partition") == "root") {
        const Status refused = group.enforcer().apply(plan_for_cpu("2-3")).status();
        CHECK(refused.code() == StatusCode::kFailedPrecondition);
        CHECK_THAT(std::string(message(refused)), ContainsSubstring("the kernel gives 2 of 2-3"));
        CHECK(groups_in(group.path()).empty());
        // The partition has lived through the attempt.
        CHECK(line_of(path + "/cpuset.cpus.partition") == "root");
    } else {
        WARN("SKIPPED: no partition: " << line_of(path + "/cpuset.cpus.partition"));
    }
    CHECK(group.above().remove(taker) == Status());
}

TEST_CASE("kernel: a group removed while a plan is applied is an error and no harm",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const std::string job = group.path() + "/job";
    const Plan plan = group.job({{"cpuset.cpus", "0"}, {"pids.max", "20"}});
    REQUIRE(group.enforcer().remove("job") == Status());
    std::size_t calls = 0;
    std::size_t hits = 0;
    for (std::size_t at = 0; at <= calls; ++at) {
        FaultyKernel kernel;
        auto enforcer = CgroupEnforcer::open(group.path(), {}, kernel);
        REQUIRE(enforcer.ok());
        const std::size_t first = kernel.calls().size();
        bool was_removed = false;
        kernel.set_observer([&](std::size_t number) {
            if (number == first + at) was_removed = ::rmdir(job.c_str()) == 0;
        });
        const auto applied = (*enforcer)->apply(plan);
        calls = kernel.calls().size() - first;
        kernel.set_observer({});
        INFO("before call " << at << ": " << message(applied.status()));
        if (was_removed) {
            ++hits;
            CHECK(applied.status().code() == StatusCode::kNotFound);
            CHECK(groups_in(group.path()).empty());
        } else {
            CHECK(applied.ok());
        }
        CHECK((*enforcer)->remove("job") == Status());
    }
    CHECK(hits > 5);
}

TEST_CASE("kernel: a job that another manager removed is over for its own one",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({});
    const auto child = group.enforcer().spawn(plan, shell("exec sleep 1000"));
    REQUIRE(child.ok());
    auto other = CgroupEnforcer::open(group.path());
    REQUIRE(other.ok());
    CHECK((*other)->remove("job") == Status());
    CHECK(group.enforcer().wait(*child)->signal_number == SIGKILL);
    CHECK(group.enforcer().signal("job", SIGTERM).code() == StatusCode::kNotFound);
    CHECK(group.enforcer().freeze("job").code() == StatusCode::kNotFound);
    CHECK(group.enforcer().observe("job").status().code() == StatusCode::kNotFound);
    CHECK(group.enforcer().spawn(plan, shell("true")).status().code() == StatusCode::kNotFound);
    CHECK(group.enforcer().remove("job") == Status());
    CHECK(group.enforcer().apply(plan).ok());
}

TEST_CASE("kernel: a group with 64 device programs takes no filter, and says so",
          "[os][privileged]") {
    if (!has_device_filters()) return;
    KernelGroup group;
    const Plan plan = group.job({});
    const std::string job = group.path() + "/job";
    for (int i = 0; i < 64; ++i) REQUIRE(attach_foreign(job, BPF_F_ALLOW_MULTI));
    const Status full = group.enforcer().run(plan_with_filter().steps[1]);
    CHECK(full.code() == StatusCode::kResourceExhausted);
    CHECK_THAT(std::string(message(full)),
               ContainsSubstring(job + ": cannot attach a device filter: it has as many programs"));
    CHECK(device_program_count(job) == 64);
}

TEST_CASE("kernel: a filter never takes the place of a program above", "[os][privileged]") {
    if (!has_device_filters()) return;
    struct Row {
        std::uint32_t flags;
        const char* said;
    };
    for (const Row& row : {Row{BPF_F_ALLOW_OVERRIDE, "attached with BPF_F_ALLOW_OVERRIDE"},
                           Row{0, "the program of a group above was attached without"}}) {
        INFO(row.said);
        KernelGroup group;
        REQUIRE(attach_foreign(group.path(), row.flags));
        const Status refused = group.enforcer().apply(plan_with_filter()).status();
        CHECK(refused.code() == StatusCode::kFailedPrecondition);
        CHECK_THAT(std::string(message(refused)), ContainsSubstring(row.said));
        CHECK(groups_in(group.path()).empty());
        CHECK(device_program_count(group.path()) == 1);
        // As it was: in a group that is there, too, nothing stays attached.
        const Plan plan = group.job({});
        CHECK_FALSE(group.enforcer().run(plan_with_filter().steps[1]).ok());
        CHECK(device_program_count(group.path() + "/job") == 0);
        CHECK(group.run(plan, "cat /dev/zero 2>&1 | grep -q 'not permitted'").exit_code != 2);
    }
    KernelGroup group;
    const Plan plan = group.job({});
    REQUIRE(attach_foreign(group.path() + "/job", BPF_F_ALLOW_OVERRIDE));
    const Status refused = group.enforcer().run(plan_with_filter().steps[1]);
    CHECK_THAT(std::string(message(refused)), ContainsSubstring("bears none beside it"));
    CHECK(device_program_count(group.path() + "/job") == 1);
}

TEST_CASE("kernel: a filter is replaced, beside those of others", "[os][privileged]") {
    if (!has_device_filters()) return;
    KernelGroup group;
    const Plan plan = group.job({});
    const std::string job = group.path() + "/job";
    const std::string can_read = "head -c 1 /dev/zero > /dev/null";
    const Step all = plan_with_filter().steps[1];
    const Step none = filter_step("job", {});
    for (int i = 0; i < 70; ++i) REQUIRE(group.enforcer().run(all) == Status());
    CHECK(device_program_count(job) == 1);
    CHECK(group.run(plan, can_read).exit_code == 0);
    REQUIRE(group.enforcer().run(none) == Status());
    CHECK(device_program_count(job) == 1);
    CHECK(group.run(plan, can_read).exit_code != 0);
    REQUIRE(group.enforcer().run(all) == Status());
    CHECK(group.run(plan, can_read).exit_code == 0);
    REQUIRE(attach_foreign(job, BPF_F_ALLOW_MULTI));
    REQUIRE(group.enforcer().run(all) == Status());
    CHECK(device_program_count(job) == 2);
    CHECK(group.run(plan, can_read).exit_code != 0);
}

TEST_CASE("kernel: on a read-only cgroup file system nothing is done, and it is said",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const std::string said = in_child([&]() -> std::string {
        if (::unshare(CLONE_NEWNS) != 0) return "SKIPPED";
        (void)::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
        auto before = CgroupEnforcer::open(group.path());
        constexpr unsigned long read_only = MS_REMOUNT | MS_BIND | MS_RDONLY;
        if (!before.ok() || ::mount(nullptr, "/sys/fs/cgroup", nullptr, read_only, nullptr) != 0) {
            return "SKIPPED";
        }
        Plan plan = plan_for_cpu("0");
        const Status applied = (*before)->apply(plan).status();
        const Status opened = CgroupEnforcer::open(group.path()).status();
        return std::string(message(applied)) + "\n" + std::string(message(opened));
    });
    if (said == "SKIPPED") {
        WARN("SKIPPED: no mount namespace of its own");
        return;
    }
    CHECK_THAT(said, ContainsSubstring("step 1 of 3, enable cpuset below /: " + group.path()));
    CHECK_THAT(said, ContainsSubstring("Read-only file system"));
    CHECK_THAT(said, ContainsSubstring(group.path() + " is mounted read-only"));
    CHECK(groups_in(group.path()).empty());
}

TEST_CASE("kernel: a fork storm of 200 is gone after the removal", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group({.patience = Seconds(120)});
    const Plan plan = group.job({{"pids.max", "200"}});
    const auto child = group.enforcer().spawn(plan, shell("exec sleep 1000"));
    REQUIRE(child.ok());
    const AttackJob storm(group, "job", Attacker::own_user, {"storm"});
    REQUIRE(is_soon([&] { return group.enforcer().observe("job")->pids == Count(200); }));
    CHECK(group.enforcer().remove("job") == Status());
    CHECK(groups_in(group.path()).empty());
    CHECK(group.enforcer().wait(*child)->signal_number == SIGKILL);
}

namespace {

Plan plan_of_a_life() {
    Plan plan;
    plan.group = "job";
    plan.steps = {enable_step("", "cpuset"), enable_step("", "pids"), make_step("job"),
                  write_step("job", {"cpuset.cpus", "0"}), write_step("job", {"pids.max", "20"})};
    if (kernel_support().capabilities.no_device_filter.empty()) {
        plan.steps.push_back(filter_step("job", {pseudo_devices(), {}}));
    }
    plan.steps.push_back(make_step("job/step"));
    return plan;
}

/// A manager that applies, starts what daemonises, and removes, killed before its n-th call. False
/// when it came to its end.
bool is_killed_before(const std::string& path, std::size_t call, os::StartMethod start) {
    const pid_t pid = ::fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        FaultyKernel kernel;
        auto enforcer = CgroupEnforcer::open(path, {.start = start}, kernel);
        if (!enforcer.ok()) ::_exit(1);
        const std::size_t first = kernel.calls().size();
        kernel.set_observer([&](std::size_t number) {
            if (number == first + call) ::raise(SIGKILL);
        });
        const Plan plan = plan_of_a_life();
        bool is_ok = (*enforcer)->apply(plan).ok();
        is_ok = is_ok && (*enforcer)->spawn(plan, {{"/bin/sleep", "1000"}, {}, ""}).ok();
        is_ok = is_ok && (*enforcer)->remove("job").ok();
        ::_exit(is_ok ? 0 : 1);
    }
    int status = 0;
    CHECK(::waitpid(pid, &status, 0) == pid);
    CHECK((WIFSIGNALED(status) || WEXITSTATUS(status) == 0));
    return WIFSIGNALED(status);
}

/// True when no child, adopted ones included, is left; waits for those that are ending.
bool all_children_end() {
    return is_soon([] {
        pid_t pid = 0;
        do pid = ::waitpid(-1, nullptr, WNOHANG | __WALL);
        while (pid > 0);
        return pid < 0;
    });
}

}  // namespace

TEST_CASE("kernel: whenever the manager is killed, its successor finds all it left",
          "[os][privileged]") {
    if (!has_kernel()) return;
    for (const auto start : {os::StartMethod::automatic, os::StartMethod::fork_and_move}) {
        KernelGroup group;
        REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
        std::size_t call = 0;
        bool was_killed = true;
        for (; was_killed; ++call) {
            INFO("killed before call " << call);
            was_killed = is_killed_before(group.path(), call, start);
            const auto left = group.enforcer().recover();
            REQUIRE(left.ok());
            if (!was_killed) CHECK(left->empty());
            for (const GroupState& state : *left) {
                CHECK(group.enforcer().remove(state.group) == Status());
            }
            CHECK(groups_in(group.path()).empty());
            CHECK(all_children_end());
        }
        CHECK(call > 30);
        (void)::prctl(PR_SET_CHILD_SUBREAPER, 0);
    }
}

TEST_CASE("kernel: two managers at once do not get in each other's way", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    constexpr int rounds = 12;
    const auto manage = [&](const std::string& own) {
        std::string text;
        auto enforcer = CgroupEnforcer::open(group.path());
        if (!enforcer.ok()) return std::string(message(enforcer.status()));
        bool has_made = false;
        const auto one_round = [&] {
            Plan plan;
            plan.steps = {enable_step("", "pids"), make_step(own),
                          write_step(own, {"pids.max", "20"})};
            const Status applied = (*enforcer)->apply(plan).status();
            if (!applied.ok()) text += "own: " + std::string(message(applied)) + "\n";
            plan.steps = {enable_step("", "pids"), make_step("same"),
                          write_step("same", {"pids.max", "20"})};
            const Status same = (*enforcer)->apply(plan).status();
            if (!same.ok() && same.code() != StatusCode::kAlreadyExists) {
                text += "same: " + std::string(message(same)) + "\n";
            }
            has_made = has_made || same.ok();
            for (const std::string& name : {own, std::string(same.ok() ? "same" : "none")}) {
                const Status removed = (*enforcer)->remove(name);
                if (!removed.ok()) text += std::string(message(removed)) + "\n";
            }
            return has_made;
        };
        for (int round = 0; round < rounds; ++round) (void)one_round();
        // The other one may have had the group each time; it ends, and this one has its turn.
        return text + (is_soon(one_round) ? "made" : "never made");
    };
    // Two levels of processes: the child runs beside its own child.
    const std::string said = in_child([&] {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::string("no pipe");
        if (::fork() == 0) {
            const std::string text = manage("second");
            (void)!::write(ends[1], text.data(), text.size());
            ::_exit(0);
        }
        ::close(ends[1]);
        const std::string first = manage("first");
        std::string second(4096, '\0');
        const ssize_t size = ::read(ends[0], second.data(), second.size());
        second.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
        (void)::wait(nullptr);
        return first + "|" + second;
    });
    CHECK(said == "made|made");
    CHECK(groups_in(group.path()).empty());
}

TEST_CASE("kernel: without the memory controller a plan falls short or fails, and says why",
          "[os][privileged][guest-lacking]") {
    const os::CgroupSupport& support = kernel_support();
    const auto& present = support.capabilities.controllers;
    if (!support.is_usable ||
        std::find(present.begin(), present.end(), "memory") != present.end()) {
        WARN(
            "SKIPPED: " << (support.is_usable ? "the memory controller is there" : support.reason));
        return;
    }
    auto enforcer = CgroupEnforcer::open(support.directory);
    REQUIRE(enforcer.ok());
    Plan plan;
    plan.group = "job";
    plan.steps = {enable_step("", "memory"), make_step("job"),
                  write_step("job", {"memory.max", "67108864"})};
    for (Step& step : plan.steps)
        step.resource = action_of<Step::MakeGroup>(step) != nullptr ? "" : "memory";
    const Status refused = (*enforcer)->apply(plan).status();
    CHECK(refused.code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(std::string(message(refused)),
               ContainsSubstring("controller memory is not available, only: "));
    CHECK((*enforcer)->recover()->empty());
    plan.steps[0].requirement = Requirement::best_effort;
    plan.steps[2].requirement = Requirement::best_effort;
    const auto applied = (*enforcer)->apply(plan);
    REQUIRE(applied.ok());
    REQUIRE(applied->shortfalls.size() == 1);
    CHECK(applied->shortfalls[0].resource == "memory");
    CHECK((*enforcer)->remove("job") == Status());
}

TEST_CASE("kernel: a user in a delegated group enforces all but the device filter",
          "[os][privileged][guest-user]") {
    const os::CgroupSupport& support = kernel_support();
    if (!support.is_usable || ::geteuid() == 0) {
        WARN("SKIPPED: " << (support.is_usable ? "this is root" : support.reason));
        return;
    }
    CHECK_THAT(support.capabilities.no_device_filter, ContainsSubstring("Operation not permitted"));
    auto enforcer = CgroupEnforcer::open(support.directory);
    REQUIRE(enforcer.ok());
    Plan plan;
    plan.group = "job";
    plan.steps = {enable_step("", "pids"), make_step("job"), write_step("job", {"pids.max", "20"}),
                  filter_step("job", {pseudo_devices(), {}})};
    const Status refused = (*enforcer)->apply(plan).status();
    CHECK(refused.code() == StatusCode::kPermissionDenied);
    CHECK((*enforcer)->recover()->empty());
    plan.steps[3].requirement = Requirement::best_effort;
    const auto applied = (*enforcer)->apply(plan);
    INFO(applied.status().ToString());
    REQUIRE(applied.ok());
    REQUIRE(applied->shortfalls.size() == 1);
    CHECK(applied->shortfalls[0].resource == "devices");
    const auto child = (*enforcer)->spawn(
        plan, shell("test $(cat " + support.directory + "/job/pids.max) = 20 && exit 3"));
    INFO(child.status().ToString());
    REQUIRE(child.ok());
    CHECK((*enforcer)->wait(*child)->exit_code == 3);
    CHECK((*enforcer)->remove("job") == Status());
}

}  // namespace trestle
