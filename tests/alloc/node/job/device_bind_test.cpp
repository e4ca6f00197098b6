// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/job/device_bind.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/contract.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

static_assert(lists_all_fields<DeviceBind>);

using testing::Choices;
using testing::for_random_choices;

Node bound_node(const char* text) {
    auto node = testing::node_from_text(text);
    REQUIRE(node.ok());
    node->name = "n0";
    return *std::move(node);
}

/// All of the node but for what is not in `devices`, given to `tasks` tasks.
Placement all_of(const Node& node, std::int64_t tasks, const char* devices) {
    NodePlacement part;
    part.tasks = Count(tasks);
    part.cores = node.shape->hardware.all_cores();
    const DeviceSet set = *parse_set<DeviceSet>(devices);
    for (const DeviceId device : set) {
        part.devices.push_back({device, node.shape->devices[device.value()].shares});
    }
    return {{part}};
}

/// One task for each set of cores.
std::vector<TaskPlacement> tasks_on(const std::vector<const char*>& cores) {
    std::vector<TaskPlacement> tasks;
    for (const char* set : cores) {
        TaskPlacement task;
        task.task = static_cast<std::uint32_t>(tasks.size());
        task.cores = *parse_set<CoreSet>(set);
        tasks.push_back(std::move(task));
    }
    return tasks;
}

/// `0,1;2`: the devices of each task, with `*shares` where it is not one.
std::string devices_text(const Verdict<std::vector<TaskPlacement>>& bound) {
    if (!bound) return to_text(bound.refusal());
    std::string text;
    for (const TaskPlacement& task : *bound) {
        text += task.task == 0 ? "" : ";";
        for (const DeviceShare& share : task.devices) {
            text += (share == task.devices.front() ? "" : ",") + to_text(share.device);
            if (share.shares != Count(1)) text += "*" + to_text(share.shares);
        }
    }
    return text;
}

DeviceBind rule(DeviceBind::Rule rule, std::int64_t count = 1) {
    DeviceBind bind;
    bind.rule = rule;
    bind.count = Count(count);
    return bind;
}
DeviceBind map_of(std::vector<std::uint32_t> list,
                  DeviceBind::Numbers numbers = DeviceBind::Numbers::own) {
    DeviceBind bind = rule(DeviceBind::Rule::map);
    bind.map = std::move(list);
    bind.numbers = numbers;
    return bind;
}
DeviceBind mask_of(const std::vector<const char*>& list) {
    DeviceBind bind = rule(DeviceBind::Rule::mask);
    for (const char* text : list) bind.masks.push_back(*parse_set<SmallSet<>>(text));
    return bind;
}

}  // namespace

TEST_CASE("bind_devices: which devices each task sees", "[alloc]") {
    struct Row {
        const char* devices;
        std::vector<const char*> tasks;  // the cores of each: 0-3 are socket 0, 4-7 socket 1
        DeviceBind bind;
        const char* sees;
        const char* why;
    };
    using enum DeviceBind::Rule;
    const auto row = GENERATE(values<Row>({
        {"0-3", {"0", "4"}, rule(none), "0,1,2,3;0,1,2,3", "no binding"},
        {"1,2", {"0", "4"}, rule(none), "1,2;1,2", "only the job's"},
        {"0-3", {"0", "4"}, rule(closest), "0,1;2,3", "the two of their socket"},
        {"0-3", {"3,4"}, rule(closest), "0,1,2,3", "a task on both sockets"},
        {"2-3", {"0", "4"}, rule(closest), "2,3;2,3", "none near: the nearest there are"},
        {"", {"0", "4"}, rule(closest), ";", "the job has none"},
        {"0-3", {"0", "1", "4", "5"}, rule(single), "0;1;2;3", "one each, near"},
        {"0-3", {"0", "1", "4", "5"}, rule(single, 2), "0;0;2;2", "--gpu-bind=single:2"},
        {"0-3", {"0", "1", "2"}, rule(single), "0;1;2", "the third has to go far"},
        {"0-1", {"4", "0"}, rule(single), "1;0", "far ones get what is left"},
        {"0,2", {"0,4", "0"}, rule(single), "2;0", "the first yields: both are near"},
        {"0,1,2", {"0,4", "0", "1"}, rule(single), "2;0;1", "it yields along a path"},
        {"0-3", {"0", "4"}, rule(per_task, 2), "0,1;2,3", "--gpu-bind=per_task:2"},
        {"0-3", {"0", "1"}, rule(per_task, 2), "0,1;2,3", "the first has the near ones"},
        {"0-3", {"4", "5"}, rule(per_task), "2;3", "near ones before lower ones"},
        {"0-3", {"0", "4", "5"}, map_of({0, 3}), "0;3;0", "--gpu-bind=map_gpu:0,3 starts again"},
        {"2-3", {"0", "4"}, map_of({1, 0}), "3;2", "numbers count the job's devices"},
        {"2-3", {"0", "4"}, map_of({3, 2}, DeviceBind::Numbers::node), "3;2", "or all of the node"},
        {"0-3", {"0", "4", "5"}, mask_of({"0-1", "3"}), "0,1;3;0,1", "--gpu-bind=mask_gpu:3,8"},
        {"0-3", {"0"}, mask_of({""}), "", "an empty set is what was asked"},
        {"0-3", {}, rule(per_task), "", "no tasks"},
    }));
    INFO(row.why);
    const std::vector<Node> nodes{bound_node("2s4c gpu:4")};
    const auto placement =
        all_of(nodes[0], static_cast<std::int64_t>(row.tasks.size()), row.devices);
    CHECK(devices_text(bind_devices(nodes, placement, tasks_on(row.tasks), row.bind)) == row.sees);
}

