// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/gpu.hpp"

#include "support/catch.hpp"
#include "trestle/dialect/dstack/cpu.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("dstack GPU: parts by the first rule that fits", "[dialect][dstack]") {
    struct Row {
        const char* text;
        const char* expected;  ///< the canonical text
        const char* why;
    };
    const Row rows[] = {
        {"1", "1", "a count, exact"},
        {"80", "80", "eighty GPUs, not 80GB"},
        {"80GB", "80GB:1..", "memory; the count becomes one or more"},
        {"A100", "A100:1..", "a name is not one GPU"},
        {"A10G,A100", "A10G,A100:1..", "any of two"},
        {"nvidia", "nvidia:1..", "a vendor"},
        {"NVIDIA:2", "nvidia:2", "in any case"},
        {"nvidia:1..8", "nvidia:1..8", "and a range"},
        {"tpu:1", "google:1", "another word for google"},
        {"tt:1", "tenstorrent:1", "another word for tenstorrent"},
        {"24GB..", "24GB..:1..", "memory at least"},
        {"24GB..40GB:2", "24GB..40GB:2", "memory and count"},
        {"24..80", "24..80", "a count without a letter"},
        {"24..80GB", "24GB..80GB:1..", "memory with one"},
        {"24GB..80", "24GB..80GB:1..", "at either end"},
        {"1e3", "1000GB:1..", "a letter makes it memory"},
        {"A100:80GB", "A100:80GB:1..", "name and memory"},
        {"A100:2", "A100:2", "name and count"},
        {"2:A100", "A100:2", "any order"},
        {"A100:40GB:2", "A100:40GB:2", "three parts"},
        {"nvidia:A100:80GB:4..8", "nvidia:A100:80GB:4..8", "four"},
        {"4..8:80GB:A100:nvidia", "nvidia:A100:80GB:4..8", "from the end"},
        {"40GB..80GB:4..8", "40GB..80GB:4..8", "two ranges"},
        {"A100 : 80 GB", "A100:80GB:1..", "blanks count for nothing"},
        {"A100 80GB", "A10080GB:1..", "so this is one name"},
        {"v5litepod-8", "v5litepod-8:1..", "a TPU slice is a name"},
        {"tpu-v5litepod-8", "v5litepod-8:1..", "a prefix that says nothing"},
        {"gb", "gb:1..", "a letter first: a name"},
        {"1_0", "10", "Python's separator"},
        {"0", "0", "none at all"},
        {"..4", "..4", "at most"},
        {"{}", "1..", "a mapping that says nothing"},
        {" {vendor: tpu, name: [v5e, v6e], count: 2}", "google:v5e,v6e:2", "one with a short form"},
        {"{total_memory: 320GB.., count: 2..}", "{count: 2.., total_memory: 320GB..}",
         "no short form"},
        {"{name: H100, compute_capability: 9.0..}",
         "{name: [\"H100\"], count: 1.., compute_capability: 9.0..}", "no short form"},
        {"{name: 80GB, count: 1}", "{name: [\"80GB\"], count: 1}",
         "a name that begins with a digit"},
        {"{memory: {min: 24GB, max: 80GB},\n count: 4}", "24GB..80GB:4", "lines count as blanks"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto gpu = dstack::parse_gpu(row.text);
        INFO(message(gpu.status()));
        REQUIRE(gpu.ok());
        CHECK(dstack::to_text(*gpu) == row.expected);
        CHECK(dstack::parse_gpu(dstack::to_text(*gpu)).value() == *gpu);
    }
}

