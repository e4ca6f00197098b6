// SPDX-License-Identifier: Apache-2.0
#pragma once

// diff: what differs between two placements or two plans, as text for the report of a failed test.
//
// Layer: testing. Lines that only the first has start with `- `, lines that only the second has
// with `+ `, in the order of both. Equal values give an empty text.
// Pitfall: lines that are equal are not shown, so each line names its node or group itself.

#include <string>
#include <vector>

#include "trestle/enforce/plan.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::testing {

/// The changed lines between two lists of lines, as few as there can be.
/// Complexity: product of the lengths.
[[nodiscard]] std::string diff(const std::vector<std::string>& before,
                               const std::vector<std::string>& after);

/// The same of lines like `node 3 cores 0-7`, `node 3 memory 0 16GiB`, `node 3 device 1 1`,
/// `cluster matlab 2`: one for each thing given.
[[nodiscard]] std::string diff(const Placement& before, const Placement& after);

/// The same of the steps as they print, without their numbers; then of process settings and
/// devices.
[[nodiscard]] std::string diff(const Plan& before, const Plan& after);

}  // namespace trestle::testing
