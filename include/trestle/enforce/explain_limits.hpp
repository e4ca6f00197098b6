// SPDX-License-Identifier: Apache-2.0
#pragma once

// explain_limits: per resource what was asked, granted and limited to, how, and what happens then.
//
// Layer: enforce. Main types: LimitRow, Exceeded; limit_table prints rows for people.
// Pitfall: a row stands for the policy, not for a machine. What a machine could not do of the
// best-effort rows is what apply reports (Applied).

#include <array>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/enforce/limits/limits.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// One resource; `-` stands where there is nothing to say.
struct LimitRow {
    /// What happens to a process that wants more than its limit.
    enum class Exceeded {
        killed,
        throttled,  ///< it waits
        refused,    ///< the call fails
        nothing,    ///< it gets more
    };

    std::string resource;
    std::string asked;
    std::string granted;
    std::string limited_to;
    std::string mechanism;
    Exceeded when_exceeded = Exceeded::nothing;

    static constexpr auto fields(auto list) {
        return list(field("resource", &LimitRow::resource), field("asked", &LimitRow::asked),
                    field("granted", &LimitRow::granted),
                    field("limited_to", &LimitRow::limited_to),
                    field("mechanism", &LimitRow::mechanism),
                    field("when_exceeded", &LimitRow::when_exceeded));
    }
    friend bool operator==(const LimitRow&, const LimitRow&) = default;
};

constexpr auto enum_names(LimitRow::Exceeded) {
    using enum LimitRow::Exceeded;
    return std::array{named(killed, "killed"), named(throttled, "throttled"),
                      named(refused, "refused"), named(nothing, "nothing")};
}

/// One row for each resource in a fixed order: cpu, memory, swap, devices, pids. When asked for or
/// in the policy there follow weights, the partition, block devices, huge pages, RDMA, misc, disk,
/// shared memory and time. Rows that nothing enforces say so. Requires: the placement fits the
/// shape (see check in plan.hpp).
[[nodiscard]] std::vector<LimitRow> explain_limits(const Request& request, const NodeShape& shape,
                                                   const NodePlacement& placement,
                                                   const LimitPolicy& policy);

/// A table with a line of headings, columns padded with blanks, one row a line.
[[nodiscard]] std::string limit_table(const std::vector<LimitRow>& rows);

}  // namespace trestle
