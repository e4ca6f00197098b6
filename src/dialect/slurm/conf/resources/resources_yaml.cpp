// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../../node_lookup.hpp"
#include "../topology/yaml_parts.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/conf/resources_conf.hpp"

namespace trestle::slurm {
namespace {

constexpr std::size_t resources_bytes_max = std::size_t{1} << 20;
constexpr std::size_t layers_max = 10'000;                     // aliases make small texts long
constexpr std::size_t layer_nodes_max = std::size_t{1} << 22;  // of all layers together

/// What all layers of the file may have.
struct LayerBudget {
    std::size_t layers = layers_max;
    std::size_t nodes = layer_nodes_max;
};

/// `name` and `value`, of a variable or a base.
struct NamedValueReader {
    YamlParts& parts;
    std::string name_text{};
    std::optional<std::uint32_t> number{};

    void name(const YAML::Node& node) { parts.read(node, name_text); }
    void value(const YAML::Node& node) { parts.read(node, number.emplace(0)); }

    /// The pair, unless a part of it is missing.
    static std::optional<ClusterCount> read(YamlParts& parts, const YAML::Node& node) {
        constexpr std::array<YamlKey<NamedValueReader>, 2> keys{
            {{"name", &NamedValueReader::name}, {"value", &NamedValueReader::value}}};
        NamedValueReader reader{parts};
        parts.apply(reader, node, keys);
        if (!node.IsMap()) return std::nullopt;
        if (reader.name_text.empty() || !reader.number) {
            parts.add_error(node, "item without a name or a value", "name and value");
            return std::nullopt;
        }
        return ClusterCount{std::move(reader.name_text), Count(*reader.number)};
    }
};

struct LayerReader {
    YamlParts& parts;
    const NodeNames& names;
    LayerBudget& budget;
    ResourceLayer layer{};
    bool has_nodes = false;
    bool has_count = false;

    void nodes(const YAML::Node& node) {
        has_nodes = true;
        if (!node.IsSequence()) return add_nodes(node);
        parts.for_each(node, [&](const YAML::Node& item) { add_nodes(item); });
    }
    void count(const YAML::Node& node) {
        std::uint32_t number = 0;
        parts.read(node, number);
        layer.count = Count(number);
        has_count = true;
    }
    void base(const YAML::Node& node) {
        parts.for_each(node, [&](const YAML::Node& item) {
            if (const auto one = NamedValueReader::read(parts, item)) layer.base += one->count;
        });
    }
    void add_nodes(const YAML::Node& node) {
        Hostlist list;
        parts.read(node, list);
        if (list.size() > budget.nodes) {
            return parts.add_error(node, "too many nodes in all layers",
                                   fmt::format("at most {}", layer_nodes_max));
        }
        budget.nodes -= list.size();
        const NodesOfList found = look_up(list, names);
        if (found.strangers != 0) {
            parts.add_error(node, "no node: " + found.first_stranger, "nodes of slurm.conf");
        }
        for (const NodeId id : found.nodes) layer.nodes.insert(id);
        if (!layer.node_text.empty()) layer.node_text += ',';
        if (node.IsScalar()) layer.node_text += node.Scalar();
    }
};

struct ResourceReader {
    YamlParts& parts;
    const NodeNames& names;
    LayerBudget& budget;
    LayeredResource resource{};
    bool has_mode = false;
    bool has_layers = false;
    std::set<std::string> node_texts{};  ///< of the layers read

