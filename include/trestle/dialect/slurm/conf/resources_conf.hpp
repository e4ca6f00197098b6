// SPDX-License-Identifier: Apache-2.0
#pragma once

// resources.yaml: resources that sets of nodes have together, such as power.
//
// Layer: dialect/slurm. Main names: LayeredResource, read_resources_yaml. A layer is a set of nodes
// with a count. A job asks for a resource by --resources and takes it from layers that hold nodes
// of the job; the mode says from which. The cluster has each layer as a count (count_name()), so
// what is taken of it is released with the job.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/conf_error.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {
class NodeNames;
}  // namespace trestle

namespace trestle::slurm {

/// From which layers a job takes what it asks for.
enum class LayerMode {
    one_layer,   ///< MODE_1: the first that has a node of the job and enough
    all_layers,  ///< MODE_2: all that have a node of the job, each once
    by_node,     ///< MODE_3: all that have a node of the job, for each such node
};

constexpr auto enum_names(LayerMode) {
    using enum LayerMode;
    return std::array{named(one_layer, "MODE_1"), named(all_layers, "MODE_2"),
                      named(by_node, "MODE_3")};
}

/// A set of nodes that have a resource together.
struct ResourceLayer {
    NodeSet nodes;
    std::string node_text;  ///< as the file names them
    Count count;
    /// What the layer loses to what is no job, such as cooling (`base`).
    Count base = {};

    static constexpr auto fields(auto list) {
        return list(field("nodes", &ResourceLayer::nodes),
                    field("node_text", &ResourceLayer::node_text),
                    field("count", &ResourceLayer::count), field("base", &ResourceLayer::base));
    }
    friend bool operator==(const ResourceLayer&, const ResourceLayer&) = default;
};

/// A resource of the file.
struct LayeredResource {
    std::string name;
    LayerMode mode = LayerMode::one_layer;
    std::string topology;                 ///< whose blocks the layers are; empty: none
    std::vector<ClusterCount> variables;  ///< words that stand for counts (`power:full_node`)
    std::vector<ResourceLayer> layers;    ///< in the order of the file

    static constexpr auto fields(auto list) {
        return list(field("name", &LayeredResource::name), field("mode", &LayeredResource::mode),
                    field("topology", &LayeredResource::topology),
                    field("variables", &LayeredResource::variables),
                    field("layers", &LayeredResource::layers));
    }
    friend bool operator==(const LayeredResource&, const LayeredResource&) = default;
};

/// What read_resources_yaml() read, and every mistake.
struct ResourcesReading {
    std::vector<LayeredResource> resources;
    std::vector<ConfError> errors;

    static constexpr auto fields(auto list) {
        return list(field("resources", &ResourcesReading::resources),
                    field("errors", &ResourcesReading::errors));
    }
    friend bool operator==(const ResourcesReading&, const ResourcesReading&) = default;
};

/// A list of resources, each with `resource` (its name), `mode`, `layers` of `nodes` and `count`,
/// and perhaps `topology`, `variables` and `base`. Errors: those of YAML, where the first ends the
/// file. A text above 1 MiB. A key that is missing, unknown, given twice or of another kind. A name
/// twice. A name that is no node. Two layers of a resource with the same text of nodes; 10,000
/// layers or more. More than 2^22 nodes in all layers. After 1000 errors the rest is not read. What
/// an error concerns is left out. Complexity: the text and the nodes of its lists.
[[nodiscard]] ResourcesReading read_resources_yaml(std::string_view text, const NodeNames& nodes);

/// The name of the cluster's count that stands for the layer: `power:t[0-7]`, which no licence can
/// have.
[[nodiscard]] std::string count_name(const LayeredResource& resource, const ResourceLayer& layer);

/// What jobs may have of each layer: its count less the base of the layer and, in MODE_3, of the
/// layers inside it. Sorted by name; layers without any are left out. Complexity: the layers, times
/// those with a base in MODE_3.
[[nodiscard]] std::vector<ClusterCount> layer_counts(const std::vector<LayeredResource>& resources);

}  // namespace trestle::slurm
