// SPDX-License-Identifier: Apache-2.0
// Batch scripts taken apart and put together.
#include "trestle/dialect/slurm/script/batch_script.hpp"

#include <string>

#include "base/join.hpp"
#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/seed.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/dialect/slurm/script/print_options.hpp"

namespace trestle {
namespace {

struct ScriptRow {
    const char* text;
    const char* interpreter;
    const char* options;
    const char* commands;
    const char* why;
};

const ScriptRow script_rows[] = {
    {"#!/bin/bash\n#SBATCH -N2\n\nsrun a\n", "/bin/bash", "--nodes=2", "srun a", "a script"},
    {"#! /bin/sh -e \n#SBATCH -N2\n", "/bin/sh -e", "--nodes=2", "", "blanks"},
    {"srun a", "", "", "srun a", "commands alone"},
    {"#SBATCH -N2 -n4 # all\n#SBATCH --mem=1G\n", "", "--nodes=2 --ntasks=4 --mem=1G", "",
     "options alone"},
    {"#!/bin/sh\n# why\n\n#SBATCH -N2\n# how\na\n", "/bin/sh", "--nodes=2", "# why\n\n# how\na",
     "comments are the commands'"},
    {"#!/bin/sh\na\n#SBATCH -N2\nb\n", "/bin/sh", "", "a\n#SBATCH -N2\nb",
     "a directive behind a command is a comment"},
    {"#!/bin/sh\n##SBATCH -N2\n#SBATCHX -N3\n", "/bin/sh", "", "##SBATCH -N2\n#SBATCHX -N3",
     "no directives"},
    {"\n#!/bin/sh\na\n", "", "", "#!/bin/sh\na", "an interpreter stands in the first line"},
    {"#!\na\n", "", "", "a", "no interpreter"},
    {"#!/bin/sh\n#SBATCH -n1\n#SBATCH hetjob\n#SBATCH -n2\na\n", "/bin/sh",
     "--ntasks=1 : --ntasks=2", "a", "components"},
    {"#!/bin/sh\n\n \n  a\n\n  b  \n\n", "/bin/sh", "", "  a\n\n  b", "margins go, indents stay"},
    {"", "", "", "", "nothing"},
    {"\n\n", "", "", "", "blank lines"},
};

slurm::BatchScript without_lines(slurm::BatchScript script) {
    for (slurm::JobComponent& one : script.submission.components) {
        for (slurm::PassthroughOption& option : one.options.passthrough) option.line = 0;
    }
    return script;
}

void check_comes_back(const slurm::BatchScript& script) {
    const auto text = slurm::script_text(script);
    REQUIRE(text.ok());
    INFO(*text);
    const auto again = slurm::parse_batch_script(*text);
    REQUIRE(again.ok());
    CHECK(without_lines(*again) == without_lines(script));
    CHECK(*slurm::script_text(*again) == *text);
}

}  // namespace

TEST_CASE("A batch script is interpreter, options and commands", "[slurm]") {
    for (const ScriptRow& row : script_rows) {
        INFO(row.text << ": " << row.why);
        const auto script = slurm::parse_batch_script(row.text);
        REQUIRE(script.ok());
        CHECK(script->interpreter == row.interpreter);
        CHECK(trestle::detail::join(slurm::option_arguments(script->submission), " ") ==
              row.options);
        CHECK(script->commands == row.commands);
        const bool has_mark_first =
            script->interpreter.empty() && script->commands.starts_with("#!");
        if (!has_mark_first || *row.options != '\0') check_comes_back(*script);
    }
}

TEST_CASE("Mistakes in directives do not hide the rest of a script", "[slurm][error]") {
    const auto reading = slurm::read_batch_script("#!/bin/sh\n#SBATCH -N0 -n4\n#SBATCH --x\na\n");
    CHECK(reading.errors.size() == 2);
    CHECK(reading.script.interpreter == "/bin/sh");
    CHECK(reading.script.commands == "a");
    CHECK(reading.script.submission.components.front().options.ntasks == Count(4));
    const auto status = slurm::parse_batch_script("#SBATCH -N0 -n4\n#SBATCH --x\n").status();
    CHECK(status.code() == invalid);
    CHECK(message(status).starts_with("line 1, column 11: --nodes: zero"));
    CHECK(message(status).ends_with("(and 1 more)"));
}

TEST_CASE("A script with DOS line breaks is read with a warning, and parsed by none",
          "[slurm][error]") {
    for (const char* text : {"#! /bin/sh -e \r\n#SBATCH -N2\r\n", "#!/bin/sh\r\n#SBATCH -N2\na\n",
                             "#!/bin/sh\n#SBATCH -N2\na\r\n", "#SBATCH -N2\n\na\r\nb\n"}) {
        INFO(text);
        const auto reading = slurm::read_batch_script(text);
        CHECK(reading.errors.empty());
        CHECK(reading.warnings.size() == 1);
        CHECK(reading.script.submission.components.front().options.nodes->range.least() ==
              Count(2));
        CHECK(message(slurm::parse_batch_script(text).status()) == reading.warnings.at(0));
        CHECK(message(slurm::parse_script(text).status()) == reading.warnings.at(0));
        slurm::SubmissionSources sources;
        sources.script = text;
        CHECK(message(slurm::parse_submission(sources).status()) == reading.warnings.at(0));
    }
}

TEST_CASE("What would be read as something else is not printed", "[slurm][error]") {
    const auto error_of = [](slurm::BatchScript script) {
        const auto text = slurm::script_text(script);
        CHECK(text.status().code() == invalid);
        return std::string(message(text.status()));
    };
    CHECK(error_of({"a\nb", {}, ""}) == "interpreter: a line break: expected a single line");
    CHECK(error_of({"", {}, "#!/bin/sh"}) ==
          "commands: \"#!\" would be the interpreter: expected it there");
    CHECK(error_of({"/bin/sh", {}, "# x\n#SBATCH -n2\n"}) ==
          "commands: \"#SBATCH -n2\" would be a directive: expected none in them");
    CHECK(error_of({"/bin/sh", {}, "a\r\nb"}) ==
          "line 3: a DOS line break, which sbatch refuses: expected none");
    CHECK(error_of({"/bin/sh\r", {}, ""}) ==
          "line 1: a DOS line break, which sbatch refuses: expected none");
    slurm::BatchScript script;
    script.submission.components.front().options.passthrough = {{"comment", "a\nb", 0}};
    CHECK(error_of(script).find("--comment: a line break") == 0);
}

TEST_CASE("Scripts of any lines come back from their text", "[slurm][law]") {
    const char* const lines[] = {
        "#!/bin/sh\n", "#SBATCH -n2\n", "#SBATCH hetjob\n", "# comment\n",
        "\n",          "  \t\n",        "command\n",        "#SBATCH --comment='a b'\n",
        "  indented",  "#SBATCH\n",     "#SBATCHED\n",      "\r\n",
        "#!x\n",       "#SBATCH-N2\n",  "#SBATCH  \n",      " #SBATCH -n3\n",
    };
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    int count = 0;
    for (int round = 0; round < 2000; ++round) {
        std::string text;
        const auto size = rng.below(8);
        for (std::uint64_t i = 0; i < size; ++i) text += lines[rng.below(std::size(lines))];
        INFO(text);
        const auto reading = slurm::read_batch_script(text);
        if (!slurm::script_text(reading.script).ok()) continue;  // "#!" below a blank line
        check_comes_back(reading.script);
        ++count;
    }
    CHECK(count > 1300);
}

}  // namespace trestle
