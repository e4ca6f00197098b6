// SPDX-License-Identifier: Apache-2.0
#include "choose_nodes.hpp"

#include <algorithm>
#include <set>

#include "node_choice.hpp"

namespace trestle::slurm::choice {
namespace {

/// Neighbouring candidates of one weight.
struct Run {
    std::vector<std::size_t> nodes;
    ChoiceWeight weight;
    std::optional<std::size_t> required;  ///< the first one that was picked
    std::vector<std::size_t> free;
    Number cpus = 0;  ///< of those that are free
    std::vector<Number> gres;
    bool is_used = false;
};

std::vector<Run> runs_of(const NodeChoice& work) {
    std::vector<Run> runs;
    bool has_neighbour = false;
    for (std::size_t i = 0; i < work.size(); ++i) {
        if (!work.is_usable(i)) {
            has_neighbour = false;
            continue;
        }
        const ChoiceWeight weight = work.job().is_contiguous ? ChoiceWeight() : work.weight(i);
        if (!has_neighbour || runs.back().weight != weight) runs.emplace_back().weight = weight;
        Run& run = runs.back();
        run.nodes.push_back(i);
        if (work.is_picked(i)) {
            if (!run.required) run.required = i;
        } else {
            run.free.push_back(i);
            run.cpus += work.cpus_of(i);
            work.add_gres(run.gres, i);
        }
        has_neighbour = true;
    }
    return runs;
}

struct RatedRun {
    Run* run = nullptr;
    bool fits = false;
};

bool is_better(const RatedRun& a, const RatedRun& best) {
    if (a.run->required && !best.run->required) return true;
    if (a.run->weight != best.run->weight) return a.run->weight < best.run->weight;
    if (a.fits) return !best.fits || a.run->cpus < best.run->cpus;
    return a.run->cpus > best.run->cpus;
}

RatedRun best_run(const NodeChoice& work, std::vector<Run>& runs) {
    RatedRun best;
    for (Run& run : runs) {
        if (run.is_used || run.free.empty()) continue;
        const bool fits = run.cpus >= work.cpus_left() &&
                          work.is_enough_nodes(static_cast<Number>(run.free.size())) &&
                          work.is_enough_gres(run.gres);
        const RatedRun rated{&run, fits};
        if (best.run == nullptr || is_better(rated, best)) best = rated;
    }
    return best;
}

/// The node with the fewest CPUs that are enough; the first of equals.
std::optional<std::size_t> best_single(const NodeChoice& work, const Run& run) {
    std::optional<std::size_t> best;
    for (const std::size_t i : run.free) {
        if (work.cpus_of(i) < work.cpus_left() || !work.has_enough_gres(i)) continue;
        if (!best || work.cpus_of(i) < work.cpus_of(*best)) best = i;
    }
    return best;
}

void use_run(NodeChoice& work, const Run& run) {
    if (run.required) {
        const auto at = std::find(run.nodes.begin(), run.nodes.end(), *run.required);
        std::vector<std::size_t> order(at + 1, run.nodes.end());
        order.insert(order.end(), std::make_reverse_iterator(at), run.nodes.rend());
        work.take_all(order);
        return;
    }
    if (work.nodes_left() <= 1) {
        if (const auto single = best_single(work, run)) {
            work.try_take(*single);
            return;
        }
    }
    for (const std::size_t i : run.nodes) {
        if (work.is_over()) break;
        work.try_take(i);
    }
}

/// Run after run of neighbours, the best one first. False: --contiguous cannot be met.
bool take_neighbours(NodeChoice& work) {
    if (work.is_done()) return true;
    std::vector<Run> runs = runs_of(work);
    while (true) {
        const RatedRun best = best_run(work, runs);
        if (best.run == nullptr) return true;
        if (work.job().is_contiguous) {
            const auto& required = work.question().required;
            const bool is_whole = std::all_of(required.begin(), required.end(), [&](std::size_t i) {
                return std::binary_search(best.run->nodes.begin(), best.run->nodes.end(), i);
            });
            if (!best.fits || !is_whole) return false;
        }
        use_run(work, *best.run);
        if (work.job().is_contiguous || work.is_over()) return true;
        best.run->is_used = true;
    }
}

/// By weight, then the highest share of free CPUs.
void take_least_loaded(NodeChoice& work) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < work.size(); ++i) {
        if (work.is_usable(i)) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (work.weight(a) != work.weight(b)) return work.weight(a) < work.weight(b);
        const Candidate& x = work.question().nodes[a];
        const Candidate& y = work.question().nodes[b];
        return x.offer->cpus * y.view->cpus > y.offer->cpus * x.view->cpus;
    });
    for (const std::size_t i : order) {
        if (work.is_over()) break;
        work.try_take(i);
    }
}

