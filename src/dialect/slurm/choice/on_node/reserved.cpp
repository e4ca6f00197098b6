// SPDX-License-Identifier: Apache-2.0
#include "reserved.hpp"

#include <algorithm>

#include "alloc/node/demand_rules.hpp"

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

/// GPUs that the job may have of the sockets that it can use.
Number gpus_of_job(std::span<const SocketGres> gres, std::span<const Number> most,
                   const ChoiceJob& job, const SocketCores& sockets) {
    Number gpus = 0;
    for (std::size_t i = 0; i < gres.size(); ++i) {
        const SocketGres& found = gres[i];
        const GresWant& want = job.gres[found.want];
        if (!want.is_of_gpus()) continue;
        Number free = found.anywhere;
        Number of_sockets = std::min(found.anywhere, want.per_socket);
        for (std::size_t s = 0; s < sockets.size(); ++s) {
            if (sockets[s].is_empty()) continue;
            free += found.by_socket[s];
            of_sockets += std::min(found.by_socket[s], want.per_socket);
        }
        gpus += want.per_socket > 0 ? of_sockets : std::min(most[i], free);
    }
    return gpus;
}

/// Whether a socket has a free GPU that the job may have.
bool has_gpu(std::span<const SocketGres> gres, const ChoiceJob& job, std::size_t socket) {
    return std::any_of(gres.begin(), gres.end(), [&](const SocketGres& found) {
        const bool is_free = found.anywhere > 0 || found.by_socket[socket] > 0;
        return is_free && job.gres[found.want].is_of_gpus();
    });
}

bool is_held_back(const NodeView& node, std::span<const SocketGres> gres, const ChoiceJob& job) {
    if (job.has_whole_nodes()) return false;
    if (job.rules->reserves_beside_empty_sockets) return true;
    for (std::size_t s = 0; s < node.sockets.size(); ++s) {
        if (!has_gpu(gres, job, s)) return false;
    }
    return true;
}

}  // namespace

void hold_reserved_back(const NodeView& node, std::span<const SocketGres> gres,
                        std::span<const Number> most, const ChoiceJob& job,
                        const SmallSet<>& needed, SocketCores& sockets) {
    if (!is_held_back(node, gres, job)) return;
    const auto each = static_cast<std::uint32_t>(node.reserved_per_gpu);
    const auto gpus_in = [&](std::size_t s) {
        return Number{sockets[s].count_and(node.reserved_cores) / each};
    };
    Number surplus = -gpus_of_job(gres, most, job, sockets);
    for (std::size_t s = 0; s < sockets.size(); ++s) surplus += gpus_in(s);
    for (const bool is_needed : {false, true}) {
        for (std::uint32_t s = 0; s < sockets.size(); ++s) {
            if (surplus <= 0 || needed.contains(s) != is_needed) continue;
            const Number gpus = std::min(surplus, gpus_in(s));
            const CoreSet reserved = sockets[s] & node.reserved_cores;
            sockets[s] -= reserved.first_k(static_cast<std::uint32_t>(gpus) * each);
            surplus -= gpus;
        }
    }
}

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
