// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/job/task_layout.hpp"
#include "trestle/alloc/node/fit.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/core_groups.hpp"
#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

using testing::Choices;
using testing::for_random_choices;

static_assert(lists_all_fields<TaskPlacement>);

using Spread = Distribution;
using Alter = void (*)(Request&);

Node node_of(const char* text) {
    auto node = testing::node_from_text(text);
    REQUIRE(node.ok());
    node->name = "n0";
    return *std::move(node);
}

/// A part of node `node` with so many tasks and all its cores up to `cores`.
NodePlacement part(std::uint32_t node, std::int64_t tasks, CoreSet cores) {
    NodePlacement placement;
    placement.node = NodeId(node);
    placement.tasks = Count(tasks);
    placement.cores = std::move(cores);
    return placement;
}

/// `0,4;1,5`: the threads of each task.
std::string threads_text(const Verdict<std::vector<TaskPlacement>>& layout) {
    if (!layout) return to_text(layout.refusal());
    std::string text;
    for (const TaskPlacement& task : *layout) {
        text += task.task == 0 ? "" : ";";
        for (const OsIndex thread : task.threads) {
            text += (thread == *task.threads.first() ? "" : ",") + to_text(thread);
        }
    }
    return text;
}

CoreSet cores_from(const char* text) { return *parse_set<CoreSet>(text); }

}  // namespace

TEST_CASE("layout_tasks: which task goes to which node", "[alloc]") {
    struct Row {
        Distribution how;
        std::int64_t plane_size;
        std::vector<std::int64_t> counts;
        const char* nodes;
        const char* why;
    };
    const auto row = GENERATE(values<Row>({
        {Spread::block, 1, {2, 2, 1}, "00112", "-m block: one node after the other"},
        {Spread::cyclic, 1, {2, 2, 1}, "01201", "-m cyclic: in turn"},
        {Spread::cyclic, 1, {1, 4}, "01111", "a node that has its tasks is passed over"},
        {Spread::plane,
         4,
         {8, 8, 5},
         "000011112222000011112",
         "21 tasks in planes of 4 on 3 nodes,"
         " Slurm's page on planes"},
        {Spread::plane, 3, {2, 4}, "001111", "a node with less than a plane"},
        {Spread::plane, 9, {2, 2}, "0011", "a plane larger than all is a block"},
        {Spread::plane, 1, {2, 2}, "0101", "planes of one task are cyclic"},
        {Spread::block, 1, {}, "", "no node, no task"},
        {Spread::cyclic, 1, {0, 1}, "1", "a node without tasks"},
    }));
    INFO(row.why);
    const Node node = node_of("8c");
    const std::vector<Node> nodes(3, node);
    Placement placement;
    for (std::uint32_t i = 0; i < row.counts.size(); ++i) {
        placement.nodes.push_back(part(i, row.counts[i], CoreSet::range({0, 8})));
    }
    Request request;
    request.distribution.nodes = row.how;
    request.distribution.plane_size = Count(row.plane_size);
    const auto layout = layout_tasks(nodes, placement, request);
    REQUIRE(layout);
    std::string on;
    for (const TaskPlacement& task : *layout) {
        CHECK(task.task == on.size());
        on += to_text(task.node);
    }
    CHECK(on == row.nodes);
}

