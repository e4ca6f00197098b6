// SPDX-License-Identifier: Apache-2.0
#pragma once

// What job options ask of each node, whatever units they count in.
//
// Layer: dialect/translate, inside.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"

namespace trestle::translate {

/// GPUs of a node, and the option that says so.
struct GpuNeed {
    std::string_view option;         ///< long name; empty: no GPUs were asked
    Count count;                     ///< of all types, rounded up where a job's do not divide
    std::vector<std::string> types;  ///< each once, without empty ones
    bool divides = true;             ///< false: the job's GPUs are no multiple of its nodes
    bool is_shared = false;          ///< parts of a GPU were asked: `count` is 1
};

/// Counts that exceed 63 bits are absent.
struct NodeNeeds {
    Count nodes{1};
    Count tasks{1};  ///< of a node, at most
    std::optional<Count> cpus;
    std::optional<Bytes> memory;
    GpuNeed gpus;
};

/// Requires: resolved options.
[[nodiscard]] NodeNeeds node_needs(const slurm::JobOptions& options);

}  // namespace trestle::translate