TEST_CASE("dstack GPU: a malformed specification says what, where and what was expected",
          "[dialect][dstack]") {
    struct Row {
        const char* text;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"", "gpu: empty part at offset 0 (end of text): expected vendor:names:memory:count",
         "nothing"},
        {"A100:", "empty part at offset 5", "nothing behind the colon"},
        {":2", "empty part at offset 0", "nothing before it"},
        {"A100::2", "empty part at offset 5", "nothing between two"},
        {"A100,:2", "empty GPU name at offset 5", "nothing behind the comma"},
        {"nvidia:amd", "a second vendor at offset 7 (\"amd\")", "two vendors"},
        {"A100:H100", "a second name part at offset 5 (\"H100\")", "a comma was meant"},
        {"40GB:80GB", "a second memory part at offset 5", "a range was meant"},
        {"1:2", "a second count at offset 2", "a range was meant"},
        {"nvidia,amd", "a vendor where a name belongs at offset 0",
         "mended: dstack reads two names"},
        {"16G", "unknown unit at offset 2 (\"G\")", "no such unit"},
        {"2x", "unknown unit at offset 1 (\"x\")", "a letter makes it memory"},
        {"8*A100", "unknown unit at offset 1", "so does this one"},
        {"*", "malformed count at offset 0 (\"*\")", "else a count"},
        {"7.5", "malformed count at offset 0", "capability has no short form"},
        {"-1", "negative count at offset 0", "mended: dstack takes it"},
        {"A100: -1", "negative count at offset 6", "the offset counts the blank"},
        {"A100;2", "malformed GPU name at offset 4", "a wrong sign"},
        {"\u0663", "malformed count at offset 0", "mended: an Arabic three"},
        {"8..4", "a range that goes down at offset 0", "downwards"},
        {"80GB..40GB", "a range that goes down at offset 0", "downwards"},
        {"..", "empty range at offset 0", "no end"},
        {"{", "gpu: YAML: ", "a brace without its partner"},
        {"{count: 2} x", "text behind the mapping at offset 11 (\"x\"): expected nothing more",
         "something behind it"},
        {" {}}", "text behind the mapping at offset 3", "one brace too many"},
        {"{total_memory: 1Gi}", "total_memory: unknown unit at offset 16 (\"Gi\")", "no unit"},
        {"{count: 1,\n nmae: A100}",
         "unknown key at offset 12 (\"nmae\"): expected a known key; the nearest is name",
         "a slip"},
        {"{name: []}", "name: empty list at offset 7", "no name"},
        {"{count: true}", "count: no text or number at offset 8 (\"true\")", "a boolean"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto gpu = dstack::parse_gpu(row.text);
        REQUIRE_FALSE(gpu.ok());
        const std::string line(message(gpu.status()));
        CHECK_THAT(line, ContainsSubstring(row.expected));
        CHECK(line.find('\n') == std::string::npos);
    }
}

TEST_CASE("dstack CPU: architecture and count in any order", "[dialect][dstack]") {
    struct Row {
        const char* text;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"8", "8", "exact"},
        {"2..", "2..", "at least"},
        {"x86", "x86:2..", "the count has its default"},
        {"ARM:8", "arm:8", "any case"},
        {"4..8:x86", "x86:4..8", "any order"},
        {" arm : 4 ", "arm:4", "blanks count for nothing"},
        {"0..4", "0..4", "at most four"},
        {"8.0", "8", "a whole number with a point"},
        {"1_6", "16", "an underscore between digits"},
        {"+4", "4", "a sign that says nothing"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto cpu = dstack::parse_cpu(row.text);
        INFO(message(cpu.status()));
        REQUIRE(cpu.ok());
        CHECK(dstack::to_text(*cpu) == row.expected);
        CHECK(dstack::parse_cpu(dstack::to_text(*cpu)).value() == *cpu);
    }
    const Row errors[] = {
        {"", "cpu: empty part at offset 0", "nothing"},
        {"x86:", "empty part at offset 4", "nothing behind the colon"},
        {"amd64:4", "unknown architecture at offset 0 (\"amd64:4\"): expected x86 or arm",
         "another word"},
        {"x86:arm", "a second architecture at offset 4", "two"},
        {"4:8", "a second count at offset 2", "a range was meant"},
        {"-1", "negative count at offset 0", "below zero"},
        {"-1..4", "negative count at offset 0", "mended: dstack takes it"},
        {"8c", "malformed count at offset 0", "no unit"},
        {"0", "no CPU at all at offset 0", "nothing can run"},
    };
    for (const Row& row : errors) {
        INFO(row.text << ": " << row.why);
        const auto cpu = dstack::parse_cpu(row.text);
        REQUIRE_FALSE(cpu.ok());
        // the token is the whole part, as far as the next comma or blank
        const std::string line(message(cpu.status()));
        const std::string expected(row.expected);
        CHECK_THAT(line, ContainsSubstring(expected.substr(0, expected.find(" (\""))));
    }
}
