// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/device/vendor_profile.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/join.hpp"
#include "enforce/device/apply_profiles.hpp"
#include "enforce/device/taken.hpp"
#include "enforce/process/environment_words.hpp"
#include "trestle/base/text.hpp"

namespace trestle {

bool VendorProfile::is_for(const Device& device) const {
    if (device.name != name) return false;
    if (!vendor.empty() && !device.vendor.empty()) return device.vendor == vendor;
    return !file_prefix.empty() && !device.files.empty() &&
           device.files.front().path.starts_with(file_prefix);
}

namespace {

/// NVIDIA: control, unified memory and modeset nodes. The majors of the uvm nodes are dynamic, and
/// the nodes appear at the first use of the driver (nvidia-modprobe). CUDA counts the fastest card
/// first unless it is set to count as nvidia-smi does (CUDA C++ Programming Guide, environment
/// variables).
VendorProfile nvidia_profile() {
    using enum DeviceAllowList::File::Presence;
    constexpr auto character = Device::File::Kind::character;
    constexpr auto rw = DeviceRule::Access::read_write();
    return {"nvidia",
            "gpu",
            "/dev/nvidia",
            {{{"/dev/nvidiactl", character, 195, 255}, rw, optional, ""},
             {{"/dev/nvidia-modeset", character, 195, 254}, rw, optional, ""},
             {{"/dev/nvidia-uvm", character, {}, 0}, rw, optional, "nvidia-uvm"},
             {{"/dev/nvidia-uvm-tools", character, {}, 1}, rw, optional, "nvidia-uvm"}},
            {{"CUDA_VISIBLE_DEVICES",
              {VendorProfile::Numbering::local, VendorProfile::Numbering::global,
               VendorProfile::Numbering::uuid},
              VendorProfile::Variable::CountedPart::device,
              {shown_variable("CUDA_DEVICE_ORDER", "PCI_BUS_ID")},
              true}}};
}

/// AMD: the compute node that all GPUs share. The render node is the device's own file, and amdkfd
/// itself asks the filter for it (kfd_devcgroup_check_permission). What ROCR_VISIBLE_DEVICES leaves
/// is counted from 0 by the runtimes above it, which read GPU_DEVICE_ORDINAL (ROCm documentation,
/// GPU isolation techniques).
VendorProfile amd_profile() {
    return {"amd",
            "gpu",
            "",
            {{{"/dev/kfd", Device::File::Kind::character, {}, 0},
              DeviceRule::Access::read_write(),
              DeviceAllowList::File::Presence::optional,
              "kfd"}},
            {{"ROCR_VISIBLE_DEVICES"}, {"GPU_DEVICE_ORDINAL", {VendorProfile::Numbering::local}}}};
}

/// Intel: card and render node are the device's own files. The mask has numbers only.
VendorProfile intel_profile() {
    using enum VendorProfile::Numbering;
    return {"intel", "gpu", "", {}, {{"ZE_AFFINITY_MASK", {local, global}}}};
}

/// Intel Gaudi: a node to control each card beside that to use it. The variable is read outside of
/// the job, by the vendor's container runtime, which knows all cards of the node.
VendorProfile gaudi_profile() {
    return {"habana",
            "gpu",
            "/dev/accel/accel",
            {{{"/dev/accel/accel_controlD*", Device::File::Kind::character, {}, {}},
              DeviceRule::Access::read_write(),
              DeviceAllowList::File::Presence::optional,
              ""}},
            {{"HABANA_VISIBLE_DEVICES", {VendorProfile::Numbering::global}}}};
}

/// AWS Neuron: the runtime counts cores, of which a device has several.
VendorProfile neuron_profile() {
    using enum VendorProfile::Numbering;
    return {"amazon",
            "gpu",
            "/dev/neuron",
            {},
            {{"NEURON_RT_VISIBLE_CORES",
              {local, global},
              VendorProfile::Variable::CountedPart::neuron_core}}};
}

/// What is reached through VFIO, as TPUs are since v5: the container that holds its groups. Older
/// TPUs need their own file alone. No variable is set: TPU_VISIBLE_CHIPS wants the shape of the
/// chips beside it, which the framework knows.
VendorProfile vfio_profile() {
    return {"",
            "gpu",
            "/dev/vfio/",
            {{{"/dev/vfio/vfio", Device::File::Kind::character, 10, 196},
              DeviceRule::Access::read_write(),
              DeviceAllowList::File::Presence::optional,
              ""}},
            {}};
}

/// Tenstorrent: the driver shares huge pages with the cards, where some are set aside.
VendorProfile tenstorrent_profile() {
    return {"tenstorrent", "gpu", "/dev/tenstorrent/", {}, {}, {"/dev/hugepages-1G"}};
}

/// RDMA adapters of any maker: connections are made through the one node that all of them share.
VendorProfile rdma_profile() {
    return {"",
            "nic",
            "/dev/infiniband/",
            {{{"/dev/infiniband/rdma_cm", Device::File::Kind::character, {}, {}},
              DeviceRule::Access::read_write(),
              DeviceAllowList::File::Presence::optional,
              ""}},
            {}};
}

}  // namespace

std::vector<VendorProfile> standard_vendor_profiles() {
    return {nvidia_profile(), amd_profile(),  intel_profile(),       gaudi_profile(),
            neuron_profile(), vfio_profile(), tenstorrent_profile(), rdma_profile()};
}

const VendorProfile* profile_of(const std::vector<VendorProfile>& profiles, const Device& device) {
    const auto at =
        std::find_if(profiles.begin(), profiles.end(),
                     [&](const VendorProfile& profile) { return profile.is_for(device); });
    return at == profiles.end() ? nullptr : &*at;
}

namespace {

/// The profile's companions for one device, each `*` filled in.
std::vector<DeviceAllowList::File> companions_of(const VendorProfile& profile,
                                                 const Device& device) {
    const std::string path = device.files.empty() ? "" : device.files.front().path;
    const std::string number = path.substr(path.find_last_not_of("0123456789") + 1);
    std::vector<DeviceAllowList::File> companions;
    for (DeviceAllowList::File companion : profile.companions) {
        std::string& name = companion.file.path;
        const std::size_t star = name.find('*');
        if (star != std::string::npos && number.empty()) continue;
        if (star != std::string::npos) name.replace(star, 1, number);
        companions.push_back(std::move(companion));
    }
    return companions;
}

}  // namespace

std::vector<DeviceAllowList::File> allowed_files(const NodeShape& shape,
                                                 const NodePlacement& placement,
                                                 const std::vector<VendorProfile>& profiles) {
    std::vector<DeviceAllowList::File> files;
    const auto add = [&](const DeviceAllowList::File& added) {
        if (std::none_of(files.begin(), files.end(), [&](const DeviceAllowList::File& present) {
                return present.file.path == added.file.path;
            })) {
            files.push_back(added);
        }
    };
    for (const DeviceShare& share : placement.devices) {
        for (const Device::File& file : detail::device_of(shape, share).files) {
            add({file,
                 DeviceRule::Access::read_write(),
                 DeviceAllowList::File::Presence::required,
                 {}});
        }
    }
    for (const DeviceShare& share : placement.devices) {
        const Device& device = detail::device_of(shape, share);
        const VendorProfile* profile = profile_of(profiles, device);
        if (profile == nullptr) continue;
        for (const DeviceAllowList::File& companion : companions_of(*profile, device))
            add(companion);
    }
    return files;
}

std::vector<std::string> host_folders(const NodeShape& shape, const NodePlacement& placement,
                                      const std::vector<VendorProfile>& profiles) {
    std::vector<std::string> folders;
    for (const DeviceShare& share : placement.devices) {
        const VendorProfile* profile = profile_of(profiles, detail::device_of(shape, share));
        if (profile == nullptr) continue;
        for (const std::string& folder : profile->folders) {
            if (std::find(folders.begin(), folders.end(), folder) == folders.end()) {
                folders.push_back(folder);
            }
        }
    }
    return folders;
}

namespace {

/// How many numbers a device has in a variable; nothing when it does not say, or more than 4096.
std::optional<std::size_t> numbers_of(const Device& device,
                                      VendorProfile::Variable::CountedPart counted) {
    if (counted == VendorProfile::Variable::CountedPart::device) return 1;
    constexpr std::uint32_t most = 4096;
    if (!device.neuron_cores || *device.neuron_cores > most) return std::nullopt;
    return *device.neuron_cores;
}

/// The devices of a profile as the variable counts them.
std::vector<std::uint32_t> counted_devices(const NodeShape& shape,
                                           const std::vector<VendorProfile>& profiles,
                                           const VendorProfile& profile,
                                           const VendorProfile::Variable& variable) {
    std::vector<std::uint32_t> devices;
    bool have_addresses = true;
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        if (profile_of(profiles, shape.devices[i]) != &profile) continue;
        devices.push_back(i);
        have_addresses = have_addresses && !shape.devices[i].pci_bus_id.empty();
    }
    if (variable.counts_by_bus && have_addresses) {
        std::stable_sort(devices.begin(), devices.end(), [&](std::uint32_t a, std::uint32_t b) {
            return shape.devices[a].pci_bus_id < shape.devices[b].pci_bus_id;
        });
    }
    return devices;
}

/// What one variable of a profile is set to.
struct VisibleList {
    std::string text;  ///< empty when nothing can be said
    bool has_numbers = false;
};

VisibleList visible_list(const NodeShape& shape, const DeviceSet& granted,
                         const std::vector<VendorProfile>& profiles, const VendorProfile& profile,
                         const VendorProfile::Variable& variable, VendorProfile::Numbering wanted) {
    const auto knows = [&](VendorProfile::Numbering numbering) {
        return std::find(variable.numberings.begin(), variable.numberings.end(), numbering) !=
               variable.numberings.end();
    };
    std::vector<std::string> local, global, uuids;
    std::size_t position = 0;
    std::size_t devices = 0;
    for (const std::uint32_t i : counted_devices(shape, profiles, profile, variable)) {
        const Device& device = shape.devices[i];
        const auto count = numbers_of(device, variable.counted);
        if (!count) return {};
        if (granted.contains(DeviceId(i))) {
            ++devices;
            for (std::size_t n = 0; n < *count; ++n) {
                local.push_back(std::to_string(local.size()));
                global.push_back(std::to_string(position + n));
            }
            if (!device.uuid.empty()) uuids.push_back(device.uuid);
        }
        position += *count;
    }
    VendorProfile::Numbering numbering = wanted;
    const bool have_uuids = uuids.size() == devices;
    if (numbering == VendorProfile::Numbering::uuid_or_global) {
        numbering = have_uuids && knows(VendorProfile::Numbering::uuid)
                        ? VendorProfile::Numbering::uuid
                        : VendorProfile::Numbering::global;
    }
    if (numbering == VendorProfile::Numbering::uuid && !have_uuids)
        numbering = VendorProfile::Numbering::local;
    if (!knows(numbering) && !variable.numberings.empty()) numbering = variable.numberings.front();
    const bool has_numbers = numbering != VendorProfile::Numbering::uuid;
    const auto& numbers = numbering == VendorProfile::Numbering::global ? global : local;
    return {detail::join(has_numbers ? numbers : uuids, ","), has_numbers};
}

}  // namespace