TEST_CASE("layout_tasks: which threads a task gets on its node", "[alloc]") {
    struct Row {
        const char* node;  // 2s2c2t: core c has the threads c and c + 4
        const char* cores;
        std::int64_t tasks;
        std::int64_t cpus;
        Alter change;
        const char* threads;
        const char* why;
    };
    const auto row = GENERATE(values<Row>({
        {"2s2c2t", "0-3", 4, 2, [](Request&) {}, "0,4;1,5;2,6;3,7", "a core each"},
        {"2s2c2t", "0-3", 4, 1, [](Request&) {}, "0;4;1;5", "block fills cores, then packages"},
        {"2s2c2t", "0-3", 2, 4, [](Request&) {}, "0,1,4,5;2,3,6,7", "two cores each"},
        {"2s2c2t", "0-3", 2, 3, [](Request&) {}, "0,1,4;2,3,6", "whole cores, the rest idle"},
        {"2s2c2t", "0-2", 2, 3, [](Request&) {}, "0,1,4;2,5,6", "over the ends of cores, if tight"},
        {"2s3c", "0-5", 3, 2, [](Request&) {}, "0,1;2,3;4,5", "over the ends of packages"},
        {"2s2c2t", "0-3", 4, 1, [](Request& r) { r.tasks_per_core = Count(1); }, "0;1;2;3",
         "--ntasks-per-core=1"},
        {"2s2c2t", "0-3", 4, 1, [](Request& r) { r.distribution.sockets = Spread::cyclic; },
         "0;2;4;6", "-m *:cyclic: a task to each socket in turn"},
        {"2s2c2t", "0-3", 3, 1,
         [](Request& r) {
             r.distribution.sockets = Spread::cyclic;
             r.tasks_per_core = Count(1);
         },
         "0;2;1", "cyclic with one task a core"},
        {"2s4c", "0-1,4-5", 2, 2, [](Request& r) { r.distribution.sockets = Spread::cyclic; },
         "0,1;4,5", "cyclic: all CPUs of a task on one socket"},
        {"2s4c", "0-1,4-5", 2, 2, [](Request& r) { r.distribution.sockets = Spread::fcyclic; },
         "0,4;1,5", "fcyclic: the CPUs of a task on the sockets in turn"},
        {"2s2c2t", "0-3", 4, 1, [](Request& r) { r.distribution.sockets = Spread::fcyclic; },
         "0;2;4;6", "fcyclic is cyclic for tasks that fit into a core"},
        {"2s4c", "0-7", 6, 1,
         [](Request& r) {
             r.distribution.sockets = Spread::plane;
             r.distribution.plane_size = Count(2);
         },
         "0;1;4;5;2;3", "planes of two tasks"},
        {"2s4c", "0-7", 4, 1, [](Request& r) { r.tasks_per_socket = Count(2); }, "0;1;4;5",
         "--ntasks-per-socket=2"},
        {"2s4c", "0,4-7", 3, 1, [](Request& r) { r.distribution.sockets = Spread::cyclic; },
         "0;4;5", "a full socket is passed over"},
        {"4c2t+4e", "0-7", 4, 3, [](Request&) {}, "0,4,8;1,5,9;2,6,10;3,7,11",
         "cores of two threads joined with cores of one"},
        {"4c2t+4e", "0-7", 8, 1, [](Request& r) { r.tasks_per_core = Count(1); }, "0;1;2;3;4;5;6;7",
         "a core each, whatever its threads"},
        {"4c2t+4e", "2-5", 3, 2, [](Request&) {}, "2,10;3,11;4,5", "two cores of one thread"},
        {"2s2c2t", "0-3", 0, 1, [](Request&) {}, "", "no task"},
        {"1c", "0", 1, 1, [](Request&) {}, "0", "the smallest"},
    }));
    INFO(row.why);
    const std::vector<Node> nodes{node_of(row.node)};
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(row.cpus));
    row.change(request);
    REQUIRE(check(request).ok());
    const Placement placement{{part(0, row.tasks, cores_from(row.cores))}};
    CHECK(threads_text(layout_tasks(nodes, placement, request)) == row.threads);
}

TEST_CASE("layout_tasks: only the first threads of a core where so many are used", "[alloc]") {
    const std::vector<Node> nodes{node_of("2s2c2t")};
    Placement placement{{part(0, 2, CoreSet::range({0, 4}))}};
    placement.nodes[0].threads_per_core = Count(1);
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(2));
    CHECK(threads_text(layout_tasks(nodes, placement, request)) == "0,1;2,3");
    placement.nodes[0].threads_per_core = Count(9);
    CHECK(threads_text(layout_tasks(nodes, placement, request)) == "0,4;1,5");
}

