// SPDX-License-Identifier: Apache-2.0
#pragma once

// JSON: every value of the library to text and back without loss.
//
// Layer: dialect. to_json_text(value), from_json_text<T>(text). The mapping stands in codec.hpp;
// documents are objects of the field names, as `{"name":"n0","weight":2}`.
// Pitfall: reading is strict. An unknown name is an error, so is a name that stands twice, and so
// is a value that its check() refuses: check(shape), check(request).

#include <string>
#include <string_view>

#include "trestle/dialect/json/codec.hpp"
#include "trestle/dialect/json/value.hpp"

namespace trestle::json {

/// The JSON text of `value`. Equal values have equal text.
template <Codable T>
[[nodiscard]] std::string to_json_text(const T& value, Layout layout = Layout::one_line) {
    return print(to_value(value), layout);
}

/// The value that `text` describes: from_json_text<T>(to_json_text(x)) == x.
/// Errors: InvalidArgument, one line, as parse and from_value say.
template <Codable T>
[[nodiscard]] StatusOr<T> from_json_text(std::string_view text) {
    TRESTLE_TRY(const Value document, parse(text));
    return from_value<T>(document);
}

}  // namespace trestle::json
