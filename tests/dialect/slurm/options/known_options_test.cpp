// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options/known_options.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/options/options.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"
#include "trestle/dialect/slurm/script/batch_script.hpp"
#include "trestle/dialect/slurm/script/print_options.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;
using slurm::KnownOptions;
using slurm::OptionValue;

/// What pyxis and a plug-in with flags declare.
KnownOptions site_options() {
    return {{{"container-image", OptionValue::required},
             {"container-mounts", OptionValue::required},
             {"no-container-entrypoint", OptionValue::none},
             {"trestle-explain", OptionValue::optional},
             {"gres", OptionValue::none}},
            std::nullopt};
}

std::string carried_text(const slurm::SubmissionReading& reading) {
    std::string text;
    for (const auto& one : reading.submission.components.front().options.passthrough) {
        text += (text.empty() ? "" : " ") + one.name;
        if (one.value) text += "=" + *one.value;
    }
    return text;
}

}  // namespace

TEST_CASE("Slurm known options: a plug-in's option as sbatch --help shows it", "[dialect][slurm]") {
    struct Row {
        std::string_view text;
        std::string_view name;
        OptionValue value;
    };
    const Row rows[] = {
        {"container-image=IMAGE", "container-image", OptionValue::required},
        {"--container-image=[USER@][REGISTRY#]IMAGE", "container-image", OptionValue::required},
        {"container-image=", "container-image", OptionValue::required},
        {"--no-container-entrypoint", "no-container-entrypoint", OptionValue::none},
        {"container-env[=NAMES]", "container-env", OptionValue::optional},
    };
    for (const Row& row : rows) {
        INFO(row.text);
        const auto option = slurm::parse_plugin_option(row.text);
        REQUIRE(option.ok());
        CHECK(option->name == row.name);
        CHECK(option->value == row.value);
    }
    for (const std::string_view text : {"", "--", "=x", "---a", "a b", "a[", "a[=", "a[x]", "-a"}) {
        INFO(text);
        const auto option = slurm::parse_plugin_option(text);
        REQUIRE_FALSE(option.ok());
        CHECK_THAT(std::string(message(option.status())), ContainsSubstring("name[=VALUE]"));
    }
}

