// SPDX-License-Identifier: Apache-2.0
#pragma once

// Matching: whether everyone can have one of their own.
//
// Layer: alloc, internal to place. Main function: can_match_all(wishes, things), by augmenting
// paths. A reader would get wrong: it says whether a matching exists, not which; place() chooses
// itself.

#include <cstddef>
#include <optional>
#include <vector>

namespace trestle::detail {

class Matching {
  public:
    Matching(const std::vector<std::vector<std::size_t>>& wishes, std::size_t things)
        : wishes_(wishes), owner_(things) {}

    /// Gives `who` a thing; earlier owners may have to take another. False when there is none.
    [[nodiscard]] bool serve(std::size_t who) {
        is_asked_.assign(owner_.size(), false);
        return find_thing(who);
    }

  private:
    [[nodiscard]] bool find_thing(std::size_t who) {
        for (const std::size_t thing : wishes_[who]) {
            if (is_asked_[thing]) continue;
            is_asked_[thing] = true;
            if (owner_[thing] && !find_thing(*owner_[thing])) continue;
            owner_[thing] = who;
            return true;
        }
        return false;
    }

    const std::vector<std::vector<std::size_t>>& wishes_;
    std::vector<std::optional<std::size_t>> owner_;  ///< by thing
    std::vector<bool> is_asked_;
};

/// True when each of `wishes` can be given one of the things, all below `things`, that it lists.
/// Complexity: wishes times their total length.
[[nodiscard]] inline bool can_match_all(const std::vector<std::vector<std::size_t>>& wishes,
                                        std::size_t things) {
    Matching matching(wishes, things);
    for (std::size_t who = 0; who < wishes.size(); ++who) {
        if (!matching.serve(who)) return false;
    }
    return true;
}

}  // namespace trestle::detail
