// SPDX-License-Identifier: Apache-2.0
#pragma once

// FutureValue: what a node's room is worth for the jobs to come. The policy future_fit loses least.
//
// Layer: alloc. Main type: FutureValue. For each typical job that the node can still host: how many
// it can host now and, three times as heavy, all it has left of devices, weighed by how scarce room
// for the job is in the cluster. On top, what parts of each device the jobs will fill in the end. A
// node that loses its last place for a job so loses all it has for that job. Found by trying:
// benchmarks/README.md says what else was tried.
// Pitfall: jobs without devices, and memory, play no part; all is reckoned in whole numbers, so
// that the order of sums does not matter.

#include <array>
#include <cstdint>
#include <vector>

#include "alloc/cluster/place/score/typical_jobs.hpp"
#include "trestle/alloc/cluster/place/policy.hpp"

namespace trestle {

class FutureValue {
  public:
    FutureValue() : fills_() {}
    /// `places`: by job, how many of it all idle nodes together could host.
    FutureValue(const std::vector<PolicyOptions::TypicalJob>& jobs,
                const std::vector<double>& places)
        : weights_(weights(jobs, places)), fills_(fills(jobs)) {}

    /// Of a node with so much left. Requires: `typical` is of the jobs, and of the node's class;
    /// `rooms` is typical.rooms(left). Complexity: the jobs, and the devices.
    [[nodiscard]] std::int64_t of(const TypicalJobs& typical, const TypicalJobs::Rooms& rooms,
                                  const ScoreInput::Amounts& left) const;

  private:
    static constexpr double unit = 1 << 20;  ///< all weights together, nearly
    /// Before each job a device may be closed, with these odds: what is not filled soon counts
    /// less.
    static constexpr double odds_of_closing = 1.0 / 128;

    using Fills = std::array<std::int64_t, 1001>;  ///< by thousandths left

    /// How often the job comes, for each thousandth of its places.
    [[nodiscard]] static std::vector<std::int64_t> weights(
        const std::vector<PolicyOptions::TypicalJob>& jobs, const std::vector<double>& places);

    /// Eight times what is expected to be filled of a device, by what is left of it: jobs that take
    /// a part of one come by at random, and one that would spoil it is turned away.
    [[nodiscard]] static Fills fills(const std::vector<PolicyOptions::TypicalJob>& jobs);

    std::vector<std::int64_t> weights_;  ///< by job
    Fills fills_;
};

}  // namespace trestle
