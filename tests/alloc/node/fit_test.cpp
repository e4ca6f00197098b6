// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/fit.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/fit_agreement.hpp"
#include "support/random_fit.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::for_all_choices;
using testing::for_random_choices;

MemoryDomain domain(Bytes capacity, const CoreSet& cores,
                    MemoryDomain::Kind kind = MemoryDomain::Kind::dram) {
    return {OsIndex(0), kind, capacity, cores};
}

/// 4 cores, a memory domain of `capacity` for each two.
NodeShape two_domains(Bytes capacity) {
    NodeShape shape;
    shape.hardware = plain_cores(4);
    shape.memory = {domain(capacity, CoreSet::range({0, 2})),
                    domain(capacity, CoreSet::range({2, 4}))};
    return shape;
}

Range<Count> any_count(Choices& choices) {
    const Count least(static_cast<std::int64_t>(choices.below(3)));
    switch (choices.below(3)) {
        case 0:
            return Range<Count>::exactly(least);
        case 1:
            return Range<Count>::at_least(least);
        default:
            return Range<Count>::between(least, least + Count(1));
    }
}

}  // namespace

TEST_CASE("fit: every small question of cores and memory is answered as the oracle does",
          "[alloc][law][unsanitized]") {
    Tally tally;
    for_all_choices([&](Choices& choices) {
        FitCase one;
        const auto cores = static_cast<std::uint32_t>(1 + choices.below(4));
        one.shape.hardware = plain_cores(cores);
        const std::uint32_t half = cores / 2;
        switch (choices.below(5)) {
            case 0:  // one domain for all
                one.shape.memory = {domain(Bytes(2), one.shape.hardware.all_cores())};
                break;
            case 1:  // two halves
                one.shape.memory = {domain(Bytes(2), CoreSet::range({0, half})),
                                    domain(Bytes(1), CoreSet::range({half, cores}))};
                break;
            case 2:  // overlapping, fast before ordinary
                one.shape.memory = {domain(Bytes(1), CoreSet::range({0, half + 1}),
                                           MemoryDomain::Kind::high_bandwidth),
                                    domain(Bytes(2), one.shape.hardware.all_cores())};
                break;
            case 3:  // one without cores, one of a device
                one.shape.memory = {
                    domain(Bytes(1), {}),
                    domain(Bytes(9), CoreSet::of({CoreId(0)}), MemoryDomain::Kind::device),
                    domain(Bytes(1), CoreSet::of({CoreId(cores - 1)}))};
                break;
            default:
                break;  // none
        }
        one.taken.cores = any_cores(choices, cores);
        if (!one.shape.memory.empty() && choices.one_in(2)) {
            one.taken.memory = {{DomainId(0), Bytes(1)}};
        }
        one.demand.cpus_per_task = Count(static_cast<std::int64_t>(1 + choices.below(3)));
        one.demand.memory = Bytes(static_cast<std::int64_t>(choices.below(4)));
        one.demand.memory_per = choices.one_in(2) ? Per::node : Per::cpu;
        one.demand.memory_locality = detail::any_locality(choices);
        tally.add(agrees(one));
    });
}

TEST_CASE("fit: every small question of cores and near devices", "[alloc][law][unsanitized]") {
    Tally tally;
    for_all_choices([&](Choices& choices) {
        FitCase one;
        one.shape = two_domains(Bytes(1));
        for (std::uint32_t i = 0; i < 3; ++i) {
            const std::uint32_t place = static_cast<std::uint32_t>(choices.below(i == 0 ? 2 : 3));
            one.shape.devices.push_back(
                plain_gpu(i, place == 2 ? CoreSet() : CoreSet::range({2 * place, 2 * place + 2})));
        }
        for (const std::uint32_t core : {0u, 2u, 3u}) {
            if (choices.one_in(2)) one.taken.cores.insert(CoreId(core));
        }
        for (std::uint32_t i = 0; i < 3; ++i) {
            if (choices.one_in(2)) one.taken.devices.push_back({DeviceId(i), Count(1)});
        }
        NodeDemand::Device demand;
        demand.request.locality = detail::any_locality(choices);
        demand.count = Range<Count>::exactly(Count(static_cast<std::int64_t>(choices.below(3))));
        one.demand.devices = {demand};
        one.demand.cpus_per_task = Count(static_cast<std::int64_t>(1 + choices.below(2)));
        one.demand.memory = Bytes(1);
        one.demand.memory_locality = choices.one_in(2) ? Strictness::prefer : Strictness::require;
        tally.add(agrees(one));
    });
}

