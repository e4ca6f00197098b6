// SPDX-License-Identifier: Apache-2.0
#include "trestle/base/enums.hpp"

#include <array>

#include "support/catch.hpp"
#include "trestle/base/verdict.hpp"

namespace kitchen {

enum class Taste { sweet, sour };

constexpr auto enum_names(Taste) {
    return std::array{trestle::named(Taste::sweet, "sweet"), trestle::named(Taste::sour, "sour")};
}

enum class Nameless { one };

}  // namespace kitchen

using kitchen::Taste;
using namespace trestle;

static_assert(NamedEnum<Taste> && NamedEnum<Constraint>);
static_assert(!NamedEnum<kitchen::Nameless> && !NamedEnum<int>);
static_assert(to_text(Taste::sour) == "sour", "usable at compile time, in any namespace");

TEST_CASE("Enums: names and back", "[base]") {
    CHECK(to_text(Taste::sweet) == "sweet");
    CHECK(enum_from_text<Taste>("sour") == Taste::sour);
}

TEST_CASE("Enums: unknown names and values", "[base]") {
    CHECK(to_text(Taste{7}) == "?");
    for (const char* name : {"", "Sour", "sour ", "sou", "?"}) {
        INFO(name);
        CHECK_FALSE(enum_from_text<Taste>(name));
    }
}

TEST_CASE("Enums: the names of an enum of the library differ and are read back", "[base]") {
    for (const auto& entry : enum_names(Constraint{})) {
        CHECK(enum_from_text<Constraint>(entry.name) == entry.value);
    }
}