TEST_CASE("layout_tasks: tasks with thousandths of CPUs have no thread in particular", "[alloc]") {
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(0));
    request.milli_cpus = MilliCpu(500);
    Node node;
    node.name = "n0";
    NodePlacement part;
    part.tasks = Count(2);
    part.milli_cpus = MilliCpu(1'000);
    const auto layout = layout_tasks(std::vector{node}, {{part}}, request);
    REQUIRE(layout);
    REQUIRE(layout->size() == 2);
    for (const TaskPlacement& task : *layout) {
        CHECK(task.cores.is_empty());
        CHECK(task.threads.is_empty());
    }
}

TEST_CASE("layout_tasks: nothing is overcommitted", "[alloc]") {
    struct Row {
        std::int64_t tasks;
        std::int64_t cpus;
        Alter change;
        const char* reason;
    };
    const auto row = GENERATE(values<Row>({
        {9, 1, [](Request&) {},
         "node n0: 9 tasks of 1 CPUs, but 8 threads of 4 cores in 2 sockets"},
        {1, 9, [](Request&) {},
         "node n0: 1 tasks of 9 CPUs, but 8 threads of 4 cores in 2 sockets"},
        {5, 1, [](Request& r) { r.tasks_per_core = Count(1); },
         "node n0: 5 tasks of 1 CPUs, at most 1 a core, but 8 threads of 4 cores in 2 sockets"},
        {3, 3, [](Request& r) { r.tasks_per_socket = Count(2); },
         "node n0: 3 tasks of 3 CPUs, at most 2 a socket, but 8 threads of 4 cores in 2 sockets"},
        {5, 1, [](Request& r) { r.tasks_per_socket = Count(2); },
         "node n0: 5 tasks of 1 CPUs, at most 2 a socket, but 8 threads of 4 cores in 2 sockets"},
        {1, 5, [](Request& r) { r.tasks_per_socket = Count(1); },
         "node n0: 1 tasks of 5 CPUs, at most 1 a socket, but 8 threads of 4 cores in 2 sockets"},
        {1'000'000'000, 1'000'000'000, [](Request&) {},
         "node n0: 1000000000 tasks of 1000000000 CPUs, but 8 threads of 4 cores in 2 sockets"},
    }));
    const std::vector<Node> nodes{node_of("2s2c2t")};
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(row.cpus));
    row.change(request);
    const Placement placement{{part(0, row.tasks, CoreSet::range({0, 4}))}};
    const auto layout = layout_tasks(nodes, placement, request);
    REQUIRE(!layout);
    CHECK(layout.refusal().constraint == Constraint::cores);
    CHECK(layout.refusal().reason == row.reason);
}

TEST_CASE("layout_tasks: a request that check() refuses is refused", "[alloc]") {
    const std::vector<Node> nodes{node_of("2s2c2t")};
    Request request;
    request.distribution.sockets = Distribution::plane;
    request.distribution.plane_size = Count(0);
    const auto layout =
        layout_tasks(nodes, Placement{{part(0, 2, CoreSet::range({0, 4}))}}, request);
    REQUIRE(!layout);
    CHECK(layout.refusal().constraint == Constraint::invalid);
    CHECK(layout.refusal().reason.find("planes of 0 tasks") != std::string::npos);
}

TEST_CASE("layout_tasks: nodes and cores that do not exist are a broken contract", "[alloc]") {
    const std::vector<Node> nodes{node_of("4c")};
    const auto lay = [&](const Placement& placement) {
        return broken_contract(
            [&] { static_cast<void>(layout_tasks(nodes, placement, Request{})); });
    };
    CHECK(lay({{part(1, 1, {})}}) == "the node exists");
    CHECK(lay({{part(0, 1, CoreSet::range({0, 5}))}}) == "the cores exist");
}

