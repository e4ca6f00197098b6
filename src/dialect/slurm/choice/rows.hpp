// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of cores, in which jobs of a partition share them (OverSubscribe).
//
// Layer: dialect/slurm, inside. Main type: Rows.
// Pitfall: Slurm counts rows in each partition from 0; the core counts them on each node, so that
// jobs of two partitions that share are in rows of different numbers.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trestle/model/partition.hpp"

namespace trestle::slurm::choice {

/// The rows of cores that each partition has, as the core counts them: partitions that share have
/// their own rows one behind the other, others have none.
class Rows {
  public:
    explicit Rows(const std::vector<Partition>& partitions) {
        std::uint32_t next = 0;
        for (const Partition& one : partitions) {
            first_.push_back(next);
            const bool shares = one.oversubscribe == Partition::OverSubscribe::yes ||
                                one.oversubscribe == Partition::OverSubscribe::force;
            if (shares) next += static_cast<std::uint32_t>(one.jobs_per_core.value());
        }
        first_.push_back(next);
    }
    /// The first row of the partition of that number, if it shares.
    [[nodiscard]] std::uint32_t first_of(std::size_t partition) const { return first_[partition]; }
    /// Whether a job in the row keeps jobs of that partition from its node that have their cores
    /// alone: in a partition of several rows, of the own one in another than the first.
    [[nodiscard]] bool is_shared(std::uint32_t row, std::size_t partition) const {
        if (row >= first_.back()) return true;  // of no partition that there is now
        const auto end = std::upper_bound(first_.begin(), first_.end(), row);
        const auto of = static_cast<std::size_t>(end - first_.begin()) - 1;
        return of == partition ? row != first_[of] : *end - first_[of] > 1;
    }

  private:
    std::vector<std::uint32_t> first_;  ///< by partition, then how many there are
};

}  // namespace trestle::slurm::choice
