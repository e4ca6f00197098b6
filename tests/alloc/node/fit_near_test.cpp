// SPDX-License-Identifier: Apache-2.0
// Devices in several places: each has a core of the job near it where that can be, and its share of
// the cores.
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/fit_agreement.hpp"
#include "support/random_fit.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/alloc/node/job/device_bind.hpp"
#include "trestle/alloc/node/job/task_layout.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

/// What is asked of two packages of four cores each, with two GPUs near each of them.
struct NearRow {
    const char* node = "2s4c gpu:4";
    const char* taken = "";  ///< cores
    std::int64_t gpus = 0;
    std::int64_t cpus = 0;
    Strictness locality = Strictness::prefer;
    const char* expected = "";
    const char* why = "";
    std::function<void(NodeDemand&)> change = {};
};

FitCase near_case(const NearRow& row) {
    FitCase one;
    one.shape = *testing::node_from_text(row.node).value().shape;
    one.taken.cores = *parse_set<CoreSet>(row.taken);
    one.demand.cpus_per_task = Count(row.cpus);
    NodeDemand::Device demand;
    demand.request.locality = row.locality;
    demand.count = Range<Count>::exactly(Count(row.gpus));
    one.demand.devices = {demand};
    if (row.change) row.change(one.demand);
    return one;
}

/// The answer, which is the oracle's.
std::string near_answer(const FitCase& one) {
    agrees(one);
    const auto placement = fit(one.shape, one.ledger(), one.demand, one.options);
    if (!placement) return "no: " + std::string(to_text(placement.refusal().constraint));
    std::string text = to_text(placement->cores) + " gpu";
    for (const DeviceShare& share : placement->devices) text += " " + to_text(share.device);
    return text;
}

