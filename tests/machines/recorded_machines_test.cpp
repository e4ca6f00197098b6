// SPDX-License-Identifier: Apache-2.0
// Every recorded machine below data_dir()/hwloc is read, is consistent and has what it is known
// for.
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "machines/recordings.hpp"
#include "machines/unpacked.hpp"
#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/os/discover.hpp"

namespace trestle {
namespace {

namespace fs = std::filesystem;

std::uint32_t count_of(const NodeShape& shape, std::string_view name) {
    return static_cast<std::uint32_t>(
        std::count_if(shape.devices.begin(), shape.devices.end(),
                      [&](const Device& device) { return device.name == name; }));
}

std::vector<std::uint32_t> domain_numbers(const NodeShape& shape) {
    std::vector<std::uint32_t> numbers;
    for (const MemoryDomain& domain : shape.memory) numbers.push_back(domain.os_index.value());
    return numbers;
}

struct Expected {
    const char* why;
    std::string name;
    Architecture architecture;
    std::uint32_t cores;
    std::int64_t cpus;
    std::size_t domains;
    std::uint32_t gpus;
    std::uint32_t nics;
};

constexpr auto x86 = Architecture::x86;
constexpr auto power = Architecture::power;

const std::vector<Expected> machines{
    {"disallowed cores and NUMA nodes", "xml__16amd64-8n2c-cpusets", x86, 10, 10, 5, 0, 0},
    {"18 VIC functions, VFs have no driver", "xml__16intel64-manyVFs", x86, 16, 16, 2, 0, 6},
    {"all I/O; no GPU is a console", "xml__32em64t-2n8c2t-pci-wholeio", x86, 16, 32, 2, 4, 3},
    {"DRAM and MCDRAM per cluster", "xml__64intel64-fakeKNL-SNC4-hybrid", x86, 16, 64, 8, 0, 0},
    {"groups without packages", "xml__8intel64-4n2t-memattrs", x86, 8, 8, 4, 0, 0},
    {"a recording without memory", "xml__fakecpukinds", x86, 2, 4, 0, 0, 0},
    {"GPUs behind switches", "xml__nvidiaDGX2.v2", x86, 4, 4, 2, 16, 0},
    {"several interfaces per GPU", "xml__power8gpudistances", power, 8, 16, 2, 4, 0},
    {"cpusets of cgroup v1", "16amd64-8n2c-cpusets", x86, 10, 10, 4, 0, 0},
    {"P and E cores", "20em64t-hybrid-1p6c2t+2ca4co1t", x86, 14, 20, 1, 0, 0},
    {"cpusets of cgroup v2", "32amd64-4s2n4c-cgroup2", x86, 6, 6, 6, 0, 0},
    {"NICs without locality", "40intel64-2g2n4c+pcilocality", x86, 40, 40, 4, 0, 5},
    {"firmware that contradicts itself", "40intel64-4n10c+pci-conflicts", x86, 40, 40, 4, 0, 0},
    {"sparse numbers", "48amd64-4pa2n6c-sparse", x86, 48, 48, 8, 0, 0},
    {"cores unlike each other", "fakeheterocpunuma", x86, 12, 24, 4, 0, 0},
    {"DRAM, HBM and NVM", "fakeheteromemtiers", x86, 6, 6, 7, 0, 0},
    {"NVM beside DRAM", "fakememinitiators-1np2c+1npp+gi", x86, 8, 8, 6, 0, 0},
    {"NICs with locality", "fakepcilocalities", x86, 40, 40, 4, 0, 5},
    {"interleaved domains", "memorysidecaches", x86, 40, 80, 4, 0, 0},
    {"Arm, two clusters", "nvidia-dgx-gb10", Architecture::arm, 20, 20, 1, 0, 0},
    {"GPUs that only the driver names", "nvidiagpunumanodes", power, 8, 32, 2, 6, 0},
    {"offline CPU 0 and node 0", "offline-cpu0-node0", x86, 17, 17, 1, 0, 0},
};

}  // namespace

TEST_CASE("Recorded machines: each has the cores, memory and devices it is known for",
          "[machines]") {
    for (const Expected& expected : machines) {
        INFO(expected.name << ": " << expected.why);
        const Node& node = read_machine(expected.name);
        const NodeShape& shape = *node.shape;
        CHECK(check(shape) == Status());
        CHECK(shape.architecture == expected.architecture);
        CHECK(shape.hardware.core_count() == expected.cores);
        CHECK(shape.cpu_count() == Count(expected.cpus));
        CHECK(shape.memory.size() == expected.domains);
        CHECK(count_of(shape, "gpu") == expected.gpus);
        CHECK(count_of(shape, "nic") == expected.nics);
        CHECK_FALSE(node.name.empty());
    }
}

TEST_CASE("Recorded machines: none is forgotten by the table", "[machines]") {
    std::set<std::string> known;
    for (const Expected& expected : machines) known.insert(expected.name);
    CHECK(recorded_names() == known);
}

TEST_CASE(
    "Recorded machines: groups and domains lie inside the machine, distances are local on "
    "the diagonal",
    "[machines][law]") {
    for (const Expected& expected : machines) {
        INFO(expected.name);
        const Node& node = read_machine(expected.name);
        const NodeShape& shape = *node.shape;
        CoreSet packages;
        for (const CoreGroup& group : shape.hardware.groups) {
            CHECK_FALSE(group.cores.is_empty());
            if (group.level != HardwareLevel::package) continue;
            CHECK_FALSE(packages.intersects(group.cores));
            packages |= group.cores;
        }
        CHECK(std::is_sorted(shape.hardware.groups.begin(), shape.hardware.groups.end(),
                             [](const CoreGroup& a, const CoreGroup& b) {
                                 return a.level < b.level && a.level != HardwareLevel::l3;
                             }));
        if (shape.distances.empty()) continue;
        for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
            CHECK(shape.distance(DomainId(i), DomainId(i)) == 10);
        }
    }
}