namespace {

/// A hardware thread as the oracle sees it; `core` and `package` count the placement's only.
struct Cpu {
    std::size_t package = 0;
    CoreId core;
    OsIndex thread;
    int task = -1;
};

/// Layout on one node, task by task and CPU by CPU.
class LayoutOracle {
  public:
    LayoutOracle(const NodeShape& shape, const NodePlacement& placement, const Request& request)
        : request_(request), cpus_(request.cpus_per_task.least().value()) {
        std::size_t package = 0;
        for (const CoreSet& group : core_groups(shape, HardwareLevel::package)) {
            for (const CoreId core : group& placement.cores) {
                for (const OsIndex thread : shape.hardware.cores[core.value()].threads) {
                    const auto used = placement.threads_per_core.value();
                    if (used == 0 || size_of(core) < used) all_.push_back({package, core, thread});
                }
            }
            ++package;
        }
        packages_ = package;
    }

    /// True when the answer is one of cores taken in order.
    bool is_in_order() const { return is_in_order_; }

    /// The threads of each task, or nothing.
    std::optional<std::vector<PuSet>> run(int tasks) {
        const bool is_fcyclic =
            request_.distribution.sockets == Distribution::fcyclic && !request_.tasks_per_socket;
        bool is_spread = false;
        for (const Cpu& cpu : all_) is_spread |= is_fcyclic && size_of(cpu.core) < cpus_;
        if (!is_spread && deal_to_packages(tasks)) return result(tasks);
        if (!is_spread && request_.tasks_per_socket) {
            is_in_order_ = false;
            return std::nullopt;
        }
        if (is_fcyclic) shuffle_packages();
        for (Cpu& cpu : all_) cpu.package = 0;
        if (seat_all(tasks)) return result(tasks);
        is_in_order_ = false;
        if (request_.tasks_per_core) return std::nullopt;
        clear();
        int taken = 0;
        for (Cpu& cpu : all_) {
            if (taken == tasks * cpus_) break;
            cpu.task = static_cast<int>(taken++ / cpus_);
        }
        return taken == tasks * cpus_ ? std::optional(result(tasks)) : std::nullopt;
    }

