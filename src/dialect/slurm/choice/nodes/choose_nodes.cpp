// SPDX-License-Identifier: Apache-2.0
#include "choose_nodes.hpp"

#include <algorithm>
#include <set>

#include "node_choice.hpp"

namespace trestle::slurm::choice {
namespace {

/// Neighbouring nodes of one weight.
struct WeightRun {
    ChoiceWeight weight;
    std::size_t first = 0;  ///< position in NodeChoice::runs()
    std::size_t last = 0;
    std::optional<std::size_t> required;  ///< the first one that was picked
    Number nodes = 0;                     ///< of this and the following only those that are free
    Number cpus = 0;
    GresSums gres;
    bool is_used = false;
};

std::vector<WeightRun> weight_runs_of(const NodeChoice& work) {
    std::vector<WeightRun> all;
    const auto& runs = work.runs();
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const ChoiceWeight weight =
            work.job().is_contiguous ? ChoiceWeight() : work.weight(runs[r]);
        const bool has_neighbour = r != 0 && runs[r - 1].places.last == runs[r].places.first;
        if (!has_neighbour || all.back().weight != weight) {
            all.emplace_back().weight = weight;
            all.back().first = r;
        }
        WeightRun& one = all.back();
        one.last = r + 1;
        if (work.is_required(runs[r])) {
            if (!one.required) one.required = r;
            continue;
        }
        const Number nodes = runs[r].size();
        one.nodes += nodes;
        one.cpus += work.cpus_of(runs[r]) * nodes;
        if (!work.job().gres.empty()) work.add_gres(one.gres, runs[r], nodes);
    }
    return all;
}

struct RatedRun {
    WeightRun* run = nullptr;
    bool fits = false;
};

bool is_better(const RatedRun& a, const RatedRun& best) {
    if (a.run->required && !best.run->required) return true;
    if (a.run->weight != best.run->weight) return a.run->weight < best.run->weight;
    if (a.fits) return !best.fits || a.run->cpus < best.run->cpus;
    return a.run->cpus > best.run->cpus;
}

RatedRun best_run(const NodeChoice& work, std::vector<WeightRun>& runs) {
    RatedRun best;
    for (WeightRun& run : runs) {
        if (run.is_used || run.nodes == 0) continue;
        const bool fits = run.cpus >= work.cpus_left() && work.is_enough_nodes(run.nodes) &&
                          work.is_enough_gres(run.gres);
        const RatedRun rated{&run, fits};
        if (best.run == nullptr || is_better(rated, best)) best = rated;
    }
    return best;
}

/// The nodes with the fewest CPUs that are enough; the first of equals, or null.
const CandidateRun* best_single(const NodeChoice& work, const WeightRun& run) {
    const CandidateRun* best = nullptr;
    for (std::size_t r = run.first; r < run.last; ++r) {
        const CandidateRun& one = work.runs()[r];
        const Number cpus = work.cpus_of(one);
        if (cpus < work.cpus_left() || (best != nullptr && cpus >= work.cpus_of(*best))) continue;
        if (!work.is_required(one) && work.has_enough_gres(one)) best = &one;
    }
    return best;
}

void use_run(NodeChoice& work, const WeightRun& run) {
    const auto& runs = work.runs();
    if (run.required) {
        for (std::size_t r = *run.required + 1; r < run.last; ++r) {
            work.take_up(runs[r], [](Place) {});
        }
        for (std::size_t r = *run.required; r-- > run.first;) work.take_down(runs[r]);
        return;
    }
    if (work.nodes_left() <= 1) {
        if (const CandidateRun* const single = best_single(work, run)) {
            work.try_first(*single);
            return;
        }
    }
    for (std::size_t r = run.first; r < run.last; ++r) {
        work.try_up(runs[r], [&] { return !work.is_over(); });
    }
}

/// Run after run of neighbours, the best one first. False: --contiguous cannot be met.
bool take_neighbours(NodeChoice& work) {
    if (work.is_done()) return true;
    std::vector<WeightRun> runs = weight_runs_of(work);
    while (true) {
        const RatedRun best = best_run(work, runs);
        if (best.run == nullptr) return true;
        if (work.job().is_contiguous) {
            const Places places{work.runs()[best.run->first].places.first,
                                work.runs()[best.run->last - 1].places.last};
            const auto& required = work.question().required;
            const bool is_whole = std::all_of(
                required.begin(), required.end(),
                [&](const CandidateRun& node) { return places.contains(node.places.first); });
            if (!best.fits || !is_whole) return false;
        }
        use_run(work, *best.run);
        if (work.job().is_contiguous || work.is_over()) return true;
        best.run->is_used = true;
    }
}

/// By weight, then the highest share of free CPUs.
void take_least_loaded(NodeChoice& work) {
    std::vector<CandidateRun> order = work.runs();
    const auto& candidates = work.question().candidates;
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
        if (work.weight(a) != work.weight(b)) return work.weight(a) < work.weight(b);
        const Candidate& x = candidates[a.candidate];
        const Candidate& y = candidates[b.candidate];
        return x.offer.cpus * y.seen->view->cpus > y.offer.cpus * x.seen->view->cpus;
    });
    for (const CandidateRun& run : order) {
        work.try_up(run, [&] { return !work.is_over(); });
    }
}

