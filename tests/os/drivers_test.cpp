// SPDX-License-Identifier: Apache-2.0
// What discover() makes of what vendors' libraries tell, which are stubs here.
#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "os/temporary_file.hpp"
#include "support/catch.hpp"
#include "support/machine_folder.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/os/discover.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;
using os::DriverSource;
using Lines = std::vector<std::string>;

constexpr const char* first_bus = "0000:34:00.0";
constexpr const char* second_bus = "0000:b4:00.0";
constexpr const char* nvidia = "0x10de";

/// One A100 at each package, joined by four links.
const std::string two_a100 =
    "nvidia bus=0000:34:00.0; name=NVIDIA A100-SXM4-40GB; uuid=GPU-1; memory_mib=40960; minor=0; "
    "version=8.0; near=f; links=0000:b4:00.0*4; mig=0\n"
    "nvidia bus=0000:B4:00.0; name=NVIDIA A100-SXM4-40GB; uuid=GPU-2; memory_mib=40960; minor=1; "
    "version=8.0; near=f0; links=0000:34:00.0*4,off*8; mig=0\n";

/// A machine of one thread without devices.
const std::string one_thread_xml =
    "<?xml version=\"1.0\"?>\n<topology version=\"2.0\">\n"
    R"(<object type="Machine" os_index="0" cpuset="0x1" complete_cpuset="0x1" )"
    R"(allowed_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" )"
    R"(allowed_nodeset="0x1" gp_index="1"><object type="NUMANode" os_index="0" )"
    R"(cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" )"
    R"(gp_index="2" local_memory="4096"/><object type="PU" os_index="0" )"
    R"(cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" )"
    R"(gp_index="3"/></object></topology>)";

void add_two_gpus(const MachineFolder& machine) {
    machine.add_gpu({first_bus, nvidia, "0x20b0", "0000000f"});
    machine.add_gpu({second_bus, nvidia, "0x20b0", "000000f0"});
}

/// All cores in one NUMA node, which says that it has `memory`.
void merge_nodes(const MachineFolder& machine, const std::string& memory) {
    const std::string nodes = "sys/devices/system/node/";
    for (const char* list : {"online", "possible", "has_memory"})
        machine.write(nodes + list, "0\n");
    machine.write(nodes + "node0/cpumap", "000000ff\n");
    machine.write(nodes + "node0/meminfo", "Node 0 MemTotal: " + memory + "\n");
    machine.write(nodes + "node0/distance", "10\n");
    std::filesystem::remove_all(std::filesystem::path(machine.path()) / nodes / "node1");
}

os::DiscoverOptions options_of(const MachineFolder& machine, const std::string& stubs = "new") {
    os::DiscoverOptions options;
    options.fs_root = machine.path();
    if (!stubs.empty()) options.library_folder = stub_folder(stubs);
    return options;
}

NodeShape shape_of(const os::DiscoverOptions& options) {
    const auto node = os::discover(options);
    INFO(node.status().ToString());
    REQUIRE(node.ok());
    CHECK(check(*node->shape) == Status());
    return *node->shape;
}

