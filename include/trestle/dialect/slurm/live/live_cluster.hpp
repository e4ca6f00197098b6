// SPDX-License-Identifier: Apache-2.0
#pragma once

// A running Slurm as a value, from what its commands print.
//
// Layer: dialect/slurm. Main names: LiveTexts, LiveCluster, read_live_cluster, timeline_of.
// JSON is read as squeue, sinfo and scontrol of 22.05, 24.11 and 26.05 print it (data parsers
// 0.0.38 to 0.0.45). Other text is read as `scontrol show nodes|jobs|reservations -d` prints it.
// Pitfall: nothing is guessed. What cannot be read or adopted is a line of LiveCluster::problems.
// Nodes, devices and partitions are those of the files; the texts give their states and jobs.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"
#include "trestle/dialect/slurm/release.hpp"

namespace trestle::slurm {

/// What the commands printed. One that was not called is empty.
struct LiveTexts {
    std::string_view nodes = {};         ///< scontrol show nodes, or sinfo --json of 22.05
    std::string_view jobs = {};          ///< squeue --json, or scontrol show jobs -d
    std::string_view reservations = {};  ///< scontrol show reservations
    /// Seconds since 1970. Absent: the moment of the latest change that the texts tell of.
    std::optional<std::int64_t> now = {};
    std::string_view version = {};  ///< of the controller; empty: what JSON says
};

/// Nodes that are kept for some time.
struct LiveReservation {
    std::string name;
    std::string nodes;  ///< a host list
    Seconds starts_in;  ///< 0: it has begun
    Seconds ends_in;

    static constexpr auto fields(auto list) {
        return list(field("name", &LiveReservation::name), field("nodes", &LiveReservation::nodes),
                    field("starts_in", &LiveReservation::starts_in),
                    field("ends_in", &LiveReservation::ends_in));
    }
    friend bool operator==(const LiveReservation&, const LiveReservation&) = default;
};

/// A job as Slurm knows it, whether it runs, waits or has ended.
struct LiveJob {
    std::uint64_t id = 0;
    std::string name;
    std::string state;                 ///< `PENDING`
    std::string reason;                ///< `Resources`; of a job that waits
    std::vector<std::string> options;  ///< of sbatch, that ask the same; of a job that waits

    static constexpr auto fields(auto list) {
        return list(field("id", &LiveJob::id), field("name", &LiveJob::name),
                    field("state", &LiveJob::state), field("reason", &LiveJob::reason),
                    field("options", &LiveJob::options));
    }
    friend bool operator==(const LiveJob&, const LiveJob&) = default;
};

/// A job that has nodes.
struct RunningJob {
    OwnerId owner;
    std::string name;                ///< `job 7`
    std::optional<Seconds> ends_in;  ///< by its time limit; absent: never
    JobOptions options = {};         ///< its partition, and the licences that it asks for
    /// That it is known to have; empty: the options say them.
    std::vector<ClusterCount> licenses = {};

    static constexpr auto fields(auto list) {
        return list(field("owner", &RunningJob::owner), field("name", &RunningJob::name),
                    field("ends_in", &RunningJob::ends_in), field("options", &RunningJob::options),
                    field("licenses", &RunningJob::licenses));
    }
    friend bool operator==(const RunningJob&, const RunningJob&) = default;
};

/// A cluster at one moment. Without a live Slurm: a controller, and the jobs that it has started.
struct LiveCluster {
    Controller controller;
    std::vector<RunningJob> running = {};            ///< by owner
    std::vector<LiveReservation> reservations = {};  ///< of nodes
    std::vector<LiveJob> jobs = {};                  ///< by number
    std::vector<std::string> problems = {};          ///< what is not in it, a line each
};

/// The cluster of the files in the state of the texts: nodes in their states, and every running job
/// adopted to its cores and devices. Problems are unknown nodes and states, and jobs that cannot be
/// adopted. Nodes that the texts do not name have the state of the files, which is a problem too.
/// `release` says whose rules are followed; absent: those nearest to the version of the controller.
/// A version without recorded decisions is a problem, as is one of another release. Errors: those
/// of Controller::of(). InvalidArgument for text that starts as JSON and is none, JSON of another
/// program, an error that Slurm answered, and text without a record. Each has the name of the text.
/// Complexity: linear in the texts.
[[nodiscard]] StatusOr<LiveCluster> read_live_cluster(ClusterReading reading,
                                                      const LiveTexts& texts,
                                                      std::optional<Release> release = {});

/// The cluster from moment 0 on, with the ends of its jobs. Reservations are left out, because jobs
/// run inside of them: reserve whole_nodes() of those that matter.
[[nodiscard]] Timeline timeline_of(const LiveCluster& live);

}  // namespace trestle::slurm