/// By weight, then the last node.
void take_last(NodeChoice& work) {
    std::vector<CandidateRun> order(work.runs().rbegin(), work.runs().rend());
    std::stable_sort(order.begin(), order.end(),
                     [&](const auto& a, const auto& b) { return work.weight(a) < work.weight(b); });
    for (const CandidateRun& run : order) work.try_down(run);
}

/// As many nodes as the job may have.
void take_spread(NodeChoice& work) {
    for (const CandidateRun& run : work.runs()) {
        work.try_up(run, [&] { return work.may_take(); });
    }
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
    if (question.takes_last) {
        take_last(work);
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
        for (const Candidate& node : question_.candidates) {
            if (node.nodes != 0) weights.insert(weight_of(node));
        }
        const Number wanted = std::max(question_.min_nodes, question_.wanted_nodes);
        for (const Number weight : weights) {
            std::vector<bool> takes_part;
            for (const Candidate& node : question_.candidates) {
                takes_part.push_back(node.nodes != 0 && weight_of(node) <= weight);
            }
            const bool is_last = weight == *weights.rbegin();
            if (!is_last && (count(takes_part) < wanted || !has_required(takes_part))) continue;
            choose_among(std::move(takes_part));
            if (choices_.outcome == Outcome::found) return;
        }
    }

  private:
    [[nodiscard]] static Number weight_of(const Candidate& node) { return node.seen->view->weight; }
    [[nodiscard]] Number count(const std::vector<bool>& takes_part) const {
        Number nodes = 0;
        for (std::size_t c = 0; c < takes_part.size(); ++c) {
            if (takes_part[c]) nodes += question_.candidates[c].nodes;
        }
        return nodes;
    }
    [[nodiscard]] bool has_required(const std::vector<bool>& takes_part) const {
        return std::all_of(question_.required.begin(), question_.required.end(),
                           [&](const CandidateRun& node) { return takes_part[node.candidate]; });
    }
    [[nodiscard]] Number worth(const Offer& offer) const {
        Number sum = offer.cpus;
        for (const SocketGres& found : offer.gres) {
            if (question_.job->gres[found.want].name == "gpu") sum += found.total;
        }
        return sum;
    }

    /// The strict pass, the relaxed one, then relaxed without the nodes that have least to give.
    void choose_among(std::vector<bool> takes_part) {
        choices_.outcome = Outcome::no_fit;
        for (const Pass pass : {Pass::strict, Pass::relaxed}) {
            if (evaluate(takes_part, pass)) return;
        }
        const auto& candidates = question_.candidates;
        std::set<Number> worths;
        for (std::size_t c = 0; c < candidates.size(); ++c) {
            if (takes_part[c]) worths.insert(worth(candidates[c].offer));
        }
        if (worths.size() < 2) return;
        worths.erase(std::prev(worths.end()));
        for (const Number least : worths) {
            for (std::size_t c = 0; c < candidates.size(); ++c) {
                const bool is_least = worth(candidates[c].offer) <= least;
                if (is_least && !candidates[c].is_required) takes_part[c] = false;
            }
            if (count(takes_part) < question_.min_nodes || evaluate(takes_part, Pass::relaxed)) {
                return;
            }
        }
    }

    /// True when the choice is settled: nodes were found, or too many switches.
    bool evaluate(const std::vector<bool>& takes_part, Pass pass) {
        NodeChoice work(question_, takes_part, pass, choices_.narrowed);
        if (!work.take_required() || !take_nodes(work) || !work.is_accepted()) return false;
        const Number switches = question_.job->switches;
        const bool is_by_leaves = !question_.job->is_spread && !question_.takes_least_loaded &&
                                  !question_.takes_last && question_.switches->size() > 1;
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
