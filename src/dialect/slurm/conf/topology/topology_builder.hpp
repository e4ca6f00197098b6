// SPDX-License-Identifier: Apache-2.0
#pragma once

// Topologies out of named units, whichever file they come from.
//
// Layer: dialect/slurm, inside. Main types: TopologyUnitDraft, TopologyBuilder.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../conf_lines.hpp"
#include "trestle/dialect/slurm/conf/topology_conf.hpp"

namespace trestle::slurm {

/// A switch, a block or a ring while it is read.
struct TopologyUnitDraft {
    ConfPlace place;
    std::size_t offset = 0;  ///< of its name in the line
    std::string name;
    Hostlist nodes;
    Hostlist children;
};

/// BlockSizes, and where they stand.
struct BlockSizesDraft {
    ConfPlace place;
    std::size_t offset = 0;
    std::vector<Count> sizes;
};

class TopologyBuilder {
  public:
    TopologyBuilder(const NodeNames& nodes, TopologyReading& reading)
        : nodes_(nodes), reading_(reading) {}

    /// The place is where the topology starts.
    void add_tree(const std::string& name, const ConfPlace& place,
                  std::vector<TopologyUnitDraft> switches);
    void add_blocks(const std::string& name, const ConfPlace& place,
                    std::vector<TopologyUnitDraft> blocks,
                    const std::optional<BlockSizesDraft>& sizes);
    void add_rings(const std::string& name, const ConfPlace& place,
                   std::vector<TopologyUnitDraft> rings);

    /// The thousand-and-first is left out: aliases let a short text say the same very often.
    void add_error(const ConfPlace& place, TextError error) {
        if (!is_given_up()) reading_.errors.push_back({place, std::move(error)});
    }
    /// True after so many errors that the rest need not be read.
    [[nodiscard]] bool is_given_up() const { return reading_.errors.size() >= errors_max; }
    void warn(const ConfPlace& place, std::string message) {
        reading_.topology.warnings.push_back({place, std::move(message)});
    }

    /// The nodes of a unit that are in no unit of the topology yet; the others are warned of.
    [[nodiscard]] std::vector<NodeId> take_nodes(const TopologyUnitDraft& unit, NodeSet& taken);

  private:
    static constexpr std::size_t errors_max = 1000;

    /// Without those of a name that stood before; these are errors.
    void keep_first_of_name(std::vector<TopologyUnitDraft>& units, std::string_view kind);
    /// By position: the first that names it. Others that do are warned of; what names no other
    /// switch is an error, one a line.
    [[nodiscard]] std::vector<std::optional<std::size_t>> parents_of(
        const std::vector<TopologyUnitDraft>& switches);
    void warn_of_nodes_outside(const std::string& name, const ConfPlace& place,
                               const NodeSet& inside);

    const NodeNames& nodes_;
    TopologyReading& reading_;
};

}  // namespace trestle::slurm
