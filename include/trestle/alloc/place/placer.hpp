// SPDX-License-Identifier: Apache-2.0
#pragma once

// Placer: place() with a memory, for whoever decides more than once.
//
// Layer: alloc. Main types: Placer, PlaceOptions. It answers as place() does, to the last bit, and
// remembers for each request what every node state said; a decision then costs what changed in the
// cluster since the last one and what it returns. A no is not even asked for again until then.
// A reader would get wrong: it is a memory, not a value: it may be asked about any cluster, but is
// quick where it is asked about one as it changes; no two threads may ask one placer at a time.

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "trestle/alloc/place/detail/job_memory.hpp"
#include "trestle/alloc/place/detail/one_node.hpp"
#include "trestle/alloc/place/node_filter.hpp"
#include "trestle/alloc/place/place_options.hpp"
#include "trestle/alloc/place/state_follower.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

class Placer {
  public:
    explicit Placer(PlaceOptions options = {}) : options_(std::move(options)) {}
    /// With a function of the caller's own, the options' policy says nothing.
    Placer(PlaceOptions options, const ScoreFunction& function)
        : options_(std::move(options)), function_(for_each_input(function)) {}
    Placer(PlaceOptions options, BatchScoreFunction function)
        : options_(std::move(options)), function_(std::move(function)) {}

    Placer(const Placer&) = delete;
    Placer& operator=(const Placer&) = delete;
    Placer(Placer&&) = default;
    Placer& operator=(Placer&&) = default;
    ~Placer() = default;

    [[nodiscard]] const PlaceOptions& options() const { return options_; }

    /// place(cluster, request, options(), filter). A request that is asked about again should be
    /// the same object in memory: it is then known without comparing.
    /// Requires: check(*request) is ok. What a function of the caller's throws goes through.
    [[nodiscard]] Verdict<Placement> place(const Cluster& cluster, const Shared<Request>& request,
                                           const NodeFilter& filter = {});

  private:
    static constexpr std::size_t requests_max = 4096;

    /// Where a function of the caller's throws: half an answer is none to remember.
    class ForgetIfThrown {
      public:
        explicit ForgetIfThrown(Placer& placer)
            : placer_(placer), exceptions_(std::uncaught_exceptions()) {}
        ForgetIfThrown(const ForgetIfThrown&) = delete;
        ForgetIfThrown& operator=(const ForgetIfThrown&) = delete;
        ~ForgetIfThrown();

      private:
        Placer& placer_;
        int exceptions_;
    };

    [[nodiscard]] static BatchScoreFunction for_each_input(const ScoreFunction& function);

    [[nodiscard]] Verdict<Placement> decide(const Cluster& cluster, const Shared<Request>& request,
                                            const NodeFilter& filter);

    /// What is remembered of a request.
    struct Memory {
        Memory(const Cluster& cluster, const Shared<Request>& request, const FitOptions& fit);
        /// True when nothing has changed since the last no.
        [[nodiscard]] bool still_refuses(const Cluster& cluster) const;

        /// The refusal, which holds until something changes.
        [[nodiscard]] const Refusal& refuse(const Cluster& cluster, Refusal why);

        detail::JobMemory job;
        std::optional<detail::OneNode> one_node;
        std::optional<Refusal> refusal;  ///< the last one
        JournalPosition refused_at;
    };

    void forget();

    [[nodiscard]] Memory& memory_of(const Cluster& cluster, const Shared<Request>& request);

    PlaceOptions options_;
    BatchScoreFunction function_;
    Cow<detail::Description> description_;
    std::optional<StateFollower> states_;
    detail::LeafTrees trees_;
    std::unordered_map<Shared<Request>, std::unique_ptr<Memory>, Hash> memories_;
    std::unordered_map<const Request*, Memory*> by_address_;
};

}  // namespace trestle
