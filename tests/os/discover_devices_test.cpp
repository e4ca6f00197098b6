// SPDX-License-Identifier: Apache-2.0
// What discover() makes of PCI bridges, matrices and kinds of cores, on machines made for it.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "os/temporary_file.hpp"
#include "support/catch.hpp"
#include "trestle/os/discover.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

/// A machine as hwloc writes it: two cores of one thread, and what is put below it and beside it.
std::string machine_xml(const std::string& below, const std::string& beside = {}) {
    const auto sets = [](const char* pus, const char* nodes = "0x1") {
        return fmt::format(R"(cpuset="{0}" complete_cpuset="{0}" nodeset="{1}" )"
                           R"(complete_nodeset="{1}")",
                           pus, nodes);
    };
    const auto core = [&](int number, const char* pus) {
        return fmt::format(R"(<object type="Core" os_index="{0}" {1} gp_index="{2}">)"
                           R"(<object type="PU" os_index="{0}" {1} gp_index="{3}"/></object>)",
                           number, sets(pus), 10 + number, 20 + number);
    };
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<topology version=\"2.0\">\n"
        R"(<object type="Machine" os_index="0" {} allowed_cpuset="0x3" )"
        R"(allowed_nodeset="0x3,0xffffffff" gp_index="1">)"
        R"(<object type="NUMANode" os_index="0" {} gp_index="2" local_memory="4096"/>)"
        R"({}{}{}</object>{}</topology>)",
        sets("0x3", "0x3,0xffffffff"), sets("0x3"), core(0, "0x1"), core(1, "0x2"), below, beside);
}

NodeShape shape_of(const std::string& xml) {
    const TemporaryFile file(xml);
    const auto node = os::discover({.xml_file = file.path(), .fs_root = {}});
    INFO(node.status().ToString());
    REQUIRE(node.ok());
    return *node->shape;
}

/// A host bridge, a PCI-to-PCI bridge, a GPU: each with a bus of its own, below it what is `below`.
std::string host(unsigned bus, const std::string& below) {
    return fmt::format(R"(<object type="Bridge" gp_index="1{0:02}" bridge_type="0-1" depth="0" )"
                       R"(bridge_pci="0000:[{0:02x}-ff]">{1}</object>)",
                       bus, below);
}
std::string bridge(unsigned bus, const std::string& below) {
    return fmt::format(R"(<object type="Bridge" gp_index="1{0:02}" bridge_type="1-1" depth="1" )"
                       R"(bridge_pci="0000:[{0:02x}-ff]" pci_busid="0000:{0:02x}:01.0" )"
                       R"(pci_type="0604 [10b5:9781] [10b5:9781] b0" pci_link_speed="0.0">{1})"
                       R"(</object>)",
                       bus, below);
}
std::string gpu(unsigned bus) {
    return fmt::format(R"(<object type="PCIDev" gp_index="1{0:02}" pci_busid="0000:{0:02x}:00.0" )"
                       R"(pci_type="0302 [10de:1db8] [10de:131d] a1" pci_link_speed="0.0">)"
                       R"(<object type="OSDev" gp_index="2{0:02}" name="nvml{0}" osdev_type="5"/>)"
                       R"(</object>)",
                       bus);
}

using Numbers = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("discover: switches above a device are upstream ports, outermost first", "[os]") {
    struct Row {
        const char* why;
        std::string tree;
        std::vector<Numbers> switches;  ///< of each GPU
    };
    const Row rows[] = {
        {"no bridge that is recorded", gpu(1), {{}}},
        {"directly below a host bridge", host(1, gpu(2)), {{}}},
        {"a root port is no switch", host(1, bridge(2, gpu(3))), {{}}},
        {"two root ports join nothing", host(1, bridge(2, gpu(3)) + bridge(4, gpu(5))), {{}, {}}},
        {"functions of one card below a root port", host(1, bridge(2, gpu(3) + gpu(4))), {{}, {}}},
        {"an old bridge to a bus is no switch",
         host(1, bridge(2, bridge(3, gpu(4) + gpu(5)))),
         {{}, {}}},
        {"two ports of one switch",
         host(1, bridge(2, bridge(3, bridge(4, gpu(5)) + bridge(6, gpu(7))))),
         {{0}, {0}}},
        {"a switch with one port in use, two functions there",
         host(1, bridge(2, bridge(3, bridge(4, gpu(5) + gpu(6))))),
         {{0}, {0}}},
        {"switches below a switch",
         host(1, bridge(2, bridge(3, bridge(4, bridge(5, bridge(6, gpu(7)) + bridge(8, gpu(9)))) +
                                         bridge(10, bridge(11, bridge(12, gpu(13))))))),
         {{0, 1}, {0, 1}, {0, 2}}},
        {"a device beside a lower switch",
         host(1, bridge(2, bridge(3, bridge(4, gpu(5)) + bridge(6, bridge(7, bridge(8, gpu(9))))))),
         {{0}, {0, 1}}},
        {"switches of two host bridges",
         host(1, bridge(2, bridge(3, bridge(4, gpu(5)) + bridge(6, gpu(7))))) +
             host(11, bridge(12, bridge(13, bridge(14, gpu(15)) + bridge(16, gpu(17))))),
         {{0}, {0}, {1}, {1}}},
        {"a switch whose root port is hidden",
         host(1, bridge(2, bridge(3, gpu(4)) + bridge(5, gpu(6)))),
         {{0}, {0}}},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const NodeShape shape = shape_of(machine_xml(row.tree));
        std::vector<Numbers> found;
        for (const Device& device : shape.devices) found.push_back(device.switches);
        CHECK(found == row.switches);
    }
}

