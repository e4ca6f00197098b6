// SPDX-License-Identifier: Apache-2.0
#include "trestle/os/discover.hpp"

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "os/temporary_file.hpp"
#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {
namespace {

constexpr const char* one_core_xml = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x1" complete_cpuset="0x1" allowed_cpuset="0x1"
   nodeset="0x1" complete_nodeset="0x1" allowed_nodeset="0x1" gp_index="1">
    <info name="Architecture" value="MACHINE"/>
    <object type="NUMANode" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1"
     complete_nodeset="0x1" gp_index="2" local_memory="4096"/>
    <object type="Core" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1"
     complete_nodeset="0x1" gp_index="3">
      <object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1"
       complete_nodeset="0x1" gp_index="4"/>
    </object>
  </object>
</topology>
)";

std::string one_core(const std::string& machine) {
    std::string xml = one_core_xml;
    return xml.replace(xml.find("MACHINE"), 7, machine);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
    }
    return text;
}

/// The machine's one thread has this number, a multiple of 32, in place of 0.
std::string with_thread(const std::string& xml, std::uint32_t number) {
    std::string set = "\"0x1";  // words of 32 bits, highest first
    for (std::uint32_t word = 0; word < number / 32; ++word) set += ",0x0";
    const std::string moved = replaced(xml, "\"PU\" os_index=\"0\"",
                                       "\"PU\" os_index=\"" + std::to_string(number) + "\"");
    return replaced(moved, "cpuset=\"0x1", "cpuset=" + set);
}

}  // namespace

TEST_CASE("discover: this machine has cores, memory and a name", "[os]") {
    const auto node = os::discover();
    REQUIRE(node.ok());
    CHECK(check(*node->shape) == Status());
    CHECK(node->shape->hardware.core_count() >= 1);
    CHECK(node->shape->total_memory() > mib(16));
    CHECK_FALSE(node->name.empty());
    CHECK(os::discover().value() == *node);
}

TEST_CASE("discover: files of devices exist on this machine", "[os]") {
    const auto node = os::discover();
    REQUIRE(node.ok());
    for (const Device& device : node->shape->devices) {
        for (const Device::File& file : device.files) {
            INFO(file.path);
            CHECK(std::filesystem::is_character_file(file.path));
            CHECK(file.major);
            CHECK(file.minor);
        }
    }
}

