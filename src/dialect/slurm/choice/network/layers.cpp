// SPDX-License-Identifier: Apache-2.0
#include "layers.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "model/cluster_counts.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm::choice {
namespace {

constexpr std::string_view expected = "name[:count] of resources.yaml, as in power:1000";

Status add_resource(std::string_view text, const std::vector<LayeredResource>& known,
                    std::vector<AskedResource>& asked) {
    const std::size_t end = std::min(text.find_first_of(":="), text.size());
    const std::string_view name = text.substr(0, end);
    const auto at = std::find_if(known.begin(), known.end(),
                                 [&](const LayeredResource& one) { return one.name == name; });
    if (at == known.end()) {
        return invalid_argument("--resources: unknown resource {}, expected {}", name, expected);
    }
    AskedResource one{&*at, Count(1)};
    if (end < text.size()) {
        const std::string_view value = text.substr(end + 1);
        const auto word =
            std::find_if(at->variables.begin(), at->variables.end(),
                         [&](const ClusterCount& variable) { return variable.name == value; });
        const auto number = read_zero_or_more(TextCursor(value));
        if (word == at->variables.end() && !number) {
            return invalid_argument("--resources: {}:{}, expected a count or a variable of {}",
                                    name, value, name);
        }
        one.count = word != at->variables.end() ? word->count : *number;
    }
    const bool is_somewhere =
        std::any_of(at->layers.begin(), at->layers.end(),
                    [&](const ResourceLayer& layer) { return one.count <= layer.count; });
    if (!is_somewhere) {
        return invalid_argument("--resources: {} of {}, more than any layer has", one.count.value(),
                                name);
    }
    const auto again = std::find_if(asked.begin(), asked.end(), [&](const AskedResource& other) {
        return other.resource == one.resource;
    });
    if (again == asked.end()) {
        asked.push_back(one);
    } else {
        again->count = saturating_add(again->count, one.count);
    }
    return {};
}

}  // namespace

StatusOr<std::vector<AskedResource>> asked_resources(const JobOptions& options,
                                                     const SelectRules& rules) {
    std::vector<AskedResource> asked;
    for (const PassthroughOption& option : options.passthrough) {
        if (option.name != "resources" || !option.value) continue;
        asked.clear();
        std::string_view text = *option.value;
        while (!text.empty()) {
            const std::size_t end = std::min(text.find(','), text.size());
            if (end != 0) {
                TRESTLE_TRY_STATUS(add_resource(text.substr(0, end), rules.resources, asked));
            }
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }
    return asked;
}

LayerRoom::LayerRoom(const std::vector<AskedResource>& asked,
                     const std::vector<ClusterCount>& free) {
    for (const AskedResource& one : asked) {
        Resource& resource = resources_.emplace_back(Resource{one.resource->mode, one.count, {}});
        counts_nodes_ |= one.resource->mode == LayerMode::by_node;
        for (const ResourceLayer& layer : one.resource->layers) {
            resource.layers.push_back({&layer, count_of(free, count_name(*one.resource, layer))});
        }
    }
}

bool LayerRoom::is_open(NodeId node) const {
    return std::all_of(resources_.begin(), resources_.end(), [&](const Resource& one) {
        if (one.mode == LayerMode::by_node) return true;
        const auto has_enough = [&](const Layer& layer) { return one.wanted <= layer.left; };
        std::vector<bool> answers;
        for (const Layer& layer : one.layers) {
            if (layer.layer->nodes.contains(node)) answers.push_back(has_enough(layer));
        }
        const auto is_yes = [](bool answer) { return answer; };
        return one.mode == LayerMode::one_layer
                   ? std::any_of(answers.begin(), answers.end(), is_yes)
                   : !answers.empty() && std::all_of(answers.begin(), answers.end(), is_yes);
    });
}

bool LayerRoom::has(NodeId node) const {
    return std::all_of(resources_.begin(), resources_.end(), [&](const Resource& one) {
        if (one.mode != LayerMode::by_node) return true;
        bool is_in_any = false;
        for (const Layer& layer : one.layers) {
            if (!layer.layer->nodes.contains(node)) continue;
            if (layer.left < one.wanted) return false;
            is_in_any = true;
        }
        return is_in_any;
    });
}

void LayerRoom::take(NodeId node) {
    for (Resource& one : resources_) {
        if (one.mode != LayerMode::by_node) continue;
        for (Layer& layer : one.layers) {
            if (layer.layer->nodes.contains(node)) layer.left -= one.wanted;
        }
    }
}

std::vector<ClusterCount> layers_taken(const std::vector<AskedResource>& asked,
                                       const std::vector<ClusterCount>& free,
                                       const Placement& placement) {
    std::vector<ClusterCount> taken;
    for (const AskedResource& one : asked) {
        for (const ResourceLayer& layer : one.resource->layers) {
            const auto nodes = std::count_if(
                placement.nodes.begin(), placement.nodes.end(),
                [&](const NodePlacement& node) { return layer.nodes.contains(node.node); });
            if (nodes == 0 || one.count.is_zero()) continue;
            const std::string name = count_name(*one.resource, layer);
            const bool is_by_node = one.resource->mode == LayerMode::by_node;
            const Count wanted = is_by_node ? one.count * nodes : one.count;
            const bool is_first_alone = one.resource->mode == LayerMode::one_layer;
            if (is_first_alone && count_of(free, name) < wanted) continue;
            taken = add(taken, {{name, wanted}});
            if (is_first_alone) break;
        }
    }
    return taken;
}

}  // namespace trestle::slurm::choice
