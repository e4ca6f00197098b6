// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/usage_report.hpp"

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm {
namespace {

using Catch::Matchers::ContainsSubstring;

static_assert(lists_all_fields<TaskUsage> && lists_all_fields<StepUsage> &&
              lists_all_fields<UsageField>);

StepUsage two_tasks() {
    StepUsage step;
    step.job_id = "7.0";
    step.cpus = Count(4);
    step.elapsed = Microseconds(3'600'500'000);
    step.energy = Microjoules(1'500'700'000);
    ResourceUsage first;
    first.cpu_time = Microseconds(62'750'000);
    first.cpu_user = Microseconds(60'000'000);
    first.cpu_system = Microseconds(2'750'000);
    first.memory_anon = mib(200);
    first.memory_peak = mib(256);
    first.read_bytes = Bytes(62'915);
    first.written_bytes = mib(16);
    ResourceUsage second = first;
    second.cpu_time = Microseconds(2'250'000);
    second.memory_anon = mib(100);
    second.memory_peak = gib(1) + mib(512);
    second.read_bytes = Bytes(0);
    step.tasks = {{"n1", 0, first}, {"n2", 1, second}};
    return step;
}

std::string text_of(const StepUsage& step, const char* name) {
    return usage_line(step, name).value();
}

}  // namespace

TEST_CASE("usage_fields: the fields of sstat and sacct", "[slurm]") {
    struct Row {
        const char* name;
        const char* text;
        const char* why;
    };
    const Row rows[] = {
        {"JobID", "7.0", "as it was given"},
        {"NTasks", "2", "counted"},
        {"AllocCPUS", "4", "the step's"},
        {"Elapsed", "01:00:00", "whole seconds"},
        {"ElapsedRaw", "3600", "whole seconds"},
        {"CPUTime", "04:00:00", "elapsed on every CPU"},
        {"CPUTimeRAW", "14400", "the same in seconds"},
        {"ConsumedEnergy", "1.50K", "thousands are 1000"},
        {"ConsumedEnergyRaw", "1500", "joules"},
        {"AveCPU", "00:00:32", "32.5 s, whole seconds"},
        {"MinCPU", "00:00:02", "the second task"},
        {"MinCPUNode", "n2", "its node"},
        {"MinCPUTask", "1", "its number"},
        {"TotalCPU", "00:01:05", "both"},
        {"UserCPU", "00:02:00", "both"},
        {"SystemCPU", "00:05.500", "with the rest"},
        {"AveRSS", "150M", "of no file"},
        {"MaxRSS", "1.50G", "the peak; a half is exact"},
        {"MaxRSSNode", "n2", "its node"},
        {"AveDiskRead", "0.03M", "31457 bytes"},
        {"MaxDiskRead", "0.06M", "62915 bytes"},
        {"MaxDiskReadTask", "0", "the first task"},
        {"AveDiskWrite", "16M", "both alike"},
        {"MaxDiskWriteTask", "0", "of equals the first"},
        {"MaxVMSize", "", "no cgroup counts it"},
    };
    for (const Row& row : rows) {
        INFO(row.name << ": " << row.why);
        CHECK(text_of(two_tasks(), row.name) == row.text);
    }
    CHECK(usage_line(two_tasks(), "jobid,AVECPU,MaxRSS,MaxVMSize").value() ==
          "7.0|00:00:32|1.50G|");
}

TEST_CASE("usage_fields: what is unknown is empty, not 0", "[slurm]") {
    StepUsage step = two_tasks();
    step.tasks[1].usage = {};
    step.elapsed = {};
    step.energy = {};
    for (const char* name : {"AveCPU", "TotalCPU", "AveRSS", "AveDiskRead", "Elapsed", "CPUTime",
                             "ConsumedEnergy", "ConsumedEnergyRaw"}) {
        INFO(name);
        CHECK(text_of(step, name).empty());
    }
    CHECK(text_of(step, "MaxRSS") == "256M");
    CHECK(text_of(step, "MinCPUTask") == "0");
    step.tasks[0].usage.memory_peak = {};
    CHECK(text_of(step, "MaxRSS") == "200M");
    step.tasks.clear();
    CHECK(text_of(step, "NTasks") == "0");
    CHECK(text_of(step, "MaxRSS").empty());
    CHECK(text_of(step, "AveCPU").empty());
    step.tasks.resize(1);
    step.tasks[0].usage.cpu_time = Microseconds(0);
    step.tasks[0].usage.read_bytes = Bytes(0);
    CHECK(text_of(step, "AveCPU") == "00:00:00");
    CHECK(text_of(step, "AveDiskRead") == "0");
}

TEST_CASE("usage_line: an unknown field is named", "[slurm]") {
    for (const char* format : {"JobID,AveCPPU", "", "JobID,", "JobID,,NTasks"}) {
        INFO(format);
        const auto line = usage_line(two_tasks(), format);
        CHECK(line.status().code() == StatusCode::kInvalidArgument);
    }
    CHECK_THAT(std::string(message(usage_line(two_tasks(), "JobID,AveCPPU").status())),
               ContainsSubstring("offset 6") && ContainsSubstring("AveCPU"));
}

TEST_CASE("usage texts: numbers as Slurm prints them", "[slurm]") {
    CHECK(cpu_time_text(Microseconds(0)) == "00:00:00");
    CHECK(cpu_time_text(Microseconds(13'000)) == "00:00.013");
    CHECK(cpu_time_text(Microseconds(999)) == "00:00:00");
    CHECK(cpu_time_text(Microseconds(3'599'999'999)) == "59:59.999");
    CHECK(cpu_time_text(Microseconds(3'600'001'000)) == "01:00:00");
    CHECK(cpu_time_text(Microseconds(93'784'000'000)) == "1-02:03:04");
    CHECK(amount_text(Bytes(0)) == "0");
    CHECK(amount_text(Bytes(1000)) == "1000");
    CHECK(amount_text(Bytes(1024)) == "1K");
    CHECK(amount_text(Bytes(1536)) == "1.50K");
    CHECK(amount_text(Bytes(1025)) == "1025");
    CHECK(amount_text(kib(10'356)) == "10356K");
    CHECK(amount_text(gib(2)) == "2G");
    CHECK(amount_text(gib(2) + mib(512)) == "2.50G");
    CHECK(amount_text(Bytes(std::int64_t{1} << 62)) == "4E");
    CHECK(disk_text(Bytes(1)) == "0.00M");
    CHECK(disk_text(mib(1)) == "1.00M");
    CHECK(disk_text(mib(1) + kib(512)) == "1.50M");
    CHECK(disk_text(gib(16)) == "16G");
    CHECK(energy_text(Microjoules(0)) == "0");
    CHECK(energy_text(Microjoules(999'999'999)) == "999");
    CHECK(energy_text(Microjoules(2'000'000'000'000)) == "2M");
    CHECK(energy_text(Microjoules::max()) == "9.22T");
}

}  // namespace trestle::slurm
