// SPDX-License-Identifier: Apache-2.0
// What of YAML itself dstack's files may hold: merged mappings, numbers as they are written, sizes.
#include <string>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/configuration.hpp"
#include "trestle/dialect/dstack/resources.hpp"

namespace trestle {
namespace {

/// The file as it is printed, or its errors.
std::string read_of(const std::string& yaml) {
    const auto reading = dstack::read_configuration(yaml);
    if (reading.errors.empty()) return to_text(reading.configuration);
    std::string text;
    for (const dstack::SpecError& error : reading.errors) text += to_text(error) + "\n";
    return text;
}

std::string resources_of(const std::string& yaml) {
    const auto reading = dstack::read_resources(yaml);
    if (reading.errors.empty()) return pretty_text(reading.resources);
    std::string text;
    for (const dstack::SpecError& error : reading.errors) text += to_text(error) + "\n";
    return text;
}

}  // namespace

TEST_CASE("dstack files: merge keys are followed", "[dialect][dstack]") {
    struct Row {
        const char* merged;
        const char* plain;
        const char* why;
    };
    const Row rows[] = {
        {"type: task\ntags: &t {a: b}\nname: x\nenv: {<<: *t, c: d}",
         "type: task\ntags: {a: b}\nname: x\nenv: {c: d, a: b}", "a mapping of variables"},
        {"type: task\ntags: &t {a: b, c: e}\nenv: {<<: *t, c: d}",
         "type: task\ntags: {a: b, c: e}\nenv: {c: d, a: b}", "what is there stays"},
        {"type: task\ntags: [&x {a: 1, b: 1}, &y {b: 2, c: 2}]\nenv: {<<: [*x, *y]}",
         "type: task\ntags: [{a: 1, b: 1}, {b: 2, c: 2}]\nenv: {a: 1, b: 1, c: 2}",
         "of several the first wins"},
        {"type: task\ntags: [&x {a: 1}, &y {<<: *x, b: 2}]\nenv: {<<: *y}",
         "type: task\ntags: [{a: 1}, {b: 2, a: 1}]\nenv: {b: 2, a: 1}",
         "what is merged may merge, in what is passed through as well"},
        {"<<: {type: task, name: x}\nname: y", "type: task\nname: y", "the whole file"},
        {"type: task\nresources: {<<: {gpu: 1, memory: 1GB}, gpu: {<<: {count: 2}, name: A100}}",
         "type: task\nresources: {memory: 1GB, gpu: {count: 2, name: A100}}", "resources"},
        {"type: task\nresources: {disk: {<<: {size: 50GB..}}}",
         "type: task\nresources: {disk: {size: 50GB..}}", "a size of a disk"},
        {"type: task\nresources: {disk: {<<: {min: 50GB}}}",
         "type: task\nresources: {disk: {min: 50GB}}", "a range of a disk"},
        {"type: fleet\nssh_config: {hosts: [&h {hostname: a, blocks: 2}, {<<: *h, hostname: b}]}",
         "type: fleet\nssh_config: {hosts: [{hostname: a, blocks: 2}, {hostname: b, blocks: 2}]}",
         "hosts"},
        {"type: task\nname: x\n<<: {}", "type: task\nname: x", "nothing in it"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(read_of(row.merged) == read_of(row.plain));
        CHECK(dstack::read_configuration(row.plain).errors.empty());
    }
    CHECK(resources_of("<<: {gpu: 2}\ncpu: 4") == resources_of("gpu: 2\ncpu: 4"));
}

TEST_CASE("dstack files: what cannot be merged is an error", "[dialect][dstack]") {
    struct Row {
        const char* yaml;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"type: task\n<<: x",
         "line 2, column 5: <<: nothing to merge at offset 0 (\"x\"): expected a mapping, or a "
         "list "
         "of mappings\n",
         "a word"},
        {"type: task\n<<:",
         "line 2, column 1: <<: nothing to merge at offset 0 (\"null\"): expected a mapping, or a "
         "list of mappings\n",
         "nothing"},
        {"type: task\n<<: []",
         "line 2, column 5: <<: nothing to merge at offset 0 (\"[\"): expected a mapping, or a "
         "list "
         "of mappings\n",
         "an empty list"},
        {"type: task\n<<: [{name: y}, 1]",
         "line 2, column 17: <<: nothing to merge at offset 0 (\"1\"): expected a mapping, or a "
         "list "
         "of mappings\n",
         "a number in the list"},
        {"type: task\n<<: {nam: y}",
         "line 2, column 6: unknown key at offset 0 (\"nam\"): expected a known key; the nearest "
         "is "
         "name\n",
         "a slip, where it stands"},
        {"type: task\n<<: {}\n<<: {}",
         "line 3, column 1: key given twice at offset 0 (\"<<\"): expected each key once\n",
         "two of them"},
        {"type: task\n\"<<\": {name: y}",
         "line 2, column 1: unknown key at offset 0 (\"<<\"): expected a known key\n",
         "in quotes it is a key as any other"},
        {"type: task\ntags: &a {<<: *a}",
         "line 2, column 7: <<: it merges too deep at offset 0 (\"{\"): expected at most 48 "
         "levels\n",
         "a mapping merged into itself"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(read_of(row.yaml) == row.expected);
    }
    std::string doubled = "type: task\ntags:\n- &a0 {}\n";
    for (int i = 1; i < 40; ++i)
        doubled += fmt::format("- &a{} {{<<: [*a{}, *a{}]}}\n", i, i - 1, i - 1);
    CHECK_THAT(read_of(doubled),
               Catch::Matchers::ContainsSubstring("with the aliases written out"));
    std::string wide = "type: task\ntags:\n- &a {";
    for (int i = 0; i < 3000; ++i) wide += fmt::format("k{}: 1, ", i);
    wide += "}\n- {<<: [";
    for (int i = 0; i < 3000; ++i) wide += "*a, ";
    CHECK_THAT(read_of(wide + "]}\n"), Catch::Matchers::ContainsSubstring("too much"));
}

TEST_CASE("dstack files: numbers are read as they are written", "[dialect][dstack]") {
    CHECK(resources_of("cpu: 010") == resources_of("cpu: 10"));
    CHECK(resources_of("gpu: 010") == resources_of("gpu: 10"));
    CHECK_THAT(resources_of("gpu: {count: 0x10}"),
               Catch::Matchers::ContainsSubstring("malformed count at offset 0"));
    CHECK_THAT(resources_of("cpu: 0b11"), Catch::Matchers::ContainsSubstring("line 1, column 6"));
    CHECK_THAT(resources_of("gpu: {count: 1:30}"), Catch::Matchers::ContainsSubstring("malformed"));
    CHECK_THAT(read_of("type: task\nnodes: 0o10"), Catch::Matchers::ContainsSubstring("nodes: "));
}

TEST_CASE("dstack files: more than 64 KiB or 64 levels are refused", "[dialect][dstack]") {
    const std::string head = "type: task\nimage: ";
    const auto nested = [&](std::size_t levels) {
        return "type: task\ntags: " + std::string(levels, '[') + std::string(levels, ']');
    };
    CHECK(dstack::read_configuration(head + std::string(65'536 - head.size(), 'a')).errors.empty());
    CHECK_THAT(read_of(head + std::string(65'537 - head.size(), 'a')),
               Catch::Matchers::ContainsSubstring("65537 bytes: expected at most 65536"));
    CHECK(dstack::read_configuration(nested(40)).errors.empty());
    CHECK_THAT(read_of(nested(70)), Catch::Matchers::ContainsSubstring("at most 64 levels"));
}

TEST_CASE("dstack files: backends may be any words", "[dialect][dstack]") {
    const auto file = dstack::parse_configuration("type: task\nbackends: [aws, moonbase]");
    REQUIRE(file.ok());
    CHECK(file->run->profile.backends == std::vector<std::string>{"aws", "moonbase"});
}

}  // namespace trestle
