// SPDX-License-Identifier: Apache-2.0
#include "trestle/base/verdict.hpp"

#include <memory>
#include <string>

#include "support/catch.hpp"
#include "support/contract.hpp"

using namespace trestle;

namespace {

Verdict<int> room_for(int asked) {
    if (asked > 4) return Refusal{Constraint::cores, std::to_string(asked) + " asked, 4 free"};
    return 4 - asked;
}

}  // namespace

TEST_CASE("Verdict: a value or a reasoned no", "[base]") {
    const auto yes = room_for(3);
    REQUIRE(yes);
    CHECK(yes.has_value());
    CHECK(*yes == 1);
    const auto no = room_for(5);
    REQUIRE_FALSE(no);
    CHECK(no.refusal().constraint == Constraint::cores);
    CHECK(to_text(no.refusal()) == "cores: 5 asked, 4 free");
}

TEST_CASE("Verdict: equality", "[base]") {
    CHECK(room_for(3) == room_for(3));
    CHECK(room_for(3) != room_for(2));
    CHECK(room_for(5) == room_for(5));
    CHECK(room_for(5) != room_for(6));
    CHECK(room_for(3) != room_for(5));
}

TEST_CASE("Verdict: gives away what cannot be copied", "[base]") {
    Verdict<std::unique_ptr<int>> yes = std::make_unique<int>(7);
    const std::unique_ptr<int> taken = *std::move(yes);
    CHECK(*taken == 7);
}

TEST_CASE("Verdict: asking for what is not there is a broken contract", "[base]") {
    const Verdict<std::string> yes = std::string("here");
    const Verdict<std::string> no = Refusal{Constraint::disk, "full"};
    CHECK(yes->size() == 4);
    CHECK(broken_contract([&] { static_cast<void>(*no); }) == "the verdict is a yes");
    CHECK(broken_contract([&] { static_cast<void>(no->size()); }) == "the verdict is a yes");
    CHECK(broken_contract([&] { static_cast<void>(yes.refusal()); }) == "the verdict is a no");
}
