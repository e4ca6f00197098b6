// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/place/placer.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "alloc/cluster/place/detail/job_search.hpp"
#include "alloc/cluster/place/detail/one_node.hpp"
#include "alloc/cluster/place/detail/request_cache.hpp"
#include "alloc/cluster/place/state_cache.hpp"
#include "alloc/cluster/states/description.hpp"
#include "alloc/node/demand_rules.hpp"
#include "trestle/base/hash.hpp"

namespace trestle {

using detail::RefusalWords;

class Placer::Impl {
  public:
    Impl(PlaceOptions options, BatchScoreFunction function)
        : options_(std::move(options)), function_(std::move(function)) {}

    [[nodiscard]] const PlaceOptions& options() const { return options_; }
    [[nodiscard]] Verdict<Placement> place(const Cluster& cluster, const PreparedRequest& request,
                                           const NodeFilter& filter, RefusalWords words);

    [[nodiscard]] const PreparedRequest* last_request() const { return last_request_; }
    void set_watch(std::function<void()> watch) { watch_ = std::move(watch); }

    [[nodiscard]] static BatchScoreFunction for_each_input(const ScoreFunction& function);

  private:
    static constexpr std::size_t requests_max = 4096;

    /// Forgets everything unless dismissed: if the caller's function throws, the answers that the
    /// placer keeps are incomplete.
    class ForgetIfThrown {
      public:
        explicit ForgetIfThrown(Impl& placer) : placer_(&placer) {}
        ForgetIfThrown(const ForgetIfThrown&) = delete;
        ForgetIfThrown& operator=(const ForgetIfThrown&) = delete;
        ~ForgetIfThrown();

        void dismiss() { placer_ = nullptr; }

      private:
        Impl* placer_;
    };

    [[nodiscard]] Verdict<Placement> decide(const Cluster& cluster, const PreparedRequest& request,
                                            const NodeFilter& filter, RefusalWords words);

    /// What is remembered of a request.
    struct CachedRequest {
        CachedRequest(const Cluster& cluster, const PreparedRequest& request,
                      const FitOptions& fit);
        /// True when nothing has changed since the last no, which has the words.
        [[nodiscard]] bool still_refuses(const Cluster& cluster, RefusalWords words) const;

        /// The refusal, which holds until something changes.
        [[nodiscard]] const Refusal& refuse(const Cluster& cluster, Refusal why);

        detail::RequestCache job;
        std::optional<detail::OneNode> one_node;
        std::optional<Refusal> refusal;  ///< the last one
        JournalPosition refused_at;
    };
    using CachedRequests =
        std::unordered_map<PreparedRequest, std::unique_ptr<CachedRequest>, Hash>;

    void forget();

    [[nodiscard]] CachedRequest& cached_request(const Cluster& cluster,
                                                const PreparedRequest& request);

