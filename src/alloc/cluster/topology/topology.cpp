// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/topology.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "alloc/cluster/topology/leaf_tree.hpp"
#include "model/topologies.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

namespace detail {

NeededTopology needed_topology(const TopologyRequest& request) {
    if (request.shape) return {TopologyKind::torus, false, true};
    if (request.is_on_ring) return {TopologyKind::ring, false, true};
    if (request.segment_size) return {TopologyKind::block, false, true};
    const bool has_limit = request.switches_max && request.switches != Strictness::ignore;
    const bool has_level = request.level && request.within != Strictness::ignore;
    if (!has_limit && !has_level) return {};
    return {TopologyKind::tree, !has_limit,
            (has_limit && request.switches == Strictness::require) ||
                (has_level && request.within == Strictness::require)};
}

}  // namespace detail

Verdict<std::optional<TopologyId>> topology_for(const Network& network,
                                                const TopologyRequest& request) {
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

LeafQuestion leaf_question(const TopologyRequest& request, LeafQuestion nodes_and_required) {
    LeafQuestion question = std::move(nodes_and_required);
    const auto number = [](Count count) {
        return static_cast<std::uint32_t>(std::min(count.value(), std::int64_t{LeafDomain::none}));
    };
    if (request.segment_size) question.segment_size = number(*request.segment_size);
    if (request.switches_max && request.switches == Strictness::require) {
        question.leaves_max = number(*request.switches_max);
    }
    if (request.level && request.within != Strictness::ignore) {
        question.height_max = number(*request.level);
    }
    return question;
}

Verdict<LeafChoice> select_leaves_for(const LeafIndex& index, const TopologyRequest& request,
                                      LeafQuestion nodes_and_required) {
    LeafQuestion question = leaf_question(request, std::move(nodes_and_required));
    auto choice = select_leaves(index, question);
    if (choice || !question.height_max || request.within != Strictness::prefer) return choice;
    question.height_max.reset();
    return select_leaves(index, question);
}

}  // namespace trestle
