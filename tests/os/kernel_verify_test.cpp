// SPDX-License-Identifier: Apache-2.0
// What of a plan does not hold on a real kernel any more is found: by others' writes, by CPUs that
// go, by filters that are gone. And updates that fail leave what was.
#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "os/kernel_support.hpp"
#include "os/soon.hpp"
#include "support/catch.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

void write_file(const std::string& path, const std::string& text) {
    std::ofstream file(path);
    file << text << std::flush;
    INFO(path << " <- " << text);
    REQUIRE(file.good());
}

std::string drifts_of(KernelGroup& group, const Plan& plan) {
    const auto drifts = group.enforcer().verify(plan);
    INFO(drifts.status().ToString());
    REQUIRE(drifts.ok());
    std::string text;
    for (const Drift& drift : *drifts) text += to_text(drift) + "\n";
    return text;
}

/// Until the drift is as wanted, because the kernel moves CPUs in the background.
std::string drifts_until(KernelGroup& group, const Plan& plan, const std::string& wanted) {
    std::string text;
    (void)is_soon([&] { return (text = drifts_of(group, plan)) == wanted; });
    return text;
}

/// CPU 3 is offline in this scope.
class WithoutCpu3 {
  public:
    WithoutCpu3() { write_file(switch_, "0"); }
    WithoutCpu3(const WithoutCpu3&) = delete;
    WithoutCpu3& operator=(const WithoutCpu3&) = delete;
    ~WithoutCpu3() { std::ofstream(switch_) << "1" << std::flush; }

    [[nodiscard]] static bool is_possible() {
        if (::access(switch_, W_OK) == 0) return true;
        WARN("SKIPPED: CPU 3 cannot be taken offline");
        return false;
    }

  private:
    static constexpr const char* switch_ = "/sys/devices/system/cpu/cpu3/online";
};

/// True where partitions can be made: below the top of the hierarchy.
bool is_top() {
    if (!kernel_support().capabilities.is_delegated) return true;
    WARN("SKIPPED: the top of the hierarchy is needed to make partitions");
    return false;
}

/// Identifiers of the device programs attached to the group itself.
std::vector<std::uint32_t> programs_of(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY);
    REQUIRE(fd >= 0);
    std::array<std::uint32_t, 64> ids{};
    bpf_attr attributes;
    std::memset(&attributes, 0, sizeof attributes);
    attributes.query.target_fd = static_cast<std::uint32_t>(fd);
    attributes.query.attach_type = BPF_CGROUP_DEVICE;
    attributes.query.prog_ids = std::bit_cast<std::uintptr_t>(ids.data());
    attributes.query.prog_cnt = ids.size();
    CHECK(::syscall(SYS_bpf, BPF_PROG_QUERY, &attributes, sizeof attributes) == 0);
    ::close(fd);
    return {ids.begin(), ids.begin() + attributes.query.prog_cnt};
}

void detach_program(const std::string& path, std::uint32_t id) {
    const int group = ::open(path.c_str(), O_RDONLY | O_DIRECTORY);
    bpf_attr attributes;
    std::memset(&attributes, 0, sizeof attributes);
    attributes.prog_id = id;
    const auto program = ::syscall(SYS_bpf, BPF_PROG_GET_FD_BY_ID, &attributes, sizeof attributes);
    REQUIRE(program >= 0);
    std::memset(&attributes, 0, sizeof attributes);
    attributes.target_fd = static_cast<std::uint32_t>(group);
    attributes.attach_bpf_fd = static_cast<std::uint32_t>(program);
    attributes.attach_type = BPF_CGROUP_DEVICE;
    CHECK(::syscall(SYS_bpf, BPF_PROG_DETACH, &attributes, sizeof attributes) == 0);
    ::close(static_cast<int>(program));
    ::close(group);
}

DeviceAllowList rules_list(DeviceRules rules) { return {std::move(rules), {}}; }

/// The group `job` with a filter that admits the pseudo-devices.
Plan filtered_job(KernelGroup& group) {
    Plan plan = group.job({});
    plan.steps = {filter_step("job", rules_list(pseudo_devices()))};
    REQUIRE(group.enforcer().run(plan.steps[0]) == Status());
    return plan;
}

}  // namespace

