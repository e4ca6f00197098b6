// SPDX-License-Identifier: Apache-2.0
#pragma once

// Operations: what happens to a cluster, as values, and histories of them made by a generator.
//
// Layer: testing. Main names: Operation, any_operations, play. A history plus a cluster gives the
// same state again on every machine, so a failed test is replayed by its seed.
// A reader would get wrong: play() swallows a no; compare states or allocations to see what became
// of an operation.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/place.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/model/request.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/generators.hpp"

namespace trestle::testing {

/// One thing that happens to a cluster.
struct Operation {
    /// What happens to a cluster.
    enum class Kind { submit, release, drain, resume };

    Kind kind = Kind::submit;
    OwnerId owner;    ///< of a submit or release
    Request request;  ///< of a submit
    NodeId node;      ///< of a drain or resume

    static constexpr auto fields(auto list) {
        return list(field("kind", &Operation::kind), field("owner", &Operation::owner),
                    field("request", &Operation::request), field("node", &Operation::node));
    }
    friend bool operator==(const Operation&, const Operation&) = default;
};

constexpr auto enum_names(Operation::Kind) {
    using enum Operation::Kind;
    return std::array{named(submit, "submit"), named(release, "release"), named(drain, "drain"),
                      named(resume, "resume")};
}

struct OperationBounds {
    std::uint32_t count = 10;  ///< operations in a history
    std::uint32_t nodes = 1;   ///< of the cluster
    RequestBounds request;
};

/// A history: owners 1, 2, ... submit; releases name any of them, also one that has nothing.
[[nodiscard]] inline std::vector<Operation> any_operations(Choices& choices,
                                                           const OperationBounds& bounds = {}) {
    std::vector<Operation> operations;
    std::uint64_t owners = 0;
    for (std::uint32_t n = detail::zero_to(choices, bounds.count); n > 0; --n) {
        Operation operation;
        switch (choices.below(8)) {
            case 0:
            case 1:
            case 2:
                operation.kind = Operation::Kind::release;
                operation.owner = OwnerId(1 + choices.below(owners + 1));
                break;
            case 3:
                operation.kind =
                    choices.one_in(2) ? Operation::Kind::drain : Operation::Kind::resume;
                operation.node = NodeId(detail::zero_to(choices, bounds.nodes - 1));
                break;
            default:
                operation.owner = OwnerId(++owners);
                operation.request = any_request(choices, bounds.request);
                break;
        }
        operations.push_back(std::move(operation));
    }
    return operations;
}

/// Lets an operation happen: a submit is committed when place() finds room. What does not fit, and
/// a release of nothing, changes nothing. Requires: the node exists.
inline void play(Cluster& cluster, const Operation& operation, const PlaceOptions& options = {}) {
    switch (operation.kind) {
        case Operation::Kind::submit:
            if (auto placement = place(cluster, operation.request, options)) {
                const Status status =
                    cluster.commit({operation.owner, operation.request, *std::move(placement)});
                TRESTLE_EXPECTS(status.ok() || cluster.find_allocation(operation.owner) != nullptr,
                                "what place() finds is free");
            }
            break;
        case Operation::Kind::release:
            static_cast<void>(cluster.release(operation.owner));
            break;
        case Operation::Kind::drain:
            cluster.set_node_state(operation.node, NodeState::drained);
            break;
        case Operation::Kind::resume:
            cluster.set_node_state(operation.node, NodeState::up);
            break;
    }
}

}  // namespace trestle::testing
