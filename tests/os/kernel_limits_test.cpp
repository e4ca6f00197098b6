// SPDX-License-Identifier: Apache-2.0
// Limits hold on a real kernel: memory, CPUs, CPU time, processes, devices.
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "os/kernel_support.hpp"
#include "os/soon.hpp"
#include "support/catch.hpp"
#include "trestle/os/discover.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

/// `tail` keeps what it reads until it finds a line end, and /dev/zero has none.
constexpr const char* eat_memory = "tail /dev/zero";

/// Device nodes of a major for local use without a driver: opening one gives ENXIO where the filter
/// allows it and EPERM where it does not.
class NodesWithoutDriver {
  public:
    NodesWithoutDriver() {
        std::string pattern = (std::filesystem::temp_directory_path() / "trestle-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        folder_ = pattern;
        for (unsigned minor = 0; minor < 2; ++minor) {
            REQUIRE(::mknod(path(minor).c_str(), S_IFCHR | 0666, ::makedev(120, minor)) == 0);
        }
    }
    NodesWithoutDriver(const NodesWithoutDriver&) = delete;
    NodesWithoutDriver& operator=(const NodesWithoutDriver&) = delete;
    ~NodesWithoutDriver() { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string path(unsigned minor) const {
        return folder_ + "/nvidia" + std::to_string(minor);
    }
    /// A script that makes the first node once more, and says so on stdout where it cannot.
    [[nodiscard]] std::string make_again() const {
        const std::string path = folder_ + "/again";
        return "{ mknod " + path + " c 120 0 2>&1 && rm " + path + "; }";
    }
    /// A script that succeeds when opening the node fails with this text.
    [[nodiscard]] std::string opens_with(unsigned minor, const std::string& text) const {
        return "cat " + path(minor) + " 2>&1 | grep -q '" + text + "'";
    }

  private:
    std::string folder_;
};

constexpr const char* no_permission = "Operation not permitted";
constexpr const char* admitted = "No such device or address";

DeviceAllowList only(const std::string& path) {
    DeviceAllowList list{pseudo_devices(), {}};
    list.files.push_back({{path, Device::File::Kind::character, {}, {}},
                          DeviceRule::Access::read_write(),
                          DeviceAllowList::File::Presence::required,
                          ""});
    return list;
}

}  // namespace

TEST_CASE("kernel: a command over its memory is killed and reported so", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job(
        {{"memory.max", "33554432"}, {"memory.swap.max", "0"}, {"memory.oom.group", "1"}});
    const Outcome outcome = group.run(plan, std::string("exec ") + eat_memory);
    CHECK(outcome.ending == Outcome::Ending::out_of_memory);
    CHECK(outcome.signal_number == SIGKILL);
    CHECK(outcome.oom_kills > Count(0));
    CHECK(exit_status(outcome) == 125);
    const auto usage = group.enforcer().observe("job");
    REQUIRE(usage.ok());
    // Charges that the kernel may not refuse go over the limit by some pages.
    CHECK(usage->memory_peak <= mib(34));
    CHECK(usage->memory_peak > mib(16));
    CHECK(usage->oom_kills > Count(0));
    CHECK_FALSE(usage->pids);  // no pids controller was asked for
}

TEST_CASE("kernel: without oom.group the command outlives its child, with it all die",
          "[os][privileged]") {
    if (!has_kernel()) return;
    const std::string script = std::string(eat_memory) + "; exit 5";
    for (const char* oom_group : {"0", "1"}) {
        INFO("memory.oom.group " << oom_group);
        KernelGroup group;
        const Plan plan = group.job({{"memory.max", "33554432"},
                                     {"memory.swap.max", "0"},
                                     {"memory.oom.group", oom_group}});
        const Outcome outcome = group.run(plan, script);
        CHECK(outcome.oom_kills > Count(0));
        if (*oom_group == '0') {
            CHECK(outcome.ending == Outcome::Ending::exited);
            CHECK(outcome.exit_code == 5);
        } else {
            CHECK(outcome.ending == Outcome::Ending::out_of_memory);
        }
    }
}

TEST_CASE("kernel: a kill that is not for memory is recognised, also after one that was",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({{"memory.max", "33554432"}, {"memory.swap.max", "0"}});
    CHECK(group.run(plan, std::string("exec ") + eat_memory).ending ==
          Outcome::Ending::out_of_memory);
    CHECK(group.run(plan, "kill -9 $$") == signaled(9, Count(0)));
    CHECK(group.run(plan, "exit 3") == exited(3, Count(0)));
}

TEST_CASE("kernel: a kill for memory is reported after the group was removed, and ours is not one",
          "[os][privileged]") {
    if (!has_kernel()) return;
    struct Row {
        const char* in_group;
        std::string script;
        bool ends_itself;
        Outcome outcome;
    };
    const std::string eats = std::string("exec ") + eat_memory;
    const Row rows[] = {
        {"job", eats, true, signaled(SIGKILL, Count(1))},
        {"job/step", eats, true, signaled(SIGKILL, Count(1))},
        {"job", "exit 3", true, exited(3, Count(0))},
        // One that it started was killed for memory; it is the removal that ends this one.
        {"job",
         std::string(eat_memory) + "; exec sleep 1000",
         false,
         {Outcome::Ending::signaled, 0, SIGKILL, Count(1)}},
    };
    for (const Row& row : rows) {
        INFO(row.in_group << ": " << row.script);
        KernelGroup group;
        Plan plan = group.job({{"memory.max", "33554432"}, {"memory.swap.max", "0"}});
        plan.group = row.in_group;
        if (plan.group != "job") {
            REQUIRE(group.enforcer().run(enable_step("job", "memory")) == Status());
            REQUIRE(group.enforcer().run(make_step(plan.group)) == Status());
        }
        const auto child = group.enforcer().spawn(plan, shell(row.script));
        REQUIRE(child.ok());
        REQUIRE(is_soon([&] {
            siginfo_t info{};
            const auto id = static_cast<id_t>(child->pid);
            if (row.ends_itself) {
                return ::waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                       info.si_pid != 0;
            }
            const auto usage = group.enforcer().observe("job");
            REQUIRE(usage.ok());
            return usage->oom_kills > Count(0);
        }));
        REQUIRE(group.enforcer().remove("job") == Status());
        CHECK(group.enforcer().wait(*child).value() == row.outcome);
    }
}

TEST_CASE("kernel: a command asked for two CPUs sees two, by the whole road", "[os][privileged]") {
    if (!has_kernel()) return;
    const auto node = os::discover();
    REQUIRE(node.ok());
    if (node->shape->hardware.core_count() < 3) {
        WARN("SKIPPED: 3 cores are needed, there are " << node->shape->hardware.core_count());
        return;
    }
    NodePlacement placement;
    placement.cores = CoreSet::range({1, 3});
    placement.memory = {{DomainId(0), mib(64)}};
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(2));
    request.memory = Range<Bytes>::exactly(mib(64));
    LimitPolicy policy;
    policy.pids_max = Count(32);
    policy.has_cpu_quota = true;
    if (!kernel_support().capabilities.no_device_filter.empty()) {
        policy.requirements.devices = Requirement::skip;
    }
    KernelGroup group;
    const auto made =
        plan(*node, placement, request, policy, {.group = "job", .owner = OwnerId(7)});
    REQUIRE(made.ok());
    std::vector<std::string> lines;
    const auto applied = group.enforcer().apply(
        *made, [&](const TraceEvent& event) { lines.push_back(to_text(event)); });
    INFO(applied.status().ToString());
    REQUIRE(applied.ok());
    CHECK(applied->shortfalls.empty());
    CHECK(lines.size() == made->steps.size());

