// SPDX-License-Identifier: Apache-2.0
#pragma once

// The text form of sets: lists (`0-3,8`).
//
// Layer: set. Main names: to_text, parse_set. Reading accepts what Slurm, the kernel and people
// write; printing gives one canonical form, and reading it gives an equal set.
// Pitfall: runs in text are closed (`0-3` has four members). `10` is the list with the member ten,
// `0x10` the mask with the member four.

#include <cstdint>
#include <string>
#include <string_view>

#include "trestle/base/fields.hpp"
#include "trestle/base/text.hpp"
#include "trestle/set/detail/index.hpp"
#include "trestle/set/detail/text_runs.hpp"

namespace trestle {

/// A set of indices with an upper end: SmallSet, IndexSet.
template <class T>
concept IndexSetLike = requires(const T& set, T& changed) {
    requires detail::SetIndex<typename T::value_type>;
    T::index_limit;
    set.begin() == set.end();
    {set.last()};
    {changed.insert_range(detail::Run{})};
};

/// The most members that a text has by default, counted as written, with duplicates. So
/// `0-4294967294` cannot eat the machine.
inline constexpr std::uint64_t set_members_max = std::uint64_t{1} << 20;

/// `0-3,8`; the empty text for the empty set. Two neighbours are a run: `0-1`. This is also the
/// format of cpuset.cpus and cpuset.mems (Documentation/admin-guide/cgroup-v2.rst).
template <IndexSetLike Set>
[[nodiscard]] std::string to_text(const Set& set) {
    return detail::list_text(detail::runs_of(set), ',');
}

/// Reads a list up to the end of the text, or a mask when it starts with `0x`.
///
/// Elements are `5` or `2-4`, separated by a comma or blanks (also line ends) or both; blanks
/// around the whole are skipped. An empty text is the empty set. Order is free, and duplicates and
/// overlaps merge: `3,1-2,2` is `1-3`. `4-2` is an error, as is an empty element (`1,,2`, `1,`).
template <IndexSetLike Set>
[[nodiscard]] TextResult<Set> parse_set(TextCursor text,
                                        std::uint64_t members_max = set_members_max) {
    return detail::set_of<Set>(detail::read_set(text, {Set::index_limit, members_max}));
}
template <IndexSetLike Set>
[[nodiscard]] TextResult<Set> parse_set(std::string_view text,
                                        std::uint64_t members_max = set_members_max) {
    return parse_set<Set>(TextCursor(text), members_max);
}

}  // namespace trestle
