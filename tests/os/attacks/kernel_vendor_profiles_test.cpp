// SPDX-License-Identifier: Apache-2.0
// Vendor profiles on a real kernel: of two devices of each maker one is given, and it is the only
// one that can be opened, with what it needs beside it. The nodes have no driver: opening one gives
// ENXIO where the filter allows it.
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "enforce/device/apply_profiles.hpp"
#include "os/attacks/attack_job.hpp"
#include "trestle/enforce/device/vendor_profile.hpp"

namespace trestle {
namespace {

/// One maker's machine, paths as they are below /dev.
struct KitRow {
    const char* vendor;
    const char* name;
    std::vector<std::string> given;   ///< files of the device that is given
    std::vector<std::string> others;  ///< of another one, and what nobody needs
    std::vector<std::string> beside;  ///< what the profile opens as well
    const char* why;
};

/// Nodes below a folder in place of /dev, each with a minor number of its own.
class DeviceFolder {
  public:
    [[nodiscard]] std::string path(const std::string& name) const { return folder_.path(name); }
    void make(const std::string& name) {
        if (!made_.insert({name, static_cast<unsigned>(made_.size())}).second) return;
        const std::string at = path(name);
        std::filesystem::create_directories(std::filesystem::path(at).parent_path());
        REQUIRE(::mknod(at.c_str(), S_IFCHR | 0666, ::makedev(120, made_.at(name))) == 0);
    }
    /// The profile for this folder: its numbers are those of other machines, and looked up.
    [[nodiscard]] VendorProfile profile_here(VendorProfile profile) const {
        const auto here = [&](std::string& text) {
            if (text.starts_with("/dev/")) text = path(text.substr(5));
        };
        here(profile.file_prefix);
        for (DeviceAllowList::File& companion : profile.companions) here(companion.file.path);
        return profile;
    }
    [[nodiscard]] Device device(const KitRow& row, const std::vector<std::string>& names) const {
        Device device;
        device.name = row.name;
        device.vendor = row.vendor;
        for (const std::string& name : names) {
            device.files.push_back({path(name), Device::File::Kind::character, {}, {}});
        }
        return device;
    }

  private:
    OpenFolder folder_;
    std::map<std::string, unsigned> made_;
};

/// A profile that a caller adds.
VendorProfile fpga_profile() {
    return {"xilinx",
            "fpga",
            "/dev/xclmgmt",
            {{{"/dev/xfpga/icap*", Device::File::Kind::character, {}, {}},
              DeviceRule::Access::read_write(),
              DeviceAllowList::File::Presence::required,
              ""}},
            {}};
}

}  // namespace

TEST_CASE("kernel: of each maker's devices the given one opens, and what it needs",
          "[os][privileged]") {
    if (!has_device_filters()) return;
    const KitRow rows[] = {
        {"nvidia",
         "gpu",
         {"nvidia1"},
         {"nvidia0", "nvidia-caps/nvidia-cap1"},
         {"nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset"},
         "control and memory nodes, but no capabilities"},
        {"nvidia",
         "gpu",
         {"nvidia0", "nvidia-caps/nvidia-cap21", "nvidia-caps/nvidia-cap22"},
         {"nvidia1", "nvidia-caps/nvidia-cap30", "nvidia-caps/nvidia-cap31"},
         {"nvidiactl"},
         "one instance of a card in MIG mode: its two capabilities, not those of the next"},
        {"amd",
         "gpu",
         {"dri/renderD129"},
         {"dri/renderD128", "dri/card0"},
         {"kfd"},
         "the compute node that all share"},
        {"intel",
         "gpu",
         {"dri/card1", "dri/renderD129"},
         {"dri/card0", "dri/renderD128"},
         {},
         "its own files are enough"},
        {"habana",
         "gpu",
         {"accel/accel1"},
         {"accel/accel0", "accel/accel_controlD0"},
         {"accel/accel_controlD1"},
         "its own control node, not that of the other"},
        {"amazon", "gpu", {"neuron1"}, {"neuron0"}, {}, "its own file is enough"},
        {"google", "gpu", {"vfio/1"}, {"vfio/0"}, {"vfio/vfio"}, "a TPU since v5"},
        {"google", "gpu", {"accel1"}, {"accel0"}, {}, "an older one"},
        {"tenstorrent", "gpu", {"tenstorrent/1"}, {"tenstorrent/0"}, {}, "and a folder"},
        {"mellanox",
         "nic",
         {"infiniband/uverbs1"},
         {"infiniband/uverbs0", "infiniband/umad1"},
         {"infiniband/rdma_cm"},
         "connections are made through a node that all share"},
        {"", "fpga", {"xdma0", "xdma0_user"}, {"xdma1", "xdma1_user"}, {}, "no profile at all"},
        {"xilinx",
         "fpga",
         {"xclmgmt7"},
         {"xclmgmt8", "xfpga/icap8"},
         {"xfpga/icap7"},
         "a profile of the caller's"},
    };
    for (const KitRow& row : rows) {
        INFO(row.vendor << " " << row.given.front() << ": " << row.why);
        DeviceFolder dev;
        std::vector<VendorProfile> profiles;
        auto known = standard_vendor_profiles();
        known.push_back(fpga_profile());
        for (const VendorProfile& profile : known) profiles.push_back(dev.profile_here(profile));
        std::vector<std::string> acts, expected;
        const auto add = [&](const std::vector<std::string>& names, const char* answer) {
            for (const std::string& name : names) {
                dev.make(name);
                acts.push_back("open " + dev.path(name));
                expected.push_back(answer);
            }
        };
        add(row.given, "ENXIO");
        add(row.beside, "ENXIO");
        add(row.others, "EPERM");
        NodeShape shape;
        shape.devices = {dev.device(row, row.others), dev.device(row, row.given)};
        NodePlacement placement;
        placement.devices = {{DeviceId(1), Count(1)}};
        KernelGroup group;
        (void)group.job({});
        const Status loaded = group.enforcer().run(
            filter_step("job", {pseudo_devices(), allowed_files(shape, placement, profiles)}));
        INFO(loaded.ToString());
        REQUIRE(loaded.ok());
        CHECK(answers_to(group, Attacker::root, acts) == expected);
    }
}

TEST_CASE("kernel: a node that does not exist yet is admitted by the number of its driver",
          "[os][privileged]") {
    if (!has_device_filters()) return;
    NodeShape shape;
    Device device;
    device.name = "gpu";
    shape.devices = {device};
    NodePlacement placement;
    placement.devices = {{DeviceId(0), Count(1)}};
    // The driver `mem` is there in every kernel, with 1:7 for /dev/full.
    const std::vector<DeviceAllowList::File> files = {
        {{"/dev/trestle-absent", Device::File::Kind::character, {}, 7},
         DeviceRule::Access::read_write(),
         DeviceAllowList::File::Presence::optional,
         "mem"},
        {{"/dev/trestle-unknown", Device::File::Kind::character, {}, 0},
         DeviceRule::Access::read_write(),
         DeviceAllowList::File::Presence::optional,
         "no-such-driver"}};
    KernelGroup group;
    (void)group.job({});
    REQUIRE(group.enforcer().run(filter_step("job", {{}, files})) == Status());
    CHECK(answers_to(group, Attacker::root, {"open /dev/full", "open /dev/zero"}) ==
          std::vector<std::string>{"done", "EPERM"});
}

}  // namespace trestle
