// SPDX-License-Identifier: Apache-2.0
#pragma once

// StartFinder::Impl: what a StartFinder keeps between questions, and how it answers them.
//
// Layer: alloc (private).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "alloc/cluster/states/journal.hpp"
#include "alloc/schedule/candidates/candidate_window.hpp"
#include "alloc/schedule/candidates/free_periods.hpp"
#include "alloc/schedule/candidates/node_parts.hpp"
#include "alloc/schedule/detail/idle_cluster.hpp"
#include "alloc/schedule/detail/node_profile.hpp"
#include "alloc/schedule/detail/window_cluster.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/base/hash.hpp"

namespace trestle {

class StartFinder::Impl {
  public:
    explicit Impl(const PlaceOptions& options) : Impl(false, options) {}
    /// The options' policy says nothing where there is a function.
    template <class Function>
    Impl(const PlaceOptions& options, const Function& function)
        : Impl(static_cast<bool>(function), function ? taking_all(options) : options, function) {}

    [[nodiscard]] const PlaceOptions& options() const { return placer_.options(); }
    [[nodiscard]] const PreparedRequest* last_request() const { return last_request_; }
    void set_watch(std::function<void()> watch) { watch_ = std::move(watch); }
    [[nodiscard]] bool may_refuse() const { return has_function_ || options().policy.may_refuse(); }
    [[nodiscard]] Verdict<Start> earliest_start(const Timeline& timeline,
                                                const PreparedRequest& request,
                                                const StartQuestion& question,
                                                const NodeFilter& filter);
    [[nodiscard]] std::optional<Refusal> why_never(const Timeline& timeline,
                                                   const PreparedRequest& request,
                                                   std::optional<Seconds> duration);
    [[nodiscard]] Verdict<Placement> place_throughout(const Timeline& timeline,
                                                      const PreparedRequest& request,
                                                      const Period& period,
                                                      const NodeFilter& filter);
    /// The first moment from now on at which so many nodes have no owner, and for so long: the
    /// start of a job that any of these nodes serve. Nothing when there is none.
    [[nodiscard]] std::optional<Instant> first_untouched(const Timeline& timeline,
                                                         std::int64_t wanted,
                                                         std::optional<Seconds> duration);

    /// place() in the timeline's cluster without owners.
    [[nodiscard]] Verdict<Placement> place_on_idle(const Timeline& timeline,
                                                   const PreparedRequest& request);
    /// As each question begins.
    void call_watch() const {
        if (watch_) watch_();
    }

  private:
    /// Whether a job has a place in an idle cluster is no matter of a function or an expression, so
    /// that never_placer_ has none.
    template <class... Function>
    Impl(bool has_function, const PlaceOptions& options, const Function&... function)
        : now_placer_(options, function...),
          candidate_placer_(options, function...),
          never_placer_(options.policy.expression() ? taking_all(options) : options),
          idle_placer_(options, function...),
          placer_(options, function...),
          has_function_(has_function) {}

    /// The options with a policy that takes every node that fits.
    [[nodiscard]] static PlaceOptions taking_all(PlaceOptions options) {
        options.policy = Policy::first_fit;
        return options;
    }
    /// What is wrong with the question, or nothing.
    [[nodiscard]] static std::optional<Refusal> refuse_question(const Timeline& timeline,
                                                                Instant after,
                                                                std::optional<Seconds> duration);
    /// What is asked, worked out.
    struct Question {
        const PreparedRequest& request;
        Instant after;
        std::optional<Seconds> duration;
        std::optional<Instant> not_beyond;
        const NodeFilter* filter = nullptr;
        bool spares_idle = false;
    };

    /// What place() said of the moments at which it found nothing.
    struct PassedOver {
        std::optional<Refusal> first;
        std::optional<Refusal> gave_up;  ///< the first that is not a no

        void add(const Refusal& refusal);
        /// Why there is no start: the words, if each of them was a no.
        [[nodiscard]] Refusal why_not(const Refusal& words) const {
            return gave_up.value_or(words);
        }
    };

    /// The first end of a period that is later, or nothing.
    [[nodiscard]] static std::optional<Instant> next_end(const Timeline& timeline, Instant after,
                                                         const Question& asked);
    /// The moment whose words a refusal of a job with whole nodes has: see the preface.
    [[nodiscard]] static Instant moment_of_words(const Timeline& timeline, const Question& asked);

