// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/granularity.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "model/core_groups.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/generators.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

using testing::for_random_choices;

NodeShape shape_of(const char* text) {
    const auto node = testing::node_from_text(text);
    REQUIRE(node.ok());
    return *node->shape;
}

std::vector<CoreGroup> groups_of(const NodeShape& shape, HardwareLevel level) {
    std::vector<CoreGroup> groups;
    for (const CoreGroup& group : shape.hardware.groups) {
        if (group.level == level) groups.push_back(group);
    }
    return groups;
}

/// The threads of each core, as `0,8;1,9`.
std::string threads_text(const NodeShape& shape) {
    std::string text;
    for (const Core& core : shape.hardware.cores) {
        text += text.empty() ? "" : ";";
        for (std::size_t i = 0; i < core.threads.size(); ++i) {
            text += (i == 0 ? "" : ",") + to_text(core.threads[i]);
        }
    }
    return text;
}

const std::array all_levels{HardwareLevel::machine, HardwareLevel::package, HardwareLevel::die,
                            HardwareLevel::numa,    HardwareLevel::l3,      HardwareLevel::l2,
                            HardwareLevel::core,    HardwareLevel::thread};

}  // namespace

TEST_CASE("with_granularity: what is handed out, by level", "[model]") {
    struct Row {
        const char* node;
        HardwareLevel level;
        const char* threads;
        const char* why;
    };
    const auto row = GENERATE(values<Row>({
        {"2s2c2t", HardwareLevel::thread, "0;4;1;5;2;6;3;7", "the threads of a core side by side"},
        {"2s2c2t", HardwareLevel::core, "0,4;1,5;2,6;3,7", "as it is"},
        {"2s2c2t", HardwareLevel::package, "0,1,4,5;2,3,6,7", "whole sockets, CR_Socket"},
        {"2s4c l3=2", HardwareLevel::l3, "0,1;2,3;4,5;6,7", "whole caches"},
        {"2s4c numa=2", HardwareLevel::numa, "0,1;2,3;4,5;6,7", "whole memory domains"},
        {"2s2c", HardwareLevel::die, "0,1,2,3", "a level that the node does not report"},
        {"2s2c", HardwareLevel::machine, "0,1,2,3", "the machine as one"},
    }));
    INFO(row.why);
    const NodeShape shape = with_granularity(shape_of(row.node), row.level);
    CHECK(threads_text(shape) == row.threads);
    CHECK(check(shape).ok());
}

TEST_CASE("with_granularity: threads keep their core, package and near devices", "[model]") {
    const NodeShape shape =
        with_granularity(shape_of("2s2c2t mem=8G gpu:2"), HardwareLevel::thread);
    const auto cores = groups_of(shape, HardwareLevel::core);
    REQUIRE(cores.size() == 4);
    CHECK(cores[3].os_index == OsIndex(3));
    CHECK(cores[3].cores == CoreSet::range({6, 8}));
    CHECK(core_groups(shape, HardwareLevel::core).size() == 4);
    CHECK(core_groups(shape, HardwareLevel::thread).size() == 8);
    CHECK(groups_of(shape, HardwareLevel::package)[1].cores == CoreSet::range({4, 8}));
    CHECK(shape.devices[1].cores == CoreSet::range({4, 8}));
    CHECK(shape.memory[1].cores == CoreSet::range({4, 8}));
    CHECK(with_granularity(shape, HardwareLevel::thread) == shape);
}

TEST_CASE("with_granularity: joined groups lose the levels inside them", "[model]") {
    const NodeShape shape =
        with_granularity(shape_of("2s4c l3=2 mem=8G gpu:2"), HardwareLevel::package);
    CHECK(groups_of(shape, HardwareLevel::l3).empty());
    CHECK(groups_of(shape, HardwareLevel::package)[1].cores == CoreSet::of({CoreId(1)}));
    CHECK(shape.devices[0].cores == CoreSet::of({CoreId(0)}));
    CHECK(shape.memory[1].cores == CoreSet::of({CoreId(1)}));
}

TEST_CASE("with_granularity: the system's cores do not take the rest of their group along",
          "[model]") {
    NodeShape shape = shape_of("2s4c gpu:2");
    shape.system_cores = CoreSet::of({CoreId(6), CoreId(7)});
    const NodeShape joined = with_granularity(shape, HardwareLevel::package);
    CHECK(threads_text(joined) == "0,1,2,3;4,5;6,7");
    CHECK(joined.system_cores == CoreSet::of({CoreId(2)}));
    CHECK(groups_of(joined, HardwareLevel::package)[1].cores == CoreSet::range({1, 3}));
    const NodeShape split = with_granularity(shape_of("1s2c2t"), HardwareLevel::thread);
    CHECK(split.system_cores.is_empty());
}

TEST_CASE("with_granularity: a reserved core reserves its unit", "[model]") {
    NodeShape shape = shape_of("2s4c2t gpu:2");
    shape.devices[1].reserved_cores = CoreSet::of({CoreId(5)});
    CHECK(with_granularity(shape, HardwareLevel::package).devices[1].reserved_cores ==
          CoreSet::of({CoreId(1)}));
    CHECK(with_granularity(shape, HardwareLevel::thread).devices[1].reserved_cores ==
          CoreSet::range({10, 12}));
}

TEST_CASE("with_granularity: what is given stays the same threads, bytes and devices", "[model]") {
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), 300}, [&](testing::Choices& choices) {
        NodeShape shape = *testing::any_node(choices).shape;
        for (const CoreId core : shape.hardware.all_cores()) {
            if (choices.one_in(4)) shape.system_cores.insert(core);
        }
        for (const HardwareLevel level : all_levels) {
            const NodeShape made = with_granularity(shape, level);
            INFO("level " << to_text(level));
            REQUIRE(check(made).ok());
            REQUIRE(made.hardware.all_threads() == shape.hardware.all_threads());
            REQUIRE(made.cpu_count() == shape.cpu_count());
            REQUIRE(made.hardware.threads_of(made.system_cores) ==
                    shape.hardware.threads_of(shape.system_cores));
            REQUIRE(made.ordinary_memory() == shape.ordinary_memory());
            REQUIRE(made.devices.size() == shape.devices.size());
            for (std::size_t i = 0; i < made.devices.size(); ++i) {
                const PuSet near = made.hardware.threads_of(made.devices[i].cores);
                REQUIRE(near.contains_all(shape.hardware.threads_of(shape.devices[i].cores)));
            }
            for (const Core& core : made.hardware.cores) {
                REQUIRE(std::is_sorted(core.threads.begin(), core.threads.end()));
            }
            REQUIRE(with_granularity(made, HardwareLevel::core) == made);
        }
    });
}

}  // namespace trestle
