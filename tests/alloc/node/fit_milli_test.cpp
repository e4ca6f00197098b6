// SPDX-License-Identifier: Apache-2.0
// fit() with CPUs in thousandths: what is left beside cores, and which cores leave enough.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/fit_agreement.hpp"
#include "support/random_fit.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::for_random_choices;

/// Cores with so many threads each, 8 bytes of memory near to all of them.
NodeShape with_threads(const std::vector<std::uint32_t>& threads) {
    NodeShape shape;
    std::uint32_t next = 0;
    for (const std::uint32_t count : threads) {
        Core core;
        while (core.threads.size() < count) core.threads.emplace_back(next++);
        shape.hardware.cores.push_back(core);
    }
    shape.memory.push_back(
        {OsIndex(0), MemoryDomain::Kind::dram, Bytes(8), shape.hardware.all_cores()});
    return shape;
}

NodePlacement in_thousandths(std::int64_t milli, const CoreSet& cores = {}) {
    NodePlacement placement;
    placement.milli_cpus = MilliCpu(milli);
    placement.cores = cores;
    return placement;
}

/// Tasks of so many whole CPUs and thousandths each.
NodeDemand tasks_of(std::int64_t tasks, std::int64_t cpus, std::int64_t milli) {
    NodeDemand demand;
    demand.tasks = Count(tasks);
    demand.cpus_per_task = Count(cpus);
    demand.milli_cpus = MilliCpu(milli);
    return demand;
}

std::string answer_text(const Verdict<NodePlacement>& answer) {
    return answer ? to_text(*answer) : to_text(answer.refusal());
}

}  // namespace