TEST_CASE("bind_devices: a device near to all is near to each task", "[alloc]") {
    const std::vector<Node> nodes{bound_node("2s4c gpu:1@any gpu:2")};
    const auto placement = all_of(nodes[0], 2, "0-2");
    const auto bound = [&](const DeviceBind& bind) {
        return devices_text(bind_devices(nodes, placement, tasks_on({"0", "4"}), bind));
    };
    CHECK(bound(rule(DeviceBind::Rule::closest)) == "0,1;0,2");
    CHECK(bound(rule(DeviceBind::Rule::single)) == "0;2");
}

TEST_CASE("bind_devices: the narrowest common level decides what is closest", "[alloc]") {
    Node node = bound_node("2s4c l3=2 gpu:2@any");
    NodeShape shape = *node.shape;
    shape.devices[0].cores = CoreSet::of({CoreId(6)});
    shape.devices[1].cores = CoreSet::of({CoreId(2)});
    node.shape = shape;
    const std::vector<Node> nodes{node};
    const auto bound = bind_devices(nodes, all_of(node, 4, "0-1"), tasks_on({"0", "3", "5", "7"}),
                                    rule(DeviceBind::Rule::closest));
    CHECK(devices_text(bound) == "1;1;0;0");
    const auto single = bind_devices(nodes, all_of(node, 2, "0-1"), tasks_on({"0", "1"}),
                                     rule(DeviceBind::Rule::single, 2));
    CHECK(devices_text(single) == "1;1");
}

TEST_CASE("bind_devices: shares of devices", "[alloc]") {
    struct Row {
        std::vector<const char*> tasks;
        std::int64_t count;
        const char* sees;
        const char* why;
    };
    const auto row = GENERATE(values<Row>({
        {{"0", "4"}, 2, "0*2;1*2", "of the near one"},
        {{"0", "1", "2"}, 2, "0*2;0*2;1*2", "the third goes to the far one"},
        {{"0", "1"}, 3, "0*3;1*3", "of one device before near ones in pieces"},
        {{"0", "1"}, 4, "0*4;1*4", "all of one"},
        {{"4"}, 5, "0,1*4", "more than one has: the near one first"},
        {{"0", "4", "5"}, 1, "0;1;1", "one share each"},
    }));
    INFO(row.why);
    const std::vector<Node> nodes{bound_node("2s4c gpu:2/4")};
    const auto placement = all_of(nodes[0], 1, "0-1");
    CHECK(devices_text(bind_devices(nodes, placement, tasks_on(row.tasks),
                                    rule(DeviceBind::Rule::shares, row.count))) == row.sees);
}