TEST_CASE("kernel: after apply nothing has drifted, however the kernel writes the values",
          "[os][privileged][drift]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({{"cpuset.cpus", "1,2,3"},
                                 {"cpuset.mems", "0"},
                                 {"cpu.max", "20000"},
                                 {"cpu.weight", "50"},
                                 {"memory.max", "67108865"},
                                 {"memory.high", "max"},
                                 {"memory.low", "4097"},
                                 {"memory.swap.max", "0"},
                                 {"memory.oom.group", "1"},
                                 {"pids.max", "32"}});
    CHECK(drifts_of(group, plan).empty());
    REQUIRE(group.enforcer().remove("job") == Status());
    CHECK(group.enforcer().verify(plan).status().code() == StatusCode::kNotFound);
}

TEST_CASE("kernel: what another manager writes is found", "[os][privileged][drift]") {
    if (!has_kernel()) return;
    KernelGroup group;
    Plan plan = group.job({{"memory.max", "67108864"}, {"pids.max", "32"}});
    Step label = label_step("job", 42);
    label.resource = "owner";
    plan.steps.push_back(label);
    REQUIRE(group.enforcer().run(label) == Status());
    CHECK(drifts_of(group, plan).empty());
    const std::string job = group.path() + "/job";
    write_file(job + "/memory.max", "max");
    REQUIRE(::setxattr(job.c_str(), "user.trestle.owner", "1", 1, 0) == 0);
    const auto drifts = group.enforcer().verify(plan);
    REQUIRE(drifts.ok());
    REQUIRE(drifts->size() == 2);
    CHECK((*drifts)[0].file == "memory.max");
    CHECK((*drifts)[0].found == "max");
    CHECK((*drifts)[1] ==
          Drift{"owner", "user.trestle.owner", "42", "1", "the label is not the plan's"});

    Step odd = odd_step("job");
    odd.resource = "memory";
    plan.steps = {odd, enable_step("job", "memory")};
    plan.steps[1].resource = "memory";
    CHECK(drifts_of(group, plan) ==
          "memory: hugetlb.4KB.max is missing, expected 4096: the kernel offers no such file "
          "here\n"
          "memory: cgroup.subtree_control is missing, expected memory: the controller is not "
          "enabled\n");
}

TEST_CASE("kernel: a CPU that goes offline silently widens the set, and is found",
          "[os][privileged][drift]") {
    if (!has_kernel() || !WithoutCpu3::is_possible()) return;
    KernelGroup group;
    const Plan one = group.job({{"cpuset.cpus", "3"}});
    CHECK(drifts_of(group, one).empty());
    {
        const WithoutCpu3 offline;
        const std::string wider =
            ": cpuset.cpus.effective is 0-2, expected 3: wider than the plan: a CPU is offline, or "
            "belongs to another partition\n";
        CHECK(drifts_until(group, one, wider) == wider);
    }
    CHECK(drifts_until(group, one, "").empty());
}

TEST_CASE("kernel: a partition beside the group that takes a CPU is found",
          "[os][privileged][drift]") {
    if (!has_kernel() || !is_top()) return;
    KernelGroup group;
    const Plan one = group.job({{"cpuset.cpus", "3"}});
    CHECK(drifts_of(group, one).empty());
    const std::string beside = group.name() + "_beside";
    REQUIRE(group.above().run(make_step(beside)) == Status());
    write_file(kernel_support().directory + "/" + beside + "/cpuset.cpus", "3");
    write_file(kernel_support().directory + "/" + beside + "/cpuset.cpus.partition", "root");
    const std::string wider =
        ": cpuset.cpus.effective is 0-2, expected 3: wider than the plan: a CPU is offline, or "
        "belongs to another partition\n";
    CHECK(drifts_until(group, one, wider) == wider);
    REQUIRE(group.above().remove(beside) == Status());
    CHECK(drifts_until(group, one, "").empty());
}

TEST_CASE("kernel: a partition of the plan that is none any more is found",
          "[os][privileged][drift]") {
    if (!has_kernel() || !is_top()) return;
    KernelGroup group;
    auto& enforcer = group.enforcer();
    REQUIRE(enforcer.run(write_step("", {"cpuset.cpus", "2-3"})) == Status());
    write_file(group.path() + "/cpuset.cpus.partition", "root");
    const Plan plan = group.job({{"cpuset.cpus", "3"}, {"cpuset.cpus.partition", "root"}});
    CHECK(drifts_of(group, plan).empty());
    REQUIRE(enforcer.run(make_step("beside")) == Status());
    // Refused or taken, by the kernel's age; where it is taken the partition is broken.
    std::ofstream(group.path() + "/beside/cpuset.cpus") << "3" << std::flush;
    std::string state;
    std::getline(std::ifstream(group.path() + "/job/cpuset.cpus.partition") >> std::ws, state);
    const std::string text = drifts_of(group, plan);
    INFO(state << "\n" << text);
    CHECK((state == "root") == text.empty());
    if (!text.empty()) {
        CHECK_THAT(text, ContainsSubstring("cpuset.cpus.partition is root invalid") &&
                             ContainsSubstring("expected root"));
    }
}

