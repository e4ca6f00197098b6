// SPDX-License-Identifier: Apache-2.0
#pragma once

// Generators: nodes, requests and clusters that make sense, at random or all of them.
//
// Layer: testing. Main names: any_node, any_request, any_cluster; histories are in operations.hpp.
// Each takes Choices (choices.hpp) and bounds; with a seed it makes one value, in for_all_choices
// every one.
// Pitfall: the bounds decide how many there are, and numbers multiply: start from small() when
// going through all.

#include <cstdint>
#include <string>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/model/node_builder.hpp"
#include "trestle/model/request.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle::testing {

/// The bounds of what the generators make. Every number is the largest that occurs.
struct Bounds {
    /// How large a node may be.
    struct Node {
        std::uint32_t sockets = 2;
        std::uint32_t cores = 8;  ///< of a socket
        std::uint32_t threads = 2;
        std::uint32_t memory_gib = 8;
        std::uint32_t device_groups = 2;
        std::uint32_t devices = 4;  ///< of a group
        std::uint32_t shares = 2;
        std::vector<std::string> device_names = {"gpu", "nic"};
        std::vector<std::string> device_types = {"", "a100", "h100"};
        bool has_levels = true;  ///< also NUMA below sockets, L3 caches, links, places of devices

        /// Little enough to go through all of them.
        [[nodiscard]] static Node small();
    };

    /// What a request may ask for.
    struct Request {
        std::uint32_t nodes = 2;
        std::uint32_t tasks = 3;
        std::uint32_t cpus = 4;  ///< of a task
        std::uint32_t memory_gib = 4;
        std::uint32_t devices = 3;
        std::vector<std::string> device_names = {"gpu", "nic"};
        std::vector<std::string> device_types = {"", "a100"};
        /// Also ranges, localities, shares, other units to count per, attributes in common.
        bool has_ranges = true;

        /// Little enough to go through all of them.
        [[nodiscard]] static Request small();
    };

    /// How large a cluster may be.
    struct Cluster {
        std::uint32_t groups = 2;
        std::uint32_t nodes = 3;  ///< of a group, all with one shape
        std::uint32_t per_switch = 2;
        Node node;

        /// Little enough to go through all of them.
        [[nodiscard]] static Cluster small();
    };

    /// How long a history may be, and what happens in it.
    struct History {
        std::uint32_t count = 10;  ///< operations in a history
        std::uint32_t nodes = 1;   ///< of the cluster
        Request request;
    };
};

/// A description that make_node accepts.
[[nodiscard]] NodeDescription any_node_description(Choices& choices,
                                                   const Bounds::Node& bounds = {});

/// A node without a name that check() accepts.
[[nodiscard]] inline Node any_node(Choices& choices, const Bounds::Node& bounds = {}) {
    return *make_node(any_node_description(choices, bounds));
}

/// A request that check() accepts.
[[nodiscard]] Request any_request(Choices& choices, const Bounds::Request& bounds = {});

/// The parts of a cluster with nodes n0, n1, ...: equal ones behind each other, with or without
/// switches below a common one.
[[nodiscard]] ClusterParts any_cluster_parts(Choices& choices, const Bounds::Cluster& bounds = {});

[[nodiscard]] Cluster any_cluster(Choices& choices, const Bounds::Cluster& bounds = {});

}  // namespace trestle::testing