TEST_CASE("discover: links are the bandwidths between GPUs, the lower of both directions", "[os]") {
    struct Row {
        const char* why;
        std::string matrices;
        std::vector<DeviceLink> links;
    };
    // Of three objects; kind 10 is "users tell bandwidths", 6 "users tell latencies".
    const auto matrix = [](unsigned kind, const char* name, const char* objects,
                           const std::string& values) {
        return fmt::format(R"(<distances2hetero nbobjs="3" kind="{}" name="{}"><indexes )"
                           R"(length="{}">{}</indexes><u64values length="{}">{}</u64values>)"
                           R"(</distances2hetero>)",
                           kind + 16, name, std::string(objects).size(), objects, values.size(),
                           values);
    };
    const auto link = [](std::uint32_t a, std::uint32_t b, std::uint32_t strength) {
        return DeviceLink{DeviceId(a), DeviceId(b), strength};
    };
    const char* osdevs = "OSDev:202 OSDev:203 PCIDev:104 ";
    const Row rows[] = {
        {"no matrix", "", {}},
        {"both directions alike, no link is 0",
         matrix(10, "NVLinkBandwidth", osdevs, "9 5 0 5 9 7 0 7 9 "),
         {link(0, 1, 5), link(1, 2, 7)}},
        {"the lower direction, and none where one leads nowhere",
         matrix(10, "XGMIBandwidth", osdevs, "0 5 3 8 0 6 0 4 0 "),
         {link(0, 1, 5), link(1, 2, 4)}},
        {"a name of the user's own",
         matrix(10, "Measured", osdevs, "0 1 2 1 0 3 2 3 0 "),
         {link(0, 1, 1), link(0, 2, 2), link(1, 2, 3)}},
        {"the matrix that tells most of a pair",
         matrix(10, "NVLinkBandwidth", osdevs, "0 5 0 5 0 7 0 7 0 ") +
             matrix(10, "Measured", osdevs, "0 6 0 6 0 1 0 1 0 "),
         {link(0, 1, 6), link(1, 2, 7)}},
        {"latencies are no links", matrix(6, "XGMIHops", osdevs, "0 1 2 1 0 3 2 3 0 "), {}},
        {"more than a strength can tell",
         matrix(10, "NVLinkBandwidth", osdevs, "0 99999999999 0 99999999999 0 0 0 0 0 "),
         {link(0, 1, 4294967295)}},
        {"one GPU under two names, and a core",
         matrix(10, "Measured", "OSDev:202 PCIDev:102 Core:10 ", "0 1 2 1 0 3 2 3 0 "),
         {}},
    };
    const std::string gpus = host(1, bridge(20, gpu(2)) + bridge(21, gpu(3)) + bridge(22, gpu(4)));
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(shape_of(machine_xml(gpus, row.matrices)).links == row.links);
    }
}

TEST_CASE("discover: kinds of cores are ranked, faster ones higher", "[os]") {
    struct Row {
        const char* why;
        const char* kinds;
        Numbers expected;
    };
    const Row rows[] = {
        {"nothing told", "", {0, 0}},
        {"one kind", R"(<cpukind cpuset="0x3" forced_efficiency="5"/>)", {0, 0}},
        {"the first is faster",
         R"(<cpukind cpuset="0x1" forced_efficiency="9"/>)"
         R"(<cpukind cpuset="0x2" forced_efficiency="4"/>)",
         {1, 0}},
        {"two kinds, and nobody knows which is faster",
         R"(<cpukind cpuset="0x1"><info name="CoreType" value="Left"/></cpukind>)"
         R"(<cpukind cpuset="0x2"><info name="CoreType" value="Right"/></cpukind>)",
         {0, 0}},
        {"a core of no kind", R"(<cpukind cpuset="0x2" forced_efficiency="4"/>)", {0, 0}},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Numbers found;
        for (const Core& core : shape_of(machine_xml("", row.kinds)).hardware.cores) {
            found.push_back(core.kind);
        }
        CHECK(found == row.expected);
    }
}

