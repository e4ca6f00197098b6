// SPDX-License-Identifier: Apache-2.0
#include "node_choice.hpp"

#include <algorithm>

namespace trestle::slurm::choice {

NodeChoice::NodeChoice(const Question& question, Pass pass, NarrowMemory& memory)
    : question_(question), usable_(question.nodes.size(), nullptr) {
    const ChoiceJob& job = *question.job;
    cpus_left_ = job.min_cpus();
    nodes_left_ = std::max(question.min_nodes, question.wanted_nodes);
    min_nodes_left_ = question.min_nodes;
    nodes_max_ = question.max_nodes;
    for (const GresWant& want : job.gres) gres_left_.push_back(want.per_job);
    for (std::size_t i = 0; i < usable_.size(); ++i) {
        const auto& [view, first] = question.nodes[i];
        if (view == nullptr) continue;
        const auto [at, is_new] = memory.try_emplace({first, pass});
        if (is_new) {
            at->second = narrow(*view, *first, job, *question.parameters, bounds_of(*view, pass));
        }
        if (at->second && at->second->cpus > 0) usable_[i] = &*at->second;
    }
}

Bounds NodeChoice::bounds_of(const NodeView& node, Pass pass) const {
    const ChoiceJob& job = *question_.job;
    Bounds bounds{pass, 1, unlimited};
    if (job.ntasks_per_node > 0) {
        bounds.min_tasks = bounds.max_tasks = job.ntasks_per_node;
    } else if (job.ntasks_per_socket > 0) {
        bounds.max_tasks = product(job.ntasks_per_socket, static_cast<Number>(node.sockets.size()));
    } else if (job.ntasks_per_gpu > 0 && job.min_nodes == job.max_nodes) {
        bounds.min_tasks = bounds.max_tasks = job.tasks() / job.min_nodes;
    } else if (job.ntasks_per_gpu > 0) {
        bounds.min_tasks = job.ntasks_per_gpu;
        bounds.max_tasks = job.tasks();
    } else if (job.ntasks_per_core > 0) {
        bounds.max_tasks = product(job.ntasks_per_core, node.shape->hardware.core_count());
    } else if (question_.max_nodes == 1 && job.ntasks) {
        bounds.min_tasks = bounds.max_tasks = *job.ntasks;
    } else if (job.ntasks && job.ntasks == job.min_nodes && job.ntasks == job.max_nodes) {
        bounds.min_tasks = bounds.max_tasks = 1;
    }
    return bounds;
}

bool NodeChoice::take_required() {
    return std::all_of(question_.required.begin(), question_.required.end(),
                       [&](std::size_t i) { return is_usable(i) && take(i); });
}

bool NodeChoice::has_gres() const {
    return std::all_of(gres_left_.begin(), gres_left_.end(), [](Number left) { return left <= 0; });
}

bool NodeChoice::is_enough_nodes(Number count) const {
    return count >= nodes_left_ - std::max<Number>(question_.wanted_nodes - question_.min_nodes, 0);
}

bool NodeChoice::is_accepted() const {
    return cpus_left_ <= 0 && has_gres() && is_enough_nodes(0) &&
           static_cast<Number>(picks_.size()) >= question_.min_nodes;
}

void NodeChoice::add_gres(std::vector<Number>& sums, std::size_t i) const {
    sums.resize(gres_left_.size(), 0);
    for (const UsableGres& one : usable_[i]->gres) {
        sums[one.want] = std::min(sums[one.want] + one.count, unlimited);
    }
}

bool NodeChoice::is_enough_gres(const std::vector<Number>& sums) const {
    for (std::size_t w = 0; w < gres_left_.size(); ++w) {
        if (job().gres[w].per_job == 0) continue;
        if ((w < sums.size() ? sums[w] : 0) < gres_left_[w]) return false;
    }
    return true;
}

bool NodeChoice::has_enough_gres(std::size_t i) const {
    std::vector<Number> sums;
    add_gres(sums, i);
    return is_enough_gres(sums);
}

/// What is still needed, less a unit for each other node to come.
Number NodeChoice::capped_cpus(std::size_t i) const {
    const Narrowed& narrowed = *usable_[i];
    if (job().has_whole_nodes()) return narrowed.cpus;
    const Number unit = allocation_unit(*question_.nodes[i].view, job(), *question_.parameters);
    const Number most = cpus_left_ - product(unit, std::max<Number>(min_nodes_left_ - 1, 0));
    if (narrowed.cpus <= most) return narrowed.cpus;
    return std::max(
        {most, job().min_cpus_per_node, job().cpus_per_task, narrowed.gres_cpus, cpus_for_gres(i)});
}

/// CPUs that the devices expected from this node bring with them.
Number NodeChoice::cpus_for_gres(std::size_t i) const {
    Number most = 0;
    for (const UsableGres& one : usable_[i]->gres) {
        const GresWant& want = job().gres[one.want];
        const Number left = std::min(one.count, gres_left_[one.want]);
        if (want.per_job > 0 && left > 0) most = std::max(most, product(left, want.cpus_per));
    }
    return most;
}

bool NodeChoice::take(std::size_t i) {
    if (nodes_max_ <= 0) return false;
    const Number cpus = capped_cpus(i);
    if (cpus <= 0) return false;
    picks_[i] = {usable_[i], cpus, std::max(usable_[i]->gres_cpus, cpus_for_gres(i))};
    cpus_left_ -= cpus;
    --nodes_left_;
    --min_nodes_left_;
    --nodes_max_;
    for (const UsableGres& one : usable_[i]->gres) {
        if (job().gres[one.want].per_job > 0) gres_left_[one.want] -= one.count;
    }
    return true;
}

void NodeChoice::try_take(std::size_t i) {
    if (!is_free(i)) return;
    if (nodes_max_ == 1 && (cpus_of(i) < cpus_left_ || !has_enough_gres(i))) return;
    take(i);
}

void NodeChoice::take_all(const std::vector<std::size_t>& order) {
    for (const std::size_t i : order) {
        if (is_over()) break;
        if (is_free(i)) take(i);
    }
}

}  // namespace trestle::slurm::choice
