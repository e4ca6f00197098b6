// SPDX-License-Identifier: Apache-2.0
// Commands of a run joined to one script, as a shell reads it.
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/dialect/translate/dstack_to_slurm.hpp"

namespace trestle {
namespace {

/// Each is one that a shell reads alone.
constexpr std::array<const char*, 20> whole_commands{{
    "true",
    "# install",
    "  # a\n\n\t# b",
    "#",
    "",
    " \n ",
    "true # why",
    "true # why \\",
    "true &",
    "true;",
    "true \\",
    "true\ntrue \\",
    "true\necho \\\\",
    "# a \\\n# b \\",
    "if true; then true; fi",
    "for a in 1 2; do\n  true # $a\ndone",
    "cat <<E\n# x\nE",
    "cat <<E\nx \\\nE\nE",
    "echo '#' \"a\nb\"",
    "f() {\n  true\n}",
}};

bool is_read_by_sh(const std::string& script) {
    std::FILE* const shell = ::popen("sh -n 2>/dev/null", "w");
    REQUIRE(shell != nullptr);
    const bool is_written = std::fwrite(script.data(), 1, script.size(), shell) == script.size();
    return ::pclose(shell) == 0 && is_written;
}

std::string program_of(const std::vector<std::string>& commands) {
    std::string list;
    for (const std::string& one : commands) {
        list += (list.empty() ? "" : ", ") + std::string("\"");
        for (const char c : one) {
            if (c == '"' || c == '\\') list += '\\';
            list += c == '\n' ? "\\n" : c == '\t' ? "\\t" : std::string(1, c);
        }
        list += '"';
    }
    dstack::RunConfiguration run;
    run.passthrough.push_back({"commands", 0, "[" + list + "]"});
    return slurm::script_text(translate::to_slurm(run).value).value();
}

}  // namespace

TEST_CASE("Commands: joined ones are still read by a shell", "[dialect][translate][law]") {
    for (const char* one : whole_commands) {
        INFO(one);
        CHECK(is_read_by_sh(program_of({one, "true"})));
        CHECK(is_read_by_sh(program_of({"true", one})));
    }
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    for (int round = 0; round < 60; ++round) {
        std::vector<std::string> commands(1 + rng.below(8));
        for (std::string& one : commands) one = whole_commands[rng.below(whole_commands.size())];
        const std::string script = program_of(commands);
        INFO(script);
        CHECK(is_read_by_sh(script));
    }
}

}  // namespace trestle
