// SPDX-License-Identifier: Apache-2.0
#pragma once

// The two forms of what Slurm's commands print, each read into one LiveState.
//
// Layer: dialect/slurm. Main names: read_json, read_text, job_words.
// Pitfall: of JSON the moment of the answer is in the document, of text it is not.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "live_state.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/json/value.hpp"

namespace trestle::slurm::live {

/// One document, and its name in messages.
struct Document {
    std::string name;
    json::Value value;
};

/// Errors: InvalidArgument for a document without a list of nodes, jobs or reservations.
[[nodiscard]] Status read_json(const std::vector<Document>& documents,
                               std::optional<std::int64_t> now, LiveState& state);

/// Records of `scontrol show ...`, whatever they are of. Errors: InvalidArgument for text without a
/// record.
[[nodiscard]] Status read_text(const std::string& name, std::string_view text, LiveState& state);

/// What a waiting job asks, by the names of Slurm's records.
struct JobWords {
    std::string partition, features, nodelist, exclude, licenses, reservation;
    std::string per_node, per_job, per_socket, per_task;  ///< TresPerNode and its like
    std::string cpus_per_tres, memory_per_tres;
    std::string requested;  ///< `cpu=2,node=2`, of which the nodes are those that were asked
    std::optional<std::int64_t> nodes_max, tasks, cpus_per_task, tasks_per_node;
    std::optional<std::int64_t> nodes;  ///< how many it needs, as Slurm counted at its submission
    std::optional<std::int64_t> memory_per_node, memory_per_cpu;  ///< MiB
    std::optional<std::int64_t> minutes;
    bool is_exclusive = false, is_contiguous = false;
};

/// The options of sbatch that ask the same.
[[nodiscard]] std::vector<std::string> job_words(const JobWords& job);

}  // namespace trestle::slurm::live
