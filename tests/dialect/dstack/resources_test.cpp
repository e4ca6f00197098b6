// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/resources.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

namespace {

dstack::Resources parsed_resources(std::string_view yaml) {
    const auto resources = dstack::parse_resources(yaml);
    INFO(message(resources.status()));
    REQUIRE(resources.ok());
    return *resources;
}

/// The canonical text as one line.
std::string text_of(std::string_view yaml) {
    std::string text = to_text(parsed_resources(yaml));
    for (char& c : text) {
        if (c == '\n') c = ';';
    }
    return text;
}

const std::string defaults = "cpu: 2..;memory: 8GB..;gpu: 0..;disk: 100GB..;";

}  // namespace

TEST_CASE("dstack resources: what is left out has its default", "[dialect][dstack]") {
    CHECK(text_of("") == defaults);
    CHECK(text_of("{}") == defaults);
    CHECK(text_of("resources: {}") == defaults);
    CHECK(text_of("resources:") == defaults);
    CHECK(text_of("# nothing\n") == defaults);
}

TEST_CASE("dstack resources: texts and mappings", "[dialect][dstack]") {
    struct Row {
        const char* yaml;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"resources:\n  cpu: 8\n  memory: 200GB..\n  gpu: A100:80GB:8\n  disk: 500GB\n"
         "  shm_size: 24GB\n",
         "cpu: 8;memory: 200GB..;gpu: A100:80GB:8;disk: 500GB;shm_size: 24GB;", "the guide's"},
        {"gpu: 40GB..80GB:4..8", "cpu: 2..;memory: 8GB..;gpu: 40GB..80GB:4..8;disk: 100GB..;",
         "the mapping alone"},
        {"cpu: {min: 4, max: 8}", "cpu: 4..8;memory: 8GB..;gpu: 0..;disk: 100GB..;", "a range"},
        {"cpu: {arch: arm, count: 4..}", "cpu: arm:4..;memory: 8GB..;gpu: 0..;disk: 100GB..;",
         "with an architecture"},
        {"cpu: {count: {min: 4}}", "cpu: 4..;memory: 8GB..;gpu: 0..;disk: 100GB..;",
         "a mapping in a mapping"},
        {"memory: {max: 64GB}", "cpu: 2..;memory: ..64GB;gpu: 0..;disk: 100GB..;", "an open end"},
        {"memory: {min: 16GB, max: null}", "cpu: 2..;memory: 16GB..;gpu: 0..;disk: 100GB..;",
         "null is open"},
        {"memory: 32", "cpu: 2..;memory: 32GB;gpu: 0..;disk: 100GB..;", "a number is in GB"},
        {"memory: \"32GB\"", "cpu: 2..;memory: 32GB;gpu: 0..;disk: 100GB..;", "quoted"},
        {"disk: {size: 50GB..}", "cpu: 2..;memory: 8GB..;gpu: 0..;disk: 50GB..;", "a disk's size"},
        {"gpu: 2.0", "cpu: 2..;memory: 8GB..;gpu: 2;disk: 100GB..;", "a whole number with a point"},
        {"gpu: null", "cpu: 2..;memory: 8GB..;gpu: null;disk: 100GB..;", "GPUs are not looked at"},
        {"disk: ~", "cpu: 2..;memory: 8GB..;gpu: 0..;disk: null;", "any disk"},
        {"shm_size: null", "cpu: 2..;memory: 8GB..;gpu: 0..;disk: 100GB..;", "as if left out"},
        {"gpu: 2", "cpu: 2..;memory: 8GB..;gpu: 2;disk: 100GB..;", "a number is a count"},
        {"gpu: {name: A100}", "cpu: 2..;memory: 8GB..;gpu: A100:1..;disk: 100GB..;", "a name"},
        {"gpu: {name: [A100, H100], memory: 80GB, count: {min: 2, max: 4}, vendor: NVIDIA}",
         "cpu: 2..;memory: 8GB..;gpu: nvidia:A100,H100:80GB:2..4;disk: 100GB..;",
         "a list of names"},
        {"gpu: {total_memory: 160GB.., compute_capability: 8.0}",
         "cpu: 2..;memory: 8GB..;gpu: {count: 1.., total_memory: 160GB.., compute_capability: "
         "8.0..};disk: 100GB..;",
         "no short form"},
        {"gpu: {compute_capability: 8.10}",
         "cpu: 2..;memory: 8GB..;gpu: {count: 1.., compute_capability: 8.10..};disk: 100GB..;",
         "mended: 8.10 is not 8.1"},
        {"gpu: {name: tpu-v4, vendor: tpu}",
         "cpu: 2..;memory: 8GB..;gpu: google:v4:1..;disk: 100GB..;", "TPU words"},
    };
    for (const Row& row : rows) {
        INFO(row.yaml << ": " << row.why);
        CHECK(text_of(row.yaml) == row.expected);
        const dstack::Resources resources = parsed_resources(row.yaml);
        CHECK(parsed_resources(to_text(resources)) == resources);
    }
}

