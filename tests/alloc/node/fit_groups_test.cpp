// SPDX-License-Identifier: Apache-2.0
// Tasks dealt to groups of cores inside of packages, and tasks that each lie in one group.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/core_groups.hpp"
#include "support/catch.hpp"
#include "support/fit_agreement.hpp"
#include "support/random_fit.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/explain_fit.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/alloc/node/job/task_layout.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

using testing::for_random_choices;
using How = Distribution;
using Level = HardwareLevel;
using DemandChange = void (*)(NodeDemand&);

NodeShape shape_from(const char* text) {
    const auto node = testing::node_from_text(text);
    REQUIRE(node.ok());
    return *node->shape;
}

NodeDemand group_demand(std::int64_t tasks, std::int64_t cpus_per_task) {
    NodeDemand demand;
    demand.tasks = Count(tasks);
    demand.cpus_per_task = Count(cpus_per_task);
    return demand;
}

/// The cores that fit() gives, or the refusal.
std::string cores_text(const FitCase& one) {
    const auto answer = fit(one.shape, one.ledger(), one.demand);
    return answer ? to_text(answer->cores) : to_text(answer.refusal());
}

/// Packages of one or two NUMA domains, and these of one or two caches, with unlike numbers of
/// cores.
NodeShape any_tree(Choices& choices) {
    NodeShape shape;
    std::uint32_t thread = 0;
    std::uint32_t caches = 0;
    const auto threads = 1 + choices.below(2);
    const bool is_mixed = choices.one_in(4);
    for (auto packages = 1 + choices.below(2), p = packages; p > 0; --p) {
        const std::uint32_t first = shape.hardware.core_count();
        for (auto domains = 1 + choices.below(2); domains > 0; --domains) {
            const std::uint32_t start = shape.hardware.core_count();
            for (auto n = 1 + choices.below(2); n > 0; --n) {
                const std::uint32_t begin = shape.hardware.core_count();
                for (auto cores = 1 + choices.below(2); cores > 0; --cores) {
                    Core core{{OsIndex(thread++)}};
                    const bool is_double = is_mixed ? choices.one_in(2) : threads == 2;
                    if (is_double) core.threads.emplace_back(thread++);
                    shape.hardware.cores.push_back(core);
                }
                shape.hardware.groups.push_back(
                    {Level::l3, OsIndex(caches++),
                     CoreSet::range({begin, shape.hardware.core_count()})});
            }
            shape.memory.push_back({OsIndex(static_cast<std::uint32_t>(shape.memory.size())),
                                    MemoryDomain::Kind::dram,
                                    Bytes(static_cast<std::int64_t>(choices.below(5))),
                                    CoreSet::range({start, shape.hardware.core_count()})});
        }
        shape.hardware.groups.push_back({Level::package,
                                         OsIndex(static_cast<std::uint32_t>(packages - p)),
                                         CoreSet::range({first, shape.hardware.core_count()})});
    }
    for (auto n = choices.below(3); n > 0; --n) {
        const auto at = static_cast<std::size_t>(choices.below(shape.hardware.groups.size()));
        shape.devices.push_back(plain_gpu(static_cast<std::uint32_t>(shape.devices.size()),
                                          shape.hardware.groups[at].cores));
    }
    return shape;
}

