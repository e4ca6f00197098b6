// SPDX-License-Identifier: Apache-2.0
// How devices hang together: the PCI switches above them and the links between them.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "topology.hpp"

namespace trestle::os::detail {

namespace {

bool is_pci_bridge(hwloc_obj_t object) {
    return object != nullptr && object->type == HWLOC_OBJ_BRIDGE &&
           object->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI &&
           object->attr->bridge.downstream_type == HWLOC_OBJ_BRIDGE_PCI;
}

int bridges_below(hwloc_obj_t bridge) {
    int count = 0;
    for (hwloc_obj_t child = bridge->io_first_child; child; child = child->next_sibling) {
        if (is_pci_bridge(child)) ++count;
    }
    return count;
}

/// True for the upstream port of a switch. PCI Express joins two ends by each link, so between a
/// root port and a device upstream and downstream ports alternate, and only upstream ports have
/// several bridges below.
bool is_switch(hwloc_obj_t bridge) {
    if (!is_pci_bridge(bridge)) return false;
    const int below = bridges_below(bridge);
    return below > 1 || (below == 1 && is_pci_bridge(bridge->parent) && !is_switch(bridge->parent));
}

using Ends = std::pair<DeviceId, DeviceId>;
using LinkStrengths = std::map<Ends, std::uint32_t>;

/// Raises the strengths to what `matrix` says of pairs of devices.
void add_links(const hwloc_distances_s& matrix, const DeviceOfPci& device_of_pci,
               LinkStrengths& strengths) {
    const auto device_at = [&](unsigned i) {
        const hwloc_obj_t object = matrix.objs[i];
        const bool is_interface = object != nullptr && object->type == HWLOC_OBJ_OS_DEVICE;
        return device_of_pci.find(is_interface ? object->parent : object);
    };
    const auto value_at = [&](unsigned i, unsigned j) {
        return matrix.values[std::size_t{i} * matrix.nbobjs + j];
    };
    for (unsigned i = 0; i < matrix.nbobjs; ++i) {
        for (unsigned j = 0; j < i; ++j) {
            const auto a = device_at(i);
            const auto b = device_at(j);
            if (a == device_of_pci.end() || b == device_of_pci.end()) continue;
            if (a->second == b->second) continue;
            const hwloc_uint64_t weaker = std::min(value_at(i, j), value_at(j, i));
            if (weaker == 0) continue;
            constexpr hwloc_uint64_t most = std::numeric_limits<std::uint32_t>::max();
            std::uint32_t& strength = strengths[std::minmax(a->second, b->second)];
            strength = std::max(strength, static_cast<std::uint32_t>(std::min(weaker, most)));
        }
    }
}

/// Every matrix of bandwidths that the topology has.
std::vector<hwloc_distances_s*> bandwidth_matrices(hwloc_topology_t topology) {
    constexpr unsigned long kind = HWLOC_DISTANCES_KIND_MEANS_BANDWIDTH;
    unsigned count = 0;
    if (hwloc_distances_get(topology, &count, nullptr, kind, 0) != 0) return {};
    std::vector<hwloc_distances_s*> matrices(count);
    if (hwloc_distances_get(topology, &count, matrices.data(), kind, 0) != 0) return {};
    return matrices;
}

}  // namespace

std::vector<std::uint32_t> SwitchNumbers::above(hwloc_obj_t pci) {
    std::vector<hwloc_obj_t> switches;
    for (hwloc_obj_t above = pci->parent; is_pci_bridge(above); above = above->parent) {
        if (is_switch(above)) switches.push_back(above);
    }
    std::vector<std::uint32_t> numbers;
    for (auto at = switches.rbegin(); at != switches.rend(); ++at) {
        const auto next = static_cast<std::uint32_t>(numbers_.size());
        numbers.push_back(numbers_.try_emplace(*at, next).first->second);
    }
    return numbers;
}

std::vector<DeviceLink> read_links(hwloc_topology_t topology, const DeviceOfPci& device_of_pci) {
    LinkStrengths strengths;
    for (hwloc_distances_s* matrix : bandwidth_matrices(topology)) {
        add_links(*matrix, device_of_pci, strengths);
        // The transformation keeps paths through switches only, hence before and after.
        if (hwloc_distances_transform(
                topology, matrix, HWLOC_DISTANCES_TRANSFORM_TRANSITIVE_CLOSURE, nullptr, 0) == 0) {
            add_links(*matrix, device_of_pci, strengths);
        }
        hwloc_distances_release(topology, matrix);
    }
    std::vector<DeviceLink> links;
    for (const auto& [ends, strength] : strengths) {
        links.push_back({ends.first, ends.second, strength});
    }
    return links;
}

}  // namespace trestle::os::detail
