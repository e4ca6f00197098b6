// SPDX-License-Identifier: Apache-2.0
#include "rings.hpp"

#include <algorithm>

namespace trestle::slurm::choice {
namespace {

/// The runs of free nodes by their start, none of which goes on at either end.
std::vector<RingNodes> free_runs(const std::vector<RingPlace>& ring, std::size_t number) {
    std::vector<RingNodes> runs;
    const std::size_t size = ring.size();
    const bool is_all_free =
        std::all_of(ring.begin(), ring.end(), [](const RingPlace& place) { return place.is_free; });
    if (is_all_free && size != 0) return {{number, 0, size}};
    for (std::size_t first = 0; first < size; ++first) {
        if (!ring[first].is_free || ring[(first + size - 1) % size].is_free) continue;
        std::size_t count = 0;
        while (ring[(first + count) % size].is_free) ++count;
        runs.push_back({number, first, count});
    }
    return runs;
}

bool have_enough(const std::vector<RingPlace>& ring, const RingNodes& nodes, std::size_t required,
                 const UnitSupply& need) {
    UnitSupply sum;
    std::size_t found = 0;
    for (std::size_t i = 0; i < nodes.count; ++i) {
        const RingPlace& place = ring[(nodes.first + i) % ring.size()];
        sum.add(place.supply);
        found += place.is_required ? 1U : 0U;
    }
    return found == required && holds(sum, need);
}

}  // namespace

std::optional<RingNodes> best_ring(const std::vector<std::vector<RingPlace>>& rings,
                                   const UnitSupply& need) {
    const auto count = static_cast<std::size_t>(need.nodes);
    std::size_t required = 0;
    std::vector<RingNodes> runs;
    for (std::size_t r = 0; r < rings.size(); ++r) {
        for (const RingNodes& run : free_runs(rings[r], r)) {
            if (run.count >= count) runs.push_back(run);
        }
        required += static_cast<std::size_t>(
            std::count_if(rings[r].begin(), rings[r].end(),
                          [](const RingPlace& place) { return place.is_required; }));
    }
    std::stable_sort(runs.begin(), runs.end(),
                     [](const RingNodes& a, const RingNodes& b) { return a.count < b.count; });
    for (const RingNodes& run : runs) {
        const std::vector<RingPlace>& ring = rings[run.ring];
        const std::size_t starts = run.count == ring.size() ? run.count : run.count - count + 1;
        std::vector<RingNodes> windows;
        for (std::size_t i = 0; i < starts; ++i) {
            windows.push_back({run.ring, (run.first + i) % ring.size(), count});
        }
        std::stable_sort(windows.begin(), windows.end(),
                         [](const RingNodes& a, const RingNodes& b) { return a.first < b.first; });
        for (const RingNodes& nodes : windows) {
            if (have_enough(ring, nodes, required, need)) return nodes;
        }
    }
    return std::nullopt;
}

}  // namespace trestle::slurm::choice
