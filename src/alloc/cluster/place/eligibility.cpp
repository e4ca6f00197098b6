// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/eligibility.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trestle/base/fmt.hpp"
#include "trestle/model/features.hpp"
#include "trestle/model/partition.hpp"

namespace trestle {

std::optional<std::uint32_t> find_partition(const Cluster& cluster, std::string_view name) {
    const auto& all = cluster.partitions();
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        if (all[i].name == name) return i;
    }
    return std::nullopt;
}

const std::string& partition_of(const Request& request, std::uint32_t component) {
    if (component == 0 || component > request.components.size()) return request.partition;
    const std::string& own = request.components[component - 1].partition;
    return own.empty() ? request.partition : own;
}

std::optional<Refusal> refuse_class(const Cluster& cluster, const NodeClass& one,
                                    const Request& request, std::string_view name) {
    const auto no = [&](Constraint constraint, std::string_view why) {
        return Refusal{constraint, fmt::format("{} {}", name, why)};
    };
    if (!is_usable(one)) {
        return no(Constraint::node_state, fmt::format("is {}, health {}", one.state, one.health));
    }
    if (request.architecture && *request.architecture != one.shape->architecture) {
        return no(Constraint::features, fmt::format("is {}", one.shape->architecture));
    }
    if (!matches(request.features, one.features)) {
        return no(Constraint::features, "lacks " + to_text(request.features));
    }
    if (request.disk.min && one.shape->disk < *request.disk.min) {
        return no(Constraint::disk,
                  fmt::format("has {} of disk, asked {}", one.shape->disk, *request.disk.min));
    }
    if (request.partition.empty()) return std::nullopt;
    const auto partition = find_partition(cluster, request.partition);
    const bool is_inside =
        partition && std::binary_search(one.partitions.begin(), one.partitions.end(), *partition);
    if (!is_inside || cluster.partitions()[*partition].state != Partition::State::up) {
        return no(Constraint::partition, "is not in an open partition " + request.partition);
    }
    return std::nullopt;
}

std::optional<Refusal> refuse_node(const Cluster& cluster, NodeId id, const Request& request) {
    const std::string name = cluster.name(id);
    const auto& excluded = request.excluded_nodes;
    if (std::find(excluded.begin(), excluded.end(), name) != excluded.end()) {
        return Refusal{Constraint::nodes, name + " is excluded"};
    }
    return refuse_class(cluster, cluster.class_of(id), request, name);
}

}  // namespace trestle
