// SPDX-License-Identifier: Apache-2.0
// From what Slurm says of a step to a plan: pure functions.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/alloc/node/job/cpu_bind.hpp"
#include "trestle/alloc/node/job/task_layout.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/enforce/explain_limits.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"

namespace trestle_spank {

using namespace trestle;

/// What Slurm says of a step on this node.
struct StepFacts {
    std::uint32_t job = 0;
    std::string step;          ///< `0`, `batch`
    std::string cores;         ///< in Slurm's order of cores: `0-1,4-5`
    std::uint64_t memory = 0;  ///< MiB; 0: Slurm does not count memory
    std::uint32_t tasks = 1;   ///< on this node
    std::uint32_t cpus_per_task = 1;
    std::string gpus;  ///< in the order of gres.conf: `0,3`; empty: none
};

/// The numbers of a list as Slurm writes it, in the order of the list.
inline StatusOr<std::vector<std::uint32_t>> numbers_of(const std::string& list) {
    std::vector<std::uint32_t> numbers;
    if (list.empty()) return numbers;
    TRESTLE_TRY(const slurm::Hostlist names, slurm::Hostlist::parse("[" + list + "]"));
    Status status;
    names.for_each([&](const std::string& name) {
        std::uint32_t number = 0;
        const char* end = name.data() + name.size();
        const auto [stop, error] = std::from_chars(name.data(), end, number);
        if (error != std::errc() || stop != end) {
            status = invalid_argument("'{}' is no list of numbers", list);
        }
        numbers.push_back(number);
    });
    if (!status.ok()) return status;
    return numbers;
}

inline std::string group_of_job(std::uint32_t job) { return fmt::format("job_{}", job); }

/// Memory of all domains alike: Slurm counts it for the node as a whole.
inline StatusOr<SmallVector<MemoryShare>> shares_of(const NodeShape& shape, Bytes memory) {
    SmallVector<MemoryShare> shares;
    Bytes left = memory;
    std::int64_t domains = 0;
    for (const MemoryDomain& domain : shape.memory) domains += domain.is_ordinary() ? 1 : 0;
    for (std::size_t i = 0; i < shape.memory.size(); ++i) {
        const MemoryDomain& domain = shape.memory[i];
        if (!domain.is_ordinary()) continue;
        const Bytes part(std::min(domain.allocatable().value(), left.value() / domains));
        --domains;
        left = left - part;
        if (!part.is_zero()) shares.push_back({DomainId(static_cast<std::uint32_t>(i)), part});
    }
    if (left.is_zero()) return shares;
    return failed_precondition("Slurm gives {} of memory, the machine has {} less", to_text(memory),
                               to_text(left));
}

/// The step's cores, memory and GPUs on this node.
inline StatusOr<NodePlacement> placement_of(const NodeShape& shape, const StepFacts& facts) {
    NodePlacement placement;
    placement.node = NodeId(0);
    placement.tasks = Count(facts.tasks);
    TRESTLE_TRY(const auto cores, numbers_of(facts.cores));
    for (const std::uint32_t core : cores) {
        if (core >= shape.hardware.core_count()) {
            return failed_precondition("Slurm gives core {}, the machine has {}", core,
                                       shape.hardware.core_count());
        }
        placement.cores.insert(CoreId(core));
    }
    TRESTLE_TRY(placement.memory, shares_of(shape, mib(static_cast<std::int64_t>(std::min(
                                                       facts.memory, std::uint64_t{1} << 40u)))));
    TRESTLE_TRY(auto gpus, numbers_of(facts.gpus));
    std::sort(gpus.begin(), gpus.end());
    for (const std::uint32_t gpu : gpus) {
        const auto device = shape.find_device("gpu", gpu);
        if (!device) {
            return failed_precondition("Slurm gives gpu {}, which gres.conf does not have", gpu);
        }
        if (shape.devices[device->value()].files.empty()) {
            return failed_precondition(
                "gpu {} has no file: neither gres.conf nor a driver names it", gpu);
        }
        placement.devices.push_back({*device, shape.devices[device->value()].shares});
    }
    std::sort(placement.devices.begin(), placement.devices.end());
    return placement;
}

/// The CPUs of a task, and the GPUs that it has if it has some of its own.
struct TaskPart {
    PuSet cpus;  ///< empty: all of the step's
    std::vector<std::uint32_t> gpus;
};

/// A step that is limited to what Slurm gave it.
struct StepPlan {
    NodePlacement placement;
    Request request;
    LimitPolicy policy;
    Plan plan;
    std::vector<PuSet> shares;    ///< the CPUs of each task; empty: Slurm overcommits them
    std::vector<TaskPart> tasks;  ///< the same shares, dealt so that they are near the GPUs
};

/// Deals the shares to tasks that have equal parts of the GPUs, in their order, as --gpus-per-task
/// gives them: to each the one of those left that has most CPUs near its GPUs.
inline std::vector<TaskPart> deal(const NodeShape& shape, std::vector<PuSet> shares,
                                  const std::vector<std::uint32_t>& gpus) {
    std::vector<TaskPart> tasks;
    if (shares.size() < 2 || gpus.empty() || gpus.size() % shares.size() != 0) return tasks;
    const std::size_t each = gpus.size() / shares.size();
    for (auto first = gpus.begin(); first != gpus.end(); first += static_cast<long>(each)) {
        TaskPart task{{}, {first, first + static_cast<long>(each)}};
        CoreSet near;
        for (const std::uint32_t gpu : task.gpus) {
            const auto device = shape.find_device("gpu", gpu);
            if (device) near |= shape.devices[device->value()].cores;
        }
        const PuSet cpus = shape.hardware.threads_of(near);
        const auto best = std::max_element(shares.begin(), shares.end(),
                                           [&](const PuSet& one, const PuSet& other) {
                                               return (one & cpus).count() < (other & cpus).count();
                                           });
        task.cpus = *best;
        shares.erase(best);
        tasks.push_back(std::move(task));
    }
    return tasks;
}

inline StatusOr<StepPlan> plan_step(const Node& node, const StepFacts& facts, bool is_strict) {
    StepPlan step;
    TRESTLE_TRY(step.placement, placement_of(*node.shape, facts));
    step.request.tasks = Count(facts.tasks);
    step.request.cpus_per_task = Range<Count>::at_least(Count(std::max(facts.cpus_per_task, 1u)));
    if (facts.memory != 0) {
        step.request.memory = Range<Bytes>::exactly(step.placement.total_memory());
    }
    step.policy.requirements =
        Requirements::all(is_strict ? Requirement::require : Requirement::best_effort);
    if (facts.memory == 0) {
        step.policy.requirements.memory = Requirement::skip;
        step.policy.requirements.swap = Requirement::skip;
    }
    PlanOptions options;
    options.group = fmt::format("{}/step_{}", group_of_job(facts.job), facts.step);
    options.owner = OwnerId(facts.job);
    TRESTLE_TRY(step.plan, plan(node, step.placement, step.request, step.policy, options));

    const Placement whole{{step.placement}};
    const auto tasks = layout_tasks({&node, 1}, whole, step.request);
    if (!tasks) return step;
    const auto bound = bind_cpus({&node, 1}, whole, *tasks, {TaskBind::To::cores, {}, {}});
    if (!bound) return step;
    step.shares = *bound;
    TRESTLE_TRY(auto gpus, numbers_of(facts.gpus));
    std::sort(gpus.begin(), gpus.end());
    step.tasks = deal(*node.shape, step.shares, gpus);
    return step;
}

/// The CPUs of one task that has these GPUs. Empty: all of the step's.
inline PuSet cpus_of_task(const StepPlan& step, std::size_t task,
                          const std::vector<std::uint32_t>& gpus) {
    const bool is_as_dealt = task < step.tasks.size() && step.tasks[task].gpus == gpus;
    if (is_as_dealt) return step.tasks[task].cpus;
    return task < step.shares.size() ? step.shares[task] : PuSet();
}

/// A list of GPUs for a variable such as CUDA_VISIBLE_DEVICES.
struct GpuNumbers {
    std::string global;  ///< counted on the node, as Slurm sets it
    std::string local;   ///< counted among the step's, as a driver counts behind the filter
};

inline GpuNumbers numbers_of_task(const std::vector<std::uint32_t>& step,
                                  const std::vector<std::uint32_t>& task) {
    GpuNumbers numbers;
    for (const std::uint32_t gpu : task) {
        const char* separator = numbers.global.empty() ? "" : ",";
        const auto place = std::count_if(step.begin(), step.end(),
                                         [&](std::uint32_t other) { return other < gpu; });
        numbers.global += fmt::format("{}{}", separator, gpu);
        numbers.local += fmt::format("{}{}", separator, place);
    }
    return numbers;
}

/// What --trestle-explain prints.
inline std::string explain(const Node& node, const StepPlan& step) {
    return fmt::format(
        "{}\n{}", to_text(step.placement, node),
        limit_table(explain_limits(step.request, *node.shape, step.placement, step.policy)));
}

}  // namespace trestle_spank
