// SPDX-License-Identifier: Apache-2.0
#pragma once

// Placer: place() with a cache, for programs that decide more than once.
//
// Layer: alloc. Main types: Placer, PlaceOptions. Its answers are exactly those of place(). It
// remembers for each request the answer of every node state. A decision then costs time
// proportional to what changed in the cluster since the last one, and to its result. A refusal is
// repeated without a search until something changes.
// Pitfall: a placer may be asked about any cluster, but it is fast only for one cluster as it
// changes. Two threads must not use one placer at the same time.

#include <functional>
#include <memory>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/node_filter.hpp"
#include "trestle/alloc/cluster/place/place_options.hpp"
#include "trestle/alloc/cluster/place/policy.hpp"
#include "trestle/alloc/cluster/place/prepared_request.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

class Placer {
  public:
    explicit Placer(PlaceOptions options = {});
    /// With a function of the caller's own, the options' policy says nothing.
    Placer(PlaceOptions options, const ScoreFunction& function);
    Placer(PlaceOptions options, BatchScoreFunction function);

    Placer(const Placer&) = delete;
    Placer& operator=(const Placer&) = delete;
    Placer(Placer&&) noexcept;
    Placer& operator=(Placer&&) noexcept;
    ~Placer();

    [[nodiscard]] const PlaceOptions& options() const;

    /// place(cluster, request, options(), filter). Prepare a request that is asked about again: it
    /// is then recognised in constant time, while a plain Request is prepared at each call. An
    /// exception from the caller's score function passes through.
    [[nodiscard]] Verdict<Placement> place(const Cluster& cluster, const PreparedRequest& request,
                                           const NodeFilter& filter = {});

    /// `watch` is called at the beginning of each place(), as for a progress bar; an empty one is
    /// not. An exception from it passes through, and the decision is not made.
    void set_watch(std::function<void()> watch);

    /// Where the request of the last place() stood, which may be gone; nullptr before the first.
    /// For a look in a list for the job that a score function threw for.
    [[nodiscard]] const PreparedRequest* last_request() const;

  private:
    friend class StartFinder;  // which passes over most refusals

    /// place(), but a refusal may have no words, as these can cost more than the search. Its reason
    /// is then empty, and its constraint is nodes.
    [[nodiscard]] Verdict<Placement> place_without_words(const Cluster& cluster,
                                                         const PreparedRequest& request,
                                                         const NodeFilter& filter);

    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace trestle
