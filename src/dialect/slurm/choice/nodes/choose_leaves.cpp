// SPDX-License-Identifier: Apache-2.0
// The way of clusters with switches.
#include <algorithm>
#include <map>
#include <set>

#include "node_choice.hpp"

namespace trestle::slurm::choice {
namespace {

/// Sums over the nodes of some runs, for any places.
class PlaceSums {
  public:
    explicit PlaceSums(const std::vector<CandidateRun>& runs) : runs_(runs) {}

    /// Adds the next run: what each of its nodes counts.
    void add(Number each) {
        each_.push_back(each);
        before_.push_back(before_.back() + each * runs_[each_.size() - 1].size());
    }
    [[nodiscard]] Number of(const std::vector<Places>& places) const {
        Number sum = 0;
        for (const Places& part : places) sum += below(part.end) - below(part.first);
        return sum;
    }

  private:
    [[nodiscard]] Number below(Place place) const {
        const auto after =
            std::partition_point(runs_.begin(), runs_.end(),
                                 [&](const CandidateRun& run) { return run.places.end <= place; });
        const auto r = static_cast<std::size_t>(after - runs_.begin());
        if (r == runs_.size() || runs_[r].places.first >= place) return before_[r];
        return before_[r] + each_[r] * (Number{place} - runs_[r].places.first);
    }

    const std::vector<CandidateRun>& runs_;
    std::vector<Number> each_;
    std::vector<Number> before_{0};  ///< the sum over all runs before
};

/// The top switch: the highest that holds what is required and has enough.
const ViewSwitch* top_switch(const NodeChoice& work) {
    const Question& question = work.question();
    const SwitchTree& switches = *question.switches;
    const Number needed_cpus = work.job().min_cpus();
    PlaceSums cpus(work.runs());
    PlaceSums nodes(work.runs());
    for (const CandidateRun& run : work.runs()) {
        cpus.add(work.cpus_of(run));
        nodes.add(1);
    }
    const ViewSwitch* best = nullptr;
    for (std::size_t s = 0; s < switches.size(); ++s) {
        const ViewSwitch& one = switches[s];
        const bool has_required = std::all_of(
            question.required.begin(), question.required.end(),
            [&](const CandidateRun& node) { return switches.is_below(node.places.first, s); });
        if (!has_required) continue;
        if (nodes.of(one.places) < question.min_nodes || cpus.of(one.places) < needed_cpus)
            continue;
        if (best == nullptr || one.level >= best->level) best = &one;
    }
    return best;
}

/// Chooses among free nodes, leaf after leaf.
class LeafChoice {
  public:
    /// `group`: rising; none of them is picked.
    LeafChoice(NodeChoice& work, const std::vector<CandidateRun>& group)
        : work_(work), switches_(*work.question().switches), group_(group) {
        PlaceSums free(group);
        PlaceSums cpus(group);
        for (const CandidateRun& run : group) {
            free.add(1);
            cpus.add(work.cpus_of(run));
        }
        for (std::size_t s = 0; s < switches_.size(); ++s) {
            free_.push_back(free.of(switches_[s].places));
            cpus_.push_back(cpus.of(switches_[s].places));
        }
    }

    void run() {
        std::vector<Number> far(switches_.size(), 0);  // to all visited ones together
        std::vector<bool> is_visited(switches_.size(), false);
        const auto visit = [&](std::size_t leaf) {
            take_leaf(leaf);
            is_visited[leaf] = true;
            const std::vector<Number> more = switches_.distances(leaf);
            for (std::size_t s = 0; s < far.size(); ++s) far[s] += more[s];
        };
        std::set<std::size_t> begun;
        for (const auto& [place, pick] : work_.picks()) {
            for (const std::size_t s : switches_.above(place)) {
                if (switches_.is_leaf(s)) begun.insert(s);
            }
        }
        for (const std::size_t leaf : begun) visit(leaf);
        Number visited = static_cast<Number>(begun.size());
        const Number most = work_.job().switches;
        for (; !work_.is_over(); ++visited) {
            const bool may_stop = work_.job().rules->stops_at_switches && most > 0;
            if (may_stop && visited >= most && work_.is_accepted()) break;
            std::optional<std::size_t> best;
            for (std::size_t leaf = 0; leaf < switches_.size(); ++leaf) {
                if (!switches_.is_leaf(leaf) || is_visited[leaf] || free_[leaf] == 0) continue;
                if (!best || is_closer(leaf, *best, far)) best = leaf;
            }
            if (!best) break;
            visit(*best);
        }
    }

