// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lines of configuration to nodes and clusters, as far as they go.
//
// Layer: dialect/slurm, inside. Main names: BuildErrors, build_nodes, build_cluster. What a mistake
// concerns is left out, and the mistake added to `errors`; offsets are 0, as lines do not keep
// their text. What is missing because it stood in a line with mistakes is none. Requires: `names`
// are those of the configuration, each once.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "lost_names.hpp"
#include "trestle/alloc/cluster/node_names.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"

namespace trestle::slurm {

inline constexpr std::uint64_t nodes_max = std::uint64_t{1} << 22;

/// A mistake, and the key in whose value its token stands; empty: the token says the key.
struct BuildError {
    ConfError error;
    std::string_view key = {};
};

/// The first thousand mistakes.
class BuildErrors {
  public:
    void add(ConfError error, std::string_view key = {}) {
        if (!is_full()) all_.push_back({std::move(error), key});
    }
    [[nodiscard]] bool is_full() const { return all_.size() == errors_max; }
    [[nodiscard]] std::vector<BuildError>& all() { return all_; }
    /// For texts that are not at hand.
    [[nodiscard]] std::vector<ConfError> without_keys() const {
        std::vector<ConfError> errors;
        for (const BuildError& one : all_) errors.push_back(one.error);
        return errors;
    }

  private:
    static constexpr std::size_t errors_max = 1000;
    std::vector<BuildError> all_;
};

/// The names of lines up to the first that cannot be one of them.
struct NamesOfLines {
    NodeNames names;                 ///< without order where a name stands twice
    std::size_t lines = 0;           ///< that are good, from the first one on
    std::optional<ConfError> error;  ///< of the next line
};
/// Errors: a node named twice, and above four million nodes.
[[nodiscard]] NamesOfLines names_of_lines(std::span<const NodeLine> lines);

[[nodiscard]] BuiltNodes build_nodes(const SlurmConf& conf, std::span<const GresLine> gres,
                                     const NodeNames& names, BuildErrors& errors);

[[nodiscard]] BuiltCluster build_cluster(const SlurmConf& conf, std::span<const GresLine> gres,
                                         TopologyConf topology, const NodeNames& names,
                                         const LostNames& lost, BuildErrors& errors);

}  // namespace trestle::slurm