TEST_CASE("POWER8: two pairs of GPUs, each pair linked and near its own package", "[machines]") {
    const Node& node = read_machine("xml__power8gpudistances");
    const NodeShape& shape = *node.shape;
    const auto id = [](std::uint32_t i) { return DeviceId(i); };
    CHECK(shape.links == std::vector<DeviceLink>{{id(0), id(1), 40000}, {id(2), id(3), 40000}});
    CHECK(to_text(shape.devices[0].cores) == "0-3");
    CHECK(to_text(shape.devices[3].cores) == "4-7");
    const Device& gpu = shape.devices[1];
    CHECK(gpu.index == 1);
    CHECK(gpu.type == "p100");
    CHECK(gpu.vendor == "nvidia");
    CHECK(gpu.model == "Tesla P100-SXM2-16GB");
    CHECK(gpu.uuid == "GPU-00fc8f7f-8206-b5f8-1d34-e600a300e314");
    CHECK(gpu.memory == kib(16671616));
    CHECK(gpu.files.empty());
    CHECK(shape.hardware.cores[1].threads.front() == OsIndex(8));
    CHECK(shape.distances == std::vector<std::uint32_t>{10, 40, 40, 10});
    CHECK(node.name == "drac-12.grenoble.grid5000.fr");
}

TEST_CASE("DGX-2: sixteen GPUs, each linked to every other through the switches", "[machines]") {
    const Node& node = read_machine("xml__nvidiaDGX2.v2");
    const NodeShape& shape = *node.shape;
    CHECK(shape.links.size() == 16 * 15 / 2);
    CHECK(std::all_of(shape.links.begin(), shape.links.end(),
                      [](const DeviceLink& link) { return link.strength == 150000; }));
    CHECK(to_text(shape.devices[7].cores) == "0-1");
    CHECK(to_text(shape.devices[8].cores) == "2-3");
    CHECK(to_text(shape.hardware.all_threads()) == "0-1,24-25");
}

TEST_CASE("cgroup2 machine: only the threads and memory of the cpuset are there", "[machines]") {
    const Node& node = read_machine("32amd64-4s2n4c-cgroup2");
    CHECK(to_text(node.shape->hardware.all_threads()) == "0-5");
    CHECK(domain_numbers(*node.shape) == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5});
    CHECK(to_text(node.shape->memory[1].cores) == "4-5");
    CHECK(node.shape->memory[2].cores.is_empty());
    CHECK(node.shape->distances.size() == 36);
}

TEST_CASE("offline-cpu0: the first thread is 4, the only memory is node 1", "[machines]") {
    const Node& node = read_machine("offline-cpu0-node0");
    CHECK(to_text(node.shape->hardware.all_threads()) == "4-20");
    CHECK(domain_numbers(*node.shape) == std::vector<std::uint32_t>{1});
    CHECK(to_text(node.shape->memory[0].cores) == "9-16");
    CHECK(to_text(node.shape->hardware.threads_of(node.shape->memory[0].cores)) ==
          "5,7,9,11,13,15,17,19");
}

TEST_CASE("sparse machine: NUMA numbers are the kernel's, not positions", "[machines]") {
    const Node& node = read_machine("48amd64-4pa2n6c-sparse");
    CHECK(domain_numbers(*node.shape) == std::vector<std::uint32_t>{0, 1, 2, 33, 34, 45, 72, 73});
    CHECK(node.shape->distance(DomainId(0), DomainId(3)) == 22);
}

TEST_CASE("KNL: every cluster has a DRAM and a high-bandwidth domain", "[machines]") {
    const Node& node = read_machine("xml__64intel64-fakeKNL-SNC4-hybrid");
    const auto& memory = node.shape->memory;
    for (std::size_t i = 0; i < memory.size(); i += 2) {
        CHECK(memory[i].kind == MemoryDomain::Kind::dram);
        CHECK(memory[i].capacity == gib(1));
        CHECK(memory[i + 1].kind == MemoryDomain::Kind::high_bandwidth);
        CHECK(memory[i + 1].capacity == gib(2));
        CHECK(memory[i].cores == memory[i + 1].cores);
        CHECK(memory[i].cores.count() == 4);
    }
}

