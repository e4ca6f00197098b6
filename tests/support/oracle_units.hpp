// SPDX-License-Identifier: Apache-2.0
// Which block, ring or box a job may have, by looking at every choice.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "dialect/slurm/choice/network/blocks.hpp"
#include "dialect/slurm/choice/network/rings.hpp"
#include "dialect/slurm/choice/network/toruses.hpp"

namespace trestle {

/// Whether some sub-blocks of a range, no more than may be used, have so many nodes and every
/// required base block: every set of them is tried.
[[nodiscard]] inline bool oracle_has_nodes(const slurm::choice::BlockScope& scope,
                                           const slurm::choice::BaseRange& range,
                                           const std::vector<slurm::choice::BaseBlock>& bases,
                                           std::int64_t nodes) {
    const std::size_t width = std::size_t{1} << scope.sub_level;
    const std::size_t subs = (range.end - range.first + width - 1) / width;
    // Of the cluster whole sub-blocks count alone.
    const std::size_t whole = scope.level ? subs : (range.end - range.first) / width;
    for (std::uint32_t set = 0; set < (1U << subs); ++set) {
        if (std::popcount(set) > scope.subs_max) continue;
        std::int64_t sum = 0;
        bool has_required = true;
        for (std::size_t b = range.first; b < range.end; ++b) {
            const std::size_t sub = (b - range.first) / width;
            const bool is_inside = (set >> sub & 1U) != 0;
            if (bases[b].is_required && !is_inside) has_required = false;
            if (is_inside && sub < whole) sum += bases[b].supply.nodes;
        }
        if (has_required && sum >= nodes) return true;
    }
    return false;
}

/// Every range that best_block may choose.
[[nodiscard]] inline std::vector<slurm::choice::BaseRange> oracle_ranges(
    const slurm::choice::BlockLevels& levels, const slurm::choice::BlockScope& scope) {
    std::vector<slurm::choice::BaseRange> ranges;
    if (!scope.level) return {{0, levels.count}};
    for (std::size_t first = 0; first < levels.count; first += std::size_t{1} << *scope.level) {
        ranges.push_back({first, std::min(first + (std::size_t{1} << *scope.level), levels.count)});
    }
    return ranges;
}

/// What best_block answers.
[[nodiscard]] inline std::optional<slurm::choice::BaseRange> oracle_best_block(
    const slurm::choice::BlockLevels& levels, const slurm::choice::BlockScope& scope,
    const std::vector<slurm::choice::BaseBlock>& bases, const slurm::choice::UnitSupply& need) {
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
    std::optional<slurm::choice::BaseRange> best;
    Key best_key;
    for (const slurm::choice::BaseRange& range : oracle_ranges(levels, scope)) {
        std::int64_t nodes = 0;
        std::int64_t cpus = 0;
        std::int64_t weight = slurm::choice::unlimited;
        bool has_required = true;
        for (std::size_t b = 0; b < bases.size(); ++b) {
            const bool is_inside = b >= range.first && b < range.end;
            if (bases[b].is_required && !is_inside) has_required = false;
            if (!is_inside) continue;
            nodes += bases[b].supply.nodes;
            cpus += bases[b].supply.cpus;
            if (bases[b].supply.nodes > 0) weight = std::min(weight, bases[b].weight);
        }
        const bool is_enough =
            cpus >= need.cpus && oracle_has_nodes(scope, range, bases, need.nodes);
        if (!has_required || !is_enough) continue;
        const Key key{weight, nodes, -static_cast<std::int64_t>(range.first)};
        if (best && best_key < key) continue;
        best = range;
        best_key = key;
    }
    return best;
}

/// What best_ring answers without required nodes, as ring and position: every run of neighbours is
/// looked at.
[[nodiscard]] inline std::optional<std::tuple<std::size_t, std::size_t>> oracle_best_ring(
    const std::vector<std::vector<slurm::choice::RingPlace>>& rings, std::size_t count,
    slurm::choice::RingTie tie) {
    using Key = std::tuple<std::size_t, std::size_t, std::size_t>;
    std::optional<Key> best;
    std::size_t ring_of_best = 0;
    for (std::size_t r = 0; r < rings.size(); ++r) {
        const std::size_t size = rings[r].size();
        std::size_t free = 0;
        for (const auto& place : rings[r]) free += place.is_free ? 1U : 0U;
        for (std::size_t first = 0; first < size && count <= size; ++first) {
            bool are_free = true;
            for (std::size_t i = 0; i < count; ++i) {
                are_free = are_free && rings[r][(first + i) % size].is_free;
            }
            if (!are_free) continue;
            const bool is_last = tie == slurm::choice::RingTie::last;
            const Key key{free, is_last ? rings.size() - r : r, first};
            if (best && !(key < *best)) continue;
            best = key;
            ring_of_best = r;
        }
    }
    if (!best) return std::nullopt;
    return std::tuple(ring_of_best, std::get<2>(*best));
}

/// What best_box answers without required nodes and with equal weights, as torus and places. Boxes
/// are compared by the sets of their places.
[[nodiscard]] inline std::optional<std::tuple<std::size_t, std::vector<std::size_t>>>
oracle_best_box(const std::vector<slurm::choice::TorusState>& toruses, std::uint32_t nodes) {
    using BoxPlaces = std::vector<std::size_t>;
    const auto boxes_of = [](const slurm::choice::TorusState& torus, std::uint32_t volume) {
        std::vector<BoxPlaces> boxes;
        for (const slurm::TorusPlacement* one : torus.placements) {
            if (one->dims.volume() != volume) continue;
            for (const auto& box : slurm::choice::anchors_of(*one, torus.shape)) {
                const BoxPlaces places = slurm::choice::places_of(box, torus.shape);
                const bool are_free =
                    std::all_of(places.begin(), places.end(),
                                [&](std::size_t at) { return torus.places[at].is_free; });
                if (are_free) boxes.push_back(places);
            }
        }
        return boxes;
    };
    std::optional<std::tuple<std::size_t, BoxPlaces>> best;
    std::tuple<std::int64_t, std::int64_t> best_key;
    for (std::size_t t = 0; t < toruses.size(); ++t) {
        std::uint32_t next = 0;
        for (const slurm::TorusPlacement* one : toruses[t].placements) {
            const std::uint32_t volume = one->dims.volume().value_or(0);
            if (volume > nodes && (next == 0 || volume < next)) next = volume;
        }
        const std::vector<BoxPlaces> larger = boxes_of(toruses[t], next);
        const std::int64_t idle = std::count_if(toruses[t].places.begin(), toruses[t].places.end(),
                                                [](const auto& place) { return place.is_free; });
        for (const BoxPlaces& box : boxes_of(toruses[t], nodes)) {
            const std::set<std::size_t> mine(box.begin(), box.end());
            const std::int64_t broken =
                std::count_if(larger.begin(), larger.end(), [&](const BoxPlaces& other) {
                    return std::any_of(other.begin(), other.end(),
                                       [&](std::size_t at) { return mine.count(at) != 0; });
                });
            const std::tuple key(idle, broken);
            if (best && key >= best_key) continue;
            best = std::tuple(t, box);
            best_key = key;
        }
    }
    return best;
}

}  // namespace trestle