TEST_CASE("discover: 34 NUMA nodes, 33 of them without cores: those with memory are domains",
          "[os]") {
    std::string numas;
    for (unsigned i = 1; i < 34; ++i) {
        const bool is_used = i % 8 == 1;  // one of eight has memory, as of GPUs that can be cut
        const std::string sets = fmt::format(
            R"(cpuset="0x0" complete_cpuset="0x0" nodeset="{0}" complete_nodeset="{0}")",
            fmt::format("0x{:x},0x{:x}", i < 32 ? 0 : 1u << i % 32, i < 32 ? 1u << i : 0));
        numas += fmt::format(R"(<object type="Group" {0} gp_index="3{1:02}" kind="1001" )"
                             R"(subkind="0"><object type="NUMANode" os_index="{1}" {0} )"
                             R"(gp_index="4{1:02}" subtype="GPUMemory" local_memory="{2}"/>)"
                             R"(</object>)",
                             sets, i, is_used ? 8192 : 0);
    }
    const NodeShape shape = shape_of(machine_xml(numas));
    REQUIRE(shape.memory.size() == 6);  // in hwloc's order: first what lies below groups
    CHECK(shape.memory[0] ==
          MemoryDomain{OsIndex(1), MemoryDomain::Kind::device, Bytes(8192), CoreSet()});
    CHECK(shape.memory[4] ==
          MemoryDomain{OsIndex(33), MemoryDomain::Kind::device, Bytes(8192), CoreSet()});
    CHECK(shape.memory[5] ==
          MemoryDomain{OsIndex(0), MemoryDomain::Kind::dram, Bytes(4096), CoreSet::range({0, 2})});
}

TEST_CASE("discover: memory without cores is a GPU's on POWER alone", "[os]") {
    const auto v100 = [](unsigned bus) {
        const std::string text = gpu(bus);
        const std::string memory = R"(<info name="CUDAGlobalMemorySize" value="16515072"/>)";
        const std::string end = R"(osdev_type="5"/>)";
        return std::string(text).replace(text.find(end), end.size(),
                                         R"(osdev_type="5">)" + memory + "</object>");
    };
    const auto numa = [](unsigned number, std::uint64_t bytes) {
        return fmt::format(
            R"(<object type="Group" cpuset="0x0" complete_cpuset="0x0" nodeset="0x{0:x}" )"
            R"(complete_nodeset="0x{0:x}" gp_index="3{1:02}" kind="1001" subkind="0">)"
            R"(<object type="NUMANode" os_index="{1}" cpuset="0x0" complete_cpuset="0x0" )"
            R"(nodeset="0x{0:x}" complete_nodeset="0x{0:x}" gp_index="4{1:02}" )"
            R"(local_memory="{2}"/></object>)",
            1u << number, number, bytes);
    };
    constexpr std::uint64_t its = 16'911'433'728;
    struct Row {
        const char* why;
        const char* architecture;
        std::string below;
        std::ptrdiff_t device_domains;
    };
    const Row rows[] = {
        {"POWER9, a node for its GPU", "ppc64le", numa(1, its) + v100(1), 1},
        {"POWER9, one for each of two", "ppc64le", numa(1, its) + numa(2, its) + v100(1) + v100(2),
         2},
        {"a CXL card of that size", "x86_64", numa(1, its) + v100(1), 0},
        {"also on ARM", "aarch64", numa(1, its) + v100(1), 0},
        {"POWER9, fewer nodes than GPUs", "ppc64le", numa(1, its) + v100(1) + v100(2), 0},
        {"POWER9, more nodes than GPUs", "ppc64le", numa(1, its) + numa(2, its) + v100(1), 0},
        {"POWER9, another size", "ppc64le", numa(1, its / 2) + v100(1), 0},
        {"POWER9 without GPUs", "ppc64le", numa(1, its), 0},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        std::string xml = machine_xml(row.below);
        const std::string machine = R"(gp_index="1">)";
        xml.insert(xml.find(machine) + machine.size(),
                   fmt::format(R"(<info name="Architecture" value="{}"/>)", row.architecture));
        const NodeShape shape = shape_of(xml);
        CHECK(
            std::count_if(shape.memory.begin(), shape.memory.end(), [](const MemoryDomain& domain) {
                return domain.kind == MemoryDomain::Kind::device;
            }) == row.device_domains);
    }
}

