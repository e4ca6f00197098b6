// SPDX-License-Identifier: Apache-2.0
#include "trestle/base/fmt.hpp"

#include <fmt/format.h>

#include <array>
#include <concepts>
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

template <>
inline constexpr bool trestle::enable_formatter<Colour> = true;
template <>
inline constexpr bool trestle::enable_formatter<Inner> = true;

// Types of an embedder, written with the idioms of the library.
namespace mine {

/// Has a to_text and, with all types of `mine` that have an `is_mine`, a formatter.
struct Money {
    using is_mine = void;
    int cents = 0;
};
std::string to_text(const Money& money) { return std::to_string(money.cents) + " cents"; }

/// Has a to_text and no formatter.
struct Plain {};
std::string to_text(const Plain&) { return "plain"; }

enum class Taste { sweet, sour };
constexpr auto enum_names(Taste) {
    return std::array{named(Taste::sweet, "sweet"), named(Taste::sour, "sour")};
}

/// Has trestle among its associated namespaces, as a template argument.
template <class T>
struct Box {
    T value{};
    static constexpr auto fields(auto list) { return list(field("value", &Box::value)); }
    friend bool operator==(const Box&, const Box&) = default;
};
template <class T>
struct OpenBox : Box<T> {};

/// Has trestle among its associated namespaces, as the namespace of its base.
struct Excuse : Refusal {};

}  // namespace mine

template <class T>
inline constexpr bool trestle::enable_formatter<mine::OpenBox<T>> = true;

template <class T>
requires std::same_as<typename T::is_mine, void>
struct fmt::formatter<T> : fmt::formatter<int> {
    auto format(const T& value, auto& context) const {
        return fmt::formatter<int>::format(value.cents, context);
    }
};

namespace trestle::pantry {

namespace {
struct Hidden {};
std::string to_text(const Hidden&) { return "hidden"; }
}  // namespace

/// Has a formatter of its own.
struct Declines {
    using is_mine = void;
    int cents = 0;
};
std::string to_text(const Declines& value) { return std::to_string(value.cents); }

}  // namespace trestle::pantry

template <>
inline constexpr bool trestle::enable_formatter<trestle::pantry::Declines> = false;

namespace {

template <class T>
constexpr bool is_formattable = fmt::is_formattable<T>::value;

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
        {Range<Bytes>::between(gib(24), gib(80)), "24GiB..80GiB"},
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

TEST_CASE("Printing: types declared in trestle, however deep, have a formatter", "[base]") {
    STATIC_REQUIRE(Formattable<Bytes> && Formattable<CoreId> && Formattable<Constraint>);
    STATIC_REQUIRE(Formattable<Interval<int>> && Formattable<Range<Bytes>>);
    STATIC_REQUIRE(Formattable<Refusal> && Formattable<Verdict<Bytes>> && Formattable<TextError>);
    STATIC_REQUIRE(Formattable<Id<mine::Plain>>);  // the tag is foreign, the id is not
    CHECK(fmt::format("{:>7}", pantry::Hidden()) == " hidden");
}

TEST_CASE("Printing: foreign types keep their formatters, or their lack of one", "[base]") {
    CHECK(fmt::format("{:04}", mine::Money{25}) == "0025");
    CHECK(to_text(mine::Money{25}) == "25 cents");
    STATIC_REQUIRE_FALSE(is_formattable<mine::Plain>);
    STATIC_REQUIRE_FALSE(is_formattable<mine::Taste>);
    STATIC_REQUIRE_FALSE(is_formattable<mine::Excuse>);
    STATIC_REQUIRE_FALSE(is_formattable<mine::Box<CoreId>>);
    STATIC_REQUIRE_FALSE(is_formattable<std::vector<CoreId>>);
    CHECK(to_text(mine::Box<CoreId>{CoreId(3)}) == "{value=3}");
}

TEST_CASE("Printing: enable_formatter opts foreign types in and our types out", "[base]") {
    CHECK(fmt::format("{:>8}", Inner{5}) == "   {x=5}");
    mine::OpenBox<CoreId> box;
    box.value = CoreId(3);
    CHECK(fmt::format("{}", box) == "{value=3}");
    CHECK(fmt::format("{:03}", pantry::Declines{7}) == "007");
}

TEST_CASE("Printing: an invalid format specification is rejected", "[base]") {
    CHECK_THROWS_AS(fmt::format(fmt::runtime("{:d}"), gib(1)), fmt::format_error);
    CHECK(fmt::format("{:.3}|{:<{}}|", Constraint::memory, CoreId(1), 3) == "mem|1  |");
}
