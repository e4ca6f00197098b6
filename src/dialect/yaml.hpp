// SPDX-License-Identifier: Apache-2.0
#pragma once

// YAML from outside, made safe: size and depth are capped before the YAML library sees the text,
// and its exceptions end here.
//
// Layer: dialect, inside. Main names: load_yaml, YamlProblem.
// Pitfall: aliases are no copies, so a walk over a small text may be long.

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "trestle/base/status.hpp"

namespace trestle::yaml {

constexpr std::size_t yaml_depth_max = 64;

/// Why a text is no YAML.
struct YamlProblem {
    std::size_t line = 0;  ///< counts from 1; 0: the whole text
    std::size_t column = 0;
    std::string what;
    std::string expected;
};

/// The one document of the text, or nothing and why: a second document is a problem, as nothing of
/// it would be read. An empty text is a null document.
[[nodiscard]] std::optional<YAML::Node> load_yaml(std::string_view text, std::size_t bytes_max,
                                                  YamlProblem& problem);
/// The same. Errors: InvalidArgument with line and column.
[[nodiscard]] StatusOr<YAML::Node> load_yaml(std::string_view text, std::size_t bytes_max);

/// `line 2, column 7: ` and the error inside the scalar that starts there.
[[nodiscard]] Status yaml_error(const YAML::Node& at, std::string_view key, const TextError& error);

/// An error of the node itself: its token is its text.
[[nodiscard]] Status yaml_error(const YAML::Node& at, std::string_view what,
                                std::string_view expected);

/// True for a plain (not quoted) boolean of YAML 1.1: true, yes, on and their opposites.
[[nodiscard]] bool is_boolean(const YAML::Node& node);

}  // namespace trestle::yaml
