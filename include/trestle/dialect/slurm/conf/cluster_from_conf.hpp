// SPDX-License-Identifier: Apache-2.0
#pragma once

// From Slurm's configuration files to nodes and clusters.
//
// Layer: dialect/slurm. Main names: read_cluster, which gives all errors, parse_cluster,
// build_nodes, build_cluster and parse_nodes, all functions of the files and nothing else.
// Pitfall: hardware threads get Slurm's abstract numbers, because a file cannot know the kernel's.
// Thread t of core c of socket s is (s * cores_per_socket + c) * threads_per_core + t. A discovered
// node has the kernel's.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/conf/gres_conf.hpp"
#include "trestle/dialect/slurm/conf/merge.hpp"
#include "trestle/dialect/slurm/conf/node_conf.hpp"
#include "trestle/dialect/slurm/conf/resources_conf.hpp"
#include "trestle/dialect/slurm/conf/slurm_conf.hpp"
#include "trestle/dialect/slurm/conf/topology_conf.hpp"
#include "trestle/dialect/slurm/conf_error.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/dialect/slurm/release.hpp"
#include "trestle/model/node.hpp"

namespace trestle::slurm {

/// Nodes that a slurmctld does not use.
struct InvalidNodes {
    Hostlist nodes;
    NodeFault fault;

    static constexpr auto fields(auto list) {
        return list(field("nodes", &InvalidNodes::nodes), field("fault", &InvalidNodes::fault));
    }
    friend bool operator==(const InvalidNodes&, const InvalidNodes&) = default;
};

/// Nodes, and what of the files was not used.
struct BuiltNodes {
    std::vector<Node> nodes;
    std::vector<ConfWarning> warnings;
    std::vector<InvalidNodes> invalid;  ///< whose state is still as configured

    static constexpr auto fields(auto list) {
        return list(field("nodes", &BuiltNodes::nodes), field("warnings", &BuiltNodes::warnings),
                    field("invalid", &BuiltNodes::invalid));
    }
    friend bool operator==(const BuiltNodes&, const BuiltNodes&) = default;
};

/// One node for every name, in the order of the file, as merge() makes it where nothing was
/// detected. Nodes that are described alike share a shape, and are warned of once. Lines of
/// gres.conf for names that no node has are passed over. DownNodes say states last.
/// Errors: InvalidArgument of merge(), for a node named twice, and above four million nodes.
[[nodiscard]] StatusOr<BuiltNodes> build_nodes(const SlurmConf& conf,
                                               std::span<const GresLine> gres);

/// A cluster that is idle, and what of the files was not used.
struct BuiltCluster {
    Cluster cluster;
    std::vector<ConfWarning> warnings;
    std::string default_topology;  ///< of partitions that name none; empty: no topology is
    std::vector<TorusPlacement> placements;  ///< shapes that jobs may have on tori
    std::vector<LayeredResource> resources;  ///< whose layers are counts of the cluster
    std::vector<InvalidNodes> invalid;  ///< whose state is as configured; Controller drains them
};

/// The nodes of build_nodes(), partitions, licences and the network. Of a partition a Partition
/// says what it can; the rest stays in its PartitionLine. Of several that are Default=YES the last
/// one is. Errors: those of build_nodes(), and InvalidArgument for a name in Nodes= that is neither
/// a node nor a node set. The same for topologies and units of Topology= that do not exist, and
/// what Cluster::create() refuses. Topology= of a node puts it there, whatever topology.conf says.
/// It goes under the last switch of a path, into a block, at the end of a ring. A torus has places,
/// so there it is warned of. Topology= of a partition has to exist, and stays in its line.
[[nodiscard]] StatusOr<BuiltCluster> build_cluster(const SlurmConf& conf,
                                                   std::span<const GresLine> gres,
                                                   const TopologyConf& topology = {});

/// The names of the nodes in the order of build_nodes(), by which read_topology_conf finds them.
/// Errors: InvalidArgument for a node named twice, and above four million nodes.
[[nodiscard]] StatusOr<NodeNames> node_names_of(const SlurmConf& conf);

/// The texts of the files; one that is not there is an empty one.
struct ConfTexts {
    std::string_view slurm_conf = {};
    std::string_view gres_conf = {};
    std::string_view topology_conf = {};
    std::string_view topology_yaml = {};  ///< goes before topology_conf
    const ConfFiles* files = nullptr;     ///< what they include; null: nothing
    MendedMistakes mended = MendedMistakes::warnings;
    std::string_view resources_yaml = {};
    /// Whose slurmctld reads them; absent: the keys and files of all releases are taken.
    std::optional<Release> release = {};
};

/// The nodes that the texts describe. Errors: the first of each reader and of build_nodes, naming
/// the file.
[[nodiscard]] StatusOr<BuiltNodes> parse_nodes(const ConfTexts& texts);

/// The cluster of the texts as far as it goes, and every error of all files.
struct ClusterReading {
    BuiltCluster built;
    SlurmConf conf;
    std::vector<ConfError> errors;
};

/// The cluster that the texts describe. The file topology.conf is read where TopologyPlugin is not
/// flat and there is no topology.yaml. Where it says something and is not read, that is a warning.
/// With a release, keys and values with which its slurmctld does not start are errors, also where
/// it logs nothing else. Keys and files that it ignores are warnings, and such files are not read.
/// What an error concerns is left out. That is the line, or the name in a partition that is no
/// node. Of a node it is the impossible devices, or their cores or links. Errors: file by file, by
/// line within a file, of build_cluster() a thousand at most. Each with the place of the token, or
/// of the key where the token is part of a list. What many nodes have of one line of gres.conf is
/// one error. A node, set or topology is not missed where a line, or a topology file, with errors
/// may have named it. An included file is asked for once.
[[nodiscard]] ClusterReading read_cluster(const ConfTexts& texts);

/// The same, where one error is enough. Errors: InvalidArgument with the first, `(and 2 more)`.
[[nodiscard]] StatusOr<BuiltCluster> parse_cluster(const ConfTexts& texts);

}  // namespace trestle::slurm
