// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/matching.hpp"

#include <cstddef>
#include <vector>

namespace trestle {

namespace detail {

bool Matching::serve(std::size_t who) {
    is_asked_.assign(owner_.size(), false);
    return find_thing(who);
}

bool Matching::find_thing(std::size_t who) {
    for (const std::size_t thing : wishes_[who]) {
        if (is_asked_[thing]) continue;
        is_asked_[thing] = true;
        if (owner_[thing] && !find_thing(*owner_[thing])) continue;
        owner_[thing] = who;
        return true;
    }
    return false;
}

bool can_match_all(const std::vector<std::vector<std::size_t>>& wishes, std::size_t things) {
    Matching matching(wishes, things);
    for (std::size_t who = 0; who < wishes.size(); ++who) {
        if (!matching.serve(who)) return false;
    }
    return true;
}

}  // namespace detail

}  // namespace trestle
