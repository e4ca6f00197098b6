// SPDX-License-Identifier: Apache-2.0
// What discover() makes of the pages that drivers have in /proc and /sys, and of instances of GPUs.
#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

#include "os/driver_text.hpp"
#include "os/drivers/mig_profile.hpp"
#include "support/catch.hpp"
#include "support/machine_folder.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/os/discover.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

using Lines = std::vector<std::string>;

NodeShape shape_below(const MachineFolder& machine, bool with_libraries = false) {
    os::DiscoverOptions options;
    options.fs_root = machine.path();
    if (with_libraries) options.library_folder = stub_folder("new");
    const auto node = os::discover(options);
    INFO(node.status().ToString());
    REQUIRE(node.ok());
    return *node->shape;
}

/// `gpu0 a100 GPU-1 /dev/nvidia0=195:0`.
Lines files_of(const NodeShape& shape) {
    Lines lines;
    for (const Device& device : shape.devices) {
        std::string line =
            fmt::format("{}{} {} {}", device.name, device.index, device.type, device.uuid);
        for (const Device::File& file : device.files) {
            line +=
                fmt::format(" {}={}:{}", file.path, file.major ? std::to_string(*file.major) : "-",
                            file.minor ? std::to_string(*file.minor) : "-");
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

constexpr const char* gpu_address = "0000:34:00.0";

void add_a100(const MachineFolder& machine) {
    machine.add_gpu({gpu_address, "0x10de", "0x20b0", "0000000f"});
    machine.add_nvidia_page(gpu_address,
                            "Model: \t\t NVIDIA A100-SXM4-40GB\nIRQ:   \t\t 12\n"
                            "GPU UUID: \t GPU-1\nDevice Minor: \t 3\n");
}

}  // namespace

TEST_CASE("driver pages: NVIDIA's page about a GPU", "[os]") {
    struct Row {
        std::string page;
        Lines expected;
        const char* why;
    };
    const Row rows[] = {
        {"Model: \t\t Tesla T4\nGPU UUID: \t GPU-1\nDevice Minor: \t 12\n",
         {"gpu0 t4 GPU-1 /dev/nvidia12=195:12"},
         "as the driver writes it"},
        {"Device Minor: 1\nGPU UUID: GPU-1\nModel: Tesla T4",
         {"gpu0 t4 GPU-1 /dev/nvidia1=195:1"},
         "any order, no last line end"},
        {"GPU UUID: \t GPU-" + std::string(8, '?') + "-" + std::string(4, '?') + "\n",
         {"gpu0  "},
         "nobody has used the GPU"},
        {"", {"gpu0  "}, "an empty page"},
        {"Model\nGPU UUID\nDevice Minor\n", {"gpu0  "}, "no values"},
        {"Model:\nGPU UUID: \nDevice Minor:\t\n", {"gpu0  "}, "empty values"},
        {"Model Name: X1\nDevice Minor Number: 4\n", {"gpu0  "}, "longer keys"},
        {"Device Minor: -1\n", {"gpu0  "}, "no number"},
        {"Device Minor: 1x\n", {"gpu0  "}, "not only a number"},
        {"Device Minor: 4294967296\n", {"gpu0  "}, "a number that no device has"},
        {"Device Minor: 99999999999999999999999\n", {"gpu0  "}, "a number that nothing has"},
        {"Device Minor: 2\nDevice Minor: 3\n", {"gpu0   /dev/nvidia2=195:2"}, "the first counts"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const MachineFolder machine;
        machine.add_gpu({gpu_address, "0x10de", "0x20b0", "0000000f"});
        machine.add_nvidia_page(gpu_address, row.page);
        CHECK(files_of(shape_below(machine)) == row.expected);
    }
}

TEST_CASE("driver pages: a GPU that only NVIDIA's driver knows", "[os]") {
    const MachineFolder machine;
    machine.add_nvidia_page("0000:12:00.0", "Model: Tesla T4\nDevice Minor: 0\n");
    machine.add_nvidia_page("no:bus", "Model: Tesla T4\nDevice Minor: 1\n");
    CHECK(files_of(shape_below(machine)) == Lines{"gpu0 t4  /dev/nvidia0=195:0"});
}

TEST_CASE("driver pages: instances with profile, UUID, memory and their capabilities", "[os]") {
    const MachineFolder machine;
    add_a100(machine);
    machine.write("sys/bus/pci/devices/0000:34:00.0/drm/renderD128/dev", "226:128\n");
    machine.write("proc/driver/nvidia-caps/mig-minors",
                  "config 1\nmonitor 2\ngpu0/gi1/access 7\ngpu3/gi1/access 30\n"
                  "gpu3/gi1/ci0/access 31\ngpu3/gi11/access 40\ngpu3/gi2/access 50\n"
                  "gpu3/gi2/ci0/access 51\ngpu3/gi2/ci1/access 52\n");
    const StubScript script(
        "nvidia bus=0000:34:00.0; name=NVIDIA A100-SXM4-40GB; uuid=GPU-1; memory_mib=40960; "
        "minor=3; near=f; mig=1; links=switch*12\n"
        "instance gi=2; ci=1; uuid=MIG-c; slices=3; compute_slices=1; attribute_mib=19968\n"
        "instance gi=1; ci=0; name=NVIDIA A100-SXM4-40GB MIG 1g.5gb; uuid=MIG-a; memory_mib=4864\n"
        "instance gi=2; ci=0; uuid=MIG-b; slices=3; compute_slices=2; attribute_mib=19968\n"
        "instance gi=9; uuid=MIG-x\n"
        "nvidia bus=0000:b4:00.0; name=NVIDIA A100-SXM4-40GB; uuid=GPU-2; links=switch*12; "
        "mig=1\n");
    const NodeShape shape = shape_below(machine, true);
    CHECK(files_of(shape) ==
          Lines{"gpu0 a100_1g.5gb MIG-a /dev/nvidia3=195:3 /dev/nvidia-caps/nvidia-cap30=237:30 "
                "/dev/nvidia-caps/nvidia-cap31=237:31",
                "gpu1 a100_2c.3g.20gb MIG-b /dev/nvidia3=195:3 /dev/nvidia-caps/nvidia-cap50=237:50"
                " /dev/nvidia-caps/nvidia-cap51=237:51",
                "gpu2 a100_1c.3g.20gb MIG-c /dev/nvidia3=195:3 /dev/nvidia-caps/nvidia-cap50=237:50"
                " /dev/nvidia-caps/nvidia-cap52=237:52"});
    CHECK(shape.devices.at(0).model == "NVIDIA A100-SXM4-40GB MIG 1g.5gb");
    CHECK(shape.devices.at(0).memory == mib(4864));
    CHECK(shape.devices.at(1).model == "NVIDIA A100-SXM4-40GB");
    CHECK(shape.devices.at(1).memory == mib(19968));
    CHECK(shape.devices.at(2).cores == CoreSet::range({0, 4}));
    CHECK(shape.devices.at(2).pci_bus_id == gpu_address);
    CHECK(shape.devices.at(2).mig_profile == "1c.3g.20gb");
    CHECK(shape.links.empty());
}

TEST_CASE("driver pages: instances where no library tells of them", "[os]") {
    const MachineFolder machine;
    add_a100(machine);
    const std::string gpu = "proc/driver/nvidia/capabilities/gpu3/mig/";
    machine.write(gpu + "gi2/access", "DeviceFileMinor: 50\nDeviceFileMode: 292\n");
    machine.write(gpu + "gi2/ci0/access", "DeviceFileMinor: 51\nDeviceFileMode: 292\n");
    machine.write(gpu + "gi1/ci0/access", "DeviceFileMinor: x\n");
    machine.write(gpu + "gi1/cix/access", "");
    machine.write(gpu + "config", "");
    machine.write(gpu + "gi/ci0/access", "");
    machine.write(gpu + "gi99999999999/ci0/access", "");
    CHECK(files_of(shape_below(machine)) ==
          Lines{"gpu0 a100_mig  /dev/nvidia3=195:3",
                "gpu1 a100_mig  /dev/nvidia3=195:3 /dev/nvidia-caps/nvidia-cap50=237:50 "
                "/dev/nvidia-caps/nvidia-cap51=237:51"});
}

TEST_CASE("driver pages: files are what /dev has, where there is one", "[os]") {
    const MachineFolder machine;
    add_a100(machine);
    machine.write("sys/bus/pci/devices/0000:34:00.0/drm/card1/dev", "226:1\n");
    machine.write("sys/bus/pci/devices/0000:34:00.0/drm/renderD129/dev", "226:129\n");
    CHECK(files_of(shape_below(machine)) ==
          Lines{"gpu0 a100 GPU-1 /dev/nvidia3=195:3 /dev/dri/renderD129=226:129"});
    for (const char* numbers :
         {"", "226", "226:", ":129", "226:x", "226-129", "4294967296:1", "226:129 x"}) {
        INFO(numbers);
        machine.write("sys/bus/pci/devices/0000:34:00.0/drm/renderD129/dev", numbers);
        CHECK(files_of(shape_below(machine)) ==
              Lines{"gpu0 a100 GPU-1 /dev/nvidia3=195:3 /dev/dri/renderD129=-:-"});
    }
    machine.write("proc/devices", "Character devices:\n  7 vcs\n194 nvidia-frontend\n");
    CHECK(shape_below(machine).devices.at(0).files.at(0).major == 194);
    machine.write("proc/devices", "\x01");
    CHECK(shape_below(machine).devices.at(0).files.at(0).major == std::nullopt);
    machine.write("dev/nvidia3", "no device node");
    CHECK(files_of(shape_below(machine)) == Lines{"gpu0 a100 GPU-1"});
}

TEST_CASE("driver pages: Neuron devices and what they are connected to", "[os]") {
    const MachineFolder machine;
    machine.add_gpu({"0000:99:00.0", "0x10de", "0x20b0", "0000000f"});
    const auto add = [&](int number, const std::string& connected) {
        const std::string folder =
            fmt::format("sys/devices/virtual/neuron_device/neuron{}/", number);
        machine.write(folder + "info/architecture/device_name", "Trainium1\n");
        machine.write(folder + "dev", fmt::format("239:{}\n", number));
        machine.write(folder + "connected_devices", connected);
        if (number < 2) machine.write(folder + "core_count", "2\n");
    };
    add(0, "1, 10\n");
    add(1, "0,1,77,");
    add(10, "-0 99999999999999999999999 1");
    add(2, "");
    machine.write("sys/devices/virtual/neuron_device/neuron/dev", "239:9\n");
    machine.write("sys/devices/virtual/neuron_device/neuron4097/dev", "239:9\n");
    machine.write("sys/devices/virtual/neuron_device/power/control", "auto\n");
    const NodeShape shape = shape_below(machine);
    CHECK(files_of(shape) == Lines{"gpu0  ", "gpu1 trainium1  /dev/neuron0=239:0",
                                   "gpu2 trainium1  /dev/neuron1=239:1",
                                   "gpu3 trainium1  /dev/neuron2=239:2",
                                   "gpu4 trainium1  /dev/neuron10=239:10"});
    CHECK(shape.devices.at(1).vendor == "amazon");
    CHECK(shape.devices.at(2).neuron_cores == 2u);
    CHECK_FALSE(shape.devices.at(3).neuron_cores);  // its count is not in sysfs
    CHECK(shape.links ==
          std::vector<DeviceLink>{{DeviceId(1), DeviceId(2), 1}, {DeviceId(1), DeviceId(4), 1}});
}

TEST_CASE("driver pages: a machine is read whatever its pages hold", "[os]") {
    INFO("seed " << test_seed());
    std::mt19937_64 random(test_seed());
    const auto garbage = [&] {
        static const Lines words = {"gpu0/gi1/access ",
                                    "Device Minor: ",
                                    "neuron",
                                    "\n",
                                    ":",
                                    ",",
                                    "18446744073709551616",
                                    "0",
                                    "DeviceFileMinor: ",
                                    "\xff",
                                    "Character devices:\n",
                                    "237 nvidia-caps\n",
                                    " ",
                                    "GPU UUID: "};
        std::string text;
        for (std::size_t i = random() % 40; i > 0; --i) {
            text += random() % 4 == 0 ? std::string(1, static_cast<char>(random() % 256))
                                      : words[random() % words.size()];
        }
        return text;
    };
    const MachineFolder machine;
    machine.add_gpu({gpu_address, "0x10de", "0x20b0", "0000000f"});
    const std::string capabilities = "proc/driver/nvidia/capabilities/gpu0/mig/gi1/";
    for (int i = 0; i < 100; ++i) {
        machine.add_nvidia_page(gpu_address, garbage() + "\nDevice Minor: 0\n");
        for (const std::string& page :
             {std::string("proc/devices"), std::string("proc/driver/nvidia-caps/mig-minors"),
              capabilities + "access", capabilities + "ci0/access",
              std::string("sys/devices/virtual/neuron_device/neuron0/connected_devices"),
              std::string("sys/devices/virtual/neuron_device/neuron0/dev"),
              std::string(
                  "sys/devices/virtual/neuron_device/neuron0/info/architecture/device_name")}) {
            machine.write(page, garbage());
        }
        CHECK(shape_below(machine).devices.size() == 2);
    }
}

TEST_CASE("driver pages: bus ids in any form are those of sysfs", "[os]") {
    struct Row {
        const char* text;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"0000:34:00.0", "0000:34:00.0", "sysfs"},
        {"00000000:B4:1F.7", "0000:b4:1f.7", "NVML, eight digits and capitals"},
        {"00010000:01:00.0", "10000:01:00.0", "a domain of VMD"},
        {"34:00.0", "", "no domain"},
        {"0000:34:00", "", "no function"},
        {"0000:34:00.0 ", "", "something behind it"},
        {"0000:34:00.00", "", "a long function"},
        {"000000000:34:00.0", "", "a long domain"},
        {"0000:g4:00.0", "", "no digit"},
        {"", "", "nothing"},
        {"neuron0", "", "another name"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        CHECK(os::detail::bus_id_of(row.text) == row.expected);
    }
}

TEST_CASE("driver pages: names of profiles", "[os]") {
    struct Row {
        os::detail::InstanceSize size;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {{1, 1, mib(4864), mib(40960)}, "1g.5gb", "A100 of 40 GB, one eighth"},
        {{1, 1, mib(9856), mib(40960)}, "1g.10gb", "one compute slice, two eighths"},
        {{3, 3, mib(19968), mib(40960)}, "3g.20gb", "a half"},
        {{7, 7, mib(40192), mib(40960)}, "7g.40gb", "all of it"},
        {{1, 1, mib(9728), mib(81920)}, "1g.10gb", "A100 of 80 GB"},
        {{7, 7, mib(80896), mib(81920)}, "7g.80gb", "all of it"},
        {{1, 1, mib(5952), mib(24576)}, "1g.6gb", "A30, a quarter"},
        {{1, 1, mib(10880), mib(95830)}, "1g.12gb", "H100 NVL, an eighth"},
        {{3, 3, mib(47232), mib(95830)}, "3g.47gb", "H100 NVL, a half"},
        {{1, 1, mib(16384), mib(143771)}, "1g.18gb", "H200, an eighth"},
        {{2, 2, mib(33280), mib(143771)}, "2g.35gb", "H200, a quarter"},
        {{3, 1, mib(19968), mib(40960)}, "1c.3g.20gb", "a third of its compute slices"},
        {{3, 0, mib(19968), mib(40960)}, "3g.20gb", "compute slices that are not told"},
        {{0, 0, mib(4864), mib(40960)}, "", "no slices"},
        {{1, 1, mib(0), mib(40960)}, "", "no memory"},
        {{1, 1, mib(4864), mib(0)}, "", "no memory of the whole"},
        {{1, 1, mib(40960), mib(4864)}, "", "more than the whole"},
        {{1, 1, mib(1), mib(40960)}, "1g.5gb", "never no eighth"},
        {{1, 1, Bytes::max(), Bytes::max()}, "", "more than there can be"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(os::detail::profile_name(row.size) == row.expected);
    }
    CHECK(os::detail::profile_in_model("NVIDIA A100-SXM4-40GB MIG 1g.5gb+me") == "1g.5gb+me");
    CHECK(os::detail::profile_in_model("NVIDIA A100 MIG 1c.3g.20gb") == "1c.3g.20gb");
    CHECK(os::detail::profile_in_model("NVIDIA A100-SXM4-40GB").empty());
    CHECK(os::detail::profile_in_model("NVIDIA A100 MIG 1g 5gb").empty());
    CHECK(os::detail::profile_in_model("A MIG " + std::string(33, 'a')).empty());
}

}  // namespace trestle
