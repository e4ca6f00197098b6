// SPDX-License-Identifier: Apache-2.0
// Devices of whole nodes.
#include <algorithm>

#include "devices.hpp"

namespace trestle::slurm::choice {
namespace {

bool asks_for_parts(const ChoiceJob& job) {
    return std::any_of(job.gres.begin(), job.gres.end(), [](const GresWant& want) {
        return want.name != "gpu" && want.is_of_gpus();
    });
}

/// Whether the whole node has fewer devices than its sockets are to have together.
bool lacks_devices_of_sockets(const ChoiceJob& job, const GresWant& want, const ChosenNode& chosen,
                              std::size_t gres) {
    const auto& devices = chosen.view->gres[gres].devices;
    if (want.per_socket == 0 || !job.rules->needs_devices_of_sockets || devices.empty())
        return false;
    const auto sockets = static_cast<Number>(chosen.view->sockets.size());
    return static_cast<Number>(devices.size()) < product(want.per_socket, sockets);
}

}  // namespace

bool fails_as_whole_node(const ChoiceJob& job, const GresWant& want, const ChosenNode& chosen,
                         std::size_t gres) {
    const bool is_shared = chosen.view->gres[gres].is_shared && !job.shares_several_devices;
    // Parts of one device are not both the node's and a task's.
    if (is_shared && want.per_node > 0 && want.per_task > 0) return true;
    return lacks_devices_of_sockets(job, want, chosen, gres);
}

void take_whole_node(const ChoiceJob& job, ChosenNode& chosen) {
    for (std::size_t g = 0; g < chosen.view->gres.size(); ++g) {
        const ViewGres& gres = chosen.view->gres[g];
        const bool is_asked = std::any_of(job.gres.begin(), job.gres.end(),
                                          [&](const auto& want) { return want.name == gres.name; });
        const bool has_all_parts = job.shares_several_devices && asks_for_parts(job);
        if (gres.is_shared && is_asked && has_all_parts) {
            for (std::size_t i = 0; i < gres.devices.size(); ++i) {
                chosen.taken[g].push_back({i, chosen.room->gres[g].units[i]});
            }
            continue;
        }
        if (gres.is_shared || (gres.is_explicit && !is_asked)) continue;
        if (gres.name == "gpu" && has_all_parts) continue;
        for (std::size_t i = 0; i < gres.counters.size(); ++i) {
            const Number all = chosen.room->gres[g].counters[i];
            if (all > 0) chosen.counted.push_back({g, gres.counters[i].type, all});
        }
        for (std::size_t i = 0; i < gres.devices.size(); ++i) chosen.taken[g].push_back({i, 1});
    }
}

}  // namespace trestle::slurm::choice
