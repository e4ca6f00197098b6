// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/cores/core_split.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace trestle {

namespace detail {

void ZoneTarget::charge(std::uint64_t cores, std::uint64_t counted, NearCost& cost) const {
    if (counted < required) {
        cost.refused += required - counted;
    } else if (cores == 0 && is_required) {
        ++cost.refused;
    }
    if (cores == 0) cost.unserved += devices;
    if (counted < least) cost.lacking += least - counted;
    if (cores < part) cost.uneven += part - cores;
}

CoreSplit::CoreSplit(std::vector<ZoneTarget> zones, std::vector<CorePatch> patches,
                     std::vector<std::uint32_t> per_part)
    : zones_(std::move(zones)), patches_(std::move(patches)), per_part_(std::move(per_part)) {
    if (per_part_.empty()) return;
    for (const CorePatch& patch : patches_) {
        if (patch.part >= per_part_.size()) per_part_.resize(patch.part + 1, 0);
    }
}

NearCost CoreSplit::cost(const Counts& counts) const {
    NearCost sum;
    for (std::size_t i = 0; i < patches_.size(); ++i) sum.far_pairs += patches_[i].far * counts[i];
    const auto by_zone = cores_by_zone(counts);
    std::vector<std::uint64_t> counted(zones_.size(), 0);
    for (std::size_t i = 0; i < patches_.size(); ++i) {
        for (const std::uint32_t z : patches_[i].zones)
            counted[z] += patches_[i].weight * counts[i];
    }
    for (std::size_t z = 0; z < zones_.size(); ++z) zones_[z].charge(by_zone[z], counted[z], sum);
    return sum;
}

std::optional<CoreSplit::Counts> CoreSplit::best(std::uint32_t count, Counts start,
                                                 StepBudget& budget) const {
    std::vector<std::uint32_t> left = per_part_;
    std::uint32_t missing = count;
    for (std::size_t i = 0; i < patches_.size(); ++i) {
        if (start[i] > missing) return std::nullopt;
        missing -= start[i];
        if (left.empty()) continue;
        if (start[i] > left[patches_[i].part]) return std::nullopt;
        left[patches_[i].part] -= start[i];
    }
    if (!budget.spend()) return std::nullopt;
    if (!is_weighted() && are_nested())
        return best_nested(missing, std::move(start), std::move(left));
    Trial trial{start, budget, start, std::move(left)};
    trial.behind.assign(patches_.size(), 0);
    for (std::size_t i = patches_.size(); i-- > 1;) {
        trial.behind[i - 1] = trial.behind[i] + patches_[i].capacity - start[i];
    }
    std::vector<std::uint64_t> alike(per_part_.size(), 0);
    trial.behind_alike.assign(alike.empty() ? 0 : patches_.size(), 0);
    for (std::size_t i = trial.behind_alike.size(); i-- > 0;) {
        trial.behind_alike[i] = alike[patches_[i].part];
        alike[patches_[i].part] += patches_[i].capacity - start[i];
    }
    if (!try_all(0, missing, trial) || !trial.cost) return std::nullopt;
    return std::move(trial.best);
}

std::uint32_t CoreSplit::fewest(std::uint32_t least, StepBudget& budget) const {
    std::uint64_t apart = 0;     // required by zones that do not overlap
    std::uint64_t required = 0;  // each zone by itself: no more are needed
    SmallSet<> seen;
    for (std::uint32_t z = 0; z < zones_.size(); ++z) {
        SmallSet<> patches;
        for (std::uint32_t i = 0; i < patches_.size(); ++i) {
            if (patches_[i].zones.contains(z)) patches.insert(i);
        }
        required += zones_[z].all_required();
        if (patches.intersects(seen)) continue;
        seen |= patches;
        apart += zones_[z].all_required();
    }
    std::uint64_t room = 0;
    for (const CorePatch& patch : patches_) room += patch.capacity;
    const std::uint64_t from = std::max<std::uint64_t>(least, apart);
    const std::uint64_t most = std::min(room, std::max<std::uint64_t>(from, required));
    for (std::uint64_t count = from; apart < required && count <= most; ++count) {
        const auto one = static_cast<std::uint32_t>(count);
        const auto counts = best(one, Counts(patches_.size(), 0), budget);
        if (!counts) break;
        if (cost(*counts).refused == 0) return one;
    }
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(from, ~std::uint32_t{0}));
}

bool CoreSplit::is_weighted() const {
    return !zones_.empty() && std::any_of(patches_.begin(), patches_.end(),
                                          [](const CorePatch& one) { return one.weight != 1; });
}

