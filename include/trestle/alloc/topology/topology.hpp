// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the nodes of a job lie in the network: the face of alloc/topology.
//
// Layer: alloc. A caller who knows which nodes are eligible (they can take a part of the job) keeps
// an index for the topology that topology_for() names: LeafIndex for trees and blocks, TorusIndex,
// RingIndex, and RunIndex for ids in a row. He adds and removes nodes as they change, and asks
// select_leaves_for(), select_box(), select_on_ring() or select_contiguous(). Each is a pure
// function with a written total order, and a no says what could be had. Leaves are answered with
// numbers of nodes, so that the caller's policy chooses which; boxes and runs are answered with the
// nodes. A reader would get wrong: nothing here knows a Cluster, and eligible is not the same as
// free: it depends on what each node of the job asks for.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "trestle/alloc/topology/leaf_index.hpp"
#include "trestle/alloc/topology/leaf_tree.hpp"
#include "trestle/alloc/topology/run_index.hpp"
#include "trestle/alloc/topology/select_box.hpp"
#include "trestle/alloc/topology/select_leaves.hpp"
#include "trestle/alloc/topology/select_run.hpp"
#include "trestle/alloc/topology/torus_index.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/network.hpp"
#include "trestle/model/topology_request.hpp"

namespace trestle {

namespace detail {

/// The kind of topology that is asked for by more than a name, and whether it can be done without.
struct NeededTopology {
    std::optional<TopologyKind> kind;
    bool may_be_blocks = false;  ///< instead of a tree
    bool is_required = false;
};

[[nodiscard]] inline NeededTopology needed_topology(const TopologyRequest& request) {
    if (request.shape) return {TopologyKind::torus, false, true};
    if (request.is_on_ring) return {TopologyKind::ring, false, true};
    if (request.segment_size) return {TopologyKind::block, false, true};
    const bool has_limit = request.switches_max && request.switches != Locality::ignore;
    const bool has_level = request.level && request.within != Locality::ignore;
    if (!has_limit && !has_level) return {};
    return {TopologyKind::tree, !has_limit,
            (has_limit && request.switches == Locality::require) ||
                (has_level && request.within == Locality::require)};
}

}  // namespace detail

/// The topology that the request is about: the named one, or the first of the kind that it needs.
/// Nothing when it asks for none, or prefers one that is not there. A level alone means the first
/// tree, or without a tree the first blocks. A no when the name is unknown or of another kind, or
/// there is none of the kind, or a torus is named without a shape.
[[nodiscard]] inline Verdict<std::optional<TopologyId>> topology_for(
    const Network& network, const TopologyRequest& request) {
    using Found = std::optional<TopologyId>;
    const detail::NeededTopology needed = detail::needed_topology(request);
    if (request.topology.empty()) {
        if (!needed.kind) return Found();
        Found found = first_topology(network, *needed.kind);
        if (!found && needed.may_be_blocks) found = first_topology(network, TopologyKind::block);
        if (found || !needed.is_required) return found;
        return Refusal{Constraint::topology,
                       fmt::format("asked a topology of kind {}, there is none", *needed.kind)};
    }
    const Found found = find_topology(network, request.topology);
    if (!found) {
        return Refusal{Constraint::topology,
                       fmt::format("asked the topology {}, there is none", request.topology)};
    }
    const bool is_of_kind = needed.kind
                                ? found->kind == *needed.kind ||
                                      (needed.may_be_blocks && found->kind == TopologyKind::block)
                                : found->kind != TopologyKind::torus;
    if (is_of_kind) return found;
    const std::string asked = needed.kind ? std::string(to_text(*needed.kind)) : "any with a shape";
    return Refusal{Constraint::topology, fmt::format("the topology {} is of kind {}, asked {}",
                                                     request.topology, found->kind, asked)};
}

/// What the request asks of leaf switches or blocks, for so many nodes and these required ones.
/// Requires: check(request, nodes) is ok.
[[nodiscard]] inline LeafQuestion leaf_question(const TopologyRequest& request,
                                                LeafQuestion nodes_and_required) {
    LeafQuestion question = std::move(nodes_and_required);
    const auto number = [](Count count) {
        return static_cast<std::uint32_t>(std::min(count.value(), std::int64_t{LeafDomain::none}));
    };
    if (request.segment_size) question.segment_size = number(*request.segment_size);
    if (request.switches_max && request.switches == Locality::require) {
        question.leaves_max = number(*request.switches_max);
    }
    if (request.level && request.within != Locality::ignore) {
        question.height_max = number(*request.level);
    }
    return question;
}

/// select_leaves() for the request; where a level is only preferred and cannot be had, without it.
/// Requires: as leaf_question() and select_leaves().
[[nodiscard]] inline Verdict<LeafChoice> select_leaves_for(const LeafIndex& index,
                                                           const TopologyRequest& request,
                                                           LeafQuestion nodes_and_required) {
    LeafQuestion question = leaf_question(request, std::move(nodes_and_required));
    auto choice = select_leaves(index, question);
    if (choice || !question.height_max || request.within != Locality::prefer) return choice;
    question.height_max.reset();
    return select_leaves(index, question);
}

}  // namespace trestle
