// SPDX-License-Identifier: Apache-2.0
#pragma once

// topology.conf and topology.yaml: how nodes are connected.
//
// Layer: dialect/slurm. Main names: TopologyConf, read_topology_conf, read_topology_yaml. Nodes are
// looked up while reading, so that a wrong name is reported with its place. Names of nodes that do
// not exist are warnings, as for Slurm.
// Pitfall: switches stand in `Network` with parents first, those of one height in the order of the
// file; in topology.conf they stand in any order.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/alloc/cluster/node_names.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/conf_error.hpp"
#include "trestle/model/network.hpp"

namespace trestle::slurm {

/// A shape that a job may have on a torus, and the places where it may begin.
struct TorusPlacement {
    std::string torus;
    TorusTopology::Shape dims;
    TorusTopology::Shape anchor_seed{0, 0, 0};
    TorusTopology::Shape anchor_spacing;  ///< between two places, on each axis

    static constexpr auto fields(auto list) {
        return list(field("torus", &TorusPlacement::torus), field("dims", &TorusPlacement::dims),
                    field("anchor_seed", &TorusPlacement::anchor_seed),
                    field("anchor_spacing", &TorusPlacement::anchor_spacing));
    }
    friend bool operator==(const TorusPlacement&, const TorusPlacement&) = default;
};

/// What the file says.
struct TopologyConf {
    Network network;
    std::vector<std::string> flat;  ///< topologies in which all nodes are alike
    /// Of partitions that name none: the one with cluster_default, else the first of the file;
    /// empty: there is none.
    std::string default_name;
    std::vector<TorusPlacement> placements;
    std::vector<ConfWarning> warnings;

    static constexpr auto fields(auto list) {
        return list(field("network", &TopologyConf::network), field("flat", &TopologyConf::flat),
                    field("default_name", &TopologyConf::default_name),
                    field("placements", &TopologyConf::placements),
                    field("warnings", &TopologyConf::warnings));
    }
    friend bool operator==(const TopologyConf&, const TopologyConf&) = default;
};

/// What could be read, and every error.
struct TopologyReading {
    TopologyConf topology;
    std::vector<ConfError> errors;

    static constexpr auto fields(auto list) {
        return list(field("topology", &TopologyReading::topology),
                    field("errors", &TopologyReading::errors));
    }
    friend bool operator==(const TopologyReading&, const TopologyReading&) = default;
};

/// topology.conf, one topology called `default`. Its lines are SwitchName with Nodes or Switches
/// (and LinkSpeed, which means nothing), BlockName with Nodes and one BlockSizes line, or RingName
/// with Nodes. Without BlockSizes there are the size of the first block and its double three times.
/// A node under two switches, blocks or rings stays in the first one, with a warning; so has a
/// switch that two others name. Errors: lines of two kinds. An unknown key. A name twice. Nodes
/// with Switches. A switch that does not exist or is below itself. A block size that is not the
/// first one's 2^k-fold with k of 15 at most, block sizes twice, or without a block. A ring of more
/// than 16 nodes. Lines that name more switches than 16 times those that there are. What an error
/// concerns is left out; a line has one error for all unknown switches that it names.
[[nodiscard]] TopologyReading read_topology_conf(std::string_view text, const NodeNames& nodes,
                                                 const ConfFiles& files = {},
                                                 MendedMistakes mended = MendedMistakes::warnings);

/// The same, where one error is enough. Errors: InvalidArgument with the first one,
/// `topology.conf line 3: ... (and 2 more)`.
[[nodiscard]] StatusOr<TopologyConf> parse_topology_conf(std::string_view text,
                                                         const NodeNames& nodes,
                                                         const ConfFiles& files = {});

/// topology.yaml: one topology or a list of them, each with `topology` (its name),
/// `cluster_default`, and one of `tree`, `block`, `ring`, `torus3d` and `flat`. Errors: as above,
/// beside those of YAML, where the first ends the file: a text above 1 MiB or 64 levels. A key that
/// is missing, unknown or of another kind. A name twice. Two kinds in one topology. Two defaults. A
/// torus whose nodes are not as many as its places, or with regions beyond it or overlapping ones.
/// More than 200,000 items of lists, or 2^22 places in all tori and regions, aliases counted where
/// they stand. After 1000 errors the rest is not read.
[[nodiscard]] TopologyReading read_topology_yaml(std::string_view text, const NodeNames& nodes);
[[nodiscard]] StatusOr<TopologyConf> parse_topology_yaml(std::string_view text,
                                                         const NodeNames& nodes);

}  // namespace trestle::slurm
