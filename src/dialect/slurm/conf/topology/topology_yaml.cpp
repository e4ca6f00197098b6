// SPDX-License-Identifier: Apache-2.0
#include "topology_yaml.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/topologies.hpp"

namespace trestle::slurm {
namespace topology_yaml {
namespace {

constexpr std::size_t topology_bytes_max = std::size_t{1} << 20;
constexpr std::size_t topologies_max = 256;

/// A switch, a block or a ring.
struct UnitReader {
    TopologyParts& parts;
    TopologyUnitDraft unit{};
    bool has_nodes = false;
    bool has_children = false;

    void name(const YAML::Node& node) { parts.read(node, unit.name); }
    void nodes(const YAML::Node& node) {
        has_nodes = true;
        parts.read(node, unit.nodes);
    }
    void children(const YAML::Node& node) {
        has_children = true;
        parts.read(node, unit.children);
    }
};

constexpr std::array<YamlKey<UnitReader>, 3> switch_yaml_keys{
    {{"switch", &UnitReader::name},
     {"nodes", &UnitReader::nodes},
     {"children", &UnitReader::children}}};
constexpr std::array<YamlKey<UnitReader>, 2> block_yaml_keys{
    {{"block", &UnitReader::name}, {"nodes", &UnitReader::nodes}}};
constexpr std::array<YamlKey<UnitReader>, 2> ring_yaml_keys{
    {{"ring", &UnitReader::name}, {"nodes", &UnitReader::nodes}}};

/// One topology of the file.
class NamedTopologyReader {
    using Self = NamedTopologyReader;

  public:
    explicit NamedTopologyReader(TopologyParts& parts) : parts_(parts) {}

    void read(const YAML::Node& node) {
        constexpr std::array<YamlKey<Self>, 7> keys{{{"topology", &Self::name},
                                                     {"cluster_default", &Self::set_default},
                                                     {"tree", &Self::tree},
                                                     {"block", &Self::block},
                                                     {"ring", &Self::ring},
                                                     {"torus3d", &Self::torus},
                                                     {"flat", &Self::flat}}};
        parts_.apply(*this, node, keys);
        if (!node.IsMap()) return;
        if (name_.empty()) return parts_.add_error(node, "topology without a name", "topology");
        if (kinds_ != 1) {
            return parts_.add_error(node, kinds_ == 0 ? "no kind of topology" : "two kinds",
                                    "one of tree, block, ring, torus3d and flat");
        }
        Network& network = parts_.topology().network;
        const bool is_known =
            find_topology(network, name_) ||
            std::find(parts_.topology().flat.begin(), parts_.topology().flat.end(), name_) !=
                parts_.topology().flat.end();
        if (is_known) return parts_.add_error(node, "topology named twice", "each name once");
        if (is_default_ && !parts_.topology().default_name.empty()) {
            parts_.add_error(node, "two cluster defaults", "one at most");
        } else if (is_default_) {
            parts_.topology().default_name = name_;
        }
        parts_.set_first(name_);
        if (kind_ == "flat") parts_.topology().flat.push_back(name_);
        if (kind_ == "tree")
            parts_.builder().add_tree(name_, parts_.place_of(node), std::move(units_));
        if (kind_ == "block")
            parts_.builder().add_blocks(name_, parts_.place_of(node), std::move(units_), sizes_);
        if (kind_ == "ring")
            parts_.builder().add_rings(name_, parts_.place_of(node), std::move(units_));
        if (kind_ == "torus3d") network.toruses.push_back({name_, std::move(toruses_)});
    }

    // What each key of a kind holds.
    void switches(const YAML::Node& node) { read_units(node, switch_yaml_keys); }
    void blocks(const YAML::Node& node) { read_units(node, block_yaml_keys); }
    void rings(const YAML::Node& node) { read_units(node, ring_yaml_keys); }
    void block_sizes(const YAML::Node& node) {
        BlockSizesDraft draft{parts_.place_of(node), offset_of(node), {}};
        parts_.for_each(node, [&](const YAML::Node& item) {
            std::uint32_t size = 0;
            parts_.read(item, size);
            draft.sizes.emplace_back(size);
        });
        if (draft.sizes.empty() || draft.sizes.size() > 16) {
            return parts_.add_error(node, "malformed block_sizes", "1 to 16 sizes");
        }
        sizes_ = std::move(draft);
    }
    void alpha_step_rank(const YAML::Node& node) {
        bool answer = false;
        parts_.read(node, answer);
    }
    void toruses(const YAML::Node& node) {
        std::set<std::string> names;
        parts_.for_each(node, [&](const YAML::Node& item) {
            auto torus = read_torus(parts_, taken_, item);
            if (!torus) return;
            if (!names.insert(torus->name).second) {
                return parts_.add_error(item, "torus named twice", "each name once");
            }
            toruses_.push_back(*std::move(torus));
        });
    }

