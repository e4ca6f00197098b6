// SPDX-License-Identifier: Apache-2.0
// Limits hold on a real kernel, continued: swap, huge pages, input and output, NUMA nodes.
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "os/attacks/attack_job.hpp"
#include "os/soon.hpp"
#include "support/catch.hpp"

namespace trestle {
namespace {

bool has_controller(const char* name) {
    const auto& all = kernel_support().capabilities.controllers;
    if (std::find(all.begin(), all.end(), name) != all.end()) return true;
    WARN("SKIPPED: no controller " << name);
    return false;
}

bool has_swap() {
    std::ifstream swaps("/proc/swaps");
    std::string line;
    if (std::getline(swaps, line) && std::getline(swaps, line)) return true;
    WARN("SKIPPED: no swap");
    return false;
}

/// Only a guest's: on another machine it may be anybody's.
bool has_scratch_disk() {
    if (std::getenv("TRESTLE_VM") != nullptr && ::access("/dev/vda", R_OK) == 0) return true;
    WARN("SKIPPED: no scratch disk /dev/vda");
    return false;
}

bool has_huge_pages(int count) {
    std::ifstream file("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
    int free = 0;
    if (file >> free && free >= count) return true;
    WARN("SKIPPED: " << count << " huge pages are needed, " << free << " are free");
    return false;
}

}  // namespace

TEST_CASE("kernel: what does not fit into memory goes to swap, up to its limit",
          "[os][privileged]") {
    if (!has_kernel() || !has_swap()) return;
    // tail keeps 12 MiB, because they hold no line end.
    const std::string hold = "head -c 12582912 /dev/zero | tail >/dev/null; exit $?";
    KernelGroup group;
    const Plan enough = group.job({{"memory.max", "8388608"}, {"memory.swap.max", "16777216"}});
    CHECK(group.run(enough, hold) == exited(0, Count(0)));
    REQUIRE(group.enforcer().remove("job") == Status());

    const Plan little = group.job({{"memory.max", "8388608"}, {"memory.swap.max", "1048576"}});
    const Outcome outcome = group.run(little, hold);
    CHECK(outcome.exit_code == 137);
    CHECK(outcome.oom_kills > Count(0));
    std::ifstream file(group.path() + "/job/memory.swap.peak");  // since Linux 6.5
    if (std::int64_t peak = 0; file >> peak) {
        CHECK(peak <= 1'048'576);
        CHECK(peak > 0);
    }
}

TEST_CASE("kernel: huge pages are limited where they are reserved and where they are touched",
          "[os][privileged]") {
    if (!has_kernel() || !has_controller("hugetlb") || !has_huge_pages(4)) return;
    KernelGroup group;
    REQUIRE(group.above().run(enable_step("", "hugetlb")) == Status());
    (void)group.job({{"hugetlb.2MB.max", "4194304"}, {"hugetlb.2MB.rsvd.max", "4194304"}});
    CHECK(answers_to(group, Attacker::user, {"huge 2", "huge 3"}) ==
          std::vector<std::string>{"done", "ENOMEM"});
    REQUIRE(group.enforcer().remove("job") == Status());
    // Without the limit of reservations the third page can be had, and kills at the first touch.
    (void)group.job({{"hugetlb.2MB.max", "4194304"}});
    CHECK(answers_to(group, Attacker::user, {"huge 2", "huge 3"}) ==
          std::vector<std::string>{"done", "signal-7"});
}

TEST_CASE("kernel: reading from a disk is slowed down to its limit", "[os][privileged]") {
    if (!has_kernel() || !has_controller("io") || !has_scratch_disk()) return;
    struct stat about {};
    REQUIRE(::stat("/dev/vda", &about) == 0);
    const std::string disk =
        std::to_string(::major(about.st_rdev)) + ":" + std::to_string(::minor(about.st_rdev));
    KernelGroup group;
    REQUIRE(group.above().run(enable_step("", "io")) == Status());
    const Plan plan = group.job({{"io.max", disk + " rbps=1048576"}});
    const auto begin = std::chrono::steady_clock::now();
    CHECK(group
              .run(plan,
                   "exec dd if=/dev/vda of=/dev/null bs=65536 count=64 iflag=direct 2>/dev/null")
              .exit_code == 0);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    CHECK(seconds.count() > 2.5);  // 4 MiB at 1 MiB/s; a disk in memory needs no tenth of it
    std::ifstream stat(group.path() + "/job/io.stat");
    std::string line;
    std::getline(stat, line);
    CHECK_THAT(line, Catch::Matchers::ContainsSubstring("rbytes=4194304"));
}

TEST_CASE("kernel: two of 16 CPUs, and memory of their NUMA node", "[os][privileged][guest-numa]") {
    if (!has_kernel()) return;
    if (!std::filesystem::exists("/sys/devices/system/node/node3")) {
        WARN("SKIPPED: 4 NUMA nodes are needed");
        return;
    }
    std::ifstream of_node("/sys/devices/system/node/node2/cpulist");
    std::string cpus;
    of_node >> cpus;
    REQUIRE(cpus == "8-11");
    KernelGroup group;
    const Plan plan =
        group.job({{"cpuset.cpus", "9-10"}, {"cpuset.mems", "2"}, {"memory.max", "268435456"}});
    CHECK(group.run(plan, "test $(nproc) = 2").exit_code == 0);
    CHECK(group.run(plan, "grep -q 'Cpus_allowed_list:.*\t9-10$' /proc/self/status").exit_code ==
          0);
    CHECK(group.run(plan, "grep -q 'Mems_allowed_list:.*\t2$' /proc/self/status").exit_code == 0);
    // Nothing of what it maps for itself is elsewhere.
    CHECK(group.run(plan, "! grep anon= /proc/self/numa_maps | grep -q 'N[013]='").exit_code == 0);
    const auto child = group.enforcer().spawn(
        plan, shell("exec sh -c 'x=$(head -c 4194304 /dev/zero | tr \"\\0\" x); sleep 1000'"));
    REQUIRE(child.ok());
    std::string anonymous;
    const auto on_node = [&](const std::string& node) {
        const std::size_t at = anonymous.find(node + "=");
        return at == std::string::npos ? 0 : std::stoll(anonymous.substr(at + node.size() + 1));
    };
    const bool is_there = is_soon([&] {
        std::ifstream stat(group.path() + "/job/memory.numa_stat");
        std::getline(stat, anonymous);
        return on_node("N2") >= 4'194'304;
    });
    INFO(anonymous);
    CHECK(is_there);
    CHECK(on_node("N0") + on_node("N1") + on_node("N3") == 0);
    CHECK(group.enforcer().remove("job") == Status());
    CHECK(group.enforcer().wait(*child).ok());
}

}  // namespace trestle
