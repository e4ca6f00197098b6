// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/operations.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "testing/detail/small_numbers.hpp"
#include "trestle/base/contract.hpp"

namespace trestle {

namespace testing {

std::vector<Operation> any_operations(Choices& choices, const Bounds::History& bounds) {
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

void play(Cluster& cluster, const Operation& operation, const PlaceOptions& options) {
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

}  // namespace testing

}  // namespace trestle
