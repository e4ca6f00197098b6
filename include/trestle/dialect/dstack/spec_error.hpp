// SPDX-License-Identifier: Apache-2.0
#pragma once

// One mistake in a YAML text of dstack, with its place.
//
// Layer: dialect/dstack. Main type: SpecError.
// Pitfall: the offset counts inside the value that stands at line and column, so that of `gpu:
// A100:x` is 5 for the `x`.

#include <cstdint>
#include <string>

#include "trestle/base/fields.hpp"
#include "trestle/base/text.hpp"

namespace trestle::dstack {

/// One mistake in a YAML text.
struct SpecError {
    std::uint32_t line = 0;    ///< counts from 1; 0: the text as a whole
    std::uint32_t column = 0;  ///< counts from 1
    std::string key;           ///< whose value it is; empty for a key itself
    TextError error;           ///< its offset counts from the start of the value

    static constexpr auto fields(auto list) {
        return list(field("line", &SpecError::line), field("column", &SpecError::column),
                    field("key", &SpecError::key), field("error", &SpecError::error));
    }
    friend bool operator==(const SpecError&, const SpecError&) = default;
};

/// `line 2, column 8: gpu: empty part at offset 5 (":"): expected ...`.
[[nodiscard]] inline std::string to_text(const SpecError& error) {
    if (error.line == 0) {
        return "YAML: " + error.error.what + ": expected " + error.error.expected;
    }
    const std::string key = error.key.empty() ? "" : error.key + ": ";
    return "line " + std::to_string(error.line) + ", column " + std::to_string(error.column) +
           ": " + key + to_text(error.error);
}

/// A key that dstack knows and this library has no use for, as it was written.
struct PassthroughKey {
    std::string name;
    std::uint32_t line = 0;  ///< where the name stood; counts from 1
    std::string text;        ///< its value as YAML in one line, aliases written out

    static constexpr auto fields(auto list) {
        return list(field("name", &PassthroughKey::name), field("line", &PassthroughKey::line),
                    field("text", &PassthroughKey::text));
    }
    friend bool operator==(const PassthroughKey&, const PassthroughKey&) = default;
};

}  // namespace trestle::dstack
