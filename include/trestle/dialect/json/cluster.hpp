// SPDX-License-Identifier: Apache-2.0
#pragma once

// A cluster as JSON: its nodes, and the allocations.
//
// Layer: dialect. Include it beside json.hpp to write and read a Cluster, and jobs of a queue,
// whose requests are checked when they are read. The document is {"parts": ..., "allocations":
// [...]}; on reading, each allocation is committed again.
// Pitfall: unlike plain structs, a cluster is checked when it is read: a document in which two
// owners have one core is an error.

#include <cstddef>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/prepared_request.hpp"
#include "trestle/dialect/json/codec.hpp"

namespace trestle::json {

/// The whole state of a cluster as plain fields.
struct ClusterSnapshot {
    ClusterParts parts;
    std::vector<Allocation> allocations;  ///< by owner

    static constexpr auto fields(auto list) {
        return list(field("parts", &ClusterSnapshot::parts),
                    field("allocations", &ClusterSnapshot::allocations));
    }
    friend bool operator==(const ClusterSnapshot&, const ClusterSnapshot&) = default;
};

/// A request of a queue is its Request, and is checked when it is read.
template <>
struct detail::Codec<PreparedRequest> {
    static Value write(const PreparedRequest& request) { return Codec<Request>::write(*request); }
    static bool read(const Value& value, const Place& place, PreparedRequest& result) {
        Request request;
        if (!Codec<Request>::read(value, place, request)) return false;
        result = PreparedRequest(std::move(request));
        return true;
    }
};

template <>
struct detail::Codec<Cluster> {
    static Value write(const Cluster& cluster) {
        return Codec<ClusterSnapshot>::write({cluster.parts(), cluster.allocations()});
    }
    static bool read(const Value& value, const Place& place, Cluster& result) {
        ClusterSnapshot snapshot;
        if (!Codec<ClusterSnapshot>::read(value, place, snapshot)) return false;
        // Equal neighbours had one shape in memory; let them have one again.
        auto& nodes = snapshot.parts.nodes;
        for (std::size_t i = 1; i < nodes.size(); ++i) {
            if (nodes[i].shape == nodes[i - 1].shape) nodes[i].shape = nodes[i - 1].shape;
        }
        auto cluster = Cluster::create(std::move(snapshot.parts));
        if (!cluster.ok()) {
            return place.member("parts").fail(message(cluster.status()), "a consistent cluster");
        }
        const Place allocations = place.member("allocations");
        for (std::size_t i = 0; i < snapshot.allocations.size(); ++i) {
            const Status status = cluster->commit(std::move(snapshot.allocations[i]));
            if (!status.ok()) {
                return allocations.element(i).fail(message(status), "what is free");
            }
        }
        result = *std::move(cluster);
        return true;
    }
};

}  // namespace trestle::json
