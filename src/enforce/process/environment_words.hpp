// SPDX-License-Identifier: Apache-2.0
#pragma once

// Variables that are no secret, and variables as the words of a process's environment.
//
// Layer: enforce (private). Main functions: shown_variable, environment_of, check_known,
// revealed_words. Bodies: environment.cpp.

#include <string>
#include <vector>

#include "trestle/base/status.hpp"
#include "trestle/enforce/process/environment.hpp"

namespace trestle {

/// A variable whose value is no secret.
[[nodiscard]] EnvironmentVariable shown_variable(std::string name, std::string text);

/// `environment`, with `wins` in place of equal names and behind them, and without `unset`.
[[nodiscard]] std::vector<EnvironmentVariable> environment_of(
    std::vector<EnvironmentVariable> environment, const std::vector<EnvironmentVariable>& wins,
    const std::vector<std::string>& unset = {});

/// The variables that are in `same` with another value, or not at all, and not named in `wins`.
[[nodiscard]] std::vector<EnvironmentVariable> environment_without(
    std::vector<EnvironmentVariable> variables, const std::vector<EnvironmentVariable>& same,
    const std::vector<EnvironmentVariable>& wins);

/// The names without those that `variables` set.
[[nodiscard]] std::vector<std::string> still_unset(
    std::vector<std::string> names, const std::vector<EnvironmentVariable>& variables);

/// Ok when all values are known. Errors: FailedPrecondition that names the first variable of which
/// there is only a digest.
[[nodiscard]] Status check_known(const std::vector<EnvironmentVariable>& variables);

/// `name=value` of each, secrets as they are: for the process itself.
/// Requires: check_known(variables) is ok.
[[nodiscard]] std::vector<std::string> revealed_words(
    const std::vector<EnvironmentVariable>& variables);

}  // namespace trestle
