// SPDX-License-Identifier: Apache-2.0
#include "node_choice.hpp"

#include <algorithm>

namespace trestle::slurm::choice {
namespace {

/// Each task has devices, which bring its CPUs.
bool brings_cpus(const GresWant& want) { return want.cpus_per > 0 && want.per_task > 0; }

Bounds bounds_of(const Question& question, const NodeView& node, Pass pass) {
    const ChoiceJob& job = *question.job;
    const bool is_open = question.min_nodes <= 1 && question.max_nodes > 1;
    Bounds bounds{.pass = pass, .is_open = pass == Pass::relaxed && is_open};
    if (job.ntasks_per_node > 0) {
        bounds.min_tasks = bounds.max_tasks = job.ntasks_per_node;
    } else if (job.ntasks_per_socket > 0) {
        if (job.rules->needs_tasks_of_a_socket) bounds.tasks_of_socket = job.ntasks_per_socket;
        bounds.max_tasks = product(job.ntasks_per_socket, static_cast<Number>(node.sockets.size()));
    } else if (job.ntasks_per_gpu > 0 &&
               (job.has_even_tasks_of_gpus() || !job.rules->gpus_imply_tasks)) {
        // Older releases look for nodes that hold their part of the tasks if the job has the fewest
        // nodes that it may have.
        bounds.min_tasks = job.tasks_of_gpus / job.min_nodes;
        bounds.max_tasks = job.rules->gpus_imply_tasks ? bounds.min_tasks : job.tasks_of_gpus;
    } else if (job.ntasks_per_gpu > 0) {
        bounds.min_tasks = job.ntasks_per_gpu;
        bounds.max_tasks = job.tasks_of_gpus;
    } else if (job.ntasks_per_core > 0) {
        bounds.max_tasks = product(job.ntasks_per_core, node.shape->hardware.core_count());
    } else if ((question.max_nodes == 1 || job.ntasks == 1) && job.ntasks) {
        bounds.min_tasks = bounds.max_tasks = *job.ntasks;
    } else if (job.ntasks && job.ntasks == job.min_nodes && job.ntasks == job.max_nodes) {
        bounds.min_tasks = bounds.max_tasks = 1;
    } else if (job.ntasks && std::any_of(job.gres.begin(), job.gres.end(), brings_cpus)) {
        bounds.max_tasks = *job.ntasks;
    }
    const bool has_fed_devices =
        std::all_of(job.gres.begin(), job.gres.end(),
                    [](const GresWant& want) { return want.per_node > 0 && want.cpus_per > 0; });
    const bool has_bound =
        job.rules->bounds_tasks_of_nodes && (job.ntasks_per_node == 0 || !has_fed_devices);
    const bool has_devices_of_tasks = job.has_devices_of_tasks();
    if (has_bound && job.ntasks && (job.says_ntasks || has_devices_of_tasks)) {
        // Tasks with devices of their own leave one for each other node that the job is to have.
        const Number others = has_devices_of_tasks ? job.min_nodes - 1 : 0;
        bounds.max_tasks = std::min(bounds.max_tasks, std::max<Number>(1, *job.ntasks - others));
        if (!job.gres.empty())
            bounds.min_tasks = std::max(bounds.min_tasks, bounds.tasks_of_socket);
    }
    if (job.plane > 0 && job.ntasks_per_gpu > 0 && job.rules->gpus_imply_tasks) {
        bounds.max_tasks = std::min(bounds.max_tasks, job.plane);
    }
    return bounds;
}

/// Each device of the job has so many tasks, or each task so many devices.
bool has_tasks(const GresWant& want, const ChoiceJob& job) {
    if (want.per_task > 0) return true;
    if (want.per_job == 0 || want.cpus_per > 0 || !job.says_ntasks) return false;
    return job.tasks() % want.per_job == 0;
}

/// Where one node may do and more may be had, such devices are those that the strict pass found, in
/// the relaxed one too.
bool counts_devices_once(const ChoiceJob& job) {
    const bool is_newer = job.rules->plans_gpus_by_node && !job.has_whole_nodes();
    return is_newer && !job.overcommits && job.ntasks_per_gpu == 0 &&
           std::any_of(job.gres.begin(), job.gres.end(),
                       [&](const GresWant& want) { return has_tasks(want, job); });
}

void bound_devices(const Narrowed& strict, const ChoiceJob& job, Narrowed& relaxed) {
    for (UsableGres& one : relaxed.gres) {
        if (!has_tasks(job.gres[one.want], job)) continue;
        for (const UsableGres& found : strict.gres) {
            if (found.want == one.want) one.count = std::min(one.count, found.count);
        }
    }
    if (strict.has_task_limit) relaxed.max_tasks = std::min(relaxed.max_tasks, strict.max_tasks);
}

/// What nodes of the candidate's state answer, worked out where it is not known yet.
const std::optional<Narrowed>& known_answer(const Question& question, std::size_t candidate,
                                            Pass pass) {
    const Candidate& node = question.candidates[candidate];
    auto& known = node.known->passes[pass == Pass::strict ? 0 : 1];
    const Bounds bounds = bounds_of(question, *node.seen->view, pass);
    if (!known || known->bounds != bounds) {
        known = {bounds, narrowed_for(question, candidate, pass, *question.job)};
    }
    return known->narrowed;
}

}  // namespace

std::optional<Narrowed> narrowed_for(const Question& question, std::size_t candidate, Pass pass,
                                     const ChoiceJob& job) {
    const Candidate& node = question.candidates[candidate];
    const NodeView& view = *node.seen->view;
    const auto answer_under = [&](const Bounds& bounds) {
        return narrow(view, *node.capacity, job, *question.parameters, bounds);
    };
    const Bounds bounds = bounds_of(question, view, pass);
    auto narrowed = answer_under(bounds);
    if (narrowed && bounds.is_open && counts_devices_once(job)) {
        const auto strict = answer_under(bounds_of(question, view, Pass::strict));
        if (strict && strict->cpus > 0) bound_devices(*strict, job, *narrowed);
    }
    if (narrowed && narrowed->cpus <= 0) narrowed.reset();
    return narrowed;
}

const std::optional<Narrowed>& narrowed_of(const Question& question, std::size_t candidate,
                                           Pass pass, NarrowMemory& memory) {
    auto& answers = memory[pass == Pass::strict ? 0 : 1];
    answers.resize(question.candidates.size());
    NarrowAnswer& answer = answers[candidate];
    if (answer.narrowed == nullptr) {
        if (question.candidates[candidate].known != nullptr) {
            answer.narrowed = &known_answer(question, candidate, pass);
        } else {
            answer.own = narrowed_for(question, candidate, pass, *question.job);
            answer.narrowed = &answer.own;
        }
    }
    return *answer.narrowed;
}

NodeChoice::NodeChoice(const Question& question, const TakingPart& taking_part, Pass pass,
                       NarrowMemory& memory)
    : question_(question), usable_(question.candidates.size()), layers_(question.layers) {
    const ChoiceJob& job = *question.job;
    cpus_left_ = job.min_cpus();
    nodes_left_ = std::max(question.min_nodes, question.wanted_nodes);
    min_nodes_left_ = question.min_nodes;
    // Older releases leave CPUs to the nodes that the tasks need, whether the job takes them or
    // not.
    if (!job.rules->needs_nodes_of_tasks && job.counts_by_job() && !job.has_whole_nodes()) {
        min_nodes_left_ = std::max(min_nodes_left_, job.nodes_of_tasks);
    }
    nodes_max_ = question.max_nodes;
    for (const GresWant& want : job.gres) gres_left_.push_back(want.per_job);
    for (std::size_t c = 0; c < usable_.size(); ++c) {
        if (!taking_part[c]) continue;
        const auto& narrowed = narrowed_of(question, c, pass, memory);
        if (!narrowed) continue;
        const Candidate& node = question.candidates[c];
        const ChoiceWeight weight{node.seen->view->weight, -node.capacity->near_gpus};
        usable_[c] = {&*narrowed, nullptr, narrowed->cpus, weight, node.is_required};
        const bool leaves_cores = pass == Pass::relaxed && job.rules->plans_gpus_by_node &&
                                  question.min_nodes > 1 &&
                                  (question.keeps_near_cores() || job.counts_by_job());
        if (!leaves_cores) continue;
        const auto& strict = narrowed_of(question, c, Pass::strict, memory);
        if (strict) usable_[c].of_others = &*strict;
    }
    runs_.reserve(question.runs.size());
    for (const CandidateRun& run : question.runs) {
        if (usable_[run.candidate].narrowed == nullptr) continue;
        const Places part{std::max(run.places.first, *taking_part[run.candidate]), run.places.end};
        if (part.first < part.end) runs_.push_back({part, run.candidate});
    }
}

bool NodeChoice::take_required() {
    return std::all_of(
        question_.required.begin(), question_.required.end(), [&](const CandidateRun& node) {
            return usable_[node.candidate].narrowed != nullptr && take(node.places.first, node);
        });
}

std::optional<Place> NodeChoice::first_of(const CandidateRun& run) const {
    for (Place place = run.places.first; place < run.places.end; ++place) {
        if (has_layers(place)) return place;
    }
    return std::nullopt;
}

bool NodeChoice::has_gres() const {
    return std::all_of(gres_left_.begin(), gres_left_.end(), [](Number left) { return left <= 0; });
}

bool NodeChoice::is_enough_nodes(Number count) const {
    return count >= nodes_left_ - std::max<Number>(question_.wanted_nodes - question_.min_nodes, 0);
}

/// Where nodes are chosen for more tasks than GPUs imply, none has fewer than one GPU implies.
bool NodeChoice::has_tasks_of_gpus() const {
    if (job().chosen_tasks <= job().tasks_of_gpus || !job().counts_by_job()) return true;
    const Number least = product(job().ntasks_per_gpu, job().cpus_per_task);
    return std::all_of(picks_.begin(), picks_.end(),
                       [&](const auto& pick) { return pick.second.cpus >= least; });
}

bool NodeChoice::is_accepted() const {
    if (!has_tasks_of_gpus()) return false;
    return cpus_left_ <= 0 && has_gres() && is_enough_nodes(0) &&
           static_cast<Number>(picks_.size()) >= question_.min_nodes;
}

bool NodeChoice::is_enough_gres(const GresSums& sums) const {
    for (std::size_t w = 0; w < gres_left_.size(); ++w) {
        if (job().gres[w].per_job == 0) continue;
        if ((w < sums.size() ? sums[w] : 0) < gres_left_[w]) return false;
    }
    return true;
}

bool NodeChoice::has_enough_gres(const CandidateRun& run) const {
    const auto& gres = usable_[run.candidate].narrowed->gres;
    for (std::size_t w = 0; w < gres_left_.size(); ++w) {
        if (job().gres[w].per_job == 0) continue;
        const auto found =
            std::find_if(gres.begin(), gres.end(), [&](const auto& one) { return one.want == w; });
        if ((found != gres.end() ? found->count : 0) < gres_left_[w]) return false;
    }
    return true;
}

void NodeChoice::keep(const std::vector<Places>& places) {
    std::vector<CandidateRun> kept;
    auto at = places.begin();
    for (const CandidateRun& run : runs_) {
        while (at != places.end() && at->end <= run.places.first) ++at;
        for (auto part = at; part != places.end() && part->first < run.places.end; ++part) {
            kept.push_back({intersect(run.places, *part), run.candidate});
        }
    }
    runs_ = std::move(kept);
}

/// Of a count of the job's devices, and where least loaded nodes keep cores, all nodes but the last
/// give cores near devices alone.
const Narrowed& NodeChoice::narrowed_now(const CandidateRun& run) const {
    const Usable& usable = usable_[run.candidate];
    const bool is_last = min_nodes_left_ <= 1 || usable.of_others == nullptr;
    return is_last ? *usable.narrowed : *usable.of_others;
}

/// What is still needed, less a unit for each other node to come.
Number NodeChoice::most_cpus(const CandidateRun& run) const {
    const Number unit = allocation_unit(*question_.candidates[run.candidate].seen->view, job(),
                                        *question_.parameters);
    const Number left = segment_left_ ? job().min_cpus() : cpus_left_;
    const Number others = segment_left_.value_or(min_nodes_left_) - 1;
    return gives_all_ ? unlimited : left - product(unit, std::max<Number>(others, 0));
}

/// CPUs that the node is taken for.
Number NodeChoice::capped_cpus(const CandidateRun& run) const {
    const Narrowed& narrowed = narrowed_now(run);
    if (job().has_whole_nodes()) return narrowed.cpus;
    const Number most = most_cpus(run);
    const Number of_task = job().cpus_before_limit.value_or(job().cpus_per_task);
    const bool has_sockets = question_.parameters->select.unit == SelectUnit::socket;
    const Number of_tasks = has_sockets || deals_cpus_of_gpus(job())
                                ? product(job().ntasks_per_node, job().cpus_per_task)
                                : Number{0};
    const Number least = std::max({job().min_cpus_per_node, of_task, of_tasks, bound_cpus(run),
                                   cpus_for_gres(narrowed), cpus_of_even_tasks()});
    const Number whole = narrowed.cpus - narrowed.cpus % job().cpus_per_task;
    const bool is_of_others = &narrowed == usable_[run.candidate].of_others;
    const Number cpus = is_of_others ? whole : narrowed.cpus;
    return cpus <= most ? cpus : std::max(most, least);
}

/// CPUs of the tasks that GPUs imply, where each of a fixed number of nodes has as many.
Number NodeChoice::cpus_of_even_tasks() const {
    const bool is_even = job().rules->gpus_imply_tasks && job().has_even_tasks_of_gpus();
    return is_even ? product(job().tasks_of_gpus / question_.min_nodes, job().cpus_per_task) : 0;
}

/// CPUs that the node's devices bring with them. In older releases bound ones bring none where the
/// nodes to come leave this one no CPUs.
Number NodeChoice::bound_cpus(const CandidateRun& run) const {
    const bool is_bound = job().enforces_binding && !job().rules->binds_devices;
    if (is_bound && min_nodes_left_ > 1 && most_cpus(run) <= 0) return 0;
    const Narrowed& narrowed = narrowed_now(run);
    const bool is_later = narrowed.later_gres_cpus > 0 && cpus_left_ <= 0;
    return is_later ? narrowed.later_gres_cpus : narrowed.gres_cpus;
}

/// CPUs that some of the node's GPUs bring, where a count of the job's GPUs brings CPUs.
Number NodeChoice::of_whole_gpus(const Narrowed& narrowed, Number cpus) const {
    for (const UsableGres& one : narrowed.gres) {
        const GresWant& want = job().gres[one.want];
        if (!gives_cpus_by_gpu(want, job()) || want.has_default_cpus) continue;
        const Number gpus = std::min(one.count, cpus / want.cpus_per);
        if (gpus > 0) cpus = std::min(cpus, product(gpus, want.cpus_per));
    }
    return cpus;
}

/// Devices of the job's that this node is to give: one is left for each other node to come.
Number NodeChoice::expected_of(const UsableGres& one) const {
    const Number others = std::max<Number>(min_nodes_left_ - 1, 0);
    return std::min(one.count, gres_left_[one.want] - others);
}

/// CPUs that the devices expected from this node bring with them: of a count of the job's GPUs that
/// brings CPUs one alone, as those are dealt to the nodes later.
Number NodeChoice::cpus_for_gres(const Narrowed& narrowed) const {
    Number most = 0;
    for (const UsableGres& one : narrowed.gres) {
        const GresWant& want = job().gres[one.want];
        const bool has_some = gives_cpus_by_gpu(want, job());
        const Number expected = has_some ? std::min<Number>(one.count, 1) : expected_of(one);
        if (want.per_job > 0 && expected > 0) {
            most = std::max(most, product(expected, want.cpus_per));
        }
    }
    return most;
}

bool NodeChoice::take(Place place, const CandidateRun& run) {
    if (nodes_max_ <= 0 || !has_layers(place)) return false;
    const Number cpus = capped_cpus(run);
    if (cpus <= 0) return false;
    const Narrowed& narrowed = narrowed_now(run);
    const Number counted =
        std::max(of_whole_gpus(narrowed, cpus), std::min(cpus, job().min_cpus_per_node));
    const Number gres_cpus =
        std::max(bound_cpus(run), deals_cpus_of_gpus(job()) ? 0 : cpus_for_gres(narrowed));
    picks_[place] = {run.candidate, &narrowed, cpus, gres_cpus, {}};
    const bool is_expected = !job().rules->counts_cpus_per_gpu_by_node;
    // Devices of tasks are those of tasks that the CPUs taken are for.
    const bool counts_by_cpus = job().rules->counts_devices_of_cpus && !job().overcommits &&
                                !job().has_whole_nodes() &&
                                question_.parameters->select.unit != SelectUnit::socket;
    std::vector<Number>& planned = picks_[place].planned;
    planned.assign(gres_left_.size(), 0);
    for (const UsableGres& one : narrowed.gres) {
        const GresWant& want = job().gres[one.want];
        if (want.per_job == 0) continue;
        // One is left for each other node that the job is to have, unless tasks say how many.
        const Number nodes = std::max(question_.min_nodes, job().nodes_of_tasks);
        const Number share = std::max<Number>(1, want.per_job - nodes + 1);
        Number given = want.cpus_per > 0 && is_expected ? expected_of(one) : one.count;
        if (gives_cpus_by_gpu(want, job())) {
            const Number fed = want.has_default_cpus ? unlimited : cpus / want.cpus_per;
            given = std::min(one.count, fed);
        }
        const bool is_shared = job().rules->plans_gpus_by_node && job().ntasks_per_gpu == 0;
        if (is_shared) given = std::min(given, share);
        const bool is_even = job().rules->gpus_imply_tasks && job().has_even_tasks_of_gpus();
        if (want.per_task > 0 && counts_by_cpus) {
            const Number tasks = std::max<Number>(1, cpus / job().cpus_per_task);
            given = std::min(given, product(tasks, want.per_task));
        }
        if (is_even) given = std::min(given, quotient_up(want.per_job, question_.min_nodes));
        planned[one.want] = std::clamp<Number>(gres_left_[one.want], 0, given);
        gres_left_[one.want] -= given;
    }
    if (layers_) layers_->take(question_.table->node_at(place));
    cpus_left_ -= counted;
    --nodes_left_;
    if (segment_left_) --*segment_left_;
    --min_nodes_left_;
    --nodes_max_;
    return true;
}

bool NodeChoice::try_take(Place place, const CandidateRun& run) {
    if (nodes_max_ == 1 && (cpus_of(run) < cpus_left_ || !has_enough_gres(run))) return false;
    return take(place, run);
}

void NodeChoice::try_down(const CandidateRun& run) {
    for (Place place = run.places.end; place-- != run.places.first && !is_over();) {
        if (!is_picked(place) && has_layers(place) && !try_take(place, run)) return;
    }
}

void NodeChoice::take_down(const CandidateRun& run) {
    for (Place place = run.places.end; place-- != run.places.first && !is_over();) {
        if (!is_picked(place) && has_layers(place) && !take(place, run)) return;
    }
}

}  // namespace trestle::slurm::choice
