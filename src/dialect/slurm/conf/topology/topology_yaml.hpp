// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parts of topology.yaml.
//
// Layer: dialect/slurm, inside. Main type: TopologyParts; read_torus reads one torus.

#include <cstddef>
#include <optional>
#include <string>

#include "topology_builder.hpp"
#include "trestle/dialect/slurm/conf/topology_conf.hpp"
#include "trestle/model/topology/torus.hpp"
#include "yaml_parts.hpp"

namespace trestle::slurm::topology_yaml {

class TopologyParts : public YamlParts {
    static constexpr std::size_t places_max = std::size_t{1} << 22;

  public:
    TopologyParts(const NodeNames& nodes, TopologyReading& reading)
        : YamlParts("topology.yaml", reading.errors),
          nodes_(nodes),
          reading_(reading),
          builder_(nodes, reading) {}

    [[nodiscard]] TopologyConf& topology() { return reading_.topology; }
    [[nodiscard]] TopologyBuilder& builder() { return builder_; }
    [[nodiscard]] const NodeNames& nodes() const { return nodes_; }

    void set_first(const std::string& name) {
        if (first_.empty()) first_ = name;
    }
    /// Where no topology is said to be the default one it is the first.
    void settle_default() {
        if (topology().default_name.empty()) topology().default_name = first_;
    }
    /// False when the tori and regions of the file have too many places.
    [[nodiscard]] bool take_places(std::size_t count) {
        if (count > places_left_) return false;
        places_left_ -= count;
        return true;
    }

  private:
    const NodeNames& nodes_;
    TopologyReading& reading_;
    TopologyBuilder builder_;
    std::string first_;  ///< topology of the file
    std::size_t places_left_ = places_max;
};

/// A torus of a list, unless it has no name or no size that can be; `taken` are the nodes of the
/// tori before it, and of it afterwards.
[[nodiscard]] std::optional<TorusTopology::Torus> read_torus(TopologyParts& parts, NodeSet& taken,
                                                             const YAML::Node& node);

}  // namespace trestle::slurm::topology_yaml
