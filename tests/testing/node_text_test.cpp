// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/node_text.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "testing/detail/node_lines.hpp"
#include "trestle/model/slice_geometry.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/generators.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle::testing {
namespace {

Node node_of(const char* text) {
    const auto node = node_from_text(text);
    INFO(text);
    REQUIRE(message(node.status()) == "");
    return *node;
}

CoreSet cores(std::uint32_t first, std::uint32_t last) { return CoreSet::range({first, last}); }

TEST_CASE("node_from_text: sockets, cores, threads, memory and devices", "[testing]") {
    const Node node = node_of("2s16c2t mem=512G gpu:a100-80G:8@nvlink nic:cx7:2");
    const NodeShape& shape = *node.shape;
    CHECK(check(shape).ok());
    CHECK(shape.cpu_count() == Count(64));
    CHECK(shape.hardware.cores[1].threads == std::vector{OsIndex(1), OsIndex(33)});
    REQUIRE(shape.hardware.groups.size() == 2);
    CHECK(shape.hardware.groups[1] == CoreGroup{HardwareLevel::package, OsIndex(1), cores(16, 32)});
    REQUIRE(shape.memory.size() == 2);
    CHECK(shape.memory[1] ==
          MemoryDomain{OsIndex(1), MemoryDomain::Kind::dram, gib(256), cores(16, 32)});
    REQUIRE(shape.devices.size() == 10);
    CHECK(shape.devices[3].type == "a100");
    CHECK(shape.devices[3].index == 3);
    CHECK(shape.devices[3].memory == gib(80));
    CHECK(shape.devices[3].cores == cores(0, 16));
    CHECK(shape.devices[4].cores == cores(16, 32));
    CHECK(shape.devices[9].name == "nic");
    CHECK(shape.devices[9].index == 1);
    CHECK(shape.devices[9].cores == cores(16, 32));
    CHECK(shape.links.size() == 8 * 7 / 2);
    CHECK(shape.links.back() == DeviceLink{DeviceId(6), DeviceId(7), 1});
}

TEST_CASE("node_from_text: efficiency cores are of a slower kind and of one thread", "[testing]") {
    const NodeShape shape = *node_of("2s2c2t+1e mem=6B numa=3 gpu:2").shape;
    CHECK(check(shape).ok());
    CHECK(shape.cpu_count() == Count(10));
    REQUIRE(shape.hardware.core_count() == 6);
    CHECK(shape.hardware.cores[1] == Core{{OsIndex(1), OsIndex(7)}, 1});
    CHECK(shape.hardware.cores[2] == Core{{OsIndex(2)}, 0});
    CHECK(shape.hardware.cores[3] == Core{{OsIndex(3), OsIndex(8)}, 1});
    CHECK(shape.hardware.groups[1] == CoreGroup{HardwareLevel::package, OsIndex(1), cores(3, 6)});
    CHECK(shape.hardware.cores_of_kind(Core::Kind::efficiency) ==
          CoreSet::of({CoreId(2), CoreId(5)}));
    CHECK(shape.memory[5].cores == cores(5, 6));
    CHECK(shape.devices[1].cores == cores(3, 6));
}

TEST_CASE("node_from_text: NUMA below sockets, caches, memory-only domains", "[testing]") {
    const NodeShape shape = *node_of("2s4c numa=2 l3=4 mem=9B hbm=2G pmem=4G").shape;
    REQUIRE(shape.memory.size() == 8);
    CHECK(shape.memory[0].capacity == Bytes(3));  // the rest goes to the first
    CHECK(shape.memory[3] ==
          MemoryDomain{OsIndex(3), MemoryDomain::Kind::dram, Bytes(2), cores(6, 8)});
    CHECK(shape.memory[5] ==
          MemoryDomain{OsIndex(5), MemoryDomain::Kind::high_bandwidth, gib(1), CoreSet()});
    CHECK(shape.memory[7] ==
          MemoryDomain{OsIndex(7), MemoryDomain::Kind::persistent, gib(2), CoreSet()});
    REQUIRE(shape.hardware.groups.size() == 2 + 8);
    CHECK(shape.hardware.groups[9] == CoreGroup{HardwareLevel::l3, OsIndex(7), cores(7, 8)});
    CHECK(shape.total_memory() == gib(6) + Bytes(9));
}

TEST_CASE("node_from_text: places and links of devices", "[testing]") {
    const NodeShape shape = *node_of("2s2c gpu:4@nvlink-pairs*12 gpu:1@s1 fpga:2/4@any").shape;
    CHECK(shape.links == std::vector{DeviceLink{DeviceId(0), DeviceId(1), 12},
                                     DeviceLink{DeviceId(2), DeviceId(3), 12}});
    CHECK(shape.devices[4].index == 4);
    CHECK(shape.devices[4].cores == cores(2, 4));
    CHECK(shape.devices[5].cores.is_empty());
    CHECK(shape.devices[5].shares == Count(4));
}

TEST_CASE("node_from_text: health, switches, slices and reserved cores of devices", "[testing]") {
    const NodeShape shape =
        *node_of(
             "2s4c system=0,7 gpu:a100-40G:2@switch0@switch2@slices=a100-40gb@s0@reserve1 "
             "gpu:1@failure@s0@reserve3 gpu:1@warning@drained@any@reserve1 nic:1@switch0@s0")
             .shape;
    CHECK(check(shape).ok());
    CHECK(shape.system_cores == (cores(0, 1) | cores(7, 8)));
    CHECK(shape.devices[1].switches == std::vector<std::uint32_t>{0, 2});
    CHECK(shape.devices[1].slicing->geometry == *find_slice_geometry("a100-40gb"));
    CHECK(shape.devices[1].slicing->instances.empty());
    CHECK(shape.devices[0].reserved_cores == cores(0, 1));
    CHECK(shape.devices[1].reserved_cores == cores(1, 2));
    CHECK(shape.devices[2].reserved_cores == cores(2, 4));  // its socket has no more
    CHECK(shape.devices[3].reserved_cores == cores(4, 5));
    CHECK(shape.devices[2].health == Health::failure);
    CHECK(shape.devices[3].health == Health::warning);
    CHECK(shape.devices[3].is_drained);
    CHECK(shape.devices[4].switches == std::vector<std::uint32_t>{0});
    CHECK_FALSE(shape.devices[4].slicing);
}

TEST_CASE("node_from_text: on one socket devices are near to all alike", "[testing]") {
    CHECK(node_of("4c gpu:2").shape->devices[1].cores.is_empty());
}

TEST_CASE("node_from_text: what belongs to the one node", "[testing]") {
    const Node node =
        node_of("4c arch=arm name=n7 features=ib,fast weight=3 state=drained health=warning");
    CHECK(node.name == "n7");
    CHECK(node.features == std::vector<std::string>{"ib", "fast"});
    CHECK(node.weight == 3);
    CHECK(node.state == NodeState::drained);
    CHECK(node.health == Health::warning);
    CHECK(node.shape->architecture == Architecture::arm);
}

TEST_CASE("node_to_text: the canonical line", "[testing][golden]") {
    struct Row {
        const char* given;
        const char* printed;
        const char* why;
    };
    const std::vector<Row> rows = {
        {"1s4c1t", "4c", "ones are left out"},
        {"1s6c2t+8e", "6c2t+8e", "efficiency cores"},
        {"2s4c1t+4e gpu:2@s1 system=7 numa=4", "2s4c+4e numa=4 system=7 gpu:2@s1",
         "of each socket"},
        {"  4c\tmem=1024M ", "4c mem=1G", "blanks and units"},
        {"4c mem=1500B", "4c mem=1500B", "bytes"},
        {"4c gpu:1", "4c gpu:1", "a device needs something behind its name"},
        {"4c gpu:a100:1", "4c gpu:a100", "a count of one"},
        {"4c gpu:-16G", "4c gpu:-16G", "memory without a type"},
        {"4c gpu:a-b:2", "4c gpu:a-b:2", "a dash in a type"},
        {"4c gpu:a-2B:2", "4c gpu:a-2B:2", "two bytes of memory"},
        {"4c gpu:a-2:2", "4c gpu:a-2:2", "a type that ends with a number"},
        {"4c mem=0", "4c", "no memory needs no unit"},
        {"4c gpu:a-8-0", "4c gpu:a-8-0", "no bytes of memory are part of the type"},
        {"4c gpu:2@any", "4c gpu:2", "one socket is near to all"},
        {"2s4c gpu:2@any", "2s4c gpu:2@any", "two are not"},
        {"2s4c gpu:1@s0 gpu:1@s1", "2s4c gpu:2", "neighbours become one word"},
        {"2s4c gpu:2@nvlink gpu:2@nvlink", "2s4c gpu:2@nvlink gpu:2@nvlink", "two islands"},
        {"4c gpu:2@nvlink-pairs", "4c gpu:2@nvlink", "one pair is all of two"},
        {"4c gpu:1@nvlink*3", "4c gpu:1", "one device has no links"},
        {"4c gpu:1@healthy@reserve0", "4c gpu:1", "a well device that reserves nothing"},
        {"2s4c gpu:1@drained@unknown@slices=a30-24gb@reserve2@switch7@switch0@s1@nvlink",
         "2s4c gpu:1@s1@switch7@switch0@reserve2@slices=a30-24gb@unknown@drained", "in order"},
        {"4c gpu:1@drained gpu:1", "4c gpu:1@drained gpu:1", "unlike devices are two words"},
        {"4c gpu:3@reserve2", "4c gpu:3@reserve2", "the third finds none left"},
        {"4c gpu:1@reserve9 nic:1@reserve1", "4c gpu:1@reserve4 nic:1", "what there is"},
        {"8c system=7,0-2,1", "8c system=0-2,7", "sorted runs"},
        {"8c system=0x3", "8c system=0-1", "a mask"},
        {"4c weight=1 state=up health=healthy arch=x86 numa=1", "4c", "defaults"},
    };
    for (const Row& row : rows) {
        INFO(row.why << ": " << row.given);
        CHECK(node_to_text(node_of(row.given)) == std::optional<std::string>(row.printed));
    }
}

TEST_CASE("node_to_text: nothing for a node that no line makes", "[testing]") {
    const Node regular = node_of("2s4c mem=8G gpu:2");
    const auto changed = [&](auto change) {
        NodeShape shape = *regular.shape;
        change(shape);
        Node node = regular;
        node.shape = shape;
        return node;
    };
    CHECK(node_to_text(regular));
    CHECK_FALSE(node_to_text(Node{}));
    CHECK_FALSE(node_to_text(changed([](NodeShape& s) { s.hardware.cores.pop_back(); })));
    CHECK_FALSE(node_to_text(changed([](NodeShape& s) { s.hardware.groups.pop_back(); })));
    CHECK_FALSE(node_to_text(changed([](NodeShape& s) { s.memory[0].capacity += gib(1); })));
    CHECK_FALSE(node_to_text(changed([](NodeShape& s) { s.distances = {10, 21, 21, 10}; })));
    CHECK_FALSE(node_to_text(changed([](NodeShape& s) { s.devices[1].index = 7; })));
    CHECK_FALSE(node_to_text(changed([](NodeShape& s) { s.devices[0].uuid = "x"; })));
    CHECK_FALSE(node_to_text(changed([](NodeShape& s) { s.devices[0].type = "80"; })));
    CHECK_FALSE(node_to_text(changed([](NodeShape& s) { s.devices[0].cores = cores(1, 3); })));
    CHECK_FALSE(node_to_text(changed([](NodeShape& s) { s.devices[0].is_consumed = false; })));
    CHECK_FALSE(
        node_to_text(changed([](NodeShape& s) { s.devices[1].reserved_cores = cores(2, 4); })));
    CHECK_FALSE(node_to_text(changed([](NodeShape& s) { s.memory[0].reserved = gib(1); })));
    CHECK_FALSE(node_to_text(changed([](NodeShape& s) { s.hardware.cores[1].kind = 1; })));
    CHECK_FALSE(node_to_text(changed([](NodeShape& s) { s.devices[0].slicing.emplace(); })));
    CHECK_FALSE(node_to_text(changed([](NodeShape& s) {
        s.devices[0].slicing = Slicing{*find_slice_geometry("a30-24gb"), {}, true};
    })));
    CHECK_FALSE(node_to_text(changed([](NodeShape& s) {
        s.links = {{DeviceId(0), DeviceId(9), 1}};
    })));
    Node spaced = regular;
    spaced.name = "a b";
    CHECK_FALSE(node_to_text(spaced));
}

/// Sets fields that any_node_description leaves at their defaults.
void add_words(Choices& choices, NodeDescription& node) {
    if (choices.one_in(3)) {
        for (std::uint32_t i = 0; i < node.packages * node.cores_per_package; ++i) {
            if (choices.one_in(3)) node.system_cores.insert(CoreId(i));
        }
    }
    for (NodeDescription::Devices& devices : node.devices) {
        for (std::uint32_t n = 0; n < 2; ++n) {
            if (choices.one_in(3)) {
                devices.switches.push_back(static_cast<std::uint32_t>(choices.below(4)));
            }
        }
        const auto reserved = static_cast<std::uint32_t>(choices.below(4));
        if (choices.one_in(3)) devices.reserved_cores = reserved;
        if (choices.one_in(3)) devices.slice_geometry = choices.of(slice_geometries()).name;
        devices.health = choices.of(
            std::vector{Health::healthy, Health::warning, Health::failure, Health::unknown});
        devices.is_drained = choices.one_in(3);
    }
}

TEST_CASE("node_from_text: any node reads back from its line", "[testing][law]") {
    const auto reads_back = [](Choices& choices) {
        NodeDescription description = any_node_description(choices);
        if (choices.one_in(2)) add_words(choices, description);
        const Node node = *make_node(description);
        INFO(detail::node_line(description));
        REQUIRE(check(*node.shape).ok());
        REQUIRE(node_from_text(detail::node_line(description)).value() == node);
        const auto text = node_to_text(node);
        REQUIRE(text);
        REQUIRE(node_from_text(*text).value() == node);
        REQUIRE(node_to_text(node_from_text(*text).value()) == text);
    };
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), 2'000}, reads_back);
}