namespace {

/// A PCI function of AMD or ATI, with interfaces below it.
std::string amd_function(unsigned bus, const char* type, const std::string& below) {
    return fmt::format(R"(<object type="PCIDev" gp_index="1{0:02}" pci_busid="0000:{0:02x}:00.0" )"
                       R"(pci_type="{1} 00" pci_link_speed="0.0">{2}</object>)",
                       bus, type, below);
}
std::string rsmi(int number, const char* uuid, const char* model = "Instinct MI300A") {
    return fmt::format(R"(<object type="OSDev" gp_index="3{0:02}" name="rsmi{0}" subtype="RSMI" )"
                       R"(osdev_type="5"><info name="GPUModel" value="{2}"/>)"
                       R"(<info name="AMDUUID" value="{1}"/></object>)",
                       number, uuid, model);
}
constexpr const char* mi300a = "1200 [1002:74a0] [1002:74a0]";

/// `type uuid` of each GPU.
std::vector<std::string> gpus_in(const std::string& xml) {
    std::vector<std::string> gpus;
    const NodeShape shape = shape_of(xml);
    for (const Device& device : shape.devices) {
        if (device.name == "gpu") gpus.push_back(fmt::format("{} {}", device.type, device.uuid));
    }
    return gpus;
}

}  // namespace

TEST_CASE("discover: each compute partition of an AMD GPU is a device", "[os]") {
    struct Row {
        const char* why;
        std::string tree;
        std::vector<std::string> gpus;
    };
    const Row rows[] = {
        {"SPX: one", amd_function(2, mi300a, rsmi(0, "4a7c")), {"mi300a GPU-4a7c"}},
        {"a prefix that is there",
         amd_function(2, mi300a, rsmi(0, "GPU-4a7c")),
         {"mi300a GPU-4a7c"}},
        {"an UUID of zeros", amd_function(2, mi300a, rsmi(0, "0000000000000000")), {"mi300a "}},
        {"TPX: the UUID of all is none of each",
         amd_function(2, mi300a, rsmi(0, "11") + rsmi(1, "11", "") + rsmi(2, "11", "")),
         {"mi300a ", "mi300a ", "mi300a "}},
        {"UUIDs of their own",
         amd_function(2, mi300a, rsmi(0, "11") + rsmi(1, "12", "")),
         {"mi300a GPU-11", "mi300a GPU-12"}},
        {"two GPUs",
         amd_function(2, mi300a, rsmi(0, "11") + rsmi(1, "12")) +
             amd_function(3, mi300a, rsmi(2, "13")),
         {"mi300a GPU-11", "mi300a GPU-12", "mi300a GPU-13"}},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(gpus_in(machine_xml(row.tree)) == row.gpus);
    }
}

TEST_CASE("discover: display adapters that are no accelerators", "[os]") {
    struct Row {
        const char* why;
        const char* type;
        std::size_t gpus;
    };
    const Row rows[] = {
        {"ES1000 of a management controller", "0300 [1002:515e] [1028:020b]", 0},
        {"another ES1000", "0300 [1002:5969] [1028:020b]", 0},
        {"Rage XL", "0300 [1002:4752] [1028:00d1]", 0},
        {"Ryzen: Cezanne", "0300 [1002:1638] [1043:8809]", 0},
        {"Ryzen: Raphael", "0300 [1002:164e] [1043:8877]", 0},
        {"Ryzen: Granite Ridge", "0300 [1002:13c0] [1043:8877]", 0},
        {"Ryzen: Picasso", "0380 [1002:15d8] [17aa:5124]", 0},
        {"Radeon RX 6800", "0300 [1002:73bf] [1002:0e3a]", 1},
        {"Radeon VII", "0300 [1002:66af] [1002:081e]", 1},
        {"Instinct MI210", "0380 [1002:740f] [1002:0c34]", 1},
        {"Matrox G200", "0300 [102b:0534] [1028:0000]", 0},
        {"ASPEED", "0300 [1a03:2000] [1a03:2000]", 0},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(gpus_in(machine_xml(amd_function(2, row.type, ""))).size() == row.gpus);
    }
    const std::string api = rsmi(0, "11", "AMD Radeon Graphics");
    CHECK(gpus_in(machine_xml(amd_function(2, "0300 [1002:164e] [1043:8877]", api))).empty());
}

TEST_CASE("discover: XML of hwloc 3 is refused with the flags that write the older one", "[os]") {
    const TemporaryFile file("<topology version=\"3.0\"></topology>");
    const auto node = os::discover({.xml_file = file.path(), .fs_root = {}});
    REQUIRE_FALSE(node.ok());
    CHECK(node.status().ToString().find("--export-xml-flags v2") != std::string::npos);
}

}  // namespace trestle
