// SPDX-License-Identifier: Apache-2.0
#pragma once

// The subcommands and options of a program, as a list.
//
// Layer: tool. Main types: DeclaredOption, DeclaredCommand; commands_of reads them.

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace trestle::tool {

struct DeclaredOption {
    std::vector<std::string> names;  ///< with their dashes; of a positional its name alone
    std::string value;               ///< `FILE`; empty: it takes none
    std::string description;
    bool is_positional = false;
};

struct DeclaredCommand {
    std::string name;  ///< empty: the program itself
    std::string description, usage, footer;
    std::vector<DeclaredOption> options;
};

/// The program, then its subcommands, in the order of their declaration.
[[nodiscard]] std::vector<DeclaredCommand> commands_of(const CLI::App& program);

}  // namespace trestle::tool
