// SPDX-License-Identifier: Apache-2.0
#pragma once

// JobKinds: the jobs of a queue by what they ask for.
//
// Layer: alloc (detail). Main types: JobKinds, JobKind, Turn. Jobs of one kind have equal requests
// and durations, so that a no to the first is a no to all.

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>

#include "alloc/schedule/kept/taken_counts.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/prepared_request.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/units.hpp"

namespace trestle::detail {

/// The place of a job in a queue, the lowest first.
struct Turn {
    std::int64_t key = 0;  ///< of the discipline's order
    std::uint64_t place = 0;
    std::uint64_t number = 0;  ///< in which it was added

    friend auto operator<=>(const Turn&, const Turn&) = default;
};

struct JobKind {
    PreparedRequest request;
    std::optional<Seconds> duration;
    std::optional<Seconds> limit;  ///< how long it runs at most
    NodesAndCores takes;           ///< at least
    bool has_nodes_alone = false;  ///< and asks for nothing of the cluster beside them
    bool is_plain = false;         ///< such a job, for which any nodes will do that are idle
    bool is_monotone = false;      ///< less that is free never helps
    bool is_refused = false;
    std::set<Turn> turns;
};

class JobKinds {
  public:
    /// The kind of the job, which has the turn from now on. It stays where it is.
    JobKind& enter(const QueuedJob& job, const Turn& turn, const Cluster& cluster);
    /// Takes the turn from its kind; true when it was the last, and the kind is gone.
    bool remove(JobKind& kind, const Turn& turn);
    void clear();
    void forget_refusals();

    /// The first turn of each kind.
    [[nodiscard]] const std::map<Turn, JobKind*>& fronts() const { return fronts_; }

  private:
    struct Key {
        PreparedRequest request;
        std::optional<Seconds> duration;

        friend bool operator==(const Key&, const Key&) = default;
        void hash_into(HashState& state) const {
            trestle::hash_into(state, request);
            trestle::hash_into(state, duration);
        }
    };

    std::unordered_map<Key, std::unique_ptr<JobKind>, Hash> kinds_;
    std::map<Turn, JobKind*> fronts_;
};

}  // namespace trestle::detail
