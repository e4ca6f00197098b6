// SPDX-License-Identifier: Apache-2.0
// Which variables of the environment each program reads.
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle {
namespace {

using slurm::Tool;
using ToolVariables = std::vector<EnvironmentVariable>;

std::string variables_text(const ToolVariables& variables, Tool tool) {
    const auto reading = slurm::read_environment(variables, tool);
    std::string text;
    for (const auto& error : reading.errors) text += to_text(error) + "; ";
    return text + to_text(reading.submission.components.front().options);
}

}  // namespace

TEST_CASE("Slurm reading: each program has variables of its own", "[dialect][slurm]") {
    struct Row {
        Tool tool;
        ToolVariables variables;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {Tool::salloc, {{"SALLOC_GPUS", "2"}}, "{gpus=[gpu:2]}", "salloc's"},
        {Tool::sbatch, {{"SALLOC_GPUS", "2"}}, "{}", "are not sbatch's"},
        {Tool::srun, {{"SALLOC_GPUS", "2"}}, "{}", "nor srun's"},
        {Tool::srun, {{"SLURM_GPUS", "2"}}, "{gpus=[gpu:2]}", "which have no name of the program"},
        {Tool::salloc, {{"SBATCH_GPUS", "2"}}, "{}", "sbatch's are not salloc's"},
        {Tool::salloc, {{"SLURM_HINT", "nomultithread"}}, "{hint=nomultithread}", "a common one"},
        {Tool::salloc,
         {{"SLURM_HINT", "nomultithread"}, {"SALLOC_HINT", "multithread"}},
         "{hint=nomultithread}",
         "which goes before salloc's own"},
        {Tool::srun, {{"SLURM_NTASKS", "4"}, {"SLURM_NPROCS", "8"}}, "{ntasks=4}", "newer name"},
        {Tool::srun,
         {{"SRUN_CPUS_PER_TASK", "2"}, {"SLURM_CPUS_PER_TASK", "4"}},
         "{cpus_per_task=2}",
         "what is for srun alone"},
        {Tool::srun,
         {{"SLURM_NNODES", "2-3"}},
         "{nodes={range=2..3}}",
         "what a job says of itself"},
        {Tool::srun, {{"SLURM_TIMELIMIT", "10"}}, "{time={limit=600}}", "as for sbatch"},
        {Tool::srun, {{"SLURM_EXACT", "1"}}, "{exact=true}", "a flag of steps"},
        {Tool::srun, {{"SLURM_UNHEARD_OF", "1"}}, "{}", "not an option"},
        {Tool::srun, {{"SLURM_GRES", "a:1"}, {"SLURM_GRES", "b:1"}}, "{gres=[b:1]}", "the last"},
        {Tool::srun,
         {{"SLURM_DISTRIBUTION", "plane"}, {"SLURM_DIST_PLANESIZE", "3"}},
         "{distribution={nodes=plane, plane_size=3}}",
         "a size of planes has a variable of its own"},
    };
    for (const Row& row : rows) {
        INFO(trestle::to_text(row.tool) << " " << row.variables.front().name << ": " << row.why);
        CHECK(variables_text(row.variables, row.tool) == row.expected);
    }
}

TEST_CASE("Slurm reading: how long --switches may wait has a variable", "[dialect][slurm]") {
    const ToolVariables wait{{"SBATCH_WAIT4SWITCH", "10"}};
    CHECK(variables_text(wait, Tool::sbatch) == "{}");
    CHECK(variables_text({{"SBATCH_REQ_SWITCH", "2"}, wait[0]}, Tool::sbatch) ==
          "{switches={count=2, max_wait=600}}");
    CHECK(variables_text({{"SBATCH_REQ_SWITCH", "2@1"}, wait[0]}, Tool::sbatch) ==
          "{switches={count=2, max_wait=60}}");
    CHECK(variables_text({{"SALLOC_REQ_SWITCH", "2"}, {"SALLOC_WAIT4SWITCH", "1:00:00"}},
                         Tool::salloc) == "{switches={count=2, max_wait=3600}}");
    CHECK(variables_text({{"SLURM_REQ_SWITCH", "2"}, {"SLURM_WAIT4SWITCH", "5"}}, Tool::srun) ==
          "{switches={count=2, max_wait=300}}");
    CHECK(variables_text({{"SLURM_REQ_SWITCH", "2"}, wait[0]}, Tool::srun) ==
          "{switches={count=2}}");
    const auto wrong = slurm::read_environment(ToolVariables{{"SBATCH_WAIT4SWITCH", "soon"}});
    REQUIRE(wrong.errors.size() == 1);
    CHECK(to_text(wrong.errors[0]).starts_with("SBATCH_WAIT4SWITCH: --switches: "));
    // It is of the arguments' switches too, and of the script's.
    const auto switches_of = [&](const std::vector<std::string>& arguments,
                                 std::string_view script) {
        const auto read = slurm::parse_submission({arguments, wait, script});
        REQUIRE(read.ok());
        return to_text(read->components.front().options);
    };
    CHECK(switches_of({"--switches=1"}, "") == "{switches={max_wait=600}}");
    CHECK(switches_of({"--switches=1@2"}, "") == "{switches={max_wait=120}}");
    CHECK(switches_of({}, "#SBATCH --switches=3\n") == "{switches={count=3, max_wait=600}}");
    CHECK(switches_of({}, "") == "{}");
}

TEST_CASE("Slurm reading: the variables of the program are between its arguments and a script",
          "[dialect][slurm]") {
    const std::vector<std::string> arguments{"--mem-per-cpu=1G"};
    const ToolVariables variables{{"SALLOC_MEM_PER_NODE", "2G"},
                                  {"SALLOC_TIMELIMIT", "5"},
                                  {"SBATCH_TIMELIMIT", "7"},
                                  {"SALLOC_PARTITION", "p"}};
    const auto read = slurm::parse_submission({arguments, variables, "", Tool::salloc});
    REQUIRE(read.ok());
    CHECK(to_text(read->components.front().options) ==
          "{mem_per_cpu=1GiB, partitions=[p], time={limit=300}}");
    const std::vector<std::string> time{"-t1"};
    const auto said = slurm::parse_submission({time, variables, "", Tool::salloc});
    REQUIRE(said.ok());
    CHECK(to_text(said->components.front().options) ==
          "{mem=2GiB, partitions=[p], time={limit=60}}");
}

TEST_CASE("Slurm reading: every variable stands for an option", "[dialect][slurm]") {
    // Whatever the value, it is read or named in an error, and nothing else happens.
    for (const Tool tool : {Tool::sbatch, Tool::salloc, Tool::srun}) {
        const char* const prefixes[] = {"SBATCH_", "SALLOC_", "SLURM_", "SRUN_"};
        const char* const names[] = {"ACCOUNT",   "BURST_BUFFER", "CPU_FREQ_REQ", "GPUS_PER_SOCKET",
                                     "IMMEDIATE", "KILL_CMD",     "WAIT",         "EXCLUSIVE",
                                     "OVERLAP"};
        for (const char* const prefix : prefixes) {
            for (const char* const name : names) {
                const ToolVariables one{{std::string(prefix) + name, "1"}};
                const auto reading = slurm::read_environment(one, tool);
                for (const auto& error : reading.errors) CHECK(error.variable == one[0].name);
            }
        }
    }
    CHECK(variables_text({{"SALLOC_KILL_CMD", "KILL"}}, Tool::salloc) ==
          "{passthrough=[{name=kill-command, value=KILL}]}");
    CHECK(variables_text({{"SLURM_LABELIO", "1"}}, Tool::srun) == "{passthrough=[{name=label}]}");
}

}  // namespace trestle
