// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lines of configuration to nodes and clusters, as far as they go.
//
// Layer: dialect/slurm, inside. Main functions: build_nodes, build_cluster. What a mistake concerns
// is left out, and the mistake added to `errors`; offsets are 0, as lines do not keep their text.
// Requires: `names` are those of the configuration, each once.

#include <span>
#include <vector>

#include "trestle/alloc/cluster/node_names.hpp"
#include "trestle/dialect/slurm/describe.hpp"

namespace trestle::slurm {

[[nodiscard]] BuiltNodes build_nodes(const SlurmConf& conf, std::span<const GresLine> gres,
                                     const NodeNames& names, std::vector<ConfError>& errors);

[[nodiscard]] BuiltCluster build_cluster(const SlurmConf& conf, std::span<const GresLine> gres,
                                         TopologyConf topology, const NodeNames& names,
                                         std::vector<ConfError>& errors);

}  // namespace trestle::slurm
