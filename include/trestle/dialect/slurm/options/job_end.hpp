// SPDX-License-Identifier: Apache-2.0
#pragma once

// When and by which signals Slurm ends a job.
//
// Layer: dialect/slurm. Main names: EndRules, end_policy.
// Pitfall: --signal counts back from --time, also where OverTimeLimit lets the job run on; and
// without a time limit there is no warning.

#include <optional>

#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/options/terms.hpp"
#include "trestle/enforce/process/end_policy.hpp"

namespace trestle::slurm {

/// What Slurm ends a job by.
struct EndRules {
    std::optional<Seconds> time_limit = {};  ///< as effective_time_limit gives it
    std::optional<JobSignal> signal = {};    ///< --signal
    Seconds kill_wait{30};                   ///< KillWait of slurm.conf
    Seconds over_time_limit = {};  ///< of the partition, else of slurm.conf; Seconds::max(): any

    static constexpr auto fields(auto list) {
        return list(field("time_limit", &EndRules::time_limit), field("signal", &EndRules::signal),
                    field("kill_wait", &EndRules::kill_wait),
                    field("over_time_limit", &EndRules::over_time_limit));
    }
    friend bool operator==(const EndRules&, const EndRules&) = default;
};

/// SIGTERM to every process, and SIGKILL after KillWait, but not before 5 seconds. The warning goes
/// to every process, with `B:` to the command alone. Preemption has a grace of its own (GraceTime):
/// it is given when the job is stopped.
[[nodiscard]] EndPolicy end_policy(const EndRules& rules);

}  // namespace trestle::slurm
