// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <set>

#include "../../yaml.hpp"
#include "topology_builder.hpp"
#include "trestle/dialect/slurm/conf/topology_conf.hpp"

namespace trestle::slurm {
namespace {

constexpr std::size_t topology_bytes_max = std::size_t{1} << 20;
constexpr std::size_t topologies_max = 256;
constexpr std::size_t units_max = 200'000;  // of all topologies: aliases make small texts long
constexpr std::size_t places_max = std::size_t{1} << 22;

/// What a key of a mapping does.
template <class Target>
struct YamlKey {
    std::string_view name;
    void (Target::*read)(const YAML::Node& value);
};

ConfPlace place_of(const YAML::Node& node) {
    const YAML::Mark mark = node.Mark();
    return {"topology.yaml", mark.is_null() ? 1 : static_cast<std::uint32_t>(mark.line) + 1};
}
std::size_t offset_of(const YAML::Node& node) {
    const YAML::Mark mark = node.Mark();
    return mark.is_null() ? 0 : static_cast<std::size_t>(mark.column);
}
std::string token_of(const YAML::Node& node) {
    return node.IsScalar() ? node.Scalar().substr(0, 64) : "";
}

/// Reads parts of the document; what is wrong becomes an error there.
class YamlParts {
  public:
    YamlParts(const NodeNames& nodes, TopologyReading& reading)
        : nodes_(nodes), reading_(reading), builder_(nodes, reading) {}

    void add_error(const YAML::Node& at, std::string what, std::string expected) {
        reading_.errors.push_back(
            {place_of(at), {offset_of(at), token_of(at), std::move(what), std::move(expected)}});
    }
    [[nodiscard]] TopologyConf& topology() { return reading_.topology; }
    [[nodiscard]] TopologyBuilder& builder() { return builder_; }
    [[nodiscard]] const NodeNames& nodes() const { return nodes_; }

    /// Applies every key of a mapping, each once at most.
    template <class Target, std::size_t N>
    void apply(Target& target, const YAML::Node& mapping,
               const std::array<YamlKey<Target>, N>& keys) {
        if (!mapping.IsMap()) {
            return add_error(mapping, "no mapping", "keys with values");
        }
        std::set<std::string_view> seen;
        for (const auto& entry : mapping) {
            const std::string name = token_of(entry.first);
            const auto known = std::find_if(keys.begin(), keys.end(),
                                            [&](const auto& key) { return key.name == name; });
            if (known == keys.end()) {
                add_error(
                    entry.first, "unknown key",
                    "a known key; the nearest is " +
                        words::nearest_word(name, keys, [](const auto& key) { return key.name; }));
            } else if (!seen.insert(known->name).second) {
                add_error(entry.first, "key given twice", "each key once");
            } else {
                (target.*known->read)(entry.second);
            }
        }
    }

    /// visit(item) for each of a list.
    template <class Visit>
    void for_each(const YAML::Node& list, const Visit& visit) {
        if (!list.IsSequence()) return add_error(list, "no list", "a list");
        for (const auto& item : list) {
            if (++units_ > units_max) {
                if (units_ == units_max + 1) {
                    add_error(list, "too many items", fmt::format("at most {}", units_max));
                }
                return;
            }
            visit(item);
        }
    }

    /// False when the tori of the file have too many places.
    [[nodiscard]] bool take_places(std::size_t count) {
        if (count > places_left_) return false;
        places_left_ -= count;
        return true;
    }

    void read(const YAML::Node& node, std::string& text) {
        constexpr std::size_t name_max = 255;
        if (!node.IsScalar() || node.Scalar().empty() || node.Scalar().size() > name_max) {
            return add_error(node, "no name", "a name of at most 255 characters");
        }
        text = node.Scalar();
    }
    void read(const YAML::Node& node, bool& answer) {
        if (!node.IsScalar()) return add_error(node, "unknown answer", "true or false");
        if (auto error = read_yes_no(TextCursor(node.Scalar(), offset_of(node)), answer)) {
            if (words::same_word(node.Scalar(), "on") || words::same_word(node.Scalar(), "off")) {
                answer = words::same_word(node.Scalar(), "on");
                return;
            }
            add_error(node, "unknown answer", "true or false");
        }
    }
    void read(const YAML::Node& node, Hostlist& list) {
        if (!node.IsScalar()) return add_error(node, "no names", "names, as in n[1-4]");
        if (auto error = read_hostlist(TextCursor(node.Scalar(), offset_of(node)), list)) {
            reading_.errors.push_back({place_of(node), *std::move(error)});
        }
    }
    void read(const YAML::Node& node, std::uint32_t& number) {
        const std::string text = token_of(node);
        if (auto error = read_whole(TextCursor(text, offset_of(node)), number,
                                    {0, std::uint64_t{1} << 32})) {
            reading_.errors.push_back({place_of(node), *std::move(error)});
        }
    }

  private:
    const NodeNames& nodes_;
    TopologyReading& reading_;
    TopologyBuilder builder_;
    std::size_t units_ = 0;
    std::size_t places_left_ = places_max;
};

/// `{x: 4, y: 4, z: 2}`.
struct ShapeReader {
    YamlParts& parts;
    TorusShape shape;

