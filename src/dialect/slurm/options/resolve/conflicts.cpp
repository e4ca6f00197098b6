// SPDX-License-Identifier: Apache-2.0
#include "conflicts.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/gres.hpp"

namespace trestle::slurm {
namespace {

/// One side of a conflict: how it is called, whether it is given, how it is taken back.
struct ConflictSide {
    std::string_view name;
    bool (*is_given)(const JobOptions&);
    void (*take_back)(JobOptions&);
};

struct Conflict {
    ConflictSide first;
    ConflictSide second;
};

template <class T>
bool is_set(const std::optional<T>& value) {
    return value.has_value();
}
bool is_set(bool value) { return value; }

/// An option that is a member of its own.
template <auto Member>
constexpr ConflictSide side(std::string_view name) {
    return {name, [](const JobOptions& options) { return is_set(options.*Member); },
            [](JobOptions& options) { options.*Member = {}; }};
}

bool has_gpu(const std::vector<Gres>& list) {
    return std::any_of(list.begin(), list.end(), [](const Gres& one) { return one.name == "gpu"; });
}
void erase_gpus(std::vector<Gres>& list) {
    list.erase(
        std::remove_if(list.begin(), list.end(), [](const Gres& one) { return one.name == "gpu"; }),
        list.end());
}

constexpr ConflictSide gres_gpu{
    "--gres=gpu", [](const JobOptions& options) { return options.gres && has_gpu(*options.gres); },
    [](JobOptions& options) { erase_gpus(*options.gres); }};
constexpr ConflictSide task_gpu{
    "--tres-per-task=gres/gpu",
    [](const JobOptions& options) {
        return options.tres_per_task && has_gpu(options.tres_per_task->gres);
    },
    [](JobOptions& options) { erase_gpus(options.tres_per_task->gres); }};
constexpr ConflictSide task_cpu{
    "--tres-per-task=cpu",
    [](const JobOptions& options) { return options.tres_per_task && options.tres_per_task->cpus; },
    [](JobOptions& options) { options.tres_per_task->cpus.reset(); }};
/// A report alone binds nothing.
constexpr ConflictSide bound_cpus{
    "--cpu-bind",
    [](const JobOptions& options) { return options.cpu_bind && options.cpu_bind->rule; },
    [](JobOptions& options) { options.cpu_bind->rule.reset(); }};

constexpr ConflictSide mem_side = side<&JobOptions::mem>("--mem");
constexpr ConflictSide mem_per_cpu_side = side<&JobOptions::mem_per_cpu>("--mem-per-cpu");
constexpr ConflictSide mem_per_gpu_side = side<&JobOptions::mem_per_gpu>("--mem-per-gpu");
constexpr ConflictSide cpus_per_task_side = side<&JobOptions::cpus_per_task>("--cpus-per-task");
constexpr ConflictSide cpus_per_gpu_side = side<&JobOptions::cpus_per_gpu>("--cpus-per-gpu");
constexpr ConflictSide gpus_per_task_side = side<&JobOptions::gpus_per_task>("--gpus-per-task");
constexpr ConflictSide ntasks_per_gpu_side = side<&JobOptions::ntasks_per_gpu>("--ntasks-per-gpu");
constexpr ConflictSide hint_side = side<&JobOptions::hint>("--hint");
constexpr ConflictSide exclusive_side = side<&JobOptions::exclusive>("--exclusive");

constexpr std::array<Conflict, 15> conflicts{{
    {mem_side, mem_per_cpu_side},
    {mem_side, mem_per_gpu_side},
    {mem_per_cpu_side, mem_per_gpu_side},
    {cpus_per_task_side, cpus_per_gpu_side},
    {cpus_per_task_side, task_cpu},
    {cpus_per_gpu_side, task_cpu},
    {gres_gpu, side<&JobOptions::gpus_per_node>("--gpus-per-node")},
    {gpus_per_task_side, task_gpu},
    {ntasks_per_gpu_side, gpus_per_task_side},
    {ntasks_per_gpu_side, task_gpu},
    {ntasks_per_gpu_side, side<&JobOptions::gpus_per_socket>("--gpus-per-socket")},
    {ntasks_per_gpu_side, side<&JobOptions::ntasks_per_node>("--ntasks-per-node")},
    {side<&JobOptions::core_spec>("--core-spec"), side<&JobOptions::thread_spec>("--thread-spec")},
    {exclusive_side, side<&JobOptions::oversubscribe>("--oversubscribe")},
    {side<&JobOptions::exact>("--exact"), side<&JobOptions::whole>("--whole")},
}};

/// A hint says less than these, which go before it.
constexpr std::array<Conflict, 4> hint_conflicts{{
    {hint_side, side<&JobOptions::ntasks_per_core>("--ntasks-per-core")},
    {hint_side, side<&JobOptions::has_extra_node_info>("--extra-node-info")},
    {hint_side, side<&JobOptions::threads_per_core>("--threads-per-core")},
    {hint_side, bound_cpus},
}};

void take_back_all(std::span<const Conflict> pairs, JobOptions& weak, const JobOptions& strong) {
    for (const auto& [first, second] : pairs) {
        if (first.is_given(weak) && second.is_given(strong)) first.take_back(weak);
        if (second.is_given(weak) && first.is_given(strong)) second.take_back(weak);
    }
}

}  // namespace

Status check_conflicts(const JobOptions& options) {
    for (const auto& [first, second] : conflicts) {
        if (!first.is_given(options) || !second.is_given(options)) continue;
        return invalid_argument("{}: conflicts with {}: expected one of the two", second.name,
                                first.name);
    }
    if (!options.gres_flags) return {};
    const GresFlags& flags = *options.gres_flags;
    const bool binds = flags.disable_binding && flags.enforce_binding;
    if (binds || (flags.one_task_per_sharing && flags.multiple_tasks_per_sharing)) {
        return invalid_argument("--gres-flags: {} conflicts with {}: expected one of the two",
                                binds ? "enforce-binding" : "multiple-tasks-per-sharing",
                                binds ? "disable-binding" : "one-task-per-sharing");
    }
    const auto is_parts = [](const Gres& one) { return is_shared_gres(one.name); };
    const bool has_parts =
        options.tres_per_task && std::any_of(options.tres_per_task->gres.begin(),
                                             options.tres_per_task->gres.end(), is_parts);
    if (flags.one_task_per_sharing && !has_parts) {
        return invalid_argument(
            "--gres-flags: one-task-per-sharing without parts of GPUs: expected gres/shard or "
            "gres/mps in --tres-per-task");
    }
    return {};
}

void drop_overridden(JobOptions& weak, const JobOptions& strong) {
    take_back_all(conflicts, weak, strong);
    take_back_all(hint_conflicts, weak, strong);
}

std::string drop_idle_hint(JobOptions& options) {
    for (const auto& [hint, other] : hint_conflicts) {
        if (!hint.is_given(options) || !other.is_given(options)) continue;
        hint.take_back(options);
        return fmt::format("--hint: ignored beside {}", other.name);
    }
    return {};
}

}  // namespace trestle::slurm