  private:
    std::int64_t size_of(CoreId core) const {
        return std::count_if(all_.begin(), all_.end(),
                             [&](const Cpu& cpu) { return cpu.core == core; });
    }
    void clear() {
        for (Cpu& cpu : all_) cpu.task = -1;
        on_core_.clear();
        closed_.clear();
    }
    /// Orders the CPUs by the rank of their core in its package, then by package.
    void shuffle_packages() {
        std::map<std::size_t, std::vector<CoreId>> cores;
        for (const Cpu& cpu : all_) {
            auto& list = cores[cpu.package];
            if (list.empty() || list.back() != cpu.core) list.push_back(cpu.core);
        }
        const auto rank = [&](const Cpu& cpu) {
            const auto& list = cores[cpu.package];
            return std::find(list.begin(), list.end(), cpu.core) - list.begin();
        };
        std::stable_sort(all_.begin(), all_.end(), [&](const Cpu& a, const Cpu& b) {
            return std::pair(rank(a), a.package) < std::pair(rank(b), b.package);
        });
    }
    bool deal_to_packages(int tasks) {
        clear();
        std::vector<std::int64_t> count(packages_);
        std::size_t package = 0;
        std::int64_t in_turn = 0;
        std::size_t failed = 0;
        const auto how = request_.distribution.sockets;
        const std::int64_t turn = how == Distribution::block ? tasks
                                  : how == Distribution::plane
                                      ? request_.distribution.plane_size.value()
                                      : 1;
        for (int task = 0; task < tasks;) {
            if (failed == packages_) return false;
            const bool is_full =
                request_.tasks_per_socket && Count(count[package]) == *request_.tasks_per_socket;
            if (in_turn < turn && !is_full && seat(task, package)) {
                ++task, ++in_turn, ++count[package];
                failed = 0;
                continue;
            }
            if (in_turn == 0) ++failed;
            in_turn = 0;
            package = (package + 1) % packages_;
        }
        return true;
    }
    bool seat_all(int tasks) {
        clear();
        for (int task = 0; task < tasks; ++task) {
            if (!seat(task, 0)) return false;
        }
        return true;
    }
    /// Seats the task at the first core where it can end.
    bool seat(int task, std::size_t package) {
        std::vector<CoreId> small;
        std::int64_t collected = 0;
        CoreId last(~0u);
        for (const Cpu& cpu : all_) {
            if (cpu.package != package || cpu.core == last) continue;
            last = cpu.core;
            const std::int64_t size = size_of(last);
            if (size >= cpus_) {
                const auto on = on_core_[last];
                if ((on + 1) * cpus_ > size) continue;
                if (request_.tasks_per_core && Count(on) >= *request_.tasks_per_core) continue;
                ++on_core_[last];
                take(task, {last});
                return true;
            }
            if (closed_.count(last) != 0) continue;
            small.push_back(last);
            collected += size;
            if (collected < cpus_) continue;
            for (const CoreId core : small) closed_[core] = true;
            take(task, small);
            return true;
        }
        return false;
    }
    void take(int task, const std::vector<CoreId>& cores) {
        std::int64_t left = cpus_;
        for (Cpu& cpu : all_) {
            const bool is_here = std::find(cores.begin(), cores.end(), cpu.core) != cores.end();
            if (!is_here || cpu.task != -1 || left == 0) continue;
            cpu.task = task;
            --left;
        }
    }
    std::vector<PuSet> result(int tasks) const {
        std::vector<PuSet> sets(static_cast<std::size_t>(tasks));
        for (const Cpu& cpu : all_) {
            if (cpu.task >= 0) sets[static_cast<std::size_t>(cpu.task)].insert(cpu.thread);
        }
        return sets;
    }

    const Request& request_;
    std::int64_t cpus_;
    std::vector<Cpu> all_;
    bool is_in_order_ = true;
    std::size_t packages_ = 0;
    std::map<CoreId, std::int64_t> on_core_;
    std::map<CoreId, bool> closed_;
};

/// A node of up to three packages whose cores have one to three threads.
Node any_uneven_node(Choices& choices) {
    NodeShape shape;
    std::uint32_t thread = 0;
    for (std::uint32_t package = 0; package < 3; ++package) {
        const std::uint32_t first = shape.hardware.core_count();
        for (auto cores = choices.below(4); cores > 0; --cores) {
            Core core;
            for (auto n = 1 + choices.below(choices.one_in(2) ? 3 : 1); n > 0; --n) {
                core.threads.emplace_back(thread++);
            }
            shape.hardware.cores.push_back(std::move(core));
        }
        shape.hardware.groups.push_back({HardwareLevel::package, OsIndex(package),
                                         CoreSet::range({first, shape.hardware.core_count()})});
    }
    Node node;
    node.name = "n0";
    node.shape = std::move(shape);
    return node;
}

}  // namespace

