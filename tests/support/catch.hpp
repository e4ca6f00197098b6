// SPDX-License-Identifier: Apache-2.0
// Catch2 2.13 and 3 behind one include: the names below mean the same with both.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>

namespace Catch::Matchers {
using Catch::EndsWith;
using Catch::Equals;
using Catch::StartsWith;
inline auto ContainsSubstring(const std::string& text) { return Catch::Contains(text); }
}  // namespace Catch::Matchers
#endif
