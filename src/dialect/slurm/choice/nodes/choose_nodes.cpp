// SPDX-License-Identifier: Apache-2.0
#include "choose_nodes.hpp"

#include <algorithm>
#include <compare>
#include <set>
#include <span>

#include "capacity_bound.hpp"
#include "node_choice.hpp"
#include "units.hpp"

namespace trestle::slurm::choice {
namespace {

/// Neighbouring nodes of one weight.
struct WeightRun {
    ChoiceWeight weight;
    std::size_t first = 0;  ///< position in NodeChoice::runs()
    std::size_t end = 0;
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
        const bool has_neighbour = r != 0 && runs[r - 1].places.end == runs[r].places.first;
        if (!has_neighbour || all.back().weight != weight) {
            all.emplace_back().weight = weight;
            all.back().first = r;
        }
        WeightRun& one = all.back();
        one.end = r + 1;
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

/// Which run goes next. Most jobs need one or two: the order is made when more are asked for.
class RunOrder {
  public:
    RunOrder(const NodeChoice& work, std::vector<WeightRun>& runs) : work_(work), runs_(runs) {
        for (const WeightRun& run : runs_) {
            if (run.required && run.nodes != 0) ++required_left_;
        }
    }

    /// The best that was not taken, or null.
    RatedRun take() {
        const bool is_looked_up = required_left_ == 0 && taken_++ != 0;
        const RatedRun best = is_looked_up ? find() : scan();
        if (best.run == nullptr) return best;
        best.run->is_used = true;
        if (best.run->required) --required_left_;
        if (is_looked_up) order_.erase(key_of(*best.run));
        return best;
    }

  private:
    /// Rising by weight, then by CPUs, then in the order of nodes.
    struct Key {
        ChoiceWeight weight;
        Number cpus = 0;
        std::size_t at = 0;
        friend auto operator<=>(const Key&, const Key&) = default;
    };

    [[nodiscard]] Key key_of(const WeightRun& run) const {
        return {run.weight, run.cpus, static_cast<std::size_t>(&run - runs_.data())};
    }
    [[nodiscard]] bool fits(const WeightRun& run) const {
        return run.cpus >= work_.cpus_left() && work_.is_enough_nodes(run.nodes) &&
               work_.is_enough_gres(run.gres);
    }

    [[nodiscard]] RatedRun scan() const {
        RatedRun best;
        for (WeightRun& run : runs_) {
            if (run.is_used || run.nodes == 0) continue;
            const RatedRun rated{&run, fits(run)};
            if (best.run == nullptr || is_better(rated, best)) best = rated;
        }
        return best;
    }
    /// What scan() finds. Requires: no run with a required node is left.
    [[nodiscard]] RatedRun find() {
        if (!is_ordered_) {
            for (const WeightRun& run : runs_) {
                if (!run.is_used && run.nodes != 0) order_.insert(key_of(run));
            }
            is_ordered_ = true;
        }
        if (order_.empty()) return {};
        const ChoiceWeight weight = order_.begin()->weight;
        const auto least = order_.lower_bound(Key{weight, work_.cpus_left(), 0});
        bool has_fitting = false;
        bool has_other = false;  // of enough CPUs, but of too few nodes or devices
        auto one = least;
        for (; one != order_.end() && one->weight == weight; ++one) {
            (fits(runs_[one->at]) ? has_fitting : has_other) = true;
            if (has_fitting && has_other) return scan();  // it depends on the order of nodes
        }
        if (has_fitting) return {&runs_[least->at], true};
        const Number most = std::prev(one)->cpus;
        return {&runs_[order_.lower_bound(Key{weight, most, 0})->at], false};
    }

