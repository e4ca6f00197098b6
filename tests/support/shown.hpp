// SPDX-License-Identifier: Apache-2.0
// The variables of a list that is written down in a test, for everybody to see.
#pragma once

#include <vector>

#include "trestle/enforce/process/environment.hpp"

namespace trestle {

[[nodiscard]] inline std::vector<EnvironmentVariable> shown(
    std::vector<EnvironmentVariable> variables) {
    for (EnvironmentVariable& variable : variables) {
        variable.value = EnvironmentVariable::Value::shown(variable.value.reveal());
    }
    return variables;
}

}  // namespace trestle
