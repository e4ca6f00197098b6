// SPDX-License-Identifier: Apache-2.0
// What a chosen node has taken.
#include <algorithm>

#include "alloc/node/demand_rules.hpp"
#include "devices.hpp"

namespace trestle::slurm::choice {

bool ChosenNode::has(std::size_t gres, std::size_t position) const {
    return std::any_of(taken[gres].begin(), taken[gres].end(),
                       [&](const TakenDevice& one) { return one.position == position; });
}

Number ChosenNode::count_of(std::size_t gres) const {
    auto count = static_cast<Number>(taken[gres].size());
    for (const TakenCount& one : counted) {
        if (one.gres == gres) count += std::min(one.count, unlimited);
    }
    return count;
}

std::vector<Number> ChosenNode::cores_by_socket() const {
    std::vector<Number> result;
    for (const CoreSet& socket : view->sockets) result.push_back(socket.count_and(cores));
    return result;
}

Number ChosenNode::units_of(const GresWant& want) const {
    if (want.per_node > 0) return want.per_node;
    if (want.per_task > 0) return product(want.per_task, tasks);
    return want.per_job;
}

Number ChosenNode::devices_of_cpus(const GresWant& want) const {
    return quotient_up(cpus, view->threads) * view->threads / want.cpus_per;
}

}  // namespace trestle::slurm::choice