    const NodeChoice& work_;
    std::vector<WeightRun>& runs_;
    std::set<Key> order_;
    bool is_ordered_ = false;
    std::size_t required_left_ = 0;
    std::size_t taken_ = 0;
};

/// The nodes with the fewest CPUs that are enough; the first of equals, or null.
const CandidateRun* best_single(const NodeChoice& work, const WeightRun& run) {
    const CandidateRun* best = nullptr;
    for (std::size_t r = run.first; r < run.end; ++r) {
        const CandidateRun& one = work.runs()[r];
        const Number cpus = work.cpus_of(one);
        if (cpus < work.cpus_left() || (best != nullptr && cpus >= work.cpus_of(*best))) continue;
        if (!work.is_required(one) && work.has_enough_gres(one) && work.first_of(one)) best = &one;
    }
    return best;
}

void use_run(NodeChoice& work, const WeightRun& run) {
    const auto& runs = work.runs();
    if (run.required) {
        for (std::size_t r = *run.required + 1; r < run.end; ++r) {
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
    for (std::size_t r = run.first; r < run.end; ++r) {
        work.try_up(runs[r], [&] { return !work.is_over(); });
    }
}

/// Run after run of neighbours, the best one first. With --contiguous the first one has to suffice;
/// the job may have more nodes of others, unless it names some. False: it does not.
bool take_neighbours(NodeChoice& work) {
    if (work.is_done()) return true;
    std::vector<WeightRun> runs = weight_runs_of(work);
    RunOrder order(work, runs);
    for (bool is_first = true;; is_first = false) {
        const RatedRun best = order.take();
        if (best.run == nullptr) return true;
        if (work.job().is_contiguous && is_first) {
            const Places places{work.runs()[best.run->first].places.first,
                                work.runs()[best.run->end - 1].places.end};
            const auto& required = work.question().required;
            const bool is_whole = std::all_of(
                required.begin(), required.end(),
                [&](const CandidateRun& node) { return places.contains(node.places.first); });
            if (!best.fits || !is_whole) return false;
        }
        use_run(work, *best.run);
        const bool is_named = work.job().is_contiguous && !work.question().required.empty();
        if (is_named || work.is_over()) return true;
    }
}

/// Older releases need a core's worth of CPUs for each node that the job has to have, unless it
/// has but one CPU a node.
bool is_too_small_for_load(const NodeChoice& work) {
    const Question& question = work.question();
    const Number cpus = work.job().min_cpus();
    if (!work.job().rules->needs_cores_of_least_loaded || work.job().has_whole_nodes())
        return false;
    Number nodes = 0;
    for (const CandidateRun& run : work.runs()) nodes += run.size();
    const bool has_wanted = cpus == question.wanted_nodes && nodes >= cpus;
    if (nodes == 0 || question.min_nodes == 1 || cpus == question.min_nodes || has_wanted) {
        return false;
    }
    const Candidate& first = question.candidates[work.runs().front().candidate];
    const Number unit = allocation_unit(*first.seen->view, work.job(), *question.parameters);
    return cpus < product(question.min_nodes, unit);
}

/// By weight, then the highest share of free CPUs.
void take_least_loaded(NodeChoice& work) {
    std::vector<CandidateRun> order = work.runs();
    const auto& candidates = work.question().candidates;
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
        if (work.weight(a) != work.weight(b)) return work.weight(a) < work.weight(b);
        const Candidate& x = candidates[a.candidate];
        const Candidate& y = candidates[b.candidate];
        return x.capacity->free_cpus * y.seen->view->cpus >
               y.capacity->free_cpus * x.seen->view->cpus;
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

/// As many nodes as the job may have. Where tasks are dealt in turn each further weight gives a
/// node at least, however many there are; those without a task go again.
void take_spread(NodeChoice& work) {
    const bool is_in_turn = work.job().rules->spreads_tasks_in_turn;
    if (is_in_turn) work.give_all();
    std::vector<CandidateRun> order = work.runs();
    std::stable_sort(order.begin(), order.end(),
                     [&](const auto& a, const auto& b) { return work.weight(a) < work.weight(b); });
    for (auto run = order.begin(); run != order.end(); ++run) {
        const bool is_first =
            run == order.begin() || work.weight(*run) != work.weight(*std::prev(run));
        if (is_in_turn && is_first && run != order.begin()) work.allow_a_node();
        work.try_up(*run, [&] { return work.may_take(); });
    }
    if (is_in_turn && work.job().says_ntasks) work.keep_first(work.job().tasks());
}

bool take_nodes(NodeChoice& work) {
    const Question& question = work.question();
    if (question.job->is_spread) {
        take_spread(work);
        return true;
    }
    if (question.takes_least_loaded) {
        if (is_too_small_for_load(work)) return false;
        take_least_loaded(work);
        return true;
    }
    if (question.takes_last) {
        take_last(work);
        return true;
    }
    return goes_by_leaves(question) ? take_by_leaves(work) : take_neighbours(work);
}

/// Whether nodes next to each other on the network are looked for.
bool looks_around(const Question& question) {
    return !question.job->is_spread && !question.takes_least_loaded && !question.takes_last &&
           question.units == nullptr;
}

/// The ways of choosing, over nodes that become more (by weight), then fewer (by what they give).
/// A choice is not made where all nodes together give too little.
class Chooser {
  public:
    Chooser(const Question& question, Choices& choices)
        : question_(question),
          choices_(choices),
          taking_(question.candidates.size()),
          bounds_{CapacityBound(question), CapacityBound(question)} {}

    void run() {
        if (question_.job->needs_task_a_node && has_all_devices()) return;
        const bool is_one = question_.max_nodes == 1 && question_.min_nodes <= 1 &&
                            !question_.takes_least_loaded &&
                            (question_.units == nullptr ||
                             (gives_first_node(*question_.units) && !question_.job->is_spread));
        if (is_one && question_.job->rules->takes_first_node) return run_one();
        const auto& candidates = question_.candidates;
        std::vector<std::size_t> by_weight;
        for (std::size_t c = 0; c < candidates.size(); ++c) {
            if (candidates[c].nodes != 0) by_weight.push_back(c);
        }
        std::stable_sort(by_weight.begin(), by_weight.end(), [&](std::size_t a, std::size_t b) {
            return weight_of(candidates[a]) < weight_of(candidates[b]);
        });
        const Number wanted = std::max(question_.min_nodes, question_.wanted_nodes);
        if (by_weight.empty()) return;
        has_one_weight_ =
            weight_of(candidates[by_weight.front()]) == weight_of(candidates[by_weight.back()]);
        std::size_t required_left = question_.required.size();
        Number nodes = 0;
        for (std::size_t i = 0; i < by_weight.size(); ++i) {
            const Candidate& node = candidates[by_weight[i]];
            taking_[by_weight[i]] = 0;
            nodes += node.nodes;
            if (node.is_required) required_left -= static_cast<std::size_t>(node.nodes);
            const bool is_last = i + 1 == by_weight.size();
            if (!is_last) {
                if (question_.units != nullptr) continue;  // units are chosen by weight themselves
                if (question_.job->is_contiguous || question_.job->is_spread) continue;
                if (weight_of(node) == weight_of(candidates[by_weight[i + 1]])) continue;
                if (nodes < wanted || required_left != 0) continue;
            }
            choose_among({by_weight.data(), i + 1}, nodes);
            if (choices_.outcome == Outcome::found) return;
        }
    }

  private:
    /// A job of one node: the first that has enough CPUs, by weight, then index.
    void run_one() {
        choices_.outcome = Outcome::no_fit;
        const auto& runs = question_.required.empty() ? question_.runs : question_.required;
        const TakingPart all(question_.candidates.size(), 0);
        std::set<Number> weights;
        for (const Candidate& one : question_.candidates) weights.insert(weight_of(one));
        for (const Pass pass : {Pass::strict, Pass::relaxed}) {
            NodeChoice work(question_, all, pass, choices_.narrowed);
            GresSums passed;
            for (const Number weight : weights) {
                for (const CandidateRun& run : runs) {
                    if (weight_of(question_.candidates[run.candidate]) != weight) continue;
                    const auto place = first_with_room(work, run, pass, passed);
                    if (!place) continue;
                    narrow_to_rest(work, run.candidate, pass, passed);
                    work.take_up({{*place, *place + 1}, run.candidate}, [](Place) {});
                    choices_.outcome = Outcome::found;
                    choices_.picks = work.picks();
                    return;
                }
            }
        }
    }

    /// The node that is taken serves what devices of nodes before it left to find. `passed`: with
    /// its own.
    void narrow_to_rest(NodeChoice& work, std::size_t candidate, Pass pass,
                        const GresSums& passed) {
        NarrowAnswer& its = choices_.narrowed[pass == Pass::strict ? 0 : 1][candidate];
        ChoiceJob rest = *question_.job;
        bool is_less = false;
        for (const UsableGres& own : (*its.narrowed)->gres) {
            GresWant& want = rest.gres[own.want];
            const Number before = own.want < passed.size() ? passed[own.want] - own.count : 0;
            if (want.per_job == 0 || want.per_task > 0 || before <= 0) continue;
            want.per_job = std::max<Number>(1, want.per_job - before);
            is_less = true;
        }
        if (!is_less) return;
        if (auto narrowed = narrowed_for(question_, candidate, pass, rest)) {
            narrowed->serves_rest = true;
            its.own = std::move(narrowed);
            its.narrowed = &its.own;
            work.replace(candidate, *its.own);
        }
    }

    /// The first node of the run that serves a job of one node. Devices of nodes that were passed
    /// over count too, so that a node may be taken that has too few; those that bring CPUs are not
    /// looked at. `passed`: their sums.
    [[nodiscard]] std::optional<Place> first_with_room(const NodeChoice& work,
                                                       const CandidateRun& run, Pass pass,
                                                       GresSums& passed) {
        const ChoiceJob& job = *question_.job;
        const auto& its = narrowed(run.candidate, pass);
        const bool brings_cpus = std::any_of(
            job.gres.begin(), job.gres.end(),
            [](const auto& want) { return want.cpus_per > 0 && !want.has_default_cpus; });
        if (!its || (brings_cpus && lacks_devices(run.candidate))) return std::nullopt;
        const Number cpus =
            brings_cpus ? question_.candidates[run.candidate].capacity->cpus : its->cpus;
        if (cpus < job.min_cpus()) return std::nullopt;
        for (Place place = run.places.first; place < run.places.end; ++place) {
            if (!work.has_layers(place)) continue;
            const GresSums before = passed;
            work.add_gres(passed, run, 1);
            if (brings_cpus || work.is_enough_gres(passed)) return place;
            if (passed == before) return std::nullopt;
        }
        return std::nullopt;
    }

    /// Whether one node has all devices of the job.
    [[nodiscard]] bool has_all_devices() const {
        return std::any_of(
            question_.candidates.begin(), question_.candidates.end(), [&](const Candidate& node) {
                return std::any_of(node.capacity->gres.begin(), node.capacity->gres.end(),
                                   [&](const SocketGres& found) {
                                       const Number most = question_.job->gres[found.want].per_job;
                                       return most > 0 && fed_devices(node, found) >= most;
                                   });
            });
    }
    /// Devices for whose tasks the node has CPUs; those of tasks per GPU are of one socket.
    [[nodiscard]] Number fed_devices(const Candidate& node, const SocketGres& found) const {
        const ChoiceJob& job = *question_.job;
        if (job.ntasks_per_gpu == 0) {
            const Number tasks = node.capacity->cpus / job.cpus_per_task;
            const Number per_task = job.gres[found.want].per_task;
            return std::min(found.total, product(tasks, std::max<Number>(per_task, 1)));
        }
        Number fed = std::min(found.anywhere, node.capacity->cpus / job.cpus_per_task);
        const NodeView& view = *node.seen->view;
        const SocketCores sockets = view.by_socket(node.capacity->cores);
        for (std::size_t s = 0; s < sockets.size(); ++s) {
            const Number cpus = sockets[s].count() * view.threads;
            fed += std::min(found.by_socket[s], cpus / job.cpus_per_task);
        }
        return fed;
    }

    /// Of those of a whole node, where it is asked whether the job could ever start.
    [[nodiscard]] bool lacks_devices(std::size_t candidate) const {
        if (!question_.is_of_idle_nodes) return false;
        const auto& gres = question_.candidates[candidate].capacity->gres;
        return std::any_of(gres.begin(), gres.end(), [&](const SocketGres& found) {
            return found.total < question_.job->gres[found.want].per_job;
        });
    }

    [[nodiscard]] static Number weight_of(const Candidate& node) { return node.seen->view->weight; }
    [[nodiscard]] Number worth(std::size_t candidate) const {
        const NodeCapacity& capacity = *question_.candidates[candidate].capacity;
        Number sum = capacity.cpus;
        for (const SocketGres& found : capacity.gres) {
            if (question_.job->gres[found.want].name == "gpu") sum += found.total;
        }
        return sum;
    }
    [[nodiscard]] const std::optional<Narrowed>& narrowed(std::size_t candidate, Pass pass) {
        return narrowed_of(question_, candidate, pass, choices_.narrowed);
    }

    /// The supply of those that take part, which only become more.
    [[nodiscard]] const CapacityBound& bound_of(std::span<const std::size_t> taking, Pass pass) {
        const std::size_t at = pass == Pass::strict ? 0 : 1;
        for (std::size_t& i = bounded_[at]; i < taking.size(); ++i) {
            if (const auto& one = narrowed(taking[i], pass)) {
                bounds_[at].add(question_.candidates[taking[i]], *one);
            }
        }
        return bounds_[at];
    }

    /// The strict pass, the relaxed one, then relaxed without some nodes. `taking`: the candidates
    /// that take part, `nodes`: of them.
    void choose_among(std::span<const std::size_t> taking, Number nodes) {
        choices_.outcome = Outcome::no_fit;
        forget_near_cores();
        for (const Pass pass : {Pass::strict, Pass::relaxed}) {
            const bool is_tried = has_one_weight_ || bound_of(taking, pass).may_suffice();
            if (is_tried && evaluate(taking_, pass)) return;
        }
        const UnitFault fault = choices_.fault;  // of all nodes, as the reason of jobs says
        leave_out(taking, nodes);
        if (choices_.outcome != Outcome::found) choices_.fault = fault;
    }

    /// The relaxed pass without the nodes that have least to give: one node less after the other,
    /// of equals the first one first, or in older releases all equals at once, as many as
    /// min_nodes allows.
    void leave_out(std::span<const std::size_t> taking, Number nodes) {
        if (!bound_of(taking, Pass::relaxed).may_suffice()) return;  // nor do fewer nodes
        std::vector<std::pair<Number, std::size_t>> by_worth;
        for (const std::size_t c : taking) by_worth.emplace_back(worth(c), c);
        std::sort(by_worth.begin(), by_worth.end());
        const Number most = by_worth.back().first;
        CapacityBound bound = bound_of(taking, Pass::relaxed);
        TakingPart part = taking_;
        for (auto one = by_worth.begin(); one->first != most;) {
            const Number least = one->first;
            std::vector<bool> is_equal(question_.candidates.size(), false);
            for (; one->first == least; ++one) {
                is_equal[one->second] = !question_.candidates[one->second].is_required;
            }
            for (const CandidateRun& run : question_.runs) {
                if (!is_equal[run.candidate]) continue;
                const auto& its = narrowed(run.candidate, Pass::relaxed);
                for (Place place = run.places.first; place < run.places.end; ++place) {
                    if (nodes <= question_.min_nodes || !bound.may_suffice()) return;
                    part[run.candidate] = place + 1;
                    --nodes;
                    if (its) bound.remove_one(*its);
                    const bool is_tried =
                        question_.job->rules->leaves_out_one_by_one || nodes == question_.min_nodes;
                    if (is_tried && bound.may_suffice() && evaluate(part, Pass::relaxed)) return;
                }
            }
            if (question_.job->rules->leaves_out_one_by_one) continue;
            if (bound.may_suffice() && evaluate(part, Pass::relaxed)) return;
        }
    }

    /// True when the choice is resolved: nodes were found, or too many switches.
    bool evaluate(const TakingPart& taking_part, Pass pass) {
        NodeChoice work(question_, taking_part, pass, choices_.narrowed);
        if (!work.take_required()) return false;
        if (question_.units != nullptr) {
            choices_.fault = take_by_units(work);
            if (choices_.fault != UnitFault::none) return false;
        } else if (!take_nodes(work)) {
            return false;
        }
        if (!work.is_accepted()) {
            if (pass == Pass::strict) keep_near_cores(work);
            return false;
        }
        const Number switches = question_.job->switches;
        const bool has_limit = goes_by_leaves(question_) && switches > 0;
        if (has_limit && count_leaves(work) > switches) {
            choices_.switches = count_leaves(work);
            choices_.outcome = Outcome::too_many_switches;
            return true;
        }
        choices_.outcome = Outcome::found;
        choices_.picks = work.picks();
        return true;
    }

    /// Least loaded nodes that were all tried with the cores near their devices give no others.
    void keep_near_cores(const NodeChoice& work) {
        if (!question_.keeps_near_cores()) return;
        Number nodes = 0;
        for (const CandidateRun& run : work.runs()) nodes += run.size();
        if (nodes != static_cast<Number>(work.picks().size())) return;
        auto& [strict, relaxed] = choices_.narrowed;
        relaxed.resize(strict.size());
        for (std::size_t c = 0; c < strict.size(); ++c) {
            const auto* const near = strict[c].narrowed;
            if (near != nullptr && near->has_value()) relaxed[c].narrowed = near;
        }
        count_relaxed_again();
        has_near_cores_ = true;
    }

    /// More nodes take part: those before them give far cores again.
    void forget_near_cores() {
        if (!has_near_cores_) return;
        for (NarrowAnswer& one : choices_.narrowed[1]) one.narrowed = nullptr;
        count_relaxed_again();
        has_near_cores_ = false;
    }

    void count_relaxed_again() {
        bounds_[1] = CapacityBound(question_);
        bounded_[1] = 0;
    }

    const Question& question_;
    Choices& choices_;
    bool has_one_weight_ = false;  ///< then sums would cost as much as the choice
    bool has_near_cores_ = false;  ///< the relaxed pass gives what the strict one gave
    TakingPart taking_;
    std::array<CapacityBound, 2> bounds_;  ///< by pass, of the first bounded_ by weight
    std::array<std::size_t, 2> bounded_{};
};

}  // namespace

Choices choose(const Question& question) {
    Choices choices;
    Chooser(question, choices).run();
    return choices;
}

bool goes_by_neighbours(const Question& question) {
    return looks_around(question) && question.switches->size() <= 1;
}

bool goes_by_leaves(const Question& question) {
    return looks_around(question) && question.switches->size() > 1 && !question.job->is_contiguous;
}

}  // namespace trestle::slurm::choice
