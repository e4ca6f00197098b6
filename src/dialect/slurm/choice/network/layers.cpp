// SPDX-License-Identifier: Apache-2.0
#include "layers.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/counted_text.hpp"
#include "model/cluster_counts.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm::choice {
namespace {

Status add_resource(std::string_view text, const std::vector<LayeredResource>& known,
                    std::vector<AskedResource>& asked) {
    const std::size_t end = std::min(text.find_first_of(":="), text.size());
    const std::string_view name = text.substr(0, end);
    const auto at = std::find_if(known.begin(), known.end(),
                                 [&](const LayeredResource& one) { return one.name == name; });
    if (at == known.end()) {
        return invalid_argument(
            "--resources: unknown resource {}, expected name[:count] of resources.yaml, as in "
            "power:1000",
            name);
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

Status check_counts(const std::vector<AskedResource>& asked) {
    for (const AskedResource& one : asked) {
        const auto& layers = one.resource->layers;
        const bool is_somewhere =
            std::any_of(layers.begin(), layers.end(),
                        [&](const ResourceLayer& layer) { return one.count <= layer.count; });
        if (is_somewhere) continue;
        return invalid_argument("--resources: {} of {}, more than any layer has", one.count.value(),
                                one.resource->name);
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
    TRESTLE_TRY_STATUS(check_counts(asked));
    return asked;
}

std::string most_left(const std::vector<AskedResource>& asked,
                      const std::vector<ClusterCount>& free) {
    std::vector<std::string> texts;
    for (const AskedResource& one : asked) {
        Count most;
        for (const ResourceLayer& layer : one.resource->layers) {
            most = std::max(most, count_of(free, count_name(*one.resource, layer)));
        }
        texts.push_back(fmt::format("{}:{}, a layer has at most {} left", one.resource->name,
                                    one.count.value(), most.value()));
    }
    return fmt::format("{}", fmt::join(texts, "; "));
}

std::string lack_by_node(const std::vector<AskedResource>& asked,
                         const std::vector<ClusterCount>& free, const NodeSet& nodes,
                         Count wanted) {
    LayerRoom room(asked, free);
    if (!room.counts_nodes()) return {};
    Count taken;
    for (const NodeId node : nodes) {
        if (taken == wanted) return {};
        if (!room.has(node)) continue;
        room.take(node);
        taken += Count(1);
    }
    if (taken == wanted) return {};
    std::vector<std::string> texts;
    for (const AskedResource& one : asked) {
        if (one.resource->mode != LayerMode::by_node) continue;
        texts.push_back(fmt::format("{}:{}", one.resource->name, one.count.value()));
    }
    return fmt::format("--resources={} for each of {}: layers have enough left for {}",
                       fmt::join(texts, ","), counted_text(wanted.value(), "node"), taken.value());
}

LayerRoom::LayerRoom(const std::vector<AskedResource>& asked,
                     const std::vector<ClusterCount>& free) {
    for (const AskedResource& one : asked) {
        Resource& resource = resources_.emplace_back(Resource{one.resource->mode, one.count, {}});
        (one.resource->mode == LayerMode::by_node ? counts_nodes_ : closes_nodes_) = true;
        for (const ResourceLayer& layer : one.resource->layers) {
            resource.layers.push_back({&layer, count_of(free, count_name(*one.resource, layer))});
        }
    }
}

bool LayerRoom::is_open(NodeId node) const {
    return std::all_of(resources_.begin(), resources_.end(), [&](const Resource& one) {
        if (one.mode == LayerMode::by_node) return true;
        bool has_enough = false;  // in some layer
        bool lacks = false;
        for (const Layer& layer : one.layers) {
            if (!layer.layer->nodes.contains(node)) continue;
            (one.wanted <= layer.left ? has_enough : lacks) = true;
        }
        return has_enough && (one.mode == LayerMode::one_layer || !lacks);
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
        if (one.count.is_zero()) continue;
        std::optional<ClusterCount> lacking;  // where no layer has enough
        bool is_given = false;
        for (const ResourceLayer& layer : one.resource->layers) {
            const auto nodes = std::count_if(
                placement.nodes.begin(), placement.nodes.end(),
                [&](const NodePlacement& node) { return layer.nodes.contains(node.node); });
            if (nodes == 0) continue;
            const LayerMode mode = one.resource->mode;
            const Count wanted = mode == LayerMode::by_node
                                     ? checked_mul(one.count, nodes).value_or(Count::max())
                                     : one.count;
            ClusterCount count{count_name(*one.resource, layer), wanted};
            if (mode == LayerMode::one_layer && count_of(free, count.name) < wanted) {
                if (!lacking) lacking = std::move(count);
                continue;
            }
            taken.push_back(std::move(count));
            is_given = true;
            if (mode == LayerMode::one_layer) break;
        }
        if (!is_given && lacking) taken.push_back(*std::move(lacking));
    }
    std::sort(taken.begin(), taken.end());
    return taken;
}

namespace {

std::string name_of(const LayeredResource& resource, const ResourceLayer& layer) {
    return fmt::format("{}({})", resource.name, layer.node_text);
}

}  // namespace

NamedResource find_resource(const std::vector<LayeredResource>& known, std::string_view name) {
    for (const LayeredResource& one : known) {
        if (one.name == name) return {&one, nullptr};
        for (const ResourceLayer& layer : one.layers) {
            if (name_of(one, layer) == name) return {&one, &layer};
        }
    }
    return {};
}

std::vector<ClusterCount> shown_resources(const std::vector<AskedResource>& asked,
                                          const std::vector<ClusterCount>& taken) {
    std::vector<ClusterCount> shown;
    for (const AskedResource& one : asked) {
        if (one.count.is_zero()) continue;
        const auto& layers = one.resource->layers;
        const auto layer = std::find_if(layers.begin(), layers.end(), [&](const auto& layer) {
            return !count_of(taken, count_name(*one.resource, layer)).is_zero();
        });
        if (layer == layers.end()) continue;
        const bool is_of_one = one.resource->mode == LayerMode::one_layer;
        shown.push_back(
            {is_of_one ? name_of(*one.resource, *layer) : one.resource->name, one.count});
    }
    return shown;
}

}  // namespace trestle::slurm::choice
