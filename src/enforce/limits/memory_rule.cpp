// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/limits/memory_rule.hpp"

#include <algorithm>
#include <cstdint>

#include "enforce/limits/memory_bounds.hpp"

namespace trestle {

namespace detail {

Bytes part_of(Bytes whole, std::int64_t ppm) {
    ppm = std::max<std::int64_t>(ppm, 0);
    const auto millions = checked_mul(Bytes(whole.value() / MemoryRule::whole_ppm), ppm);
    const auto rest = checked_mul(Bytes(whole.value() % MemoryRule::whole_ppm), ppm);
    if (!millions || !rest) return Bytes::max();
    return saturating_add(*millions, Bytes(rest->value() / MemoryRule::whole_ppm));
}

}  // namespace detail

MemoryBounds bounds_of(const MemoryRule& rule, Bytes memory, Bytes node_memory) {
    const auto between = [&](Bytes bytes, Bytes most) {
        return std::max(rule.least, std::min(bytes, most));
    };
    const Bytes most = detail::part_of(node_memory, rule.node_ppm);
    const Bytes most_swap = detail::part_of(node_memory, rule.node_swap_ppm);
    const Bytes max = between(detail::part_of(memory, rule.max_ppm), most);
    const Bytes swap = detail::part_of(memory, rule.swap_ppm);
    const Bytes both = between(saturating_add(max, swap), saturating_add(most, most_swap));
    if (rule.has_one_limit) return {both, both, Bytes()};
    return {max, std::min(between(memory, most), max), saturating_sub(both, max)};
}

}  // namespace trestle
