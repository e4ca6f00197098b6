// SPDX-License-Identifier: Apache-2.0
// Set texts: whatever is read prints and is read again as the same set, in both types of set; an
// error points into the text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/target.hpp"
#include "set/masks.hpp"
#include "trestle/set/index_set.hpp"
#include "trestle/set/small_set.hpp"

using trestle::fuzz::require;

using namespace trestle;

namespace {

template <class Set>
void check(const TextResult<Set>& result, std::string_view text) {
    if (!result) {
        require(result.error().offset <= text.size());
        require(!result.error().what.empty() && !result.error().expected.empty());
        return;
    }
    const Set& set = *result;
    require(set.count() <= set_members_max);
    require(*parse_set<Set>(to_text(set)) == set);
    require(*parse_set<Set>(to_space_list(set)) == set);
    if (set.last().value_or(0) >= SmallSet<>::index_limit) return;
    require(*parse_set<Set>(to_hex_mask(set)) == set);
    require(*parse_mask<Set>(to_hex_mask(set)) == set);
}

}  // namespace

TRESTLE_FUZZ(set_text) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto small = parse_set<SmallSet<>>(text);
    const auto large = parse_set<IndexSet<>>(text);
    check(small, text);
    check(large, text);
    if (small) require(large && to_text(*small) == to_text(*large));
    check(parse_mask<SmallSet<>>(text), text);
    check(parse_mask<IndexSet<>>(text), text);
}
