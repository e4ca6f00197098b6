// SPDX-License-Identifier: Apache-2.0
#include "reserved.hpp"

#include <algorithm>

#include "alloc/node/demand_rules.hpp"
#include "node_fit.hpp"

namespace trestle::slurm::choice {
namespace {

/// A part of one counts as one.
Number gpus_of(const ChosenNode& chosen) {
    Number gpus = 0;
    for (std::size_t g = 0; g < chosen.view->gres.size(); ++g) {
        const ViewGres& gres = chosen.view->gres[g];
        if (gres.is_shared) {
            gpus += chosen.taken[g].empty() ? 0 : 1;
        } else if (gres.name == "gpu") {
            gpus += chosen.count_of(g);
        }
    }
    return gpus;
}

}  // namespace

bool return_reserved(const ChoiceJob& job, const CoreSet& offered, ChosenNode& chosen) {
    const NodeView& view = *chosen.view;
    const CoreSet reserved = chosen.cores & view.reserved_cores;
    const Number most = product(gpus_of(chosen), view.reserved_per_gpu);
    if (job.has_whole_nodes() || static_cast<Number>(reserved.count()) <= most) return true;
    const CoreSet kept = reserved.first_k(static_cast<std::uint32_t>(most));
    CoreSet others = offered - view.reserved_cores - chosen.cores;
    const Number needed = quotient_up(chosen.cpus, cpus_per_core(view, job));
    for (const CoreId core : reserved - kept) {
        if (static_cast<Number>(chosen.cores.count()) > needed) {  // of a whole socket
            chosen.cores.erase(core);
            continue;
        }
        CoreSet near = others & view.sockets[view.socket_of(core)];
        if (near.is_empty() && !job.enforces_binding) near = others;
        if (near.is_empty() && job.enforces_binding && !job.says_ntasks) {
            chosen.cores.erase(core);
            continue;
        }
        if (near.is_empty()) return false;
        const CoreSet other = near.first_k(1);
        others -= other;
        chosen.cores.erase(core);
        chosen.cores |= other;
    }
    return true;
}

}  // namespace trestle::slurm::choice
