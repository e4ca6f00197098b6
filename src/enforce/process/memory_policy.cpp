// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/process/memory_policy.hpp"

#include <string>

#include "enforce/process/memory_mode.hpp"
#include "trestle/base/status.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

std::string to_text(const MemoryPolicy& policy) {
    std::string text(to_text(policy.mode));
    return policy.nodes.is_empty() ? text : text + " " + to_text(policy.nodes);
}

Status check(const MemoryPolicy& policy) {
    constexpr std::uint32_t node_limit = 1024;  // MAX_NUMNODES of the widest kernels
    if (has_nodes(policy.mode) == policy.nodes.is_empty()) {
        return invalid_argument("memory policy {}: expected {}", to_text(policy),
                                has_nodes(policy.mode) ? "1 node or more" : "no nodes");
    }
    const auto last = policy.nodes.last();
    if (last && last->value() >= node_limit) {
        return invalid_argument("memory policy {}: node {}, expected 0-{}", to_text(policy.mode),
                                last->value(), node_limit - 1);
    }
    return {};
}

}  // namespace trestle
