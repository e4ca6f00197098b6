// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/offers/blocks.hpp"

#include <cstdint>
#include <optional>

#include "trestle/base/contract.hpp"

namespace trestle {

HostBlocks HostBlocks::unseen(Count blocks) {
    TRESTLE_EXPECTS(!blocks.is_zero() && blocks <= Count(BlockSet::index_limit),
                    "a host has one block or more, and not too many for a set");
    HostBlocks host;
    host.owners.resize(static_cast<std::size_t>(blocks.value()));
    return host;
}

BlockSet HostBlocks::all() const {
    return BlockSet::range({0, static_cast<std::uint32_t>(owners.size())});
}

BlockSet HostBlocks::blocks_of(std::optional<OwnerId> owner) const {
    BlockSet set;
    for (std::uint32_t i = 0; i < owners.size(); ++i) {
        if (owners[i] == owner) set.insert(BlockId(i));
    }
    return set;
}

}  // namespace trestle