TEST_CASE("fit: every small question of ranges of counts, and of what goes with a device",
          "[alloc][law][unsanitized]") {
    Tally tally;
    for_all_choices([&](Choices& choices) {
        FitCase one;
        one.shape = two_domains(Bytes(3));
        for (std::uint32_t i = 0; i < 3; ++i) {
            one.shape.devices.push_back(plain_gpu(i, CoreSet::range({0, 2 + i % 2})));
        }
        one.shape.devices[1].is_drained = choices.one_in(2);
        one.shape.devices[2].health = choices.one_in(2) ? Health::failure : Health::warning;
        if (choices.one_in(2)) one.taken.cores = CoreSet::of({CoreId(1)});
        if (choices.one_in(2)) one.taken.devices = {{DeviceId(0), Count(1)}};
        NodeDemand::Device demand;
        demand.count = any_count(choices);
        demand.request.prefer =
            choices.one_in(2) ? DeviceRequest::Prefer::fewest : DeviceRequest::Prefer::most;
        one.demand.devices = {demand};
        one.demand.cpus_per_device = Count(static_cast<std::int64_t>(choices.below(3)));
        one.demand.memory = Bytes(static_cast<std::int64_t>(choices.below(3)));
        one.demand.memory_per = detail::any_of(choices, {Per::node, Per::cpu, Per::device});
        one.demand.exclusivity = choices.one_in(2) ? Exclusivity::shared : Exclusivity::whole_node;
        tally.add(agrees(one));
    });
}

TEST_CASE("fit: every small question of shares, also of two demands of one name",
          "[alloc][law][unsanitized]") {
    Tally tally;
    for_all_choices([&](Choices& choices) {
        FitCase one;
        one.shape = two_domains(Bytes(1));
        for (std::uint32_t i = 0; i < 3; ++i) {
            one.shape.devices.push_back(plain_gpu(i, i == 2 ? CoreSet::range({2, 4}) : CoreSet()));
            one.shape.devices[i].shares = Count(2);
            const Count taken(static_cast<std::int64_t>(choices.below(3)));
            if (!taken.is_zero()) one.taken.devices.push_back({DeviceId(i), taken});
        }
        for (std::uint64_t n = 1 + choices.below(2); n > 0; --n) {
            NodeDemand::Device demand;
            demand.request.shares = Count(static_cast<std::int64_t>(choices.below(3)));
            demand.request.prefer =
                choices.one_in(2) ? DeviceRequest::Prefer::fewest : DeviceRequest::Prefer::most;
            demand.count = choices.one_in(2) ? Range<Count>::exactly(Count(1))
                                             : Range<Count>::at_least(Count(1));
            one.demand.devices.push_back(demand);
        }
        tally.add(agrees(one));
    });
}

TEST_CASE("fit: every small question of links", "[alloc][law]") {
    Tally tally;
    for_all_choices([&](Choices& choices) {
        FitCase one;
        one.shape = two_domains(Bytes(1));
        for (std::uint32_t i = 0; i < 4; ++i) {
            one.shape.devices.push_back(plain_gpu(i, i == 3 ? CoreSet::range({2, 4}) : CoreSet()));
        }
        for (std::uint32_t a = 0; a < 4; ++a) {
            for (std::uint32_t b = a + 1; b < 4; ++b) {
                const auto strength = static_cast<std::uint32_t>(choices.below(b == 3 ? 2 : 3));
                if (strength > 0) one.shape.links.push_back({DeviceId(a), DeviceId(b), strength});
            }
        }
        if (choices.one_in(2)) one.taken.devices = {{DeviceId(1), Count(1)}};
        NodeDemand::Device demand;
        demand.count =
            Range<Count>::exactly(Count(static_cast<std::int64_t>(2 + choices.below(3))));
        one.demand.devices = {demand};
        tally.add(agrees(one));
    });
}

