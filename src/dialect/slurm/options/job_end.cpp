// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options/job_end.hpp"

#include <algorithm>

namespace trestle::slurm {

EndPolicy end_policy(const EndRules& rules) {
    constexpr Seconds kill_wait_min(5);  // slurmstepd waits that long whatever KillWait says
    EndPolicy policy;
    policy.time_limit = rules.time_limit;
    policy.over_time = rules.over_time_limit;
    policy.grace = std::max(rules.kill_wait, kill_wait_min);
    if (rules.signal) {
        policy.warning =
            EndPolicy::Warning{static_cast<int>(rules.signal->number), rules.signal->before,
                               rules.signal->to_batch_shell ? EndPolicy::Target::leader
                                                            : EndPolicy::Target::every_process};
    }
    return policy;
}

}  // namespace trestle::slurm
