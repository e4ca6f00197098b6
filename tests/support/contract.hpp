// SPDX-License-Identifier: Apache-2.0
// Broken contracts as exceptions, for the tests that break them on purpose.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "trestle/base/contract.hpp"

namespace trestle {

/// What ThrowingContracts throws; what() is the message of the contract.
struct ContractBroken : std::logic_error {
    using std::logic_error::logic_error;
};

/// While it lives, a broken contract throws ContractBroken instead of ending the process.
class ThrowingContracts {
  public:
    ThrowingContracts()
        : previous_(set_contract_handler([](const ContractViolation& violation) {
              throw ContractBroken(violation.message);
          })) {}
    ~ThrowingContracts() { set_contract_handler(previous_); }
    ThrowingContracts(const ThrowingContracts&) = delete;
    ThrowingContracts& operator=(const ThrowingContracts&) = delete;

  private:
    ContractViolation::Handler previous_;
};

/// The message of the contract that `action` breaks; empty when it breaks none.
template <class Action>
[[nodiscard]] std::string broken_contract(Action&& action) {
    const ThrowingContracts scope;
    try {
        std::forward<Action>(action)();
    } catch (const ContractBroken& broken) {
        return broken.what();
    }
    return {};
}

}  // namespace trestle
