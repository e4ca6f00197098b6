// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which nodes may take a request at all, whatever is free on them.
//
// Layer: alloc. Main functions: refuse_class, refuse_node. State and health, architecture,
// features, disk, partition are those of a node's class; that a node is excluded by name is its own
// affair.
// Pitfall: limits that a partition sets to the job as a whole are asked once, by refuse(partition,
// request) in model/partition.hpp, and not here.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// The position of a partition among the cluster's, or nothing.
[[nodiscard]] std::optional<std::uint32_t> find_partition(const Cluster& cluster,
                                                          std::string_view name);

/// The partition that a component of the request is for; 0 is the request's own group, and what the
/// request does not have counts as that.
[[nodiscard]] const std::string& partition_of(const Request& request, std::uint32_t component);

/// Why no node of the class may take the request, said of the one called `name`; nothing when they
/// may.
[[nodiscard]] std::optional<Refusal> refuse_class(const Cluster& cluster, const NodeClass& one,
                                                  const Request& request, std::string_view name);

/// Why a node may not take the request at all, whatever is free on it; nothing when it may.
/// Requires: the node exists.
[[nodiscard]] std::optional<Refusal> refuse_node(const Cluster& cluster, NodeId id,
                                                 const Request& request);

}  // namespace trestle