    /// True when each node that the job may have is one without other owners, and what place() says
    /// depends on nothing else.
    [[nodiscard]] bool wants_whole_nodes(const Cluster& cluster, const Request& request) const;
    /// The same answers for jobs that have their nodes alone: among nodes without owners, place()
    /// in an idle cluster says what it would in the window's.
    [[nodiscard]] Verdict<Start> on_whole_nodes(const Timeline& timeline, const Question& asked);
    /// Why a job that wants so many nodes for itself starts then and not at the moment asked for;
    /// nothing where that is the same.
    [[nodiscard]] std::optional<Refusal> waits_for(const Question& asked, Instant start,
                                                   std::int64_t wanted, const PassedOver& passed);
    /// The nodes that are free all through the job's time if it starts at the moment asked for, or
    /// how many there may be at most where that is too few.
    [[nodiscard]] std::int64_t free_at_once(const Question& asked, std::int64_t wanted);
    /// Of the nodes for a later start those that are to be tried first: with StartQuestion's
    /// spares_idle those that are not idle at the moment asked for, and as many of the others as
    /// are wanted beside them, the lowest; else all. idle(nodes): those of the nodes that are.
    template <class Idle>
    [[nodiscard]] static NodeSet first_choice(const Question& asked, Instant at,
                                              const NodeSet& nodes, std::int64_t wanted,
                                              const Idle& idle);
    [[nodiscard]] Refusal too_few(const Question& asked, std::int64_t wanted,
                                  std::int64_t free) const;

    /// What place() says no with in the idle cluster, to a request that less free cannot help.
    [[nodiscard]] std::optional<Refusal> refuse_when_idle(const PreparedRequest& request);

    static constexpr std::size_t nevers_max = 1U << 16;

    /// place() at the moment asked for: in the cluster as it is, where that says enough.
    [[nodiscard]] Verdict<Placement> at_once(const Timeline& timeline, const Question& asked);
    /// True when numbers say at which moments the request may have a place: see CandidateSweep.
    [[nodiscard]] bool candidates_can_tell(const Cluster& cluster, const Request& request) const;
    /// The earliest start behind the moment asked for, at which place() said `first`.
    [[nodiscard]] Verdict<Start> among_candidates(const Timeline& timeline, const Question& asked,
                                                  const Refusal& first);
    /// No start was found among these refusals: the words of one.
    [[nodiscard]] Verdict<Start> in_last_words(const Timeline& timeline, const Question& asked,
                                               PassedOver passed);
    /// True when no owner has anything from this moment on, so that the idle cluster says what the
    /// window's would. A function is asked in the same order either way, by one Placer; so are
    /// random numbers.
    [[nodiscard]] bool is_idle_from(const Timeline& timeline, Instant at) const;
    /// place() among these nodes, as they are all through the period. A refusal has no words.
    [[nodiscard]] Verdict<Placement> place_on(const Timeline& timeline, const Question& asked,
                                              const Period& period, NodeSet nodes);
    [[nodiscard]] detail::FreePeriods& free_periods(const Timeline& timeline,
                                                    const Request& request);

    /// Needs that are kept, by how much a table of all nodes takes.
    [[nodiscard]] static std::size_t needs_max(const Cluster& cluster) {
        return std::clamp<std::size_t>(8'000'000 / (std::size_t{cluster.node_count()} + 1), 16,
                                       1024);
    }

    std::function<void()> watch_;
    const PreparedRequest* last_request_ = nullptr;
    detail::NodeProfile profile_;
    detail::IdleCluster idle_;
    Placer now_placer_;
    detail::NodeParts parts_;
    std::vector<std::unique_ptr<detail::FreePeriods>> needs_;  ///< asked last at the end
    detail::CandidateWindow candidates_;
    Placer candidate_placer_;
    std::unordered_map<PreparedRequest, std::optional<Refusal>, Hash> nevers_;
    JournalPosition nevers_are_of_;  ///< of the idle cluster
    Placer never_placer_;
    Placer idle_placer_;
    detail::WindowCluster window_;
    Placer placer_;
    bool has_function_;
};

}  // namespace trestle
