// SPDX-License-Identifier: Apache-2.0
// A job as the limits and defaults of a partition reshape it.
#include <algorithm>

#include "../job.hpp"

namespace trestle::slurm::choice {
namespace {

/// The first that is said and no 0, in MiB.
std::optional<Number> limit_of(const std::optional<Bytes>& first,
                               const std::optional<Bytes>& second = std::nullopt) {
    const auto& said = first && !first->is_zero() ? first : second;
    if (!said || said->is_zero()) return std::nullopt;
    return div_ceil(*said, mib(1).value()).value();
}

MemoryLimits limits_of(const JobDefaults& defaults) {
    return {limit_of(defaults.max_memory_per_node), limit_of(defaults.max_memory_per_cpu)};
}

bool is_gpu(const GresWant& want) { return want.name == "gpu"; }

/// DefCpuPerGPU, for a job that does not say how many CPUs a task has.
std::optional<Count> default_cpus(const ChoiceJob& job, const PartitionLine& partition,
                                  const ClusterParameters& parameters) {
    const auto& own = partition.defaults.cpus_per_gpu;
    const auto& cpus = own ? own : parameters.defaults.cpus_per_gpu;
    return job.says_cpus_per_task ? std::nullopt : cpus;
}

/// CPUs that each GPU brings where neither it nor tasks say how many (DefCpuPerGPU).
void set_default_cpus(ChoiceJob& job, const PartitionLine& partition,
                      const ClusterParameters& parameters) {
    const auto cpus = default_cpus(job, partition, parameters);
    if (!cpus || job.ntasks_per_gpu > 0) return;
    for (GresWant& want : job.gres) {
        if (!is_gpu(want) || want.cpus_per > 0) continue;
        want.cpus_per = std::min(cpus->value(), unlimited);
        want.has_default_cpus = true;
        job.cpus_per_task = std::max(job.cpus_per_task, product(want.cpus_per, want.per_task));
    }
}

/// CR_ONE_TASK_PER_CORE, which means --ntasks-per-core=1 where GPUs bring no CPUs.
void set_tasks_of_cores(ChoiceJob& job, const PartitionLine& partition,
                        const ClusterParameters& parameters) {
    if (job.overcommits) return;
    const bool has_default = default_cpus(job, partition, parameters).has_value();
    const bool brings_cpus = std::any_of(
        job.gres.begin(), job.gres.end(),
        [&](const GresWant& want) { return want.cpus_per > 0 || (has_default && is_gpu(want)); });
    const bool is_implied = parameters.select.has_one_task_per_core && job.ntasks_per_core == 0;
    if (brings_cpus) {
        job.has_cores_of_gpu_cpus = job.rules->gives_cores_to_cpus_of_gpus &&
                                    job.ntasks_per_gpu == 0 &&
                                    (is_implied || job.ntasks_per_core == 1);
        return;
    }
    if (!is_implied) return;
    job.ntasks_per_core = 1;
    job.has_implied_core_tasks = true;
    // Older releases forget tasks per GPU beside them, but not how many tasks these imply.
    if (!job.rules->gpus_imply_tasks) job.ntasks_per_gpu = job.tasks_of_gpus = 0;
}

/// DefMemPerGPU, for a job with GPUs. False: there is none.
bool set_default_memory_of_gpus(ChoiceJob& job, const JobDefaults& own, const JobDefaults& all) {
    const auto memory = limit_of(own.memory_per_gpu, all.memory_per_gpu);
    if (!memory || std::none_of(job.gres.begin(), job.gres.end(), is_gpu)) return false;
    job.memory_per_gpu = memory;
    for (GresWant& want : job.gres) {
        if (is_gpu(want)) want.memory_per = *memory;
    }
    return true;
}

/// Memory of a node, or by CPU.
struct NodeMemory {
    std::optional<Number> of_node;  ///< 0: all of it
    std::optional<Number> by_cpu;
};

/// What a job without GPUs has that names no memory. One of the two is there.
NodeMemory default_memory(const JobDefaults& own, const JobDefaults& all) {
    for (const JobDefaults* const said : {&own, &all}) {
        if (auto memory = limit_of(said->memory_per_cpu)) return {{}, memory};
        if (auto memory = limit_of(said->memory_per_node)) return {memory, {}};
    }
    return {0, {}};
}

void set_default_memory(ChoiceJob& job, const PartitionLine& partition,
                        const ClusterParameters& parameters) {
    if (job.memory || job.memory_per_cpu || job.memory_per_gpu) return;
    job.has_default_memory = true;
    const JobDefaults& own = partition.defaults;
    const JobDefaults& all = parameters.defaults;
    if (set_default_memory_of_gpus(job, own, all)) return;
    const NodeMemory memory = default_memory(own, all);
    job.memory_per_cpu = memory.by_cpu;
    job.memory = memory.of_node;
}

/// CPUs that the job is known to take on some node before nodes are chosen.
Number least_cpus_of_node(const ChoiceJob& job, const TypicalNode& node) {
    const Number tasks = std::max<Number>(job.ntasks_per_node, 1);
    Number cpus = std::max(product(tasks, job.cpus_per_task), job.min_cpus_per_node);
    if (job.max_nodes && *job.max_nodes > 0) {
        cpus = std::max(cpus, quotient_up(job.min_cpus(), *job.max_nodes));
    }
    if (!job.is_exclusive) return cpus;
    return std::max(cpus, job.rules->limits_memory_of_largest_node ? node.most_cpus : node.cpus);
}

/// Limits hold whether memory is counted or not. Memory by GPU is not looked at: the default
/// memory of a job without GPUs stands for it.
void set_memory_limits(ChoiceJob& job, const PartitionLine& partition,
                       const ClusterParameters& parameters, const TypicalNode& node) {
    job.least_memory = std::max(job.memory.value_or(0), job.memory_per_cpu.value_or(0));
    job.has_memory_by_node = !job.memory_per_cpu.has_value();
    NodeMemory memory{job.memory, job.memory_per_cpu};
    if (job.memory_per_gpu) memory = default_memory(partition.defaults, parameters.defaults);
    job.limited_memory = memory.by_cpu ? product(*memory.by_cpu, least_cpus_of_node(job, node))
                         : memory.of_node == 0 ? node.memory
                                               : memory.of_node.value_or(0);
    const SelectParameters& select = parameters.select;
    if (select.counts_memory) return;
    job.memory.reset();
    job.memory_per_gpu.reset();
    job.memory_per_cpu = 0;
    for (GresWant& want : job.gres) want.memory_per = 0;
}

/// Memory above MaxMemPerCPU brings CPUs along.
void raise_cpus(ChoiceJob& job, const std::optional<Number>& limit, const TypicalNode& node) {
    if (!limit) return;
    if (job.memory_per_cpu && *job.memory_per_cpu > *limit) {
        const Number factor = quotient_up(*job.memory_per_cpu, *limit);
        job.cpus_before_limit = job.cpus_per_task;
        job.cpus_per_task = product(job.cpus_per_task, factor);
        job.memory_per_cpu = quotient_up(*job.memory_per_cpu, factor);
        job.min_cpus_per_node = 1;  // of --mincpus nothing is left
        job.has_cpus_for_memory = true;
    }
    if (!job.memory) return;
    const Number memory = *job.memory == 0 ? node.memory : *job.memory;
    if (memory <= *limit) return;
    Number least = quotient_up(memory, *limit);
    Number whole = std::max(least, job.cpus_per_task);  // for whole tasks
    if (job.rules->raises_cpus_of_tasks) {
        const Number even = quotient_up(job.tasks(), std::max<Number>(job.min_nodes, 1));
        const Number tasks = job.ntasks_per_node > 0 ? job.ntasks_per_node : even;
        job.cpus_per_task = quotient_up(least, tasks);
        least = product(job.cpus_per_task, tasks);
        whole = std::max(whole, least);
    } else {
        const bool has_tasks = job.ntasks_per_node > 0 && job.cpus_per_task == 1;
        if (has_tasks) {
            job.ordered_cpus = quotient_up(least, job.ntasks_per_node);
            whole = product(job.ordered_cpus, job.ntasks_per_node);
        }
        const bool is_above = job.says_cpus_per_task && least > job.cpus_per_task;
        if (is_above) least -= least % job.cpus_per_task;
    }
    job.has_cpus_for_memory = true;
    job.cpus_for_memory = whole;
    if (whole > node.most_cpus) job.cpus_of_largest_node = node.most_cpus;
    job.min_cpus_per_node = std::max(job.min_cpus_per_node, least);
}

/// What the partition says of sharing goes before what the job says. FORCE:1 forces nothing upon a
/// job that wants whole nodes; of FORCE:2 and more such a job has all of a node in its row.
void set_sharing(ChoiceJob& job, const PartitionLine& partition) {
    if (partition.is_topology_exclusive) {
        job.is_topology_exclusive = true;
        if (job.rules->has_whole_exclusive_units) job.is_exclusive = true;
    }
    switch (partition.oversubscribe) {
        case Partition::OverSubscribe::exclusive:
            job.is_exclusive = true;
            break;
        case Partition::OverSubscribe::force:
            if (job.has_whole_nodes() && partition.jobs_per_resource == 1) break;
            job.rows = partition.jobs_per_resource;
            break;
        case Partition::OverSubscribe::yes:
            if (job.may_share && !job.is_exclusive) job.rows = partition.jobs_per_resource;
            break;
        case Partition::OverSubscribe::no:
            break;
    }
}

/// MinNodes, and what becomes of fewer tasks.
void raise_nodes(ChoiceJob& job, const PartitionLine& partition) {
    const Number least = partition.min_nodes;
    const bool has_fewer_tasks = job.says_ntasks && job.ntasks && *job.ntasks < least;
    const bool gives_cores = job.gres.empty() && !job.is_exclusive &&
                             partition.oversubscribe != Partition::OverSubscribe::exclusive;
    switch (job.rules->few_tasks) {
        case FewTasks::one_a_node:
            if (!has_fewer_tasks) break;
            // So many nodes at most, which are fewer than MinNodes: the job waits.
            if (job.max_nodes) job.max_nodes = std::min(*job.max_nodes, *job.ntasks);
            job.ntasks = least;
            break;
        case FewTasks::fewer_nodes:  // those without a task are no nodes of the job
            if (has_fewer_tasks && gives_cores) return;
            if (has_fewer_tasks && job.gres.empty()) job.ntasks = least;
            break;
        case FewTasks::refused:
            job.has_too_few_tasks = has_fewer_tasks;
            break;
    }
    job.min_nodes = std::max(job.min_nodes, least);
    job.wanted_nodes = std::max(job.wanted_nodes, job.min_nodes);
}

}  // namespace

MemoryLimits memory_limits_of(const PartitionLine& partition, const ClusterParameters& parameters) {
    const MemoryLimits own = limits_of(partition.defaults);
    return own.of_node || own.by_cpu ? own : limits_of(parameters.defaults);
}

ChoiceJob in_partition(ChoiceJob job, const PartitionLine& partition,
                       const ClusterParameters& parameters, const TypicalNode& node) {
    raise_nodes(job, partition);
    set_default_memory(job, partition, parameters);
    raise_cpus(job, memory_limits_of(partition, parameters).by_cpu, node);
    set_default_cpus(job, partition, parameters);
    set_tasks_of_cores(job, partition, parameters);
    if (parameters.select.enforces_binding && !job.disables_binding) job.enforces_binding = true;
    if (job.rules->sums_parts) {
        job.shares_several_devices = parameters.select.shares_several_devices;
        if (parameters.select.has_one_task_per_sharing_device && !job.may_share_part_of_device) {
            job.has_one_part_a_device = true;
        }
    }
    set_sharing(job, partition);
    set_memory_limits(job, partition, parameters, node);
    return job;
}

}  // namespace trestle::slurm::choice