bool CoreSplit::are_nested() const {
    std::vector<SmallSet<>> sets(zones_.size());  // patches of each zone and part
    std::vector<SmallSet<>> parts(per_part_.size());
    for (std::uint32_t i = 0; i < patches_.size(); ++i) {
        for (const std::uint32_t z : patches_[i].zones) sets[z].insert(i);
        if (!parts.empty()) parts[patches_[i].part].insert(i);
    }
    sets.insert(sets.end(), parts.begin(), parts.end());
    for (std::size_t a = 0; a < sets.size(); ++a) {
        for (std::size_t b = a + 1; b < sets.size(); ++b) {
            if (!sets[a].intersects(sets[b])) continue;
            if (!sets[a].contains_all(sets[b]) && !sets[b].contains_all(sets[a])) return false;
        }
    }
    return true;
}

std::vector<std::uint64_t> CoreSplit::cores_by_zone(const Counts& counts) const {
    std::vector<std::uint64_t> by_zone(zones_.size(), 0);
    for (std::size_t i = 0; i < patches_.size(); ++i) {
        for (const std::uint32_t z : patches_[i].zones) by_zone[z] += counts[i];
    }
    return by_zone;
}

auto CoreSplit::price(std::size_t patch, const std::vector<std::uint64_t>& by_zone) const {
    std::int64_t refused = 0;
    std::int64_t unserved = 0;
    std::int64_t lacking = 0;
    std::int64_t uneven = 0;
    for (const std::uint32_t z : patches_[patch].zones) {
        if (by_zone[z] < zones_[z].all_required()) --refused;
        if (by_zone[z] == 0) unserved -= zones_[z].devices;
        if (by_zone[z] < zones_[z].least) --lacking;
        if (by_zone[z] < zones_[z].part) --uneven;
    }
    return std::tuple(refused, unserved, lacking, uneven, patches_[patch].far);
}

std::uint32_t CoreSplit::run_length(std::size_t patch,
                                    const std::vector<std::uint64_t>& by_zone) const {
    std::uint64_t most = ~std::uint32_t{0};
    for (const std::uint32_t z : patches_[patch].zones) {
        const ZoneTarget& zone = zones_[z];
        for (const std::uint32_t turn : {1U, zone.part, zone.least, zone.all_required()}) {
            if (by_zone[z] < turn) most = std::min(most, turn - by_zone[z]);
        }
    }
    return static_cast<std::uint32_t>(most);
}

std::optional<CoreSplit::Counts> CoreSplit::best_nested(std::uint32_t missing, Counts counts,
                                                        std::vector<std::uint32_t> left) const {
    auto by_zone = cores_by_zone(counts);
    const auto room = [&](std::size_t i) {
        const std::uint32_t free = patches_[i].capacity - counts[i];
        return left.empty() ? free : std::min(free, left[patches_[i].part]);
    };
    while (missing > 0) {
        std::optional<std::size_t> next;
        for (std::size_t i = 0; i < patches_.size(); ++i) {
            if (room(i) == 0) continue;
            if (!next || price(i, by_zone) < price(*next, by_zone)) next = i;
        }
        if (!next) return std::nullopt;
        const std::uint32_t more = std::min({missing, room(*next), run_length(*next, by_zone)});
        counts[*next] += more;
        missing -= more;
        if (!left.empty()) left[patches_[*next].part] -= more;
        for (const std::uint32_t z : patches_[*next].zones) by_zone[z] += more;
    }
    return counts;
}

bool CoreSplit::try_all(std::size_t at, std::uint32_t missing, Trial& trial) const {
    if (!trial.budget.spend()) return false;
    if (at == patches_.size()) {
        if (missing > 0) return true;
        const NearCost one = cost(trial.counts);
        if (trial.cost && !(one < *trial.cost)) return true;
        trial.cost = one;
        trial.best = trial.counts;
        return true;
    }
    const CorePatch& patch = patches_[at];
    std::uint32_t most = std::min(missing, patch.capacity - trial.start[at]);
    std::uint32_t none = 0;
    std::uint32_t& left = trial.left.empty() ? (none = most) : trial.left[patch.part];
    most = std::min(most, left);
    const std::uint64_t behind = trial.behind[at];
    auto least = static_cast<std::uint32_t>(missing > behind ? missing - behind : 0);
    if (!trial.left.empty() && left > trial.behind_alike[at]) {
        least = std::max(least, static_cast<std::uint32_t>(left - trial.behind_alike[at]));
    }
    for (std::uint32_t more = most + 1; more-- > least;) {
        trial.counts[at] = trial.start[at] + more;
        left -= more;
        const bool goes_on = try_all(at + 1, missing - more, trial);
        left += more;
        if (!goes_on) return false;
    }
    trial.counts[at] = trial.start[at];
    return true;
}

}  // namespace detail

}  // namespace trestle