    void name(const YAML::Node& node) { parts.read(node, resource.name); }
    void mode(const YAML::Node& node) {
        const auto known = enum_from_text<LayerMode>(token_of(node));
        has_mode = true;
        if (known) {
            resource.mode = *known;
        } else {
            parts.add_error(node, "unknown mode", "MODE_1, MODE_2 or MODE_3");
        }
    }
    void topology(const YAML::Node& node) { parts.read(node, resource.topology); }
    void variables(const YAML::Node& node) {
        parts.for_each(node, [&](const YAML::Node& item) {
            auto one = NamedValueReader::read(parts, item);
            if (one) resource.variables.push_back(*std::move(one));
        });
    }
    void layers(const YAML::Node& node) {
        constexpr std::array<YamlKey<LayerReader>, 3> keys{{{"nodes", &LayerReader::nodes},
                                                            {"count", &LayerReader::count},
                                                            {"base", &LayerReader::base}}};
        has_layers = true;
        parts.for_each(node, [&](const YAML::Node& item) {
            if (budget.layers == 0) return;
            if (--budget.layers == 0) {
                return parts.add_error(item, "too many layers",
                                       fmt::format("fewer than {}", layers_max));
            }
            LayerReader reader{parts, names, budget};
            parts.apply(reader, item, keys);
            if (!item.IsMap()) return;
            if (!reader.has_nodes || !reader.has_count) {
                return parts.add_error(item, "layer without nodes or a count", "nodes and count");
            }
            if (!node_texts.insert(reader.layer.node_text).second) {
                return parts.add_error(item, "layer named twice", "other nodes");
            }
            if (!reader.layer.nodes.is_empty()) resource.layers.push_back(std::move(reader.layer));
        });
    }

    static void read(YamlParts& parts, const NodeNames& names, LayerBudget& budget,
                     const YAML::Node& node, std::vector<LayeredResource>& all) {
        constexpr std::array<YamlKey<ResourceReader>, 5> keys{
            {{"resource", &ResourceReader::name},
             {"mode", &ResourceReader::mode},
             {"topology", &ResourceReader::topology},
             {"variables", &ResourceReader::variables},
             {"layers", &ResourceReader::layers}}};
        ResourceReader reader{parts, names, budget};
        parts.apply(reader, node, keys);
        if (!node.IsMap()) return;
        const std::string& name = reader.resource.name;
        if (name.empty() || !reader.has_mode || !reader.has_layers) {
            return parts.add_error(node, "resource without a name, a mode or layers",
                                   "resource, mode and layers");
        }
        if (std::any_of(all.begin(), all.end(),
                        [&](const auto& one) { return one.name == name; })) {
            return parts.add_error(node, "resource named twice", "each name once");
        }
        all.push_back(std::move(reader.resource));
    }
};

}  // namespace

ResourcesReading read_resources_yaml(std::string_view text, const NodeNames& nodes) {
    ResourcesReading reading;
    yaml::YamlProblem problem;
    const auto root = yaml::load_yaml(text, resources_bytes_max, problem);
    if (!root) {
        const bool has_place = problem.line != 0;
        reading.errors.push_back(
            {{"resources.yaml", has_place ? static_cast<std::uint32_t>(problem.line) : 1},
             {has_place ? problem.column - 1 : 0, "", problem.what, problem.expected}});
        return reading;
    }
    YamlParts parts("resources.yaml", reading.errors);
    LayerBudget budget;
    parts.for_each(*root, [&](const YAML::Node& item) {
        ResourceReader::read(parts, nodes, budget, item, reading.resources);
    });
    return reading;
}

std::string count_name(const LayeredResource& resource, const ResourceLayer& layer) {
    return resource.name + ':' + layer.node_text;
}

std::vector<ClusterCount> layer_counts(const std::vector<LayeredResource>& resources) {
    std::vector<ClusterCount> counts;
    for (const LayeredResource& resource : resources) {
        std::vector<const ResourceLayer*> with_base;
        for (const ResourceLayer& layer : resource.layers) {
            const bool adds_up = resource.mode == LayerMode::by_node && !layer.base.is_zero();
            if (adds_up) with_base.push_back(&layer);
        }
        for (const ResourceLayer& layer : resource.layers) {
            Count left = saturating_sub(layer.count, layer.base);
            for (const ResourceLayer* const inner : with_base) {
                const bool is_inside =
                    inner->nodes != layer.nodes && layer.nodes.contains_all(inner->nodes);
                if (is_inside) left = saturating_sub(left, inner->base);
            }
            if (!left.is_zero()) counts.push_back({count_name(resource, layer), left});
        }
    }
    std::sort(counts.begin(), counts.end());
    return counts;
}

}  // namespace trestle::slurm
