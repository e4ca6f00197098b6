// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/job/cpu_bind.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/core_groups.hpp"
#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/options/task_bind.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

static_assert(lists_all_fields<TaskBind>);

Node node_for_tasks(const char* text) {
    auto node = testing::node_from_text(text);
    REQUIRE(node.ok());
    node->name = "n0";
    return *std::move(node);
}

Placement cores_for(const char* cores, std::int64_t tasks) {
    NodePlacement part;
    part.cores = *parse_set<CoreSet>(cores);
    part.tasks = Count(tasks);
    return {{part}};
}

/// `0-1;2`: the threads of each task.
std::string threads_text(const Verdict<std::vector<PuSet>>& bound) {
    if (!bound) return to_text(bound.refusal());
    std::string text;
    for (std::size_t i = 0; i < bound->size(); ++i) {
        text += (i == 0 ? "" : ";") + to_text((*bound)[i]);
    }
    return text;
}

TaskBind bind_to(TaskBind::To to, std::vector<std::uint32_t> map = {}, const char* masks = "") {
    TaskBind bind{to, std::move(map), {}};
    for (TextCursor cursor(masks); !cursor.at_end(); cursor.accept(';')) {
        bind.masks.push_back(*parse_set<SmallSet<>>(cursor.take_until(";")));
    }
    return bind;
}

