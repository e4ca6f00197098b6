// SPDX-License-Identifier: Apache-2.0
// On a real kernel: what plans write is taken as it stands, capabilities are true, updates arrive.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "enforce/detail/plan_lines.hpp"
#include "enforce/detail/step_parts.hpp"
#include "enforce/detail/steps_back.hpp"
#include "enforce/limits/kernel_values.hpp"
#include "os/kernel_support.hpp"
#include "support/catch.hpp"
#include "trestle/enforce/plan_update.hpp"
#include "trestle/os/discover.hpp"

namespace trestle {
namespace {

namespace fs = std::filesystem;

std::string text_in(const fs::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    std::string read = text.str();
    while (!read.empty() && read.back() == '\n') read.pop_back();
    return read;
}

/// Number of the first whole disk that takes limits, or nothing.
std::optional<IoLimit> some_disk() {
    for (const auto& entry : fs::directory_iterator("/sys/block")) {
        std::istringstream numbers(text_in(entry.path() / "dev"));
        IoLimit disk;
        char colon = 0;
        if (numbers >> disk.major >> colon >> disk.minor) return disk;
    }
    return std::nullopt;
}

/// Everything that this machine can be told, and no device filter.
LimitPolicy all_of(const Capabilities& machine) {
    LimitPolicy policy;
    policy.source = LimitPolicy::Source::capacity;
    policy.swap = mib(32);
    policy.has_cpu_quota = true;
    policy.pids_max = Count(64);
    policy.cpu_weight = Count(59);
    policy.memory_low = mib(4);
    policy.memory_min = mib(2);
    policy.memory_high = mib(48);
    policy.requirements.devices = Requirement::skip;
    policy.requirements.io = Requirement::best_effort;
    policy.io_weight = Count(200);
    if (auto disk = some_disk()) {
        disk->read_bytes = mib(1);
        disk->writes = Count(100);
        policy.io = {*disk};
    }
    policy.requirements.hugetlb = Requirement::best_effort;
    for (const Bytes size : machine.huge_page_sizes) policy.hugetlb.push_back({size, size});
    return policy;
}

NodePlacement part_of_machine(std::uint32_t first_core) {
    NodePlacement placement;
    placement.cores = CoreSet::range({first_core, first_core + 1});
    placement.memory = {{DomainId(0), mib(64)}};
    return placement;
}

}  // namespace

TEST_CASE("kernel: capabilities say what groups below have", "[os][privileged]") {
    if (!has_kernel()) return;
    const Capabilities& machine = kernel_support().capabilities;
    KernelGroup group;
    for (const std::string& controller : machine.controllers) {
        (void)group.above().run(enable_step("", controller));
        (void)group.enforcer().run(enable_step("", controller));
    }
    REQUIRE(group.enforcer().run(make_step("job")) == Status());
    const auto has = [&](const std::string& file) {
        return fs::exists(fs::path(group.path()) / "job" / file);
    };
    INFO(machine.kernel);
    CHECK(machine.kernel.find('.') != std::string::npos);
    CHECK(machine.has_kill == has("cgroup.kill"));
    CHECK(machine.has_peak == has("memory.peak"));
    CHECK(machine.has_exclusive_cpus == has("cpuset.cpus.exclusive"));
    CHECK(machine.can_limit_swap == has("memory.swap.max"));
    CHECK(machine.has_pressure == has("cpu.pressure"));
    CHECK(machine.has_swap == (text_in("/proc/swaps").find('\n') != std::string::npos));
    const auto offers = [&](const char* name) {
        return std::find(machine.controllers.begin(), machine.controllers.end(), name) !=
               machine.controllers.end();
    };
    if (offers("io")) CHECK(machine.has_io_weight == has("io.weight"));
    if (offers("hugetlb")) {
        CHECK_FALSE(machine.huge_page_sizes.empty());
        for (const Bytes size : machine.huge_page_sizes) {
            const std::string file = "hugetlb." + huge_page_name(size);
            CHECK(has(file + ".max"));
            CHECK(machine.has_hugetlb_reservation == has(file + ".rsvd.max"));
        }
    }
}

TEST_CASE("kernel: what a plan writes stands there as it was written", "[os][privileged]") {
    if (!has_kernel()) return;
    const auto node = os::discover();
    REQUIRE(node.ok());
    const Capabilities& machine = kernel_support().capabilities;
    KernelGroup group;
    for (const std::string& controller : machine.controllers) {
        (void)group.above().run(enable_step("", controller));
    }
    PlanOptions options;
    options.group = "job";
    options.capabilities = machine;
    const Plan made = plan(*node, part_of_machine(0), Request(), all_of(machine), options).value();
    for (const Shortfall& one : made.shortfalls) WARN("lacking: " << shortfall_line(one));
    const auto applied = group.enforcer().apply(made);
    INFO(to_text(made) << applied.status().ToString());
    REQUIRE(applied.ok());
    CHECK(applied->shortfalls == made.shortfalls);
    for (const Step& step : made.steps) {
        if (limit_of(step) == nullptr) continue;
        INFO(to_text(step));
        CHECK(text_in(fs::path(group.path()) / "job" / file_of_step(step)) == value_of_step(step));
    }
}

TEST_CASE("kernel: an update arrives where a new plan would, and goes back", "[os][privileged]") {
    if (!has_kernel()) return;
    const auto node = os::discover();
    REQUIRE(node.ok());
    if (node->shape->hardware.core_count() < 3) {
        WARN("SKIPPED: 3 cores are needed, there are " << node->shape->hardware.core_count());
        return;
    }
    KernelGroup group;
    PlanOptions options;
    options.group = "job";
    LimitPolicy small;
    small.source = LimitPolicy::Source::capacity;
    small.requirements.devices = Requirement::skip;
    small.pids_max = Count(64);
    LimitPolicy large = small;
    large.swap = mib(16);
    large.pids_max = std::nullopt;
    large.has_cpu_quota = true;
    large.cpu_weight = Count(300);
    large.has_oom_group = false;
    NodePlacement placement = part_of_machine(1);
    const Plan from = plan(*node, placement, Request(), small, options).value();
    placement = part_of_machine(2);
    placement.memory = {{DomainId(0), mib(48)}};
    const Plan to = plan(*node, placement, Request(), large, options).value();
    const auto files_of = [&] {
        std::string text;
        for (const char* file :
             {"cpuset.cpus", "cpuset.cpus.effective", "cpuset.mems", "memory.max", "memory.high",
              "memory.swap.max", "memory.oom.group", "pids.max", "cpu.max", "cpu.weight"}) {
            text += std::string(file) + " " + text_in(fs::path(group.path()) / "job" / file) + "\n";
        }
        return text;
    };
    const auto run_all = [&](const std::vector<Step>& steps) {
        for (const Step& step : steps) {
            INFO(to_text(step));
            CHECK(group.enforcer().run(step) == Status());
        }
    };
    // What either plan needs, so that the same files are there.
    for (const char* controller : {"cpu", "pids"}) {
        REQUIRE(group.enforcer().run(enable_step("", controller)) == Status());
    }
    REQUIRE(group.enforcer().apply(to).ok());
    const std::string expected = files_of();
    REQUIRE(group.enforcer().remove("job") == Status());
    REQUIRE(group.enforcer().apply(from).ok());
    const std::string before = files_of();
    CHECK(before != expected);
    const auto child = group.enforcer().spawn(from, shell("exec sleep 1000"));
    REQUIRE(child.ok());
    const PlanUpdate update = plan_update(from, to).value();
    INFO(to_text(update));
    const auto updated = group.enforcer().update(update);
    INFO(updated.status().ToString());
    CHECK(updated.ok());
    CHECK(files_of() == expected);
    CHECK(group.enforcer().verify(to).value().empty());
    run_all(steps_back(update, update.steps.size()));
    CHECK(files_of() == before);
    REQUIRE(group.enforcer().remove("job") == Status());
    CHECK(group.enforcer().wait(*child).ok());
}

TEST_CASE("kernel: a partition is made, changed and refused", "[os][privileged]") {
    if (!has_kernel()) return;
    const auto node = os::discover();
    REQUIRE(node.ok());
    if (node->shape->hardware.core_count() < 3 || kernel_support().capabilities.is_delegated) {
        WARN("SKIPPED: 3 cores and the top of the hierarchy are needed");
        return;
    }
    auto enforcer = os::CgroupEnforcer::open(kernel_support().directory);
    REQUIRE(enforcer.ok());
    PlanOptions options;
    options.group = "trestle_test_partition";
    LimitPolicy policy;
    policy.requirements.devices = Requirement::skip;
    policy.partition = CpusetPartition::root;
    const auto planned = [&](std::uint32_t core) {
        return plan(*node, part_of_machine(core), Request(), policy, options).value();
    };
    const Plan from = planned(1), to = planned(2);
    const auto applied = (*enforcer)->apply(from);
    INFO(applied.status().ToString());
    REQUIRE(applied.ok());
    const auto file = fs::path(kernel_support().directory) / options.group;
    CHECK(text_in(file / "cpuset.cpus.partition") == "root");
    const PlanUpdate update = plan_update(from, to).value();
    for (const UpdateStep& one : update.steps) {
        INFO(to_text(one.step));
        CHECK((*enforcer)->run(one.step) == Status());
    }
    CHECK(text_in(file / "cpuset.cpus.partition") == "root");
    options.group += "/step";
    policy.requirements.partition = Requirement::best_effort;
    const Plan nested = planned(1);  // not a CPU of the group above
    CHECK_FALSE((*enforcer)->apply(nested).ok());
    CHECK((*enforcer)->remove("trestle_test_partition") == Status());
}

}  // namespace trestle
