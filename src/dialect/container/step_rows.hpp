// SPDX-License-Identifier: Apache-2.0
#pragma once

// A plan's steps as documents that name every value see them: systemd's, and the shell's.
//
// Layer: dialect/container, private. Main names: StepRow, limit_rows, check_steps.

#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/status.hpp"
#include "trestle/enforce/plan.hpp"

namespace trestle::container::detail {

/// A limit that the plan sets; without a step: the plan has no such limit.
struct StepRow {
    std::string resource;  ///< `memory`; the first word of the step's resource
    std::string limit;     ///< `memory.max 16GiB`
    const Step* step = nullptr;
};

/// Rows for cpu, memory, swap and pids, at least one each, and for what else is written. They refer
/// to the plan.
[[nodiscard]] std::vector<StepRow> limit_rows(const Plan& plan);

/// Errors: InvalidArgument for names of groups and controllers that are none, and names in limits
/// with control characters.
[[nodiscard]] Status check_steps(const Plan& plan);

/// `end by SIGTERM to every process, after 30 s SIGKILL`.
[[nodiscard]] std::string end_text(const EndPolicy& end);

/// `SIGUSR1 to the leader 60 s before the time limit`. Requires: there is a warning.
[[nodiscard]] std::string warning_text(const EndPolicy& end);

/// The value itself, for the document that hands it on.
[[nodiscard]] inline const std::string& value_text(const EnvironmentVariable& variable) {
    return variable.value.reveal();
}

}  // namespace trestle::container::detail
