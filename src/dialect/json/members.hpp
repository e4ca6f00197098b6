// SPDX-License-Identifier: Apache-2.0
#pragma once

// Members of JSON objects that another program wrote, which may be absent or of another kind.
//
// Layer: dialect/json. Main names: member, text_of, list_of.
// Pitfall: what is of another kind counts as absent.

#include <string>
#include <string_view>

#include "trestle/dialect/json/value.hpp"

namespace trestle::json {

/// The member of an object; null: there is none.
[[nodiscard]] const Value* member(const Value& object, std::string_view name);
/// The text; empty: none.
[[nodiscard]] std::string text_of(const Value& object, std::string_view name);
/// The elements; empty: no list.
[[nodiscard]] const List& list_of(const Value& object, std::string_view name);

}  // namespace trestle::json
