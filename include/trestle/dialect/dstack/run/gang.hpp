// SPDX-License-Identifier: Apache-2.0
#pragma once

// The life of a distributed run: which of its jobs may start, and which must stop.
//
// Layer: dialect/dstack. Main names: startup_rules(), stop_rules() (the tables), gang_step (what
// they say of a run). The first job, rank 0, is the master, the others are workers.
// Pitfall: a job that has ended counts as started, so that a worker that ended early does not hold
// up the others.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/dialect/dstack/configuration.hpp"
#include "trestle/dialect/dstack/run/termination.hpp"

namespace trestle::dstack {

/// What a job of a distributed run is to the others: the master is that of rank 0.
enum class GangRole { master, worker };

constexpr auto enum_names(GangRole) {
    return std::array{named(GangRole::master, "master"), named(GangRole::worker, "worker")};
}

/// Some of the jobs of a run.
enum class GangPart { none, master, workers, all };

constexpr auto enum_names(GangPart) {
    return std::array{named(GangPart::none, "none"), named(GangPart::master, "master"),
                      named(GangPart::workers, "workers"), named(GangPart::all, "all")};
}

/// The part that must be running, or have run, before a job starts.
struct StartupRule {
    StartupOrder order = StartupOrder::any;
    GangRole role = GangRole::master;
    GangPart waits_for = GangPart::none;

    static constexpr auto fields(auto list) {
        return list(field("order", &StartupRule::order), field("role", &StartupRule::role),
                    field("waits_for", &StartupRule::waits_for));
    }
    friend bool operator==(const StartupRule&, const StartupRule&) = default;
};

/// The part that must stop once a job has ended.
struct StopRule {
    StopCriteria criteria = StopCriteria::all_done;
    GangRole role = GangRole::master;  ///< of the job that ended
    bool is_done = true;               ///< it is done; else it failed, was terminated or aborted
    GangPart stops = GangPart::none;

    static constexpr auto fields(auto list) {
        return list(field("criteria", &StopRule::criteria), field("role", &StopRule::role),
                    field("is_done", &StopRule::is_done), field("stops", &StopRule::stops));
    }
    friend bool operator==(const StopRule&, const StopRule&) = default;
};

/// Each order with each role once.
[[nodiscard]] std::span<const StartupRule> startup_rules();
/// Each criteria with each role and end once.
[[nodiscard]] std::span<const StopRule> stop_rules();

/// What is to be done now.
struct GangStep {
    std::vector<std::uint32_t> may_start;  ///< ranks of jobs that are not running yet, rising
    std::vector<std::uint32_t> must_stop;  ///< ranks of jobs that have not ended, rising
    /// How the run ends, or will when all have stopped; absent while it goes on.
    std::optional<JobStatus> outcome;

    static constexpr auto fields(auto list) {
        return list(field("may_start", &GangStep::may_start),
                    field("must_stop", &GangStep::must_stop), field("outcome", &GangStep::outcome));
    }
    friend bool operator==(const GangStep&, const GangStep&) = default;
};

/// The next step of a run by the tables, from the states of its jobs by rank. Once any job must
/// stop, no job may start. A job that is terminating is not asked to stop again. With master_done
/// the outcome is done as soon as the master is, however workers end; with all_done when all are.
/// Else it is aborted, failed or terminated, the first of these that any job is. Requires: there is
/// a job. Complexity: jobs, times jobs that have not started.
[[nodiscard]] GangStep gang_step(StartupOrder order, StopCriteria criteria,
                                 std::span<const JobStatus> jobs);

}  // namespace trestle::dstack
