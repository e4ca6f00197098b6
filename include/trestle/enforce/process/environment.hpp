// SPDX-License-Identifier: Apache-2.0
#pragma once

// EnvironmentVariable: a name and its value.
//
// Layer: enforce. Main type: EnvironmentVariable.
// A reader would get wrong: lists are in the order in which a program sees them; who wins between
// equal names is said where lists meet.

#include <string>

#include "trestle/base/fields.hpp"

namespace trestle {

/// A name and its value.
struct EnvironmentVariable {
    std::string name;
    std::string value;

    static constexpr auto fields(auto list) {
        return list(field("name", &EnvironmentVariable::name),
                    field("value", &EnvironmentVariable::value));
    }
    friend bool operator==(const EnvironmentVariable&, const EnvironmentVariable&) = default;
};

}  // namespace trestle
