// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "declared.hpp"
#include "pages.hpp"
#include "trestle/version.hpp"

namespace trestle::tool {
namespace {

/// Text as man(7) prints it as it is.
std::string escaped(std::string_view text) {
    std::string made;
    for (const char c : text) {
        const bool starts_line = made.empty() || made.back() == '\n';
        if (starts_line && (c == '.' || c == '\'')) made += "\\&";
        if (c == '\\') {
            made += "\\e";
        } else if (c == '-') {
            made += "\\-";
        } else {
            made += c;
        }
    }
    return made;
}

/// Lines as they are, each by itself.
std::string block(std::string_view text) {
    return text.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(text));
}

std::string option_text(const DeclaredOption& option) {
    std::string names;
    for (const std::string& name : option.names) {
        names += (names.empty() ? "" : ", ") + fmt::format("\\fB{}\\fR", escaped(name));
    }
    const bool has_value = !option.value.empty() && !option.is_positional;
    return fmt::format(".TP\n{}{}\n{}\n", names,
                       has_value ? fmt::format(" \\fI{}\\fR", escaped(option.value)) : "",
                       escaped(option.description));
}

}  // namespace

std::string manual_page(const CLI::App& program) {
    const auto commands = commands_of(program);
    const DeclaredCommand& whole = commands.front();
    std::string page = fmt::format(
        ".TH TRESTLE 1 \"\" \"Trestle {}\"\n.SH NAME\ntrestle \\- {}\n.SH SYNOPSIS\n{}"
        ".SH DESCRIPTION\n{}\n",
        version_text, "answers questions about clusters and jobs", block(whole.usage),
        escaped(whole.description));
    page += block(whole.footer);
    page += ".SH OPTIONS\n";
    for (const DeclaredOption& option : whole.options) page += option_text(option);
    page += ".SH COMMANDS\n";
    for (std::size_t i = 1; i < commands.size(); ++i) {
        const DeclaredCommand& command = commands[i];
        page += fmt::format(".SS {}\n{}.\n{}", command.name, escaped(command.description),
                            block(command.usage));
        for (const DeclaredOption& option : command.options) page += option_text(option);
        page += block(command.footer);
    }
    page +=
        ".SH ENVIRONMENT\n.TP\n\\fBSLURM_CONF\\fR\nThe slurm.conf of the cluster, if --cluster is "
        "not given.\n.TP\n\\fBNO_COLOR\\fR\nIf it is set and not empty, nothing is coloured.\n";
    return page;
}

}  // namespace trestle::tool
