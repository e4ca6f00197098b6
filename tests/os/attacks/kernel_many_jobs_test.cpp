// SPDX-License-Identifier: Apache-2.0
// Many jobs come and go on a real kernel, and nothing piles up.
#include <unistd.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "os/kernel_support.hpp"
#include "os/loaded_filters.hpp"
#include "support/catch.hpp"

namespace trestle {
namespace {

std::size_t count_open_files() {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        if (entry.is_symlink()) ++count;
    }
    return count;
}

long resident_pages() {
    long size = 0;
    long resident = 0;
    std::ifstream("/proc/self/statm") >> size >> resident;
    return resident;
}

struct Held {
    std::size_t open_files;
    std::size_t groups;
};

Held held_now(const KernelGroup& group) {
    return {count_open_files(), groups_in(group.path()).size()};
}

/// Runs so many jobs, `at_once` of them there at a time, each with limits and a device filter.
void run_jobs(KernelGroup& group, int count, std::size_t at_once) {
    // Static where there is one: in an emulated guest most of the time of a job is its dynamic
    // linker.
    const bool has_busybox = ::access("/bin/busybox", X_OK) == 0;
    const Command command{has_busybox ? std::vector<std::string>{"/bin/busybox", "true"}
                                      : std::vector<std::string>{"/bin/true"},
                          {},
                          ""};
    const bool has_filters = kernel_support().capabilities.no_device_filter.empty();
    std::deque<Child> running;
    const auto end_first = [&] {
        const auto outcome = group.enforcer().wait(running.front());
        REQUIRE(outcome.ok());
        REQUIRE(outcome->exit_code == 0);
        REQUIRE(group.enforcer().remove(running.front().group) == Status());
        running.pop_front();
    };
    for (int i = 0; i < count; ++i) {
        if (running.size() == at_once) end_first();
        Plan plan;
        plan.group = "job_" + std::to_string(i);
        plan.steps = {enable_step("", "memory"), enable_step("", "pids"), make_step(plan.group),
                      write_step(plan.group, {"memory.max", "67108864"}),
                      write_step(plan.group, {"pids.max", "16"})};
        if (has_filters) plan.steps.push_back(filter_step(plan.group, {pseudo_devices(), {}}));
        const auto applied = group.enforcer().apply(plan);
        INFO(applied.status().ToString());
        REQUIRE(applied.ok());
        const auto child = group.enforcer().spawn(plan, command);
        INFO(child.status().ToString());
        REQUIRE(child.ok());
        running.push_back(*child);
    }
    while (!running.empty()) end_first();
}

void check_many_jobs(int count) {
    KernelGroup group;
    constexpr std::size_t at_once = 200;
    run_jobs(group, 20, at_once);  // what is taken once
    const Held before = held_now(group);
    CHECK(filters_become(0));  // those of the tests before, too
    run_jobs(group, static_cast<int>(at_once), at_once);
    const long pages = resident_pages();  // the table of children has been at its largest
    run_jobs(group, count - static_cast<int>(at_once), at_once);
    const Held after = held_now(group);
    CHECK(filters_become(0));
    CHECK(after.open_files == before.open_files);
    CHECK(after.groups == 0);
    CHECK(group.enforcer().recover().value().empty());
    CHECK(resident_pages() - pages < 256);  // 1 MiB, whatever the number of jobs
}

}  // namespace

TEST_CASE("kernel: 500 jobs, 200 at a time, leave nothing", "[os][privileged]") {
    if (!has_kernel()) return;
    check_many_jobs(500);
}

TEST_CASE("kernel: 10,000 jobs, 200 at a time, leave nothing", "[os][privileged][long]") {
    if (!has_kernel()) return;
    check_many_jobs(10'000);
}

}  // namespace trestle
