// SPDX-License-Identifier: Apache-2.0
#pragma once

// When a job would start, by what runs and when that ends.
//
// Layer: tool. Main names: Asker, StartAnswer, find_start.
// Pitfall: no queue is looked at: the job is asked about as if it were the next one.

#include <optional>
#include <vector>

#include "dialect/slurm/live/live_state.hpp"
#include "site.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/choice/decision.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle::tool {

/// A controller to ask at some moment, without anything staying allocated.
class Asker {
  public:
    /// Now, with all that runs.
    explicit Asker(const Site& site);

    /// Ends a job that runs.
    void end(const RunningJob& job);
    /// Goes to a later moment, which only reservations of nodes look at.
    void go_to(Seconds from_now) { at_ = from_now; }
    /// Forgets the reservations of nodes.
    void drop_reservations() { reservations_.clear(); }

    /// What the controller answers to the components of the job. Nodes of which a reservation that
    /// the job does not name begins before the job would end are excluded.
    [[nodiscard]] std::vector<slurm::Decision> ask(const slurm::Submission& job);
    /// The same, and the job has what it gets if it starts.
    [[nodiscard]] std::vector<slurm::Decision> start(const slurm::Submission& job);
    /// Ends a job that start() started.
    void end(const std::vector<slurm::Decision>& started);

    [[nodiscard]] const slurm::Controller& controller() const { return controller_; }

  private:
    slurm::Controller controller_;
    std::vector<slurm::LiveReservation> reservations_;
    Seconds at_;
};

/// How long the job may run, by its options or its partitions; absent: for ever.
[[nodiscard]] std::optional<Seconds> limit_of_job(const slurm::Controller& controller,
                                                  const slurm::Submission& job);

/// True where all components have their resources.
[[nodiscard]] bool is_started(const std::vector<slurm::Decision>& decisions);

/// When and where a job starts, or why it never does.
struct StartAnswer {
    std::vector<slurm::Decision> now;  ///< the answers at this moment
    /// From now, once the jobs of `waits_for` have ended by their limits and reservations are over;
    /// 0: at once. Absent: no end that is known makes it start.
    std::optional<Seconds> starts_in;
    std::vector<slurm::Decision> then;     ///< the answers at that moment; empty without one
    std::vector<RunningJob> waits_for;     ///< jobs that end until then and are in the way
    bool may_ever_start = false;           ///< it starts on the idle cluster
    std::vector<slurm::Decision> on_idle;  ///< the answers on the idle cluster
};

/// Complexity: an answer for each of the first 16 ends, 128 where a reservation is to begin, and
/// beyond that the logarithm.
[[nodiscard]] StartAnswer find_start(const Site& site, const slurm::Submission& job);

}  // namespace trestle::tool