TEST_CASE("fit: every small question of cores with one and two threads", "[alloc][law]") {
    Tally tally;
    for_all_choices([&](Choices& choices) {
        FitCase one;
        std::uint32_t thread = 0;
        for (std::uint64_t n = 1 + choices.below(4); n > 0; --n) {
            Core core{{OsIndex(thread++)}};
            if (choices.one_in(2)) core.threads.emplace_back(thread++);
            one.shape.hardware.cores.push_back(core);
        }
        one.shape.memory = {domain(Bytes(5), one.shape.hardware.all_cores())};
        one.taken.cores = any_cores(choices, one.shape.hardware.core_count());
        one.demand.cpus_per_task = Count(static_cast<std::int64_t>(choices.below(6)));
        one.demand.memory = Bytes(static_cast<std::int64_t>(choices.below(3)));
        one.demand.memory_per = Per::cpu;
        tally.add(agrees(one));
    });
}

TEST_CASE("fit: cores dealt one by one are counted for all tasks together", "[alloc]") {
    FitCase one;
    one.shape.hardware = plain_cores(5);
    for (std::uint32_t i = 0; i < 5; ++i) {
        one.shape.hardware.cores[i].threads.emplace_back(5 + i);
    }
    one.demand.tasks = Count(3);
    one.demand.cpus_per_task = Count(3);  // 9 CPUs on 5 cores; 6 if no core had two tasks' CPUs
    one.demand.distribution = Distribution::fcyclic;
    CHECK(agrees(one));
    one.demand.distribution = Distribution::cyclic;  // too many for the package, so they lie on
    CHECK(agrees(one));                              // parts of cores as in a block
    one.demand.tasks_per_socket = Count(3);          // each has to lie in a package, on its own
    CHECK_FALSE(agrees(one));
}

TEST_CASE("fit: a whole node too has the sockets that are asked", "[alloc]") {
    FitCase one;
    one.shape = two_domains(Bytes(1));
    one.demand.exclusivity = Exclusivity::whole_node;
    one.demand.sockets_per_node = Count(2);
    CHECK_FALSE(agrees(one));
    for (std::uint32_t i = 0; i < 2; ++i) {
        one.shape.hardware.groups.push_back(
            {HardwareLevel::package, OsIndex(i), CoreSet::range({2 * i, 2 * i + 2})});
    }
    CHECK(agrees(one));
    one.demand.cores_per_socket = Count(3);
    CHECK_FALSE(agrees(one));
}

TEST_CASE("fit: a device lies on the only package, and on none where there is none", "[alloc]") {
    FitCase one;
    one.shape = two_domains(Bytes(1));
    one.shape.devices = {plain_gpu(0)};
    one.demand.cpus_per_task = Count(0);
    NodeDemand::Device demand{DeviceRequest{}, Range<Count>::exactly(Count(1)), Count(1)};
    one.demand.devices = {demand};
    CHECK(agrees(one));
    one.shape.memory.clear();
    one.shape.hardware.cores.clear();
    CHECK_FALSE(agrees(one));
}

TEST_CASE("fit: memory that must be near is found behind cores that are not nearest to a device",
          "[alloc]") {
    FitCase one;
    one.shape = two_domains(Bytes(1));
    one.shape.memory[1].capacity = Bytes(8);
    one.shape.devices = {plain_gpu(0, CoreSet::range({0, 2}))};
    one.demand.devices = {{DeviceRequest{}, Range<Count>::exactly(Count(1))}};
    one.demand.memory = Bytes(4);
    one.demand.memory_locality = Strictness::require;
    const auto answer = fit(one.shape, one.ledger(), one.demand);
    REQUIRE(answer.has_value());
    CHECK(to_text(answer->cores) == "2");
    CHECK(answer->memory == SmallVector<MemoryShare>{{DomainId(1), Bytes(4)}});
}

TEST_CASE("fit: where near memory needs remote cores, the fewest classes count before low cores",
          "[alloc]") {
    FitCase one;
    one.shape.hardware = plain_cores(4);
    one.shape.memory = {domain(Bytes(), CoreSet::range({0, 1})),
                        domain(Bytes(), CoreSet::range({1, 3})),
                        domain(Bytes(8), CoreSet::range({3, 4}))};
    one.shape.devices = {plain_gpu(0, CoreSet::range({0, 3}))};
    one.demand.devices = {{DeviceRequest{}, Range<Count>::exactly(Count(1))}};
    one.demand.cpus_per_task = Count(3);
    one.demand.memory = Bytes(4);
    one.demand.memory_locality = Strictness::require;
    REQUIRE(agrees(one));
    CHECK(to_text(fit(one.shape, one.ledger(), one.demand)->cores) == "1-3");
}

