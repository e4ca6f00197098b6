// SPDX-License-Identifier: Apache-2.0
#pragma once

// Matching: whether each can have one of its own.
//
// Layer: alloc, internal to place. Main function: can_match_all(wishes, things), by augmenting
// paths.
// Pitfall: it says whether a matching exists, not which; place() chooses itself.

#include <cstddef>
#include <optional>
#include <vector>

namespace trestle::detail {

class Matching {
  public:
    Matching(const std::vector<std::vector<std::size_t>>& wishes, std::size_t things)
        : wishes_(wishes), owner_(things) {}

    /// Gives `who` a thing; earlier owners may have to take another. False when there is none.
    [[nodiscard]] bool serve(std::size_t who);

  private:
    [[nodiscard]] bool find_thing(std::size_t who);

    const std::vector<std::vector<std::size_t>>& wishes_;
    std::vector<std::optional<std::size_t>> owner_;  ///< by thing
    std::vector<bool> is_asked_;
};

/// True when each of `wishes` can be given one of the things, all below `things`, that it lists.
/// Complexity: wishes times their total length.
[[nodiscard]] bool can_match_all(const std::vector<std::vector<std::size_t>>& wishes,
                                 std::size_t things);

}  // namespace trestle::detail
