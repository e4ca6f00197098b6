// SPDX-License-Identifier: Apache-2.0
#include "job.hpp"

#include <algorithm>
#include <utility>

#include "../options/resolve/gres_totals.hpp"
#include "../options/resolve/task_cpus.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/gres.hpp"

namespace trestle::slurm::choice {
namespace {

/// Whether devices that the job counts as a whole, and no task does, bring CPUs.
bool brings_cpus_by_job(const ChoiceJob& job) {
    return std::any_of(job.gres.begin(), job.gres.end(), [](const GresWant& want) {
        return want.per_job > 0 && want.per_task == 0 && want.cpus_per > 0;
    });
}

/// CPUs that the nodes of the job have together, with those of --mincpus or without.
Number least_cpus(const ChoiceJob& job, bool has_mincpus) {
    const Number most_tasks = job.overcommits
                                  ? job.min_nodes
                                  : std::max({job.tasks(), job.chosen_tasks,
                                              product(job.ntasks_per_node, job.min_nodes)});
    const Number least_of_node = job.overcommits || !has_mincpus ? 1 : job.min_cpus_per_node;
    Number least = std::max<Number>(
        {product(most_tasks, job.cpus_per_task), product(least_of_node, job.min_nodes), 1});
    for (const GresWant& want : job.gres) {
        if (want.has_default_cpus && job.rules->counts_cpus_per_gpu_by_node) continue;
        least = std::max(least, product(want.cpus_per, want.total(job)));
    }
    return least;
}

}  // namespace

bool GresWant::is_of_gpus() const { return name == "gpu" || is_shared_gres(name); }

Number GresWant::total(const ChoiceJob& job) const {
    const Number sockets = std::max<Number>(job.sockets_per_node, 1);
    return std::max({per_job, product(per_node, job.min_nodes),
                     product(per_socket, product(job.min_nodes, sockets)),
                     product(per_task, job.tasks())});
}

Number ChoiceJob::min_cpus() const {
    return least_cpus(*this, !says_ntasks || rules->gives_mincpus_beside_ntasks);
}

Number ChoiceJob::asked_cpus() const {
    ChoiceJob plain = *this;
    if (rules->counts_cpus_of_gpus_as_asked) {
        plain.min_cpus_per_node = 1;
        if (says_ntasks) plain.ntasks_per_node = 0;
        return least_cpus(plain, false);
    }
    for (GresWant& want : plain.gres) want.cpus_per = 0;
    return plain.min_cpus();
}

bool ChoiceJob::has_too_few_devices() const {
    return std::any_of(gres.begin(), gres.end(), [&](const GresWant& want) {
        return want.per_job > 0 && want.per_job < min_nodes;
    });
}

bool ChoiceJob::has_devices_of_tasks() const {
    return std::any_of(gres.begin(), gres.end(),
                       [](const GresWant& want) { return want.per_task > 0; });
}

bool ChoiceJob::counts_by_job() const {
    return std::any_of(gres.begin(), gres.end(),
                       [](const GresWant& want) { return want.per_job > 0; });
}

Number ChoiceJob::most_nodes_by_tasks(AskedNodes nodes) const {
    if (!ntasks || (ntasks_per_node > 0 && !rules->deals_all_tasks)) return unlimited;
    if (tasks_of_gpus > 0 && !rules->gpus_imply_tasks) return tasks_of_gpus;
    if (!rules->bounds_idle_nodes) {
        const bool is_open = !max_nodes && !nodes.are_by_load;
        const bool has_any = counts_by_job() && ntasks_per_gpu == 0;  // nodes for devices alone
        if (brings_cpus_by_job(*this) || (is_open && (nodes.are_idle || has_any))) return unlimited;
    }
    const bool has_bound_devices = enforces_binding && counts_by_job();
    return has_bound_devices && !rules->bounds_nodes_of_bound_devices ? unlimited : *ntasks;
}

bool ChoiceJob::has_all_tasks_of_nodes() const {
    if (ntasks_per_node == 0) return false;
    const auto brings_cpus = [](const GresWant& want) {
        return want.cpus_per > 0 && want.per_task == 0;
    };
    return !rules->deals_all_tasks || !says_ntasks ||
           std::any_of(gres.begin(), gres.end(), brings_cpus);
}

bool ChoiceJob::lacks_nodes_of_tasks() const {
    // All of one node is taken for as many tasks as it has CPUs for.
    if (rules->takes_first_node && max_nodes == 1 && has_whole_nodes()) return false;
    return nodes_of_tasks > max_nodes.value_or(unlimited) && !brings_cpus_by_job(*this);
}

bool ChoiceJob::lacks_tasks_of_nodes() const {
    return rules->bounds_tasks_of_nodes && says_ntasks && ntasks == 1 && ntasks_per_node > 1 &&
           gres.empty() && !has_whole_nodes();
}

Number ChoiceJob::limited_cpus() const {
    ChoiceJob plain = *this;
    if (says_ntasks) plain.ntasks_per_node = 0;
    for (GresWant& want : plain.gres) {
        if (want.has_default_cpus && want.per_task > 0) plain.cpus_per_task = 1;
        if (!rules->limits_cpus_of_gpus) want.cpus_per = 0;
    }
    if (!has_implied_tasks && !cpus_before_limit) return least_cpus(plain, true);
    if (has_implied_tasks) plain.ntasks.reset();
    plain.cpus_per_task = cpus_before_limit.value_or(plain.cpus_per_task);
    return least_cpus(plain, true);
}

namespace {

Number number_of(Count count) { return std::min(count.value(), unlimited); }
Number number_of(const std::optional<Count>& count, Number otherwise = 0) {
    return count ? number_of(*count) : otherwise;
}
Number least_of(const std::optional<Range<Count>>& range) {
    return range && range->min ? number_of(*range->min) : 0;
}
std::optional<Number> mebibytes(const std::optional<Bytes>& bytes) {
    if (!bytes) return std::nullopt;
    return div_ceil(*bytes, mib(1).value()).value();
}

/// Whether the job needs the nodes that its tasks need by --ntasks-per-node.
bool needs_nodes_of_tasks(const JobOptions& said, const ChoiceJob& job) {
    return job.rules->needs_nodes_of_tasks || said.nodes || !said.gpus || !said.ntasks_per_node;
}

void set_nodes(const JobOptions& said, const JobOptions& resolved, ChoiceJob& job) {
    job.ntasks = resolved.ntasks ? std::optional(number_of(*resolved.ntasks)) : std::nullopt;
    job.says_ntasks = said.ntasks.has_value();
    job.says_ntasks_per_node = said.ntasks_per_node.has_value();
    if (resolved.nodes) {
        const Range<Count>& range = resolved.nodes->range;
        job.min_nodes = std::max<Number>(number_of(range.least()), 1);
        if (range.max) job.max_nodes = number_of(*range.max);
        for (const Count size : resolved.nodes->sizes) job.node_sizes.push_back(number_of(size));
    }
    job.wanted_nodes = job.max_nodes && !resolved.use_min_nodes ? *job.max_nodes : job.min_nodes;
    const bool has_range = said.nodes && !said.nodes->range.is_single();
    if (!said.ntasks && has_range && resolved.ntasks_per_node && !resolved.ntasks_per_gpu &&
        !resolved.overcommit) {
        job.ntasks.reset();  // so many a node, however many nodes there will be
    }
    // In the release that looks for the first node, tasks of a node alone are those of one node.
    const bool has_node_of_tasks = said.ntasks_per_node && !said.ntasks && !said.nodes;
    if (job.rules->takes_first_node && has_node_of_tasks) job.max_nodes = job.min_nodes;
    if (resolved.ntasks_per_node && job.ntasks && !said.nodes && !resolved.overcommit &&
        needs_nodes_of_tasks(said, job)) {
        const Number nodes = quotient_up(*job.ntasks, number_of(*resolved.ntasks_per_node));
        const bool is_looked_at = said.ntasks_per_node && job.rules->limits_implied_counts;
        job.has_implied_nodes = nodes > job.min_nodes && !is_looked_at;
        job.min_nodes = std::max(job.min_nodes, nodes);
        job.wanted_nodes = std::max(job.wanted_nodes, job.min_nodes);
    }
}

/// Whether -N and the nodes that are named leave but one number of nodes.
bool has_fixed_nodes(const JobOptions& said) {
    if (!said.nodes || !said.nodes->range.max) return false;
    const Number named =
        said.nodelist ? static_cast<Number>(said.nodelist->sorted().size()) : Number{0};
    const Number least = std::max(number_of(said.nodes->range.least()), named);
    return least == number_of(*said.nodes->range.max);
}

/// -N beside sockets, cores or threads of a node means so many tasks.
void set_tasks_of_shape(const JobOptions& said, ChoiceJob& job) {
    const bool is_fixed = has_fixed_nodes(said);
    const bool is_one_each = job.ntasks.value_or(job.min_nodes) == job.min_nodes;
    if (said.ntasks || !is_fixed || !is_one_each || job.ntasks_per_node > 0) return;
    Number tasks = job.min_nodes;
    for (const Number of_one : {job.sockets_per_node, job.cores_per_socket, job.threads_per_core}) {
        if (of_one == 0) continue;
        tasks = product(tasks, of_one);
        job.ntasks = tasks;
    }
}

void set_tasks(const JobOptions& resolved, ChoiceJob& job) {
    const auto cpus = task_cpus(resolved);
    job.cpus_per_task = number_of(cpus, 1);
    job.says_cpus_per_task = cpus.has_value();
    job.ntasks_per_node = number_of(resolved.ntasks_per_node);
    job.ntasks_per_socket = number_of(resolved.ntasks_per_socket);
    job.ntasks_per_core = number_of(resolved.ntasks_per_core);
    job.ntasks_per_gpu = number_of(resolved.ntasks_per_gpu);
    job.sockets_per_node = least_of(resolved.sockets_per_node);
    job.cores_per_socket = least_of(resolved.cores_per_socket);
    job.threads_per_core = least_of(resolved.threads_per_core);
    if (resolved.hint && *resolved.hint != Hint::multithread) job.threads_per_core = 1;
    // Older releases place one task alone, whatever tasks of a node are said.
    if (!job.rules->limits_implied_counts && job.says_ntasks && job.ntasks == 1) {
        job.ntasks_per_node = 0;
    }
    job.min_cpus_per_node = number_of(resolved.mincpus, 1);
    if (resolved.core_spec) job.core_spec = number_of(*resolved.core_spec);
    job.thread_spec = number_of(resolved.thread_spec);
    job.overcommits = resolved.overcommit;
    if (job.overcommits) job.ntasks_per_node = job.ntasks_per_socket = job.ntasks_per_core = 0;
}

void set_order(const JobOptions& resolved, ChoiceJob& job) {
    if (!resolved.distribution) return;
    const TaskOrder& order = *resolved.distribution;
    if (order.nodes == TaskSpread::plane) {
        job.plane = number_of(order.plane_size, 1);
        job.core_order = CoreOrder::block;
    } else if (order.sockets) {
        job.core_order = *order.sockets == TaskSpread::block ? CoreOrder::block : CoreOrder::cyclic;
    }
}

void set_places(const JobOptions& resolved, ChoiceJob& job) {
    job.is_exclusive = resolved.exclusive == ExclusiveKind::whole_node;
    job.may_share = resolved.oversubscribe;
    job.is_contiguous = resolved.contiguous;
    job.is_spread = resolved.spread_job;
    job.enforces_binding = resolved.gres_flags && resolved.gres_flags->enforce_binding;
    job.has_one_part_a_device = resolved.gres_flags && resolved.gres_flags->one_task_per_sharing;
    job.may_share_part_of_device =
        resolved.gres_flags && resolved.gres_flags->multiple_tasks_per_sharing;
    job.disables_binding = resolved.gres_flags && resolved.gres_flags->disable_binding;
    if (resolved.constraint) set_features(*resolved.constraint, job);
    job.preferred = resolved.prefer;
    if (resolved.switches) job.switches = number_of(resolved.switches->count);
    job.is_topology_exclusive = resolved.exclusive == ExclusiveKind::topo;
    job.segment = number_of(resolved.segment);
    job.spreads_segments = resolved.spread_segments;
    job.consolidates_segments = resolved.consolidate_segments;
    job.disk = resolved.tmp.value_or(Bytes());
}

/// --spread-job without a number of tasks or nodes is one task.
Status bound_spread(const JobOptions& said, ChoiceJob& job) {
    if (!job.is_spread || job.max_nodes || job.ntasks) return {};
    if (said.nodes) {
        return invalid_argument("--spread-job: --nodes has no upper end: expected one");
    }
    job.max_nodes = job.min_nodes;
    return {};
}

/// The job has the nodes that its tasks need by --ntasks-per-node (`of_node`), as far as -N allows.
void raise_nodes(const JobOptions& said, const std::optional<Count>& of_node, ChoiceJob& job) {
    if (!job.says_ntasks || !job.ntasks || !of_node || of_node->is_zero()) return;
    job.tasks_of_node = number_of(*of_node);
    job.nodes_of_tasks = quotient_up(*job.ntasks, job.tasks_of_node);
    if (!needs_nodes_of_tasks(said, job)) return;
    const Number most = job.max_nodes.value_or(unlimited);
    job.min_nodes = std::max(job.min_nodes, std::min(job.nodes_of_tasks, most));
    job.wanted_nodes = std::max(job.wanted_nodes, job.min_nodes);
}

/// Only with so many nodes do the counts go together; `before`: numbers of nodes that tasks
/// lowered.
Status fix_nodes(ChoiceJob& job, const std::optional<NodeCounts>& before, const GresWant& want,
                 Number nodes) {
    const bool is_within = !job.max_nodes || nodes <= *job.max_nodes ||
                           (before && nodes <= number_of(before->range.max, unlimited));
    if (nodes < job.min_nodes || !is_within) {
        return invalid_argument("{}: its counts need {} nodes, which --nodes does not allow",
                                want.name, nodes);
    }
    const bool has_fewer_tasks = job.says_ntasks && job.ntasks && *job.ntasks < nodes;
    if (has_fewer_tasks && job.rules->refuses_fewer_tasks_than_nodes) {
        return invalid_argument("{}: its counts need {} nodes, more than there are tasks: {}",
                                want.name, nodes, *job.ntasks);
    }
    if (has_fewer_tasks && job.rules->raises_a_task_to_nodes && job.ntasks == 1) {
        job.ntasks = nodes;
    }
    job.min_nodes = job.wanted_nodes = nodes;
    job.max_nodes = nodes;
    return {};
}

/// Tasks that clients count without -n.
Number unsaid_tasks(const JobOptions& said, const ChoiceJob& job) {
    return has_fixed_nodes(said) ? job.min_nodes : Number{1};
}

/// Whether -G beside devices per task leaves the tasks open.
bool has_open_tasks(const JobOptions& said, const ChoiceJob& job, const GresWant& want) {
    if (!said.gpus || said.ntasks || said.ntasks_per_node) return false;
    const Number cpus = product(job.cpus_per_task, unsaid_tasks(said, job));
    return job.cpus_per_task > 1 && want.per_job / want.per_task <= cpus;
}

/// Each of these tasks is on a node of its own.
Status spread_tasks(ChoiceJob& job, Number tasks) {
    if (tasks <= 1) return {};
    if (tasks < job.min_nodes || tasks > job.max_nodes.value_or(tasks)) {
        return invalid_argument("--gpus: {} tasks follow, each on a node of its own", tasks);
    }
    job.needs_task_a_node = job.min_nodes == 1;
    job.ntasks = tasks;
    job.min_nodes = job.wanted_nodes = tasks;
    job.max_nodes = tasks;
    return {};
}

/// Older releases refuse one task that has fewer devices than each node is to give.
bool leaves_devices_of_node(const ChoiceJob& job, const GresWant& want) {
    return !job.rules->limits_implied_counts && job.says_ntasks && job.ntasks == 1 &&
           want.per_task > 0 && want.per_node > want.per_task && !job.has_whole_nodes();
}

/// What follows from the counts of one name and type, beyond what resolve() derives.
Status derive_counts(const JobOptions& said, const std::optional<NodeCounts>& before,
                     ChoiceJob& job, GresWant& want) {
    if (want.per_job > 0 && want.per_node > 0) {
        TRESTLE_TRY_STATUS(fix_nodes(job, before, want, want.per_job / want.per_node));
    }
    if (leaves_devices_of_node(job, want)) {
        return invalid_argument("{}: {} of a node, {} of a task: one task does not fill a node",
                                want.name, want.per_node, want.per_task);
    }
    if (want.per_task > 0) {
        const bool has_tasks =
            said.ntasks || said.ntasks_per_node || job.rules->limits_implied_counts;
        job.has_implied_tasks = job.has_implied_tasks || !has_tasks;
        if (want.per_job == 0 && !job.ntasks && !has_fixed_nodes(said)) {
            return invalid_argument("{}: {} of a task, of which the number is open", want.name,
                                    want.per_task);
        }
        const bool is_open = has_open_tasks(said, job, want);
        if (is_open && job.rules->spreads_tasks_of_gpus) {
            TRESTLE_TRY_STATUS(spread_tasks(job, want.per_job / want.per_task));
        }
        if (is_open && !job.rules->counts_tasks_of_gpus) {  // each node has one
            job.ntasks.reset();
            if (has_fixed_nodes(said)) job.ntasks = job.min_nodes;
            want.per_node = std::exchange(want.per_task, 0);  // a task a node
            return {};
        }
        if (!job.ntasks) job.ntasks = want.per_job > 0 ? want.per_job / want.per_task : job.tasks();
        const bool says_tasks = want.name == "gpu" && said.gpus &&
                                job.rules->counts_tasks_of_gpus && job.ntasks_per_node == 0;
        job.says_ntasks = job.says_ntasks || says_tasks;
        if (want.per_job == 0) want.per_job = product(want.per_task, job.tasks());
        // Slurm multiplies before it joins CPUs per GPU with GPUs of a type.
        if (want.cpus_per > 0 && want.type.empty()) {
            job.cpus_per_task = product(want.cpus_per, want.per_task);
        }
    }
    if (want.per_job == 0) return {};
    if (want.per_job < job.min_nodes) {
        return invalid_argument("{}: {} of the job are fewer than {} nodes", want.name,
                                want.per_job, job.min_nodes);
    }
    if (job.max_nodes) job.max_nodes = std::min(*job.max_nodes, want.per_job);
    return {};
}

Status set_gres(const JobOptions& said, const ResolvedOptions& done, ChoiceJob& job) {
    const JobOptions& resolved = done.options;
    for (const GresTotal& total : gres_totals(resolved)) {
        const bool is_gpu = total.name == "gpu";
        GresWant& want = job.gres.emplace_back();
        want.name = total.name;
        want.type = total.type;
        want.per_job = number_of(total.job);
        want.per_node = number_of(total.node);
        want.per_socket = number_of(total.socket);
        want.per_task = number_of(total.task);
        if (is_gpu) want.cpus_per = number_of(resolved.cpus_per_gpu);
        if (is_gpu) want.memory_per = mebibytes(resolved.mem_per_gpu).value_or(0);
        TRESTLE_TRY_STATUS(derive_counts(said, done.nodes_before, job, want));
    }
    // Devices of the job are on as few nodes as have them, not on as many as -N allows.
    if (job.counts_by_job()) job.wanted_nodes = job.min_nodes;
    if (job.rules->needs_gpus_for_counts) return {};
    const bool has_gpu = std::any_of(job.gres.begin(), job.gres.end(),
                                     [](const GresWant& want) { return want.name == "gpu"; });
    if (resolved.cpus_per_gpu && !has_gpu) {
        const bool has_parts = std::any_of(job.gres.begin(), job.gres.end(), [](const auto& want) {
            return is_shared_gres(want.name);
        });
        if (has_parts) {
            return invalid_argument(
                "--cpus-per-gpu: the job requests only parts of GPUs, expected GPUs beside them");
        }
        GresWant& want = job.gres.emplace_back();
        want.name = "gpu";
        want.cpus_per = number_of(*resolved.cpus_per_gpu);
    }
    return {};
}

/// Tasks that GPUs imply, and what -n (`replaced`) is good for beside them.
Status set_tasks_of_gpus(const JobOptions& said, std::optional<Count> replaced, ChoiceJob& job) {
    if (job.ntasks_per_gpu == 0 || !job.ntasks) return {};
    job.tasks_of_gpus = *job.ntasks;
    const bool has_gpus = said.gpus || said.gpus_per_node || said.gres;
    if (!has_gpus) return {};
    const Number asked = replaced ? number_of(*replaced) : unsaid_tasks(said, job);
    if (!job.rules->gpus_imply_tasks) {
        // They count where the CPUs that -n and -c say are fewer than such tasks.
        if (product(asked, job.cpus_per_task) >= job.tasks_of_gpus) job.ntasks = asked;
        if (replaced && job.max_nodes) {
            job.max_nodes = std::min(*job.max_nodes, std::max(asked, job.min_nodes));
        }
        return {};
    }
    const Number tasks = job.tasks_of_gpus;
    const bool has_cpus = asked < tasks && product(asked, job.cpus_per_task) >= tasks;
    const bool has_tasks_of_nodes = replaced && asked > 1 && job.ntasks_per_gpu == 1;
    if (has_cpus && job.rules->spreads_tasks_of_gpus && !has_tasks_of_nodes) {
        if (job.ntasks_per_gpu > 1) {
            return invalid_argument("--ntasks-per-gpu: {} tasks follow, more than --ntasks={}",
                                    tasks, asked);
        }
        TRESTLE_TRY_STATUS(spread_tasks(job, tasks));
    }
    if (replaced) job.chosen_tasks = number_of(*replaced);
    if (job.min_nodes != job.max_nodes) return {};
    if (job.tasks_of_gpus % product(job.min_nodes, job.ntasks_per_gpu) == 0) return {};
    job.uneven_gpus = job.tasks_of_gpus / job.ntasks_per_gpu;
    return {};
}

}  // namespace

void set_features(const NodeConstraint& constraint, ChoiceJob& job) {
    job.features = constraint.features;
    job.feature_counts = constraint.counts;
    job.feature_sets = constraint.one_of;
}

void add_feature_alternatives(const ChoiceJob& job, std::vector<ChoiceJob>& jobs) {
    if (job.feature_sets.empty()) jobs.push_back(job);
    for (const FeatureExpression& one : job.feature_sets) {
        jobs.push_back(job);
        jobs.back().features = job.features & one;
    }
}

std::vector<ChoiceJob> preferring_jobs(const ChoiceJob& job) {
    std::vector<ChoiceJob> jobs;
    if (!job.preferred) return jobs;
    ChoiceJob preferring = job;
    set_features(*job.preferred, preferring);
    add_feature_alternatives(preferring, jobs);
    return jobs;
}

StatusOr<ChoiceJob> job_of(const JobOptions& said, const ResolvedOptions& done,
                           std::optional<Count> replaced, Release release) {
    const JobOptions& resolved = done.options;
    if (resolved.core_kind) {
        return invalid_argument("--core-kind={}: Slurm knows no kinds of cores; expected place()",
                                trestle::to_text(*resolved.core_kind));
    }
    ChoiceJob job;
    job.rules = &rules_of(release);
    set_nodes(said, resolved, job);
    set_tasks(resolved, job);
    set_tasks_of_shape(said, job);
    job.memory = mebibytes(resolved.mem);
    job.memory_per_cpu = mebibytes(resolved.mem_per_cpu);
    job.memory_per_gpu = mebibytes(resolved.mem_per_gpu);
    if (job.memory_per_cpu == 0) {  // all memory of the node, as --mem=0
        job.memory = job.memory.value_or(0);
        job.memory_per_cpu.reset();
    }
    if (job.memory_per_gpu == 0) job.memory_per_gpu.reset();
    set_order(resolved, job);
    set_places(resolved, job);
    TRESTLE_TRY_STATUS(bound_spread(said, job));
    const bool has_hint = said.hint == Hint::nomultithread && said.gpus_per_socket;
    if (has_hint && !job.rules->keeps_sockets_beside_hint) {
        return invalid_argument(
            "--gpus-per-socket: needs --sockets-per-node, which --hint=nomultithread takes away");
    }
    TRESTLE_TRY_STATUS(set_gres(said, done, job));
    raise_nodes(said, resolved.ntasks_per_node, job);
    TRESTLE_TRY_STATUS(set_tasks_of_gpus(said, replaced, job));
    return job;
}

}  // namespace trestle::slurm::choice