TEST_CASE("bind_devices: what cannot be bound is refused", "[alloc]") {
    struct Row {
        DeviceBind bind;
        const char* reason;
    };
    using enum DeviceBind::Rule;
    const auto row = GENERATE(values<Row>({
        {rule(single), "node n0: 3 tasks with 1 gpu each, 1 tasks to one, but the job has 2"},
        {rule(per_task), "node n0: 3 tasks with 1 gpu each, but the job has 2"},
        {rule(per_task, INT64_MAX),
         "node n0: 3 tasks with 9223372036854775807 gpu each, but the job has 2"},
        {rule(shares), "node n0: 3 tasks with 1 shares of gpu each, but the job has 2"},
        {map_of({0, 2}), "node n0: gpu 2 of the list is none of the job's {0,1}"},
        {map_of({4'000'000'000}), "node n0: gpu 4000000000 of the list is none of the job's {0,1}"},
        {map_of({0}, DeviceBind::Numbers::node),
         "node n0: gpu 0 of the list is none of the job's {1,2}"},
        {mask_of({"0-2"}), "node n0: gpu 2 of the list is none of the job's {0,1}"},
    }));
    const std::vector<Node> nodes{bound_node("2s4c gpu:4")};
    const auto bound =
        bind_devices(nodes, all_of(nodes[0], 3, "1-2"), tasks_on({"0", "1", "4"}), row.bind);
    REQUIRE(!bound);
    CHECK(bound.refusal() == Refusal{Constraint::devices, row.reason});
}

TEST_CASE("bind_devices: bindings of several names add up, of one name replace each other",
          "[alloc]") {
    const std::vector<Node> nodes{bound_node("2s4c gpu:2 nic:2")};
    const auto placement = all_of(nodes[0], 2, "0-3");
    DeviceBind nics = rule(DeviceBind::Rule::closest);
    nics.name = "nic";
    auto bound = bind_devices(nodes, placement, tasks_on({"0", "4"}), nics);
    REQUIRE(bound);
    bound = bind_devices(nodes, placement, *bound, rule(DeviceBind::Rule::none));
    CHECK(devices_text(bound) == "0,1,2;0,1,3");
    bound = bind_devices(nodes, placement, *bound, rule(DeviceBind::Rule::single));
    CHECK(devices_text(bound) == "0,2;1,3");
}

TEST_CASE("bind_devices: the instances of a sliced device count each", "[alloc]") {
    Node node = bound_node("4c gpu:1");
    Placement placement{{{}}};
    for (std::uint32_t start = 0; start < 2; ++start) {
        placement.nodes[0].devices.push_back(
            {DeviceId(0), Count(1), Slicing::Instance{start, 1, "1g.5gb"}});
    }
    const std::vector<Node> nodes{node};
    const auto bound =
        bind_devices(nodes, placement, tasks_on({"0", "1"}), rule(DeviceBind::Rule::per_task));
    REQUIRE(bound);
    CHECK((*bound)[0].devices[0].slice->start == 0);
    CHECK((*bound)[1].devices[0].slice->start == 1);
}

TEST_CASE("bind_devices: tasks of several nodes count from 0 on each", "[alloc]") {
    const std::vector<Node> nodes(2, bound_node("2s4c gpu:2"));
    Placement placement = all_of(nodes[0], 1, "0-1");
    placement.nodes.push_back(placement.nodes[0]);
    placement.nodes[1].node = NodeId(1);
    auto tasks = tasks_on({"0", "0", "4", "4"});
    tasks[1].node = tasks[3].node = NodeId(1);
    CHECK(devices_text(bind_devices(nodes, placement, tasks, map_of({0, 1}))) == "0;0;1;1");
}

TEST_CASE("DeviceBind: a binding that cannot be meant", "[alloc]") {
    struct Row {
        DeviceBind bind;
        const char* message;
    };
    const auto row = GENERATE(values<Row>({
        {rule(DeviceBind::Rule::single, 0), "device binding: single:0 of gpu, expected 1 or more"},
        {rule(DeviceBind::Rule::per_task, 0),
         "device binding: per_task:0 of gpu, expected 1 or more"},
        {rule(DeviceBind::Rule::shares, 0), "device binding: shares:0 of gpu, expected 1 or more"},
        {map_of({}), "device binding: map of gpu without a list"},
        {mask_of({}), "device binding: mask of gpu without a list"},
    }));
    CHECK(check(row.bind).code() == invalid);
    CHECK(message(check(row.bind)) == row.message);
    CHECK(broken_contract([&] { static_cast<void>(bind_devices({}, {}, {}, row.bind)); }) ==
          "the binding can be meant");
    const std::vector<Node> nodes{bound_node("1c gpu:1")};
    Placement wrong = all_of(nodes[0], 1, "0");
    wrong.nodes[0].devices[0].device = DeviceId(1);
    CHECK(broken_contract([&] { static_cast<void>(bind_devices(nodes, wrong, {}, {})); }) ==
          "the device exists");
    wrong.nodes[0].node = NodeId(1);
    CHECK(broken_contract([&] { static_cast<void>(bind_devices(nodes, wrong, {}, {})); }) ==
          "the node exists");
    DeviceBind nameless;
    nameless.name = "";
    CHECK(check(nameless).code() == invalid);
    CHECK(check(rule(DeviceBind::Rule::none, 0)).ok());
}

namespace {

/// The near devices of each task, ended by a number above all, so that lower and more come first.
using NearLists = std::vector<std::vector<std::size_t>>;

std::size_t pairs_in(const NearLists& lists) {
    std::size_t pairs = 0;
    for (const auto& list : lists) pairs += list.size() - 1;
    return pairs;
}

/// Goes through all assignments of `count` devices to each task, and keeps the best.
class BindOracle {
  public:
    BindOracle(std::vector<std::vector<bool>> near, std::vector<int> slots, int count)
        : near_(std::move(near)), slots_(std::move(slots)), count_(count) {}

    /// Nothing when there is none.
    [[nodiscard]] std::optional<NearLists> run() {
        next(0, 0, 0);
        return best_;
    }

  private:
    void next(std::size_t task, std::size_t from, int taken) {
        if (task == near_.size()) {
            const bool is_better = !best_ || pairs_in(lists_) > pairs_in(*best_) ||
                                   (pairs_in(lists_) == pairs_in(*best_) && lists_ < *best_);
            if (is_better) best_ = lists_;
            return;
        }
        if (from == 0) lists_.push_back({99});
        if (taken == count_) {
            next(task + 1, 0, 0);
            if (from == 0) lists_.pop_back();
            return;
        }
        for (std::size_t device = from; device < slots_.size(); ++device) {
            if (slots_[device] == 0) continue;
            --slots_[device];
            const auto before = lists_;
            if (near_[task][device]) lists_[task].insert(lists_[task].end() - 1, device);
            next(task, device + 1, taken + 1);
            lists_ = before;
            ++slots_[device];
        }
        if (from == 0) lists_.pop_back();
    }

    std::vector<std::vector<bool>> near_;
    std::vector<int> slots_;
    int count_;
    NearLists lists_;
    std::optional<NearLists> best_;
};

}  // namespace

TEST_CASE("bind_devices: law: single and per_task give the most, then the lowest near devices",
          "[alloc]") {
    INFO("seed " << test_seed());
    std::uint64_t yes = 0;
    for_random_choices({test_seed(), test_rounds(3'000u)}, [&](Choices& choices) {
        NodeShape shape;
        for (std::uint32_t i = 0; i < 4; ++i) shape.hardware.cores.push_back({{OsIndex(i)}});
        const auto any_cores = [&] {
            CoreSet cores;
            for (const CoreId core : shape.hardware.all_cores()) {
                if (choices.one_in(3)) cores.insert(core);
            }
            return cores;
        };
        NodePlacement part;
        for (std::uint32_t i = 0; i < 4; ++i) {
            Device gpu;
            gpu.name = "gpu";
            gpu.index = i;
            gpu.cores = any_cores();
            shape.devices.push_back(gpu);
            if (!choices.one_in(4)) part.devices.push_back({DeviceId(i), Count(1)});
        }
        std::vector<TaskPlacement> tasks(choices.below(5));
        std::vector<std::vector<bool>> near;
        for (TaskPlacement& task : tasks) {
            task.cores = any_cores();
            near.emplace_back();
            for (const DeviceShare& share : part.devices) {
                const CoreSet& cores = shape.devices[share.device.value()].cores;
                near.back().push_back(cores.is_empty() || cores.intersects(task.cores));
            }
        }
        const auto n = static_cast<int>(1 + choices.below(2));
        const bool is_single = choices.one_in(2);
        Node node;
        node.shape = shape;
        const std::vector<Node> nodes{node};
        const auto bound = bind_devices(
            nodes, {{part}}, tasks,
            rule(is_single ? DeviceBind::Rule::single : DeviceBind::Rule::per_task, n));
        const std::vector<int> slots(part.devices.size(), is_single ? n : 1);
        const auto best = BindOracle(near, slots, is_single ? 1 : n).run();
        REQUIRE(bound.has_value() == best.has_value());
        if (!bound) return;
        ++yes;
        NearLists found;
        std::vector<int> seen(part.devices.size());
        for (const TaskPlacement& task : *bound) {
            found.push_back({99});
            REQUIRE(task.devices.size() == static_cast<std::size_t>(is_single ? 1 : n));
            for (const DeviceShare& share : task.devices) {
                const auto at = std::find(part.devices.begin(), part.devices.end(), share);
                REQUIRE(at != part.devices.end());
                const auto entry = static_cast<std::size_t>(at - part.devices.begin());
                if (near[found.size() - 1][entry]) {
                    found.back().insert(found.back().end() - 1, entry);
                }
                REQUIRE(++seen[entry] <= slots[entry]);
            }
        }
        REQUIRE(found == *best);
    });
    CHECK(yes > test_rounds(1'000u));
}

}  // namespace trestle
