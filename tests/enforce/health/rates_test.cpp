// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/health/rates.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/arbitrary.hpp"

namespace {

using namespace trestle;

static_assert(lists_all_fields<ResourceUsage> && lists_all_fields<ResourceUsage::Pressure> &&
              lists_all_fields<EnergyCounter> && lists_all_fields<GpuUsage> &&
              lists_all_fields<Grant> && lists_all_fields<Rates> && lists_all_fields<Rates::Gpu>);

constexpr Microseconds second(1'000'000);

ResourceUsage usage_at(std::int64_t seconds) {
    ResourceUsage usage;
    usage.at = second * seconds;
    return usage;
}

}  // namespace

TEST_CASE("rates: CPU of one CPU and of those granted", "[enforce][health]") {
    struct Row {
        std::optional<Microseconds> before;
        std::optional<Microseconds> after;
        std::int64_t seconds;  ///< between the readings
        MilliCpu granted;
        std::optional<BasisPoints> cpu;
        std::optional<BasisPoints> cpu_granted;
        const char* why;
    };
    const std::optional<BasisPoints> unknown;
    const Row rows[] = {
        {Microseconds(0), second * 10, 10, cpus(1), BasisPoints(10'000), BasisPoints(10'000),
         "one busy CPU"},
        {second, second * 21, 10, cpus(4), BasisPoints(20'000), BasisPoints(5'000),
         "two of four CPUs"},
        {second, second, 10, cpus(4), BasisPoints(0), BasisPoints(0), "idle: 0 was measured"},
        {Microseconds(0), second, 4, MilliCpu(500), BasisPoints(2'500), BasisPoints(5'000),
         "half a CPU is granted, a quarter of one is used"},
        {Microseconds(0), second, 3, MilliCpu(1), BasisPoints(3'333), BasisPoints(3'333'333),
         "more than granted: before the limit was set"},
        {Microseconds(0), second, 10, MilliCpu(0), BasisPoints(1'000), unknown, "no limit"},
        {Microseconds(0), second, 0, cpus(1), unknown, unknown, "no time passed"},
        {second, Microseconds(0), 10, cpus(1), unknown, unknown, "the group was made anew"},
        {std::nullopt, second, 10, cpus(1), unknown, unknown, "not known before"},
        {second, std::nullopt, 10, cpus(1), unknown, unknown, "not known after"},
        {Microseconds(0), Microseconds::max(), 1, MilliCpu(1), BasisPoints(92'233'720'368'547'758),
         BasisPoints::max(), "the largest numbers; more than one holds stops there"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        ResourceUsage before = usage_at(100);
        ResourceUsage after = usage_at(100 + row.seconds);
        before.cpu_time = row.before;
        after.cpu_time = row.after;
        const Rates found = rates(before, after, {row.granted, {}});
        CHECK(found.elapsed == second * row.seconds);
        CHECK(found.cpu == row.cpu);
        CHECK(found.cpu_granted == row.cpu_granted);
    }
}

TEST_CASE("rates: nothing is known of nothing, and a clock that went back tells no rate",
          "[enforce][health]") {
    CHECK(rates({}, {}, {}) == Rates{});
    ResourceUsage before = usage_at(100);
    ResourceUsage after = usage_at(99);
    before.cpu_time = before.cpu_user = Microseconds(0);
    after.cpu_time = second;
    before.reads = Count(1);
    after.reads = Count(2);
    CHECK(rates(before, after, {cpus(1), {}}) == Rates{});
}

TEST_CASE("rates: memory, disks and the CPU quota", "[enforce][health]") {
    ResourceUsage before = usage_at(0);
    ResourceUsage after = usage_at(4);
    before.read_bytes = mib(1);
    after.read_bytes = mib(9);
    before.written_bytes = after.written_bytes = mib(5);
    before.reads = Count(0);
    after.reads = Count(10);
    after.writes = Count(3);
    before.cpu_periods = Count(100);
    after.cpu_periods = Count(140);
    before.throttled_periods = Count(7);
    after.throttled_periods = Count(17);
    after.memory = gib(1);
    after.working_set = mib(600);
    const Rates found = rates(before, after, {cpus(1), mib(800)});
    Rates expected;
    expected.elapsed = second * 4;
    expected.read_bytes = mib(2);
    expected.written_bytes = Bytes(0);
    expected.reads = Count(3);  // 2.5, to the nearest
    expected.throttled = BasisPoints(2'500);
    expected.memory = BasisPoints(7'500);
    CHECK(found == expected);

    after.cpu_periods = before.cpu_periods;
    after.throttled_periods = before.throttled_periods;
    CHECK_FALSE(rates(before, after, {}).throttled);
    CHECK_FALSE(rates(before, after, {}).memory);
    CHECK_FALSE(rates(before, after, {cpus(1), Bytes(0)}).memory);
    after.working_set = mib(900);
    CHECK(rates(before, after, {cpus(1), mib(600)}).memory == BasisPoints(15'000));
}

TEST_CASE("energy_between: counters wrap around, come and go", "[enforce][health]") {
    struct Row {
        std::vector<EnergyCounter> before;
        std::vector<EnergyCounter> after;
        std::optional<Microjoules> energy;
        const char* why;
    };
    const auto counter = [](const char* name, std::int64_t energy, std::int64_t range = 1'000) {
        return EnergyCounter{name, Microjoules(energy), Microjoules(range)};
    };
    const std::optional<Microjoules> unknown;
    const Row rows[] = {
        {{counter("a", 100)}, {counter("a", 400)}, Microjoules(300), "one counter"},
        {{counter("a", 900)}, {counter("a", 100)}, Microjoules(200), "it has started again"},
        {{counter("a", 1'000)}, {counter("a", 0)}, Microjoules(0), "just so"},
        {{counter("a", 5)}, {counter("a", 5)}, Microjoules(0), "nothing was used"},
        {{counter("a", 900), counter("b", 1)},
         {counter("b", 11), counter("a", 100)},
         Microjoules(210),
         "two, by their names"},
        {{counter("a", 1'001)}, {counter("a", 1)}, unknown, "it was above its range"},
        {{{"a", Microjoules(2), {}}}, {{"a", Microjoules(1), {}}}, unknown, "back without a range"},
        {{{"a", Microjoules(1), {}}}, {{"a", Microjoules(2), {}}}, Microjoules(1), "no range"},
        {{}, {}, unknown, "nobody can tell"},
        {{}, {counter("a", 100)}, unknown, "not known before"},
        {{counter("a", 100)}, {}, unknown, "not known after"},
        {{counter("a", 1), counter("b", 1)}, {counter("a", 2)}, unknown, "a package went away"},
        {{counter("a", 1)}, {counter("b", 2)}, unknown, "another package"},
        {{counter("a", 0, std::int64_t{1} << 62), counter("b", 0)},
         {counter("a", INT64_MAX), counter("b", 1)},
         unknown,
         "more than a number holds"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(energy_between(row.before, row.after) == row.energy);
    }
    ResourceUsage before = usage_at(0);
    ResourceUsage after = usage_at(2);
    before.energy = {counter("a", 0, 300'000'000)};
    after.energy = {counter("a", 250'000'000, 300'000'000)};
    CHECK(rates(before, after, {}).power == Milliwatts(125'000));
}

TEST_CASE("rates: GPUs are distinguished by their UUID", "[enforce][health]") {
    ResourceUsage before = usage_at(0);
    ResourceUsage after = usage_at(10);
    GpuUsage first{.uuid = "GPU-1"};
    first.energy = Microjoules(1'000'000'000);
    before.gpus = {first};
    first.energy = Microjoules(4'000'000'000);
    first.memory_used = gib(20);
    first.memory_total = gib(80);
    first.utilisation = BasisPoints(9'500);
    first.power = Milliwatts(1);
    GpuUsage second_gpu{.uuid = "GPU-2"};
    second_gpu.power = Milliwatts(70'000);
    second_gpu.energy = Microjoules(5);
    second_gpu.memory_used = gib(1);
    after.gpus = {second_gpu, first};
    const Rates found = rates(before, after, {});
    REQUIRE(found.gpus.size() == 2);
    CHECK(found.gpus[0] == Rates::Gpu{"GPU-2", {}, {}, Milliwatts(70'000)});
    CHECK(found.gpus[1] ==
          Rates::Gpu{"GPU-1", BasisPoints(2'500), BasisPoints(9'500), Milliwatts(300'000)});
    after.gpus[1].energy = Microjoules(0);  // the driver was loaded anew
    CHECK(rates(before, after, {}).gpus[1].power == Milliwatts(1));
}

TEST_CASE("rates: any two readings give rates that are shares of what is between them",
          "[enforce][health][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(2'000u)}, [](testing::Choices& choices) {
        const auto before = testing::arbitrary<ResourceUsage>(choices);
        const auto after = testing::arbitrary<ResourceUsage>(choices);
        const auto granted = testing::arbitrary<Grant>(choices);
        const Rates found = rates(before, after, granted);
        const auto grew = [](const auto& x, const auto& y) { return x && y && *x <= *y; };
        const bool has_time = grew(before.at, after.at) && *before.at < *after.at;
        const bool has_cpu = has_time && grew(before.cpu_time, after.cpu_time);
        CHECK(found.elapsed.has_value() == grew(before.at, after.at));
        CHECK(found.cpu.has_value() == has_cpu);
        CHECK(found.gpus.size() == after.gpus.size());
        if (!has_cpu) return;
        const long double cpu =
            static_cast<long double>((*after.cpu_time - *before.cpu_time).value());
        const long double elapsed = static_cast<long double>(found.elapsed->value());
        const long double expected = std::min(cpu / elapsed * 10'000, 9.223372036854775e18L);
        CHECK(std::fabs(static_cast<long double>(found.cpu->value()) - expected) <=
              std::max(1.0L, expected * 1e-9L));
    });
}

TEST_CASE("grant_of: the CPUs, or their time where that is less", "[enforce][health]") {
    Limits limits;
    CHECK(grant_of(limits) == Grant{});
    limits.cpus = PuSet::range({OsIndex(2).value(), 6});
    limits.memory_max = gib(3);
    CHECK(grant_of(limits) == Grant{cpus(4), gib(3)});
    limits.cpu_max = MilliCpu(2'500);
    CHECK(grant_of(limits).cpus == MilliCpu(2'500));
    limits.cpu_max = cpus(9);
    CHECK(grant_of(limits).cpus == cpus(4));
    limits.cpus = {};
    CHECK(grant_of(limits).cpus == cpus(9));
}