    void x(const YAML::Node& node) { parts.read(node, shape.x); }
    void y(const YAML::Node& node) { parts.read(node, shape.y); }
    void z(const YAML::Node& node) { parts.read(node, shape.z); }

    static TorusShape read(YamlParts& parts, const YAML::Node& node, TorusShape shape) {
        constexpr std::array<YamlKey<ShapeReader>, 3> keys{
            {{"x", &ShapeReader::x}, {"y", &ShapeReader::y}, {"z", &ShapeReader::z}}};
        ShapeReader reader{parts, shape};
        parts.apply(reader, node, keys);
        return reader.shape;
    }
};

/// A box of nodes on a torus: its anchor, lengths and nodes.
struct RegionReader {
    YamlParts& parts;
    TorusShape corner{0, 0, 0};
    TorusShape lengths{};
    Hostlist names{};

    void anchor(const YAML::Node& node) { corner = ShapeReader::read(parts, node, corner); }
    void dims(const YAML::Node& node) { lengths = ShapeReader::read(parts, node, lengths); }
    void nodes(const YAML::Node& node) { parts.read(node, names); }
};

struct PlacementReader {
    YamlParts& parts;
    TorusPlacement placement{};
    bool has_spacing = false;

    void dims(const YAML::Node& node) {
        placement.dims = ShapeReader::read(parts, node, placement.dims);
    }
    void seed(const YAML::Node& node) {
        placement.anchor_seed = ShapeReader::read(parts, node, placement.anchor_seed);
    }
    void spacing(const YAML::Node& node) {
        placement.anchor_spacing = ShapeReader::read(parts, node, placement.anchor_spacing);
        has_spacing = true;
    }
};

bool is_inside(const TorusShape& box, const TorusShape& corner, const TorusShape& torus) {
    const auto fits = [](std::uint32_t length, std::uint32_t at, std::uint32_t all) {
        return length != 0 && at <= all && length <= all - at;
    };
    return fits(box.x, corner.x, torus.x) && fits(box.y, corner.y, torus.y) &&
           fits(box.z, corner.z, torus.z);
}

/// One torus of a list.
class TorusReader {
  public:
    TorusReader(YamlParts& parts, NodeSet& taken) : parts_(parts), taken_(taken) {}

    std::optional<Torus> read(const YAML::Node& node) {
        using Self = TorusReader;
        constexpr std::array<YamlKey<Self>, 5> keys{{{"name", &Self::name},
                                                     {"dims", &Self::dims},
                                                     {"nodes", &Self::nodes},
                                                     {"regions", &Self::regions},
                                                     {"placements", &Self::placements}}};
        parts_.apply(*this, node, keys);
        if (!node.IsMap()) return std::nullopt;
        if (torus_.name.empty()) {
            parts_.add_error(node, "torus without a name", "name");
            return std::nullopt;
        }
        const auto places = torus_.shape.volume();
        if (!places || *places == 0 || !parts_.take_places(*places)) {
            parts_.add_error(node, "malformed dims", "lengths of 1 or more, 2^22 places in all");
            return std::nullopt;
        }
        torus_.nodes.assign(*places, std::nullopt);
        if (all_.is_empty() && regions_.empty()) {
            parts_.add_error(node, "torus without nodes", "nodes or regions");
        }
        if (!all_.is_empty()) fill(node, all_, {0, 0, 0}, torus_.shape);
        for (const auto& [at, region] : regions_) {
            if (!is_inside(region.lengths, region.corner, torus_.shape)) {
                parts_.add_error(at, "region beyond the torus", "anchor and dims inside of it");
            } else {
                fill(at, region.names, region.corner, region.lengths);
            }
        }
        add_placements();
        return std::move(torus_);
    }

  private:
    void name(const YAML::Node& node) { parts_.read(node, torus_.name); }
    void dims(const YAML::Node& node) {
        torus_.shape = ShapeReader::read(parts_, node, torus_.shape);
    }
    void nodes(const YAML::Node& node) { parts_.read(node, all_); }
    void regions(const YAML::Node& node) {
        constexpr std::array<YamlKey<RegionReader>, 3> keys{{{"anchor", &RegionReader::anchor},
                                                             {"dims", &RegionReader::dims},
                                                             {"nodes", &RegionReader::nodes}}};
        parts_.for_each(node, [&](const YAML::Node& item) {
            RegionReader region{parts_};
            parts_.apply(region, item, keys);
            regions_.emplace_back(item, region);
        });
    }
    void placements(const YAML::Node& node) {
        constexpr std::array<YamlKey<PlacementReader>, 3> keys{
            {{"dims", &PlacementReader::dims},
             {"anchor_seed", &PlacementReader::seed},
             {"anchor_spacing", &PlacementReader::spacing}}};
        parts_.for_each(node, [&](const YAML::Node& item) {
            PlacementReader placement{parts_};
            parts_.apply(placement, item, keys);
            if (!placement.has_spacing) {
                placement.placement.anchor_spacing = placement.placement.dims;
            }
            placements_.emplace_back(item, placement.placement);
        });
    }