  private:
    void name(const YAML::Node& node) { parts_.read(node, name_); }
    void set_default(const YAML::Node& node) { parts_.read(node, is_default_); }
    void set_kind(std::string_view kind) {
        kind_ = kind;
        ++kinds_;
    }
    void tree(const YAML::Node& node) {
        constexpr std::array<YamlKey<Self>, 1> keys{{{"switches", &Self::switches}}};
        set_kind("tree");
        parts_.apply(*this, node, keys);
    }
    void block(const YAML::Node& node) {
        constexpr std::array<YamlKey<Self>, 2> keys{
            {{"block_sizes", &Self::block_sizes}, {"blocks", &Self::blocks}}};
        set_kind("block");
        parts_.apply(*this, node, keys);
    }
    void ring(const YAML::Node& node) {
        constexpr std::array<YamlKey<Self>, 1> keys{{{"rings", &Self::rings}}};
        set_kind("ring");
        parts_.apply(*this, node, keys);
    }
    void torus(const YAML::Node& node) {
        constexpr std::array<YamlKey<Self>, 1> keys{{{"toruses", &Self::toruses}}};
        set_kind("torus3d");
        parts_.apply(*this, node, keys);
    }
    /// `flat: true`, or a mapping; `flat: false` says nothing.
    void flat(const YAML::Node& node) {
        constexpr std::array<YamlKey<Self>, 1> keys{{{"alpha_step_rank", &Self::alpha_step_rank}}};
        bool is_flat = true;
        if (node.IsMap()) {
            parts_.apply(*this, node, keys);
        } else {
            parts_.read(node, is_flat);
        }
        if (is_flat) set_kind("flat");
    }

    template <std::size_t N>
    void read_units(const YAML::Node& node, const std::array<YamlKey<UnitReader>, N>& keys) {
        parts_.for_each(node, [&](const YAML::Node& item) {
            UnitReader reader{parts_};
            parts_.apply(reader, item, keys);
            reader.unit.place = parts_.place_of(item);
            reader.unit.offset = offset_of(item);
            if (!item.IsMap()) return;
            if (reader.unit.name.empty()) {
                parts_.add_error(item, "item without a name", std::string(keys.front().name));
            } else if (reader.has_nodes && reader.has_children) {
                parts_.add_error(item, "nodes with children", "one of the two");
            } else {
                units_.push_back(std::move(reader.unit));
            }
        });
    }

    TopologyParts& parts_;
    std::string name_;
    std::string_view kind_;
    int kinds_ = 0;
    bool is_default_ = false;
    std::vector<TopologyUnitDraft> units_;
    std::optional<BlockSizesDraft> sizes_;
    std::vector<TorusTopology::Torus> toruses_;
    NodeSet taken_;
};

}  // namespace
}  // namespace topology_yaml

TopologyReading read_topology_yaml(std::string_view text, const NodeNames& nodes) {
    TopologyReading reading;
    yaml::YamlProblem problem;
    const auto root = yaml::load_yaml(text, topology_yaml::topology_bytes_max, problem);
    if (!root) {
        const bool has_place = problem.line != 0;
        reading.errors.push_back(
            {{"topology.yaml", has_place ? static_cast<std::uint32_t>(problem.line) : 1},
             {has_place ? problem.column - 1 : 0, "", problem.what, problem.expected}});
        return reading;
    }
    topology_yaml::TopologyParts parts(nodes, reading);
    if (root->IsMap()) {
        topology_yaml::NamedTopologyReader(parts).read(*root);
        parts.settle_default();
        return reading;
    }
    if (root->IsSequence() && root->size() > topology_yaml::topologies_max) {
        parts.add_error(*root, "too many topologies",
                        fmt::format("at most {}", topology_yaml::topologies_max));
        return reading;
    }
    parts.for_each(*root, [&](const YAML::Node& item) {
        topology_yaml::NamedTopologyReader(parts).read(item);
    });
    parts.settle_default();
    return reading;
}

StatusOr<TopologyConf> parse_topology_yaml(std::string_view text, const NodeNames& nodes) {
    TopologyReading reading = read_topology_yaml(text, nodes);
    TRESTLE_TRY_STATUS(first_error(reading.errors));
    return std::move(reading.topology);
}

}  // namespace trestle::slurm