TEST_CASE("dstack resources: a mistake is named with line, column and offset",
          "[dialect][dstack]") {
    struct Row {
        const char* yaml;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"cpu: 8\nmemroy: 8GB",
         "line 2, column 1: unknown key at offset 0 (\"memroy\"): expected a known key; the "
         "nearest is memory",
         "unknown key"},
        {"resources:\n  gpu: A100:x:y\n",
         "line 2, column 8: gpu: a second name part at offset 5 (\"x\"): expected", "bad text"},
        {"resources: {}\ntype: task", "line 1, column 1: unknown key at offset 0 (\"resources\")",
         "whole files are another grammar"},
        {"cpu: 8\ncpu: 9", "line 2, column 1: key given twice at offset 0 (\"cpu\")", "twice"},
        {"memory: -8GB", "line 1, column 9: memory: negative size at offset 0", "negative"},
        {"memory: .inf", "memory: malformed size at offset 0 (\".inf\")", "mended: no infinity"},
        {"memory: .nan", "memory: malformed size at offset 0", "mended: no nan"},
        {"memory: true", "memory: no text or number at offset 0 (\"true\")", "mended: no boolean"},
        {"gpu: off", "gpu: no text or number at offset 0 (\"off\")",
         "mended: YAML's other booleans"},
        {"gpu: {count: yes}", "line 1, column 14: count: no text or number at offset 0 (\"yes\")",
         "inside too"},
        {"cpu: null", "cpu: no text or number at offset 0 (\"null\"): expected a text or a number",
         "cpu has to be"},
        {"memory:", "memory: no text or number", "memory has to be"},
        {"memory: [8GB]", "memory: no text or number at offset 0 (\"[\"): expected", "a list"},
        {"memory: {}", "memory: empty range at offset 0 (\"..\")", "no end"},
        {"memory: {min: 8GB, most: 9GB}",
         "unknown key at offset 0 (\"most\"): expected a known key", "another key"},
        {"memory: {min: 8GB..9GB}", "a range inside of a range at offset 0 (\"8GB..9GB\")",
         "a range twice"},
        {"memory: {min: 9GB, max: 8GB}", "memory: a range that goes down", "downwards"},
        {"disk: {}", "disk without size", "nothing said"},
        {"disk: {speed: 3}", "disk without size", "another word"},
        {"shm_size: 8GB..", "shm_size: unknown unit at offset 1", "one size, no range"},
        {"gpu: {name: []}", "name: empty list at offset 0 (\"[\"): expected one or more",
         "mended: it would match nothing"},
        {"gpu: {name: \"A100,H100\"}", "name: malformed GPU name at offset 4", "a list was meant"},
        {"gpu: {vendor: nvidla}",
         "vendor: unknown vendor at offset 0 (\"nvidla\"): expected nvidia", "a slip"},
        {"gpu: {compute_capability: 8}", "compute_capability: malformed version", "two parts"},
        {"cpu: {arch: amd64}", "arch: unknown architecture", "another word"},
        {"cpu: {count: 0}", "no CPU at all", "nothing can run"},
        {"8", "line 1, column 1: no mapping at offset 0 (\"8\"): expected cpu, memory", "a text"},
        {"|\n a\n b\n", "no mapping at offset 0 (\"a\\x0ab\\x0a\")", "never two lines"},
        {"[cpu]", "no mapping at offset 0 (\"[\"): expected cpu", "a list"},
        {"cpu: {", "line 1, column 1: YAML: \"end of map flow not found\"", "broken YAML"},
        {"cpu: 8\n\tmemory: 9", "line 2, column", "a tab"},
        {"? [a]\n: 8", "line 1, column 3: malformed key at offset 0 (\"[\"): expected a word",
         "a key that is a list"},
        {"cpu: *nobody", "line 1, column", "an unknown anchor"},
        {"&a cpu: &b {count: *b}", "count", "a mapping inside of itself"},
    };
    for (const Row& row : rows) {
        INFO(row.yaml << ": " << row.why);
        const auto resources = dstack::parse_resources(row.yaml);
        REQUIRE_FALSE(resources.ok());
        CHECK(resources.status().code() == StatusCode::kInvalidArgument);
        const std::string line(message(resources.status()));
        CHECK_THAT(line, ContainsSubstring(row.expected));
        CHECK(line.find('\n') == std::string::npos);
    }
}

