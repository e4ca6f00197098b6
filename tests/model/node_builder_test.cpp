// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/node_builder.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/model/slice_geometry.hpp"
#include "trestle/testing/arbitrary.hpp"
#include "trestle/testing/node_text.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

constexpr std::uint32_t uint32_max = std::numeric_limits<std::uint32_t>::max();

Node node_of(const NodeDescription& description) {
    const auto node = make_node(description);
    INFO(to_text(description));
    REQUIRE(message(node.status()) == "");
    REQUIRE(message(check(*node->shape)) == "");
    return *node;
}

CoreSet cores(std::uint32_t first, std::uint32_t last) { return CoreSet::range({first, last}); }

TEST_CASE("make_node: the default description is one core without memory", "[model]") {
    NodeShape shape;
    shape.hardware.cores = {{{OsIndex(0)}}};
    shape.hardware.groups = {{HardwareLevel::package, OsIndex(0), cores(0, 1)}};
    shape.memory = {{OsIndex(0), MemoryDomain::Kind::dram, Bytes(0), cores(0, 1)}};
    const Node node = node_of({});
    CHECK(*node.shape == shape);
    CHECK(node == Node{"", shape, {}});
}

TEST_CASE("make_node: a node with two packages and GPUs", "[model]") {
    const Node node = node_of({.name = "n0",
                               .packages = 2,
                               .cores_per_package = 16,
                               .threads_per_core = 2,
                               .memory = 512_GiB,
                               .devices = {{.name = "gpu",
                                            .type = "a100",
                                            .count = 4,
                                            .memory = 80_GiB,
                                            .linking = NodeDescription::Devices::Linking::all},
                                           {.name = "nic", .count = 2}},
                               .features = {"ib"},
                               .weight = 3});
    CHECK(node.name == "n0");
    CHECK(node.features == std::vector<std::string>{"ib"});
    CHECK(node.weight == 3);
    const NodeShape& shape = *node.shape;
    CHECK(shape.cpu_count() == Count(64));
    CHECK(shape.hardware.cores[1].threads == std::vector{OsIndex(1), OsIndex(33)});
    CHECK(shape.hardware.groups[1] == CoreGroup{HardwareLevel::package, OsIndex(1), cores(16, 32)});
    CHECK(shape.memory[1] ==
          MemoryDomain{OsIndex(1), MemoryDomain::Kind::dram, 256_GiB, cores(16, 32)});
    REQUIRE(shape.devices.size() == 6);
    CHECK(shape.devices[1].cores == cores(0, 16));
    CHECK(shape.devices[2].cores == cores(16, 32));
    CHECK(shape.devices[5].index == 1);
    CHECK(shape.links.size() == 6);
}

TEST_CASE("make_node: the fields of devices that a line of text cannot express", "[model]") {
    const Node node = node_of({.devices = {{.name = "gpu",
                                            .count = 2,
                                            .vendor = "nvidia",
                                            .model = "NVIDIA A100",
                                            .compute_capability = Version{8, 0},
                                            .mig_profile = "3g.40gb",
                                            .neuron_cores = 2,
                                            .attributes = {{"driver_version", "550.54"}}},
                                           {.name = "licence",
                                            .share_kind = ShareKind::unit,
                                            .is_consumed = false,
                                            .is_explicit = true}}});
    const Device& gpu = node.shape->devices[1];
    CHECK(gpu.vendor == "nvidia");
    CHECK(gpu.model == "NVIDIA A100");
    CHECK(gpu.compute_capability == Version{8, 0});
    CHECK(gpu.mig_profile == "3g.40gb");
    CHECK(gpu.neuron_cores == 2u);
    CHECK(gpu.share_kind == ShareKind::part);
    CHECK_FALSE(gpu.is_explicit);
    CHECK(gpu.attributes == std::vector<Device::Attribute>{{"driver_version", "550.54"}});
    CHECK(gpu.is_consumed);
    CHECK_FALSE(node.shape->devices[2].is_consumed);
    CHECK(node.shape->devices[2].share_kind == ShareKind::unit);
    CHECK(node.shape->devices[2].is_explicit);
    CHECK_FALSE(testing::node_to_text(node));
}

