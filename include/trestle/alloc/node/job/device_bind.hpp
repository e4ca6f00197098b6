// SPDX-License-Identifier: Apache-2.0
#pragma once

// Device binding: which of its job's devices on a node each task sees.
//
// Layer: alloc. Main types: DeviceBind; main function: bind_devices(nodes, placement, tasks, bind).
// It is Slurm's --gpu-bind and --tres-bind, after the tasks have their cores (task_layout.hpp).
// Pitfall: seeing is not owning. All devices are the job's; whether a task may also open those that
// it does not see is decided where the plan is made.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/node/job/task_layout.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// How the tasks of a job come to the devices of one name.
struct DeviceBind {
    /// What the numbers of map and mask count.
    enum class Numbers {
        own,   ///< the job's devices of the name on the node, from 0
        node,  ///< all devices of the name on the node: Device::index
    };

    /// How tasks come to their devices.
    enum class Rule {
        none,      ///< each task sees all
        closest,   ///< those nearest to its cores
        single,    ///< one, and a device at most `count` tasks
        per_task,  ///< `count` devices that no other task sees
        shares,  ///< `count` shares of its own, of as few devices as possible (Slurm: per_task of a
                 ///< shared GRES)
        map,     ///< the one in the list, by task
        mask,    ///< those in the set, by task
    };

    std::string name = "gpu";
    Rule rule = Rule::none;
    Count count{1};                  ///< of single, per_task and shares
    std::vector<std::uint32_t> map;  ///< from the start again when there are more tasks
    std::vector<SmallSet<>> masks;   ///< likewise
    Numbers numbers = Numbers::own;

    static constexpr auto fields(auto list) {
        return list(field("name", &DeviceBind::name), field("rule", &DeviceBind::rule),
                    field("count", &DeviceBind::count), field("map", &DeviceBind::map),
                    field("masks", &DeviceBind::masks), field("numbers", &DeviceBind::numbers));
    }
    friend bool operator==(const DeviceBind&, const DeviceBind&) = default;
};

constexpr auto enum_names(DeviceBind::Numbers) {
    return std::array{named(DeviceBind::Numbers::own, "own"),
                      named(DeviceBind::Numbers::node, "node")};
}

constexpr auto enum_names(DeviceBind::Rule) {
    using enum DeviceBind::Rule;
    return std::array{named(none, "none"),     named(closest, "closest"),
                      named(single, "single"), named(per_task, "per_task"),
                      named(shares, "shares"), named(map, "map"),
                      named(mask, "mask")};
}

/// Ok when there is a name, and what the rule needs: a count of 1 or more, a list that is not
/// empty. Errors: InvalidArgument.
[[nodiscard]] Status check(const DeviceBind& bind);

/// `tasks` with the devices called bind.name that each of them sees, instead of those of that name
/// that it saw before. Devices of other names stay.
///
/// A device is near to a task that has one of its cores (Device::cores), and to all tasks when it
/// has none. An instance of a sliced device counts as a device.
/// - none: each task sees all that the job has on its node.
/// - closest: those that are near; where none is, those of the narrowest level of the hardware
///   (core to machine) of which both have a core.
/// - single: each task sees one device, each device is seen by at most `count` tasks.
/// - per_task: each task sees `count` devices that no other task sees.
/// - shares: each task sees `count` shares of one device; where that cannot be, of several.
/// - map, mask: the tasks of a node take the elements of the list in turn, and when it ends from
///   the start again.
/// With single, per_task and shares there are as many pairs of a task and a near device as
/// possible. Among such assignments the first task has the lowest near devices, then the second,
/// and so on. What is missing then comes from the nearest and lowest of what is left, task by task.
///
/// Returns a refusal (Constraint::devices, `node n1: ...`) when devices do not suffice for single,
/// per_task or shares. The same when a list names a device that the job does not have. Slurm deals
/// first come, first served. In these two cases, and in closest without a near device, it gives the
/// first device of the job (tres_bind, gres.c). Requires: check(bind) is ok; the placement's nodes
/// (by NodeId) and devices exist; tasks, by number, are those of layout_tasks for this placement.
/// Complexity: on a node, tasks squared times devices squared.
[[nodiscard]] Verdict<std::vector<TaskPlacement>> bind_devices(std::span<const Node> nodes,
                                                               const Placement& placement,
                                                               std::vector<TaskPlacement> tasks,
                                                               const DeviceBind& bind);

}  // namespace trestle