TEST_CASE("memory tiers: DRAM, high-bandwidth and persistent domains are distinguished",
          "[machines]") {
    const Node& node = read_machine("fakeheteromemtiers");
    std::string kinds;
    for (const MemoryDomain& domain : node.shape->memory) kinds += to_text(domain.kind)[0];
    CHECK(kinds == "dpdhphp");
}

TEST_CASE("whole-io: GPUs of every interface, NICs with their names, no console, no disk size",
          "[machines]") {
    const Node& node = read_machine("xml__32em64t-2n8c2t-pci-wholeio");
    const NodeShape& shape = *node.shape;
    const auto gpu = [&](std::uint32_t i) {
        return shape.devices[shape.find_device("gpu", i)->value()];
    };
    CHECK(gpu(0).type == "m2075");
    CHECK(gpu(2).model == "Tesla K40m");
    CHECK(gpu(2).memory == kib(11796032));
    CHECK(gpu(3).vendor == "amd");
    const Device& nic = shape.devices[shape.find_device("nic", 0)->value()];
    CHECK(nic.vendor == "mellanox");
    CHECK(nic.pci_bus_id == "0000:04:00.0");
    CHECK(nic.attributes ==
          std::vector<Device::Attribute>{{"interface", "ib0"}, {"rdma", "mlx5_0"}});
    CHECK(to_text(nic.cores) == "8-15");
}

TEST_CASE("AC922: memory of GPUs is hidden unless hwloc is configured, then of kind device",
          "[machines]") {
    ::setenv("HWLOC_KEEP_NVIDIA_GPU_NUMA_NODES", "1", 1);
    const Node node = read_anew("nvidiagpunumanodes");
    ::unsetenv("HWLOC_KEEP_NVIDIA_GPU_NUMA_NODES");
    const auto& memory = node.shape->memory;
    CHECK(domain_numbers(*node.shape) ==
          std::vector<std::uint32_t>{0, 253, 254, 255, 8, 250, 251, 252});
    CHECK(std::count_if(memory.begin(), memory.end(), [](const MemoryDomain& domain) {
              return domain.kind == MemoryDomain::Kind::device;
          }) == 6);
    CHECK(node.shape->devices[0].vendor == "nvidia");
}

TEST_CASE("AC922: the files of the machine complete what hwloc tells", "[machines]") {
    const TemporaryFolder target;
    const fs::path tree = unpacked("nvidiagpunumanodes", target);
    std::ofstream(tree / "proc/driver/nvidia/gpus/0004:06:00.0/information")
        << "Model: \t\t NVIDIA H200\nGPU UUID: \t GPU-4711\nDevice Minor: \t 3\n";
    fs::create_directories(tree / "sys/bus/pci/devices/0006:00:00.0");
    fs::create_symlink("../0004:05:00.0", tree / "sys/bus/pci/devices/0006:00:00.0/physfn");
    fs::create_directories(tree / "dev");
    std::ofstream(tree / "dev/nvidia3") << "no device";
    const auto read = [&] {
        const auto node = os::discover({.xml_file = {}, .fs_root = tree.string()});
        REQUIRE(node.ok());
        return *node->shape;
    };

    const NodeShape shape = read();
    CHECK(count_of(shape, "gpu") == 5);  // a virtual function is a part of its physical one
    const Device& gpu = shape.devices[1];
    CHECK(gpu.model == "NVIDIA H200");
    CHECK(gpu.type == "h200");
    CHECK(gpu.uuid == "GPU-4711");
    CHECK(gpu.files.empty());  // /dev/nvidia3 is no device
    CHECK(shape.devices[0].model.empty());

    fs::remove(tree / "dev/nvidia3");
    if (::mknod((tree / "dev/nvidia3").c_str(), S_IFCHR | 0600, ::makedev(195, 3)) != 0) {
        WARN("SKIPPED: making a device node needs root");
        return;
    }
    CHECK(read().devices[1].files ==
          std::vector<Device::File>{{"/dev/nvidia3", Device::File::Kind::character, 195, 3}});
}

TEST_CASE("Recorded machines: reading a tree leaves the environment as it was", "[machines]") {
    ::setenv("HWLOC_FSROOT", "/somewhere", 1);
    (void)read_anew("offline-cpu0-node0");
    const char* after = std::getenv("HWLOC_FSROOT");
    CHECK(std::string(after == nullptr ? "" : after) == "/somewhere");
    ::unsetenv("HWLOC_FSROOT");
    CHECK(std::getenv("HWLOC_HIDE_ERRORS") == nullptr);
}

}  // namespace trestle
