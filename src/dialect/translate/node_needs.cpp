// SPDX-License-Identifier: Apache-2.0
#include "node_needs.hpp"

#include <algorithm>

#include "trestle/dialect/slurm/gres.hpp"

namespace trestle::translate {
namespace {

using slurm::JobOptions;
using GresList = std::optional<std::vector<Gres>>;

Count nodes_of(const JobOptions& options) {
    if (options.nodes) {
        return std::max(options.nodes->range.least(), Count(1));
    }
    if (options.ntasks && options.ntasks_per_node) {
        return div_ceil(*options.ntasks, options.ntasks_per_node->value());
    }
    return Count(1);
}

Count tasks_of(const JobOptions& options, Count nodes) {
    if (options.ntasks_per_node) return *options.ntasks_per_node;
    return options.ntasks ? div_ceil(*options.ntasks, nodes.value()) : Count(1);
}

/// Adds the GPUs of a list, `times` of each; false where there are none.
bool add_gpus(GpuNeed& need, const std::vector<Gres>& list, Count times) {
    for (const Gres& one : list) {
        if (one.name != "gpu") continue;
        const auto product = checked_mul(one.count, times.value());
        need.count = saturating_add(need.count, product.value_or(Count::max()));
        const bool is_new =
            std::find(need.types.begin(), need.types.end(), one.type) == need.types.end();
        if (!one.type.empty() && is_new) need.types.push_back(one.type);
    }
    return !need.count.is_zero();
}

bool has_shared(const std::vector<Gres>& list) {
    return std::any_of(list.begin(), list.end(),
                       [](const Gres& one) { return slurm::is_shared_gres(one.name); });
}

GpuNeed gpus_of(const JobOptions& options, const NodeNeeds& needs) {
    struct Source {
        std::string_view option;
        const std::vector<Gres>* list;
        Count times;
    };
    const auto list_of = [](const GresList& list) { return list ? &*list : nullptr; };
    const auto* task_gpus = list_of(options.gpus_per_task);
    const auto* task_gres = options.tres_per_task ? &options.tres_per_task->gres : nullptr;
    const Count sockets = options.sockets_per_node ? options.sockets_per_node->least() : Count(1);
    const Source sources[] = {
        {"gres", list_of(options.gres), Count(1)},
        {"gpus-per-node", list_of(options.gpus_per_node), Count(1)},
        {"gpus-per-task", task_gpus, needs.tasks},
        {"tres-per-task", task_gres, needs.tasks},
        {"gpus-per-socket", list_of(options.gpus_per_socket), std::max(sockets, Count(1))},
    };
    GpuNeed need;
    for (const Source& source : sources) {
        if (source.list == nullptr || !add_gpus(need, *source.list, source.times)) continue;
        need.option = source.option;
        const bool is_by_task = source.list == task_gpus || source.list == task_gres;
        need.divides =
            !is_by_task || !options.ntasks || options.ntasks->value() % needs.nodes.value() == 0;
        return need;
    }
    if (options.gpus && add_gpus(need, *options.gpus, Count(1))) {
        need.option = "gpus";
        need.divides = need.count.value() % needs.nodes.value() == 0;
        need.count = div_ceil(need.count, needs.nodes.value());
        return need;
    }
    for (const Source& source : sources) {
        if (source.list == nullptr || !has_shared(*source.list)) continue;
        need = {source.option, Count(1), {}, true, true};
        return need;
    }
    return need;
}

std::optional<Count> cpus_of(const JobOptions& options, const NodeNeeds& needs) {
    const bool by_tres = options.tres_per_task && options.tres_per_task->cpus;
    const Count per_task =
        by_tres ? *options.tres_per_task->cpus : options.cpus_per_task.value_or(Count(1));
    const Count tasks = options.overcommit ? Count(1) : needs.tasks;  // CPUs as for one
    auto cpus = checked_mul(tasks, per_task.value());
    if (cpus && options.cpus_per_gpu) {
        const auto by_gpu = checked_mul(needs.gpus.count, options.cpus_per_gpu->value());
        if (!by_gpu) return std::nullopt;
        cpus = std::max(*cpus, *by_gpu);
    }
    if (cpus && options.mincpus) cpus = std::max(*cpus, *options.mincpus);
    return cpus;
}

std::optional<Bytes> memory_of(const JobOptions& options, const NodeNeeds& needs) {
    if (options.mem) return options.mem;
    if (options.mem_per_cpu) {
        return needs.cpus ? checked_mul(*options.mem_per_cpu, needs.cpus->value()) : std::nullopt;
    }
    if (options.mem_per_gpu) return checked_mul(*options.mem_per_gpu, needs.gpus.count.value());
    return std::nullopt;
}

}  // namespace

NodeNeeds node_needs(const JobOptions& options) {
    NodeNeeds needs;
    needs.nodes = nodes_of(options);
    needs.tasks = tasks_of(options, needs.nodes);
    needs.gpus = gpus_of(options, needs);
    needs.cpus = cpus_of(options, needs);
    needs.memory = memory_of(options, needs);
    return needs;
}

}  // namespace trestle::translate