TEST_CASE("node_from_text: every small node reads back from its line", "[testing][law]") {
    std::uint64_t with_devices = 0;
    for_all_choices([&](Choices& choices) {
        const Node node = any_node(choices, Bounds::Node::small());
        const auto text = node_to_text(node);
        REQUIRE(text);
        REQUIRE(node_from_text(*text).value() == node);
        with_devices += node.shape->devices.empty() ? 0u : 1u;
    });
    CHECK(with_devices == 2 * 2 * 2 * 3 * (2 * 2 * 2));
}

TEST_CASE("node_from_text: what is wrong is named with its offset", "[testing]") {
    struct Row {
        const char* text;
        const char* error;
        const char* why;
    };
    const char* machine =
        "expected sockets, cores of each, threads of each, as 2s16c2t, 16c2t or 16c; with "
        "efficiency cores of one thread 6c2t+8e";
    const char* size = "expected a number with B, K, M, G, T or P, at most 4P";
    const char* word =
        "expected nvlink, nvlink-pairs, any, a socket s0 to s1, switch0, reserve1, "
        "slices=a100-40gb, warning, failure, unknown or drained";
    const std::vector<Row> rows = {
        {"", "not a machine at offset 0 (end of text): ", machine},
        {"mem=4G", "not a machine at offset 0 (\"mem=4G\"): ", machine},
        {" 0c", "not a machine at offset 1 (\"0c\"): ", machine},
        {"2s", "not a machine at offset 0 (\"2s\"): ", machine},
        {"4cx", "not a machine at offset 0 (\"4cx\"): ", machine},
        {"70000c", "not a machine at offset 0 (\"70000c\"): ", machine},
        {"6c+", "not a machine at offset 0 (\"6c+\"): ", machine},
        {"6c+8", "not a machine at offset 0 (\"6c+8\"): ", machine},
        {"6c+0e", "not a machine at offset 0 (\"6c+0e\"): ", machine},
        {"+8e", "not a machine at offset 0 (\"+8e\"): ", machine},
        {"2s40000c+40000e",
         "too large at offset 0 (\"2s40000c+40000e\"): ", "expected at most 65536 threads"},
        {"6c+8e numa=3", "no equal parts at offset 11 (\"3\"): ",
         "expected a divisor of 14, the cores of a socket"},
        {"1000s1000c1000t",
         "too large at offset 0 (\"1000s1000c1000t\"): ", "expected at most 65536 threads"},
        {"1025s1c", "too many sockets at offset 0 (\"1025s1c\"): ", "expected at most 1024"},
        {"4c mem=", "not a size at offset 7 (end of text): ", size},
        {"4c mem=512",
         "no unit at offset 7 (\"512\"): ", "expected a unit, as 512G; 512B is bytes"},
        {"4c hbm=1 gpu:2", "no unit at offset 7 (\"1\"): ", "expected a unit, as 1G; 1B is bytes"},
        {"4c mem=7x", "not a size at offset 7 (\"7x\"): ", size},
        {"4c mem=-1", "not a size at offset 7 (\"-1\"): ", size},
        {"4c mem=5P", "not a size at offset 7 (\"5P\"): ", size},
        {"4c mem=99999999999T", "not a size at offset 7 (\"99999999999T\"): ", size},
        {"4c mem=4GB", "unexpected at offset 9 (\"B\"): ", "expected a blank or the end"},
        {"4c mem=1G mem=2G",
         "given twice at offset 10 (\"mem=2G\"): ", "expected each option once"},
        {"4c numa=3",
         "no equal parts at offset 8 (\"3\"): ", "expected a divisor of 4, the cores of a socket"},
        {"4c l3=0", "not a count at offset 6 (\"0\"): ", "expected a number from 1 to 1024"},
        {"513s4c l3=2",
         "too many parts at offset 10 (\"2\"): ", "expected at most 1024 on all sockets"},
        {"4c arch=vax", "unknown word at offset 8 (\"vax\"): ", "expected x86, arm, power, riscv"},
        {"4c features=a,",
         "no word at offset 14 (end of text): ", "expected letters, digits, _, - or ."},
        {"4c gpu", "not a device at offset 3 (\"gpu\"): ",
         "expected NAME:TYPE or NAME:COUNT, as gpu:a100 or gpu:2"},
        {"4c gpu:", "no type at offset 7 (end of text): ", "expected a type or a count"},
        {"4c gpu:a:b", "unexpected at offset 8 (\":b\"): ", "expected a blank or the end"},
        {"4c gpu:a:0", "not a count at offset 9 (\"0\"): ", "expected a number from 1 to 1024"},
        {"4c gpu:1024 nic:1",
         "too many devices at offset 12 (\"nic:1\"): ", "expected at most 1024"},
        {"4c gpu:1/0",
         "not a count at offset 9 (\"0\"): ", "expected a number from 1 to 4294967294"},
        {"2s4c gpu:1@s2", "unknown word at offset 11 (\"s2\"): ", word},
        {"2s4c gpu:1@switch", "unknown word at offset 11 (\"switch\"): ", word},
        {"2s4c gpu:1@reserve2x", "unknown word at offset 11 (\"reserve2x\"): ", word},
        {"2s4c gpu:1@slices", "unknown word at offset 11 (\"slices\"): ", word},
        {"4c gpu:1@slices=a1", "unknown geometry at offset 16 (\"a1\"): ",
         "expected a100-40gb, a100-80gb, a30-24gb, h100-80gb, h100-94gb, h100-96gb, h200-141gb, "
         "gh200-144gb, b200-180gb, gb200-186gb, b300-269gb, gb300-278gb, rtx-pro-6000-96gb"},
        {"4c system=3-4", "no cores of this node at offset 10 (\"3-4\"): ", "expected 0 to 3"},
        {"4c system=0-4", "too many members at offset 10 (\"0-4\"): ", "expected at most 4"},
        {"4c system=x",
         "not a number at offset 10 (\"x\"): ", "expected a number or a run like 0-3"},
        {"4c \n", "no word at offset 3 (\"\\x0a\"): ", "expected letters, digits, _, - or ."},
        {"4c (", "no word at offset 3 (\"(\"): ", "expected letters, digits, _, - or ."},
    };
    for (const Row& row : rows) {
        INFO(row.text);
        const auto node = node_from_text(row.text);
        CHECK(node.status().code() == StatusCode::kInvalidArgument);
        CHECK(message(node.status()) == std::string("node: ") + row.error + row.why);
    }
    CHECK(message(node_from_text("4c foo=1").status())
              .starts_with("node: unknown option at offset 3 (\"foo=1\"): expected mem, numa"));
}

}  // namespace
}  // namespace trestle::testing