TEST_CASE("bind_cpus: each rule on a node of two sockets", "[alloc]") {
    // Two sockets, each a NUMA domain with two caches of two cores of two threads; thread t of core
    // c has the number c + 8t.
    const Node node = node_for_tasks("2s4c2t mem=16G l3=2");
    REQUIRE(to_text(node.shape->hardware.threads_of(CoreSet::of({CoreId(1)}))) == "1,9");
    const Placement placement = cores_for("1-6", 2);
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(3));
    const std::vector<Node> nodes{node};
    const auto tasks = layout_tasks(nodes, placement, request);
    REQUIRE(tasks);
    REQUIRE(to_text((*tasks)[0].threads) == "1-2,9");
    REQUIRE(to_text((*tasks)[1].threads) == "4-5,12");
    struct Row {
        TaskBind bind;
        const char* bound;
        const char* why;
    };
    using enum TaskBind::To;
    const Row rows[] = {
        {bind_to(none), "1-6,9-14;1-6,9-14", "all that was granted"},
        {bind_to(threads), "1-2,9;4-5,12", "its own"},
        {bind_to(cores), "1-2,9-10;4-5,12-13", "the second threads too"},
        {bind_to(l3), "1-3,9-11;4-5,12-13", "caches of cores 0-1, 2-3, 4-5; core 0 is not granted"},
        {bind_to(numa), "1-3,9-11;4-6,12-14", "its domain, as far as granted"},
        {bind_to(sockets), "1-3,9-11;4-6,12-14", "its socket, as far as granted"},
        {bind_to(rank), "1;2", "the first threads first"},
        {bind_to(rank_numa), "1-3,9-11;4-6,12-14", "domain 0, domain 1"},
        {bind_to(map, {5, 9}), "5;9", "one each"},
        {bind_to(map, {5}), "5;5", "from the start again"},
        {bind_to(map, {5, 0}),
         "cores: node n0: CPU 0 of the list is none of the job's CPUs "
         "1-6,9-14",
         "not granted"},
        {bind_to(map, {4'000'000'000}),
         "cores: node n0: CPU 4000000000 of the list is none of "
         "the job's CPUs 1-6,9-14",
         "more than any node has"},
        {bind_to(mask, {}, "1,9;4-6"), "1,9;4-6", "several each"},
        {bind_to(mask, {}, "1,15"),
         "cores: node n0: CPU 15 of the list is none of the job's "
         "CPUs 1-6,9-14",
         "one of them not granted"},
        {bind_to(map_numa, {1, 0}), "4-6,12-14;1-3,9-11", "the other way round"},
        {bind_to(map_numa, {2}),
         "cores: node n0: NUMA domain 2 of the list has none of the "
         "job's CPUs 1-6,9-14",
         "no such domain"},
        {bind_to(mask_numa, {}, "0-1;1"), "1-6,9-14;4-6,12-14", "several domains"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(threads_text(bind_cpus(nodes, placement, *tasks, row.bind)) == row.bound);
    }
}

TEST_CASE("bind_cpus: a binding without its list is refused before", "[alloc]") {
    using enum TaskBind::To;
    for (const TaskBind::To to : {map, mask, map_numa, mask_numa}) {
        CHECK(check(bind_to(to)).code() == StatusCode::kInvalidArgument);
    }
    CHECK(check(bind_to(rank)) == Status());
    const Node node = node_for_tasks("1s2c mem=1G");
    const std::vector<Node> nodes{node};
    CHECK(broken_contract([&] { (void)bind_cpus(nodes, {}, {}, bind_to(map)); }) != "");
}

TEST_CASE("bind_cpus: tasks without threads, and lists, begin anew on each node", "[alloc]") {
    const Node node = node_for_tasks("1s4c mem=1G");
    std::vector<Node> nodes{node, node};
    Placement placement = cores_for("0-3", 2);
    placement.nodes.push_back(placement.nodes.front());
    placement.nodes.back().node = NodeId(1);
    const auto tasks = layout_tasks(nodes, placement, Request{});
    REQUIRE(tasks);
    CHECK(threads_text(bind_cpus(nodes, placement, *tasks, bind_to(TaskBind::To::map, {3, 1}))) ==
          "3;1;3;1");
    CHECK(threads_text(bind_cpus(nodes, placement, *tasks, bind_to(TaskBind::To::rank))) ==
          "0;1;0;1");
    NodePlacement anywhere;
    anywhere.milli_cpus = MilliCpu(500);
    TaskPlacement task;
    for (const auto& entry : enum_names(TaskBind::To{})) {
        const TaskBind bind = bind_to(entry.value, {0}, "0");
        CHECK(threads_text(bind_cpus(nodes, {{anywhere}}, std::vector{task}, bind)).empty());
    }
}

/// By the definition: a granted thread is the task's when the unit of its core has one of the
/// task's cores.
PuSet expected_threads(const Node& node, const PuSet& granted, const TaskPlacement& task,
                       HardwareLevel level) {
    const auto unit_of = [&](CoreId core) {
        for (const CoreSet& group : core_groups(*node.shape, level)) {
            if (group.contains(core)) return group;
        }
        return CoreSet();
    };
    PuSet threads;
    for (std::uint32_t c = 0; c < node.shape->hardware.core_count(); ++c) {
        for (const OsIndex thread : node.shape->hardware.cores[c].threads) {
            bool is_in = false;
            for (const CoreId core : task.cores) {
                is_in = is_in || unit_of(core) == unit_of(CoreId(c));
            }
            if (is_in && granted.contains(thread)) threads.insert(thread);
        }
    }
    return threads;
}

TEST_CASE("bind_cpus: on random placements as the definition says", "[alloc][law]") {
    INFO("seed " << test_seed());
    const std::vector<Node> kinds = {
        node_for_tasks("2s4c2t mem=16G l3=2"), node_for_tasks("1s6c mem=4G"),
        node_for_tasks("2s6c2t mem=16G numa=2 l3=3"), node_for_tasks("4s2c4t mem=8G")};
    testing::for_random_choices({test_seed(), test_rounds(300u)}, [&](testing::Choices& choices) {
        const Node node = choices.of(kinds);
        const std::vector<Node> nodes{node};
        NodePlacement part;
        for (std::uint32_t c = 0; c < node.shape->hardware.core_count(); ++c) {
            if (choices.one_in(2)) part.cores.insert(CoreId(c));
        }
        if (part.cores.is_empty()) return;
        part.tasks = Count(static_cast<std::int64_t>(choices.below(part.cores.count())) + 1);
        const Placement placement{{part}};
        const auto tasks = layout_tasks(nodes, placement, Request{});
        if (!tasks) return;
        const PuSet granted = threads_of(*node.shape, part);
        using enum TaskBind::To;
        for (const auto& [to, level] :
             {std::pair{cores, HardwareLevel::core}, std::pair{l3, HardwareLevel::l3},
              std::pair{numa, HardwareLevel::numa}, std::pair{sockets, HardwareLevel::package}}) {
            const auto bound = bind_cpus(nodes, placement, *tasks, bind_to(to));
            REQUIRE(bound);
            for (std::size_t i = 0; i < tasks->size(); ++i) {
                INFO(to_text(to));
                const PuSet expected = expected_threads(node, granted, (*tasks)[i], level);
                REQUIRE((*bound)[i] == expected);
                REQUIRE((*bound)[i].contains_all((*tasks)[i].threads));
            }
        }
        for (const TaskBind::To to : {none, threads, rank, rank_numa}) {
            const auto bound = bind_cpus(nodes, placement, *tasks, bind_to(to));
            REQUIRE(bound);
            for (const PuSet& one : *bound) {
                REQUIRE(granted.contains_all(one));
                REQUIRE_FALSE(one.is_empty());
            }
        }
    });
}

}  // namespace

namespace slurm {
namespace {

TEST_CASE("Slurm binding: each rule has its counterpart", "[slurm]") {
    CHECK_FALSE(cpu_bind_of({}));
    for (const auto& entry : enum_names(CpuBindRule{})) {
        const auto bind = cpu_bind_of({entry.value, {1}, {SmallSet<>::of({2})}, {}});
        REQUIRE(bind);
        std::string name(entry.name);
        for (const auto& [theirs, ours] :
             {std::pair{"ldoms", "numa"}, std::pair{"_ldom", "_numa"}, std::pair{"_cpu", ""}}) {
            const auto at = name.find(theirs);
            if (at != std::string::npos) name.replace(at, std::string(theirs).size(), ours);
        }
        CHECK(std::string(trestle::to_text(bind->to)) == name);
        CHECK(bind->map == std::vector<std::uint32_t>{1});
    }
}

TEST_CASE("Slurm binding: memory of a task", "[slurm]") {
    const auto granted = SmallSet<OsIndex>::of({OsIndex(1), OsIndex(3)});
    struct Row {
        MemBind bind;
        std::size_t local;
        const char* policy;  ///< empty: none; `!`: an error
        const char* why;
    };
    const auto of = [](MemBindRule rule, std::vector<std::uint32_t> map = {},
                       bool prefers = false) {
        MemBind bind;
        bind.rule = rule;
        bind.map = std::move(map);
        bind.is_preferred = prefers;
        return bind;
    };
    MemBind mask = of(MemBindRule::mask_mem);
    mask.masks = {SmallSet<>::of({1, 3}), SmallSet<>::of({0})};
    const Row rows[] = {
        {{}, 0, "", "nothing asked"},
        {of(MemBindRule::none), 0, "", "nothing wanted"},
        {of(MemBindRule::local), 5, "local", "local"},
        {of(MemBindRule::rank), 0, "bind 1", "the first granted"},
        {of(MemBindRule::rank), 3, "bind 3", "from the start again"},
        {of(MemBindRule::rank, {}, true), 0, "preferred 1", "prefer"},
        {of(MemBindRule::map_mem, {3, 1}), 0, "bind 3", "the list"},
        {of(MemBindRule::map_mem, {3, 1}), 3, "bind 1", "the list again"},
        {of(MemBindRule::map_mem, {0}), 0, "!", "not granted"},
        {of(MemBindRule::map_mem, {4'000'000'000}), 0, "!", "no node has it"},
        {of(MemBindRule::map_mem), 0, "!", "no list"},
        {mask, 0, "bind 1,3", "two nodes"},
        {mask, 1, "!", "not granted"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto policy = memory_policy_of(row.bind, row.local, granted);
        const bool is_error = std::string(row.policy) == "!";
        CHECK(policy.ok() == !is_error);
        if (!policy.ok()) continue;
        CHECK((*policy ? trestle::to_text(**policy) : "") == row.policy);
    }
}

}  // namespace
}  // namespace slurm
}  // namespace trestle
