// SPDX-License-Identifier: Apache-2.0
// The way of clusters with switches.
#include <algorithm>
#include <map>
#include <set>

#include "node_choice.hpp"

namespace trestle::slurm::choice {
namespace {

using Switches = std::vector<ViewSwitch>;

bool has_node(const ViewSwitch& one, std::size_t node) {
    return std::binary_search(one.nodes.begin(), one.nodes.end(), node);
}

/// The top switch: the highest that holds what is required and has enough.
const ViewSwitch* top_switch(const NodeChoice& work) {
    const Question& question = work.question();
    const Number needed_cpus = work.job().min_cpus();
    const ViewSwitch* best = nullptr;
    for (const ViewSwitch& one : *question.switches) {
        const bool has_required = std::all_of(question.required.begin(), question.required.end(),
                                              [&](std::size_t i) { return has_node(one, i); });
        if (!has_required) continue;
        Number cpus = 0;
        Number nodes = 0;
        for (const std::size_t i : one.nodes) {
            if (!work.is_usable(i)) continue;
            cpus += work.cpus_of(i);
            ++nodes;
        }
        if (nodes < question.min_nodes || cpus < needed_cpus) continue;
        if (best == nullptr || one.level >= best->level) best = &one;
    }
    return best;
}

/// Edges between two switches; far apart if no tree joins them.
Number distance(const Switches& switches, std::size_t a, std::size_t b) {
    constexpr Number far = Number{1} << 20;
    std::map<std::size_t, Number> up;
    Number steps = 0;
    for (std::optional<std::size_t> at = a; at; at = switches[*at].parent) up[*at] = steps++;
    steps = 0;
    for (std::optional<std::size_t> at = b; at; at = switches[*at].parent, ++steps) {
        if (const auto joint = up.find(*at); joint != up.end()) return steps + joint->second;
    }
    return far;
}

/// Chooses among the nodes of one group, leaf after leaf.
class LeafChoice {
  public:
    LeafChoice(NodeChoice& work, const std::vector<std::size_t>& group)
        : work_(work), switches_(*work.question().switches), is_in_group_(work.size(), false) {
        for (const std::size_t i : group) is_in_group_[i] = true;
    }

    void run() {
        std::vector<std::size_t> leaves;
        for (std::size_t s = 0; s < switches_.size(); ++s) {
            if (switches_[s].level == 0) leaves.push_back(s);
        }
        std::vector<Number> far(switches_.size(), 0);  // to all visited ones together
        std::set<std::size_t> visited;
        const auto visit = [&](std::size_t leaf) {
            take_leaf(leaf);
            visited.insert(leaf);
            for (const std::size_t other : leaves) far[other] += distance(switches_, other, leaf);
        };
        std::vector<std::size_t> begun;
        for (const std::size_t leaf : leaves) {
            const auto& nodes = switches_[leaf].nodes;
            const bool has_pick = std::any_of(nodes.begin(), nodes.end(),
                                              [&](std::size_t i) { return work_.is_picked(i); });
            if (has_pick) begun.push_back(leaf);
        }
        for (const std::size_t leaf : begun) visit(leaf);
        while (!work_.is_over()) {
            std::optional<std::size_t> best;
            for (const std::size_t leaf : leaves) {
                if (visited.count(leaf) != 0 || count(leaf) == 0) continue;
                if (!best || is_closer(leaf, *best, far)) best = leaf;
            }
            if (!best) break;
            visit(*best);
        }
    }

  private:
    [[nodiscard]] Number count(std::size_t s) const {
        const auto& nodes = switches_[s].nodes;
        return std::count_if(nodes.begin(), nodes.end(),
                             [&](std::size_t i) { return is_in_group_[i] && work_.is_free(i); });
    }

    void take_leaf(std::size_t leaf) {
        std::vector<std::size_t> order;
        for (const std::size_t i : switches_[leaf].nodes) {
            if (is_in_group_[i]) order.push_back(i);
        }
        work_.take_all(order);
    }

    [[nodiscard]] bool is_closer(std::size_t leaf, std::size_t best,
                                 const std::vector<Number>& far) const {
        if (far[leaf] > far[best]) return false;
        const Number order = compare(leaf, best);
        return far[leaf] < far[best] ? order >= 0 : order > 0;
    }

    /// Positive: switch `a` is the better one for the nodes still needed.
    [[nodiscard]] Number compare(std::size_t a, std::size_t b) const {
        const Number needed = work_.nodes_left();
        while (true) {
            const Number of_a = count(a);
            const Number of_b = count(b);
            if (of_a >= needed && of_b >= needed) return of_b - of_a;
            if (of_a >= needed || of_b >= needed) return of_a >= needed ? 1 : -1;
            const auto& up_a = switches_[a].parent;
            const auto& up_b = switches_[b].parent;
            if (up_a == up_b || !up_a || !up_b) return of_a - of_b;
            a = *up_a;
            b = *up_b;
        }
    }

    NodeChoice& work_;
    const Switches& switches_;
    std::vector<bool> is_in_group_;
};

/// Cheap nodes are all taken while they do not suffice; returns those to choose among.
std::vector<std::size_t> take_lower_weights(NodeChoice& work) {
    std::map<ChoiceWeight, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < work.size(); ++i) {
        if (work.is_free(i)) groups[work.weight(i)].push_back(i);
    }
    for (auto& [weight, group] : groups) {
        Number cpus = 0;
        std::vector<Number> gres;
        for (const std::size_t i : group) {
            cpus += work.cpus_of(i);
            work.add_gres(gres, i);
        }
        const bool is_enough = cpus >= work.cpus_left() &&
                               static_cast<Number>(group.size()) >= work.nodes_left() &&
                               work.is_enough_gres(gres);
        if (is_enough || weight == groups.rbegin()->first) return group;
        for (const std::size_t i : group) work.try_take(i);
    }
    return {};
}

}  // namespace

bool take_by_leaves(NodeChoice& work) {
    const ViewSwitch* const top = top_switch(work);
    if (top == nullptr) return false;
    work.keep([&](std::size_t i) { return has_node(*top, i); });
    if (work.is_done()) return true;
    const std::vector<std::size_t> group = take_lower_weights(work);
    LeafChoice(work, group).run();
    return true;
}

Number count_leaves(const NodeChoice& work) {
    std::set<std::optional<std::size_t>> leaves;
    const auto& switches = *work.question().switches;
    for (const auto& [node, pick] : work.picks()) {
        std::optional<std::size_t> leaf;
        for (std::size_t s = 0; s < switches.size() && !leaf; ++s) {
            if (switches[s].level == 0 && has_node(switches[s], node)) leaf = s;
        }
        leaves.insert(leaf);
    }
    return static_cast<Number>(leaves.size());
}

}  // namespace trestle::slurm::choice