  private:
    void take_leaf(std::size_t leaf) {
        for (const Places& part : switches_[leaf].places) {
            for_each_run(group_, part, [&](const CandidateRun& run) {
                work_.take_up(run, [&](Place taken) {
                    for (const std::size_t s : switches_.above(taken)) {
                        --free_[s];
                        cpus_[s] -= work_.cpus_of(run);
                    }
                });
            });
        }
    }

    [[nodiscard]] bool is_closer(std::size_t leaf, std::size_t best,
                                 const std::vector<Number>& far) const {
        if (far[leaf] > far[best]) return false;
        if (far[leaf] < far[best] && work_.job().rules->takes_closest_leaf) return true;
        const Number order = compare(leaf, best);
        return far[leaf] < far[best] ? order >= 0 : order > 0;
    }

    /// Positive: switch `a` is the better one for the nodes still needed.
    [[nodiscard]] Number compare(std::size_t a, std::size_t b) const {
        const Number needed = work_.nodes_left();
        const bool counts_cpus = work_.job().rules->fits_leaves_by_cpus;
        const auto is_enough = [&](std::size_t s) {
            return free_[s] >= needed && (!counts_cpus || cpus_[s] >= work_.cpus_left());
        };
        while (true) {
            const Number of_a = free_[a];
            const Number of_b = free_[b];
            if (is_enough(a) && is_enough(b)) return of_b - of_a;
            if (is_enough(a) || is_enough(b)) return is_enough(a) ? 1 : -1;
            const auto& up_a = switches_[a].parent;
            const auto& up_b = switches_[b].parent;
            if (up_a == up_b || !up_a || !up_b) return of_a - of_b;
            a = *up_a;
            b = *up_b;
        }
    }

    NodeChoice& work_;
    const SwitchTree& switches_;
    const std::vector<CandidateRun>& group_;
    std::vector<Number> free_;  ///< nodes of the group, by switch
    std::vector<Number> cpus_;  ///< of these
};

/// Cheap nodes are all taken while they do not suffice; returns those to choose among.
std::vector<CandidateRun> take_lower_weights(NodeChoice& work) {
    std::map<ChoiceWeight, std::vector<CandidateRun>> groups;
    for (const CandidateRun& run : work.runs()) {
        if (!work.is_required(run)) groups[work.weight(run)].push_back(run);
    }
    for (auto& [weight, group] : groups) {
        Number cpus = 0;
        Number nodes = 0;
        GresSums gres;
        for (const CandidateRun& run : group) {
            cpus += work.cpus_of(run) * run.size();
            nodes += run.size();
            work.add_gres(gres, run, run.size());
        }
        const bool is_enough =
            cpus >= work.cpus_left() && nodes >= work.nodes_left() && work.is_enough_gres(gres);
        if (is_enough || weight == groups.rbegin()->first) return std::move(group);
        for (const CandidateRun& run : group) {
            work.try_up(run, [] { return true; });
        }
    }
    return {};
}

}  // namespace

bool take_by_leaves(NodeChoice& work) {
    const ViewSwitch* const top = top_switch(work);
    if (top == nullptr) return false;
    work.keep(top->places);
    if (work.is_done()) return true;
    const std::vector<CandidateRun> group = take_lower_weights(work);
    LeafChoice(work, group).run();
    return true;
}

Number count_leaves(const NodeChoice& work) {
    std::set<std::optional<std::size_t>> leaves;
    const SwitchTree& switches = *work.question().switches;
    for (const auto& [place, pick] : work.picks()) {
        const auto above = switches.above(place);
        const auto leaf = std::find_if(above.begin(), above.end(),
                                       [&](std::size_t s) { return switches.is_leaf(s); });
        leaves.insert(leaf != above.end() ? std::optional<std::size_t>(*leaf) : std::nullopt);
    }
    return static_cast<Number>(leaves.size());
}

}  // namespace trestle::slurm::choice
