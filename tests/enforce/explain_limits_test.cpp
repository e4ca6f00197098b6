// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/explain_limits.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/gpu_node.hpp"

namespace {

using namespace trestle;

static_assert(lists_all_fields<LimitRow>);

std::vector<LimitRow> explained(const Request& request, const NodePlacement& placement,
                                const LimitPolicy& policy) {
    return explain_limits(request, gpu_shape(), placement, policy);
}

LimitRow row_of(const std::vector<LimitRow>& rows, const std::string& resource) {
    for (const LimitRow& row : rows) {
        if (row.resource == resource) return row;
    }
    FAIL("no row for " << resource);
    return {};
}

TEST_CASE("explain_limits: memory, asked and granted and limited", "[enforce][limits]") {
    Request slurm = four_cpus();
    CHECK(row_of(explained(slurm, two_cores(), {}), "memory") ==
          LimitRow{"memory", "16GiB", "16GiB", "16GiB", "memory.max", LimitRow::Exceeded::killed});

    Request dstack = four_cpus();
    dstack.memory = Range<Bytes>::at_least(gib(200));
    NodePlacement offer = two_cores();
    offer.memory = {{DomainId(0), gib(256)}};
    LimitPolicy capacity;
    capacity.source = LimitPolicy::Source::capacity;
    CHECK(row_of(explained(dstack, offer, capacity), "memory") ==
          LimitRow{"memory", "200GiB..", "256GiB", "256GiB", "memory.max",
                   LimitRow::Exceeded::killed});
    CHECK(row_of(explained(dstack, offer, {}), "memory") == LimitRow{"memory", "200GiB..", "256GiB",
                                                                     "200GiB", "memory.max",
                                                                     LimitRow::Exceeded::killed});

    slurm.memory = Range<Bytes>::exactly(gib(2));
    slurm.memory_per = Per::cpu;
    CHECK(row_of(explained(slurm, two_cores(), {}), "memory") ==
          LimitRow{"memory", "2GiB per cpu", "16GiB", "8GiB", "memory.max",
                   LimitRow::Exceeded::killed});
}

TEST_CASE("explain_limits: nothing asked means no limit and says so", "[enforce][limits]") {
    NodePlacement placement = two_cores();
    placement.memory.clear();
    const auto rows = explained(Request{}, placement, {});
    CHECK(row_of(rows, "memory") ==
          LimitRow{"memory", "-", "0", "-", "no limit", LimitRow::Exceeded::nothing});
    CHECK(row_of(rows, "swap") ==
          LimitRow{"swap", "-", "-", "-", "no limit", LimitRow::Exceeded::nothing});
    CHECK(row_of(rows, "pids") ==
          LimitRow{"pids", "-", "-", "-", "no limit", LimitRow::Exceeded::nothing});
    CHECK(row_of(rows, "devices") ==
          LimitRow{"devices", "-", "none", "none", "device filter", LimitRow::Exceeded::refused});
}

TEST_CASE("explain_limits: cores are given whole", "[enforce][limits]") {
    Request request = four_cpus();
    request.cpus_per_task = Range<Count>::exactly(Count(3));
    CHECK(row_of(explained(request, two_cores(), {}), "cpu") ==
          LimitRow{"cpu", "3", "4", "CPU 0-1,16-17", "cpuset.cpus and affinity",
                   LimitRow::Exceeded::throttled});
    NodePlacement tasks = two_cores();
    tasks.tasks = Count(2);
    request.cpus_per_task = Range<Count>::at_least(Count(1));
    CHECK(row_of(explained(request, tasks, {}), "cpu").asked == "2..");
}

TEST_CASE("explain_limits: thousandths of CPUs are time", "[enforce][limits]") {
    Request request = four_cpus();
    request.milli_cpus = MilliCpu(250);
    NodePlacement placement = two_cores();
    placement.tasks = Count(2);
    placement.milli_cpus = MilliCpu(500);
    CHECK(row_of(explained(request, placement, {}), "cpu") ==
          LimitRow{"cpu", "8 + 500 thousandths", "4 + 500 thousandths", "4500 ms a second",
                   "cpu.max", LimitRow::Exceeded::throttled});
    request.cpus_per_task = Range<Count>::exactly(Count(0));
    placement.cores = {};
    LimitPolicy policy;
    policy.has_cpu_quota = true;
    CHECK(row_of(explained(request, placement, policy), "cpu") ==
          LimitRow{"cpu", "500 thousandths", "500 thousandths", "500 ms a second", "cpu.max",
                   LimitRow::Exceeded::throttled});
}

TEST_CASE("explain_limits: what nothing enforces says so", "[enforce][limits]") {
    Request request = four_cpus();
    request.disk = Range<Bytes>::at_least(gib(500));
    request.shm_size = gib(8);
    const auto rows = explained(request, two_cores(), {});
    CHECK(row_of(rows, "disk") == LimitRow{"disk", "500GiB..", "-", "-", "matched, not enforced",
                                           LimitRow::Exceeded::nothing});
    CHECK(row_of(rows, "shm").when_exceeded == LimitRow::Exceeded::nothing);

    NodeShape shape = gpu_shape();
    shape.devices[2].shares = Count(4);
    shape.devices[3].files.clear();
    NodePlacement placement = two_gpus();
    CHECK(row_of(explain_limits(request, shape, placement, {}), "shares") ==
          LimitRow{"shares", "-", "1 of 4 of gpu 2", "-", "matched, not enforced",
                   LimitRow::Exceeded::nothing});
    placement.devices = {{DeviceId(3), Count(1)}};
    CHECK(row_of(explain_limits(request, shape, placement, {}), "devices") ==
          LimitRow{"devices", "-", "gpu 3", "-", "no device files, not enforced",
                   LimitRow::Exceeded::nothing});
}

TEST_CASE("explain_limits: time is kept by the program that runs the job", "[enforce][limits]") {
    Request request = four_cpus();
    request.time_limit = Seconds(7200);
    CHECK(row_of(explained(request, two_cores(), {}), "time") ==
          LimitRow{"time", "7200 s", "7200 s", "7200 s", "signals of its supervisor",
                   LimitRow::Exceeded::killed});
}

TEST_CASE("explain_limits: the policy shows", "[enforce][limits]") {
    LimitPolicy policy;
    policy.has_cpu_quota = true;
    policy.pids_max = Count(512);
    policy.requirements = Requirements::all(Requirement::skip);
    for (const LimitRow& row : explained(eight_cpus_two_gpus(), two_gpus(), policy)) {
        INFO(row.resource);
        CHECK(row.limited_to == "-");
        CHECK(row.mechanism == "skipped by the policy");
        CHECK(row.when_exceeded == LimitRow::Exceeded::nothing);
    }
    policy.requirements = Requirements::all(Requirement::best_effort);
    for (const LimitRow& row : explained(eight_cpus_two_gpus(), two_gpus(), policy)) {
        INFO(row.resource);
        CHECK_THAT(row.mechanism, Catch::Matchers::EndsWith(", best effort"));
    }
    policy.requirements = {};
    policy.requirements.memory = Requirement::skip;
    CHECK(row_of(explained(four_cpus(), two_cores(), policy), "swap").limited_to == "-");
}

TEST_CASE("explain_limits: one row for each name of devices", "[enforce][limits]") {
    NodeShape shape = gpu_shape();
    shape.devices[3].name = "fpga";
    Request request = eight_cpus_two_gpus();
    DeviceRequest nics;
    nics.name = "nic";
    nics.models = {"CX7", "CX6"};
    nics.memory = Range<Bytes>::at_most(gib(1));
    nics.count = Range<Count>();
    nics.per = Per::task;
    request.devices.push_back(nics);
    DeviceRequest shares;
    shares.count = Range<Count>::exactly(Count(1));
    shares.shares = Count(2);
    request.devices.push_back(shares);
    std::vector<LimitRow> devices;
    for (const LimitRow& row : explain_limits(request, shape, two_gpus(), {})) {
        if (row.resource == "devices") devices.push_back(row);
    }
    CHECK(devices == std::vector<LimitRow>{{"devices", "gpu:a100:2+gpu:1 of 2 shares", "gpu 2",
                                            "gpu 2", "device filter", LimitRow::Exceeded::refused},
                                           {"devices", "nic:CX7|CX6:..1GiB:any per task", "none",
                                            "none", "device filter", LimitRow::Exceeded::refused},
                                           {"devices", "-", "fpga 3", "fpga 3", "device filter",
                                            LimitRow::Exceeded::refused}});
}

TEST_CASE("explain_limits: what only the policy says", "[enforce][limits]") {
    LimitPolicy policy;
    policy.cpu_weight = Count(59);
    policy.partition = CpusetPartition::root;
    policy.memory_low = gib(1);
    policy.memory_min = gib(20);
    policy.memory_high = gib(15);
    policy.io = {{.major = 8, .minor = 0, .read_bytes = mib(1), .writes = Count(100)}};
    policy.io_weight = Count(200);
    policy.hugetlb = {{mib(2), mib(64)}};
    policy.rdma = {{"mlx5_0", Count(2), Count(100)}};
    policy.misc = {{"sev", Count(1)}};
    using enum LimitRow::Exceeded;
    const std::vector<LimitRow> expected = {
        {"cpu weight", "-", "-", "59 where others have 100", "cpu.weight, when others want it",
         throttled},
        {"partition", "-", "-", "root", "cpuset.cpus.partition: others are refused", nothing},
        {"memory", "16GiB", "16GiB", "15GiB", "memory.high", throttled},
        {"memory", "-", "-", "1GiB kept from others", "memory.low", nothing},
        {"memory", "-", "-", "16GiB kept from others", "memory.min", nothing},
        {"io 8:0", "-", "-", "1MiB a second read, 100 writes a second", "io.max", throttled},
        {"io weight", "-", "-", "200 where others have 100", "io.weight, when others want it",
         throttled},
        {"hugetlb 2MB", "-", "-", "64MiB", "hugetlb.2MB.rsvd.max and .max", refused},
        {"rdma mlx5_0", "-", "-", "2 handles, 100 objects", "rdma.max", refused},
        {"misc sev", "-", "-", "1", "misc.max", refused}};
    const auto rows = explained(four_cpus(), two_cores(), policy);
    for (const LimitRow& row : expected) {
        INFO(row.resource << " " << row.mechanism);
        CHECK(std::find(rows.begin(), rows.end(), row) != rows.end());
    }
    CHECK(rows.size() == explained(four_cpus(), two_cores(), {}).size() + expected.size());
    NodePlacement anywhere = two_cores();
    anywhere.milli_cpus = MilliCpu(1);
    CHECK(row_of(explained(four_cpus(), anywhere, policy), "partition").limited_to == "-");
    policy.pids_max = Count(10);
    policy.requirements = Requirements::all(Requirement::skip);
    for (const LimitRow& row : explained(four_cpus(), two_cores(), policy)) {
        INFO(row.resource);
        CHECK(row.limited_to == "-");
        CHECK(row.mechanism == "skipped by the policy");
    }
}

TEST_CASE("limit_table: golden table", "[enforce][limits][golden]") {
    Request request = eight_cpus_two_gpus();
    request.disk = Range<Bytes>::exactly(gib(500));
    request.shm_size = gib(16);
    LimitPolicy policy;
    policy.pids_max = Count(4096);
    policy.requirements.swap = Requirement::best_effort;
    check_golden("limit_table.txt", limit_table(explained(request, two_gpus(), policy)));
    CHECK(limit_table({}) == "resource  asked  granted  limited to  mechanism  when exceeded\n");
}

}  // namespace