TEST_CASE("fit: every small question of distances between memory domains", "[alloc][law]") {
    Tally tally;
    for_all_choices([&](Choices& choices) {
        FitCase one;
        one.shape.hardware = plain_cores(2);
        one.shape.memory = {domain(Bytes(1), {}), domain(Bytes(2), CoreSet::of({CoreId(0)})),
                            domain(Bytes(2), CoreSet::of({CoreId(1)})), domain(Bytes(1), {})};
        for (std::size_t from = 0; from < 4; ++from) {
            for (std::size_t to = 0; to < 4; ++to) {
                const bool is_free = from == 1 || from == 2;  // only these are near to a core
                const auto far = is_free && from != to ? detail::any_of(choices, {20u, 30u}) : 10u;
                one.shape.distances.push_back(far);
            }
        }
        if (choices.one_in(2)) one.taken.cores = CoreSet::of({CoreId(0)});
        one.demand.cpus_per_task = Count(static_cast<std::int64_t>(1 + choices.below(2)));
        one.demand.memory = Bytes(static_cast<std::int64_t>(choices.below(8)));
        tally.add(agrees(one));
    });
}

TEST_CASE("fit: a no names the constraint and both numbers", "[alloc]") {
    struct Row {
        void (*change)(FitCase&);
        Constraint constraint;
        const char* reason;
        const char* why;
    };
    const auto gpus = [](std::int64_t count) {
        return NodeDemand::Device{DeviceRequest{}, Range<Count>::exactly(Count(count))};
    };
    const Row rows[] = {
        {[](FitCase& c) { c.demand.cpus_per_task = Count(5); }, Constraint::cores,
         "asked 5 cores, 4 of 4 are free", "more than the machine has"},
        {[](FitCase& c) {
             c.taken.cores = CoreSet::range({0, 3});
             c.demand.cpus_per_task = Count(2);
         },
         Constraint::cores, "asked 2 cores, 1 of 4 are free", "others have them"},
        {[](FitCase& c) { c.demand.memory = Bytes(17); }, Constraint::memory,
         "asked 17 of memory, 16 of 16 are free", "one byte too many"},
        {[](FitCase& c) {
             c.shape.memory[1].kind = MemoryDomain::Kind::device;
             c.demand.memory = Bytes(9);
         },
         Constraint::memory, "asked 9 of memory, 8 of 8 are free", "a GPU's memory is not ours"},
        {[](FitCase& c) {
             c.demand.cpus_per_task = Count(2);
             c.demand.memory = Bytes(9);
             c.demand.memory_per = Per::cpu;
         },
         Constraint::memory, "asked 18 of memory (9 a CPU), 16 of 16 are free", "counted per CPU"},
        {[](FitCase& c) {
             c.demand.cpus_per_task = Count(2);
             c.demand.memory = Bytes::max();
             c.demand.memory_per = Per::cpu;
         },
         Constraint::memory, "of memory, 16 of 16 are free", "an overflow is a no, not a crash"},
        {[](FitCase& c) { c.demand.cpus_per_task = Count::max(); }, Constraint::cores,
         "4 of 4 are free", "as many CPUs as can be said"},
        {[](FitCase& c) { c.demand.devices[0].count = Range<Count>::exactly(Count(3)); },
         Constraint::devices, "asked 3 gpu, 2 of 2 are free on the node", "a GPU too many"},
        {[](FitCase& c) {
             c.taken.devices = {{DeviceId(0), Count(1)}, {DeviceId(1), Count(1)}};
         },
         Constraint::devices, "asked 1 gpu, 0 of 2 are free", "all GPUs are taken"},
        {[](FitCase& c) { c.demand.devices[0].request.types = {"h100"}; },
         Constraint::device_attributes, "asked 1 gpu:h100, none of the 2 on the node matches",
         "no such type here"},
        {[](FitCase& c) {
             c.shape.devices[0].is_drained = true;
             c.shape.devices[1].health = Health::failure;
         },
         Constraint::devices, "gpu 0 is drained; gpu 1 is failed", "both are out of service"},
        {[](FitCase& c) {
             c.demand.devices.push_back({DeviceRequest{}, {Count(2), Count(2)}});
         },
         Constraint::devices, "asked 1 gpu and 2 gpu at once, 2 devices in all are free",
         "each demand alone would fit"},
        {[](FitCase& c) { c.demand.devices[0].request.total_memory.min = Bytes(1); },
         Constraint::device_attributes, "total memory", "the GPUs have no memory at all"},
        {[](FitCase& c) {
             c.demand.devices[0].request.locality = Strictness::require;
             c.demand.cpus_per_task = Count(3);
         },
         Constraint::locality, "asked 3 cores near", "each GPU is near to two cores"},
        {[](FitCase& c) {
             c.demand.memory = Bytes(9);
             c.demand.memory_locality = Strictness::require;
         },
         Constraint::locality, "asked 9 of memory near 1 core, at most 8 is free there",
         "8 bytes are near to a core"},
        {[](FitCase& c) { c.demand.cpus_per_device = Count(5); }, Constraint::cores,
         "asked 5 cores (5 CPUs a device), 4 of 4", "the CPUs come with the GPU"},
        {[](FitCase& c) {
             c.taken.memory = {{DomainId(0), Bytes(1)}};
             c.demand.exclusivity = Exclusivity::whole_node;
         },
         Constraint::cores, "whole node", "a single byte is in use"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        FitCase one;
        one.shape = two_domains(Bytes(8));
        one.shape.devices = {plain_gpu(0, CoreSet::range({0, 2})),
                             plain_gpu(1, CoreSet::range({2, 4}))};
        one.demand.devices = {gpus(1)};
        row.change(one);
        REQUIRE(message(check(one.shape)) == "");
        const auto answer = fit(one.shape, one.ledger(), one.demand);
        REQUIRE(!answer.has_value());
        CHECK(to_text(answer.refusal().constraint) == to_text(row.constraint));
        CHECK_THAT(answer.refusal().reason, ContainsSubstring(row.reason));
    }
}

TEST_CASE("fit: with too small a budget it gives up, and never says a wrong no", "[alloc][law]") {
    std::uint64_t given_up = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(2'000u)}, [&](Choices& choices) {
        const FitCase one = any_fit_case(choices);
        const NodeLedger ledger = one.ledger();
        const auto expected = fit(one.shape, ledger, one.demand, one.options);
        for (const std::uint64_t steps : {0u, 1u, 2u, 3u, 5u, 8u, 13u}) {
            FitOptions options = one.options;
            options.steps_max = steps;
            const auto answer = fit(one.shape, ledger, one.demand, options);
            if (!answer && answer.refusal().constraint == Constraint::gave_up) {
                ++given_up;
            } else if (answer != expected) {
                FAIL(to_text(one) << "\n" << steps << " steps: " << to_text(answer));
            }
        }
    });
    CHECK(given_up > test_rounds(1'000u));
}

TEST_CASE("fit: many linked devices are chosen within the default budget", "[alloc]") {
    FitCase one;
    one.shape.hardware = plain_cores(16);
    for (std::uint32_t i = 0; i < 16; ++i) {
        one.shape.devices.push_back(plain_gpu(i));
        for (std::uint32_t j = 0; j < i; ++j) {
            one.shape.links.push_back({DeviceId(j), DeviceId(i), j / 8 == i / 8 ? 4u : 1u});
        }
    }
    std::sort(one.shape.links.begin(), one.shape.links.end(), [](const auto& x, const auto& y) {
        return std::pair(x.a, x.b) < std::pair(y.a, y.b);
    });
    one.demand.devices = {{DeviceRequest{}, Range<Count>::exactly(Count(8))}};
    one.taken.devices = {{DeviceId(0), Count(1)}};
    const auto answer = fit(one.shape, one.ledger(), one.demand);
    REQUIRE(answer.has_value());
    CHECK(to_text(answer->device_set()) == "8-15");
}

TEST_CASE("fit: irregular nodes and demands at random", "[alloc][law]") {
    Tally tally;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(4'000u)},
                       [&](Choices& choices) { tally.add(agrees(any_fit_case(choices))); });
}

TEST_CASE("fit: many irregular nodes and demands at random", "[alloc][law][slow]") {
    Tally tally;
    INFO("seed " << test_seed());
    for_random_choices({test_seed() + 1, test_rounds(100'000u)},
                       [&](Choices& choices) { tally.add(agrees(any_fit_case(choices))); });
}

TEST_CASE("fit: ten million irregular nodes and demands", "[alloc][law][long]") {
    Tally tally;
    INFO("seed " << test_seed());
    for_random_choices({test_seed() + 2, test_rounds(10'000'000u)},
                       [&](Choices& choices) { tally.add(agrees(any_fit_case(choices))); });
}

}  // namespace trestle
