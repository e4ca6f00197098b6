// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/detail/segment_picks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace trestle::detail {

std::size_t SegmentLeaf::count() const {
    std::size_t nodes = required.size();
    for (const auto& kind : kinds) nodes += kind.size();
    return nodes;
}

void SegmentPicks::run(Visit visit) { (void)choose_leaf(0, limits_.segments, {}, visit); }

bool SegmentPicks::choose_leaf(std::size_t at, std::uint32_t segments, const NodeSet& before,
                               Visit visit) {
    if (at == leaves_.size()) {
        if (segments != 0) return false;
        has_given_up_ |= !budget_.spend();
        return has_given_up_ || visit(before);
    }
    const std::size_t later = leaves_.size() - at - 1;  // each has a segment at least
    if (segments <= later) return false;
    const SegmentLeaf& leaf = leaves_[at];
    std::size_t room_later = 0;
    for (std::size_t i = at + 1; i < leaves_.size(); ++i) {
        if (leaves_[i].required.size() > (segments - later) * limits_.size) return false;
        room_later += leaves_[i].count() / limits_.size;
    }
    const std::size_t most = std::min(leaf.count() / limits_.size, segments - later);
    for (std::size_t here = most; here > 0 && here + room_later >= segments; --here) {
        const std::size_t nodes = here * limits_.size;
        if (nodes < leaf.required.size()) return false;
        NodeSet chosen = before;
        for (const NodeId node : leaf.required) chosen.insert(node);
        const auto left = static_cast<std::uint32_t>(segments - here);
        if (choose_kind(at, 0, nodes - leaf.required.size(), left, chosen, visit)) return true;
    }
    return false;
}

bool SegmentPicks::choose_kind(std::size_t at, std::size_t kind, std::size_t nodes,
                               std::uint32_t segments_later, const NodeSet& before, Visit visit) {
    if (!budget_.spend()) {
        has_given_up_ = true;
        return true;
    }
    if (nodes == 0) return choose_leaf(at + 1, segments_later, before, visit);
    const auto& kinds = leaves_[at].kinds;
    std::size_t room = 0;
    for (std::size_t i = kind; i < kinds.size(); ++i) room += kinds[i].size();
    if (room < nodes) return false;
    const std::size_t least = nodes - std::min(nodes, room - kinds[kind].size());
    const std::size_t most = std::min(nodes, kinds[kind].size());
    for (std::size_t here = most + 1; here-- > least;) {
        NodeSet chosen = before;
        for (std::size_t i = 0; i < here; ++i) chosen.insert(kinds[kind][i]);
        if (choose_kind(at, kind + 1, nodes - here, segments_later, chosen, visit)) return true;
        if (limits_.are_nested) return false;
    }
    return false;
}

}  // namespace trestle::detail