    const PuSet threads = threads_of(*node->shape, placement);
    const std::string count = std::to_string(threads.count());
    CHECK(group.run(*made, "test $(nproc) = " + count).exit_code == 0);
    CHECK(
        group
            .run(*made, "grep -q 'Cpus_allowed_list:.*" + to_text(threads) + "$' /proc/self/status")
            .exit_code == 0);
    // The cpuset holds too when the command gives itself another affinity.
    CHECK(group.run(*made, "taskset -p ffff $$ >/dev/null && test $(nproc) = " + count).exit_code ==
          0);
    CHECK(
        group.run(*made, "test $(cat " + group.path() + "/job/memory.max) = 67108864").exit_code ==
        0);
    CHECK(group.run(*made, "test $(cat " + group.path() + "/job/pids.max) = 32").exit_code == 0);
    CHECK(group.run(*made, "echo x > /dev/null && head -c 4 /dev/urandom >/dev/null").exit_code ==
          0);
}

TEST_CASE("kernel: a CPU that the group above does not have fails the step and changes nothing",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    auto& enforcer = group.enforcer();
    REQUIRE(enforcer.run(enable_step("", "cpuset")) == Status());
    REQUIRE(enforcer.run(make_step("a")) == Status());
    REQUIRE(enforcer.run(write_step("a", {"cpuset.cpus", "0"})) == Status());
    REQUIRE(enforcer.run(enable_step("a", "cpuset")) == Status());
    REQUIRE(enforcer.run(make_step("a/b")) == Status());
    const Status refused = enforcer.run(write_step("a/b", {"cpuset.cpus", "1"}));
    CHECK(refused.code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(std::string(message(refused)), ContainsSubstring("the kernel gives none of 1"));
    CHECK(enforcer.run(write_step("a/b", {"cpuset.cpus", "0"})) == Status());
    CHECK_FALSE(enforcer.run(write_step("a/b", {"cpuset.cpus", "0-1"})).ok());
    const auto text = [&] {
        Plan plan;
        plan.group = "a/b";
        return group.run(plan, "test $(cat " + group.path() + "/a/b/cpuset.cpus) = 0");
    }();
    CHECK(text.exit_code == 0);
}

TEST_CASE("kernel: a CPU quota slows the command down and is seen", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({{"cpu.max", "20000 100000"}});
    const auto child = group.enforcer().spawn(plan, shell("while :; do :; done"));
    REQUIRE(child.ok());
    // However fast the machine is; what it takes too much of at once is taken back later.
    CHECK(is_soon([&] {
        const auto usage = group.enforcer().observe("job");
        REQUIRE(usage.ok());
        return usage->throttled_periods >= Count(10) && usage->throttled_time > Microseconds(0) &&
               *usage->cpu_time <= Microseconds(20'000) * (usage->cpu_periods->value() + 2);
    }));
    CHECK(group.enforcer().remove("job") == Status());
    CHECK(group.enforcer().wait(*child).ok());
}

TEST_CASE("kernel: a group of three times the weight has three times as much of a busy CPU",
          "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    std::vector<Child> children;
    for (const auto& [name, weight] : {std::pair("light", "100"), std::pair("heavy", "300")}) {
        Plan plan;
        plan.group = name;
        plan.steps = {enable_step("", "cpuset"), enable_step("", "cpu"), make_step(name),
                      write_step(name, {"cpuset.cpus", "0"}),
                      write_step(name, {"cpu.weight", weight})};
        REQUIRE(group.enforcer().apply(plan).ok());
        const auto child = group.enforcer().spawn(plan, shell("while :; do :; done"));
        REQUIRE(child.ok());
        children.push_back(*child);
    }
    const auto cpu_us = [&](const char* name) {
        const auto usage = group.enforcer().observe(name);
        REQUIRE(usage.ok());
        return usage->cpu_time.value().value();
    };
    const std::int64_t light_before = cpu_us("light");
    const std::int64_t heavy_before = cpu_us("heavy");
    std::int64_t light = 0;
    std::int64_t heavy = 0;
    // In the long run: where the machine stands still, either may have had it meanwhile.
    const bool is_shared = is_soon([&] {
        light = cpu_us("light") - light_before;
        heavy = cpu_us("heavy") - heavy_before;
        return light > 300'000 && heavy * 2 >= light * 5 && heavy * 2 <= light * 7;
    });
    INFO("light " << light << " us, heavy " << heavy << " us");
    CHECK(is_shared);
    for (const Child& child : children) {
        CHECK(group.enforcer().remove(child.group) == Status());
        CHECK(group.enforcer().wait(child).ok());
    }
}

TEST_CASE("kernel: more processes than allowed cannot be started", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({{"pids.max", "4"}});
    const std::string fork_eight =
        "for i in 1 2 3 4 5 6 7 8; do sleep 1000 & done 2>/dev/null; exit 0";
    CHECK(group.run(plan, fork_eight).exit_code != 0);
    const auto usage = group.enforcer().observe("job");
    REQUIRE(usage.ok());
    CHECK(usage->pids <= Count(4));
    CHECK(usage->pids > Count(1));
    CHECK(group.enforcer().remove("job") == Status());
}

TEST_CASE("kernel: opening a device that was not given is refused, a given one is not",
          "[os][privileged]") {
    if (!has_device_filters()) return;
    const NodesWithoutDriver nodes;
    for (const auto start : {os::StartMethod::automatic, os::StartMethod::fork_and_move}) {
        KernelGroup group({.start = start});
        const Plan plan = group.job({});
        CHECK(group.run(plan, nodes.opens_with(0, admitted)).exit_code == 0);
        CHECK(group.run(plan, nodes.make_again()).exit_code == 0);
        REQUIRE(group.enforcer().run(filter_step("job", only(nodes.path(0)))) == Status());
        CHECK(group.run(plan, nodes.opens_with(0, admitted)).exit_code == 0);
        CHECK(group.run(plan, nodes.opens_with(1, no_permission)).exit_code == 0);
        CHECK(
            group.run(plan, nodes.make_again() + " | grep -q '" + no_permission + "'").exit_code ==
            0);
        CHECK(group.run(plan, "echo x > /dev/null && head -c 1 /dev/zero > /dev/null").exit_code ==
              0);
    }
}

TEST_CASE("kernel: a group below cannot open what the group above may not", "[os][privileged]") {
    if (!has_device_filters()) return;
    const NodesWithoutDriver nodes;
    KernelGroup group;
    Plan plan = group.job({});
    REQUIRE(group.enforcer().run(filter_step("job", only(nodes.path(0)))) == Status());
    REQUIRE(group.enforcer().run(make_step("job/step")) == Status());
    DeviceAllowList all = only(nodes.path(1));
    REQUIRE(group.enforcer().run(filter_step("job/step", all)) == Status());
    plan.group = "job/step";
    CHECK(group.run(plan, nodes.opens_with(0, no_permission)).exit_code == 0);
    CHECK(group.run(plan, nodes.opens_with(1, no_permission)).exit_code == 0);
}

TEST_CASE("kernel: device files are looked up when the filter is loaded", "[os][privileged]") {
    if (!has_device_filters()) return;
    const NodesWithoutDriver nodes;
    KernelGroup group;
    const Plan plan = group.job({});
    DeviceAllowList stale = only(nodes.path(1));
    stale.files[0].file.major = 120;
    stale.files[0].file.minor = 0;
    REQUIRE(group.enforcer().run(filter_step("job", stale)) == Status());
    CHECK(group.run(plan, nodes.opens_with(0, no_permission)).exit_code == 0);
    CHECK(group.run(plan, nodes.opens_with(1, admitted)).exit_code == 0);

    const Status missing = group.enforcer().run(filter_step("job", only("/dev/no_such_gpu")));
    CHECK(missing.code() == StatusCode::kNotFound);
    const Status no_device = group.enforcer().run(filter_step("job", only("/etc/passwd")));
    CHECK(no_device.code() == StatusCode::kInvalidArgument);
    CHECK_THAT(std::string(message(no_device)),
               ContainsSubstring("/etc/passwd: not a character device"));
}

TEST_CASE("kernel: a filter of thousands of rules loads and decides", "[os][privileged]") {
    if (!has_device_filters()) return;
    const NodesWithoutDriver nodes;
    KernelGroup group;
    const Plan plan = group.job({});
    DeviceAllowList list{pseudo_devices(), {}};
    for (std::uint32_t minor = 1; minor < 4000; ++minor) {
        list.rules.add(
            {Device::File::Kind::character, 120, minor, DeviceRule::Access::read_write()});
    }
    const Status loaded = group.enforcer().run(filter_step("job", list));
    INFO(loaded.ToString());
    REQUIRE(loaded.ok());
    CHECK(group.run(plan, nodes.opens_with(0, no_permission)).exit_code == 0);
    CHECK(group.run(plan, nodes.opens_with(1, admitted)).exit_code == 0);
}

}  // namespace trestle
