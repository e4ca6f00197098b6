// SPDX-License-Identifier: Apache-2.0
// Tori of topology.yaml.
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "topology_yaml.hpp"

namespace trestle::slurm::topology_yaml {
namespace {

/// `{x: 4, y: 4, z: 2}`.
struct ShapeReader {
    TopologyParts& parts;
    TorusTopology::Shape shape;

    void x(const YAML::Node& node) { parts.read(node, shape.x); }
    void y(const YAML::Node& node) { parts.read(node, shape.y); }
    void z(const YAML::Node& node) { parts.read(node, shape.z); }

    static TorusTopology::Shape read(TopologyParts& parts, const YAML::Node& node,
                                     TorusTopology::Shape shape) {
        constexpr std::array<YamlKey<ShapeReader>, 3> keys{
            {{"x", &ShapeReader::x}, {"y", &ShapeReader::y}, {"z", &ShapeReader::z}}};
        ShapeReader reader{parts, shape};
        parts.apply(reader, node, keys);
        return reader.shape;
    }
};

/// A box of nodes on a torus: its anchor, lengths and nodes.
struct RegionReader {
    TopologyParts& parts;
    TorusTopology::Shape corner{0, 0, 0};
    TorusTopology::Shape lengths{};
    Hostlist names{};

    void anchor(const YAML::Node& node) { corner = ShapeReader::read(parts, node, corner); }
    void dims(const YAML::Node& node) { lengths = ShapeReader::read(parts, node, lengths); }
    void nodes(const YAML::Node& node) { parts.read(node, names); }
};

struct PlacementReader {
    TopologyParts& parts;
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

bool is_inside(const TorusTopology::Shape& box, const TorusTopology::Shape& corner,
               const TorusTopology::Shape& torus) {
    const auto fits = [](std::uint32_t length, std::uint32_t at, std::uint32_t all) {
        return length != 0 && at <= all && length <= all - at;
    };
    return fits(box.x, corner.x, torus.x) && fits(box.y, corner.y, torus.y) &&
           fits(box.z, corner.z, torus.z);
}

constexpr const char* places_words = "2^22 places in all tori and regions";

/// One torus of a list.
class TorusReader {
  public:
    TorusReader(TopologyParts& parts, NodeSet& taken) : parts_(parts), taken_(taken) {}

    std::optional<TorusTopology::Torus> read(const YAML::Node& node) {
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
            parts_.add_error(node, "malformed dims",
                             std::string("lengths of 1 or more, ") + places_words);
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
            } else if (!parts_.take_places(*region.lengths.volume())) {
                parts_.add_error(at, "too many places", places_words);
                break;
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
            const TorusTopology::Shape& spacing = placement.anchor_spacing;
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
    void fill(const YAML::Node& at, const Hostlist& names, const TorusTopology::Shape& corner,
              const TorusTopology::Shape& lengths) {
        const std::uint64_t places = *lengths.volume();
        if (names.size() != places) {
            return parts_.add_error(at, fmt::format("{} nodes", names.size()),
                                    fmt::format("{}, as many as places", places));
        }
        std::uint32_t i = 0;
        std::uint64_t strangers = 0;
        bool is_wrong = false;  // one error a region, however many places it shares
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
                if (std::exchange(is_wrong, true)) return;
                return parts_.add_error(
                    at, place ? "place taken by another region" : "node with two places",
                    "each place and each node once: " + one);
            }
            taken_.insert(*id);
            place = *id;
        });
        if (strangers != 0) {
            parts_.builder().warn(parts_.place_of(at),
                                  fmt::format("{}: {} names are no nodes", torus_.name, strangers));
        }
    }

    TopologyParts& parts_;
    NodeSet& taken_;
    TorusTopology::Torus torus_;
    Hostlist all_;
    std::vector<std::pair<YAML::Node, RegionReader>> regions_;
    std::vector<std::pair<YAML::Node, TorusPlacement>> placements_;
};

}  // namespace

std::optional<TorusTopology::Torus> read_torus(TopologyParts& parts, NodeSet& taken,
                                               const YAML::Node& node) {
    return TorusReader(parts, taken).read(node);
}

}  // namespace trestle::slurm::topology_yaml
