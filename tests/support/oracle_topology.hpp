// SPDX-License-Identifier: Apache-2.0
// Choices in a topology by trying all of them: what alloc/topology is compared with. Nothing here
// uses what is tested; the orders are written down once more, as plainly as can be.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/model/network.hpp"

namespace trestle::testing {

/// Leaves with their eligible nodes, and what holds them: sets of leaves with a height.
struct OracleLeaves {
    std::vector<std::uint32_t> counts;
    std::vector<std::pair<std::uint32_t, std::set<std::uint32_t>>> domains;
};

struct OracleLeafQuestion {
    std::uint32_t nodes = 1;
    std::uint32_t segment_size = 1;
    std::optional<std::uint32_t> leaves_max;
    std::optional<std::uint32_t> height_max;
    std::map<std::uint32_t, std::uint32_t> required;  ///< nodes by leaf
};

/// The leaves of a tree in the order of a walk, and everything above them.
[[nodiscard]] inline OracleLeaves oracle_leaves(const TreeTopology& tree) {
    OracleLeaves leaves;
    const auto visit = [&](const auto& self, std::uint32_t at) -> std::uint32_t {  // height
        const auto first = static_cast<std::uint32_t>(leaves.counts.size());
        std::uint32_t height = 0;
        for (std::uint32_t i = at + 1; i < tree.switches.size(); ++i) {
            if (tree.switches[i].parent == TreeTopology::SwitchId(at))
                height = std::max(height, self(self, i) + 1);
        }
        if (height == 0) leaves.counts.push_back(0);
        std::set<std::uint32_t> below;
        for (std::uint32_t leaf = first; leaf < leaves.counts.size(); ++leaf) below.insert(leaf);
        leaves.domains.emplace_back(height, below);
        return height;
    };
    for (std::uint32_t i = 0; i < tree.switches.size(); ++i) {
        if (!tree.switches[i].parent) visit(visit, i);
    }
    return leaves;
}

/// Base blocks and their aggregates.
[[nodiscard]] inline OracleLeaves oracle_leaves(const BlockTopology& topology) {
    OracleLeaves leaves;
    leaves.counts.assign(topology.blocks.size(), 0);
    for (std::uint32_t level = 0; level < 6; ++level) {
        const auto size = std::uint32_t{1} << level;
        const bool has_level =
            level == 0 || topology.sizes.empty() ||
            std::count(topology.sizes.begin(), topology.sizes.end(), topology.sizes[0] * size) != 0;
        std::map<std::uint32_t, std::set<std::uint32_t>> aggregates;
        for (std::uint32_t i = 0; i < topology.blocks.size(); ++i) aggregates[i / size].insert(i);
        for (const auto& [j, blocks] : aggregates) {
            if (has_level) leaves.domains.emplace_back(level, blocks);
        }
    }
    return leaves;
}

/// For each leaf the widest domain around it of at most this height.
[[nodiscard]] inline std::set<std::set<std::uint32_t>> oracle_domains(const OracleLeaves& world,
                                                                      std::uint32_t height_max) {
    std::set<std::set<std::uint32_t>> widest;
    for (std::uint32_t leaf = 0; leaf < world.counts.size(); ++leaf) {
        std::set<std::uint32_t> best;
        for (const auto& [height, leaves] : world.domains) {
            const bool is_here = height <= height_max && leaves.count(leaf) != 0;
            if (is_here && leaves.size() >= best.size()) best = leaves;
        }
        widest.insert(best);
    }
    return widest;
}

/// The leaves in `within` that the order of select_leaves() prefers, by trying all subsets.
[[nodiscard]] inline std::optional<std::vector<std::uint32_t>> oracle_choice_in(
    const OracleLeaves& world, const OracleLeafQuestion& question,
    const std::set<std::uint32_t>& within) {
    using Key = std::tuple<std::size_t, std::uint32_t, std::uint32_t, std::vector<std::uint32_t>>;
    std::optional<Key> best;
    const std::vector<std::uint32_t> all(within.begin(), within.end());
    const std::uint32_t asked = question.nodes / question.segment_size;
    for (std::uint32_t mask = 1; mask < 1u << all.size(); ++mask) {
        std::vector<std::uint32_t> leaves;
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            if ((mask >> i & 1) != 0) leaves.push_back(all[i]);
        }
        std::uint32_t hosted = 0;
        for (const auto leaf : leaves) hosted += world.counts[leaf] / question.segment_size;
        bool is_ok = hosted >= asked && leaves.size() <= question.leaves_max.value_or(99);
        for (const auto& [leaf, nodes] : question.required) {
            is_ok = is_ok && std::count(leaves.begin(), leaves.end(), leaf) != 0;
        }
        if (!is_ok) continue;
        std::uint32_t lowest = 1000;  // of the network as a whole
        for (const auto& [height, below] : world.domains) {
            const bool holds_all =
                std::includes(below.begin(), below.end(), leaves.begin(), leaves.end());
            if (holds_all) lowest = std::min(lowest, height);
        }
        const Key key(leaves.size(), lowest, hosted - asked, leaves);
        if (!best || key < *best) best = key;
    }
    if (!best) return std::nullopt;
    return std::get<3>(*best);
}

