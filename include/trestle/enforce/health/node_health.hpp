// SPDX-License-Identifier: Apache-2.0
#pragma once

// What becomes of a node when its devices, or a program that looks after it, say how it is.
//
// Layer: enforce. Main names: DeviceReport, with_device_health(), NodeJudgement,
// after_health_program().
// Pitfall: a good answer does not end a drain. The node may have been drained for another reason,
// so the caller that set the drain ends it.

#include <span>
#include <string>
#include <string_view>

#include "trestle/base/fields.hpp"
#include "trestle/enforce/health/device_health.hpp"
#include "trestle/enforce/process/outcome.hpp"
#include "trestle/model/node.hpp"

namespace trestle {

/// How well a device is.
struct DeviceReport {
    std::string place;  ///< `0000:34:00.0`; empty if unknown
    std::string uuid;   ///< empty if unknown
    HealthReport report;

    static constexpr auto fields(auto list) {
        return list(field("place", &DeviceReport::place), field("uuid", &DeviceReport::uuid),
                    field("report", &DeviceReport::report));
    }
    friend bool operator==(const DeviceReport&, const DeviceReport&) = default;
};

/// The shape with the health of those devices that reports speak of, by UUID or PCI bus id; of
/// several reports the worst. Others stay as they are, and so does one of which nothing is known.
[[nodiscard]] NodeShape with_device_health(NodeShape shape, std::span<const DeviceReport> reports);

/// What is to become of a node, and why.
struct NodeJudgement {
    NodeState state = NodeState::up;
    Health health = Health::healthy;
    std::string reason;  ///< one line; empty when nothing is wrong

    static constexpr auto fields(auto list) {
        return list(field("state", &NodeJudgement::state), field("health", &NodeJudgement::health),
                    field("reason", &NodeJudgement::reason));
    }
    friend bool operator==(const NodeJudgement&, const NodeJudgement&) = default;
};

/// What becomes of a node whose health program ended so (Slurm's HealthCheckProgram). Exit code 0:
/// healthy, in the state that it has. Anything else, a signal or a death for memory too, is a
/// failure and drains a node that is up. One that is drained, down or removed stays so. The reason
/// is the first line that the program printed, else how it ended.
[[nodiscard]] NodeJudgement after_health_program(NodeState state, const Outcome& outcome,
                                                 std::string_view output = {});

}  // namespace trestle
