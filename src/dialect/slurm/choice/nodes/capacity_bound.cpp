// SPDX-License-Identifier: Apache-2.0
#include "capacity_bound.hpp"

#include <algorithm>

namespace trestle::slurm::choice {
namespace {

/// CPUs that a pick of such a node counts at most.
Number most_cpus(const Narrowed& narrowed, const ChoiceJob& job) {
    if (job.has_whole_nodes()) return narrowed.cpus;
    Number most =
        std::max({narrowed.cpus, job.min_cpus_per_node, job.cpus_per_task, narrowed.gres_cpus});
    for (const UsableGres& one : narrowed.gres) {
        most = std::max(most, product(one.count, job.gres[one.want].cpus_per));
    }
    return most;
}

}  // namespace

CapacityBound::CapacityBound(const Question& question)
    : question_(&question), gres_(question.job->gres.size()) {}

void CapacityBound::change(const Narrowed& narrowed, Number nodes) {
    const auto count = [&](Amounts& amounts, Number amount) {
        const auto at = amounts.try_emplace(amount, 0).first;
        at->second += nodes;
        if (at->second == 0) amounts.erase(at);
    };
    nodes_ += nodes;
    count(cpus_, most_cpus(narrowed, *question_->job));
    for (const UsableGres& one : narrowed.gres) {
        if (question_->job->gres[one.want].per_job > 0) count(gres_[one.want], one.count);
    }
}

bool CapacityBound::has_enough(const Amounts& amounts, Number needed) const {
    Number sum = 0;
    Number nodes_left = question_->max_nodes;
    for (auto one = amounts.rbegin(); one != amounts.rend() && nodes_left > 0; ++one) {
        const Number nodes = std::min(one->second, nodes_left);
        sum += product(one->first, nodes);
        if (sum >= std::min(needed, unlimited)) return true;
        nodes_left -= nodes;
    }
    return needed <= 0;
}

bool CapacityBound::may_suffice() const {
    const ChoiceJob& job = *question_->job;
    if (nodes_ < question_->min_nodes || !has_enough(cpus_, job.min_cpus())) return false;
    for (std::size_t w = 0; w < gres_.size(); ++w) {
        if (!has_enough(gres_[w], job.gres[w].per_job)) return false;
    }
    return true;
}

}  // namespace trestle::slurm::choice
