// SPDX-License-Identifier: Apache-2.0
#include "trestle/os/program.hpp"

#include <unistd.h>

#include <string_view>

#include "start_process.hpp"

namespace trestle::os {

std::vector<EnvironmentVariable> current_environment() {
    std::vector<EnvironmentVariable> variables;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) continue;
        variables.push_back(
            {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))});
    }
    return variables;
}

StatusOr<std::string> find_program(const Command& command) {
    if (command.arguments.empty()) return invalid_argument("it is empty, expected a program");
    std::vector<std::string> environment;
    for (const EnvironmentVariable& variable : command.environment) {
        environment.push_back(variable.name + "=" + variable.value);
    }
    const std::string& name = command.arguments.front();
    for (const std::string& file : detail::program_candidates(name, detail::path_of(environment))) {
        if (access(file.c_str(), X_OK) == 0) return file;
    }
    return not_found("{}: no such program along PATH, expected one that may be executed", name);
}

}  // namespace trestle::os
