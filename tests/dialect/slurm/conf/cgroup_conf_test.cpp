// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/conf/cgroup_conf.hpp"

#include "support/catch.hpp"
#include "support/gpu_node.hpp"
#include "support/limit_text.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/enforce/plan.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("Slurm cgroup.conf: every key", "[dialect][slurm]") {
    const auto conf = slurm::parse_cgroup_conf(
        "# comment\nConstrainCores=yes\nConstrainDevices=YES\nConstrainRAMSpace=yes\n"
        "ConstrainSwapSpace=yes\nAllowedRAMSpace=90\nAllowedSwapSpace=10.5\nMaxRAMPercent=80%\n"
        "MaxSwapPercent=50\nMinRAMSpace=100\nMemorySwappiness=10\nSignalChildrenProcesses=yes\n"
        "CgroupPlugin=cgroup/v2 CgroupAutomount=yes\nCgroupPlugin=autodetect\n");
    INFO(message(conf.status()));
    REQUIRE(conf.ok());
    CHECK(conf->constrains_cores);
    CHECK(conf->constrains_devices);
    CHECK(conf->constrains_memory);
    CHECK(conf->constrains_swap);
    CHECK(conf->allowed_memory_percent == 90);
    CHECK(conf->allowed_swap_percent == 10.5);
    CHECK(conf->max_memory_percent == 80);
    CHECK(conf->max_swap_percent == 50);
    CHECK(conf->min_memory == mib(100));
    CHECK(conf->swappiness == 10);
    CHECK(conf->signals_children);
    REQUIRE(conf->passthrough.size() == 2);
    CHECK(conf->passthrough[0].value == "autodetect");
    CHECK(slurm::parse_cgroup_conf("").value() == slurm::CgroupConf());
}

TEST_CASE("Slurm cgroup.conf: all errors of a file", "[dialect][slurm]") {
    const auto reading = slurm::read_cgroup_conf(
        "ConstrainCors=yes\nConstrainCores=maybe MinRAMSpace=1G\nAllowedRAMSpace=-1\n"
        "AllowedSwapSpace=nan\nMaxRAMPercent=1e9\nMemorySwappiness=101\nMaxSwapPercent=\n"
        "ConstrainDevices=yes\n");
    std::vector<std::string> errors;
    for (const slurm::ConfError& error : reading.errors) errors.push_back(to_text(error));
    const char* expected[] = {
        ("cgroup.conf line 1: unknown key at offset 0 (\"ConstrainCors\"): expected a known key; "
         "the nearest is ConstrainCores"),
        "line 2: unknown answer at offset 15 (\"maybe\")",
        "line 2: malformed number at offset 33 (\"1G\")",
        "line 3: malformed percentage at offset 16 (\"-1\")",
        "line 4: malformed percentage at offset 17 (\"nan\")",
        "line 5: malformed percentage at offset 14 (\"1e9\")",
        "line 6: malformed number at offset 17 (\"101\")",
        "line 7: malformed percentage at offset 15 (end of text)"};
    REQUIRE(errors.size() == std::size(expected));
    for (std::size_t i = 0; i < errors.size(); ++i) {
        CHECK_THAT(errors[i], ContainsSubstring(expected[i]));
    }
    CHECK(reading.conf.constrains_devices);
}

TEST_CASE("Slurm cgroup.conf: what is enforced", "[dialect][slurm]") {
    const auto policy = [](const char* text, slurm::OomKills oom) {
        return slurm::limit_policy(slurm::parse_cgroup_conf(text).value(), oom);
    };
    using enum Requirement;
    const auto only = [](auto... fields) {
        Requirements requirements = Requirements::all(skip);
        ((requirements.*fields = require), ...);
        return requirements;
    };
    const LimitPolicy nothing = policy("", slurm::OomKills::process);
    CHECK(nothing.requirements == Requirements::all(skip));
    CHECK_FALSE(nothing.has_oom_group);
    CHECK(policy("ConstrainCores=yes", slurm::OomKills::process).requirements ==
          only(&Requirements::cpu));
    CHECK(policy("ConstrainDevices=yes", slurm::OomKills::process).requirements.devices == require);
    CHECK(policy("ConstrainRAMSpace=yes", slurm::OomKills::step).requirements ==
          only(&Requirements::memory));
    CHECK(policy("ConstrainSwapSpace=yes", slurm::OomKills::step).requirements ==
          only(&Requirements::memory, &Requirements::swap));
    CHECK(policy("", slurm::OomKills::step).has_oom_group);
}

