// SPDX-License-Identifier: Apache-2.0
#pragma once

// Yardstick: the least that best fit on a cluster of equal nodes can cost, to compare ours with.
//
// Main type: Yardstick. For each pair of (free GPUs, free cores) a bitmap of 64-ary levels says
// which nodes have just these; best fit is the fewest free GPUs that suffice, then the fewest free
// cores, then the lowest node. It knows no locality, no memory, no owner's units, no copy, no
// trial and no error, so nothing that answers more can be as fast.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace trestle::benchmarks {

/// Nodes of 64 cores and 8 GPUs.
class Yardstick {
  public:
    explicit Yardstick(std::uint32_t nodes) : left_(nodes, {8, 64}) {
        for (std::size_t size = nodes; levels_.empty() || size > 1;) {
            size = (size + 63) / 64;
            levels_.push_back(size);
        }
        for (std::uint32_t node = 0; node < nodes; ++node) enter(node);
    }
    /// The best node, from which the units are taken.
    std::optional<std::uint32_t> take(std::uint32_t gpus, std::uint32_t cores) {
        for (std::uint32_t g = gpus; g <= 8; ++g) {
            std::uint64_t some = cores >= 64 ? 0 : filled_[g] >> cores << cores;
            if (some == 0 && !has_whole_[g]) continue;
            const auto c = some != 0 ? static_cast<std::uint32_t>(std::countr_zero(some)) : 64;
            const std::uint32_t node = lowest(maps_[g][c]);
            change(node, {g - gpus, c - cores});
            return node;
        }
        return std::nullopt;
    }
    void give_back(std::uint32_t node, std::uint32_t gpus, std::uint32_t cores) {
        change(node, {left_[node].gpus + gpus, left_[node].cores + cores});
    }

  private:
    struct Left {
        std::uint32_t gpus = 0;
        std::uint32_t cores = 0;
    };
    using Map = std::vector<std::vector<std::uint64_t>>;  // levels, the nodes' own first

    void change(std::uint32_t node, Left left) {
        leave(node);
        left_[node] = left;
        enter(node);
    }
    void mark(Left left, bool is_filled) {
        const std::uint64_t bit = std::uint64_t{1} << left.cores % 64;
        if (left.cores == 64) {
            has_whole_[left.gpus] = is_filled;
        } else {
            filled_[left.gpus] = is_filled ? filled_[left.gpus] | bit : filled_[left.gpus] & ~bit;
        }
    }
    void enter(std::uint32_t node) {
        const Left left = left_[node];
        Map& map = maps_[left.gpus][left.cores];
        if (map.empty()) {
            for (const std::size_t size : levels_) map.emplace_back(size, 0);
        }
        for (std::vector<std::uint64_t>& level : map) {
            const bool was_filled = level[node / 64] != 0;
            level[node / 64] |= std::uint64_t{1} << node % 64;
            if (was_filled) return;
            node /= 64;
        }
        mark(left, true);
    }
    void leave(std::uint32_t node) {
        const Left left = left_[node];
        for (std::vector<std::uint64_t>& level : maps_[left.gpus][left.cores]) {
            level[node / 64] &= ~(std::uint64_t{1} << node % 64);
            if (level[node / 64] != 0) return;
            node /= 64;
        }
        mark(left, false);
    }
    /// Requires: the map has a node.
    [[nodiscard]] static std::uint32_t lowest(const Map& map) {
        std::uint32_t at = 0;
        for (std::size_t level = map.size(); level-- > 0;) {
            at = 64 * at + static_cast<std::uint32_t>(std::countr_zero(map[level][at]));
        }
        return at;
    }

    std::vector<Left> left_;
    std::vector<std::size_t> levels_;  ///< words of each
    std::array<std::array<Map, 65>, 9> maps_;
    std::array<std::uint64_t, 9> filled_{};  ///< by GPUs: bit c where c < 64 cores are left
    std::array<bool, 9> has_whole_{};        ///< by GPUs: where all cores are left
};

}  // namespace trestle::benchmarks
