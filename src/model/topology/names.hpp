// SPDX-License-Identifier: Apache-2.0
#pragma once

// Names inside a topology: each thing has one, and no other thing of its kind has the same.
//
// Layer: model (private).
// Pitfall: only one list is checked. The caller that has two lists decides whether they may share a
// name.

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/status.hpp"

namespace trestle::detail {

/// Ok when no name is empty or stands twice. Errors: InvalidArgument that starts with `kind`.
template <class Named>
[[nodiscard]] Status check_names(std::string_view kind, const std::vector<Named>& things) {
    std::vector<std::string_view> names;
    names.reserve(things.size());
    for (const Named& thing : things) {
        if (thing.name.empty()) {
            return invalid_argument("{}: number {} has no name", kind, names.size());
        }
        names.push_back(thing.name);
    }
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice == names.end()) return {};
    return invalid_argument("{} {}: the name stands twice", kind, *twice);
}

}  // namespace trestle::detail
