// SPDX-License-Identifier: Apache-2.0
#include "rings.hpp"

#include <algorithm>
#include <utility>

namespace trestle::slurm::choice {
namespace {

/// Whether the nodes are free, have what is needed, and as many required ones among them.
bool serve(const std::vector<RingPlace>& ring, const RingNodes& nodes, std::size_t required,
           const UnitSupply& need) {
    UnitSupply sum;
    std::size_t found = 0;
    for (std::size_t i = 0; i < nodes.count; ++i) {
        const RingPlace& place = ring[(nodes.first + i) % ring.size()];
        if (!place.is_free) return false;
        sum.add(place.supply);
        found += place.is_required ? 1U : 0U;
    }
    return found == required && holds(sum, need);
}

template <class Has>
std::size_t count_places(const std::vector<RingPlace>& ring, const Has& has) {
    return static_cast<std::size_t>(std::count_if(ring.begin(), ring.end(), has));
}

}  // namespace

std::optional<RingNodes> best_ring(const std::vector<std::vector<RingPlace>>& rings,
                                   const UnitSupply& need, RingTie tie) {
    const auto count = static_cast<std::size_t>(need.nodes);
    std::size_t required = 0;
    std::vector<std::pair<std::size_t, std::size_t>> order;  // free nodes, and the ring
    for (std::size_t r = 0; r < rings.size(); ++r) {
        required += count_places(rings[r], [](const RingPlace& one) { return one.is_required; });
        order.emplace_back(count_places(rings[r], [](const RingPlace& one) { return one.is_free; }),
                           r);
    }
    if (tie == RingTie::last) std::reverse(order.begin(), order.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [free, r] : order) {
        if (free < count) continue;
        for (std::size_t first = 0; first < rings[r].size(); ++first) {
            const RingNodes nodes{r, first, count};
            if (serve(rings[r], nodes, required, need)) return nodes;
        }
    }
    return std::nullopt;
}

}  // namespace trestle::slurm::choice
