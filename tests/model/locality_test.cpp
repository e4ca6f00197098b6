// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/locality.hpp"

#include <string>
#include <vector>

#include "model/core_groups.hpp"
#include "support/catch.hpp"
#include "support/random_fit.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

/// 8 cores in 2 packages; L3 caches of 2 cores, but cores 6 and 7 report none; a domain a package,
/// fast memory at package 1 and persistent memory at core 0.
NodeShape two_packages() {
    NodeShape shape;
    shape.hardware = plain_cores(8);
    const CoreSet low = CoreSet::range({0, 4});
    const CoreSet high = CoreSet::range({4, 8});
    shape.hardware.groups = {{HardwareLevel::package, OsIndex(0), high},
                             {HardwareLevel::package, OsIndex(1), low}};
    for (std::uint32_t i = 0; i < 3; ++i) {
        const CoreSet cores = CoreSet::range({2 * i, 2 * i + 2});
        shape.hardware.groups.push_back({HardwareLevel::l3, OsIndex(i), cores});
    }
    shape.memory = {
        {OsIndex(0), MemoryDomain::Kind::dram, Bytes(1), low},
        {OsIndex(1), MemoryDomain::Kind::dram, Bytes(1), high},
        {OsIndex(2), MemoryDomain::Kind::high_bandwidth, Bytes(1), high},
        {OsIndex(3), MemoryDomain::Kind::persistent, Bytes(1), CoreSet::of({CoreId(0)})},
        {OsIndex(4), MemoryDomain::Kind::dram, Bytes(1), {}}};
    return shape;
}

std::string text_of(const std::vector<CoreSet>& groups) {
    std::string text;
    for (const CoreSet& group : groups) text += (text.empty() ? "" : " ") + to_text(group);
    return text;
}

}  // namespace

TEST_CASE("core_groups: every core is in one group of a level, by lowest core", "[model]") {
    struct Row {
        HardwareLevel level;
        const char* groups;
        const char* why;
    };
    const Row rows[] = {
        {HardwareLevel::machine, "0-7", "no group is reported: all are together"},
        {HardwareLevel::package, "0-3 4-7", "by lowest core, whatever the order"},
        {HardwareLevel::die, "0-7", "not reported"},
        {HardwareLevel::numa, "0-3 4-7", "two domains at one package are one group"},
        {HardwareLevel::l3, "0-1 2-3 4-5 6-7", "those without a cache are together"},
        {HardwareLevel::core, "0 1 2 3 4 5 6 7", "each by itself"},
        {HardwareLevel::thread, "0 1 2 3 4 5 6 7", "as core"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(text_of(core_groups(two_packages(), row.level)) == row.groups);
    }
    for (const HardwareLevel level : {HardwareLevel::package, HardwareLevel::numa}) {
        CHECK(core_groups(NodeShape{}, level).empty());
    }
}

TEST_CASE("core_groups: cores near to different domains are apart, cores near to none together",
          "[model]") {
    NodeShape shape = two_packages();
    shape.memory[1].cores = CoreSet::range({3, 5});  // core 3 is near to two domains
    shape.memory[2].cores = {};
    CHECK(text_of(core_groups(shape, HardwareLevel::numa)) == "0-2 3 4 5-7");
}

TEST_CASE("widen: all cores of the groups that are touched", "[model]") {
    const auto groups = core_groups(two_packages(), HardwareLevel::l3);
    CHECK(to_text(widen(groups, CoreSet::of({CoreId(1), CoreId(4)}))) == "0-1,4-5");
    CHECK(widen(groups, {}).is_empty());
    CHECK(to_text(widen({}, CoreSet::of({CoreId(1)}))) == "1");
}

TEST_CASE("domains_near: ordinary domains with one of the cores", "[model]") {
    const NodeShape shape = two_packages();
    CHECK(to_text(domains_near(shape, CoreSet::range({0, 2}))) == "0");
    CHECK(to_text(domains_near(shape, CoreSet::range({3, 5}))) == "0-2");
    CHECK(domains_near(shape, {}).is_empty());
}

TEST_CASE("core_groups: part the cores of any node, at any level", "[model][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), 500}, [](Choices& choices) {
        const NodeShape shape = any_shape(choices);
        const HardwareLevel level = detail::any_level(choices);
        CoreSet seen;
        CoreSet last;
        for (const CoreSet& group : core_groups(shape, level)) {
            REQUIRE(!group.is_empty());
            REQUIRE(!group.intersects(seen));
            REQUIRE((last.is_empty() || *last.first() < *group.first()));
            seen |= group;
            last = group;
        }
        REQUIRE(seen == shape.hardware.all_cores());
    });
}

}  // namespace trestle
