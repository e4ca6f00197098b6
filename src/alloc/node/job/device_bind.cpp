// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/job/device_bind.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alloc/node/free/holding_edits.hpp"
#include "alloc/node/job/detail/shared_nodes.hpp"
#include "model/core_groups.hpp"
#include "trestle/alloc/node/holding.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/locality.hpp"

namespace trestle {

Status check(const DeviceBind& bind) {
    if (bind.name.empty()) return invalid_argument("device binding: it has no name");
    const bool is_counted = bind.rule == DeviceBind::Rule::single ||
                            bind.rule == DeviceBind::Rule::per_task ||
                            bind.rule == DeviceBind::Rule::shares;
    if (is_counted && bind.count.is_zero()) {
        return invalid_argument("device binding: {}:0 of {}, expected 1 or more",
                                to_text(bind.rule), bind.name);
    }
    const bool is_empty = (bind.rule == DeviceBind::Rule::map && bind.map.empty()) ||
                          (bind.rule == DeviceBind::Rule::mask && bind.masks.empty());
    if (is_empty) {
        return invalid_argument("device binding: {} of {} without a list", to_text(bind.rule),
                                bind.name);
    }
    return {};
}

namespace {

const Device& bound_device(const NodeShape& shape, const DeviceShare& share) {
    TRESTLE_EXPECTS(share.device.value() < shape.devices.size(), "the device exists");
    return shape.devices[share.device.value()];
}

/// By task and entry. 0: near.
using Distances = std::vector<std::vector<std::size_t>>;

/// How many near pairs of task and entry there can be at once: augmenting paths.
class NearMatching {
  public:
    /// Tasks before it take no part, and for itself entries before it are out.
    struct Start {
        std::size_t task = 0;
        std::size_t entry = 0;
    };

    /// Requires: the distances live longer.
    NearMatching(const Distances& distances, std::vector<std::int64_t> slots, Start start)
        : distances_(distances), slots_(std::move(slots)), start_(start), seen_by_(slots_.size()) {}

    /// The most pairs when task i is in at most `wanted[i]` of them.
    [[nodiscard]] std::int64_t run(const std::vector<std::int64_t>& wanted);

  private:
    /// One more for the task; others may have to move to another near entry for it.
    [[nodiscard]] bool take(std::size_t task, std::vector<bool>& tried);

    const Distances& distances_;
    std::vector<std::int64_t> slots_;
    Start start_;
    std::vector<std::vector<std::size_t>> seen_by_;  ///< tasks, by entry
};

/// Gives the tasks of one node their entries of its placement.
class NodeBind {
  public:
    NodeBind(const NodeShape& shape, const NodePlacement& placement,
             std::vector<TaskPlacement*> tasks, const DeviceBind& bind);

    /// Why it cannot be done; nothing when it is.
    [[nodiscard]] std::optional<std::string> run();

  private:
    [[nodiscard]] const Device& device(const DeviceShare& share) const {
        return bound_device(shape_, share);
    }

    /// How far the entries are from the tasks: at how wide a level of the hardware they first have
    /// a core in common. 0: at the task's own cores, or the device is near to all.
    void measure_distances();

    void give_closest();

    [[nodiscard]] bool is_numbered(std::size_t entry, std::uint32_t number) const;
    [[nodiscard]] std::optional<std::string> give_listed();
    [[nodiscard]] std::string not_there(std::uint32_t number) const;

    [[nodiscard]] std::optional<std::string> give_slots();

    [[nodiscard]] std::optional<std::string> give_shares();
    [[nodiscard]] std::size_t entry_of(const DeviceShare& share) const;

    /// The entries, nearest to the task first.
    [[nodiscard]] std::vector<std::size_t> by_distance(std::size_t task) const;

    /// Gives each task `count` entries while slots last: first near ones, so many that all tasks
    /// together have the most, the lowest for the first task; then the nearest of what is left.
    void assign(std::int64_t count);

