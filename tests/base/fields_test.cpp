// SPDX-License-Identifier: Apache-2.0
#include "trestle/base/fields.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/text.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"

using namespace trestle;

namespace {

struct Recipe {
    std::string name;
    int servings = 1;
    std::vector<std::string> steps;

    static constexpr auto fields(auto list) {
        return list(field("name", &Recipe::name), field("servings", &Recipe::servings),
                    field("steps", &Recipe::steps));
    }
};

struct Forgetful {
    int listed = 0;
    int forgotten = 0;

    static constexpr auto fields(auto list) { return list(field("listed", &Forgetful::listed)); }
};

struct Plain {
    int x = 0;
};

static_assert(HasFields<Recipe> && !HasFields<Plain> && !HasFields<int>);
static_assert(field_count<Recipe> == 3);
static_assert(lists_all_fields<Recipe>);
static_assert(!lists_all_fields<Forgetful>, "a missing field is found");

static_assert(lists_all_fields<Interval<std::uint32_t>>);
static_assert(lists_all_fields<Interval<Bytes>>);
static_assert(lists_all_fields<Range<std::uint32_t>>);
static_assert(lists_all_fields<Range<Bytes>>);
static_assert(lists_all_fields<Refusal>);
static_assert(lists_all_fields<TextError>);

}  // namespace

TEST_CASE("Fields: they are visited in the order of the list", "[base]") {
    Recipe soup{"soup", 4, {"boil"}};
    std::vector<std::string> names;
    for_each_field(soup, [&](std::string_view name, const auto&) { names.emplace_back(name); });
    CHECK(names == std::vector<std::string>{"name", "servings", "steps"});
}

TEST_CASE("Fields: a visitor may write, unless the value is const", "[base]") {
    Recipe soup{"soup", 4, {}};
    for_each_field(soup, [](std::string_view, auto& member) {
        if constexpr (std::is_same_v<decltype(member), int&>) member = 9;
    });
    CHECK(soup.servings == 9);
    const Recipe fixed = soup;
    for_each_field(fixed, [](std::string_view, auto& member) {
        static_assert(std::is_const_v<std::remove_reference_t<decltype(member)>>);
    });
}
