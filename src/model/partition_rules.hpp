// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a partition makes of a job: its limits, sharing, and whether it takes it at all.
//
// Layer: model. Main functions: refuse, effective_time_limit, effective_exclusivity,
// effective_rows.

#include <cstdint>
#include <optional>

#include "trestle/base/verdict.hpp"
#include "trestle/model/partition.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// How long the job may run: what it asks for, else default_time, else max_time; absent: for ever.
[[nodiscard]] std::optional<Seconds> effective_time_limit(const Partition& partition,
                                                          const Request& request);

/// Whether the job has its nodes alone: as it asks, but always where the partition is exclusive,
/// and never where it forces jobs to share.
[[nodiscard]] Exclusivity effective_exclusivity(const Partition& partition, const Request& request);

/// How many jobs may share a core that this one has, when it asks for `wanted`: the rows of
/// FitOptions.
[[nodiscard]] std::uint32_t effective_rows(const Partition& partition, std::uint32_t wanted);

/// Why the partition never takes this request, or nothing: its state is not up; more or fewer nodes
/// than it allows or has; a time limit above max_time; on the fullest node more CPUs than
/// max_cpus_per_node or more memory than max_memory_per_node, as far as the request alone tells
/// (memory counted per node or CPU; cores are given whole and may be more). Of a request with
/// components the first group is asked about; ask about the others with the job's time limit.
/// Requires: check() is ok for both. Complexity: linear in node_counts.
[[nodiscard]] std::optional<Refusal> refuse(const Partition& partition, const Request& request);

}  // namespace trestle
