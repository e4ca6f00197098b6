// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/environment.hpp"

#include "trestle/set/small_set.hpp"

namespace trestle::slurm {
namespace {

std::string mebibytes(Bytes memory) {
    return std::to_string(div_ceil(memory, mib(1).value()).value());
}

/// `0,2,3`: Slurm lists these indexes one by one.
std::string enumerated(const SmallSet<>& set) {
    std::string text;
    for (const std::uint32_t member : set) {
        if (!text.empty()) text += ',';
        text += std::to_string(member);
    }
    return text;
}

}  // namespace

std::vector<EnvironmentVariable> job_environment(std::uint64_t job_id, const Request& request,
                                                 const Node& node, const NodePlacement& placement) {
    const auto text = [](auto number) { return std::to_string(number); };
    std::vector<EnvironmentVariable> variables{
        {"SLURM_JOB_ID", text(job_id)},
        {"SLURM_JOB_NODELIST", node.name},
        {"SLURM_JOB_NUM_NODES", "1"},
        {"SLURM_NTASKS", text(placement.tasks.value())},
        {"SLURM_CPUS_PER_TASK", text(request.cpus_per_task.least().value())},
        {"SLURM_CPUS_ON_NODE", text(threads_of(*node.shape, placement).count())},
    };
    if (request.memory_per == Per::cpu) {
        variables.push_back({"SLURM_MEM_PER_CPU", mebibytes(request.memory.least())});
    } else if (!placement.total_memory().is_zero()) {
        variables.push_back({"SLURM_MEM_PER_NODE", mebibytes(placement.total_memory())});
    }
    SmallSet<> gpus;
    for (const DeviceShare& share : placement.devices) {
        const Device& device = node.shape->devices[share.device.value()];
        if (device.name == "gpu") gpus.insert(device.index);
    }
    if (!gpus.is_empty()) {
        variables.push_back({"SLURM_JOB_GPUS", enumerated(gpus)});
        variables.push_back({"SLURM_GPUS_ON_NODE", text(gpus.count())});
    }
    return variables;
}

}  // namespace trestle::slurm
