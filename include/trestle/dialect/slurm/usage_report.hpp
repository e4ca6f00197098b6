// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a step uses, in the fields of sstat and sacct.
//
// Layer: dialect/slurm. Main types: StepUsage, TaskUsage, UsageField; usage_fields, usage_line,
// and the texts of single numbers: cpu_time_text, amount_text, disk_text, energy_text.
// Pitfall: an unknown field is empty, as Slurm prints it, and not 0. MaxRSS is the most that was
// ever used, with the file cache (memory.peak); AveRSS is the memory of no file that the tasks have
// now. Slurm's two are as different.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/process/usage.hpp"

namespace trestle::slurm {

/// What one task used. Where a step's tasks share a group, the step is one task.
struct TaskUsage {
    std::string node;
    std::uint32_t task = 0;
    ResourceUsage usage;

    static constexpr auto fields(auto list) {
        return list(field("node", &TaskUsage::node), field("task", &TaskUsage::task),
                    field("usage", &TaskUsage::usage));
    }
    friend bool operator==(const TaskUsage&, const TaskUsage&) = default;
};

/// What a step used.
struct StepUsage {
    std::string job_id;  ///< as it is printed: `7.0`, `7.batch`
    Count cpus;          ///< of the step, all nodes together
    std::optional<Microseconds> elapsed = {};
    std::optional<Microjoules> energy = {};
    std::vector<TaskUsage> tasks = {};

    static constexpr auto fields(auto list) {
        return list(field("job_id", &StepUsage::job_id), field("cpus", &StepUsage::cpus),
                    field("elapsed", &StepUsage::elapsed), field("energy", &StepUsage::energy),
                    field("tasks", &StepUsage::tasks));
    }
    friend bool operator==(const StepUsage&, const StepUsage&) = default;
};

/// A field of sstat or sacct.
struct UsageField {
    std::string name;  ///< `AveCPU`
    std::string text;  ///< empty: not known

    static constexpr auto fields(auto list) {
        return list(field("name", &UsageField::name), field("text", &UsageField::text));
    }
    friend bool operator==(const UsageField&, const UsageField&) = default;
};

/// All fields in the order of their names. Averages and sums need the number of every task, minima
/// and maxima are over the tasks that tell; of equals the first task counts. AllocCPUS, CPUTime and
/// Elapsed are the step's. AveVMSize, MaxVMSize, AvePages, MaxPages and AveCPUFreq, which no cgroup
/// counts, are always empty.
[[nodiscard]] std::vector<UsageField> usage_fields(const StepUsage& step);

/// The fields of `format`, as sacct -P prints them: `7.0|00:00:02|256M` for
/// `JobID,AveCPU,MaxRSS`. Names in any case. Errors: InvalidArgument that names the nearest field.
[[nodiscard]] StatusOr<std::string> usage_line(const StepUsage& step, std::string_view format);

/// `00:02:10`, `02:05.250` with a rest below a second and less than an hour, `1-02:03:04`.
[[nodiscard]] std::string cpu_time_text(Microseconds time);

/// `0`, `1000`, `10356K`, `256M`, `2.50G`: larger units as long as nothing is lost, where a half is
/// nothing.
[[nodiscard]] std::string amount_text(Bytes bytes);

/// `0`, `0.06M`, `16M`, `1.50G`: disk fields of sacct.
[[nodiscard]] std::string disk_text(Bytes bytes);

/// Joules, in thousands from 1000 on: `950`, `1.50K`, `2M`.
[[nodiscard]] std::string energy_text(Microjoules energy);

}  // namespace trestle::slurm
