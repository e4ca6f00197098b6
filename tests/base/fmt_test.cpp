// SPDX-License-Identifier: Apache-2.0
#include "trestle/base/fmt.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace trestle;

namespace {

enum class Colour { red, green };
constexpr auto enum_names(Colour) {
    return std::array{named(Colour::red, "red"), named(Colour::green, "green")};
}

struct Inner {
    int x = 0;
    static constexpr auto fields(auto list) { return list(field("x", &Inner::x)); }
    friend bool operator==(const Inner&, const Inner&) = default;
};

struct Outer {
    std::string name;
    bool is_on = false;
    Colour colour = Colour::red;
    Bytes memory;
    Range<Bytes> range;
    std::optional<DeviceId> device;
    std::vector<Inner> parts;
    std::vector<std::pair<std::string, std::string>> labels;
    Shared<Inner> shared;

    static constexpr auto fields(auto list) {
        return list(field("name", &Outer::name), field("is_on", &Outer::is_on),
                    field("colour", &Outer::colour), field("memory", &Outer::memory),
                    field("range", &Outer::range), field("device", &Outer::device),
                    field("parts", &Outer::parts), field("labels", &Outer::labels),
                    field("shared", &Outer::shared));
    }
    friend bool operator==(const Outer&, const Outer&) = default;
};

}  // namespace

TEST_CASE("Printing: bytes have the largest unit that divides", "[base]") {
    struct Row {
        std::int64_t bytes;
        const char* text;
        const char* why;
    };
    const std::vector<Row> rows = {
        {0, "0", "zero has no unit"},
        {1, "1", "plain bytes"},
        {1023, "1023", "one below"},
        {1024, "1KiB", "exactly one"},
        {1025, "1025", "a rest keeps the smaller unit"},
        {1536LL << 20, "1536MiB", "1.5 GiB is no whole number"},
        {16LL << 30, "16GiB", "memory of a job"},
        {1LL << 50, "1PiB", "the largest unit"},
        {4096LL << 50, "4096PiB", "no unit above"},
        {Bytes::max().value(), "9223372036854775807", "the largest number"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(to_text(Bytes(row.bytes)) == row.text);
    }
}

TEST_CASE("Printing: ranges are written as in a request", "[base]") {
    struct Row {
        Range<Bytes> range;
        const char* text;
    };
    const std::vector<Row> rows = {
        {{}, ".."},
        {Range<Bytes>::at_least(gib(200)), "200GiB.."},
        {Range<Bytes>::at_most(gib(8)), "..8GiB"},
        {Range<Bytes>::exactly(gib(4)), "4GiB"},
        {Range<Bytes>::between({gib(24), gib(80)}), "24GiB..80GiB"},
    };
    for (const Row& row : rows) CHECK(to_text(row.range) == row.text);
}

TEST_CASE("Printing: a struct shows the fields that differ from their default", "[base]") {
    CHECK(to_text(Outer{}) == "{}");
    Outer outer;
    outer.name = "gpu";
    outer.is_on = true;
    outer.colour = Colour::green;
    outer.memory = gib(2);
    outer.range = Range<Bytes>::at_most(gib(8));
    outer.device = DeviceId(3);
    outer.parts = {Inner{}, Inner{7}};
    outer.labels = {{"zone", "a"}, {"rack", "b"}};
    outer.shared = Inner{1};
    CHECK(outer != Outer{});
    CHECK(to_text(outer) ==
          "{name=gpu, is_on=true, colour=green, memory=2GiB, range=..8GiB, device=3, "
          "parts=[{}, {x=7}], labels=[zone=a, rack=b], shared={x=1}}");
}

TEST_CASE("Printing: verdicts and refusals", "[base]") {
    const Refusal refusal{Constraint::cores, "4 cores asked, 2 free"};
    CHECK(to_text(refusal) == "cores: 4 cores asked, 2 free");
    CHECK(to_text(Verdict<Bytes>(refusal)) == "no (cores: 4 cores asked, 2 free)");
    CHECK(to_text(Verdict<Bytes>(gib(1))) == "1GiB");
}

TEST_CASE("Printing: everything with a text prints with fmt, with width and alignment", "[base]") {
    CHECK(fmt::format("{}", gib(16)) == "16GiB");
    CHECK(fmt::format("[{:>8}]", Colour::red) == "[     red]");
    CHECK(fmt::format("{}", Inner{5}) == "{x=5}");
    CHECK(fmt::format("{}", CoreId(7)) == "7");
    CHECK(fmt::format("{}", cpus(2)) == "2000");
    CHECK(fmt::format("{}", Refusal{Constraint::disk, "full"}) == "disk: full");
}