TEST_CASE("discover: calls may run in parallel", "[os][threads]") {
    const TemporaryFile file(one_core("x86_64"));
    std::vector<std::thread> threads;
    std::vector<Node> nodes(4);
    for (Node& node : nodes) {
        threads.emplace_back([&] {
            const auto read = os::discover({.xml_file = file.path(), .fs_root = {}});
            if (read.ok()) node = *read;
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Node& node : nodes) CHECK(node.shape->hardware.core_count() == 1);
}

TEST_CASE("discover: the architecture comes from the recording", "[os]") {
    struct Row {
        const char* why;
        const char* machine;
        Architecture architecture;
    };
    const Row rows[] = {
        {"the usual name", "x86_64", Architecture::x86},
        {"32 bits", "i686", Architecture::x86},
        {"64-bit Arm", "aarch64", Architecture::arm},
        {"32-bit Arm", "armv7l", Architecture::arm},
        {"little-endian POWER", "ppc64le", Architecture::power},
        {"RISC-V", "riscv64", Architecture::riscv},
        {"not told: the most common one", "", Architecture::x86},
    };
    for (const Row& row : rows) {
        INFO(row.why << ": " << row.machine);
        const TemporaryFile file(one_core(row.machine));
        const auto node = os::discover({.xml_file = file.path(), .fs_root = {}});
        REQUIRE(node.ok());
        CHECK(node->shape->architecture == row.architecture);
        CHECK(node->shape->memory.at(0).capacity == Bytes(4096));
    }
}

TEST_CASE("discover: sets without end mean the threads that there are", "[os]") {
    const TemporaryFile file(replaced(one_core("x86_64"), "\"0x1\"", "\"0xf...f\""));
    const auto node = os::discover({.xml_file = file.path(), .fs_root = {}});
    REQUIRE(node.ok());
    CHECK(node->shape->memory.at(0).cores == CoreSet::range({0, 1}));
}

TEST_CASE("discover: bad input gives one line with the path and what was expected", "[os]") {
    std::string version3 = one_core("x86_64");
    version3.replace(version3.find("<topology version=\"2.0\""), 23, "<topology version=\"3.0\"");
    const TemporaryFile newer(version3);
    const TemporaryFile cut(one_core("x86_64").substr(0, 500));
    const TemporaryFile junk("hello\n");
    const TemporaryFile empty("");
    const TemporaryFile foreign(one_core("s390x"));
    const TemporaryFile far(with_thread(one_core("x86_64"), 1U << 20));
    struct Row {
        const char* why;
        os::DiscoverOptions options;
        StatusCode code;
        std::string says;
    };
    const Row rows[] = {
        {"no such file", {"/nonexistent.xml", ""}, StatusCode::kNotFound, "cannot read /nonex"},
        {"a folder", {"/tmp", ""}, StatusCode::kFailedPrecondition, "cannot read /tmp: Is a dir"},
        {"format 3",
         {newer.path(), ""},
         StatusCode::kInvalidArgument,
         "hwloc XML of version 3.0, expected 1.x or 2.x"},
        {"cut off", {cut.path(), ""}, StatusCode::kInvalidArgument, "not an hwloc topology"},
        {"no XML", {junk.path(), ""}, StatusCode::kInvalidArgument, "not an hwloc topology"},
        {"empty", {empty.path(), ""}, StatusCode::kInvalidArgument, "not an hwloc topology"},
        {"unknown architecture",
         {foreign.path(), ""},
         StatusCode::kInvalidArgument,
         foreign.path() + ": architecture s390x: expected x86_64"},
        {"a thread with too high a number",
         {far.path(), ""},
         StatusCode::kInvalidArgument,
         far.path() + ": core 0: hardware thread 1048576, expected below 1048576"},
        {"no such folder", {"", "/nonexistent"}, StatusCode::kNotFound, "cannot read /nonexist"},
        {"a folder without a machine",
         {"", "/tmp"},
         StatusCode::kInvalidArgument,
         "/tmp: expected the /sys and /proc of a machine"},
        {"two machines", {"/a.xml", "/b"}, StatusCode::kInvalidArgument, "expected one machine"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto node = os::discover(row.options);
        REQUIRE_FALSE(node.ok());
        const std::string text(message(node.status()));
        CHECK(node.status().code() == row.code);
        CHECK_THAT(text, Catch::Matchers::ContainsSubstring(row.says));
        CHECK(text.find('\n') == std::string::npos);
    }
}

TEST_CASE("device_type: the GRES type of models as vendors write them", "[os]") {
    struct Row {
        const char* why;
        const char* model;
        const char* type;
    };
    const Row rows[] = {
        {"NVML", "NVIDIA A100-SXM4-80GB", "a100"},
        {"before the prefix", "Tesla P100-SXM2-16GB", "p100"},
        {"short", "Tesla T4", "t4"},
        {"letter at the end", "NVIDIA L40S", "l40s"},
        {"superchip", "NVIDIA GH200 480GB", "gh200"},
        {"a number alone takes the word before", "NVIDIA GeForce RTX 4090", "rtx4090"},
        {"with letter it does not", "NVIDIA RTX A6000", "a6000"},
        {"PCI ids: the name in brackets", "GH100 [H100 SXM5 80GB]", "h100"},
        {"PCI ids of AMD", "Aldebaran/MI200 [Instinct MI250X/MI250]", "mi250x"},
        {"AMD", "AMD Instinct MI300X", "mi300x"},
        {"Intel", "Intel(R) Data Center GPU Max 1550", "max1550"},
        {"no digit", "Quadro", ""},
        {"another chip", "NVIDIA GeForce RTX 3080 Ti", "rtx3080ti"},
        {"two words more", "NVIDIA GeForce RTX 4070 Ti SUPER", "rtx4070tisuper"},
        {"in brackets", "AD104 [GeForce RTX 4070 SUPER]", "rtx4070super"},
        {"Ada", "NVIDIA RTX 6000 Ada Generation", "rtx6000ada"},
        {"small", "NVIDIA RTX 4000 SFF Ada Generation", "rtx4000sffada"},
        {"Turing", "Quadro RTX 6000", "rtx6000"},
        {"Blackwell", "NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtxpro6000"},
        {"other memory", "NVIDIA H100 NVL", "h100nvl"},
        {"the form is no other card", "NVIDIA H100 PCIe", "h100"},
        {"for a laptop", "NVIDIA GeForce RTX 3070 Laptop GPU", "rtx3070laptop"},
        {"a sign between", "NVIDIA GeForce RTX 2080 with Max-Q Design", "rtx2080maxq"},
        {"words between", "NVIDIA RTX 4000 Ada Generation Laptop GPU", "rtx4000adalaptop"},
        {"a chip between", "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition",
         "rtxpro6000maxq"},
        {"a size between", "NVIDIA GeForce RTX 3050 6GB Laptop GPU", "rtx30506gblaptop"},
        {"another card behind", "Navi 22 [Radeon RX 6700/6750 XT]", "rx6700"},
        {"a letter that is no part of the name", "NVIDIA A100 PCIe D", "a100"},
        {"a letter alone", "NVIDIA GeForce RTX 4090 D", "rtx4090d"},
        {"AMD's", "Navi 31 [Radeon RX 7900 XT/7900 XTX]", "rx7900xt"},
        {"no digit, but a name", "Radeon Pro VII", "radeonprovii"},
        {"longer", "Radeon Vega Frontier Edition", "radeonvegafrontier"},
        {"NVIDIA's", "NVIDIA TITAN V", "titanv"},
        {"nothing", "", ""},
        {"only a number", "4090", "4090"},
        {"unclosed bracket", "GPU [T4", "t4"},
    };
    for (const Row& row : rows) {
        INFO(row.why << ": " << row.model);
        CHECK(os::device_type(row.model) == row.type);
    }
}

}  // namespace trestle
