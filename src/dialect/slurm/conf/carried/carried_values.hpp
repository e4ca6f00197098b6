// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the values of keys that are only carried have to be, so that slurmctld starts.
//
// Layer: dialect/slurm, inside. Source: what the controllers of 22.05.8, 24.11.5 and 26.05.5 said
// of a file with one such value. A word is known here when any release of Slurm has it;
// retired_keys refuses those that a release lacks.
// Pitfall: a plugin that a site wrote itself is refused at the keys with a check_..._type or
// check_..._plugin below. The keys of job_submit, cli_filter, node_features and the like have no
// check.

#include "../conf_lines.hpp"

namespace trestle::slurm {

/// A whole number, also `0x1F` or octal `037`; UNLIMITED and INFINITE are the most.
[[nodiscard]] ValueErrors read_number(TextCursor value, std::uint64_t& number,
                                      Interval<std::uint64_t> accepted);

/// Such numbers from `Least` to `Most`.
template <std::uint64_t Least = 0, std::uint64_t Most = 0xFFFF>
[[nodiscard]] ValueErrors check_number(TextCursor value);
[[nodiscard]] ValueErrors check_yes_no(TextCursor value);
/// A time as `-t` takes it, or -1.
[[nodiscard]] ValueErrors check_time(TextCursor value);
/// The same above 0, and not UNLIMITED.
[[nodiscard]] ValueErrors check_period(TextCursor value);

// Words; lists of words joined by commas where the name is in the plural.
[[nodiscard]] ValueErrors check_enforced(TextCursor value);        ///< AccountingStorageEnforce
[[nodiscard]] ValueErrors check_log_level(TextCursor value);       ///< SlurmctldDebug; or a number
[[nodiscard]] ValueErrors check_debug_flags(TextCursor value);     ///< DebugFlags
[[nodiscard]] ValueErrors check_prolog_flags(TextCursor value);    ///< PrologFlags
[[nodiscard]] ValueErrors check_process_limits(TextCursor value);  ///< PropagateResourceLimits
[[nodiscard]] ValueErrors check_reset_period(TextCursor value);    ///< PriorityUsageResetPeriod
[[nodiscard]] ValueErrors check_task_params(TextCursor value);     ///< TaskPluginParam

// Plugins of Slurm.
[[nodiscard]] ValueErrors check_accounting_type(TextCursor value);
[[nodiscard]] ValueErrors check_gather_type(TextCursor value);
[[nodiscard]] ValueErrors check_mcs_plugin(TextCursor value);
[[nodiscard]] ValueErrors check_preempt_type(TextCursor value);
[[nodiscard]] ValueErrors check_priority_type(TextCursor value);
[[nodiscard]] ValueErrors check_scheduler_type(TextCursor value);
[[nodiscard]] ValueErrors check_switch_type(TextCursor value);

template <std::uint64_t Least, std::uint64_t Most>
ValueErrors check_number(TextCursor value) {
    std::uint64_t number = 0;
    return read_number(value, number, {Least, Most + 1});
}

}  // namespace trestle::slurm
