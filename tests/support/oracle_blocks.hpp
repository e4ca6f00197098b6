// SPDX-License-Identifier: Apache-2.0
// Which blocks a job gets, by looking at every choice; and whether a split loses anything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include "alloc/node/step_budget.hpp"
#include "model/core_groups.hpp"
#include "trestle/alloc/market/offers/blocks.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/model/node.hpp"

namespace trestle {

/// Links between two devices that are both in these blocks alone.
[[nodiscard]] inline std::uint64_t plain_links(const NodeShape& shape,
                                               const HostBlocks::Split& split,
                                               const std::vector<BlockId>& blocks) {
    DeviceSet mine;
    for (const BlockId block : blocks) {
        for (const DeviceShare& share : split.blocks[block.value()].devices) {
            if (shape.devices[share.device.value()].is_consumed) mine.insert(share.device);
        }
    }
    std::uint64_t sum = 0;
    for (const DeviceLink& link : shape.links) {
        if (mine.contains(link.a) && mine.contains(link.b)) sum += link.strength;
    }
    return sum;
}

/// The first in the order that stands at choose_blocks, of all choices.
[[nodiscard]] inline BlockSet oracle_choose_blocks(const NodeShape& shape,
                                                   const HostBlocks::Split& split,
                                                   const BlockSet& free, std::size_t count) {
    using Key = std::tuple<std::size_t, std::int64_t, std::size_t, std::vector<BlockId>>;
    const std::vector<CoreSet> groups = core_groups(shape, HardwareLevel::numa);
    const std::vector<BlockId> all(free.begin(), free.end());
    std::vector<std::size_t> pick(count);
    std::iota(pick.begin(), pick.end(), std::size_t{0});
    std::optional<Key> best;
    do {
        std::vector<BlockId> chosen;
        for (const std::size_t at : pick) chosen.push_back(all[at]);
        std::vector<CoreSet> touched;
        for (const CoreSet& group : groups) {
            const bool is_touched = std::any_of(chosen.begin(), chosen.end(), [&](BlockId block) {
                return group.intersects(split.blocks[block.value()].cores);
            });
            if (is_touched) touched.push_back(group);
        }
        std::size_t beside = 0;
        for (const BlockId block : all) {
            const bool is_chosen = std::find(chosen.begin(), chosen.end(), block) != chosen.end();
            const bool is_near =
                std::any_of(touched.begin(), touched.end(), [&](const CoreSet& group) {
                    return group.intersects(split.blocks[block.value()].cores);
                });
            beside += !is_chosen && is_near ? 1u : 0u;
        }
        const auto links = static_cast<std::int64_t>(plain_links(shape, split, chosen));
        Key key{touched.size(), -links, beside, chosen};
        if (!best || key < *best) best = std::move(key);
    } while (detail::next_combination(pick, all.size()));
    BlockSet blocks;
    for (const BlockId block : std::get<3>(*best)) blocks.insert(block);
    return blocks;
}

/// The strongest links and then the most neighbours that groups of `size` can have inside, over
/// every way to part the devices. Requires: `size` divides their number.
[[nodiscard]] inline std::pair<std::uint64_t, std::uint64_t> oracle_grouping(
    const NodeShape& shape, const std::vector<DeviceId>& left, std::size_t size) {
    if (left.empty()) return {0, 0};
    std::pair<std::uint64_t, std::uint64_t> best{0, 0};
    std::vector<std::size_t> pick(size - 1);
    std::iota(pick.begin(), pick.end(), std::size_t{0});
    do {
        std::vector<DeviceId> group{left[0]};
        for (const std::size_t at : pick) group.push_back(left[at + 1]);
        std::vector<DeviceId> rest;
        for (const DeviceId device : left) {
            if (std::find(group.begin(), group.end(), device) == group.end()) {
                rest.push_back(device);
            }
        }
        auto score = oracle_grouping(shape, rest, size);
        for (std::size_t i = 0; i < group.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                for (const DeviceLink& link : shape.links) {
                    const auto [low, high] = std::minmax(group[i], group[j]);
                    if (link.a == low && link.b == high) score.first += link.strength;
                }
                score.second +=
                    shape.devices[group[i].value()].cores == shape.devices[group[j].value()].cores
                        ? 1u
                        : 0u;
            }
        }
        best = std::max(best, score);
    } while (detail::next_combination(pick, left.size() - 1));
    return best;
}

}  // namespace trestle