/// A question about groups of a regular tree. Few wishes at a time, so that many are met.
FitCase any_group_case(Choices& choices) {
    FitCase one;
    one.shape = any_tree(choices);
    for (const CoreId core : one.shape.hardware.all_cores()) {
        if (choices.one_in(4)) one.taken.cores.insert(core);
    }
    NodeDemand& demand = one.demand;
    demand = group_demand(1 + choices.in(Interval<std::int64_t>{0, 3}),
                          1 + choices.in(Interval<std::int64_t>{0, 4}));
    demand.distribution =
        choices.of(std::vector{How::block, How::block, How::cyclic, How::fcyclic, How::plane});
    demand.plane_size = Count(2);
    const std::vector levels{Level::package, Level::numa, Level::l3, Level::die};
    demand.distribution_level = choices.of(levels);
    if (!choices.one_in(4)) demand.task_level = choices.of(levels);
    if (choices.one_in(6)) demand.tasks_per_core = Count(1);
    if (choices.one_in(6)) demand.tasks_per_socket = Count(1 + (choices.one_in(2) ? 1 : 0));
    if (choices.one_in(8)) demand.threads_per_core = Count(1);
    if (choices.one_in(6)) {
        demand.core_locality = Strictness::require;
        demand.core_level = choices.of(levels);
    }
    if (choices.one_in(3)) demand.memory = Bytes(2);
    if (choices.one_in(4)) demand.memory_locality = Strictness::require;
    if (!one.shape.devices.empty() && choices.one_in(2)) {
        NodeDemand::Device& gpu = demand.devices.emplace_back();
        gpu.request.name = "gpu";
        gpu.count = Range<Count>::exactly(Count(1));
        if (choices.one_in(2)) gpu.request.locality = Strictness::require;
        if (choices.one_in(3)) demand.cpus_per_device = Count(2);
    }
    if (choices.one_in(12)) demand.exclusivity = Exclusivity::whole_node;
    return one;
}

}  // namespace

