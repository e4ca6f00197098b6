// SPDX-License-Identifier: Apache-2.0
// The version of this library, for the preprocessor and for programs. The build reads it from here.
// Semantic versioning; before 1.0 a minor version may break source compatibility.
#pragma once

#include <string_view>

#define TRESTLE_VERSION_MAJOR 0
#define TRESTLE_VERSION_MINOR 2
#define TRESTLE_VERSION_PATCH 0

namespace trestle {

inline constexpr int version_major = TRESTLE_VERSION_MAJOR;
inline constexpr int version_minor = TRESTLE_VERSION_MINOR;
inline constexpr int version_patch = TRESTLE_VERSION_PATCH;

/// "major.minor.patch"
inline constexpr std::string_view version_text = "0.2.0";

}  // namespace trestle
