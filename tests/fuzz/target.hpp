// SPDX-License-Identifier: Apache-2.0
// All fuzz targets are one program. TRESTLE_FUZZ(name) { ... } defines one, which finds its input
// in `data` and `size`; TRESTLE_FUZZ_TARGET in the environment says which one runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace trestle::fuzz {

using Body = void (*)(const std::uint8_t* data, std::size_t size);

/// Enters a target into the program's list.
class Target {
  public:
    Target(const char* name, Body body);
};

/// Ends the program, which the fuzzer reports, when a law does not hold.
inline void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace trestle::fuzz

#define TRESTLE_FUZZ(name)                                                \
    static void fuzz_##name(const std::uint8_t* data, std::size_t size);  \
    static const trestle::fuzz::Target target_##name(#name, fuzz_##name); \
    static void fuzz_##name(const std::uint8_t* data, std::size_t size)
