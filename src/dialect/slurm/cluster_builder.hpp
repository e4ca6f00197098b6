// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lines of configuration to nodes and clusters, as far as they go.
//
// Layer: dialect/slurm, inside. Main functions: build_nodes, build_cluster. What a mistake concerns
// is left out, and the mistake added to `errors`; offsets are 0, as lines do not keep their text.
// Requires: `names` are those of the configuration, each once.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trestle/alloc/cluster/node_names.hpp"
#include "trestle/dialect/slurm/describe.hpp"

namespace trestle::slurm {

inline constexpr std::uint64_t nodes_max = std::uint64_t{1} << 22;

/// The names of lines up to the first that cannot be one of them.
struct NamesOfLines {
    NodeNames names;                 ///< without order where a name stands twice
    std::size_t lines = 0;           ///< that are good, from the first one on
    std::optional<ConfError> error;  ///< of the next line
};
/// Errors: a node named twice, and above four million nodes.
[[nodiscard]] NamesOfLines names_of_lines(std::span<const NodeLine> lines);

[[nodiscard]] BuiltNodes build_nodes(const SlurmConf& conf, std::span<const GresLine> gres,
                                     const NodeNames& names, std::vector<ConfError>& errors);

[[nodiscard]] BuiltCluster build_cluster(const SlurmConf& conf, std::span<const GresLine> gres,
                                         TopologyConf topology, const NodeNames& names,
                                         std::vector<ConfError>& errors);

}  // namespace trestle::slurm
