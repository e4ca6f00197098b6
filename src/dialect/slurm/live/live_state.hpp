// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the commands of a running Slurm print, as values: nodes, jobs, reservations.
//
// Layer: dialect/slurm. Main names: LiveState, read_live_state.
// JSON is read as squeue, sinfo and scontrol of 22.05, 24.11 and 26.05 print it (data parsers
// 0.0.38 to 0.0.45); other text as `scontrol show nodes|jobs|reservations -d` prints it.
// Pitfall: nothing is guessed. What cannot be read of a job or node is listed in
// LiveState::problems, and the rest is as certain as the text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/live/live_cluster.hpp"
#include "trestle/dialect/slurm/print.hpp"
#include "trestle/model/node.hpp"

namespace trestle::slurm {

/// A node as it is now.
struct LiveNode {
    std::string name;
    NodeState state = NodeState::up;
    std::string state_text;  ///< as printed: `IDLE+DRAIN`
    std::string reason;      ///< why it is drained or down
};

/// What a running job has of one node.
struct LiveGrant {
    NodeGrant grant;  ///< without CPU ids where `cores` says them
    std::vector<std::pair<std::uint32_t, std::uint32_t>> cores;  ///< socket, and core of it
};

/// A job that runs or waits.
struct JobRecord {
    std::uint64_t id = 0;
    std::string name;
    std::string state;   ///< `RUNNING`
    std::string reason;  ///< `Resources`; of a job that waits
    std::string partition;
    std::optional<Seconds> ends_in;  ///< by its limit; absent: never, or it does not run
    std::vector<LiveGrant> grants;   ///< of a job that has nodes
    std::string licenses;            ///< that it asks for
    std::string licenses_alloc;      ///< that it has; a release before 26.05 does not say it
    std::vector<std::string>
        words;  ///< of a job that waits: the options of sbatch that ask the same

    /// True in each state but those of a job that waits and of one that has ended: a state that is
    /// not known here counts as one with nodes.
    [[nodiscard]] bool has_nodes() const;
};

/// All of it, at one moment.
struct LiveState {
    std::vector<LiveNode> nodes;
    std::vector<JobRecord> jobs;  ///< by number
    std::vector<LiveReservation> reservations;
    std::string version;                ///< of the controller, `24.11.5`; empty: not said
    std::vector<std::string> problems;  ///< what could not be read, a line each
};

/// Errors: InvalidArgument for text that is not JSON although it starts as such, JSON of another
/// program, and text without a single record; each with the name of the text.
[[nodiscard]] StatusOr<LiveState> read_live_state(const LiveTexts& texts);

/// The cluster of the files in that state, as read_live_cluster() makes it.
[[nodiscard]] StatusOr<LiveCluster> live_cluster(ClusterReading reading, LiveState state,
                                                 Release release = default_release);

}  // namespace trestle::slurm