    PlaceOptions options_;
    BatchScoreFunction function_;
    std::function<void()> watch_;
    const PreparedRequest* last_request_ = nullptr;
    Cow<detail::Description> description_;
    std::optional<StateCache> states_;
    detail::LeafTrees trees_;
    CachedRequests cached_requests_;
    CachedRequests::value_type* last_ = nullptr;  ///< asked last; equal jobs often come in a row
};

Verdict<Placement> Placer::Impl::place(const Cluster& cluster, const PreparedRequest& request,
                                       const NodeFilter& filter, RefusalWords words) {
    last_request_ = &request;
    if (watch_) watch_();
    ForgetIfThrown scope(*this);
    Verdict<Placement> verdict = decide(cluster, request, filter, words);
    scope.dismiss();
    return verdict;
}

Placer::Impl::ForgetIfThrown::~ForgetIfThrown() {
    if (placer_ == nullptr) return;
    placer_->forget();
    placer_->states_.reset();
}

BatchScoreFunction Placer::Impl::for_each_input(const ScoreFunction& function) {
    if (!function) return {};
    return [function](std::span<const ScoreInput> inputs) {
        std::vector<Score> scores;
        scores.reserve(inputs.size());
        for (const ScoreInput& one : inputs) scores.push_back(function(one));
        return scores;
    };
}

Verdict<Placement> Placer::Impl::decide(const Cluster& cluster, const PreparedRequest& request,
                                        const NodeFilter& filter, RefusalWords words) {
    if (!states_ || !description_.is_same_object(cluster.description())) {
        forget();
        description_ = cluster.description();
        states_.emplace(Scorer(cluster, options_, function_));
    }
    states_->follow(cluster);
    CachedRequest& cache = cached_request(cluster, request);
    const bool asks_all_nodes = filter.is_empty();
    if (asks_all_nodes && cache.still_refuses(cluster, words)) return *cache.refusal;
    if (asks_all_nodes && cache.one_node) {
        auto found = cache.one_node->decide(cache.job.preferred(), cluster, *states_);
        if (found) return *std::move(found);
        auto why = cache.one_node->refusal(cache.job.preferred(), cluster);
        if (why) return cache.refuse(cluster, *std::move(why));
    }
    auto verdict =
        detail::decide_job(cache.job, cluster, *states_, options_, trees_, filter, words);
    // Not of free_counts(), nor of a draw.
    const bool is_of_states = request->cluster_counts.empty() && !states_->scorer().random_seed();
    if (verdict || !asks_all_nodes || !is_of_states) return verdict;
    return cache.refuse(cluster, verdict.refusal());
}

Placer::Impl::CachedRequest::CachedRequest(const Cluster& cluster, const PreparedRequest& request,
                                           const FitOptions& fit)
    : job(cluster, request.variants(), fit) {
    if (detail::OneNode::is_all_that_is_asked(*request)) one_node.emplace();
}

bool Placer::Impl::CachedRequest::still_refuses(const Cluster& cluster, RefusalWords words) const {
    if (!refusal || (words == RefusalWords::made && refusal->reason.empty())) return false;
    const auto changed = cluster.journal().since(refused_at);
    return changed && changed->empty();
}

const Refusal& Placer::Impl::CachedRequest::refuse(const Cluster& cluster, Refusal why) {
    refusal = std::move(why);
    refused_at = cluster.journal().position();
    return *refusal;
}

void Placer::Impl::forget() {
    cached_requests_.clear();
    last_ = nullptr;
    trees_ = {};
}

Placer::Impl::CachedRequest& Placer::Impl::cached_request(const Cluster& cluster,
                                                          const PreparedRequest& request) {
    if (last_ && last_->first == request) return *last_->second;
    auto known = cached_requests_.find(request);
    if (known == cached_requests_.end()) {
        if (cached_requests_.size() >= requests_max) cached_requests_.clear();
        auto cache = std::make_unique<CachedRequest>(cluster, request, options_.fit);
        known = cached_requests_.emplace(request, std::move(cache)).first;
    }
    last_ = &*known;
    return *known->second;
}

Placer::Placer(PlaceOptions options) : Placer(std::move(options), BatchScoreFunction()) {}
Placer::Placer(PlaceOptions options, const ScoreFunction& function)
    : Placer(std::move(options), Impl::for_each_input(function)) {}
Placer::Placer(PlaceOptions options, BatchScoreFunction function)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(function))) {}
Placer::Placer(Placer&&) noexcept = default;
Placer& Placer::operator=(Placer&&) noexcept = default;
Placer::~Placer() = default;

const PlaceOptions& Placer::options() const { return impl_->options(); }

const PreparedRequest* Placer::last_request() const { return impl_->last_request(); }

void Placer::set_watch(std::function<void()> watch) { impl_->set_watch(std::move(watch)); }

Verdict<Placement> Placer::place(const Cluster& cluster, const PreparedRequest& request,
                                 const NodeFilter& filter) {
    return impl_->place(cluster, request, filter, RefusalWords::made);
}

Verdict<Placement> Placer::place_without_words(const Cluster& cluster,
                                               const PreparedRequest& request,
                                               const NodeFilter& filter) {
    return impl_->place(cluster, request, filter, RefusalWords::left_out);
}

}  // namespace trestle
