// SPDX-License-Identifier: Apache-2.0
#include "offer.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <set>

namespace trestle::slurm::choice {
namespace {

bool is_wanted(const GresWant& want, const std::string& type) {
    return want.type.empty() || want.type == type;
}

/// A device that no core near it can serve, as the job could have none of them.
bool is_out_of_reach(const NodeOffer& offer, const ViewDevice& device) {
    return !device.near.empty() &&
           std::all_of(device.near.begin(), device.near.end(),
                       [&](std::size_t socket) { return offer.socket_cores[socket] == 0; });
}

}  // namespace

NodeOffer offer_of(const NodeView& node, const NodeRoom& room, const ChoiceJob& job,
                   const ClusterParameters& parameters, const PartitionRoom& left) {
    NodeOffer offer{&node, &room, {}, 0, room.memory, 0};
    const SocketCores sockets = sockets_for(node, room, job, parameters, left);
    for (const CoreSet& socket : sockets) offer.socket_cores.push_back(socket.count());
    const Number cores =
        std::accumulate(offer.socket_cores.begin(), offer.socket_cores.end(), Number{0});
    offer.cpus = std::clamp<Number>(left.cpus, 0, cores * cpus_per_core(node, job));
    offer.cpus_with_memory = trim_to_memory(node, offer.cpus, room, job, parameters);
    return offer;
}

Number units_of(const NodeOffer& offer, const GresWant& want, const ChoiceJob& job) {
    const NodeView& view = *offer.view;
    const auto at = view.find_gres(want.name);
    if (!at) return 0;
    const ViewGres& gres = view.gres[*at];
    const RoomGres& room = offer.room->gres[*at];
    Number units = 0;
    for (std::size_t i = 0; i < gres.devices.size(); ++i) {
        const ViewDevice& device = gres.devices[i];
        if (!is_wanted(want, device.type)) continue;
        if (job.enforces_binding && is_out_of_reach(offer, device)) continue;
        // A job has parts of one device, unless it may have them of several.
        const bool is_one = gres.is_shared && !job.shares_several_devices;
        units = is_one ? std::max(units, room.units[i]) : units + room.units[i];
    }
    for (std::size_t i = 0; i < gres.counters.size(); ++i) {
        if (is_wanted(want, gres.counters[i].type)) units += room.counters[i];
    }
    return std::min(units, unlimited);
}

Number cpus_near(const NodeOffer& offer, const GresWant& want, Number devices) {
    const NodeView& view = *offer.view;
    const auto at = view.find_gres(want.name);
    if (!at) return 0;
    std::set<std::size_t> sockets;
    std::vector<std::size_t> reach;  // sockets near each device
    for (std::size_t i = 0; i < view.gres[*at].devices.size(); ++i) {
        const ViewDevice& device = view.gres[*at].devices[i];
        if (!is_wanted(want, device.type) || offer.room->gres[*at].units[i] == 0) continue;
        if (device.near.empty()) return offer.cpus;
        sockets.insert(device.near.begin(), device.near.end());
        reach.push_back(device.near.size());
    }
    if (reach.empty()) return offer.cpus;
    std::sort(reach.begin(), reach.end(), std::greater<>());
    std::vector<Number> cores;  // of the sockets near any
    for (const std::size_t socket : sockets) cores.push_back(offer.socket_cores[socket]);
    std::sort(cores.begin(), cores.end(), std::greater<>());
    std::size_t near = 0;
    for (std::size_t i = 0; i < reach.size() && static_cast<Number>(i) < devices; ++i)
        near += reach[i];
    const auto end = cores.begin() + static_cast<std::ptrdiff_t>(std::min(near, cores.size()));
    const Number sum = std::accumulate(cores.begin(), end, Number{0});
    return std::min(offer.cpus, product(sum, view.threads));
}

}  // namespace trestle::slurm::choice
