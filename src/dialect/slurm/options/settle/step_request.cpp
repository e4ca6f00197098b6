// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options/step.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/options.hpp"

namespace trestle::slurm {
namespace {

bool names_gres(const JobOptions& options) {
    return options.gres || options.gpus || options.gpus_per_node || options.gpus_per_socket ||
           options.gpus_per_task || options.ntasks_per_gpu ||
           (options.tres_per_task && !options.tres_per_task->gres.empty());
}

/// Whole devices by name and type that each node of the job has.
std::vector<DeviceRequest> devices_of_job(const JobState& job) {
    std::map<std::pair<std::string, std::string>, std::int64_t> fewest;
    for (std::size_t n = 0; n < job.nodes().size(); ++n) {
        const JobNode& node = job.nodes()[n];
        std::map<std::pair<std::string, std::string>, std::int64_t> here;
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
    std::vector<DeviceRequest> devices;
    for (const auto& [name, count] : fewest) {
        if (count == 0) continue;
        DeviceRequest device;
        device.name = name.first;
        if (!name.second.empty()) device.types = {name.second};
        device.per = Per::node;
        device.count = Range<Count>::exactly(Count(count));
        device.locality = Locality::prefer;
        devices.push_back(std::move(device));
    }
    return devices;
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
    StepRequest step;
    TRESTLE_TRY(step.request, request_of(asked));
    if (!asked.nodes && step.request.nodes.max) {
        step.request.nodes.max =
            std::max(step.request.nodes.least(), std::min(*step.request.nodes.max, nodes));
    }
    step.options.use = options.overlap ? StepUse::overlap : StepUse::alone;
    const bool is_exact = options.exact || (options.cpus_per_task && !options.whole);
    if (!is_exact) step.request.exclusivity = Exclusivity::whole_node;
    if (!names_gres(options)) step.request.devices = devices_of_job(job);
    return step;
}

}  // namespace trestle::slurm