/// As many nodes as the job may have.
void take_spread(NodeChoice& work) {
    for (std::size_t i = 0; i < work.size() && work.may_take(); ++i) work.try_take(i);
}

bool take_nodes(NodeChoice& work) {
    const Question& question = work.question();
    if (question.job->is_spread) {
        take_spread(work);
        return true;
    }
    if (question.takes_least_loaded) {
        take_least_loaded(work);
        return true;
    }
    return question.switches->size() > 1 ? take_by_leaves(work) : take_neighbours(work);
}

/// The ways of choosing, over nodes that become more (by weight), then fewer (by what they give).
class Chooser {
  public:
    Chooser(const Question& question, Choices& choices) : question_(question), choices_(choices) {}

    void run() {
        std::set<Number> weights;
        Number candidates = 0;
        for (const Candidate& node : question_.nodes) {
            if (node.view != nullptr) weights.insert(node.view->weight);
        }
        const Number wanted = std::max(question_.min_nodes, question_.wanted_nodes);
        for (const Number weight : weights) {
            Question cheap = question_;
            candidates = drop(
                cheap, [&](std::size_t i) { return question_.nodes[i].view->weight > weight; });
            const bool is_last = weight == *weights.rbegin();
            if (!is_last && (candidates < wanted || !has_required(cheap))) continue;
            choose_among(cheap);
            if (choices_.outcome == Outcome::found) return;
        }
    }

  private:
    /// Takes candidates away; returns how many are left.
    template <class IsDropped>
    static Number drop(Question& question, const IsDropped& is_dropped) {
        Number left = 0;
        for (std::size_t i = 0; i < question.nodes.size(); ++i) {
            Candidate& node = question.nodes[i];
            if (node.view == nullptr) continue;
            if (is_dropped(i)) {
                node = {};
            } else {
                ++left;
            }
        }
        return left;
    }
    [[nodiscard]] static bool has_required(const Question& question) {
        return std::all_of(question.required.begin(), question.required.end(),
                           [&](std::size_t i) { return question.nodes[i].view != nullptr; });
    }
    [[nodiscard]] Number worth(const Offer& offer) const {
        Number sum = offer.cpus;
        for (const SocketGres& found : offer.gres) {
            if (question_.job->gres[found.want].name == "gpu") sum += found.total;
        }
        return sum;
    }

    /// The strict pass, the relaxed one, then relaxed without the nodes that have least to give.
    void choose_among(const Question& question) {
        choices_.outcome = Outcome::no_fit;
        for (const Pass pass : {Pass::strict, Pass::relaxed}) {
            if (evaluate(question, pass)) return;
        }
        std::set<Number> worths;
        for (const Candidate& node : question.nodes) {
            if (node.view != nullptr) worths.insert(worth(*node.offer));
        }
        if (worths.size() < 2) return;
        worths.erase(std::prev(worths.end()));
        Question fewer = question;
        for (const Number least : worths) {
            const Number left = drop(fewer, [&](std::size_t i) {
                const auto& required = question.required;
                return worth(*fewer.nodes[i].offer) <= least &&
                       std::find(required.begin(), required.end(), i) == required.end();
            });
            if (left < question.min_nodes || evaluate(fewer, Pass::relaxed)) return;
        }
    }

    /// True when the choice is settled: nodes were found, or too many switches.
    bool evaluate(const Question& question, Pass pass) {
        NodeChoice work(question, pass, choices_.narrowed);
        if (!work.take_required() || !take_nodes(work) || !work.is_accepted()) return false;
        const Number switches = question.job->switches;
        const bool is_by_leaves = !question.job->is_spread && !question.takes_least_loaded &&
                                  question.switches->size() > 1;
        if (is_by_leaves && switches > 0 && count_leaves(work) > switches) {
            choices_.outcome = Outcome::too_many_switches;
            return true;
        }
        choices_.outcome = Outcome::found;
        choices_.picks = work.picks();
        return true;
    }

    const Question& question_;
    Choices& choices_;
};

}  // namespace

Choices choose(const Question& question) {
    Choices choices;
    Chooser(question, choices).run();
    return choices;
}

}  // namespace trestle::slurm::choice