TEST_CASE("make_node: a description makes the node of the equivalent line", "[model]") {
    struct Row {
        NodeDescription description;
        const char* line;
        const char* why;
    };
    const std::vector<Row> rows = {
        {{}, "1c", "defaults"},
        {{.packages = 2, .cores_per_package = 16, .threads_per_core = 2, .memory = 512_GiB},
         "2s16c2t mem=512G",
         "memory in halves"},
        {{.cores_per_package = 6, .threads_per_core = 2, .efficiency_cores_per_package = 8},
         "6c2t+8e",
         "a hybrid CPU"},
        {{.packages = 3, .memory = Bytes(10)},
         "3s1c mem=10B",
         "the first domain has the remainder"},
        {{.packages = 2, .cores_per_package = 4, .domains_per_package = 2, .l3_per_package = 4},
         "2s4c numa=2 l3=4",
         "levels below a package"},
        {{.packages = 2, .high_bandwidth = 64_GiB, .persistent = 1_TiB, .disk = 2_TiB},
         "2s1c hbm=64G pmem=1T disk=2T",
         "memory-only domains"},
        {{.cores_per_package = 8, .system_cores = cores(0, 2)}, "8c system=0-1", "system cores"},
        {{.name = "n7",
          .architecture = Architecture::arm,
          .features = {"ib", "fast"},
          .weight = 3,
          .state = NodeState::drained,
          .health = Health::warning},
         "1c arch=arm name=n7 features=ib,fast weight=3 state=drained health=warning",
         "the node itself"},
        {{.packages = 2, .devices = {{.name = "gpu", .count = 5}}}, "2s1c gpu:5", "spread"},
        {{.packages = 2,
          .devices = {{.name = "gpu",
                       .count = 2,
                       .nearness = NodeDescription::Devices::Nearness::anywhere},
                      {.name = "gpu",
                       .nearness = NodeDescription::Devices::Nearness::package,
                       .package = 1}}},
         "2s1c gpu:2@any gpu:1@s1",
         "near all cores and near one package; indexes continue"},
        {{.devices = {{.name = "gpu", .nearness = NodeDescription::Devices::Nearness::package}}},
         "1c gpu:1",
         "near the only package is near all cores"},
        {{.devices = {{.name = "gpu",
                       .count = 3,
                       .linking = NodeDescription::Devices::Linking::pairs,
                       .link_strength = 12}}},
         "1c gpu:3@nvlink-pairs*12",
         "the third has no partner"},
        {{.devices =
              {{.name = "gpu", .count = 3, .linking = NodeDescription::Devices::Linking::all}}},
         "1c gpu:3@nvlink",
         "each with each"},
        {{.cores_per_package = 4,
          .devices = {{.name = "gpu",
                       .type = "a100",
                       .memory = 40_GiB,
                       .switches = {0, 2},
                       .reserved_cores = 1,
                       .slice_geometry = "a100-40gb"},
                      {.name = "gpu",
                       .reserved_cores = 9,
                       .shares = Count(4),
                       .health = Health::failure,
                       .is_drained = true}}},
         "4c gpu:a100-40G:1@switch0@switch2@reserve1@slices=a100-40gb "
         "gpu:1/4@reserve9@failure@drained",
         "reserved cores are those that are left"},
        {{.devices = {{.name = "gpu", .link_strength = 0, .package = 7}}},
         "1c gpu:1",
         "fields that nothing reads"},
    };
    for (const Row& row : rows) {
        INFO(row.why << ": " << row.line);
        CHECK(node_of(row.description) == testing::node_from_text(row.line).value());
    }
}

TEST_CASE("make_node: system_memory is reserved in equal parts", "[model][law]") {
    const Node node = node_of({.packages = 2, .memory = 64_GiB, .system_memory = 4_GiB});
    CHECK(node.shape->memory[0].reserved == 2_GiB);
    CHECK(node.shape->memory[1].reserved == 2_GiB);
    CHECK(node.shape->ordinary_memory() == 60_GiB);
    for (std::uint32_t packages = 1; packages <= 4; ++packages) {
        for (std::int64_t memory = 0; memory <= 9; ++memory) {
            for (std::int64_t system = 0; system <= memory; ++system) {
                const Node small = node_of({.packages = packages,
                                            .memory = Bytes(memory),
                                            .system_memory = Bytes(system)});
                CHECK(small.shape->ordinary_memory() == Bytes(memory - system));
            }
        }
    }
}