TEST_CASE("fit: tasks dealt to groups inside of sockets, and tasks that lie in one", "[alloc]") {
    struct Row {
        const char* node;
        const char* taken;
        std::int64_t tasks;
        std::int64_t cpus;
        DemandChange change;
        const char* cores;
        const char* why;
    };
    const auto in_numa = [](NodeDemand& demand) { demand.task_level = Level::numa; };
    const auto cyclic = [](NodeDemand& demand) {
        demand.distribution = How::cyclic;
        demand.distribution_level = Level::numa;
    };
    const auto fcyclic = [](NodeDemand& demand) {
        demand.distribution = How::fcyclic;
        demand.distribution_level = Level::numa;
    };
    const auto fcyclic_in_socket = [](NodeDemand& demand) {
        demand.distribution = How::fcyclic;
        demand.distribution_level = Level::numa;
        demand.task_level = Level::package;
    };
    const char* const four = "2s4c numa=2 mem=64G";  // domains 0-1, 2-3, 4-5, 6-7
    const auto row = GENERATE_COPY(values<Row>({
        {four, "", 4, 1, cyclic, "0,2,4,6", "one task in each NUMA domain"},
        {four, "", 2, 1, cyclic, "0,4", "the first domain of each socket comes first"},
        {four, "", 6, 1, cyclic, "0-2,4-6", "the second round begins at the first domains"},
        {four, "0-1", 3, 1, cyclic, "2,4,6", "a domain without free cores is passed over"},
        {four, "0", 5, 1, cyclic, "1-2,4-6", "a full domain too"},
        {four, "", 2, 1,
         [](NodeDemand& demand) {
             demand.distribution = How::cyclic;
             demand.distribution_level = Level::numa;
             demand.core_locality = Strictness::require;
             demand.core_level = Level::package;
         },
         "0,2", "inside of one socket"},
        {four, "0-1", 2, 1,
         [](NodeDemand& demand) {
             demand.distribution = How::cyclic;
             demand.distribution_level = Level::numa;
             demand.core_locality = Strictness::require;
             demand.core_level = Level::package;
         },
         "2-3", "as even as the socket allows, and on the lowest cores"},
        {four, "", 1, 4, fcyclic, "0,2,4,6", "the CPUs of one task, spread over the domains"},
        {four, "", 1, 2, fcyclic, "0,4", "of both sockets"},
        {four, "", 1, 2, fcyclic_in_socket, "0,2", "over the domains inside of a socket"},
        {four, "2-3", 1, 4, fcyclic_in_socket, "4-7", "only the other socket has the CPUs"},
        {four, "", 2, 2, fcyclic_in_socket, "0,2,4,6", "the tasks too, one on each socket"},
        {four, "", 4, 1,
         [](NodeDemand& demand) {
             demand.distribution = How::plane;
             demand.plane_size = Count(2);
             demand.distribution_level = Level::numa;
         },
         "0-1,4-5", "two tasks to a domain in turn"},
        {four, "", 2, 1,
         [](NodeDemand& demand) {
             demand.tasks_per_socket = Count(1);
             demand.distribution_level = Level::numa;
         },
         "0,4", "a limit of sockets is about sockets"},
        {four, "", 4, 1,
         [](NodeDemand& demand) {
             demand.distribution = How::cyclic;
             demand.distribution_level = Level::numa;
             demand.tasks_per_socket = Count(1);
         },
         "cores: asked 4 tasks of 1 CPU, at most 1 a socket, which leaves room for 2: they do not "
         "fit the groups of level numa as they are dealt, which have 2, 2, 2, 2 free cores",
         "two sockets take two tasks"},
        {four, "", 1, 2, in_numa, "0-1", "the lowest domain"},
        {four, "1", 1, 2, in_numa, "2-3", "the lowest that holds the task"},
        {four, "1,3", 2, 2, in_numa, "4-7", "two tasks, a domain each"},
        {four, "1,3,5", 1, 2, in_numa, "6-7", "five free cores, two of them in one domain"},
        {four, "1,3,5,7", 1, 2, in_numa,
         "locality: asked 1 task of 2 CPUs, each in one numa, there is room for 0; the most that a "
         "numa has free is 1 CPUs",
         "four free cores, none beside another"},
        {four, "1,3,5", 2, 2, in_numa,
         "locality: asked 2 tasks of 2 CPUs, each in one numa, there is room for 1; the most that "
         "a numa has free is 2 CPUs",
         "room for one of two"},
        {four, "", 1, 3, in_numa,
         "locality: asked 1 task of 3 CPUs, each in one numa, there is room for 0; the most that a "
         "numa has free is 2 CPUs",
         "no domain is so large"},
        {four, "", 8, 1, in_numa, "0-7", "a task of one CPU lies in a domain anyway"},
        {four, "", 2, 2,
         [](NodeDemand& demand) {
             demand.task_level = Level::numa;
             demand.tasks_per_socket = Count(1);
         },
         "0-1,4-5", "one task a socket, each in one domain"},
        {four, "1", 2, 2,
         [](NodeDemand& demand) {
             demand.task_level = Level::numa;
             demand.distribution = How::cyclic;
         },
         "2-5", "dealt to the sockets, there in one domain"},
        {"2s4c", "0", 1, 4, [](NodeDemand& demand) { demand.task_level = Level::die; }, "4-7",
         "without dies the packages stand in"},
        {"8c", "0", 1, 4, in_numa, "1-4", "without packages the whole node"},
        {"8c", "", 2, 1, cyclic, "0-1", "there is one group to deal to"},
        {"2s4c2t numa=2 mem=64G", "0", 1, 4, in_numa, "2-3", "threads count as CPUs"},
        {"2s3c2t", "", 2, 3, [](NodeDemand& demand) { demand.task_level = Level::package; },
         "0-2", "tasks side by side may share a core"},
        {"2s3c2t", "", 2, 3,
         [](NodeDemand& demand) {
             demand.task_level = Level::package;
             demand.tasks_per_core = Count(1);
         },
         "0-1,3-4", "with cores of their own a package holds one"},
        {four, "", 1, 3,
         [](NodeDemand& demand) {
             demand.exclusivity = Exclusivity::whole_node;
             demand.task_level = Level::numa;
         },
         "locality: asked 1 task of 3 CPUs, each in one numa, there is room for 0; the most that a "
         "numa has free is 2 CPUs",
         "a whole node is no better"},
    }));
    INFO(row.why);
    FitCase one;
    one.shape = shape_from(row.node);
    one.taken.cores = *parse_set<CoreSet>(row.taken);
    one.demand = group_demand(row.tasks, row.cpus);
    row.change(one.demand);
    CHECK(cores_text(one) == row.cores);
    agrees(one);
}