    const NodeShape& shape_;
    std::vector<TaskPlacement*> tasks_;
    const DeviceBind& bind_;
    SmallVector<DeviceShare> entries_;  ///< of the placement, of that name
    Distances distances_;
    std::vector<std::int64_t> slots_;  ///< tasks that may still see it, by entry
};

std::int64_t NearMatching::run(const std::vector<std::int64_t>& wanted) {
    std::int64_t pairs = 0;
    for (std::size_t task = start_.task; task < wanted.size(); ++task) {
        for (std::int64_t i = 0; i < wanted[task]; ++i) {
            std::vector<bool> tried(slots_.size());
            if (!take(task, tried)) break;
            ++pairs;
        }
    }
    return pairs;
}

bool NearMatching::take(std::size_t task, std::vector<bool>& tried) {
    const std::size_t first = task == start_.task ? start_.entry : 0;
    for (std::size_t entry = first; entry < slots_.size(); ++entry) {
        auto& tasks = seen_by_[entry];
        if (distances_[task][entry] != 0 || tried[entry]) continue;
        if (std::find(tasks.begin(), tasks.end(), task) != tasks.end()) continue;
        tried[entry] = true;
        if (static_cast<std::int64_t>(tasks.size()) < slots_[entry]) {
            tasks.push_back(task);
            return true;
        }
        for (std::size_t& other : tasks) {
            if (!take(other, tried)) continue;
            other = task;
            return true;
        }
    }
    return false;
}

NodeBind::NodeBind(const NodeShape& shape, const NodePlacement& placement,
                   std::vector<TaskPlacement*> tasks, const DeviceBind& bind)
    : shape_(shape), tasks_(std::move(tasks)), bind_(bind) {
    for (const DeviceShare& share : placement.devices) {
        if (device(share).name == bind.name) entries_.push_back(share);
    }
    measure_distances();
}

std::optional<std::string> NodeBind::run() {
    switch (bind_.rule) {
        case DeviceBind::Rule::none:
            for (TaskPlacement* task : tasks_) task->devices = entries_;
            return std::nullopt;
        case DeviceBind::Rule::closest:
            give_closest();
            return std::nullopt;
        case DeviceBind::Rule::map:
        case DeviceBind::Rule::mask:
            return give_listed();
        case DeviceBind::Rule::shares:
            return give_shares();
        default:
            return give_slots();
    }
}

void NodeBind::measure_distances() {
    std::vector<std::vector<CoreSet>> levels{{}};
    using enum HardwareLevel;
    for (const HardwareLevel level : {core, l2, l3, numa, die, package, machine}) {
        auto groups = core_groups(shape_, level);
        if (groups.size() > 1 || level == machine) levels.push_back(std::move(groups));
    }
    for (const TaskPlacement* task : tasks_) {
        std::vector<std::size_t> row(entries_.size(), levels.size());
        for (std::size_t level = levels.size(); level-- > 0;) {
            const CoreSet near = widen(levels[level], task->cores);
            for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
                const CoreSet& cores = device(entries_[entry]).cores;
                if (cores.is_empty() || cores.intersects(near)) row[entry] = level;
            }
        }
        distances_.push_back(std::move(row));
    }
}

void NodeBind::give_closest() {
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
        const auto& row = distances_[task];
        for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
            if (row[entry] != *std::min_element(row.begin(), row.end())) continue;
            tasks_[task]->devices.push_back(entries_[entry]);
        }
    }
}

bool NodeBind::is_numbered(std::size_t entry, std::uint32_t number) const {
    return bind_.numbers == DeviceBind::Numbers::own ? entry == number
                                                     : device(entries_[entry]).index == number;
}

std::optional<std::string> NodeBind::give_listed() {
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
        SmallSet<> wanted;
        if (bind_.rule == DeviceBind::Rule::mask) {
            wanted = bind_.masks[t % bind_.masks.size()];
        } else {
            const std::uint32_t number = bind_.map[t % bind_.map.size()];
            if (number >= wanted.index_limit) return not_there(number);
            wanted.insert(number);
        }
        for (const std::uint32_t number : wanted) {
            const std::size_t before = tasks_[t]->devices.size();
            for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
                if (is_numbered(entry, number)) tasks_[t]->devices.push_back(entries_[entry]);
            }
            if (tasks_[t]->devices.size() == before) return not_there(number);
        }
    }
    return std::nullopt;
}

std::string NodeBind::not_there(std::uint32_t number) const {
    std::string indexes;
    for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
        const auto own = bind_.numbers == DeviceBind::Numbers::own
                             ? static_cast<std::uint32_t>(entry)
                             : device(entries_[entry]).index;
        indexes += (entry == 0 ? "" : ",") + std::to_string(own);
    }
    return fmt::format("{} {} of the list is none of the job's {{{}}}", bind_.name, number,
                       indexes);
}

std::optional<std::string> NodeBind::give_slots() {
    const bool is_single = bind_.rule == DeviceBind::Rule::single;
    const auto tasks = static_cast<std::int64_t>(tasks_.size());
    const auto entries = static_cast<std::int64_t>(entries_.size());
    const Count per_task = is_single ? Count(1) : bind_.count;
    const Count per_entry = is_single ? std::min(bind_.count, Count(tasks)) : Count(1);
    if (tasks > 0 && per_task > div_floor(per_entry * entries, tasks)) {
        return fmt::format("{} tasks with {} {} each{}, but the job has {}", tasks, per_task,
                           bind_.name,
                           is_single ? fmt::format(", {} tasks to one", bind_.count) : "", entries);
    }
    slots_.assign(entries_.size(), per_entry.value());
    assign(per_task.value());
    return std::nullopt;
}

