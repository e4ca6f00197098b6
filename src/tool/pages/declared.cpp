// SPDX-License-Identifier: Apache-2.0
#include "declared.hpp"

#include <CLI/App.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trestle::tool {
namespace {

DeclaredOption declared(const CLI::Option& option) {
    DeclaredOption made;
    for (const std::string& name : option.get_snames()) made.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) made.names.push_back("--" + name);
    made.is_positional = made.names.empty();
    if (made.is_positional) made.names.push_back(option.get_name(true));
    if (option.get_items_expected_max() > 0) made.value = option.get_type_name();
    made.description = option.get_description();
    return made;
}

DeclaredCommand declared(const CLI::App& command) {
    DeclaredCommand made;
    made.name = command.get_name();
    made.description = command.get_description();
    const std::string help = command.help();
    constexpr std::string_view before = "usage: ";
    const std::size_t usage = std::min(help.find(before), help.size()) + before.size();
    made.usage = help.substr(usage, help.find('\n', usage) - usage);
    made.footer = command.get_footer();
    for (const CLI::Option* const option : command.get_options()) {
        made.options.push_back(declared(*option));
    }
    return made;
}

}  // namespace

std::vector<DeclaredCommand> commands_of(const CLI::App& program) {
    std::vector<DeclaredCommand> commands{declared(program)};
    commands.front().name.clear();
    for (const CLI::App* const one :
         program.get_subcommands([](const CLI::App*) { return true; })) {
        commands.push_back(declared(*one));
    }
    return commands;
}

}  // namespace trestle::tool
