// SPDX-License-Identifier: Apache-2.0
#include "node_sizes.hpp"

namespace trestle::slurm::choice {

std::vector<ChoiceJob> sizes_of(const ChoiceJob& job, const TopologyParameters& topology,
                                const UnitTable* units) {
    std::vector<Number> sizes = job.node_sizes;
    const Number sizes_max{topology.unrolled_sizes_max};
    if (sizes.empty() && units != nullptr && sizes_max > 0 && job.max_nodes) {
        const Number count = *job.max_nodes - job.min_nodes + 1;
        if (count > sizes_max) return {};
        for (Number i = 0; i < count && count > 1; ++i) sizes.push_back(job.min_nodes + i);
    }
    std::vector<ChoiceJob> jobs;
    for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
        if (*size < job.min_nodes) break;
        jobs.push_back(job);
        jobs.back().min_nodes = jobs.back().wanted_nodes = *size;
        jobs.back().max_nodes = *size;
    }
    if (jobs.empty()) jobs.push_back(job);
    return jobs;
}

}  // namespace trestle::slurm::choice
