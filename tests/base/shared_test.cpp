// SPDX-License-Identifier: Apache-2.0
#include "trestle/base/shared.hpp"

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include "support/catch.hpp"

using namespace trestle;

static_assert(std::regular<Shared<std::string>>);
static_assert(std::is_const_v<std::remove_reference_t<decltype(*Shared<int>())>>);

TEST_CASE("Shared: a copy is the same object, an equal value need not be", "[base]") {
    const Shared<std::string> a = std::string("rack");
    const Shared<std::string> copy = a;
    const Shared<std::string> twin = std::string("rack");
    CHECK(a.is_same_object(copy));
    CHECK_FALSE(a.is_same_object(twin));
    CHECK(a == copy);
    CHECK(a == twin);
    CHECK(a != Shared<std::string>(std::string("row")));
    CHECK(hash_of(a) == hash_of(twin));
    CHECK(a->size() == 4);
}

TEST_CASE("Shared: a default one holds a default value", "[base]") {
    CHECK(*Shared<std::string>() == "");
    CHECK(Shared<std::string>().is_same_object(Shared<std::string>()));
}

TEST_CASE("Shared: assigning replaces what is shared and leaves copies alone", "[base]") {
    Shared<std::string> a = std::string("old");
    const Shared<std::string> copy = a;
    a = std::string("new");
    CHECK(*a == "new");
    CHECK(*copy == "old");
}

TEST_CASE("Shared: what was moved from keeps its value", "[base]") {
    Shared<std::string> a = std::string("rack");
    const Shared<std::string> b = std::move(a);
    CHECK(*a == "rack");
    CHECK(*b == "rack");
}