TEST_CASE("fit: a task in one NUMA domain, beside devices and memory", "[alloc]") {
    FitCase one;
    one.shape = shape_from("2s4c numa=2 mem=64B");
    one.shape.devices = {plain_gpu(0, CoreSet::range({2, 4})),
                         plain_gpu(1, CoreSet::range({6, 8}))};
    one.demand = group_demand(1, 2);
    one.demand.task_level = Level::numa;
    const auto gpus = [&](std::int64_t count, Strictness locality) {
        NodeDemand::Device gpu;
        gpu.request.name = "gpu";
        gpu.request.locality = locality;
        gpu.count = Range<Count>::exactly(Count(count));
        one.demand.devices = {gpu};
    };
    SECTION("the domain that the device is near to") {
        gpus(1, Strictness::prefer);
        CHECK(cores_text(one) == "2-3");
        one.taken.cores = CoreSet::of({CoreId(2)});
        CHECK(cores_text(one) == "6-7");
    }
    SECTION("two tasks, each with a device near it") {
        gpus(2, Strictness::require);
        one.demand.tasks = Count(2);
        one.demand.devices[0].request.per = Per::task;
        CHECK(cores_text(one) == "2-3,6-7");
    }
    SECTION("a device that must be near has a core more where the task cannot lie there") {
        gpus(2, Strictness::require);
        CHECK(cores_text(one) == "2-3,6");
    }
    SECTION("the domain whose memory holds what is asked") {
        one.demand.memory = Bytes(10);
        one.demand.memory_locality = Strictness::require;
        one.taken.memory = {{DomainId(0), Bytes(10)}, {DomainId(1), Bytes(8)}};
        CHECK(cores_text(one) == "4-5");
    }
    agrees(one);
}

TEST_CASE("explain_fit: a task that no group holds is named", "[alloc]") {
    FitCase one;
    one.shape = shape_from("2s4c numa=2 mem=64G");
    one.demand = group_demand(1, 3);
    one.demand.task_level = Level::numa;
    const FitExplanation why = explain_fit(one.shape, one.ledger(), one.demand);
    const std::string text = to_text(why);
    INFO(text);
    CHECK(text.find("each task in one group of level numa") != std::string::npos);
}

TEST_CASE("fit: groups on all occupancies of a small node as the oracle says",
          "[alloc][unsanitized]") {
    NodeShape shape = shape_from("2s4c numa=2 mem=8B");
    shape.devices = {plain_gpu(0, CoreSet::range({2, 4})), plain_gpu(1, CoreSet::range({4, 8}))};
    struct Row {
        std::int64_t tasks;
        std::int64_t cpus;
        How how;
        Level level;
        std::optional<Level> task_level;
        std::int64_t gpus;
    };
    const std::vector<Row> rows{
        {3, 1, How::cyclic, Level::numa, std::nullopt, 0},
        {2, 1, How::cyclic, Level::numa, std::nullopt, 1},
        {1, 3, How::fcyclic, Level::numa, std::nullopt, 0},
        {1, 3, How::fcyclic, Level::numa, Level::package, 0},
        {2, 2, How::fcyclic, Level::numa, Level::package, 0},
        {1, 2, How::block, Level::package, Level::numa, 1},
        {2, 2, How::block, Level::package, Level::numa, 2},
        {2, 2, How::cyclic, Level::package, Level::numa, 0},
        {2, 2, How::fcyclic, Level::package, Level::numa, 1},
    };
    Tally tally;
    for (const Row& row : rows) {
        for (std::uint32_t occupied = 0; occupied < 256; ++occupied) {
            FitCase one;
            one.shape = shape;
            for (std::uint32_t core = 0; core < 8; ++core) {
                if ((occupied >> core & 1) != 0) one.taken.cores.insert(CoreId(core));
            }
            one.demand = group_demand(row.tasks, row.cpus);
            one.demand.distribution = row.how;
            one.demand.distribution_level = row.level;
            one.demand.task_level = row.task_level;
            if (row.gpus > 0) {
                NodeDemand::Device& gpu = one.demand.devices.emplace_back();
                gpu.request.name = "gpu";
                gpu.count = Range<Count>::exactly(Count(row.gpus));
            }
            tally.add(agrees(one));
        }
    }
}

