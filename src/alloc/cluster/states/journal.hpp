// SPDX-License-Identifier: Apache-2.0
#pragma once

// Journal: which nodes of a cluster changed lately, for memories that follow it.
//
// Layer: alloc. Main types: Journal, OwnerJournal, JournalPosition. A memory keeps the position up
// to which it knows the cluster; since(position) gives what it has to look at again, or says that
// it cannot tell, as for another cluster, or a position long ago. A cluster and its copy know the
// positions of the time when they were one, and none of each other's from then on. A timeline has
// an OwnerJournal, of owners.
// Pitfall: the journal is no part of the value; equal clusters have different ones, and no answer
// depends on it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/cow/cow.hpp"
#include "trestle/base/ids.hpp"

namespace trestle {

/// A moment in the life of one cluster; a default one is of none.
class JournalPosition {
  public:
    JournalPosition() = default;

  private:
    template <class Which>
    friend class BasicJournal;
    JournalPosition(Cow<char> life, std::uint64_t at) : life_(std::move(life)), at_(at) {}

    Cow<char> life_;  ///< held, so that no other life has its address
    std::uint64_t at_ = 0;
};

template <class Which>
class BasicJournal {
  public:
    BasicJournal() : pages_(Pages{Cow<char>('\0'), {}, 0, {}}) {}

    /// Now.
    [[nodiscard]] JournalPosition position() const { return {pages_->life, pages_->end()}; }
    /// What changed after `position`, some perhaps more than once; nothing when that is
    /// not known. The span is good until the next change.
    [[nodiscard]] std::optional<std::span<const Which>> since(
        const JournalPosition& position) const {
        const Pages& pages = *pages_;
        if (position.at_ < pages.first || !pages.knows(position)) return std::nullopt;
        return std::span<const Which>(pages.changed)
            .subspan(static_cast<std::size_t>(position.at_ - pages.first));
    }

    /// This one changed.
    void add(Which which) {
        if (!pages_.is_unique()) part();
        Pages& pages = pages_.write();
        if (pages.changed.size() == changes_max) pages.forget(changes_max);
        pages.changed.push_back(which);
    }
    /// Everything may have changed.
    void restart() { *this = BasicJournal(); }

  private:
    static constexpr std::size_t changes_max = 1U << 16;
    static constexpr std::size_t parted_max = 1U << 10;  ///< copied when copies part
    static constexpr std::size_t earlier_max = 16;

    struct Pages {
        Cow<char> life;
        std::vector<JournalPosition> earlier;  ///< up to where it was another life
        std::uint64_t first = 0;               ///< changes that are no longer listed
        std::vector<Which> changed;

        [[nodiscard]] std::uint64_t end() const { return first + changed.size(); }
        [[nodiscard]] bool knows(const JournalPosition& position) const {
            return life.is_same_object(position.life_) ||
                   std::any_of(earlier.begin(), earlier.end(), [&](const JournalPosition& one) {
                       return one.life_.is_same_object(position.life_) && position.at_ <= one.at_;
                   });
        }
        /// Of all changes listed, the first ones.
        void forget(std::size_t count) {
            first += count;
            changed.erase(changed.begin(), changed.begin() + static_cast<std::ptrdiff_t>(count));
        }
    };

    /// A copy goes its own way from here.
    void part() {
        const Pages& shared = *pages_;
        const std::size_t kept = std::min(shared.changed.size(), parted_max);
        const std::size_t remembered = std::min(shared.earlier.size(), earlier_max - 1);
        Pages mine{
            Cow<char>('\0'),
            {shared.earlier.end() - static_cast<std::ptrdiff_t>(remembered), shared.earlier.end()},
            shared.end() - kept,
            {shared.changed.end() - static_cast<std::ptrdiff_t>(kept), shared.changed.end()}};
        mine.earlier.push_back({shared.life, shared.end()});
        pages_ = Cow<Pages>(std::move(mine));
    }

    Cow<Pages> pages_;
};

using Journal = BasicJournal<NodeId>;
using OwnerJournal = BasicJournal<OwnerId>;

}  // namespace trestle
