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

/// What happens to a process that wants more than its limit.
enum class Exceeded {
    killed,
    throttled,  ///< it waits
    refused,    ///< the call fails
    nothing,    ///< it gets more
};

constexpr auto enum_names(Exceeded) {
    using enum Exceeded;
    return std::array{named(killed, "killed"), named(throttled, "throttled"),
                      named(refused, "refused"), named(nothing, "nothing")};
}

/// One resource; `-` stands where there is nothing to say.
struct LimitRow {
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

namespace detail {

/// The row as the policy lets it stand: a skipped one limits nothing, best effort is said.
[[nodiscard]] LimitRow under(Requirement requirement, LimitRow row);

[[nodiscard]] LimitRow not_enforced(std::string resource, std::string asked, std::string granted);

template <class T>
[[nodiscard]] std::string asked_text(const Range<T>& range) {
    return range.is_open() ? std::string("any") : to_text(range);
}

/// What `tasks` tasks ask together. An end beyond 2^63 is open.
[[nodiscard]] Range<Count> times(const Range<Count>& range, Count tasks);

/// `4`, `500 thousandths`, `4 + 500 thousandths`.
[[nodiscard]] std::string cpu_text(const std::string& whole, MilliCpu milli);

[[nodiscard]] std::vector<LimitRow> cpu_rows(const Request& request, const NodeShape& shape,
                                             const NodePlacement& placement,
                                             const LimitPolicy& policy);

/// A weight counts only while others want the same: alone a group has all.
[[nodiscard]] LimitRow weight_row(const char* resource, const char* file, Count weight,
                                  Requirement requirement);

/// Beside which CPUs and how much of them: the weight and the partition, where there are any.
[[nodiscard]] std::vector<LimitRow> cpu_sharing_rows(const NodePlacement& placement,
                                                     const LimitPolicy& policy);

[[nodiscard]] std::vector<LimitRow> memory_rows(const Request& request, const NodeShape& shape,
                                                const NodePlacement& placement,
                                                const LimitPolicy& policy);

/// `gpu:a100:2`, `gpu:A100|H100:40GiB..80GiB:1..8`, `gpu:2 per task`.
[[nodiscard]] std::string asked_text(const DeviceRequest& request);

/// The names of devices asked for, then of those granted, each once.
[[nodiscard]] std::vector<std::string> device_names(const Request& request, const NodeShape& shape,
                                                    const NodePlacement& placement);

/// The filter decides only which groups may open a device. It limits no share of one.
[[nodiscard]] LimitRow share_row(const Device& device, const DeviceShare& share);

[[nodiscard]] std::vector<LimitRow> device_rows(const Request& request, const NodeShape& shape,
                                                const NodePlacement& placement,
                                                const LimitPolicy& policy);

/// `1MiB a second read, 100 writes a second`.
[[nodiscard]] std::string rates_text(const IoLimit& limit);

/// `2 handles, 100 objects`.
[[nodiscard]] std::string counts_text(const RdmaLimit& limit);

/// What only the policy names: block devices, huge pages, RDMA, misc.
[[nodiscard]] std::vector<LimitRow> policy_rows(const LimitPolicy& policy);

}  // namespace detail

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
