// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keys that slurm.conf has for the cluster and for a partition.
//
// Layer: dialect/slurm, inside.

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "conf_lines.hpp"
#include "trestle/dialect/slurm/conf/partition_conf.hpp"

namespace trestle::slurm {

inline constexpr std::array<std::string_view, 6> job_default_names{"DefMemPerCPU",  "DefMemPerNode",
                                                                   "DefMemPerGPU",  "MaxMemPerCPU",
                                                                   "MaxMemPerNode", "DefCpuPerGPU"};

/// Requires: `key` is one of job_default_names.
[[nodiscard]] ValueErrors read_job_default(std::string_view key, TextCursor text,
                                           JobDefaults& defaults);
/// `DefCpuPerGPU=4,DefMemPerGPU=1000`.
[[nodiscard]] ValueErrors read_job_defaults(TextCursor text, JobDefaults& defaults);
[[nodiscard]] ValueErrors read_preempt_modes(TextCursor text, std::vector<PreemptMode>& modes);
/// A time limit; absent: UNLIMITED, INFINITE or -1.
[[nodiscard]] ValueErrors read_duration(TextCursor text, std::optional<Seconds>& time);
/// Minutes of OverTimeLimit; Seconds::max() for UNLIMITED.
[[nodiscard]] ValueErrors read_over_time(TextCursor text, Seconds& time);

}  // namespace trestle::slurm
