// SPDX-License-Identifier: Apache-2.0
// From hwloc's tree of objects to sets of cores.

#include <algorithm>
#include <array>
#include <optional>

#include "topology.hpp"

namespace trestle::os::detail {

namespace {

/// Calls `visit(object)` for every object of `type`, in logical order, at whatever depths.
template <class Visit>
void for_each_object(hwloc_topology_t topology, hwloc_obj_type_t type, Visit visit) {
    const int depths = hwloc_topology_get_depth(topology);
    for (int depth = 0; depth < depths; ++depth) {
        if (hwloc_get_depth_type(topology, depth) != type) continue;
        hwloc_obj_t object = nullptr;
        while ((object = hwloc_get_next_obj_by_depth(topology, depth, object)) != nullptr) {
            visit(object);
        }
    }
}

OsIndex number_of(hwloc_obj_t object) {
    const bool is_numbered = object->os_index != HWLOC_UNKNOWN_INDEX;
    return OsIndex(is_numbered ? object->os_index : object->logical_index);
}

/// The rank of the kind of core that a thread is on; 0 when hwloc cannot tell which are faster.
std::uint32_t rank_of(hwloc_topology_t topology, hwloc_obj_t pu) {
    const int kind = hwloc_cpukinds_get_by_cpuset(topology, pu->cpuset, 0);
    int rank = 0;
    const bool is_known =
        kind >= 0 && hwloc_cpukinds_get_info(topology, static_cast<unsigned>(kind), nullptr, &rank,
                                             nullptr, nullptr, 0) == 0;
    return is_known && rank > 0 ? static_cast<std::uint32_t>(rank) : 0;
}

/// Threads of one core follow each other in logical order; a thread without a core (the firmware
/// told of none) is a core of its own. Threads of one core are of one kind, the lower one counts.
std::vector<Core> read_cores(hwloc_topology_t topology) {
    std::vector<Core> cores;
    hwloc_obj_t last = nullptr;
    for_each_object(topology, HWLOC_OBJ_PU, [&](hwloc_obj_t pu) {
        const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
        const std::uint32_t rank = rank_of(topology, pu);
        if (core == nullptr || core != last) cores.push_back({{}, rank});
        last = core;
        cores.back().threads.push_back(OsIndex(pu->os_index));
        cores.back().kind = std::min(cores.back().kind, rank);
    });
    for (Core& core : cores) std::sort(core.threads.begin(), core.threads.end());
    return cores;
}

struct GroupType {
    HardwareLevel level;
    hwloc_obj_type_t type;
    std::uint32_t cores_min;  ///< a cache of one core says nothing about nearness
};
constexpr std::array group_types{GroupType{HardwareLevel::package, HWLOC_OBJ_PACKAGE, 1},
                                 GroupType{HardwareLevel::die, HWLOC_OBJ_DIE, 1},
                                 GroupType{HardwareLevel::l3, HWLOC_OBJ_L3CACHE, 2},
                                 GroupType{HardwareLevel::l2, HWLOC_OBJ_L2CACHE, 2}};

void read_groups(hwloc_topology_t topology, HardwareTree& tree) {
    for (const GroupType& group_type : group_types) {
        for_each_object(topology, group_type.type, [&](hwloc_obj_t object) {
            CoreSet cores = tree.cores_of(pus_of(object->cpuset));
            if (cores.count() < group_type.cores_min) return;
            tree.groups.push_back({group_type.level, number_of(object), std::move(cores)});
        });
    }
}

MemoryDomain::Kind kind_of(hwloc_obj_t numa) {
    const std::string_view subtype = text_of(numa->subtype);
    if (subtype == "GPUMemory") return MemoryDomain::Kind::device;
    if (subtype == "HBM" || subtype == "MCDRAM") return MemoryDomain::Kind::high_bandwidth;
    if (subtype == "NVM" || subtype == "CXL-NVM") return MemoryDomain::Kind::persistent;
    return MemoryDomain::Kind::dram;
}

/// NUMA nodes with memory, by logical index. Returns the objects behind the domains.
std::vector<hwloc_obj_t> read_memory(hwloc_topology_t topology, NodeShape& shape) {
    std::vector<hwloc_obj_t> objects;
    hwloc_obj_t numa = nullptr;
    while ((numa = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, numa)) != nullptr) {
        const auto bytes = static_cast<std::int64_t>(numa->attr->numanode.local_memory);
        if (bytes <= 0) continue;
        shape.memory.push_back({OsIndex(numa->os_index), kind_of(numa), Bytes(bytes),
                                shape.hardware.cores_of(pus_of(numa->cpuset))});
        objects.push_back(numa);
    }
    return objects;
}

/// The latency matrix between `numas`; empty unless it holds all of them.
std::vector<std::uint32_t> read_distances(hwloc_topology_t topology,
                                          const std::vector<hwloc_obj_t>& numas) {
    unsigned count = 1;
    hwloc_distances_s* matrix = nullptr;
    constexpr unsigned long kind = HWLOC_DISTANCES_KIND_MEANS_LATENCY;
    if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &matrix, kind, 0) != 0 ||
        count == 0 || matrix == nullptr) {
        return {};
    }
    std::vector<std::uint32_t> distances;
    for (const hwloc_obj_t from : numas) {
        for (const hwloc_obj_t to : numas) {
            hwloc_uint64_t there = 0;
            hwloc_uint64_t back = 0;
            if (hwloc_distances_obj_pair_values(matrix, from, to, &there, &back) == 0) {
                distances.push_back(static_cast<std::uint32_t>(there));
            }
        }
    }
    hwloc_distances_release(topology, matrix);
    if (distances.size() != numas.size() * numas.size()) distances.clear();
    return distances;
}

}  // namespace

void read_hardware(hwloc_topology_t topology, NodeShape& shape) {
    shape.hardware.cores = read_cores(topology);
    read_groups(topology, shape.hardware);
    const std::vector<hwloc_obj_t> numas = read_memory(topology, shape);
    shape.distances = read_distances(topology, numas);
}

}  // namespace trestle::os::detail
