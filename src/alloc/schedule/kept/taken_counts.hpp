// SPDX-License-Identifier: Apache-2.0
#pragma once

// TakenCounts: how many nodes and cores are taken at most until a moment, of the whole cluster.
//
// Layer: alloc (detail). Main types: TakenCounts, NodesAndCores. Numbers are enough to say that a
// job cannot start; that it can is for place() to say.
// Pitfall: cores that are taken in a row are not counted, nor are nodes with a free core. So the
// numbers are never too high.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trestle/alloc/schedule/period.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/ids.hpp"

namespace trestle::detail {

struct NodesAndCores {
    std::int64_t nodes = 0;  ///< whole ones
    std::int64_t cores = 0;

    NodesAndCores& operator+=(const NodesAndCores& other) {
        nodes += other.nodes;
        cores += other.cores;
        return *this;
    }
    friend NodesAndCores operator-(const NodesAndCores& one) { return {-one.nodes, -one.cores}; }
};

/// What the placement takes. Requires: it is one of the cluster.
[[nodiscard]] NodesAndCores taken_by(const Cluster& cluster, const Placement& placement);
/// All that there is.
[[nodiscard]] NodesAndCores all_of(const Cluster& cluster);

class TakenCounts {
  public:
    /// All that runs and will. Complexity: n log n in it.
    void start_anew(const Timeline& timeline);
    /// The owner takes that in the period, and nothing else. Complexity: linear in the moments,
    /// here and below.
    void enter(OwnerId owner, const Period& period, const NodesAndCores& taken);
    void remove(OwnerId owner);
    /// Moments before it do not matter any more.
    void set_now(Instant now);

    /// The most that is taken at any moment from now to before `end`, each number by itself.
    /// Complexity: logarithmic in the moments; linear after a change.
    [[nodiscard]] const NodesAndCores& most_until(Instant end);

  private:
    struct Step {
        Instant at;
        NodesAndCores counts;
    };
    struct Taken {
        Period period;
        NodesAndCores counts;
    };
    void add(Instant at, const NodesAndCores& counts);
    void add_up();

    Instant now_;
    std::vector<Step> changes_;  ///< by their moments, each once
    std::vector<Step> most_;     ///< from now to each of the next moments
    bool is_added_up_ = false;
    std::unordered_map<OwnerId, Taken> taken_;
};

}  // namespace trestle::detail