TEST_CASE("dstack resources: all mistakes in one pass", "[dialect][dstack]") {
    const auto reading = dstack::read_resources(
        "cpu: {arch: amd64, count: x}\n"
        "memory: 0.1GB\n"
        "gpu:\n"
        "  vendor: nvidla\n"
        "  name: [A100, 'H 1;']\n"
        "  count: {min: true, max: 2..3}\n"
        "  memry: 80GB\n"
        "disk: {speed: 3}\n"
        "shm_size: -1GB\n");
    std::vector<std::string> lines;
    for (const auto& error : reading.errors) {
        lines.push_back(fmt::format("{}:{} {} {} {}", error.line, error.column, error.key,
                                    error.error.offset, error.error.what));
    }
    CHECK(lines == std::vector<std::string>{
                       "1:13 arch 0 unknown architecture", "1:27 count 0 malformed count",
                       "2:9 memory 0 size with part of a byte", "4:11 vendor 0 unknown vendor",
                       "5:16 name 3 malformed GPU name", "6:16 min 0 no text or number",
                       "6:27 max 0 a range inside of a range", "7:3  0 unknown key",
                       "8:7 disk 0 disk without size", "8:8  0 unknown key",
                       "9:11 shm_size 0 negative size"});
    // What could be read is there.
    CHECK(reading.resources.gpu->names.front() == "A100");
    std::string many;
    for (int i = 0; i < 500; ++i) many += fmt::format("x{}: 1\n", i);
    CHECK(dstack::read_resources(many).errors.size() == 100);
}

