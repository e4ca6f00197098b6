// SPDX-License-Identifier: Apache-2.0
#include "trestle/base/contract.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/contract.hpp"

using namespace trestle;

namespace {

ContractViolation last_violation{};

[[noreturn]] void note_and_throw(const ContractViolation& violation) {
    last_violation = violation;
    throw ContractBroken("noted");
}

}  // namespace

TEST_CASE("Contract: a condition that holds calls no handler", "[base]") {
    CHECK(broken_contract([] { TRESTLE_EXPECTS(1 + 1 == 2, "arithmetic works"); }).empty());
}

TEST_CASE("Contract: the handler learns what was violated, and where", "[base]") {
    const ContractViolation::Handler previous = set_contract_handler(&note_and_throw);
    const int line = __LINE__ + 1;
    CHECK_THROWS_AS([] { TRESTLE_EXPECTS(1 + 1 == 3, "a reason"); }(), ContractBroken);
    set_contract_handler(previous);
    CHECK(std::string(last_violation.condition) == "1 + 1 == 3");
    CHECK(std::string(last_violation.message) == "a reason");
    CHECK(std::string(last_violation.file) == __FILE__);
    CHECK(last_violation.line == line);
}

TEST_CASE("Contract: the condition is evaluated once in every build type", "[base]") {
    int evaluations = 0;
    TRESTLE_EXPECTS(++evaluations > 0, "it is evaluated");
    CHECK(evaluations == 1);
}

TEST_CASE("Contract: setting a handler returns the previous one, null restores the default",
          "[base]") {
    const ContractViolation::Handler original = set_contract_handler(&note_and_throw);
    CHECK(set_contract_handler(nullptr) == &note_and_throw);
    const ContractViolation::Handler by_default = set_contract_handler(original);
    CHECK(by_default == &detail::abort_on_violation);
}
