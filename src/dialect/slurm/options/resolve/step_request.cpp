// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options/step.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "task_cpus.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/dialect/slurm/options/options.hpp"

namespace trestle::slurm {
namespace {

bool names_gres(const JobOptions& options) {
    return options.gres || options.gpus || options.gpus_per_node || options.gpus_per_socket ||
           options.gpus_per_task || options.ntasks_per_gpu ||
           (options.tres_per_task && !options.tres_per_task->gres.empty());
}

/// By name and type.
using DeviceCounts = std::map<std::pair<std::string, std::string>, std::int64_t>;

/// Whole devices that each node of the job has, but no parts of GPUs.
std::vector<Gres> gres_of_job(const JobState& job) {
    DeviceCounts fewest;
    for (std::size_t n = 0; n < job.nodes().size(); ++n) {
        const JobNode& node = job.nodes()[n];
        DeviceCounts here;
        for (const DeviceShare& share : node.granted.devices) {
            const Device& device = node.shape->devices[share.device.value()];
            if (share.shares >= device.shares) ++here[{device.name, device.type}];
        }
        if (n == 0) fewest = here;
        for (auto& [name, count] : fewest) {
            const auto at = here.find(name);
            count = at == here.end() ? 0 : std::min(count, at->second);
        }
    }
    std::vector<Gres> list;
    for (const auto& [name, count] : fewest) {
        if (count == 0 || is_shared_gres(name.first)) continue;
        list.push_back({name.first, name.second, Count(count)});
    }
    return list;
}

/// What the node with the least has.
Bytes memory_of_job(const JobState& job) {
    std::optional<Bytes> least;
    for (const JobNode& node : job.nodes()) {
        const Bytes memory = node.granted.total_memory();
        least = std::min(least.value_or(memory), memory);
    }
    return least.value_or(Bytes());
}

}  // namespace

StatusOr<StepRequest> step_request_of(const JobOptions& options, const JobState& job) {
    if (options.exact && options.whole) {
        return invalid_argument("--exact and --whole: a step has what it asks or all, not both");
    }
    JobOptions asked = options;
    asked.partitions.clear();
    asked.constraint.reset();
    asked.licenses.reset();
    asked.exclusive.reset();  // of a step: no core of another, which --overlap says or not
    const Count nodes(static_cast<std::int64_t>(job.nodes().size()));
    if (!asked.nodes && !asked.ntasks && !asked.nodelist) {
        asked.nodes = NodeCounts{Range<Count>::exactly(nodes), {}};
    }
    if (!names_gres(options)) asked.gres = gres_of_job(job);
    if (asked.mem && asked.mem->is_zero()) asked.mem = memory_of_job(job);
    StepRequest step;
    TRESTLE_TRY(step.request, request_of(asked));
    if (!asked.nodes && step.request.nodes.max) {
        step.request.nodes.max =
            std::max(step.request.nodes.least(), std::min(*step.request.nodes.max, nodes));
    }
    step.options.use = options.overlap ? JobStep::Use::overlap : JobStep::Use::alone;
    const bool says_cpus = task_cpus(options).has_value();
    const bool is_exact = options.exact || (says_cpus && !options.whole);
    if (!is_exact) step.request.exclusivity = Exclusivity::whole_node;
    return step;
}

}  // namespace trestle::slurm