std::optional<std::string> NodeBind::give_shares() {
    Count all;
    slots_.clear();
    for (const DeviceShare& entry : entries_) {
        all += entry.shares;
        slots_.push_back(div_floor(entry.shares, bind_.count.value()).value());
    }
    const auto tasks = static_cast<std::int64_t>(tasks_.size());
    if (tasks > 0 && bind_.count > div_floor(all, tasks)) {
        return fmt::format("{} tasks with {} shares of {} each, but the job has {}", tasks,
                           bind_.count, bind_.name, all);
    }
    assign(1);
    std::vector<Count> left;
    for (const DeviceShare& entry : entries_) left.push_back(entry.shares);
    for (TaskPlacement* task : tasks_) {
        for (DeviceShare& share : task->devices) {
            share.shares = bind_.count;
            left[entry_of(share)] -= bind_.count;
        }
    }
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
        Count needed = tasks_[t]->devices.empty() ? bind_.count : Count();
        for (const std::size_t entry : by_distance(t)) {
            const Count given = std::min(needed, left[entry]);
            if (given.is_zero()) continue;
            tasks_[t]->devices.push_back(entries_[entry]);
            tasks_[t]->devices.back().shares = given;
            left[entry] -= given;
            needed -= given;
        }
    }
    return std::nullopt;
}

std::size_t NodeBind::entry_of(const DeviceShare& share) const {
    std::size_t entry = 0;
    while (!detail::is_same_unit(entries_[entry], share)) ++entry;
    return entry;
}

std::vector<std::size_t> NodeBind::by_distance(std::size_t task) const {
    std::vector<std::size_t> order(entries_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return distances_[task][a] < distances_[task][b];
    });
    return order;
}

void NodeBind::assign(std::int64_t count) {
    std::vector<std::vector<bool>> sees(tasks_.size(), std::vector<bool>(entries_.size()));
    std::vector<std::int64_t> missing(tasks_.size(), count);
    const auto give = [&](std::size_t task, std::size_t entry) {
        sees[task][entry] = true;
        --missing[task];
        --slots_[entry];
    };
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
        std::int64_t near = NearMatching(distances_, slots_, {task, 0}).run(missing);
        for (std::size_t entry = 0; entry < entries_.size() && missing[task] > 0; ++entry) {
            if (distances_[task][entry] != 0 || slots_[entry] == 0) continue;
            give(task, entry);
            if (NearMatching(distances_, slots_, {task, entry + 1}).run(missing) + 1 == near) {
                --near;
                continue;
            }
            sees[task][entry] = false;
            ++missing[task];
            ++slots_[entry];
        }
    }
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
        for (const std::size_t entry : by_distance(task)) {
            const bool is_open = missing[task] > 0 && slots_[entry] > 0;
            if (is_open && !sees[task][entry]) give(task, entry);
        }
        for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
            if (sees[task][entry]) tasks_[task]->devices.push_back(entries_[entry]);
        }
    }
}

}  // namespace

Verdict<std::vector<TaskPlacement>> bind_devices(std::span<const Node> nodes,
                                                 const Placement& placement,
                                                 std::vector<TaskPlacement> tasks,
                                                 const DeviceBind& bind) {
    TRESTLE_EXPECTS(check(bind).ok(), "the binding can be meant");
    for (const NodePlacement& part : placement.nodes) {
        TRESTLE_EXPECTS(part.node.value() < nodes.size(), "the node exists");
    }
    if (auto why = detail::refuse_shared_nodes(nodes, placement)) return *std::move(why);
    for (const NodePlacement& part : placement.nodes) {
        const Node& node = nodes[part.node.value()];
        std::vector<TaskPlacement*> here;
        std::vector<SmallVector<DeviceShare>> others;
        for (TaskPlacement& task : tasks) {
            if (task.node != part.node) continue;
            erase_if(task.devices, [&](const DeviceShare& share) {
                return bound_device(*node.shape, share).name == bind.name;
            });
            others.push_back(std::exchange(task.devices, {}));
            here.push_back(&task);
        }
        if (auto why = NodeBind(*node.shape, part, here, bind).run()) {
            return Refusal{Constraint::devices, fmt::format("node {}: {}", node.name, *why)};
        }
        for (std::size_t i = 0; i < here.size(); ++i) {
            auto& devices = here[i]->devices;
            devices.insert(devices.end(), others[i].begin(), others[i].end());
            std::sort(devices.begin(), devices.end(),
                      [](const auto& a, const auto& b) { return detail::is_before(a, b); });
        }
    }
    return tasks;
}

}  // namespace trestle
