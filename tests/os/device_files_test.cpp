// SPDX-License-Identifier: Apache-2.0
// Which files discover() finds for accelerators of each maker, on machines written for it.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/machine_folder.hpp"
#include "trestle/os/discover.hpp"

namespace trestle {
namespace {

constexpr const char* card_address = "0000:34:00.0";
constexpr const char* near_cpus = "0000000f";
using Files = std::vector<std::pair<std::string, std::string>>;  ///< path and content

/// `gpu0 google v4 /dev/accel0=120:0`, one word `-` for each thing unknown.
std::string devices_of(const MachineFolder& machine) {
    os::DiscoverOptions options;
    options.fs_root = machine.path();
    const auto node = os::discover(options);
    INFO(node.status().ToString());
    REQUIRE(node.ok());
    std::string text;
    for (const Device& device : node->shape->devices) {
        text += fmt::format("{}{}{} {} {}", text.empty() ? "" : "; ", device.name, device.index,
                            device.vendor, device.type.empty() ? "-" : device.type);
        for (const Device::File& file : device.files) {
            text +=
                fmt::format(" {}={}:{}", file.path, file.major.value_or(0), file.minor.value_or(0));
        }
    }
    return text;
}

/// A file of the function in sysfs.
std::string of_function(const std::string& path) {
    return fmt::format("sys/bus/pci/devices/{}/{}", card_address, path);
}

}  // namespace

TEST_CASE("discover: which functions of Google are TPUs", "[os]") {
    struct Row {
        const char* device;
        const char* pci_class;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"0x0027", "0xff0000", "gpu0 google -", "v2 and v3 have one number"},
        {"0x005e", "0xff0000", "gpu0 google v4", "no class is theirs"},
        {"0x0062", "0xff0000", "gpu0 google v5p", "the next ones"},
        {"0x0063", "0xff0000", "gpu0 google v5e", "the next ones"},
        {"0x006f", "0x120000", "gpu0 google v6e", "or that of accelerators"},
        {"0x0999", "0x120000", "gpu0 google -", "a later one, told by its class"},
        {"0x0999", "0xff0000", "", "nobody knows what it is"},
        {"0xa002", "0x030000", "", "the console of a virtual machine"},
        {"0x001f", "0x010802", "", "its disk"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const MachineFolder machine;
        machine.add_gpu({card_address, "0x1ae0", row.device, near_cpus, row.pci_class});
        CHECK(devices_of(machine) == row.expected);
    }
}

TEST_CASE("discover: the files of accelerators, by their makers", "[os]") {
    constexpr const char* accelerator = "0x120000";
    struct Row {
        const char* vendor;
        const char* device;
        Files files;
        const char* expected;
        const char* why;
    };
    const std::string group_7 =
        fmt::format("sys/kernel/iommu_groups/7/devices/{}/class", card_address);
    const Row rows[] = {
        {"0x1e52", "0x401e", {}, "gpu0 tenstorrent -", "no driver"},
        {"0x1e52",
         "0x401e",
         {{of_function("tenstorrent/tenstorrent!3/dev"), "241:3\n"}},
         "gpu0 tenstorrent - /dev/tenstorrent/3=241:3",
         "sysfs writes ! for /"},
        {"0x1ae0",
         "0x005e",
         {{of_function("accel/accel2/dev"), "120:2\n"}},
         "gpu0 google v4 /dev/accel2=120:2",
         "a driver older than /dev/accel"},
        {"0x1ae0",
         "0x0063",
         {{"sys/class/vfio/7/dev", "511:0\n"},
          {"sys/class/vfio/8/dev", "511:1\n"},
          {group_7, ""},
          {"sys/kernel/iommu_groups/8/devices/0000:35:00.0/class", ""}},
         "gpu0 google v5e /dev/vfio/7=511:0",
         "by its IOMMU group, not by another's"},
        {"0x1ae0",
         "0x0063",
         {{"sys/class/vfio/noiommu-7/dev", "511:0\n"}, {group_7, ""}},
         "gpu0 google v5e /dev/vfio/noiommu-7=511:0",
         "VFIO without an IOMMU"},
        {"0x1ae0", "0x0063", {{group_7, ""}}, "gpu0 google v5e", "VFIO does not have it"},
        {"0x1da3",
         "0x1020",
         {{of_function("accel/accel4/dev"), "261:4\n"},
          {"sys/class/accel/accel_controlD4/dev", "261:68\n"},
          {"sys/class/accel/accel_controlD5/dev", "261:69\n"}},
         "gpu0 habana - /dev/accel/accel4=261:4 /dev/accel/accel_controlD4=261:68",
         "Gaudi, with its own control file"},
        {"0x1da3",
         "0x1020",
         {{of_function("accel/accel_controlD4/dev"), "261:68\n"}},
         "gpu0 habana -",
         "a control file alone is no device"},
        {"0x1da3",
         "0x1020",
         {{of_function("accel/accel4/dev"), "261:4\n"},
          {of_function("accel/accel_controlD4/dev"), "261:68\n"},
          {of_function("infiniband_verbs/uverbs1/dev"), "231:193\n"}},
         "gpu0 habana - /dev/accel/accel4=261:4 /dev/accel/accel_controlD4=261:68 "
         "/dev/infiniband/uverbs1=231:193",
         "the control file below the card, and the ports to scale out"},
        {"0x1da3",
         "0x1000",
         {{"sys/class/habanalabs/hl0/pci_addr", "0000:35:00.0\n"},
          {"sys/class/habanalabs/hl0/dev", "236:0\n"},
          {"sys/class/habanalabs/hl1/pci_addr", "0000:34:00.0\n"},
          {"sys/class/habanalabs/hl1/dev", "236:2\n"},
          {"sys/class/habanalabs/hl_controlD1/dev", "236:3\n"}},
         "gpu0 habana - /dev/hl1=236:2 /dev/hl_controlD1=236:3",
         "Gaudi before the kernel had accelerators"},
        {"0x1002",
         "0x74a1",
         {{of_function("drm/card1/dev"), "226:1\n"},
          {of_function("drm/renderD129/dev"), "226:129\n"},
          {of_function("drm/renderDx/dev"), "226:9\n"}},
         "gpu0 amd - /dev/dri/renderD129=226:129",
         "others are as they were"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const MachineFolder machine;
        machine.add_gpu({card_address, row.vendor, row.device, near_cpus, accelerator});
        for (const auto& [path, content] : row.files) machine.write(path, content);
        CHECK(devices_of(machine) == row.expected);
    }
}

TEST_CASE("discover: an interface behind a USB controller is no adapter", "[os]") {
    struct Row {
        const char* pci_class;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"0x020000", "nic0 intel -", "an Ethernet controller"},
        {"0x0c0600", "nic0 intel -", "an InfiniBand controller"},
        {"0x0c0330", "", "a USB controller"},
        {"0xff0000", "", "of no class"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const MachineFolder machine;
        machine.add_gpu({card_address, "0x8086", "0x1234", near_cpus, row.pci_class});
        machine.write("sys/class/net/net7/address", "00:00:00:00:00:07\n");
        std::filesystem::create_symlink("../../../devices/pci0000:00/0000:34:00.0",
                                        machine.path() + "/sys/class/net/net7/device");
        CHECK(devices_of(machine) == row.expected);
    }
}

}  // namespace trestle