TEST_CASE("fit: thousandths beside cores, and cores beside thousandths", "[alloc]") {
    struct Row {
        std::vector<std::uint32_t> threads;
        NodePlacement taken;
        NodeDemand demand;
        const char* answer;
        const char* why;
    };
    const Row rows[] = {
        {{2, 2}, {}, tasks_of(1, 0, 4'000), "node 0: cores= milli_cpus=4000", "all of them"},
        {{2, 2},
         {},
         tasks_of(1, 0, 4'001),
         "cores: asked 4001 thousandths of CPUs, 4000 are free",
         "one too many"},
        {{2, 2},
         {},
         tasks_of(3, 0, 1'333),
         "node 0: tasks=3 cores= milli_cpus=3999",
         "for each task"},
        {{2, 2}, {}, tasks_of(1, 2, 2'000), "node 0: cores=0 milli_cpus=2000", "both at once"},
        {{2, 2},
         {},
         tasks_of(1, 2, 2'001),
         "cores: asked 2001 thousandths of CPUs and 1 cores with 2000 more, 4000 are free",
         "both at once, one too many"},
        {{2, 2}, in_thousandths(1), tasks_of(1, 2, 0), "node 0: cores=0", "others keep theirs"},
        {{2, 2},
         in_thousandths(1),
         tasks_of(1, 3, 0),
         "cores: asked 2 cores with 4000 thousandths of CPUs, 3999 are free beside what others "
         "have "
         "in thousandths",
         "others would lose theirs"},
        {{2, 1, 1},
         in_thousandths(2'000),
         tasks_of(1, 2, 0),
         "node 0: cores=0",
         "core 0 has both CPUs, and two are left"},
        {{2, 1, 1},
         in_thousandths(1'000),
         tasks_of(1, 2, 1'000),
         "node 0: cores=0 milli_cpus=1000",
         "the same with thousandths of one's own"},
        {{2, 2, 1},
         in_thousandths(3'500),
         tasks_of(1, 1, 0),
         "node 0: cores=2",
         "a core of two threads would leave too little"},
        {{1, 1},
         in_thousandths(0, CoreSet::range({0, 1})),
         tasks_of(1, 0, 1'000),
         "node 0: cores= milli_cpus=1000",
         "not of cores that somebody has"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const NodeShape shape = with_threads(row.threads);
        NodeLedger ledger(shape);
        REQUIRE(ledger.take(row.taken, OwnerId(1)).ok());
        const auto answer = fit(shape, ledger, row.demand);
        CHECK(answer_text(answer) == row.answer);
        if (answer) CHECK(ledger.take(*answer, OwnerId(2)).ok());
    }
}

TEST_CASE("fit: a core that others have in another row takes no thousandths away", "[alloc]") {
    const NodeShape shape = with_threads({1, 1, 1});
    NodeLedger ledger(shape);
    NodePlacement other = in_thousandths(2'000, CoreSet::of({CoreId(2)}));
    other.row = 0;
    REQUIRE(ledger.take(other, OwnerId(1)).ok());
    FitOptions options;
    options.rows = 2;
    const auto answer = fit(shape, ledger, tasks_of(1, 1, 0), options);
    CHECK(answer_text(answer) == "node 0: cores=2 row=1");
    CHECK(ledger.take(*answer, OwnerId(2)).ok());
    CHECK_FALSE(fit(shape, ledger, tasks_of(1, 2, 0), options));
}

TEST_CASE("fit: cores of many memory domains beside thousandths", "[alloc]") {
    FitCase one;
    one.shape = *testing::node_from_text("8s6c mem=64G")->shape;
    one.in_row.row = 0;
    one.demand = tasks_of(2, 8, 1'125);
    one.demand.core_locality = Strictness::ignore;
    one.options.rows = 2;
    struct Row {
        const char* taken;   ///< by one who shares no core
        const char* in_row;  ///< by others in row 0
        const char* cores;
        const char* why;
    };
    const Row rows[] = {
        {"0-6,9-11", "13-17,19-27,30,34-41", "cores=7-8,12-25 ", "the lowest leave enough"},
        {"0-8,47", "24-46", "cores=9-20,24-27 ", "three of 9 to 23 must stay without an owner"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        one.taken.cores = *parse_set<CoreSet>(row.taken);
        one.in_row.cores = *parse_set<CoreSet>(row.in_row);
        for (const Strictness locality :
             {Strictness::ignore, Strictness::prefer, Strictness::require}) {
            one.demand.memory_locality = locality;
            one.demand.memory = locality == Strictness::ignore ? gib(48) : gib(1);
            const auto answer = fit(one.shape, one.ledger(), one.demand, one.options);
            CHECK_THAT(answer_text(answer), ContainsSubstring(row.cores));
        }
    }
}

TEST_CASE("fit: a whole node gives thousandths with its cores", "[alloc]") {
    const NodeShape shape = with_threads({2, 2});
    NodeDemand demand = tasks_of(1, 1, 2'000);
    demand.exclusivity = Exclusivity::whole_node;
    CHECK(answer_text(fit(shape, NodeLedger(shape), demand)) == "node 0: cores=0-1");
    demand.cpus_per_task = Count();
    CHECK(answer_text(fit(shape, NodeLedger(shape), demand)) == "node 0: cores=0-1");
    demand.cpus_per_task = Count(1);
    demand.milli_cpus = MilliCpu(2'001);
    CHECK(answer_text(fit(shape, NodeLedger(shape), demand)) ==
          "cores: asked 2001 thousandths of CPUs beside 1 cores, all 2 cores of the node have "
          "4000");
    NodeLedger used(shape);
    REQUIRE(used.take(in_thousandths(1), OwnerId(1)).ok());
    demand.milli_cpus = MilliCpu();
    CHECK(answer_text(fit(shape, used, demand)) == "cores: the whole node is asked, others use it");
}

TEST_CASE("fit: without cores nothing is far", "[alloc]") {
    NodeShape shape = with_threads({1, 1});
    shape.memory[0].cores = CoreSet::range({0, 1});
    shape.memory.push_back({OsIndex(1), MemoryDomain::Kind::high_bandwidth, Bytes(4), {}});
    shape.memory.push_back(
        {OsIndex(2), MemoryDomain::Kind::dram, Bytes(4), CoreSet::range({1, 2})});
    shape.devices = {plain_gpu(0, CoreSet::range({1, 2})), plain_gpu(1, CoreSet::range({0, 1}))};
    NodeDemand demand = tasks_of(1, 0, 500);
    demand.memory = Bytes(13);
    demand.memory_locality = Strictness::require;
    NodeDemand::Device gpu{DeviceRequest{}, Range<Count>::exactly(Count(1))};
    gpu.request.locality = Strictness::require;
    demand.devices = {gpu};
    CHECK(answer_text(fit(shape, NodeLedger(shape), demand)) ==
          "node 0: cores= milli_cpus=500 memory=0:8,1:1,2:4 devices=0");
}

TEST_CASE("fit: tasks without CPUs of their own lie on no core", "[alloc]") {
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(0));
    request.milli_cpus = MilliCpu(250);
    request.tasks = Count(3);
    request.tasks_per_core = Count(1);
    request.tasks_per_socket = Count(1);
    const NodeShape shape = with_threads({1, 1});
    const auto answer = fit(shape, NodeLedger(shape), demand_of(request, {0, 1}, 1));
    CHECK(answer_text(answer) == "node 0: tasks=3 cores= milli_cpus=750");
}

TEST_CASE("fit: sums of thousandths do not overflow", "[alloc]") {
    const NodeShape shape = with_threads({1, 1});
    NodeLedger ledger(shape);
    REQUIRE(ledger.take(in_thousandths(1), OwnerId(1)).ok());
    for (const std::int64_t tasks : {std::int64_t{1}, std::int64_t{1} << 40}) {
        const auto answer =
            fit(shape, ledger, tasks_of(tasks, 0, std::numeric_limits<std::int64_t>::max()));
        REQUIRE_FALSE(answer);
        CHECK(answer.refusal().constraint == Constraint::cores);
    }
}

TEST_CASE("fit: shared devices without cores: one that is in use already, then the lowest",
          "[alloc]") {
    struct Row {
        std::vector<std::int64_t> taken;  ///< of 10 shares of each device
        std::int64_t count;
        std::int64_t shares;
        const char* devices;
        const char* why;
    };
    const Row rows[] = {
        {{0, 0, 0}, 1, 5, "0(5)", "the lowest"},
        {{0, 7, 0}, 1, 3, "1(3)", "no other is opened"},
        {{0, 7, 0}, 1, 4, "0(4)", "where it must be"},
        {{0, 2, 7}, 1, 3, "1(3)", "the lowest of those in use, not the fullest"},
        {{0, 0, 4}, 2, 5, "0(5),2(5)", "as few as possible are opened"},
        {{3, 0, 0}, 1, 0, "1(10)", "whole: the lowest"},
        {{3, 0, 0}, 1, 10, "1(10)", "all shares: none is opened"},
        {{0, 0, 0}, 0, 1, "", "none"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        NodeShape shape = with_threads({1, 1});
        NodePlacement taken;
        for (std::uint32_t i = 0; i < row.taken.size(); ++i) {
            shape.devices.push_back(plain_gpu(i));
            shape.devices.back().shares = Count(10);
            if (row.taken[i] > 0) taken.devices.push_back({DeviceId(i), Count(row.taken[i])});
        }
        NodeLedger ledger(shape);
        REQUIRE(ledger.take(taken, OwnerId(1)).ok());
        NodeDemand demand = tasks_of(1, 0, 500);
        demand.devices = {{DeviceRequest{}, Range<Count>::exactly(Count(row.count))}};
        demand.devices[0].request.shares = Count(row.shares);
        const std::string devices = row.devices;
        CHECK(answer_text(fit(shape, ledger, demand)) ==
              "node 0: cores= milli_cpus=500" + (devices.empty() ? "" : " devices=" + devices));
    }
}

TEST_CASE("fit: demands without cores agree with the oracle", "[alloc][law]") {
    INFO("seed " << test_seed());
    Tally tally;
    for_random_choices({test_seed(), test_rounds(10'000u)}, [&](Choices& choices) {
        FitCase one = any_fit_case(choices);
        one.shape.links.clear();
        one.in_row = {};
        one.options.rows = 1;
        NodeDemand& demand = one.demand;
        demand.cpus_per_task = demand.cpus_per_device = demand.tasks_per_core = Count();
        demand.sockets_per_node = demand.system_cores = Count();
        demand.exclusivity = Exclusivity::shared;
        demand.memory_per = Per::node;
        if (demand.devices.size() > 1) demand.devices.resize(1);
        tally.add(agrees(one));
    });
}

TEST_CASE("fit: cores of unequal threads beside thousandths agree with the oracle",
          "[alloc][law]") {
    INFO("seed " << test_seed());
    Tally tally;
    std::uint64_t limited = 0;
    for_random_choices({test_seed(), test_rounds(10'000u)}, [&](Choices& choices) {
        FitCase one = any_fit_case(choices);
        const std::uint32_t cores = one.shape.hardware.core_count();
        if (cores == 0) return;
        std::uint32_t thread = 0;
        for (Core& core : one.shape.hardware.cores) {
            core.threads.clear();
            for (auto n = 1 + choices.below(3); n > 0; --n) core.threads.emplace_back(thread++);
        }
        one.taken.cores.clear();
        one.taken.milli_cpus = detail::any_milli_cpus(choices, one.shape, one.in_row.cores);
        one.demand.exclusivity = Exclusivity::shared;
        one.demand.system_cores = Count();
        const bool does_fit = agrees(one);
        tally.add(does_fit);
        FitCase free = one;
        free.taken.milli_cpus = MilliCpu();
        free.demand.milli_cpus = MilliCpu();
        const auto other = fit(free.shape, free.ledger(), free.demand, free.options);
        const auto answer = fit(one.shape, one.ledger(), one.demand, one.options);
        limited += answer && answer->cores != other->cores ? 1u : 0u;
    });
    // Other cores than the best ones, because these leave too little.
    CHECK(limited > test_rounds(80u));
}

}  // namespace trestle