TEST_CASE("kernel: the filter that is loaded is the plan's, or that is found",
          "[os][privileged][drift]") {
    if (!has_device_filters()) return;
    KernelGroup group;
    const Plan plan = filtered_job(group);
    const std::string job = group.path() + "/job";
    CHECK(drifts_of(group, plan).empty());
    CHECK(programs_of(job).size() == 1);

    // Another list in its place: one program, and it is the other one.
    DeviceRules more = pseudo_devices();
    more.add({Device::File::Kind::character, 120, 0, DeviceRule::Access::read_write()});
    const auto before = programs_of(job);
    REQUIRE(group.enforcer().run(filter_step("job", rules_list(more))) == Status());
    CHECK(programs_of(job).size() == 1);
    CHECK(programs_of(job) != before);
    const std::string other = drifts_of(group, plan);
    CHECK_THAT(other, ContainsSubstring("devices: device filter is program ") &&
                          ContainsSubstring("it decides otherwise"));
    REQUIRE(group.enforcer().run(plan.steps[0]) == Status());
    CHECK(drifts_of(group, plan).empty());

    detach_program(job, programs_of(job).at(0));
    CHECK_THAT(drifts_of(group, plan),
               ContainsSubstring("devices: device filter is missing, expected program ") &&
                   ContainsSubstring("it was detached"));
}

TEST_CASE("kernel: a process that may not look at filters says unknown, not fine",
          "[os][privileged][drift]") {
    if (!has_device_filters() || ::geteuid() != 0) return;
    KernelGroup group;
    const Plan plan = filtered_job(group);
    REQUIRE(::seteuid(1000) == 0);
    const auto drifts = group.enforcer().verify(plan);
    REQUIRE(::seteuid(0) == 0);
    REQUIRE(drifts.ok());
    REQUIRE(drifts->size() == 1);
    CHECK((*drifts)[0].found == "unknown");
    CHECK_THAT((*drifts)[0].why, ContainsSubstring("Operation not permitted"));
}

TEST_CASE("kernel: a device that a plan is updated with can be opened, by one filter",
          "[os][privileged][update]") {
    if (!has_device_filters()) return;
    KernelGroup group;
    const Plan plan = filtered_job(group);
    CHECK(group.run(plan, "echo x > /dev/null").exit_code == 0);
    DeviceRules fewer;
    PlanUpdate update{{}, "job", {}, {}};
    update.steps = {{filter_step("job", rules_list(fewer)), plan.steps[0]}};
    REQUIRE(group.enforcer().update(update).ok());
    CHECK(group.run(plan, "(echo x > /dev/null) 2>/dev/null").exit_code != 0);
    std::swap(update.steps[0].step, *update.steps[0].inverse);
    REQUIRE(group.enforcer().update(update).ok());
    CHECK(group.run(plan, "echo x > /dev/null").exit_code == 0);
    CHECK(drifts_of(group, plan).empty());
}

TEST_CASE("kernel: an update that fails half way leaves the plan before",
          "[os][privileged][update]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({{"memory.max", "67108864"}, {"pids.max", "32"}});
    PlanUpdate update{{}, "job", {}, {}};
    const auto change = [](const char* file, const char* to, const char* from) {
        return UpdateStep{write_step("job", {file, to}), write_step("job", {file, from})};
    };
    update.steps = {change("memory.max", "33554432", "67108864"), change("pids.max", "16", "32"),
                    change("pids.max", "5000000", "16")};
    const auto updated = group.enforcer().update(update);
    CHECK_THAT(std::string(message(updated.status())),
               ContainsSubstring("step 3 of 3, write job/pids.max = 5000000: ") &&
                   ContainsSubstring("/job/pids.max: Invalid argument"));
    CHECK(drifts_of(group, plan).empty());
    update.steps.pop_back();
    REQUIRE(group.enforcer().update(update).ok());
    CHECK(group.enforcer().verify(plan)->size() == 2);
}

}  // namespace trestle
