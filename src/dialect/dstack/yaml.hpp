// SPDX-License-Identifier: Apache-2.0
#pragma once

// YAML from outside, made safe: size and depth are capped before the YAML library sees the text,
// and its exceptions end here.
//
// Layer: dialect/dstack, inside.

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <string_view>

#include "trestle/base/status.hpp"

namespace trestle::dstack {

constexpr std::size_t yaml_bytes_max = 65'536;
constexpr std::size_t yaml_depth_max = 64;

/// The first document of the text. Errors: InvalidArgument with line and column.
[[nodiscard]] StatusOr<YAML::Node> load_yaml(std::string_view text);

/// `line 2, column 7: ` and the error inside the scalar that starts there.
[[nodiscard]] Status yaml_error(const YAML::Node& at, std::string_view key, const TextError& error);

/// An error of the node itself: its token is its text.
[[nodiscard]] Status yaml_error(const YAML::Node& at, std::string_view what,
                                std::string_view expected);

/// True for a plain (not quoted) boolean of YAML 1.1: true, yes, on and their opposites.
[[nodiscard]] bool is_boolean(const YAML::Node& node);

}  // namespace trestle::dstack
