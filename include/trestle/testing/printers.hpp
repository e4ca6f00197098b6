// SPDX-License-Identifier: Apache-2.0
#pragma once

// Values of the library in the failure messages of Catch2 and GoogleTest: include it, that is all.
//
// Layer: testing. Catch2 prints by operator<<, GoogleTest by PrintTo, both found by
// argument-dependent look-up, so neither framework is needed to compile this header.
// Pitfall: sets print as "0-3,8" and not as a list of ids, which is what both frameworks would do
// on their own.

#include <ostream>

#include "trestle/base/fmt.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

template <class T>
requires detail::OwnText<T> std::ostream& operator<<(std::ostream& out, const T& value) {
    return out << detail::own_text(value);
}

/// GoogleTest's name for it.
template <class T>
requires detail::OwnText<T>
void PrintTo(const T& value, std::ostream* out) {  // NOLINT(readability-identifier-naming)
    *out << value;
}

namespace testing {
using trestle::operator<<;
using trestle::PrintTo;
}  // namespace testing

}  // namespace trestle