TEST_CASE("dstack resources: a bare value may mean at least", "[dialect][dstack]") {
    struct Row {
        const char* yaml;
        const char* exact;
        const char* minimum;
        const char* why;
    };
    const Row rows[] = {
        {"cpu: 8", "cpu: 8;", "cpu: 8..;", "a count"},
        {"cpu: arm:8", "cpu: arm:8;", "cpu: arm:8..;", "with an architecture"},
        {"cpu: {count: 8}", "cpu: 8;", "cpu: 8..;", "in a mapping"},
        {"memory: 32GB", "memory: 32GB;", "memory: 32GB..;", "the guide's"},
        {"memory: 32GB..32GB", "memory: 32GB;", "memory: 32GB;", "two ends are exact"},
        {"memory: {min: 32GB, max: 32GB}", "memory: 32GB;", "memory: 32GB;", "also in a mapping"},
        {"memory: ..32GB", "memory: ..32GB;", "memory: ..32GB;", "an open end stays"},
        {"disk: 500GB", "disk: 500GB;", "disk: 500GB..;", "a disk"},
        {"disk: {size: 500GB}", "disk: 500GB;", "disk: 500GB..;", "its mapping"},
        {"gpu: 24GB", "gpu: 24GB:1..;", "gpu: 24GB..:1..;", "memory of a GPU"},
        {"gpu: A100:80GB:8", "gpu: A100:80GB:8;", "gpu: A100:80GB..:8..;", "and its count"},
        {"gpu: 0", "gpu: 0;", "gpu: 0..;", "with or without"},
        {"gpu: {compute_capability: 8.0}", "compute_capability: 8.0..}",
         "compute_capability: 8.0..}", "a minimum anyway"},
        {"gpu: {compute_capability: 8.0..8.0}", "compute_capability: 8.0..8.0}",
         "compute_capability: 8.0..8.0}", "exactly that"},
        {"gpu: {compute_capability: [8, 0]}", "compute_capability: 8.0..}",
         "compute_capability: 8.0..}", "as a list"},
        {"gpu: {total_memory: 80GB}", "total_memory: 80GB}", "total_memory: 80GB..}", "of all"},
        {"shm_size: 24GB", "shm_size: 24GB;", "shm_size: 24GB;", "no range, so the same"},
    };
    for (const Row& row : rows) {
        INFO(row.yaml << ": " << row.why);
        CHECK_THAT(text_of(row.yaml), ContainsSubstring(row.exact));
        const auto least = dstack::parse_resources(row.yaml, dstack::BareValue::minimum);
        REQUIRE(least.ok());
        std::string text = to_text(*least);
        std::replace(text.begin(), text.end(), '\n', ';');
        CHECK_THAT(text, ContainsSubstring(row.minimum));
        CHECK(parsed_resources(to_text(*least)) == *least);
    }
}

TEST_CASE("dstack resources: dstack's own line", "[dialect][dstack]") {
    struct Row {
        const char* yaml;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"", "cpu=2.. mem=8GB.. disk=100GB.. gpu=0..", "the defaults"},
        {"cpu: arm:8\nmemory: 32GB", "cpu=arm:8 mem=32GB disk=100GB.. gpu=0..", "bare values"},
        {"gpu: nvidia:A100:80GB:2", "cpu=2.. mem=8GB.. disk=100GB.. gpu=A100:80GB:2",
         "a vendor gives way to a name"},
        {"gpu: amd:2", "cpu=2.. mem=8GB.. disk=100GB.. gpu=amd:2", "or stands for it"},
        {"gpu: A10G,A100", "cpu=2.. mem=8GB.. disk=100GB.. gpu=A10G,A100:1..", "any of two"},
        {"gpu: {count: 2, total_memory: 160GB.., compute_capability: 9.0}",
         "cpu=2.. mem=8GB.. disk=100GB.. gpu=2:160GB..:9.0..", "a version, not a pair"},
        {"disk: null\ngpu: null", "cpu=2.. mem=8GB..", "what is not looked at"},
        {"memory: 0.0009765625MB..1048576.5GB",
         "cpu=2.. mem=9.53674e-07GB..1.04858e+06GB disk=100GB.. gpu=0..", "six digits"},
    };
    for (const Row& row : rows) {
        INFO(row.yaml << ": " << row.why);
        CHECK(pretty_text(parsed_resources(row.yaml)) == row.expected);
    }
}

TEST_CASE("dstack resources: size and depth are capped", "[dialect][dstack]") {
    const auto error = [](const std::string& yaml) {
        return std::string(message(dstack::parse_resources(yaml).status()));
    };
    CHECK_THAT(error(std::string(64 * 1024 + 1, ' ')), ContainsSubstring("expected at most 65536"));
    for (const char* piece : {"[", "{a: ", "- ", "? ", "- ? "}) {
        std::string yaml;
        for (int i = 0; i < 5000; ++i) yaml += piece;
        CHECK_THAT(error(yaml), ContainsSubstring("nests too deep"));
    }
    std::string blocks;
    for (int i = 0; i < 300; ++i) blocks += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
    CHECK_THAT(error(blocks), ContainsSubstring("nests too deep"));
}

