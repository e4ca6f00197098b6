// SPDX-License-Identifier: Apache-2.0
#pragma once

// Journal: which nodes of a cluster changed lately, for memories that follow it.
//
// Layer: alloc. Main types: Journal, JournalPosition. A memory keeps the position up to which it
// knows the cluster; since(position) gives what it has to look at again, or says that it cannot
// tell, as for another cluster, a copy that went its own way, or a position long ago.
// A reader would get wrong: the journal is no part of the value; equal clusters have different
// ones, and no answer depends on it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "trestle/base/cow/cow.hpp"
#include "trestle/base/ids.hpp"

namespace trestle {

/// A moment in the life of one cluster; a default one is of none.
class JournalPosition {
  public:
    JournalPosition() = default;

  private:
    friend class Journal;
    JournalPosition(Cow<char> life, std::uint64_t at) : life_(std::move(life)), at_(at) {}

    Cow<char> life_;  ///< held, so that no other life has its address
    std::uint64_t at_ = 0;
};

class Journal {
  public:
    Journal() : pages_(Pages{Cow<char>('\0'), 0, {}}) {}

    /// Now.
    [[nodiscard]] JournalPosition position() const {
        return {pages_->life, pages_->first + pages_->nodes.size()};
    }
    /// The nodes that changed after `position`, some perhaps more than once; nothing when that is
    /// not known. The span is good until the next change.
    [[nodiscard]] std::optional<std::span<const NodeId>> since(
        const JournalPosition& position) const {
        const Pages& pages = *pages_;
        if (!pages.life.is_same_object(position.life_) || position.at_ < pages.first) {
            return std::nullopt;
        }
        return std::span(pages.nodes).subspan(static_cast<std::size_t>(position.at_ - pages.first));
    }

    /// A node changed.
    void add(NodeId node) {
        if (!pages_.is_unique()) return restart();  // a copy goes its own way from here
        Pages& pages = pages_.write();
        if (pages.nodes.size() == nodes_max) {
            pages.first += nodes_max;
            pages.nodes.clear();
        }
        pages.nodes.push_back(node);
    }
    /// Everything may have changed.
    void restart() { *this = Journal(); }

  private:
    static constexpr std::size_t nodes_max = 1U << 16;

    struct Pages {
        Cow<char> life;
        std::uint64_t first = 0;  ///< changes that are no longer listed
        std::vector<NodeId> nodes;
    };

    Cow<Pages> pages_;
};

}  // namespace trestle
