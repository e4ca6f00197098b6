// SPDX-License-Identifier: Apache-2.0
#pragma once

// FutureValue: what a node's room is worth for the jobs to come. The policy future_fit loses least.
//
// Layer: alloc. Main type: FutureValue. For each typical job that the node can still host: how many
// it can host now and, three times as heavy, all it has left of devices, weighed by how scarce room
// for the job is in the cluster. On top, what parts of each device the jobs will fill in the end.
// A node that loses its last place for a job so loses all it has for that job. Found by trying:
// benchmarks/README.md says what else was tried.
// A reader would get wrong: jobs without devices, and memory, play no part; all is reckoned in
// whole numbers, so that the order of sums does not matter.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "trestle/alloc/place/policy.hpp"
#include "trestle/alloc/place/typical_jobs.hpp"

namespace trestle {

class FutureValue {
  public:
    FutureValue() : fills_() {}
    /// `places`: by job, how many of it all idle nodes together could host.
    FutureValue(const std::vector<TypicalJob>& jobs, const std::vector<double>& places)
        : weights_(weights(jobs, places)), fills_(fills(jobs)) {}

    /// Of a node with so much left. Requires: `typical` is of the jobs, and of the node's class;
    /// `rooms` is typical.rooms(left). Complexity: the jobs, and the devices.
    [[nodiscard]] std::int64_t of(const TypicalJobs& typical, const TypicalJobs::Rooms& rooms,
                                  const NodeAmounts& left) const {
        std::int64_t value = 0;
        for (std::size_t j = 0; j < weights_.size(); ++j) {
            if (weights_[j] == 0) continue;
            const std::int64_t hosted = typical.hosted(j, rooms);
            if (hosted == 0) continue;
            value += weights_[j] * (hosted * typical.size(j) + 3 * left.all_devices);
        }
        for (const std::int64_t one : left.devices) {
            value += fills_[static_cast<std::size_t>(std::clamp<std::int64_t>(one, 0, 1000))];
        }
        return value;
    }

  private:
    static constexpr double unit = 1 << 20;  ///< all weights together, nearly
    /// Before each job a device may be closed, with these odds: what is not filled soon counts
    /// less.
    static constexpr double odds_of_closing = 1.0 / 128;

    using Fills = std::array<std::int64_t, 1001>;  ///< by thousandths left

    /// How often the job comes, for each thousandth of its places.
    [[nodiscard]] static std::vector<std::int64_t> weights(const std::vector<TypicalJob>& jobs,
                                                           const std::vector<double>& places) {
        std::vector<double> scarcities(jobs.size(), 0);
        double sum = 0;
        for (std::size_t j = 0; j < jobs.size(); ++j) {
            if (places[j] == 0 || size_of(jobs[j]) == 0) continue;
            scarcities[j] = static_cast<double>(jobs[j].seen.value()) /
                            (places[j] * static_cast<double>(size_of(jobs[j])));
            sum += scarcities[j];
        }
        std::vector<std::int64_t> weights;
        for (const double one : scarcities) {
            weights.push_back(sum == 0 ? 0 : std::llround(one / sum * unit));
        }
        return weights;
    }

    /// Eight times what is expected to be filled of a device, by what is left of it: jobs that take
    /// a part of one come by at random, and one that would spoil it is turned away.
    [[nodiscard]] static Fills fills(const std::vector<TypicalJob>& jobs) {
        double seen = 0;
        for (const TypicalJob& job : jobs) {
            if (size_of(job) != 0) seen += static_cast<double>(job.seen.value());
        }
        std::array<double, 1001> expected{};
        Fills fills{};
        std::vector<std::pair<double, double>> takers;  // what is filled then, and how often
        for (std::size_t left = 1; left < expected.size(); ++left) {
            takers.clear();
            for (const TypicalJob& job : jobs) {
                const auto part = static_cast<std::size_t>(job.thousandths.value());
                if (job.devices != Count(1) || part == 0 || part >= 1000 || part > left) continue;
                takers.emplace_back(static_cast<double>(part) + expected[left - part],
                                    static_cast<double>(job.seen.value()) / seen);
            }
            std::sort(takers.begin(), takers.end(), std::greater<>());
            double filled = 0;
            double odds = odds_of_closing;
            for (const auto& [amount, frequency] : takers) {
                if (amount <= expected[left]) break;
                filled += frequency * amount;
                odds += frequency;
                expected[left] = filled / odds;
            }
            fills[left] = std::llround(8 * unit * expected[left]);
        }
        return fills;
    }

    std::vector<std::int64_t> weights_;  ///< by job
    Fills fills_;
};

}  // namespace trestle