/// The leaves that select_leaves() should choose.
[[nodiscard]] inline std::optional<std::vector<std::uint32_t>> oracle_choice(
    const OracleLeaves& world, const OracleLeafQuestion& question) {
    std::uint32_t least = 0;  // segments that the required nodes are in
    for (const auto& [leaf, nodes] : question.required) {
        const std::uint32_t size = question.segment_size;
        const std::uint32_t segments = (nodes + size - 1) / size;
        if (world.counts[leaf] / size < segments) return std::nullopt;
        least += segments;
    }
    if (least > question.nodes / question.segment_size) return std::nullopt;
    std::set<std::uint32_t> whole;
    for (std::uint32_t leaf = 0; leaf < world.counts.size(); ++leaf) whole.insert(leaf);
    if (!question.height_max) return oracle_choice_in(world, question, whole);
    using Key = std::pair<std::uint32_t, std::set<std::uint32_t>>;
    std::optional<Key> best;
    for (const auto& domain : oracle_domains(world, *question.height_max)) {
        std::uint32_t total = 0;
        for (const auto leaf : domain) total += world.counts[leaf];
        const Key key(total, domain);
        if (best && !(key < *best)) continue;
        if (oracle_choice_in(world, question, domain)) best = key;
    }
    if (!best) return std::nullopt;
    return oracle_choice_in(world, question, best->second);
}

/// The places of the window of k that RunIndex should find: runs are looked at from every place on.
[[nodiscard]] inline std::optional<std::vector<std::uint32_t>> oracle_window(
    const std::vector<bool>& eligible, bool is_ring, std::uint32_t k,
    const std::set<std::uint32_t>& required) {
    const auto size = static_cast<std::uint32_t>(eligible.size());
    const auto at = [&](std::uint32_t place) { return eligible[place % size]; };
    using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // run, start, offset
    std::optional<std::pair<Key, std::vector<std::uint32_t>>> best;
    for (std::uint32_t start = 0; start < size; ++start) {
        const bool is_full = is_ring && std::count(eligible.begin(), eligible.end(), true) == size;
        const bool starts_here = at(start) && (is_full      ? start == 0
                                               : start == 0 ? !is_ring || !at(size - 1)
                                                            : !at(start - 1));
        if (!starts_here) continue;
        std::uint32_t length = 0;
        while (length < size && at(start + length) && (is_ring || start + length < size)) ++length;
        for (std::uint32_t offset = 0; offset < (is_full ? size : length); ++offset) {
            if (!is_full && offset + k > length) continue;
            if (k > length || (k == size && offset != 0)) continue;
            std::vector<std::uint32_t> places;
            for (std::uint32_t i = 0; i < k; ++i) places.push_back((start + offset + i) % size);
            const std::set<std::uint32_t> covered(places.begin(), places.end());
            if (!std::includes(covered.begin(), covered.end(), required.begin(), required.end())) {
                continue;
            }
            const Key key(length, start, offset);
            if (!best || key < best->first) best = {key, places};
        }
    }
    if (!best) return std::nullopt;
    return best->second;
}

