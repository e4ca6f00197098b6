// SPDX-License-Identifier: Apache-2.0
// Secrets in systemd's documents: in none of the forms that other users read.
#include <algorithm>
#include <string>
#include <vector>

#include "enforce/process/environment_words.hpp"
#include "support/catch.hpp"
#include "support/codes.hpp"
#include "trestle/dialect/container/systemd_unit.hpp"
#include "trestle/dialect/json/json.hpp"

namespace trestle::container {
namespace {

using Catch::Matchers::ContainsSubstring;

SystemdDocument secret_unit(const std::vector<EnvironmentVariable>& variables,
                            const std::string& secret_file) {
    Plan plan;
    plan.group = "job_7";
    plan.process.environment = variables;
    UnitOptions options;
    options.command.arguments = {"true"};
    options.secret_file = secret_file;
    auto document = systemd_unit(plan, options);
    INFO(document.status().ToString());
    REQUIRE(document.ok());
    return *std::move(document);
}

/// What others may come to see: the words of ps, the unit, systemd's properties, JSON and rows.
std::string public_text(const SystemdDocument& document) {
    std::string text = systemd_run_line(document.content) + unit_text(document.content) +
                       json::to_json_text(document) + kept_table(document.limits);
    for (const std::string& word : systemd_run_words(document.content)) text += word + "\n";
    for (const UnitProperty& property : document.content.properties) {
        text += property.name + "=" + property.value + "\n";
    }
    return text;
}

std::string file_of(const SystemdUnit& unit) {
    const auto at = std::find_if(unit.properties.begin(), unit.properties.end(),
                                 [](const auto& one) { return one.name == "EnvironmentFile"; });
    return at == unit.properties.end() ? "" : at->value;
}

}  // namespace

TEST_CASE("systemd_unit: a secret stands in the secret file only", "[dialect][container]") {
    const std::vector<EnvironmentVariable> variables = {
        {"TOKEN", "hunter2 $x `y` \"z\" \\"}, shown_variable("LEVEL", "three"), {"LINES", "a\nb"}};
    const SystemdDocument document = secret_unit(variables, "/run/jobs/100%.env");
    CHECK(secret_text(document.content) ==
          "TOKEN=\"hunter2 \\$x \\`y\\` \\\"z\\\" \\\\\"\nLINES=\"a\nb\"\n");
    CHECK(file_of(document.content) == "/run/jobs/100%.env");
    const std::string seen = public_text(document);
    CHECK(seen.find("hunter2") == std::string::npos);
    CHECK_THAT(seen, ContainsSubstring("--setenv=LEVEL=three") &&
                         ContainsSubstring("--property=EnvironmentFile=/run/jobs/100%.env") &&
                         ContainsSubstring("Environment=\"LEVEL=three\"") &&
                         ContainsSubstring("EnvironmentFile=/run/jobs/100%%.env\n"));
    CHECK(losses(document.limits).empty());
}

TEST_CASE("systemd_unit: a secret without a secret file is a loss", "[dialect][container]") {
    const SystemdDocument document =
        secret_unit({{"TOKEN", "hunter2"}, shown_variable("LEVEL", "three")}, "");
    CHECK(public_text(document).find("hunter2") == std::string::npos);
    CHECK(secret_text(document.content).empty());
    CHECK(file_of(document.content).empty());
    const auto lost = losses(document.limits);
    REQUIRE(lost.size() == 1);
    CHECK(lost.front().resource == "environment");
    CHECK(lost.front().limit == "\"TOKEN\"");
    CHECK_THAT(lost.front().how, ContainsSubstring("secret_file"));
}

TEST_CASE("systemd_unit: a secret file is named only where there is a secret",
          "[dialect][container]") {
    const SystemdDocument document = secret_unit({shown_variable("LEVEL", "three")}, "/run/x.env");
    CHECK(file_of(document.content).empty());
    CHECK(secret_text(document.content).empty());
}

TEST_CASE("systemd_unit: a secret file that systemd would read as something else is refused",
          "[dialect][container]") {
    Plan plan;
    plan.group = "job_7";
    UnitOptions options;
    options.command.arguments = {"true"};
    for (const char* path : {"relative", "-/run/x", "/run/a b", "/run/*", "/run/[a]", "/run/?",
                             "/run/a\nb", "/run/\\x41", "/run/\"a\"", "/run/\xff"}) {
        INFO(path);
        options.secret_file = path;
        CHECK(systemd_unit(plan, options).status().code() == invalid);
    }
}

}  // namespace trestle::container
