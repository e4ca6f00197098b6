// SPDX-License-Identifier: Apache-2.0
#pragma once

// A controller at some moment, asked without anything staying allocated.
//
// Layer: dialect/slurm. Main names: Asker, is_started, limit_of_job.
// Pitfall: only reservations look at the moment; jobs end when end() says so.

#include <optional>
#include <vector>

#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/choice/decision.hpp"
#include "trestle/dialect/slurm/live/live_cluster.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle::slurm {

/// A controller to ask at some moment, without anything staying allocated.
class Asker {
  public:
    /// Now, with all that runs.
    explicit Asker(const LiveCluster& live);

    /// Ends a job that runs.
    void end(const RunningJob& job);
    /// Goes to a later moment, which only reservations of nodes look at.
    void go_to(Seconds from_now) { at_ = from_now; }
    /// Forgets the reservations of nodes.
    void drop_reservations() { reservations_.clear(); }

    /// What the controller answers to the components of the job. Nodes of which a reservation that
    /// the job does not name begins before the job would end are excluded.
    [[nodiscard]] std::vector<Decision> ask(const Submission& job);
    /// The same, and the job has what it gets if it starts.
    [[nodiscard]] std::vector<Decision> start(const Submission& job);
    /// Ends a job that start() started.
    void end(const std::vector<Decision>& started);

    [[nodiscard]] const Controller& controller() const { return controller_; }

  private:
    Controller controller_;
    std::vector<LiveReservation> reservations_;
    Seconds at_;
};

/// How long the job may run, by its options or its partitions; absent: for ever.
[[nodiscard]] std::optional<Seconds> limit_of_job(const Controller& controller,
                                                  const Submission& job);

/// True where all components have their resources.
[[nodiscard]] bool is_started(const std::vector<Decision>& decisions);

}  // namespace trestle::slurm