/// A box on one of several tori, by the order of select_box(): torus, origin, shape, open sides.
struct OracleBox {
    std::uint32_t torus = 0;
    std::uint32_t origin = 0;
    TorusTopology::Shape shape;
    std::uint32_t open_sides = 0;
    std::set<NodeId> nodes;
};

[[nodiscard]] inline std::optional<OracleBox> oracle_box(const TorusTopology& topology,
                                                         const std::set<NodeId>& eligible,
                                                         const TorusTopology::Shape& asked,
                                                         const std::set<NodeId>& required) {
    using Lengths = std::array<std::uint32_t, 3>;
    using Key = std::tuple<std::uint32_t, std::size_t, std::uint32_t, std::uint32_t, Lengths>;
    std::optional<std::pair<Key, OracleBox>> best;
    for (std::uint32_t t = 0; t < topology.toruses.size(); ++t) {
        const TorusTopology::Torus& torus = topology.toruses[t];
        const Lengths all{torus.shape.x, torus.shape.y, torus.shape.z};
        const auto node_at = [&](Lengths c) {
            return torus.nodes[c[0] % all[0] + all[0] * (c[1] % all[1] + all[1] * (c[2] % all[2]))];
        };
        const auto is_free = [&](Lengths c) {
            const auto node = node_at(c);
            return node && eligible.count(*node) != 0;
        };
        const auto total = static_cast<std::size_t>(
            std::count_if(torus.nodes.begin(), torus.nodes.end(),
                          [&](const auto& node) { return node && eligible.count(*node) != 0; }));
        Lengths turn{asked.x, asked.y, asked.z};
        std::sort(turn.begin(), turn.end());
        do {
            if (turn[0] > all[0] || turn[1] > all[1] || turn[2] > all[2]) continue;
            for (std::uint32_t place = 0; place < torus.nodes.size(); ++place) {
                const Lengths origin{place % all[0], place / all[0] % all[1],
                                     place / all[0] / all[1]};
                OracleBox box{t, place, {turn[0], turn[1], turn[2]}, 0, {}};
                bool is_box = true;
                std::set<std::pair<int, int>> open;  // axis and direction
                for (std::uint32_t i = 0; i < turn[0] * turn[1] * turn[2]; ++i) {
                    const Lengths in{i % turn[0], i / turn[0] % turn[1], i / turn[0] / turn[1]};
                    const Lengths c{origin[0] + in[0], origin[1] + in[1], origin[2] + in[2]};
                    is_box = is_box && is_free(c);
                    if (is_free(c)) box.nodes.insert(*node_at(c));
                    for (std::size_t axis = 0; axis < 3; ++axis) {
                        if (turn[axis] == all[axis]) continue;
                        Lengths below = c;
                        Lengths above = c;
                        below[axis] += all[axis] - 1;
                        above[axis] += 1;
                        if (in[axis] == 0 && is_free(below)) open.emplace(axis, 0);
                        if (in[axis] + 1 == turn[axis] && is_free(above)) open.emplace(axis, 1);
                    }
                }
                if (!is_box || !std::includes(box.nodes.begin(), box.nodes.end(), required.begin(),
                                              required.end())) {
                    continue;
                }
                box.open_sides = static_cast<std::uint32_t>(open.size());
                const Key key(box.open_sides, total, t, place, turn);
                if (!best || key < best->first) best = {key, box};
            }
        } while (std::next_permutation(turn.begin(), turn.end()));
    }
    if (!best) return std::nullopt;
    return best->second;
}

}  // namespace trestle::testing
