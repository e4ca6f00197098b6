// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocks of a host: equal parts of one machine, each with at most one owner.
//
// Layer: alloc. Main types: BlockSet, HostBlocks::Split (which cores, bytes and devices each block
// is), HostBlocks (the owner of each). How a host is cut, and which blocks may be taken, is in
// alloc.
// Pitfall: an owner is kept for every block. There is no counter of busy ones that could drift.
// What no block holds is listed in `rest`, not lost.

#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

using BlockSet = SmallSet<BlockId>;  ///< blocks of one host

/// The blocks of a host and the owner of each.
struct HostBlocks {
    /// A machine cut into equal parts. blocks, rest and reserve together are the machine, each unit
    /// once. A device that is not consumed is in every block.
    struct Split {
        std::vector<NodePlacement> blocks;  ///< equal in CPUs, bytes and GPUs of each kind
        NodePlacement rest;     ///< what does not divide; an owner of all blocks gets it
        NodePlacement reserve;  ///< cores and bytes that the system keeps

        static constexpr auto fields(auto list) {
            return list(field("blocks", &Split::blocks), field("rest", &Split::rest),
                        field("reserve", &Split::reserve));
        }
        friend bool operator==(const Split&, const Split&) = default;
    };

    /// By BlockId; absent: free. One or more.
    std::vector<std::optional<OwnerId>> owners = {std::nullopt};
    /// Absent: the machine was not inspected yet, its blocks are known by number only.
    std::optional<Split> split;

    /// A host of so many blocks that was not inspected yet. Requires: 1 to BlockSet::index_limit.
    [[nodiscard]] static HostBlocks unseen(Count blocks);

    [[nodiscard]] Count count() const { return Count(static_cast<std::int64_t>(owners.size())); }
    [[nodiscard]] BlockSet all() const;
    /// The free blocks.
    [[nodiscard]] BlockSet free() const { return blocks_of(std::nullopt); }
    /// The blocks of `owner`; without an owner the free ones.
    [[nodiscard]] BlockSet blocks_of(std::optional<OwnerId> owner) const;
    [[nodiscard]] bool is_idle() const { return free().count() == owners.size(); }

    static constexpr auto fields(auto list) {
        return list(field("owners", &HostBlocks::owners), field("split", &HostBlocks::split));
    }
    friend bool operator==(const HostBlocks&, const HostBlocks&) = default;
};

}  // namespace trestle
