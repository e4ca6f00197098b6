// SPDX-License-Identifier: Apache-2.0
#pragma once

// Command: a program to start.
//
// Layer: enforce. Main type: Command.
// Pitfall: the environment is the whole environment, nothing is inherited silently. Its values are
// secrets; the arguments are not, as every user of the machine can list them.

#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/enforce/process/environment.hpp"

namespace trestle {

/// A program to start. Standard input, output and error are those of the starting process.
struct Command {
    std::vector<std::string> arguments;  ///< the program first, found along PATH; not empty
    std::vector<EnvironmentVariable> environment = {};
    std::string directory = {};  ///< empty: that of the starting process

    static constexpr auto fields(auto list) {
        return list(field("arguments", &Command::arguments),
                    field("environment", &Command::environment),
                    field("directory", &Command::directory));
    }
    friend bool operator==(const Command&, const Command&) = default;
};

}  // namespace trestle
