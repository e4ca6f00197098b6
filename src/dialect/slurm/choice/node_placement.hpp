// SPDX-License-Identifier: Apache-2.0
#pragma once

// From what was chosen on a node to the core's placement and to Slurm's words for it.
//
// Layer: dialect/slurm, inside. Main types: NodeTaking; main functions: charged_cpus,
// charged_memory, taking_of, placement_of, gres_of.

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "on_node/devices.hpp"
#include "on_node/node_view.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/dialect/slurm/choice/select.hpp"
#include "trestle/dialect/slurm/print.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::slurm::choice {

/// What is taken of one node, before it is a placement.
struct NodeTaking {
    CoreSet cores;
    Bytes memory;
    std::map<DeviceId, Count> shares;
};

/// Adds `count` of a bare number of that type (empty: of any), the first devices first. False:
/// there are fewer.
[[nodiscard]] bool take_counters(const ViewGres& gres, std::string_view type, Count count,
                                 const FreeState& free, NodeTaking& taking);

/// Memory comes from the domains near the cores, then from the others in order; cores of the system
/// are left out. Nothing: there is less memory.
[[nodiscard]] std::optional<NodePlacement> placement_of(const NodeShape& shape,
                                                        const FreeState& free,
                                                        const NodeTaking& taking);

/// CPUs that the job is charged for on the host: those of its tasks where CPUs are handed out, all
/// of its cores, or of the sockets that they are of, where those are.
[[nodiscard]] Number charged_cpus(const ChoiceJob& job, const ChosenNode& chosen, SelectUnit unit);
/// MiB, by GPU (also those that are counted), by CPU, or of the node.
[[nodiscard]] Number charged_memory(const ChoiceJob& job, const ChosenNode& chosen,
                                    SelectUnit unit);

/// Nothing: a bare number that the host counts is not there.
[[nodiscard]] std::optional<NodeTaking> taking_of(const ChosenNode& chosen, const FreeState& free,
                                                  Number memory);

/// Whether some of the parts are the device's.
[[nodiscard]] bool is_cut(const ViewGres& parts, const ViewDevice& device);

/// All devices of the GRES that the parts are cut from, also those that are not cut.
[[nodiscard]] std::span<const ViewDevice> devices_beside(const NodeView& view,
                                                         const ViewGres& parts);

/// How parts of GPUs are printed.
struct PartsStyle {
    bool is_by_device = true;  ///< of each GPU what it gives: `1/4,0/4`. Else the GPUs' indexes
    bool has_type = false;     ///< slurm.conf gives the node's parts a type
};

[[nodiscard]] PartsStyle parts_style(const SelectRules& rules, const Cluster& cluster, NodeId node);

/// What the job has of the host, by name and type in the order of the node. Of a GRES that it wants
/// of any type also the types of which it has none.
[[nodiscard]] std::vector<GresDetail> gres_of(const ChosenNode& chosen,
                                              const std::vector<GresWant>& wanted,
                                              PartsStyle style);

/// A chosen node has too little memory for the CPUs that the job is charged for.
struct MemoryShortage {
    NodeId node;
    Number cpus = 0;
    Number charged = 0;  ///< MiB
    Number free = 0;     ///< MiB
};

}  // namespace trestle::slurm::choice
