// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a job takes of resources that sets of nodes have together (--resources).
//
// Layer: dialect/slurm, inside. Main types: AskedResource, LayerRoom. Rules as recorded of a
// slurmctld 26.05: MODE_1 and MODE_2 close nodes whose layers have too little; MODE_3 lets nodes
// be chosen for as long as their layers have enough.

#include <string>
#include <string_view>
#include <vector>

#include "../../options/grammars.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/dialect/slurm/choice/select.hpp"

namespace trestle::slurm::choice {

struct AskedResource {
    const LayeredResource* resource = nullptr;
    Count count;
};

/// What --resources asks for. Errors: InvalidArgument for a resource or a word that is unknown, a
/// count that no layer has, and a text that is no list of `name:count`.
[[nodiscard]] StatusOr<std::vector<AskedResource>> asked_resources(const JobOptions& options,
                                                                   const SelectRules& rules);

/// `power:1000, a layer has at most 400 left`, for each resource. `free`: of the cluster's counts.
[[nodiscard]] std::string most_left(const std::vector<AskedResource>& asked,
                                    const std::vector<ClusterCount>& free);

/// Why resources that a job takes for each of its nodes do not suffice for so many: what is asked,
/// and how many nodes can have it if they are taken in their order; empty: they suffice.
[[nodiscard]] std::string lack_by_node(const std::vector<AskedResource>& asked,
                                       const std::vector<ClusterCount>& free, const NodeSet& nodes,
                                       Count wanted);

/// What layers have left for one job, node by node. A copy counts by itself.
class LayerRoom {
  public:
    /// `free`: of the cluster's counts.
    LayerRoom(const std::vector<AskedResource>& asked, const std::vector<ClusterCount>& free);

    /// Whether the node's layers of MODE_1 and MODE_2 have enough.
    [[nodiscard]] bool is_open(NodeId node) const;
    /// Whether the node's layers of MODE_3 have enough for one more node.
    [[nodiscard]] bool has(NodeId node) const;
    /// Takes what MODE_3 wants for the node. Requires: has(node).
    void take(NodeId node);
    /// Whether there is a resource of MODE_1 or MODE_2.
    [[nodiscard]] bool closes_nodes() const { return closes_nodes_; }
    /// Whether there is a resource of MODE_3.
    [[nodiscard]] bool counts_nodes() const { return counts_nodes_; }

  private:
    struct Layer {
        const ResourceLayer* layer = nullptr;
        Count left;
    };
    struct Resource {
        LayerMode mode;
        Count wanted;
        std::vector<Layer> layers;
    };
    std::vector<Resource> resources_;
    bool counts_nodes_ = false;
    bool closes_nodes_ = false;
};

/// A resource by a name of shown_resources(), with the layer that the name holds; else null.
struct NamedResource {
    const LayeredResource* of = nullptr;
    const ResourceLayer* layer = nullptr;
};
[[nodiscard]] NamedResource find_resource(const std::vector<LayeredResource>& known,
                                          std::string_view name);

/// What the job takes of the cluster's counts on these nodes, sorted by name. Where no layer of
/// MODE_1 has enough it is the first with a node: then the cluster does not give it.
[[nodiscard]] std::vector<ClusterCount> layers_taken(const std::vector<AskedResource>& asked,
                                                     const std::vector<ClusterCount>& free,
                                                     const Placement& placement);

/// The same as scontrol shows it. `taken`: layers_taken().
[[nodiscard]] std::vector<ClusterCount> shown_resources(const std::vector<AskedResource>& asked,
                                                        const std::vector<ClusterCount>& taken);

}  // namespace trestle::slurm::choice
