// SPDX-License-Identifier: Apache-2.0
#pragma once

// SmallVector<T>: a std::vector whose first element lies in place.
//
// Layer: base. Main names: SmallVector, AnyList. For lists that mostly have one element, where
// there are many of them: what one node gives of memory and devices.
// Pitfall: moving one moves the element; references into it do not survive.

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <vector>

namespace trestle {

template <class T>
using SmallVector = absl::InlinedVector<T, 1>;

/// Takes the elements away for which the predicate holds.
template <class T, class Predicate>
void erase_if(SmallVector<T>& list, const Predicate& predicate) {
    list.erase(std::remove_if(list.begin(), list.end(), predicate), list.end());
}

namespace detail {

template <class List>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T>
inline constexpr bool is_list<SmallVector<T>> = true;

}  // namespace detail

/// A list of either kind, which prints, hashes and is written alike.
template <class List>
concept AnyList = detail::is_list<List>;

}  // namespace trestle