    void add_placements() {
        for (auto& [at, placement] : placements_) {
            const TorusShape& spacing = placement.anchor_spacing;
            if (!is_inside(placement.dims, {0, 0, 0}, torus_.shape) || spacing.x == 0 ||
                spacing.y == 0 || spacing.z == 0) {
                parts_.add_error(at, "malformed placement",
                                 "dims of 1 up to the torus's, spacings of 1 or more");
                continue;
            }
            placement.torus = torus_.name;
            parts_.topology().placements.push_back(placement);
        }
    }

    /// Puts nodes into a box, x fastest. Requires: the box is inside of the torus.
    void fill(const YAML::Node& at, const Hostlist& names, const TorusShape& corner,
              const TorusShape& lengths) {
        const std::uint64_t places = *lengths.volume();
        if (names.size() != places) {
            return parts_.add_error(at, fmt::format("{} nodes", names.size()),
                                    fmt::format("{}, as many as places", places));
        }
        std::uint32_t i = 0;
        std::uint64_t strangers = 0;
        names.for_each([&](const std::string& one) {
            const std::uint32_t x = corner.x + i % lengths.x;
            const std::uint32_t y = corner.y + i / lengths.x % lengths.y;
            const std::uint32_t z = corner.z + i / lengths.x / lengths.y;
            ++i;
            const auto id = parts_.nodes().find(one);
            strangers += id ? 0U : 1U;
            std::optional<NodeId>& place =
                torus_
                    .nodes[x + std::size_t{torus_.shape.x} * (y + std::size_t{torus_.shape.y} * z)];
            if (!id) return;
            if (place || taken_.contains(*id)) {
                return parts_.add_error(
                    at, place ? "place taken by another region" : "node with two places",
                    "each place and each node once: " + one);
            }
            taken_.insert(*id);
            place = *id;
        });
        if (strangers != 0) {
            parts_.builder().warn(place_of(at),
                                  fmt::format("{}: {} names are no nodes", torus_.name, strangers));
        }
    }

    YamlParts& parts_;
    NodeSet& taken_;
    Torus torus_;
    Hostlist all_;
    std::vector<std::pair<YAML::Node, RegionReader>> regions_;
    std::vector<std::pair<YAML::Node, TorusPlacement>> placements_;
};

/// A switch, a block or a ring.
struct UnitReader {
    YamlParts& parts;
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
    explicit NamedTopologyReader(YamlParts& parts) : parts_(parts) {}

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
        if (kind_ == "flat") parts_.topology().flat.push_back(name_);
        if (kind_ == "tree") parts_.builder().add_tree(name_, place_of(node), std::move(units_));
        if (kind_ == "block")
            parts_.builder().add_blocks(name_, place_of(node), std::move(units_), sizes_);
        if (kind_ == "ring") parts_.builder().add_rings(name_, place_of(node), std::move(units_));
        if (kind_ == "torus3d") network.toruses.push_back({name_, std::move(toruses_)});
    }

    // What each key of a kind holds.
    void switches(const YAML::Node& node) { read_units(node, switch_yaml_keys); }
    void blocks(const YAML::Node& node) { read_units(node, block_yaml_keys); }
    void rings(const YAML::Node& node) { read_units(node, ring_yaml_keys); }
    void block_sizes(const YAML::Node& node) {
        BlockSizesDraft draft{place_of(node), offset_of(node), {}};
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
            auto torus = TorusReader(parts_, taken_).read(item);
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
            reader.unit.place = place_of(item);
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

    YamlParts& parts_;
    std::string name_;
    std::string_view kind_;
    int kinds_ = 0;
    bool is_default_ = false;
    std::vector<TopologyUnitDraft> units_;
    std::optional<BlockSizesDraft> sizes_;
    std::vector<Torus> toruses_;
    NodeSet taken_;
};

}  // namespace

TopologyReading read_topology_yaml(std::string_view text, const NodeNames& nodes) {
    TopologyReading reading;
    yaml::YamlProblem problem;
    const auto root = yaml::load_yaml(text, topology_bytes_max, problem);
    if (!root) {
        const bool has_place = problem.line != 0;
        reading.errors.push_back(
            {{"topology.yaml", has_place ? static_cast<std::uint32_t>(problem.line) : 1},
             {has_place ? problem.column - 1 : 0, "", problem.what, problem.expected}});
        return reading;
    }
    YamlParts parts(nodes, reading);
    if (root->IsMap()) {
        NamedTopologyReader(parts).read(*root);
        return reading;
    }
    if (root->IsSequence() && root->size() > topologies_max) {
        parts.add_error(*root, "too many topologies", fmt::format("at most {}", topologies_max));
        return reading;
    }
    parts.for_each(*root, [&](const YAML::Node& item) { NamedTopologyReader(parts).read(item); });
    return reading;
}

StatusOr<TopologyConf> parse_topology_yaml(std::string_view text, const NodeNames& nodes) {
    TopologyReading reading = read_topology_yaml(text, nodes);
    TRESTLE_TRY_STATUS(first_error(reading.errors));
    return std::move(reading.topology);
}

}  // namespace trestle::slurm