/// `gpu0 a100 GPU-1 40960MiB 0-3 /dev/nvidia0=195:0`, `-` for what is unknown.
Lines devices_of(const NodeShape& shape) {
    const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
    Lines lines;
    for (const Device& device : shape.devices) {
        std::string line = fmt::format("{}{} {} {} {}MiB {}", device.name, device.index,
                                       or_dash(device.type), or_dash(device.uuid),
                                       device.memory.value() >> 20, or_dash(to_text(device.cores)));
        for (const Device::File& file : device.files) {
            line +=
                fmt::format(" {}={}:{}", file.path, file.major ? std::to_string(*file.major) : "-",
                            file.minor ? std::to_string(*file.minor) : "-");
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

/// `0-1*4`.
Lines links_of(const NodeShape& shape) {
    Lines lines;
    for (const DeviceLink& link : shape.links) {
        lines.push_back(fmt::format("{}-{}*{}", link.a.value(), link.b.value(), link.strength));
    }
    return lines;
}

}  // namespace

TEST_CASE("drivers: two GPUs have all that NVML tells", "[os]") {
    const MachineFolder machine;
    add_two_gpus(machine);
    const StubScript script(two_a100);
    const NodeShape shape = shape_of(options_of(machine));
    REQUIRE(shape.devices.size() == 2);
    Device second;
    second.name = "gpu";
    second.type = "a100";
    second.index = 1;
    second.vendor = "nvidia";
    second.model = "NVIDIA A100-SXM4-40GB";
    second.uuid = "GPU-2";
    second.memory = gib(40);
    second.compute_capability = Version{8, 0};
    second.pci_bus_id = second_bus;
    second.files = {{"/dev/nvidia1", Device::File::Kind::character, 195, 1}};
    second.cores = CoreSet::range({4, 8});
    CHECK(shape.devices[1] == second);
    CHECK(shape.links == std::vector<DeviceLink>{{DeviceId(0), DeviceId(1), 4}});
    CHECK(shape_of(options_of(machine)) == shape);
}

TEST_CASE("drivers: the H200 of a virtual machine whose memory came later", "[os]") {
    const MachineFolder machine;
    merge_nodes(machine, "4550128 kB");
    machine.write("proc/meminfo", "MemTotal:       131981020 kB\nMemFree:        130000000 kB\n");
    machine.add_gpu({"0000:00:06.0", nvidia, "0x2335", "000000ff"});
    const StubScript answers(
        "nvidia bus=0000:00:06.0; name=NVIDIA H200; uuid=GPU-8fe4906b; memory_mib=143771; minor=0; "
        "version=9.0; near=ff; mig=0\n");
    const NodeShape shape = shape_of(options_of(machine));
    CHECK(shape.total_memory() == kib(131981020));
    REQUIRE(shape.devices.size() == 1);
    const Device& gpu = shape.devices.front();
    CHECK(gpu.type == "h200");
    CHECK(gpu.memory == mib(143771));
    CHECK(gpu.compute_capability == Version{9, 0});
    CHECK(gpu.pci_bus_id == "0000:00:06.0");
    CHECK(shape.links.empty());
}

TEST_CASE("drivers: memory of one NUMA node is that of the machine", "[os]") {
    struct Row {
        const char* why;
        const char* of_node;  ///< empty: the two nodes of 32 GiB stay
        const char* of_machine;
        Bytes total;
    };
    const Row rows[] = {
        {"no page", "4550128 kB", "", kib(4550128)},
        {"all is in the node", "4550128 kB", "MemTotal: 4550128 kB\n", kib(4550128)},
        {"some is in no node", "4550128 kB", "MemTotal: 131981020 kB\n", kib(131981020)},
        {"other lines before it", "1024 kB", "SwapTotal: 9 kB\nMemTotal:  2048 kB\n", kib(2048)},
        {"a container is shown less", "4550128 kB", "MemTotal: 1048576 kB\n", kib(4550128)},
        {"no number", "4550128 kB", "MemTotal: many kB\n", kib(4550128)},
        {"no unit", "4550128 kB", "MemTotal: 131981020\n", kib(4550128)},
        {"beyond 64 bits", "1024 kB", "MemTotal: 18446744073709551615 kB\n", kib(1024)},
        {"which node of two has it is unknown", "", "MemTotal: 131981020 kB\n", gib(64)},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const MachineFolder machine;
        if (*row.of_node != '\0') merge_nodes(machine, row.of_node);
        if (*row.of_machine != '\0') machine.write("proc/meminfo", row.of_machine);
        CHECK(shape_of(options_of(machine, "")).total_memory() == row.total);
    }
}

TEST_CASE("drivers: an old NVML without MIG and the newer calls tells as much", "[os]") {
    const MachineFolder machine;
    add_two_gpus(machine);
    const StubScript script(two_a100);
    CHECK(shape_of(options_of(machine, "old")) == shape_of(options_of(machine, "new")));
}

TEST_CASE("drivers: what one call does not tell is unknown, the rest stays", "[os]") {
    struct Row {
        const char* call;
        const char* device;  ///< the first one
        Lines links;
        const char* why;
    };
    const Row rows[] = {
        {"nothing", "gpu0 a100 GPU-1 40960MiB 0-3 /dev/nvidia0=195:0", {"0-1*4"}, "all is told"},
        {"nvmlDeviceGetName", "gpu0 - GPU-1 40960MiB 0-3 /dev/nvidia0=195:0", {"0-1*4"}, "no type"},
        {"nvmlDeviceGetUUID", "gpu0 a100 - 40960MiB 0-3 /dev/nvidia0=195:0", {"0-1*4"}, "no UUID"},
        {"nvmlDeviceGetMemoryInfo",
         "gpu0 a100 GPU-1 0MiB 0-3 /dev/nvidia0=195:0",
         {"0-1*4"},
         "no memory"},
        {"nvmlDeviceGetMinorNumber", "gpu0 a100 GPU-1 40960MiB 0-3", {"0-1*4"}, "no file"},
        {"nvmlDeviceGetCpuAffinity",
         "gpu0 a100 GPU-1 40960MiB 0-3 /dev/nvidia0=195:0",
         {"0-1*4"},
         "hwloc knows the cores"},
        {"nvmlDeviceGetNvLinkState",
         "gpu0 a100 GPU-1 40960MiB 0-3 /dev/nvidia0=195:0",
         {},
         "no links"},
        {"nvmlDeviceGetNvLinkRemotePciInfo_v2",
         "gpu0 a100 GPU-1 40960MiB 0-3 /dev/nvidia0=195:0",
         {},
         "links that lead nobody knows where"},
        {"nvmlDeviceGetNvLinkRemoteDeviceType",
         "gpu0 a100 GPU-1 40960MiB 0-3 /dev/nvidia0=195:0",
         {"0-1*4"},
         "a peer is found by its address"},
        {"nvmlDeviceGetMigMode",
         "gpu0 a100 GPU-1 40960MiB 0-3 /dev/nvidia0=195:0",
         {"0-1*4"},
         "a GPU without MIG"},
        {"nvmlDeviceGetHandleByIndex_v2", "gpu0 - - 0MiB 0-3", {}, "no GPU can be asked"},
    };
    const MachineFolder machine;
    add_two_gpus(machine);
    for (const Row& row : rows) {
        INFO(row.call << ": " << row.why);
        const StubScript script(two_a100 + "fail call=" + row.call + "; with=3\n");
        os::DiscoverOptions options = options_of(machine);
        options.drivers = DriverSource::nvml;
        const NodeShape shape = shape_of(options);
        CHECK(devices_of(shape).at(0) == row.device);
        CHECK(links_of(shape) == row.links);
    }
}

TEST_CASE("drivers: GPUs of strange answers", "[os]") {
    struct Row {
        std::string script;
        Lines devices;
        Lines links;
        const char* why;
    };
    const std::string nothing = "gpu1 - - 0MiB 4-7";
    const Row rows[] = {
        {"", {"gpu0 - - 0MiB 0-3", nothing}, {}, "a driver without GPUs"},
        {"nvidia bus=0000:34:00.0; lost=1\n",
         {"gpu0 - - 0MiB 0-3", nothing},
         {},
         "a GPU that fell off the bus"},
        {"nvidia name=A\n", {"gpu0 - - 0MiB 0-3", nothing}, {}, "a GPU without an address"},
        {"nvidia bus=0000:34:00.0; uuid=\x01\x7f\xc3\xa9GPU-1 \t; name=" + std::string(95, 'a') +
             "1\n",
         {"gpu0 " + std::string(95, 'a') + "1 GPU-1 0MiB 0-3", nothing},
         {},
         "no terminating zero, no printable text"},
        {"nvidia bus=0000:34:00.0; memory_mib=17592186044416; minor=4294967295\n",
         {"gpu0 - - 0MiB 0-3 /dev/nvidia4294967295=195:4294967295", nothing},
         {},
         "more memory than there can be"},
        {"nvidia bus=0000:34:00.0; near=0\nnvidia bus=0000:b4:00.0; near=ffffffffffffffff\n",
         {"gpu0 - - 0MiB 0-3", nothing},
         {},
         "threads that are not there"},
        {"nvidia bus=0000:34:00.0; uuid=a; links=0000:34:00.0*2\n"
         "nvidia bus=0000:34:00.0; uuid=b; links=0000:99:00.0*3\n",
         {"gpu0 - b 0MiB 0-3", nothing},
         {},
         "one GPU twice, links to itself and to what is not there"},
        {"nvidia bus=0000:34:00.0; links=switch*12\nnvidia bus=0000:b4:00.0; links=switch*10\n",
         {"gpu0 - - 0MiB 0-3", nothing},
         {"0-1*10"},
         "through switches as many as the one with fewer has"},
        {"nvidia bus=0000:34:00.0; links=0000:b4:00.0*2,switch*4\n"
         "nvidia bus=0000:b4:00.0; links=switch*4\n",
         {"gpu0 - - 0MiB 0-3", nothing},
         {"0-1*2"},
         "direct links go first; one end is enough"},
        {"nvidia bus=0000:34:00.0; links=switch*40\nnvidia bus=0000:b4:00.0; links=switch*99\n",
         {"gpu0 - - 0MiB 0-3", nothing},
         {"0-1*36"},
         "no end of links"},
        {"nvidia bus=0000:12:00.0; name=NVIDIA T4; uuid=x; near=f\n"
         "nvidia bus=0000:99:00.0; name=NVIDIA T4; uuid=y; near=ff; links=0000:b4:00.0*1\n"
         "nvidia bus=0001:00:00.0; name=NVIDIA T4; uuid=z\n",
         {"gpu0 t4 x 0MiB 0-3", "gpu1 - - 0MiB 0-3", "gpu2 t4 y 0MiB -", "gpu3 - - 0MiB 4-7",
          "gpu4 t4 z 0MiB -"},
         {"2-3*1"},
         "GPUs that only the driver knows, in the order of their bus ids"},
    };
    const MachineFolder machine;
    add_two_gpus(machine);
    for (const Row& row : rows) {
        INFO(row.why);
        const StubScript script(row.script);
        const NodeShape shape = shape_of(options_of(machine));
        CHECK(devices_of(shape) == row.devices);
        CHECK(links_of(shape) == row.links);
    }
}

TEST_CASE("drivers: a virtual function that the driver knows is no device", "[os]") {
    const MachineFolder machine;
    add_two_gpus(machine);
    machine.write("sys/bus/pci/devices/0000:12:00.0/physfn/vendor", "0x10de\n");
    const StubScript script("nvidia bus=0000:12:00.0; name=NVIDIA T4\n");
    CHECK(shape_of(options_of(machine)).devices.size() == 2);
}

TEST_CASE("drivers: the driver's word on places counts where hwloc has none", "[os]") {
    const MachineFolder machine;
    machine.add_gpu({first_bus, nvidia, "0x20b0", "000000ff"});
    const StubScript script("nvidia bus=0000:34:00.0; near=f0\n");
    CHECK(devices_of(shape_of(options_of(machine))) == Lines{"gpu0 - - 0MiB 4-7"});
}

TEST_CASE("drivers: GPUs and Neuron devices of other vendors", "[os]") {
    struct Row {
        const char* vendor;
        std::string script;
        Lines devices;
        Lines links;
        const char* why;
    };
    const std::string amd =
        "amd bus=0000:34:00.0; name=AMD Instinct MI300X; id=0x1f2e; hops=1; "
        "memory_mib=196592\n";
    const Row rows[] = {
        {"0x1002",
         amd + "amd bus=0000:b4:00.0; name=AMD Instinct MI300X; id=0xab; hops=1; memory_mib=8\n",
         {"gpu0 mi300x GPU-0000000000001f2e 196592MiB 0-3",
          "gpu1 mi300x GPU-00000000000000ab 8MiB 4-7"},
         {"0-1*1"},
         "AMD, joined by XGMI"},
        {"0x1002",
         "amd bus=0000:34:00.0; name=AMD Instinct MI300A; id=0xab; memory_mib=8\n"
         "amd bus=0000:34:00.0; name=AMD Instinct MI300A; id=0xab; memory_mib=9\n"
         "amd bus=0000:b4:00.0; name=AMD Instinct MI300A; id=0xcd; memory_mib=7\n",
         {"gpu0 mi300a - 8MiB 0-3", "gpu1 mi300a - 9MiB 0-3",
          "gpu2 mi300a GPU-00000000000000cd 7MiB 4-7"},
         {},
         "AMD, one in two compute partitions, whose UUID is none of theirs"},
        {"0x1002",
         "amd bus=0000:34:00.0; id=1; hops=2; name=0x74a1\namd name=X\namd bus=0000:b4:00.0; "
         "id=2\n",
         {"gpu0 - GPU-0000000000000001 0MiB 0-3", "gpu1 - GPU-0000000000000002 0MiB 4-7"},
         {},
         "AMD, two hops apart; one without an address"},
        {"0x1002",
         amd + "fail call=rsmi_dev_unique_id_get; with=2\nfail call=rsmi_dev_memory_total_get; "
               "with=2\n",
         {"gpu0 mi300x - 0MiB 0-3", "gpu1 - - 0MiB 4-7"},
         {},
         "AMD, calls that fail"},
        {"0x8086",
         "intel bus=0000:34:00.0; name=Intel(R) Data Center GPU Max 1550; memory_mib=131072; "
         "id=0x0102030405060708\nintel bus=0000:b4:00.0\n",
         {"gpu0 max1550 08070605-0403-0201-0000-000000000000 131072MiB 0-3", "gpu1 - - 0MiB 4-7"},
         {},
         "Intel; the second tells its address alone"},
        {"0x8086",
         "intel bus=0000:00:02.0; name=Intel(R) UHD Graphics 770; flags=9\n"
         "intel bus=0000:00:0b.0; name=Intel(R) AI Boost; type=5\n"
         "intel bus=0000:34:00.0; name=Intel(R) Data Center GPU Flex 170; flags=8\n",
         {"gpu0 flex170 - 0MiB 0-3", "gpu1 - - 0MiB 4-7"},
         {},
         "Intel, a GPU inside of the processor and another kind of device"},
        {"0x8086",
         "intel bus=0000:00:0b.0\nintel bus=0000:34:00.0; name=Intel(R) Data Center GPU Flex 170\n",
         {"gpu0 flex170 - 0MiB 0-3", "gpu1 - - 0MiB 4-7"},
         {},
         "Intel, a device that does not say what it is"},
        {"0x8086",
         "intel name=X\nfail call=zesDeviceGet; with=1\n",
         {"gpu0 - - 0MiB 0-3", "gpu1 - - 0MiB 4-7"},
         {},
         "Intel, without devices"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const MachineFolder machine;
        machine.add_gpu({first_bus, row.vendor, "0x1", "0000000f"});
        machine.add_gpu({second_bus, row.vendor, "0x1", "000000f0"});
        const StubScript script(row.script);
        const NodeShape shape = shape_of(options_of(machine));
        CHECK(devices_of(shape) == row.devices);
        CHECK(links_of(shape) == row.links);
    }
}

TEST_CASE("drivers: partitions as the kernel and RSMI number them are the same", "[os]") {
    struct Row {
        const char* told;
        std::size_t devices;
        const char* why;
    };
    const Row rows[] = {
        {"amd bus=0000:34:00.0; id=1\namd bus=0000:34:00.1; id=2\namd bus=0000:34:00.2; id=3\n", 3,
         "by the function, as on old kernels"},
        {"amd bus=0000:34:00.0; id=1\namd bus=0000:34:00.0; id=2\namd bus=0000:34:00.0; id=3\n", 3,
         "all at one function"},
        {"amd bus=0000:34:00.0; id=1\n", 3, "RSMI tells one"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const MachineFolder machine;
        machine.add_gpu({first_bus, "0x1002", "0x74a0", "0000000f"});
        for (int i = 0; i < 3; ++i) {
            machine.write(fmt::format("sys/class/kfd/kfd/topology/nodes/{}/properties", i + 1),
                          fmt::format("location_id {}\ndomain 0\ndrm_render_minor {}\n", 0x3400 + i,
                                      128 + i));
        }
        const StubScript script(row.told);
        CHECK(shape_of(options_of(machine)).devices.size() == row.devices);
    }
}

TEST_CASE("drivers: a display adapter that RSMI lists is no device", "[os]") {
    const StubScript script("amd bus=0000:34:00.0; id=1\n");
    for (const auto& [device, count] : {std::pair("0x164e", 0), std::pair("0x74a1", 1)}) {
        const MachineFolder machine;
        machine.add_gpu({first_bus, "0x1002", device, "0000000f", "0x030000"});
        INFO(device);
        CHECK(std::cmp_equal(shape_of(options_of(machine)).devices.size(), count));
    }
}

TEST_CASE("drivers: which libraries are asked", "[os]") {
    struct Row {
        DriverSource source;
        Lines types;  ///< of the NVIDIA and the AMD GPU
        const char* why;
    };
    const Row rows[] = {
        {DriverSource::present, {"t4", "mi300x"}, "every library"},
        {DriverSource::off, {"", ""}, "no library"},
        {DriverSource::nvml, {"t4", ""}, "one"},
        {DriverSource::rsmi, {"", "mi300x"}, "the other one"},
        {DriverSource::nvidia, {"", ""}, "no library, but NVIDIA's pages"},
    };
    const MachineFolder machine;
    machine.add_gpu({first_bus, nvidia, "0x1eb8", "0000000f"});
    machine.add_gpu({second_bus, "0x1002", "0x74a1", "000000f0"});
    machine.add_nvidia_page(first_bus, "GPU UUID: GPU-9\n");
    const StubScript script(
        "nvidia bus=0000:34:00.0; name=Tesla T4\namd bus=0000:b4:00.0; name=AMD Instinct MI300X\n");
    for (const Row& row : rows) {
        INFO(row.why);
        os::DiscoverOptions options = options_of(machine);
        options.drivers = row.source;
        const NodeShape shape = shape_of(options);
        REQUIRE(shape.devices.size() == 2);
        CHECK(Lines{shape.devices[0].type, shape.devices[1].type} == row.types);
        CHECK(shape.devices[0].uuid == "GPU-9");
    }
}

TEST_CASE("drivers: a source asked for by name has to answer", "[os]") {
    struct Row {
        DriverSource source;
        std::string folder;  ///< of the libraries
        std::string script;
        StatusCode code;
        const char* says;
        const char* why;
    };
    const std::string fails =
        "fail call=nvmlInit_v2; with=9\nfail call=rsmi_init; with=8\n"
        "fail call=zesInit; with=2013265921\n";
    const std::string empty = "/nonexistent";
    using enum DriverSource;
    const Row rows[] = {
        {nvml, empty, "", StatusCode::kNotFound, "nvml: no such library: /nonexistent/libnvidia-ml",
         "no NVML"},
        {rsmi, empty, "", StatusCode::kNotFound,
         "rsmi: no such library: /nonexistent/librocm_smi64", "no ROCm SMI"},
        {oneapi, empty, "", StatusCode::kNotFound,
         "oneapi: no such library: /nonexistent/libze_loa", "no Level Zero"},
        {nvml, stub_folder("broken"), "", StatusCode::kNotFound,
         "libnvidia-ml.so.1 has no function nvmlInit_v2", "a function that must be there"},
        {nvml, stub_folder("new"), fails, StatusCode::kUnavailable, "nvmlInit_v2 returns 9",
         "the driver is not loaded"},
        {rsmi, stub_folder("new"), fails, StatusCode::kUnavailable, "rsmi_init returns 8",
         "no AMD driver"},
        {oneapi, stub_folder("new"), fails, StatusCode::kUnavailable, "zesInit returns 2013265921",
         "no Intel driver"},
        {nvml, stub_folder("new"), "fail call=nvmlDeviceGetCount_v2; with=15\n",
         StatusCode::kUnavailable, "libnvidia-ml.so.1: nvmlDeviceGetCount_v2 returns 15",
         "a count that fails is not a count of none"},
        {rsmi, stub_folder("new"), "fail call=rsmi_num_monitor_devices; with=3\n",
         StatusCode::kUnavailable, "rsmi_num_monitor_devices returns 3", "likewise"},
        {oneapi, stub_folder("new"), "fail call=zesDriverGet; with=7\n", StatusCode::kUnavailable,
         "zesDriverGet returns 7", "likewise"},
        {nrt, empty, "", StatusCode::kNotFound, "nrt: no /sys/devices/virtual/neuron_device",
         "no Neuron"},
        {os::DriverSource::nvidia, empty, "", StatusCode::kNotFound,
         "nvidia: no /proc/driver/nvidia/gpus", "no NVIDIA driver"},
        {nvml, "", "", StatusCode::kInvalidArgument, "nvml: expected library_folder",
         "this machine's library does not know another"},
    };
    const MachineFolder machine;
    add_two_gpus(machine);
    for (const Row& row : rows) {
        INFO(row.why);
        const StubScript script(row.script);
        os::DiscoverOptions options = options_of(machine);
        options.drivers = row.source;
        options.library_folder = row.folder;
        const auto node = os::discover(options);
        REQUIRE_FALSE(node.ok());
        const std::string text(message(node.status()));
        CHECK(node.status().code() == row.code);
        CHECK_THAT(text, ContainsSubstring(row.says));
        CHECK_THAT(text, ContainsSubstring(machine.path()));
        CHECK(text.find('\n') == std::string::npos);
        options.drivers = present;
        CHECK(shape_of(options).devices.size() == 2);
    }
}

TEST_CASE("drivers: this machine is read with and without its libraries", "[os]") {
    os::DiscoverOptions options;
    options.drivers = DriverSource::off;
    CHECK(os::discover(options).ok());
    options.drivers = DriverSource::present;
    options.library_folder = "/nonexistent";
    CHECK(os::discover(options).ok());
}

TEST_CASE("drivers: a machine in XML is completed too", "[os]") {
    const TemporaryFile file(one_thread_xml);
    const StubScript script("nvidia bus=0000:34:00.0; name=NVIDIA T4; minor=0\n");
    os::DiscoverOptions options;
    options.xml_file = file.path();
    CHECK(shape_of(options).devices.empty());
    options.library_folder = stub_folder("new");
    CHECK(devices_of(shape_of(options)) == Lines{"gpu0 t4 - 0MiB -"});
}

TEST_CASE("drivers: calls may run in parallel", "[os][threads]") {
    const StubScript script(two_a100);
    const TemporaryFile file(one_thread_xml);
    os::DiscoverOptions options;
    options.xml_file = file.path();
    options.library_folder = stub_folder("new");
    std::vector<std::thread> threads;
    std::vector<std::size_t> counts(4);
    for (std::size_t& count : counts) {
        threads.emplace_back([&count, &options] {
            const auto node = os::discover(options);
            if (node.ok()) count = node->shape->devices.size();
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::size_t count : counts) CHECK(count == 2);
}

}  // namespace trestle
