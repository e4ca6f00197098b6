// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/drift.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "enforce/detail/readback.hpp"
#include "support/catch.hpp"
#include "support/limit_text.hpp"

namespace {

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

static_assert(lists_all_fields<Drift>);

Step written(const std::string& file, const std::string& value) {
    return limit_step("job", file, value, "some");
}

TEST_CASE("drift_of: what the kernel says after a write is no drift, anything else is",
          "[enforce][drift]") {
    struct Row {
        const char* file;
        const char* written;
        const char* found;
        bool is_same;
        const char* why;
    };
    const Row rows[] = {
        {"memory.max", "67108864", "67108864", true, "the same"},
        {"memory.max", "67108865", "67108864", true, "rounded down to a page"},
        {"memory.max", "67112959", "67108864", true, "the last byte before the next page"},
        {"memory.max", "67112960", "67108864", false, "a page more"},
        {"memory.max", "67108864", "67104768", false, "a page less"},
        {"memory.max", "max", "max", true, "no limit"},
        {"memory.max", "max", "67108864", false, "a limit where none was wanted"},
        {"memory.max", "67108864", "max", false, "the limit was taken off"},
        {"memory.max", "9223372036854775807", "max", true, "more than can be counted"},
        {"memory.max", "4095", "0", true, "less than a page is nothing"},
        {"memory.oom.group", "1", "1", true, "a switch"},
        {"memory.oom.group", "1", "0", false, "a switch set back: 0 and 1 are the same page"},
        {"memory.max", "1", "nonsense", false, "no number"},
        {"memory.max", "1", "", false, "nothing"},
        {"memory.swap.max", "0", "0", true, "no swap"},
        {"hugetlb.2MB.max", "3145728", "2097152", true, "rounded down to a huge page"},
        {"hugetlb.2MB.rsvd.max", "4194304", "2097152", false, "a huge page less"},
        {"hugetlb.1GB.max", "1073741824", "1073741824", true, "one of the large ones"},
        {"pids.max", "32", "32", true, "a number"},
        {"pids.max", "32", "max", false, "the limit was taken off"},
        {"cpu.max", "50000 100000", "50000 100000", true, "quota and period"},
        {"cpu.max", "50000 100000", "50000 200000", false, "another period"},
        {"cpu.max", "max", "max 100000", true, "no quota, a period all the same"},
        {"cpu.max", "max", "50000 100000", false, "a quota"},
        {"cpu.weight", "100", "100", true, "a weight"},
        {"cpu.weight", "100", "1", false, "another weight"},
        {"cpuset.cpus", "0-3", "0-3", true, "a list"},
        {"cpuset.cpus", "0,1,2,3", "0-3", true, "another way to write it"},
        {"cpuset.cpus", "0-3", "", false, "emptied, as a manager does on reload"},
        {"cpuset.cpus", "0-3", "0-2", false, "less"},
        {"cpuset.mems", "0", "0-1", false, "more"},
        {"cpuset.cpus.partition", "root", "root", true, "a partition"},
        {"cpuset.cpus.partition", "root", "root invalid (Parent is not a partition root)", false,
         "a partition that is none any more"},
        {"cpuset.cpus.partition", "root", "member", false, "set back"},
        {"io.max", "8:0 rbps=1048576", "8:0 rbps=1048576 wbps=max riops=max wiops=max", true,
         "defaults added"},
        {"io.max", "8:0 rbps=1048576 wbps=5",
         "8:16 rbps=9 wbps=9 riops=max wiops=max\n8:0 rbps=1048576 wbps=5 riops=max wiops=max",
         true, "one of two devices"},
        {"io.max", "8:0 rbps=1048576", "8:16 rbps=1048576", false, "another device"},
        {"io.max", "8:0 rbps=1048576", "8:0 rbps=1048577 wbps=max", false, "another number"},
        {"io.max", "8:0 rbps=1048576", "", false, "gone"},
        {"io.max", "8:0 rbps=max", "", true, "no limit has no line"},
        {"io.max", "8:0 rbps=max", "8:0 rbps=7 wbps=max", false, "a limit where none was wanted"},
        {"io.weight", "200", "default 200", true, "the default weight"},
        {"io.weight", "200", "default 100\n8:0 200", false, "of one device only"},
        {"rdma.max", "mlx4_0 hca_handle=2",
         "mlx4_0 hca_handle=2 hca_object=max\nmlx5_0 "
         "hca_handle=max hca_object=max",
         true, "one of two cards"},
        {"misc.max", "sev 3", "sev 3\nsev_es max", true, "one of two resources"},
        {"misc.max", "sev 3", "sev max\nsev_es max", false, "the limit was taken off"},
    };
    for (const Row& row : rows) {
        INFO(row.file << ": " << row.why);
        const Step step = written(row.file, row.written);
        const auto drift = drift_of(step, {row.found});
        CHECK(drift.has_value() != row.is_same);
        if (!drift) continue;
        CHECK(drift->resource == "some");
        CHECK(drift->file == row.file);
        CHECK(drift->expected == value_of_step(step));
        CHECK(drift->found.find('\n') == std::string::npos);
        CHECK_THAT(drift->why, ContainsSubstring("partition") || ContainsSubstring("since"));
    }
}

TEST_CASE("drift_of: pages are those of the machine", "[enforce][drift]") {
    const Step step = written("memory.max", "100000");
    CHECK_FALSE(drift_of(step, {"98304", Bytes(4096)}));
    CHECK_FALSE(drift_of(step, {"65536", Bytes(65536)}));
    CHECK(drift_of(step, {"65536", Bytes(4096)}));
}

TEST_CASE("drift_of: steps that write nothing have no drift", "[enforce][drift]") {
    const Step::Action actions[] = {Step::MakeGroup{}, Step::EnableController{"memory"},
                                    Step::LoadFilter{}, Step::LabelGroup{}};
    for (const Step::Action& action : actions) {
        CHECK_FALSE(drift_of({action, Requirement::require, "some", "job"}, {"2"}));
    }
}

TEST_CASE("is_overwritten: of two steps for one thing only the last counts", "[enforce][drift]") {
    const Step filter{Step::LoadFilter{}, Requirement::require, "devices", "job"};
    const Step make{Step::MakeGroup{}, Requirement::require, "", "job"};
    Step other = written("memory.max", "1");
    other.group = "job/step";
    const std::vector<Step> steps = {make,
                                     written("memory.max", "1"),
                                     written("io.max", "8:0 rbps=1"),
                                     filter,
                                     written("io.max", "8:16 rbps=1"),
                                     other,
                                     written("memory.max", "2"),
                                     written("io.max", "8:0 rbps=2"),
                                     filter,
                                     make};
    const std::vector<bool> expected = {false, true,  true,  true,  false,
                                        false, false, false, false, false};
    for (std::size_t i = 0; i < steps.size(); ++i) {
        INFO("step " << i << " " << to_text(steps[i]));
        CHECK(is_overwritten(steps, i) == expected[i]);
    }
}

TEST_CASE("effective_drift_of: what the kernel makes of a list", "[enforce][drift]") {
    const Step cpus = written("cpuset.cpus", "2-3");
    CHECK_FALSE(effective_drift_of(cpus, {"2-3"}));
    const auto wider = effective_drift_of(cpus, {"0-3"});
    REQUIRE(wider);
    CHECK(to_text(*wider) ==
          "some: cpuset.cpus.effective is 0-3, expected 2-3: wider than the plan: a CPU is "
          "offline, or belongs to another partition");
    const auto fewer = effective_drift_of(cpus, {"2"});
    REQUIRE(fewer);
    CHECK(fewer->why == "a CPU is offline, or belongs to another partition");
    const auto other = effective_drift_of(written("cpuset.mems", "0"), {"1"});
    REQUIRE(other);
    CHECK_THAT(other->why, ContainsSubstring("wider than the plan: a memory node"));
    CHECK(effective_drift_of(cpus, {""}));
    CHECK(effective_drift_of(cpus, {"nonsense"}));
    CHECK_FALSE(effective_drift_of(written("memory.max", "1"), {"2"}));
    CHECK(to_text(Drift{"memory", "memory.max", "1", "", "gone"}) ==
          "memory: memory.max is missing, expected 1: gone");
}

}  // namespace