std::vector<EnvironmentVariable> visibility(const NodeShape& shape, const NodePlacement& placement,
                                            const std::vector<VendorProfile>& profiles,
                                            VendorProfile::Numbering numbering) {
    const DeviceSet granted = placement.device_set();
    std::vector<EnvironmentVariable> variables;
    for (const VendorProfile& profile : profiles) {
        for (const VendorProfile::Variable& variable : profile.variables) {
            VisibleList list = visible_list(shape, granted, profiles, profile, variable, numbering);
            if (list.text.empty()) continue;
            if (list.has_numbers) {
                variables.insert(variables.end(), variable.beside_numbers.begin(),
                                 variable.beside_numbers.end());
            }
            variables.push_back(shown_variable(variable.name, std::move(list.text)));
        }
    }
    return variables;
}

std::vector<PlannedDevice> planned_devices(const NodeShape& shape, const NodePlacement& placement,
                                           const std::vector<VendorProfile>& profiles) {
    std::vector<PlannedDevice> planned;
    for (const DeviceShare& share : placement.devices) {
        const Device& device = detail::device_of(shape, share);
        PlannedDevice one{device.name,  device.type, device.index, device.vendor,
                          device.model, device.uuid, share.shares, device.shares,
                          share.slice,  {},          {},           {}};
        if (share.slice) one.profile = share.slice->profile;
        if (!device.mig_profile.empty()) one.profile = device.mig_profile;
        for (const Device::File& file : device.files) one.paths.push_back(file.path);
        if (const VendorProfile* profile = profile_of(profiles, device)) {
            for (const DeviceAllowList::File& companion : companions_of(*profile, device)) {
                const std::string& path = companion.file.path;
                if (std::find(one.paths.begin(), one.paths.end(), path) == one.paths.end()) {
                    one.paths.push_back(path);
                }
            }
            for (const VendorProfile::Variable& variable : profile->variables) {
                for (const EnvironmentVariable& beside : variable.beside_numbers) {
                    one.variables.push_back(beside.name);
                }
                one.variables.push_back(variable.name);
            }
        }
        planned.push_back(std::move(one));
    }
    return planned;
}

}  // namespace trestle
