// SPDX-License-Identifier: Apache-2.0
#include "members.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace trestle::json {

const Value* member(const Value& object, std::string_view name) {
    const auto* const members = std::get_if<Object>(&object.data);
    if (members == nullptr) return nullptr;
    for (const Member& one : *members) {
        if (one.name == name) return &one.value;
    }
    return nullptr;
}

std::string text_of(const Value& object, std::string_view name) {
    const Value* const value = member(object, name);
    const auto* const text = value == nullptr ? nullptr : std::get_if<std::string>(&value->data);
    return text == nullptr ? "" : *text;
}

const List& list_of(const Value& object, std::string_view name) {
    static const List none;
    const Value* const value = member(object, name);
    const auto* const list = value == nullptr ? nullptr : std::get_if<List>(&value->data);
    return list == nullptr ? none : *list;
}

}  // namespace trestle::json