TEST_CASE("Slurm known options: declared options of plug-ins are passed through",
          "[dialect][slurm]") {
    struct Row {
        const char* text;
        const char* carried;
        const char* error;
        const char* why;
    };
    const Row rows[] = {
        {"--container-image=ubuntu -n2", "container-image=ubuntu", "", "a value behind the sign"},
        {"--container-image ubuntu", "container-image=ubuntu", "", "the next word"},
        {"--no-container-entrypoint --container-mounts=/a:/a",
         "no-container-entrypoint container-mounts=/a:/a", "", "a flag takes no word"},
        {"--trestle-explain", "trestle-explain", "", "an optional value may be absent"},
        {"--trestle-explain=all", "trestle-explain=all", "", "or stand behind the sign"},
        {"--container-m=/a", "container-mounts=/a", "", "a beginning that fits no other"},
        {"--container-i=x", "", "the beginning of several", "container-id of Slurm's is the other"},
        {"--container=b", "", "", "a whole name is Slurm's own"},
        {"--container-image", "", "--container-image: missing value", "no word behind it"},
        {"--container-image=", "container-image=", "", "an empty value is the plug-in's to judge"},
        {"--no-container-entrypoint=1", "", "unexpected value", "a flag has none"},
        {"--gres=gpu:1", "", "", "a name of Slurm's is not the plug-in's"},
        {"--container-remap-root", "", "one that KnownOptions or --plugin-option declares",
         "not declared"},
        {"--container-imege=x", "", "the nearest is --container-image", "a letter off"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto reading = slurm::read_option_text(row.text, slurm::Tool::sbatch, site_options());
        CHECK(carried_text(reading) == row.carried);
        REQUIRE(reading.errors.size() == (*row.error == '\0' ? 0 : 1));
        if (*row.error != '\0') {
            CHECK_THAT(to_text(reading.errors.front()), ContainsSubstring(row.error));
        }
    }
    const auto undeclared = slurm::read_option_text("--container-image=ubuntu");
    REQUIRE(undeclared.errors.size() == 1);
    CHECK_THAT(to_text(undeclared.errors.front()), ContainsSubstring("--plugin-option declares"));
}

TEST_CASE("Slurm known options: every reader takes them", "[dialect][slurm]") {
    const KnownOptions known = site_options();
    const std::string_view script =
        "#!/bin/sh\n#SBATCH --container-image=a -n 2\n#SBATCH --no-container-entrypoint\nsrun x\n";
    const std::vector<std::string> words{"--container-image=b", "-N1"};
    CHECK(slurm::read_script(script, known).errors.empty());
    CHECK(slurm::read_script(script).errors.size() == 2);
    CHECK(slurm::parse_script(script, known).ok());
    CHECK(slurm::read_arguments(words, slurm::Tool::srun, known).errors.empty());
    const auto parsed = slurm::parse_options(words, known);
    REQUIRE(parsed.ok());
    CHECK(parsed->options.passthrough.front().name == "container-image");
    CHECK_FALSE(slurm::parse_options(words).ok());
    const auto together = slurm::read_submission({words, {}, script, slurm::Tool::sbatch, known});
    CHECK(together.errors.empty());

    const auto batch = slurm::parse_batch_script(script, known);
    REQUIRE(batch.ok());
    const auto printed = slurm::script_text(*batch);
    REQUIRE(printed.ok());
    CHECK_THAT(*printed, ContainsSubstring("#SBATCH --container-image=a"));
    CHECK(slurm::read_batch_script(*printed, known).errors.empty());
}

TEST_CASE("Slurm known options: options that a release lacks are warned of", "[dialect][slurm]") {
    using enum slurm::Release;
    struct Row {
        const char* text;
        slurm::Release release;
        const char* warning;  ///< empty: none
    };
    const Row rows[] = {
        {"--segment=4", v22_05, "word 1: --segment: no option of Slurm 22.05 (since 24.05)"},
        {"--segment=4", v24_11, ""},
        {"-n1 --spread-segments", v24_11,
         "word 2: --spread-segments: no option of Slurm 24.11 (since 25.11)"},
        {"--spread-segments", v26_05, ""},
        {"--mincores=2", v22_05,
         "word 1: --mincores: no option of Slurm 22.05 (dropped after 19.05)"},
        {"--export-file=/x", v22_05, ""},
        {"--power=level", v24_11,
         "word 1: --power: no option of Slurm 24.11 (dropped after 23.11)"},
        {"--tres-per-task=cpu:2", v22_05,
         "word 1: --tres-per-task: no option of Slurm 22.05 (since 23.02)"},
        {"--gpus=1 --prefer=a -c2", v22_05, ""},
        {"--container-image=x", v22_05, ""},
    };
    for (const Row& row : rows) {
        KnownOptions known = site_options();
        known.release = row.release;
        const auto reading = slurm::read_option_text(row.text, slurm::Tool::sbatch, known);
        INFO(row.text);
        CHECK(reading.errors.empty());
        REQUIRE(reading.warnings.size() == (*row.warning == '\0' ? 0 : 1));
        if (*row.warning != '\0') CHECK(reading.warnings.front() == row.warning);
    }
    KnownOptions old;
    old.release = v22_05;
    const auto script = slurm::read_script("#SBATCH -n1 --segment=2\r\n", old);
    REQUIRE(script.warnings.size() == 2);  // of all sources, in their order
    CHECK_THAT(script.warnings[0], ContainsSubstring("line 1: a DOS line break"));
    CHECK_THAT(script.warnings[1], ContainsSubstring("line 1, column 23: --segment"));
    CHECK_FALSE(slurm::parse_option_text("--segment=2", slurm::Tool::sbatch, old).ok());
    const EnvironmentVariable variable{"SBATCH_TRES_PER_TASK", "cpu:2"};
    const auto environment = slurm::read_environment({&variable, 1}, slurm::Tool::sbatch, old);
    REQUIRE(environment.warnings.size() == 1);
    CHECK_THAT(environment.warnings[0], ContainsSubstring("SBATCH_TRES_PER_TASK: --tres-per-task"));
}

}  // namespace trestle
