// SPDX-License-Identifier: Apache-2.0
// What fmt prints when fmt/ranges.h and fmt/std.h are included. The including file includes them,
// before or after the headers of the library.
#pragma once

#include <array>
#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/set/index_set.hpp"
#include "trestle/set/small_set.hpp"

/// An embedder's types: a list and an enum that have a to_text, and one formatter for both.
namespace embedder {

struct Money {
    using formatted_by = Money;
    std::vector<int> cents;
    [[nodiscard]] auto begin() const { return cents.begin(); }
    [[nodiscard]] auto end() const { return cents.end(); }
};
inline std::string to_text(const Money&) { return "not used"; }

enum class Taste { sweet, sour };
constexpr auto enum_names(Taste) {
    return std::array{trestle::named(Taste::sweet, "sweet"), trestle::named(Taste::sour, "sour")};
}

template <class T>
concept Printed = std::same_as<T, Taste> || std::same_as<typename T::formatted_by, Money>;

inline std::string printed(const Money& money) { return std::to_string(money.cents.size()) + "x"; }
inline std::string printed(Taste taste) { return taste == Taste::sweet ? "++" : "--"; }

/// Opts in, with a list of fields; it has iterators too.
struct Job {
    std::vector<trestle::CoreId> cores;
    [[nodiscard]] auto begin() const { return cores.begin(); }
    [[nodiscard]] auto end() const { return cores.end(); }
    static constexpr auto fields(auto list) { return list(trestle::field("cores", &Job::cores)); }
    friend bool operator==(const Job&, const Job&) = default;
};

}  // namespace embedder

template <embedder::Printed T>
struct fmt::formatter<T> : fmt::formatter<fmt::string_view> {
    auto format(const T& value, auto& context) const {
        return fmt::formatter<fmt::string_view>::format(printed(value), context);
    }
};
template <>
struct fmt::is_range<embedder::Money, char> : std::false_type {};

template <>
inline constexpr bool trestle::enable_formatter<embedder::Job> = true;

namespace {

void check_printing_with_ranges() {
    using namespace trestle;
    const CoreSet cores = CoreSet::range({0, 4});
    CHECK(fmt::format("{}", cores) == "0-3");
    CHECK(fmt::format("[{:>5}]", NodeSet::of({NodeId(7)})) == "[    7]");
    CHECK(fmt::format("{}", fmt::join(cores, " ")) == "0 1 2 3");

    NodePlacement part;
    part.node = NodeId(3);
    part.cores = cores;
    CHECK(fmt::format("{}", Placement{{part}}) == "node 3: cores=0-3");
    CHECK(fmt::format("{}", Verdict<Placement>(Refusal{Constraint::disk, "full"})) ==
          "no (disk: full)");

    // Elements print as they do alone, without quotes.
    CHECK(fmt::format("{}", std::vector{CoreId(1), CoreId(2)}) == "[1, 2]");
    CHECK(fmt::format("{::>3}", std::vector{1_GiB, 2_GiB}) == "[1GiB, 2GiB]");
    CHECK(fmt::format("{}", std::vector{cores, cores}) == "[0-3, 0-3]");
    CHECK(fmt::format("{}", std::pair(CoreId(1), Constraint::disk)) == "(1, disk)");
    CHECK(fmt::format("{}", SmallVector<NodeId>{NodeId(4)}) == "[4]");

    CHECK(fmt::format("{}", Constraint::memory) == "memory");

    CHECK(fmt::format("{}", embedder::Money{{1, 2}}) == "2x");
    CHECK(fmt::format("{} {}", embedder::Taste::sweet, embedder::Taste::sour) == "++ --");
    CHECK(fmt::format("{}", embedder::Job{{CoreId(1)}}) == "{cores=[1]}");
}

}  // namespace
