// SPDX-License-Identifier: Apache-2.0
#pragma once

// Journal: which nodes of a cluster changed lately, for memories that follow it.
//
// Layer: alloc. Main types: Journal, JournalPosition. A memory keeps the position up to which it
// knows the cluster; since(position) gives what it has to look at again, or says that it cannot
// tell, as for another cluster, or a position long ago. A cluster and its copy know the positions
// of the time when they were one, and none of each other's from then on.
// A reader would get wrong: the journal is no part of the value; equal clusters have different
// ones, and no answer depends on it.

#include <algorithm>
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
    Journal() : pages_(Pages{Cow<char>('\0'), {}, 0, {}}) {}

    /// Now.
    [[nodiscard]] JournalPosition position() const { return {pages_->life, pages_->end()}; }
    /// The nodes that changed after `position`, some perhaps more than once; nothing when that is
    /// not known. The span is good until the next change.
    [[nodiscard]] std::optional<std::span<const NodeId>> since(
        const JournalPosition& position) const {
        const Pages& pages = *pages_;
        if (position.at_ < pages.first || !pages.knows(position)) return std::nullopt;
        return std::span(pages.nodes).subspan(static_cast<std::size_t>(position.at_ - pages.first));
    }

    /// A node changed.
    void add(NodeId node) {
        if (!pages_.is_unique()) part();
        Pages& pages = pages_.write();
        if (pages.nodes.size() == nodes_max) pages.forget(nodes_max);
        pages.nodes.push_back(node);
    }
    /// Everything may have changed.
    void restart() { *this = Journal(); }

  private:
    static constexpr std::size_t nodes_max = 1U << 16;
    static constexpr std::size_t parted_nodes_max = 1U << 10;  ///< copied when copies part
    static constexpr std::size_t earlier_max = 16;

    struct Pages {
        Cow<char> life;
        std::vector<JournalPosition> earlier;  ///< up to where it was another life
        std::uint64_t first = 0;               ///< changes that are no longer listed
        std::vector<NodeId> nodes;

        [[nodiscard]] std::uint64_t end() const { return first + nodes.size(); }
        [[nodiscard]] bool knows(const JournalPosition& position) const {
            return life.is_same_object(position.life_) ||
                   std::any_of(earlier.begin(), earlier.end(), [&](const JournalPosition& one) {
                       return one.life_.is_same_object(position.life_) && position.at_ <= one.at_;
                   });
        }
        /// Of all nodes listed, the first ones.
        void forget(std::size_t count) {
            first += count;
            nodes.erase(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(count));
        }
    };

    /// A copy goes its own way from here.
    void part() {
        const Pages& shared = *pages_;
        const std::size_t kept = std::min(shared.nodes.size(), parted_nodes_max);
        const std::size_t remembered = std::min(shared.earlier.size(), earlier_max - 1);
        Pages mine{
            Cow<char>('\0'),
            {shared.earlier.end() - static_cast<std::ptrdiff_t>(remembered), shared.earlier.end()},
            shared.end() - kept,
            {shared.nodes.end() - static_cast<std::ptrdiff_t>(kept), shared.nodes.end()}};
        mine.earlier.push_back({shared.life, shared.end()});
        pages_ = Cow<Pages>(std::move(mine));
    }

    Cow<Pages> pages_;
};

}  // namespace trestle
