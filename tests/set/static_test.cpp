// SPDX-License-Identifier: Apache-2.0
// What the compiler knows about sets; this file passes by compiling.
#include <concepts>
#include <iterator>
#include <type_traits>

#include "set/bit_index.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/set/index_set.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

static_assert(std::regular<CoreSet> && std::totally_ordered<CoreSet>);
static_assert(std::regular<NodeSet> && std::totally_ordered<NodeSet>);
static_assert(std::regular<BitIndex>);
static_assert(std::forward_iterator<CoreSet::const_iterator>);
static_assert(std::forward_iterator<NodeSet::const_iterator>);
static_assert(std::is_nothrow_move_constructible_v<CoreSet>);
static_assert(std::is_nothrow_move_constructible_v<NodeSet>);
static_assert(std::is_nothrow_move_assignable_v<CoreSet>);
static_assert(std::is_nothrow_move_assignable_v<NodeSet>);

static_assert(std::same_as<CoreSet::value_type, CoreId>);
static_assert(IndexSetLike<CoreSet> && IndexSetLike<NodeSet> && !IndexSetLike<BitIndex>);

template <class Set, class Index>
concept CanHold = requires(Set set, Index index) {
    set.insert(index);
};

static_assert(CanHold<CoreSet, CoreId> && CanHold<PuSet, OsIndex>);
static_assert(!CanHold<CoreSet, OsIndex> && !CanHold<PuSet, CoreId> && !CanHold<CoreSet, unsigned>);
static_assert(!std::is_constructible_v<CoreSet, PuSet> && !std::is_assignable_v<CoreSet&, PuSet>);

template <class A, class B>
concept CanMeet = requires(A a, B b) {
    a& b;
}
|| requires(A a, B b) { a == b; };

static_assert(CanMeet<CoreSet, CoreSet> && !CanMeet<CoreSet, PuSet>);
static_assert(!CanMeet<SmallSet<>, IndexSet<>>);

static_assert(sizeof(CoreSet) <= 48, "four words, a pointer and a size");
static_assert(sizeof(NodeSet) == sizeof(void*));

}  // namespace trestle
