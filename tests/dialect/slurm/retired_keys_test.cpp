// SPDX-License-Identifier: Apache-2.0
#include "dialect/slurm/conf/releases/retired_keys.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machines/unpacked.hpp"
#include "support/catch.hpp"
#include "trestle/dialect/slurm/lint/lint.hpp"

namespace trestle::slurm {
namespace {

using enum Release;

struct RetiredRow {
    const char* text;
    Release release;
    const char* message;  ///< with place and severity; empty: nothing is found
    const char* suggestion;
};

/// As lint() writes it.
std::string text_of(const RetiredEntry& entry) {
    return entry.place.file + ":" + std::to_string(entry.place.line) + ":" +
           std::to_string(entry.offset + 1) + (entry.is_refused ? ": error: " : ": warning: ") +
           entry.message();
}

void check_rows(ConfFileKind kind, const std::vector<RetiredRow>& rows) {
    for (const RetiredRow& row : rows) {
        INFO(row.text << " of " << trestle::to_text(row.release));
        const auto found = retired_keys(kind, std::string(row.text) + "\n", row.release, {});
        REQUIRE(found.size() == (*row.message == '\0' ? 0 : 1));
        if (found.empty()) continue;
        CHECK(text_of(found.front()) == row.message);
        CHECK(found.front().suggestion == row.suggestion);
    }
}

TEST_CASE("lint: keys of slurm.conf that a release ignores, renames or refuses",
          "[dialect][slurm][lint]") {
    check_rows(
        ConfFileKind::slurm_conf,
        {{"FastSchedule=1", v22_05, "slurm.conf:1:1: warning: FastSchedule: Slurm 22.05 ignores it",
          "# FastSchedule=1"},
         {"FastSchedule=0", v24_11,
          "slurm.conf:1:1: error: FastSchedule=0: Slurm 24.11 does not start with it",
          "# FastSchedule=0"},
         {" fastschedule=2 ", v26_05,
          "slurm.conf:1:2: error: FastSchedule=2: Slurm 26.05 does not start with it, expected "
          "SlurmdParameters=config_overrides",
          " SlurmdParameters=config_overrides"},
         {"PowerPlugin=power/none", v22_05, "", ""},
         {"PowerPlugin=power/none", v24_11,
          "slurm.conf:1:1: warning: PowerPlugin: Slurm 24.11 ignores it",
          "# PowerPlugin=power/none"},
         {"GetEnvTimeout=3", v24_11, "", ""},
         {"GetEnvTimeout=3", v26_05,
          "slurm.conf:1:1: warning: GetEnvTimeout: Slurm 26.05 ignores it", "# GetEnvTimeout=3"},
         {"SchedulerAuth=x", v22_05,
          "slurm.conf:1:1: warning: SchedulerAuth: Slurm 22.05 ignores it", "# SchedulerAuth=x"},
         {"SchedulerAuth=x", v24_11, "", ""},  // of refused_keys
         {"WaitTime=3 GetEnvTimeout=3 UsePAM=1", v26_05,
          "slurm.conf:1:12: warning: GetEnvTimeout: Slurm 26.05 ignores it", "WaitTime=3 UsePAM=1"},
         {"SbcastParameters=\"DestDir=/tmp\" UsePAM=1", v22_05,
          "slurm.conf:1:1: warning: SbcastParameters: Slurm 22.05 asks for its new name, expected "
          "BcastParameters=",
          "BcastParameters=DestDir=/tmp UsePAM=1"},
         {"KeepAliveTime=7", v26_05,
          "slurm.conf:1:1: warning: KeepAliveTime: Slurm 26.05 asks for its new name, expected "
          "CommunicationParameters=keepalivetime=",
          "CommunicationParameters=keepalivetime=7"},
         {"JobContainerType=job_container/tmpfs", v24_11, "", ""},
         {"JobContainerType=job_container/tmpfs", v26_05,
          "slurm.conf:1:1: warning: JobContainerType=job_container/tmpfs: Slurm 26.05 asks for its "
          "new name, expected NamespaceType=namespace/tmpfs",
          "NamespaceType=namespace/tmpfs"},
         {"CommunicationParameters=a,noaddrcache,b=2", v22_05, "", ""},
         {"CommunicationParameters=a,noaddrcache,b=2", v24_11,
          "slurm.conf:1:1: warning: CommunicationParameters=NoAddrCache: Slurm 24.11 ignores it",
          "CommunicationParameters=a,b=2"},
         {"CommunicationParameters=NoAddrCache", v24_11,
          "slurm.conf:1:1: warning: CommunicationParameters=NoAddrCache: Slurm 24.11 ignores it",
          "# CommunicationParameters=NoAddrCache"},
         {"SchedulerParameters=x=1,max_job_bf=50", v22_05,
          "slurm.conf:1:1: error: SchedulerParameters=max_job_bf: Slurm 22.05 does not start with "
          "it, expected bf_max_job_test",
          "SchedulerParameters=x=1,bf_max_job_test=50"},
         {"SelectType=select/cons_res", v22_05, "", ""},
         {"SelectType=select/cons_res", v24_11,
          "slurm.conf:1:1: error: SelectType=select/cons_res: Slurm 24.11 does not start with it, "
          "expected select/cons_tres",
          "SelectType=select/cons_tres"},
         {"SallocDefaultCommand=x", v22_05,
          "slurm.conf:1:1: error: SallocDefaultCommand: Slurm 22.05 does not start with it, "
          "expected LaunchParameters=use_interactive_step",
          "LaunchParameters=use_interactive_step"},
         {"AccountingStorageLoc=x", v24_11,
          "slurm.conf:1:1: error: AccountingStorageLoc: Slurm 24.11 does not start with it",
          "# AccountingStorageLoc=x"},
         {"AccountingStorageLoc=x", v26_05, "", ""},  // of refused_keys
         {"PartitionName=p JobDefaults=DefCpuPerGPU=1,DefMemPerGPU=9", v24_11,
          "slurm.conf:1:17: error: JobDefaults: Slurm 24.11 does not start with it, expected what "
          "is in it as keys of the line",
          "PartitionName=p DefCpuPerGPU=1 DefMemPerGPU=9"},
         {"WaitTime=0 PowerPlugin=x", v26_05,
          "slurm.conf:1:12: warning: PowerPlugin: Slurm 26.05 ignores it", "WaitTime=0"},
         {"ControlMachine=a", v24_11, "", ""},
         {"ControlMachine=a\nSlurmctldHost=a", v24_11,
          "slurm.conf:1:1: warning: ControlMachine: Slurm 24.11 ignores it beside SlurmctldHost",
          "# ControlMachine=a"},
         {"slurmctldhost=a\nBackupAddr=a", v22_05,
          "slurm.conf:2:1: warning: BackupAddr: Slurm 22.05 ignores it beside SlurmctldHost",
          "# BackupAddr=a"},
         {"# FastSchedule=1", v24_11, "", ""}});
}

TEST_CASE("lint: keys of cgroup.conf that a release ignores or refuses", "[dialect][slurm][lint]") {
    check_rows(ConfFileKind::cgroup_conf,
               {{"CgroupAutomount=yes", v22_05, "", ""},
                {"CgroupAutomount=yes", v24_11,
                 "cgroup.conf:1:1: warning: CgroupAutomount: Slurm 24.11 ignores it",
                 "# CgroupAutomount=yes"},
                {"AllowedDevicesFile=/x", v22_05,
                 "cgroup.conf:1:1: warning: AllowedDevicesFile: Slurm 22.05 ignores it",
                 "# AllowedDevicesFile=/x"},
                {"ConstrainKmemSpace=no", v22_05, "", ""},
                {"ConstrainKmemSpace=no", v24_11,
                 "cgroup.conf:1:1: error: ConstrainKmemSpace: Slurm 24.11 does not start with it",
                 "# ConstrainKmemSpace=no"},
                {"SystemdTimeout=9", v22_05,
                 "cgroup.conf:1:1: error: SystemdTimeout: Slurm 22.05 does not start with it",
                 "# SystemdTimeout=9"},
                {"SystemdTimeout=9", v24_11, "", ""},
                {"CgroupSlice=x", v24_11,
                 "cgroup.conf:1:1: error: CgroupSlice: Slurm 24.11 does not start with it",
                 "# CgroupSlice=x"},
                {"CgroupSlice=x", v26_05, "", ""},
                {"TaskAffinity=yes", v26_05,
                 "cgroup.conf:1:1: error: TaskAffinity: Slurm 26.05 does not start with it",
                 "# TaskAffinity=yes"}});
}

TEST_CASE("lint: keys of included files stand there", "[dialect][slurm][lint]") {
    const auto found = retired_keys(
        ConfFileKind::slurm_conf, "Include more.conf\nSlurmctldHost=a\n", v24_11,
        [](std::string_view) { return std::optional<std::string>("A=1\nControlAddr=x\n"); });
    REQUIRE(found.size() == 1);
    CHECK(text_of(found.front()) ==
          "more.conf:2:1: warning: ControlAddr: Slurm 24.11 ignores it beside SlurmctldHost");
}

TEST_CASE("lint: a slurm.conf alone is looked at with what it includes", "[dialect][slurm][lint]") {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "slurm.conf") << "Include more.conf\n";
    std::ofstream(folder.path() / "more.conf") << "CheckpointType=none\n";
    KnownOptions known;
    known.release = v24_11;
    const auto found = lint((folder.path() / "slurm.conf").string(), known);
    REQUIRE(found.ok());
    const auto is_of_key = [](const Finding& one) {
        return one.file.ends_with("more.conf") && one.line == 1 &&
               one.message.find("CheckpointType") != std::string::npos;
    };
    CHECK(std::count_if(found->begin(), found->end(), is_of_key) == 1);
    CHECK(std::none_of(found->begin(), found->end(), [](const Finding& one) {
        return one.message.find("unknown file") != std::string::npos;
    }));
}

}  // namespace
}  // namespace trestle::slurm
