// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/resources.hpp"

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

namespace {

dstack::Resources parsed(std::string_view yaml) {
    const auto resources = dstack::parse_resources(yaml);
    INFO(message(resources.status()));
    REQUIRE(resources.ok());
    return *resources;
}

/// The canonical text as one line.
std::string text_of(std::string_view yaml) {
    std::string text = to_text(parsed(yaml));
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
         "8.0};disk: 100GB..;",
         "no short form"},
        {"gpu: {compute_capability: 8.10}",
         "cpu: 2..;memory: 8GB..;gpu: {count: 1.., compute_capability: 8.10};disk: 100GB..;",
         "mended: 8.10 is not 8.1"},
        {"gpu: {name: tpu-v4, vendor: tpu}",
         "cpu: 2..;memory: 8GB..;gpu: google:v4:1..;disk: 100GB..;", "TPU words"},
    };
    for (const Row& row : rows) {
        INFO(row.yaml << ": " << row.why);
        CHECK(text_of(row.yaml) == row.expected);
        const dstack::Resources resources = parsed(row.yaml);
        CHECK(parsed(to_text(resources)) == resources);
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
         "line 2, column 1: unknown key (\"memroy\"): expected a known key; the nearest is memory",
         "unknown key"},
        {"resources:\n  gpu: A100:x:y\n",
         "line 2, column 8: gpu: a second name part at offset 5 (\"x\"): expected", "bad text"},
        {"resources: {}\ntype: task", "line 1, column 1: unknown key (\"resources\")",
         "whole files are another grammar"},
        {"cpu: 8\ncpu: 9", "line 2, column 1: key given twice (\"cpu\")", "twice"},
        {"memory: -8GB", "line 1, column 9: memory: negative size at offset 0", "negative"},
        {"memory: .inf", "memory: malformed size at offset 0 (\".inf\")", "mended: no infinity"},
        {"memory: .nan", "memory: malformed size at offset 0", "mended: no nan"},
        {"memory: true", "memory: no text or number (\"true\")", "mended: no boolean"},
        {"gpu: off", "gpu: no text or number (\"off\")", "mended: YAML's other booleans"},
        {"gpu: {count: yes}", "line 1, column 14: count: no text or number (\"yes\")",
         "inside too"},
        {"cpu: null", "cpu: no text or number: expected a text or a number", "cpu has to be"},
        {"memory:", "memory: no text or number", "memory has to be"},
        {"memory: [8GB]", "memory: no text or number: expected", "a list"},
        {"memory: {}", "memory: empty range at offset 0 (\"..\")", "no end"},
        {"memory: {min: 8GB, most: 9GB}",
         "unknown key (\"most\"): expected a known key; the nearest "
         "is m",
         "another key"},
        {"memory: {min: 8GB..9GB}", "a range inside of a range (\"8GB..9GB\")", "a range twice"},
        {"memory: {min: 9GB, max: 8GB}", "memory: a range that goes down", "downwards"},
        {"disk: {}", "disk without size", "nothing said"},
        {"disk: {speed: 3}", "disk without size", "another word"},
        {"shm_size: 8GB..", "shm_size: unknown unit at offset 1", "one size, no range"},
        {"gpu: {name: []}", "no GPU name: expected one or more", "mended: it would match nothing"},
        {"gpu: {name: \"A100,H100\"}", "name: malformed GPU name at offset 4", "a list was meant"},
        {"gpu: {vendor: nvidla}",
         "vendor: unknown vendor at offset 0 (\"nvidla\"): expected nvidia", "a slip"},
        {"gpu: {compute_capability: 8}", "compute_capability: malformed version", "two parts"},
        {"cpu: {arch: amd64}", "arch: unknown architecture", "another word"},
        {"cpu: {count: 0}", "no CPU at all", "nothing can run"},
        {"8", "line 1, column 1: no mapping (\"8\"): expected cpu, memory", "a text"},
        {"|\n a\n b\n", "no mapping (\"a\\x0ab\\x0a\")", "never two lines"},
        {"[cpu]", "no mapping: expected cpu", "a list"},
        {"cpu: {", "YAML: line 1, column 1: \"end of map flow not found\"", "broken YAML"},
        {"cpu: 8\n\tmemory: 9", "YAML: line 2, column", "a tab"},
        {"? [a]\n: 8", "line 1, column 3: malformed key: expected a word", "a key that is a list"},
        {"cpu: *nobody", "YAML: line 1, column", "an unknown anchor"},
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
        return Range<T>::between({std::min(a, b), std::max(a, b)});
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
        CHECK(parsed(text) == resources);
        CHECK(parsed("resources: {}").cpu == dstack::CpuSpec{});
    }
}

TEST_CASE("dstack resources: the request asks per node, for one task", "[dialect][dstack]") {
    const Request request =
        to_request(parsed("cpu: x86:8\nmemory: 200GB..\ndisk: 500GB\nshm_size: 24GB\n"
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

    CHECK(to_request(parsed("")).devices.empty());
    CHECK(to_request(parsed("gpu: null")).devices.empty());
    CHECK(to_request(parsed("gpu: nvidia:0..")).devices.size() == 1);
    CHECK(to_request(parsed("gpu: 0")).devices.size() == 1);  // exactly none is a wish
    CHECK(to_request(parsed("disk: null")).disk.is_open());
}