TEST_CASE("fit: groups of regular nodes at random as the oracle says", "[alloc][law]") {
    Tally tally;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(6'000u)},
                       [&](Choices& choices) { tally.add(agrees(any_group_case(choices))); });
}

TEST_CASE("fit: law: each task of a placement has its cores in one group", "[alloc][law]") {
    INFO("seed " << test_seed());
    std::uint64_t placed = 0;
    for_random_choices({test_seed() + 1, test_rounds(6'000u)}, [&](Choices& choices) {
        const FitCase one = any_group_case(choices);
        Request request;
        request.tasks = one.demand.tasks;
        request.cpus_per_task = Range<Count>::exactly(one.demand.cpus_per_task);
        request.distribution.sockets = one.demand.distribution;
        request.distribution.level = one.demand.distribution_level;
        request.distribution.plane_size = one.demand.plane_size;
        request.task_level = one.demand.task_level;
        if (!one.demand.tasks_per_core.is_zero()) {
            request.tasks_per_core = one.demand.tasks_per_core;
        }
        if (!one.demand.tasks_per_socket.is_zero()) {
            request.tasks_per_socket = one.demand.tasks_per_socket;
        }
        const auto placement = fit(one.shape, one.ledger(), one.demand);
        if (!placement) return;
        ++placed;
        Node node;
        node.name = "n0";
        node.shape = one.shape;
        const std::vector<Node> nodes{node};
        const auto layout = layout_tasks(nodes, {{*placement}}, request);
        INFO(to_text(one) << "\n" << to_text(placement) << "\n" << to_text(layout));
        REQUIRE(layout.has_value());
        if (!request.task_level) return;
        const auto groups = groups_in_packages(one.shape, *request.task_level);
        for (const TaskPlacement& task : *layout) {
            REQUIRE(std::any_of(groups.begin(), groups.end(), [&](const CoreSet& group) {
                return group.contains_all(task.cores);
            }));
        }
    });
    CHECK(placed > test_rounds(1'000u));
}

TEST_CASE("fit: tasks in the caches of a large node are placed soon", "[alloc]") {
    FitCase one;
    one.shape = shape_from("2s64c2t numa=4 l3=8 mem=512G gpu:8");
    one.demand = group_demand(16, 8);
    one.demand.task_level = Level::l3;
    SECTION("an idle node") { CHECK(cores_text(one) == "0-63"); }
    SECTION("every third core taken") {
        for (std::uint32_t core = 0; core < 128; core += 3) one.taken.cores.insert(CoreId(core));
        CHECK(fit(one.shape, one.ledger(), one.demand).has_value());
    }
    SECTION("small tasks, uneven rooms") {
        one.demand = group_demand(20, 4);
        one.demand.task_level = Level::l3;
        for (std::uint32_t core = 0; core < 128; core += 1 + core / 8) {
            one.taken.cores.insert(CoreId(core));
        }
        CHECK(fit(one.shape, one.ledger(), one.demand).has_value());
    }
    SECTION("with devices that are required to be near") {
        NodeDemand::Device& gpu = one.demand.devices.emplace_back();
        gpu.request.name = "gpu";
        gpu.request.locality = Strictness::require;
        gpu.count = Range<Count>::exactly(Count(4));
        CHECK(fit(one.shape, one.ledger(), one.demand).has_value());
    }
    SECTION("dealt to the NUMA domains") {
        one.demand.distribution = How::cyclic;
        one.demand.distribution_level = Level::numa;
        CHECK(fit(one.shape, one.ledger(), one.demand).has_value());
    }
}

}  // namespace trestle
