// SPDX-License-Identifier: Apache-2.0
// trestle_tool_pages FOLDER: writes the manual page and the completions of `trestle` below FOLDER,
// each where it is installed below share/.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "call/command.hpp"
#include "pages/pages.hpp"

int main(int argc, char** argv) {
    namespace tool = trestle::tool;
    if (argc != 2) {
        fmt::print(stderr, "usage: trestle_tool_pages FOLDER\n");
        return tool::exit_bad_input;
    }
    tool::Call call;
    CLI::App program(tool::program_description, "trestle");
    tool::declare_program(program, call);
    const std::pair<const char*, std::string> files[] = {
        {"man/man1/trestle.1", tool::manual_page(program)},
        {"bash-completion/completions/trestle", tool::bash_completion(program)},
        {"zsh/site-functions/_trestle", tool::zsh_completion(program)},
        {"fish/vendor_completions.d/trestle.fish", tool::fish_completion(program)}};
    for (const auto& [name, text] : files) {
        const std::filesystem::path path = std::filesystem::path(argv[1]) / name;
        std::error_code error;
        std::filesystem::create_directories(path.parent_path(), error);
        std::ofstream file(path);
        file << text;
        file.close();
        if (file) continue;
        fmt::print(stderr, "trestle_tool_pages: {}: it cannot be written\n", path.string());
        return tool::exit_bad_input;
    }
    return tool::exit_yes;
}