TEST_CASE("make_node: errors name the node, the field, the value and what is expected", "[model]") {
    struct Row {
        NodeDescription description;
        const char* error;
        const char* why;
    };
    const std::vector<Row> rows = {
        {{.packages = 0}, "node: packages=0, expected 1 to 1024", "no package"},
        {{.name = "n0", .cores_per_package = 0},
         "node n0: cores_per_package=0, expected 1 to 65536",
         "no core"},
        {{.threads_per_core = 0}, "node: threads_per_core=0, expected 1 to 65536", "no thread"},
        {{.packages = 1'000'000'000}, "node: packages=1000000000, expected 1 to 1024", "a slip"},
        {{.cores_per_package = uint32_max},
         "node: cores_per_package=4294967295, expected 1 to 65536",
         "-1 of a caller's int"},
        {{.packages = 1'024, .cores_per_package = 65'536, .threads_per_core = 65'536},
         "node: packages=1024, cores_per_package=65536, threads_per_core=65536: 4398046511104 "
         "hardware threads, expected at most 65536",
         "the product overflows 32 bits"},
        {{.efficiency_cores_per_package = uint32_max},
         "node: packages=1, cores_per_package=1, threads_per_core=1, "
         "efficiency_cores_per_package=4294967295: 4294967296 hardware threads, expected at most "
         "65536",
         "of one thread each"},
        {{.cores_per_package = 6, .efficiency_cores_per_package = 8, .domains_per_package = 3},
         "node: domains_per_package=3, expected a divisor of cores_per_package=6 + "
         "efficiency_cores_per_package=8",
         "of all cores of a package"},
        {{.domains_per_package = 0},
         "node: domains_per_package=0, expected a divisor of cores_per_package=1",
         "no domain"},
        {{.cores_per_package = 8, .domains_per_package = 3},
         "node: domains_per_package=3, expected a divisor of cores_per_package=8",
         "unequal domains"},
        {{.cores_per_package = 8, .l3_per_package = 16},
         "node: l3_per_package=16, expected a divisor of cores_per_package=8",
         "more caches than cores"},
        {{.packages = 2, .cores_per_package = 1'024, .domains_per_package = 1'024},
         "node: domains_per_package=1024: 2048 on 2 packages, expected at most 1024",
         "more domains than Linux counts"},
        {{.cores_per_package = 4, .system_cores = cores(3, 5)},
         "node: system_cores: core 4 does not exist",
         "a core behind the last one"},
        {{.memory = 1_GiB, .system_memory = 2_GiB},
         "node: system_memory=2GiB, expected at most memory=1GiB",
         "more than there is"},
        {{.memory = Bytes::max(), .persistent = Bytes(1)},
         "node: memory: the domains hold more than 2^63 bytes",
         "a sum that overflows"},
        {{.devices = {{.count = 2}}},
         "node: devices[0]: name is empty, expected one such as gpu",
         "no name"},
        {{.name = "n0", .devices = {{.name = "nic"}, {.name = "gpu", .count = 0}}},
         "node n0: devices[1] (gpu): count=0, expected 1 to 1024",
         "no device"},
        {{.devices = {{.name = "gpu",
                       .count = 1'000'000'000,
                       .linking = NodeDescription::Devices::Linking::all}}},
         "node: devices[0] (gpu): count=1000000000, expected 1 to 1024",
         "a slip"},
        {{.devices = {{.name = "gpu", .count = 1'000}, {.name = "nic", .count = 25}}},
         "node: devices[1] (nic): 1025 devices up to here, expected at most 1024",
         "too many in all"},
        {{.devices = {{.name = "gpu", .memory = Bytes::max()}, {.name = "gpu", .memory = 1_GiB}}},
         "node: devices: with the node's they hold more than 2^63 bytes",
         "a sum that overflows"},
        {{.devices = {{.name = "gpu", .count = 2, .shares = Count::max()}}},
         "node: devices: they have more than 2^63 shares",
         "a sum that overflows"},
        {{.devices = {{.name = "gpu", .shares = Count(0)}}},
         "node: devices[0] (gpu): shares=0, expected 1 or more",
         "no share"},
        {{.devices = {{.name = "gpu",
                       .linking = NodeDescription::Devices::Linking::pairs,
                       .link_strength = 0}}},
         "node: devices[0] (gpu): link_strength=0, expected 1 or more",
         "a link that is none"},
        {{.packages = 2,
          .devices = {{.name = "gpu",
                       .nearness = NodeDescription::Devices::Nearness::package,
                       .package = 2}}},
         "node: devices[0] (gpu): package=2, expected a number below packages=2",
         "a package behind the last one"},
        {{.devices = {{.name = "gpu", .slice_geometry = "a100"}}},
         "node: devices[0] (gpu): slice_geometry=a100, expected one of a100-40gb, a100-80gb, "
         "a30-24gb, h100-80gb, h100-94gb, h100-96gb, h200-141gb, gh200-144gb, b200-180gb, "
         "gb200-186gb, b300-269gb, gb300-278gb, rtx-pro-6000-96gb",
         "an unknown geometry"},
        {{.devices = {{.name = "gpu", .slice_geometry = "a30-24gb", .is_consumed = false}}},
         "node: device 0 (gpu): it is cut into slices and not consumed",
         "what check() rejects"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto node = make_node(row.description);
        CHECK(node.status().code() == StatusCode::kInvalidArgument);
        CHECK(message(node.status()) == row.error);
    }
}

TEST_CASE("make_node: the largest nodes", "[model]") {
    constexpr std::uint32_t threads_max = NodeDescription::threads_max;
    constexpr std::uint32_t parts_max = NodeDescription::parts_max;
    CHECK(node_of({.threads_per_core = threads_max}).shape->cpu_count() == Count(threads_max));
    const Node node = node_of({.packages = parts_max,
                               .cores_per_package = threads_max / parts_max,
                               .l3_per_package = 1,
                               .devices = {{.name = "gpu",
                                            .count = parts_max,
                                            .linking = NodeDescription::Devices::Linking::all,
                                            .reserved_cores = uint32_max}}});
    CHECK(node.shape->memory.size() == parts_max);
    CHECK(node.shape->hardware.groups.size() == 2 * parts_max);
    CHECK(node.shape->links.size() == parts_max * (parts_max - 1) / 2);
    CHECK(node.shape->devices.back().cores.last() == CoreId(threads_max - 1));
    CHECK(node.shape->devices.back().reserved_cores == node.shape->devices.back().cores);
}

TEST_CASE("make_node: any description makes a consistent node or an error", "[model][law]") {
    INFO("seed " << test_seed());
    std::uint32_t made = 0;
    testing::for_random_choices({test_seed(), 2'000}, [&](testing::Choices& choices) {
        auto description = testing::arbitrary<NodeDescription>(choices);
        // Mostly small: otherwise nearly all of them are too large.
        for (std::uint32_t* count :
             {&description.packages, &description.cores_per_package, &description.threads_per_core,
              &description.efficiency_cores_per_package}) {
            if (!choices.one_in(16)) *count = static_cast<std::uint32_t>(choices.below(4));
        }
        if (!choices.one_in(4)) description.domains_per_package = description.cores_per_package;
        if (!choices.one_in(4)) description.l3_per_package = 0;
        if (!choices.one_in(4)) description.system_cores = {};
        if (!choices.one_in(4)) description.system_memory = {};
        if (!choices.one_in(4)) description.devices.clear();
        const auto node = make_node(description);
        if (node.ok()) {
            ++made;
            REQUIRE(message(check(*node->shape)) == "");
            REQUIRE(make_node(description).value() == *node);
        } else {
            REQUIRE(node.status().code() == StatusCode::kInvalidArgument);
            REQUIRE(message(node.status()).starts_with("node"));
        }
    });
    CHECK(made > 100);
    CHECK(made < 1'900);
}

TEST_CASE("make_nodes: names are numbered and the shape is shared", "[model]") {
    const NodeDescription description{.name = "n", .cores_per_package = 4, .features = {"ib"}};
    const std::vector<Node> nodes = make_nodes(description, 3).value();
    REQUIRE(nodes.size() == 3);
    CHECK(nodes[0].name == "n0");
    CHECK(nodes[2].name == "n2");
    CHECK(nodes[2].features == description.features);
    CHECK(nodes[2].shape.is_same_object(nodes[0].shape));
    CHECK(nodes[0].shape == node_of(description).shape);
    CHECK(make_nodes(description, 0).value().empty());
    CHECK(message(make_nodes({.name = "n", .packages = 0}, 3).status()) ==
          "node n: packages=0, expected 1 to 1024");
    CHECK(message(make_nodes(description, 1'000'000'000).status()) ==
          "1000000000 nodes n, expected at most 1048576");
}

TEST_CASE("NodeDescription: prints the fields that differ from their defaults", "[model]") {
    CHECK(to_text(NodeDescription{}) == "{}");
    CHECK(to_text(NodeDescription{.name = "n0",
                                  .packages = 2,
                                  .memory = 512_GiB,
                                  .devices = {{.name = "gpu", .count = 8}}}) ==
          "{name=n0, packages=2, memory=512GiB, devices=[{name=gpu, count=8}]}");
    CHECK(NodeDescription{.weight = 2} != NodeDescription{});
}

}  // namespace
}  // namespace trestle