TEST_CASE("fit: each device has a core near it, and its share of the cores", "[alloc]") {
    using enum Strictness;
    const auto per_task = [](NodeDemand& demand) {
        demand.devices[0].request.per = Per::task;
        demand.tasks = demand.devices[0].count.least();
    };
    const auto cpus_each = [](std::int64_t cpus) {
        return [cpus](NodeDemand& demand) { demand.cpus_per_device = Count(cpus); };
    };
    const NearRow rows[] = {
        {.gpus = 4, .cpus = 4, .expected = "0-1,4-5 gpu 0 1 2 3", .why = "two for each package"},
        {.gpus = 4, .cpus = 2, .expected = "0,4 gpu 0 1 2 3", .why = "one is near two GPUs"},
        {.gpus = 4, .cpus = 3, .expected = "0-1,4 gpu 0 1 2 3", .why = "the third is the lowest"},
        {.gpus = 4, .cpus = 1, .expected = "0 gpu 0 1 2 3", .why = "two GPUs have none"},
        {.gpus = 3, .cpus = 6, .expected = "0-5 gpu 0 1 2", .why = "two cores for each GPU"},
        {.gpus = 3, .cpus = 2, .expected = "0,4 gpu 0 1 2", .why = "not two near the same"},
        {.gpus = 2, .cpus = 2, .expected = "0-1 gpu 0 1", .why = "one place is better than two"},
        {.gpus = 2, .cpus = 6, .expected = "0-5 gpu 0 1", .why = "near cores, then others"},
        {.taken = "0-2",
         .gpus = 4,
         .cpus = 4,
         .expected = "3-6 gpu 0 1 2 3",
         .why = "what is left of one package"},
        {.taken = "0-3",
         .gpus = 4,
         .cpus = 4,
         .expected = "4-7 gpu 0 1 2 3",
         .why = "nothing is left of it"},
        {.node = "2s4c gpu:3@s0 gpu:1@s1",
         .gpus = 4,
         .cpus = 4,
         .expected = "0-2,4 gpu 0 1 2 3",
         .why = "shared out like the GPUs"},
        {.node = "4s2c gpu:4",
         .gpus = 4,
         .cpus = 4,
         .expected = "0,2,4,6 gpu 0 1 2 3",
         .why = "four packages"},
        {.node = "2s4c gpu:4 nic:1@s1",
         .gpus = 1,
         .cpus = 2,
         .expected = "4-5 gpu 2 4",
         .why = "the GPU beside the adapter",
         .change =
             [](NodeDemand& demand) {
                 NodeDemand::Device nic;
                 nic.request.name = "nic";
                 nic.count = Range<Count>::exactly(Count(1));
                 nic.request.locality = prefer;
                 demand.devices.push_back(nic);
             }},
        {.gpus = 4,
         .cpus = 1,
         .expected = "0-1,4-5 gpu 0 1 2 3",
         .why = "a GPU for each task",
         .change = per_task},
        {.gpus = 3,
         .cpus = 2,
         .expected = "0-5 gpu 0 1 2",
         .why = "two CPUs with each GPU",
         .change = per_task},
        {.gpus = 4,
         .cpus = 1,
         .expected = "0-7 gpu 0 1 2 3",
         .why = "CPUs of each GPU",
         .change = cpus_each(2)},
        {.taken = "0-2",
         .gpus = 2,
         .cpus = 1,
         .expected = "4-7 gpu 2 3",
         .why = "the package that has the CPUs",
         .change = cpus_each(2)},
        {.gpus = 4,
         .cpus = 8,
         .locality = require,
         .expected = "0-7 gpu 0 1 2 3",
         .why = "the whole node is near to all four"},
        {.gpus = 4,
         .cpus = 4,
         .locality = require,
         .expected = "0-1,4-5 gpu 0 1 2 3",
         .why = "required as preferred"},
        {.gpus = 1,
         .cpus = 5,
         .locality = require,
         .expected = "no: locality",
         .why = "the fifth core is near no GPU of the job"},
        {.taken = "4-7",
         .gpus = 3,
         .cpus = 2,
         .locality = require,
         .expected = "no: locality",
         .why = "a GPU with no core near it"},
        {.taken = "4-7",
         .gpus = 2,
         .cpus = 2,
         .locality = require,
         .expected = "0-1 gpu 0 1",
         .why = "the two that have some"},
        {.taken = "1-3",
         .gpus = 4,
         .cpus = 4,
         .locality = require,
         .expected = "0,4-6 gpu 0 1 2 3",
         .why = "one core is enough for a GPU"},
        {.taken = "1-3",
         .gpus = 4,
         .cpus = 1,
         .locality = require,
         .expected = "no: cores",
         .why = "eight cores come with the GPUs",
         .change = cpus_each(2)},
        {.taken = "0",
         .gpus = 3,
         .cpus = 1,
         .locality = require,
         .expected = "1-2,4-7 gpu 0 2 3",
         .why = "four CPUs near the pair",
         .change = cpus_each(2)},
        {.gpus = 1,
         .cpus = 1,
         .locality = require,
         .expected = "0-7 gpu 0",
         .why = "a whole node gives all its cores",
         .change = [](NodeDemand& demand) { demand.exclusivity = Exclusivity::whole_node; }},
        {.node = "2s4c2t gpu:2",
         .gpus = 2,
         .cpus = 2,
         .locality = require,
         .expected = "0,4 gpu 0 1",
         .why = "one core has the CPUs, but two are required"},
        {.gpus = 4,
         .cpus = 4,
         .locality = require,
         .expected = "0-1,4-5 gpu 0 1 2 3",
         .why = "at most four tasks a package: each has its part",
         .change =
             [](NodeDemand& demand) {
                 demand.tasks = Count(4);
                 demand.cpus_per_task = Count(1);
                 demand.tasks_per_socket = Count(4);
             }},
        {.gpus = 4,
         .cpus = 1,
         .locality = require,
         .expected = "0-7 gpu 0 1 2 3",
         .why = "the thousandths of a whole node are those beside its tasks' CPUs",
         .change =
             [](NodeDemand& demand) {
                 demand.milli_cpus = MilliCpu(7'000);
                 demand.exclusivity = Exclusivity::whole_node;
             }},
        {.node = "2s4c gpu:1@s0 nic:1@any",
         .gpus = 1,
         .cpus = 6,
         .locality = require,
         .expected = "0-5 gpu 0 1",
         .why = "an adapter that is near to all cores",
         .change =
             [](NodeDemand& demand) {
                 demand.devices.push_back(demand.devices[0]);
                 demand.devices[1].request.name = "nic";
             }},
        {.gpus = 4,
         .cpus = 4,
         .expected = "0-1,4-5 gpu 0 1 2 3",
         .why = "dealt in turn, which is the same",
         .change =
             [](NodeDemand& demand) {
                 demand.tasks = Count(4);
                 demand.cpus_per_task = Count(1);
                 demand.distribution = Distribution::cyclic;
             }},
    };
    for (const NearRow& row : rows) {
        INFO(row.why << ": " << row.node << ", taken " << row.taken << ", " << row.gpus << " gpu, "
                     << row.cpus << " CPUs");
        CHECK(near_answer(near_case(row)) == row.expected);
    }
}

TEST_CASE("fit: what is required near is a core, and cpus_per_device", "[alloc]") {
    const auto per_task = [](NodeDemand& demand) {
        demand.devices[0].request.per = Per::task;
        demand.tasks = Count(3);
        demand.cpus_per_task = Count(2);
    };
    const auto whole = [=](NodeDemand& demand) {
        per_task(demand);
        demand.exclusivity = Exclusivity::whole_node;
    };
    const auto with_cpus = [=](NodeDemand& demand) {
        per_task(demand);
        demand.cpus_per_device = Count(2);
    };
    constexpr Strictness required = Strictness::require;
    const char* const uneven = "2s3c gpu:1@s0 gpu:2@s1";
    const NearRow rows[] = {
        {uneven, "", 3, 6, required, "0-5 gpu 0 1 2", "counted per node"},
        {uneven, "", 3, 0, required, "0-5 gpu 0 1 2", "one for each task", per_task},
        {uneven, "", 3, 0, required, "0-5 gpu 0 1 2", "of the whole node", whole},
        {uneven, "", 3, 0, required, "no: locality", "two GPUs need four cores of three",
         with_cpus},
        {"2s4c gpu:2", "0-1", 2, 6, required, "2-7 gpu 0 1", "two cores are taken",
         [](NodeDemand& demand) { demand.devices[0].request.per = Per::task; }},
    };
    for (const NearRow& row : rows) {
        INFO(row.why);
        CHECK(near_answer(near_case(row)) == row.expected);
    }
}

/// Cores without groups, and GPUs near some of them.
FitCase overlapping_case(std::uint32_t cores, const std::vector<const char*>& near,
                         std::int64_t cpus, std::int64_t cpus_each, Strictness locality) {
    FitCase one;
    one.shape.hardware = plain_cores(cores);
    for (std::uint32_t i = 0; i < near.size(); ++i) {
        one.shape.devices.push_back(plain_gpu(i));
        one.shape.devices.back().cores = *parse_set<CoreSet>(near[i]);
    }
    NodeDemand::Device demand;
    demand.request.locality = locality;
    demand.count = Range<Count>::exactly(Count(static_cast<std::int64_t>(near.size())));
    one.demand.devices = {demand};
    one.demand.cpus_per_task = Count(cpus);
    one.demand.cpus_per_device = Count(cpus_each);
    return one;
}

TEST_CASE("fit: near sets that overlap", "[alloc]") {
    using enum Strictness;
    struct Row {
        std::uint32_t cores;
        std::vector<const char*> near;
        std::int64_t cpus;
        std::int64_t cpus_each;
        Strictness locality;
        const char* taken;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {4, {"0-1", "0-1", "2-3"}, 1, 0, require, "", "0,2 gpu 0 1 2", "equal sets: a core more"},
        {4, {"0", "0-1", "2-3"}, 1, 0, require, "", "0,2 gpu 0 1 2", "nested sets: the same"},
        {4, {"0-1", "0,2", "2-3"}, 1, 0, require, "", "0,2 gpu 0 1 2", "sets that overlap: too"},
        {4, {"0-1", "0,2", "2-3"}, 1, 0, require, "0", "1-2 gpu 0 1 2", "without the first core"},
        {4, {"0-1", "0,2", "2-3"}, 1, 0, require, "2", "0,3 gpu 0 1 2", "without the third"},
        {4, {"0", "0-1", "3"}, 1, 0, require, "0", "no: locality", "no number of cores does"},
        {6, {"0-2", "3-5", "3"}, 2, 1, prefer, "", "0,3-4 gpu 0 1 2", "a core for each GPU"},
        {6, {"0-2", "3-5", "3"}, 2, 1, require, "", "0,3-4 gpu 0 1 2", "required as preferred"},
        {6, {"0-2", "3-5", "3"}, 1, 0, require, "", "0,3 gpu 0 1 2", "one core serves two GPUs"},
        {3, {"0-1", "0-1", "0-2"}, 3, 1, require, "", "0-2 gpu 0 1 2", "three cores for three"},
        {4, {"0-1", "0-1", "0"}, 4, 1, require, "", "no: locality", "two cores for three GPUs"},
        {4, {"0-1", "1-2", "0,2"}, 1, 1, require, "", "0-2 gpu 0 1 2", "each pair has three"},
        {4, {"0-1", "1-2", "1"}, 1, 1, require, "", "0-2 gpu 0 1 2", "one GPU has core 1 alone"},
        {4, {"0-1", "0-1", "1"}, 3, 1, prefer, "", "0-2 gpu 0 1 2", "as near as can be"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        FitCase one = overlapping_case(row.cores, row.near, row.cpus, row.cpus_each, row.locality);
        one.taken.cores = *parse_set<CoreSet>(row.taken);
        CHECK(near_answer(one) == row.expected);
    }
}

TEST_CASE("fit: near sets that overlap, any of them", "[alloc]") {
    const std::uint64_t seed = test_seed();
    INFO("seed " << seed);
    Choices choices(seed);
    std::size_t found = 0;
    std::size_t refused = 0;
    for (std::size_t round = 0; round < test_rounds(6'000u); ++round) {
        FitCase one;
        one.shape.hardware = plain_cores(2 + static_cast<std::uint32_t>(choices.below(5)));
        const auto threads = 1 + choices.below(2);
        std::uint32_t thread = 0;
        for (Core& core : one.shape.hardware.cores) {
            core.threads.clear();
            for (std::uint64_t n = 0; n < threads; ++n) core.threads.emplace_back(thread++);
        }
        for (auto n = 2 + choices.below(3); n > 0; --n) {
            one.shape.devices.push_back(
                plain_gpu(static_cast<std::uint32_t>(one.shape.devices.size())));
            Device& device = one.shape.devices.back();
            device.cores = any_cores(choices, one.shape.hardware.core_count());
            device.name = choices.one_in(4) ? "nic" : "gpu";
        }
        for (const char* name : {"gpu", "nic"}) {
            if (std::string_view(name) == "nic" && choices.one_in(2)) continue;
            NodeDemand::Device demand;
            demand.request.name = name;
            demand.request.locality = choices.one_in(3) ? Strictness::prefer : Strictness::require;
            if (choices.one_in(4)) demand.request.per = Per::task;
            const auto count = static_cast<std::int64_t>(1 + choices.below(3));
            demand.count = Range<Count>::exactly(Count(count));
            one.demand.devices.push_back(demand);
        }
        one.demand.tasks = Count(static_cast<std::int64_t>(1 + choices.below(2)));
        one.demand.cpus_per_task = Count(static_cast<std::int64_t>(1 + choices.below(2)));
        one.demand.cpus_per_device = Count(static_cast<std::int64_t>(choices.below(3)));
        if (choices.one_in(8)) one.demand.exclusivity = Exclusivity::whole_node;
        if (choices.one_in(2)) one.taken = any_taken(choices, one.shape);
        (agrees(one) ? found : refused) += 1;
    }
    CHECK(found > test_rounds(1'000u));
    CHECK(refused > test_rounds(1'000u));
}

TEST_CASE("fit: memory that is required near chooses among the splits of cores", "[alloc]") {
    FitCase one = near_case({.node = "2s4c mem=64G gpu:4", .gpus = 4, .cpus = 4});
    one.demand.memory_locality = Strictness::require;
    one.demand.memory = one.shape.memory[0].capacity + Bytes(1);
    CHECK(near_answer(one) == "0-1,4-5 gpu 0 1 2 3");
    one.demand.cpus_per_task = Count(1);
    CHECK(near_answer(one) == "no: locality");
    one.demand.memory = one.shape.memory[0].capacity;
    one.taken.memory = {{DomainId(0), Bytes(1)}};
    CHECK(near_answer(one) == "4 gpu 0 1 2 3");
}

TEST_CASE("fit: memory near cores of two packages is near once", "[alloc]") {
    FitCase one;
    one.shape.hardware = plain_cores(3);
    one.shape.hardware.groups = {{HardwareLevel::package, OsIndex(0), CoreSet::range({0, 1})},
                                 {HardwareLevel::package, OsIndex(1), CoreSet::range({1, 3})}};
    one.shape.memory = {
        {OsIndex(0), MemoryDomain::Kind::dram, Bytes(5), {}},
        {OsIndex(1), MemoryDomain::Kind::dram, Bytes(1), CoreSet::of({CoreId(0), CoreId(2)})}};
    one.demand.tasks = Count(2);
    one.demand.distribution = Distribution::fcyclic;
    one.demand.core_level = HardwareLevel::package;
    one.demand.memory = Bytes(4);
    CHECK(near_answer(one) == "0-1 gpu");  // core 2 would bring nothing that core 0 has not
}

TEST_CASE("fit: a task for each GPU sees one that is near its cores", "[alloc]") {
    for (const char* text :
         {"2s8c gpu:4", "4s4c gpu:4", "2s8c2t gpu:4", "2s4c gpu:3@s0 gpu:1@s1"}) {
        INFO(text);
        auto node = testing::node_from_text(text).value();
        node.name = "n0";
        Request request;
        request.tasks = Count(4);
        request.devices = {DeviceRequest{}};
        request.devices[0].per = Per::task;
        const NodeDemand demand = demand_of(request, NodePart{}, 2);
        const auto part = fit(*node.shape, NodeLedger(*node.shape), demand);
        REQUIRE(part.has_value());
        const std::vector<Node> nodes{node};
        const Placement placement{{*part}};
        auto tasks = layout_tasks(nodes, placement, request);
        REQUIRE(tasks.has_value());
        DeviceBind bind;
        bind.rule = DeviceBind::Rule::single;
        tasks = bind_devices(nodes, placement, *std::move(tasks), bind);
        REQUIRE(tasks.has_value());
        for (const TaskPlacement& task : *tasks) {
            REQUIRE(task.devices.size() == 1);
            const Device& device = node.shape->devices[task.devices[0].device.value()];
            CHECK(device.cores.intersects(task.cores));
        }
    }
}

}  // namespace
}  // namespace trestle
