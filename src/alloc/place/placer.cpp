// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/place/placer.hpp"

#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "trestle/alloc/place/detail/job_search.hpp"

namespace trestle {

Verdict<Placement> Placer::place(const Cluster& cluster, const Shared<Request>& request,
                                 const NodeFilter& filter) {
    const ForgetIfThrown scope(*this);
    return decide(cluster, request, filter);
}

Placer::ForgetIfThrown::~ForgetIfThrown() {
    if (std::uncaught_exceptions() == exceptions_) return;
    placer_.forget();
    placer_.states_.reset();
}

BatchScoreFunction Placer::for_each_input(const ScoreFunction& function) {
    if (!function) return {};
    return [function](std::span<const ScoreInput> inputs) {
        std::vector<Score> scores;
        scores.reserve(inputs.size());
        for (const ScoreInput& one : inputs) scores.push_back(function(one));
        return scores;
    };
}

Verdict<Placement> Placer::decide(const Cluster& cluster, const Shared<Request>& request,
                                  const NodeFilter& filter) {
    if (!states_ || !description_.is_same_object(cluster.description())) {
        forget();
        description_ = cluster.description();
        states_.emplace(Scorer(cluster, options_, function_));
    }
    states_->follow(cluster);
    Memory& memory = memory_of(cluster, request);
    const bool asks_all_nodes = filter.is_empty();
    if (asks_all_nodes && memory.still_refuses(cluster)) return *memory.refusal;
    if (asks_all_nodes && memory.one_node) {
        auto found = memory.one_node->find(memory.job.preferred(), cluster, *states_);
        if (found) return *std::move(found);
        if (auto refusal = memory.one_node->refusal(memory.job.preferred(), cluster)) {
            return memory.refuse(cluster, *std::move(refusal));
        }
    }
    auto verdict = memory.job.first_alternative([&](detail::RequestMemory& one) {
        return detail::JobSearch(cluster, *states_, options_, trees_, one, filter).run();
    });
    // Not of free_counts(), nor of a draw.
    const bool is_of_states = request->cluster_counts.empty() && !states_->scorer().random_seed();
    if (verdict || !asks_all_nodes || !is_of_states) return verdict;
    return memory.refuse(cluster, verdict.refusal());
}

Placer::Memory::Memory(const Cluster& cluster, const Shared<Request>& request,
                       const FitOptions& fit)
    : job(cluster, *request, fit) {
    if (detail::OneNode::is_all_that_is_asked(*request)) one_node.emplace();
}

bool Placer::Memory::still_refuses(const Cluster& cluster) const {
    if (!refusal) return false;
    const auto changed = cluster.journal().since(refused_at);
    return changed && changed->empty();
}

const Refusal& Placer::Memory::refuse(const Cluster& cluster, Refusal why) {
    refusal = std::move(why);
    refused_at = cluster.journal().position();
    return *refusal;
}

void Placer::forget() {
    by_address_.clear();
    memories_.clear();
    trees_ = {};
}

Placer::Memory& Placer::memory_of(const Cluster& cluster, const Shared<Request>& request) {
    const auto known = by_address_.find(&*request);
    if (known != by_address_.end()) return *known->second;
    if (memories_.size() >= requests_max) {
        by_address_.clear();
        memories_.clear();
    }
    auto& memory = memories_[request];
    if (!memory) {
        memory = std::make_unique<Memory>(cluster, request, options_.fit);
        by_address_.emplace(&*request, memory.get());  // which keeps the request where it is
    }
    return *memory;
}

}  // namespace trestle