TEST_CASE("dstack resources: print and read back", "[dialect][dstack][law]") {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    const auto size = [&] {
        return Bytes(static_cast<std::int64_t>(rng() >> (1 + rng.below(60))));
    };
    const auto range_of = [&](auto value) {
        using T = decltype(value());
        const T a = value();
        const T b = value();
        const auto kind = rng.below(3);
        if (kind == 0) return Range<T>::at_least(a);
        if (kind == 1) return Range<T>::at_most(a);
        return Range<T>::between(std::min(a, b), std::max(a, b));
    };
    const auto count = [&] { return Count(static_cast<std::int64_t>(1 + rng.below(100))); };
    const auto version = [&] {
        return Version{static_cast<std::uint32_t>(rng.below(12)),
                       static_cast<std::uint32_t>(rng.below(12))};
    };
    for (int i = 0; i < 1000; ++i) {
        dstack::Resources resources;
        resources.cpu.count = range_of(count);
        if (rng.chance(1, 2)) resources.cpu.architecture = Architecture::arm;
        resources.memory = range_of(size);
        resources.disk.reset();
        if (rng.chance(1, 2)) resources.disk = range_of(size);
        if (rng.chance(1, 2)) resources.shm_size = size();
        dstack::GpuSpec gpu;
        gpu.count = range_of(count);
        if (rng.chance(1, 2)) gpu.vendor = "amd";
        if (rng.chance(1, 2)) gpu.names = {"MI300X"};
        if (rng.chance(1, 4)) gpu.names.emplace_back("3090");
        if (rng.chance(1, 2)) gpu.memory = range_of(size);
        if (rng.chance(1, 4)) gpu.total_memory = range_of(size);
        if (rng.chance(1, 4)) gpu.compute_capability = range_of(version);
        resources.gpu.reset();
        if (rng.chance(7, 8)) resources.gpu = gpu;
        const std::string text = to_text(resources);
        INFO(text);
        CHECK(parsed_resources(text) == resources);
        CHECK(parsed_resources("resources: {}").cpu == dstack::CpuSpec{});
    }
}

TEST_CASE("dstack resources: the request asks per node, for one task", "[dialect][dstack]") {
    const Request request = to_request(
        parsed_resources("cpu: x86:8\nmemory: 200GB..\ndisk: 500GB\nshm_size: 24GB\n"
                         "gpu: {vendor: nvidia, name: [A100, H100], memory: 80GB, count: 4..8, "
                         "total_memory: 320GB.., "
                         "compute_capability: 8.0..}"));
    CHECK(check(request).ok());
    CHECK_FALSE(request.tasks.has_value());
    CHECK(request.nodes == Range<Count>::exactly(Count(1)));
    CHECK(request.cpus_per_task == Range<Count>::exactly(Count(8)));
    CHECK(request.architecture == Architecture::x86);
    CHECK(request.memory == Range<Bytes>::at_least(gib(200)));
    CHECK(request.memory_per == Per::node);
    CHECK(request.disk == Range<Bytes>::exactly(gib(500)));
    CHECK(request.shm_size == gib(24));
    REQUIRE(request.devices.size() == 1);
    const DeviceRequest& gpu = request.devices[0];
    CHECK(gpu.name == "gpu");
    CHECK(gpu.per == Per::node);
    CHECK(gpu.vendor == "nvidia");
    CHECK(gpu.models == std::vector<std::string>{"A100", "H100"});
    CHECK(to_text(gpu.count) == "4..8");
    CHECK(gpu.memory == Range<Bytes>::exactly(gib(80)));
    CHECK(gpu.total_memory == Range<Bytes>::at_least(gib(320)));
    CHECK(gpu.compute_capability == Range<Version>::at_least(Version{8, 0}));

    CHECK(to_request(parsed_resources("")).devices.empty());
    CHECK(to_request(parsed_resources("gpu: null")).devices.empty());
    CHECK(to_request(parsed_resources("gpu: nvidia:0..")).devices.size() == 1);
    CHECK(to_request(parsed_resources("gpu: 0")).devices.size() == 1);  // exactly none is a wish
    CHECK(to_request(parsed_resources("disk: null")).disk.is_open());
}