TEST_CASE(
    "layout_tasks: law: each task has its own threads inside the placement, as the plain "
    "oracle says",
    "[alloc]") {
    INFO("seed " << test_seed());
    std::uint64_t yes = 0;
    std::uint64_t no = 0;
    for_random_choices({test_seed(), test_rounds(20'000u)}, [&](Choices& choices) {
        const std::vector<Node> nodes{any_uneven_node(choices)};
        const NodeShape& shape = *nodes[0].shape;
        NodePlacement given = part(0, choices.in(Interval<std::int64_t>{0, 7}), {});
        for (const CoreId core : shape.hardware.all_cores()) {
            if (!choices.one_in(4)) given.cores.insert(core);
        }
        if (choices.one_in(4)) given.threads_per_core = Count(choices.in(Interval<int>{1, 3}));
        Request request;
        request.cpus_per_task = Range<Count>::exactly(Count(choices.in(Interval<int>{1, 5})));
        request.distribution.sockets =
            choices.of(std::vector{Spread::block, Spread::cyclic, Spread::fcyclic, Spread::plane});
        request.distribution.plane_size = Count(choices.in(Interval<int>{1, 4}));
        if (choices.one_in(3)) request.tasks_per_core = Count(choices.in(Interval<int>{1, 3}));
        if (choices.one_in(3)) request.tasks_per_socket = Count(choices.in(Interval<int>{1, 4}));
        INFO(to_text(shape.hardware) << "\n" << to_text(given) << "\n" << to_text(request));

        const auto layout = layout_tasks(nodes, {{given}}, request);
        const int tasks = static_cast<int>(given.tasks.value());
        LayoutOracle oracle(shape, given, request);
        const auto expected = oracle.run(tasks);
        // Where cores in order do not do, others may: as many as fit() counts, see below.
        REQUIRE((layout.has_value() || !expected));
        const bool is_known = expected && oracle.is_in_order();
        const PuSet inside = threads_of(shape, given);
        const auto needed = given.tasks.value() * request.cpus_per_task.least().value();
        if (!layout) {
            const bool is_limited = request.tasks_per_core || request.tasks_per_socket;
            REQUIRE((is_limited || inside.count() < needed));
            ++no;
            return;
        }
        PuSet all;
        for (const TaskPlacement& task : *layout) {
            if (is_known) REQUIRE(task.threads == (*expected)[task.task]);
            REQUIRE(task.threads.count() == request.cpus_per_task.least().value());
            REQUIRE(task.cores == shape.hardware.cores_of(task.threads));
            REQUIRE(!all.intersects(task.threads));
            all |= task.threads;
        }
        REQUIRE(all.count() == needed);
        REQUIRE(inside.contains_all(all));
        ++yes;
    });
    CHECK(yes > test_rounds(5'000u));
    CHECK(no > test_rounds(2'000u));
}

TEST_CASE("layout_tasks: law: what fit() gives on cores of unlike thread counts has room",
          "[alloc]") {
    INFO("seed " << test_seed());
    std::uint64_t fitting = 0;
    for_random_choices({test_seed(), test_rounds(10'000u)}, [&](Choices& choices) {
        const std::vector<Node> nodes{any_uneven_node(choices)};
        const NodeShape& shape = *nodes[0].shape;
        Request request;
        request.tasks = Count(choices.in(Interval<int>{1, 7}));
        request.cpus_per_task = Range<Count>::exactly(Count(choices.in(Interval<int>{1, 5})));
        request.distribution.sockets =
            choices.of(std::vector{Spread::block, Spread::cyclic, Spread::fcyclic, Spread::plane});
        request.distribution.plane_size = Count(choices.in(Interval<int>{1, 4}));
        if (choices.one_in(3)) request.tasks_per_core = Count(choices.in(Interval<int>{1, 3}));
        if (choices.one_in(3)) request.tasks_per_socket = Count(choices.in(Interval<int>{1, 4}));
        if (choices.one_in(8)) request.exclusivity = Exclusivity::whole_node;
        INFO(to_text(shape.hardware) << "\n" << to_text(request));
        const NodeDemand demand = demand_of(request, {}, shape.socket_count());
        const auto given = fit(shape, NodeLedger(shape), demand);
        if (!given) return;
        ++fitting;
        const auto layout = layout_tasks(nodes, {{*given}}, request);
        REQUIRE(layout);
        PuSet all;
        for (const TaskPlacement& task : *layout) {
            REQUIRE(task.threads.count() == request.cpus_per_task.least().value());
            REQUIRE(!all.intersects(task.threads));
            all |= task.threads;
        }
    });
    CHECK(fitting > test_rounds(1'000u));
}

}  // namespace trestle