TEST_CASE("Slurm cgroup.conf: percentages reach the plan", "[dialect][slurm]") {
    struct Row {
        const char* conf;
        const char* expected;  ///< files of memory and MiB
        const char* why;
    };
    const Row rows[] = {
        {"ConstrainRAMSpace=yes", "memory.max=1000", "as much as was allocated"},
        {"ConstrainRAMSpace=yes AllowedRAMSpace=90", "memory.max=900", "less"},
        {"ConstrainRAMSpace=yes AllowedRAMSpace=150", "memory.max=1500 memory.high=1000",
         "more, but slowed down from the allocated on"},
        {"ConstrainRAMSpace=yes MinRAMSpace=2000", "memory.max=2000", "MinRAMSpace"},
        {"ConstrainRAMSpace=yes ConstrainSwapSpace=yes", "memory.max=1000 memory.swap.max=0",
         "no swap"},
        {"ConstrainRAMSpace=yes ConstrainSwapSpace=yes AllowedRAMSpace=90 AllowedSwapSpace=25",
         "memory.max=900 memory.swap.max=250", "percentages of both"},
        {"ConstrainSwapSpace=yes AllowedSwapSpace=50", "memory.max=1500 memory.swap.max=0",
         "one limit for both"},
        {"AllowedRAMSpace=90", "", "nothing is constrained"},
    };
    NodePlacement placement = two_gpus();
    placement.memory = {{DomainId(0), mib(1000)}};
    Request request;
    request.memory = Range<Bytes>::exactly(mib(1000));
    PlanOptions options;
    options.group = "job_1";
    for (const Row& row : rows) {
        INFO(row.conf << ": " << row.why);
        const LimitPolicy policy = slurm::limit_policy(slurm::parse_cgroup_conf(row.conf).value(),
                                                       slurm::OomKills::process);
        const auto made = plan(gpu_node(), placement, request, policy, options);
        REQUIRE(made.ok());
        std::string files;
        for (const Step& step : made->steps) {
            const std::string file = file_of_step(step);
            if (!file.starts_with("memory.")) continue;
            files += fmt::format("{}{}={}", files.empty() ? "" : " ", file,
                                 std::stoll(value_of_step(step)) / mib(1).value());
        }
        CHECK(files == row.expected);
    }
}

TEST_CASE("Slurm cgroup.conf: memory in numbers", "[dialect][slurm]") {
    struct Row {
        const char* conf;
        std::int64_t allocated;
        const char* expected;  ///< max, high, swap in MiB; - for none
        const char* why;
    };
    const Row rows[] = {
        {"", 1000, "- - -", "nothing is constrained"},
        {"ConstrainRAMSpace=yes", 1000, "1000 1000 -", "as much as was allocated"},
        {"ConstrainRAMSpace=yes", 0, "10000 10000 -", "0 is all of the node's"},
        {"ConstrainRAMSpace=yes AllowedRAMSpace=110", 1000, "1100 1000 -", "throttled first"},
        {"ConstrainRAMSpace=yes AllowedRAMSpace=50", 1000, "500 500 -", "high is max at most"},
        {"ConstrainRAMSpace=yes", 5, "30 30 -", "MinRAMSpace"},
        {"ConstrainRAMSpace=yes MinRAMSpace=64", 5, "64 64 -", "another MinRAMSpace"},
        {"ConstrainRAMSpace=yes MaxRAMPercent=50", 9000, "5000 5000 -", "MaxRAMPercent"},
        {"ConstrainRAMSpace=yes ConstrainSwapSpace=yes", 1000, "1000 1000 0", "no swap allowed"},
        {"ConstrainRAMSpace=yes ConstrainSwapSpace=yes AllowedSwapSpace=25", 1000, "1000 1000 250",
         "a quarter more in swap"},
        {"ConstrainRAMSpace=yes ConstrainSwapSpace=yes AllowedSwapSpace=100 MaxSwapPercent=5",
         10000, "10000 10000 500", "MaxSwapPercent"},
        {"ConstrainSwapSpace=yes AllowedSwapSpace=50", 1000, "1500 1500 0",
         "swap alone: one limit for both"},
    };
    for (const Row& row : rows) {
        INFO(row.conf << ": " << row.why);
        const auto conf = slurm::parse_cgroup_conf(row.conf);
        REQUIRE(conf.ok());
        const auto limits = slurm::memory_limits(*conf, mib(row.allocated), mib(10'000));
        const auto text = [](const std::optional<Bytes>& bytes) {
            return bytes ? fmt::format("{}", bytes->value() / mib(1).value()) : "-";
        };
        CHECK(text(limits.max) + " " + text(limits.high) + " " + text(limits.swap_max) ==
              row.expected);
    }
    slurm::CgroupConf most;
    most.constrains_memory = most.constrains_swap = true;
    most.allowed_memory_percent = most.allowed_swap_percent = 1e6;
    most.max_memory_percent = most.max_swap_percent = 1e6;
    CHECK(slurm::memory_limits(most, Bytes::max(), Bytes::max()).max == Bytes::max());
}
