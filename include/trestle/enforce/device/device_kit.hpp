// SPDX-License-Identifier: Apache-2.0
#pragma once

// Device kits: what must be open beside a vendor's device, and which variable shows it, as data.
//
// Layer: enforce. Main types: DeviceKit, VisibilityVariable, DeviceNumbering, PlannedDevice;
// allowed_files, visibility, host_folders and planned_devices apply kits to a placement. A device
// without a kit works from its own files alone; a caller's own kit is one more in the list.
// A reader would get wrong: access (the filter) and visibility (the variable) are separate; a
// variable alone keeps nobody out.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/text.hpp"
#include "trestle/enforce/detail/join.hpp"
#include "trestle/enforce/detail/taken.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/process/environment.hpp"
#include "trestle/model/device.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// How a visibility variable counts devices.
enum class DeviceNumbering {
    local,   ///< from 0 among those granted: what a program sees when the filter hides the others
    global,  ///< among all of the node: for programs that can open every device
    uuid,    ///< by UUID; local unless every granted device has one
    /// Right whether a filter hides the others or not, by UUID, where every granted device has one
    /// and the variable knows them; else global, which with the others hidden may show no device,
    /// and without never shows somebody else's.
    uuid_or_global,
};

constexpr auto enum_names(DeviceNumbering) {
    return std::array{named(DeviceNumbering::local, "local"),
                      named(DeviceNumbering::global, "global"),
                      named(DeviceNumbering::uuid, "uuid"),
                      named(DeviceNumbering::uuid_or_global, "uuid_or_global")};
}

/// A variable that lists the visible devices, separated by commas.
struct VisibilityVariable {
    std::string name;
    /// What its reader understands. The plan's numbering if that is among them, else the first.
    /// A variable that knows local alone counts what another variable leaves (GPU_DEVICE_ORDINAL),
    /// so that it is right without a filter too.
    std::vector<DeviceNumbering> numberings = {DeviceNumbering::local, DeviceNumbering::global,
                                               DeviceNumbering::uuid};
    /// The attribute that says how many numbers in a row each device has, such as one for each of
    /// its cores; empty: one. Where a device of the kit does not have it, nothing is set.
    std::string count_attribute = {};

    static constexpr auto fields(auto list) {
        return list(field("name", &VisibilityVariable::name),
                    field("numberings", &VisibilityVariable::numberings),
                    field("count_attribute", &VisibilityVariable::count_attribute));
    }
    friend bool operator==(const VisibilityVariable&, const VisibilityVariable&) = default;
};

/// What one vendor's devices need.
struct DeviceKit {
    std::string vendor;       ///< Device::vendor; empty: any, the files decide
    std::string name;         ///< Device::name
    std::string file_prefix;  ///< recognises a device whose vendor is unknown; empty: never
    /// Open beside the device. A `*` in a path stands for the number at the end of the device's
    /// first file, so that each device has its own; one without a number has none.
    std::vector<AllowedFile> companions;
    std::vector<VisibilityVariable> variables;
    std::vector<std::string> folders = {};  ///< of the host, that its programs use where they exist

    static constexpr auto fields(auto list) {
        return list(field("vendor", &DeviceKit::vendor), field("name", &DeviceKit::name),
                    field("file_prefix", &DeviceKit::file_prefix),
                    field("companions", &DeviceKit::companions),
                    field("variables", &DeviceKit::variables),
                    field("folders", &DeviceKit::folders));
    }
    friend bool operator==(const DeviceKit&, const DeviceKit&) = default;

    /// True when the kit is for `device`: the vendor says so, or, when kit or device names none (a
    /// gres.conf line has none), its first file.
    [[nodiscard]] bool is_for(const Device& device) const {
        if (device.name != name) return false;
        if (!vendor.empty() && !device.vendor.empty()) return device.vendor == vendor;
        return !file_prefix.empty() && !device.files.empty() &&
               device.files.front().path.starts_with(file_prefix);
    }
};

/// NVIDIA: control, unified memory and modeset nodes. The majors of the uvm nodes are dynamic, and
/// the nodes appear at the first use of the driver (nvidia-modprobe).
[[nodiscard]] inline DeviceKit nvidia_kit() {
    using enum Presence;
    constexpr auto character = DeviceFile::Kind::character;
    constexpr auto rw = DeviceAccess::read_write();
    return {"nvidia",
            "gpu",
            "/dev/nvidia",
            {{{"/dev/nvidiactl", character, 195, 255}, rw, optional, ""},
             {{"/dev/nvidia-modeset", character, 195, 254}, rw, optional, ""},
             {{"/dev/nvidia-uvm", character, {}, 0}, rw, optional, "nvidia-uvm"},
             {{"/dev/nvidia-uvm-tools", character, {}, 1}, rw, optional, "nvidia-uvm"}},
            {{"CUDA_VISIBLE_DEVICES"}}};
}

/// AMD: the compute node that all GPUs share. The render node is the device's own file, and amdkfd
/// itself asks the filter for it (kfd_devcgroup_check_permission). What ROCR_VISIBLE_DEVICES leaves
/// is counted from 0 by the runtimes above it, which read GPU_DEVICE_ORDINAL (ROCm documentation,
/// GPU isolation techniques).
[[nodiscard]] inline DeviceKit amd_kit() {
    return {"amd",
            "gpu",
            "",
            {{{"/dev/kfd", DeviceFile::Kind::character, {}, 0},
              DeviceAccess::read_write(),
              Presence::optional,
              "kfd"}},
            {{"ROCR_VISIBLE_DEVICES"}, {"GPU_DEVICE_ORDINAL", {DeviceNumbering::local}}}};
}

/// Intel: card and render node are the device's own files. The mask has numbers only.
[[nodiscard]] inline DeviceKit intel_kit() {
    using enum DeviceNumbering;
    return {"intel", "gpu", "", {}, {{"ZE_AFFINITY_MASK", {local, global}}}};
}

/// Intel Gaudi: a node to control each card beside that to use it. The variable is read outside of
/// the job, by the vendor's container runtime, which knows all cards of the node.
[[nodiscard]] inline DeviceKit gaudi_kit() {
    return {"habana",
            "gpu",
            "/dev/accel/accel",
            {{{"/dev/accel/accel_controlD*", DeviceFile::Kind::character, {}, {}},
              DeviceAccess::read_write(),
              Presence::optional,
              ""}},
            {{"HABANA_VISIBLE_DEVICES", {DeviceNumbering::global}}}};
}

/// AWS Neuron: the runtime counts cores, of which a device has several (attribute `neuron_cores`).
[[nodiscard]] inline DeviceKit neuron_kit() {
    using enum DeviceNumbering;
    return {"amazon",
            "gpu",
            "/dev/neuron",
            {},
            {{"NEURON_RT_VISIBLE_CORES", {local, global}, "neuron_cores"}}};
}

/// What is reached through VFIO, as TPUs are since v5: the container that holds its groups. Older
/// TPUs need their own file alone. No variable is set: TPU_VISIBLE_CHIPS wants the shape of the
/// chips beside it, which the framework knows.
[[nodiscard]] inline DeviceKit vfio_kit() {
    return {"",
            "gpu",
            "/dev/vfio/",
            {{{"/dev/vfio/vfio", DeviceFile::Kind::character, 10, 196},
              DeviceAccess::read_write(),
              Presence::optional,
              ""}},
            {}};
}

/// Tenstorrent: the driver shares huge pages with the cards, where some are set aside.
[[nodiscard]] inline DeviceKit tenstorrent_kit() {
    return {"tenstorrent", "gpu", "/dev/tenstorrent/", {}, {}, {"/dev/hugepages-1G"}};
}

/// RDMA adapters of any maker: connections are made through the one node that all of them share.
[[nodiscard]] inline DeviceKit rdma_kit() {
    return {"",
            "nic",
            "/dev/infiniband/",
            {{{"/dev/infiniband/rdma_cm", DeviceFile::Kind::character, {}, {}},
              DeviceAccess::read_write(),
              Presence::optional,
              ""}},
            {}};
}

[[nodiscard]] inline std::vector<DeviceKit> standard_device_kits() {
    return {nvidia_kit(), amd_kit(),  intel_kit(),       gaudi_kit(),
            neuron_kit(), vfio_kit(), tenstorrent_kit(), rdma_kit()};
}

/// The kit for a device: the first that fits, or none.
[[nodiscard]] inline const DeviceKit* kit_of(const std::vector<DeviceKit>& kits,
                                             const Device& device) {
    const auto at = std::find_if(kits.begin(), kits.end(),
                                 [&](const DeviceKit& kit) { return kit.is_for(device); });
    return at == kits.end() ? nullptr : &*at;
}

/// The kit's companions for one device, each `*` filled in.
[[nodiscard]] inline std::vector<AllowedFile> companions_of(const DeviceKit& kit,
                                                            const Device& device) {
    const std::string path = device.files.empty() ? "" : device.files.front().path;
    const std::string number = path.substr(path.find_last_not_of("0123456789") + 1);
    std::vector<AllowedFile> companions;
    for (AllowedFile companion : kit.companions) {
        std::string& name = companion.file.path;
        const std::size_t star = name.find('*');
        if (star != std::string::npos && number.empty()) continue;
        if (star != std::string::npos) name.replace(star, 1, number);
        companions.push_back(std::move(companion));
    }
    return companions;
}

/// The files of the placement's devices, then the companions that their kits name, each path once.
/// Requires: the devices exist.
[[nodiscard]] inline std::vector<AllowedFile> allowed_files(const NodeShape& shape,
                                                            const NodePlacement& placement,
                                                            const std::vector<DeviceKit>& kits) {
    std::vector<AllowedFile> files;
    const auto add = [&](const AllowedFile& added) {
        if (std::none_of(files.begin(), files.end(), [&](const AllowedFile& present) {
                return present.file.path == added.file.path;
            })) {
            files.push_back(added);
        }
    };
    for (const DeviceShare& share : placement.devices) {
        for (const DeviceFile& file : detail::device_of(shape, share).files) {
            add({file, DeviceAccess::read_write(), Presence::required, {}});
        }
    }
    for (const DeviceShare& share : placement.devices) {
        const Device& device = detail::device_of(shape, share);
        const DeviceKit* kit = kit_of(kits, device);
        if (kit == nullptr) continue;
        for (const AllowedFile& companion : companions_of(*kit, device)) add(companion);
    }
    return files;
}

/// The folders that the kits of the placement's devices name, each once. Requires: the devices
/// exist.
[[nodiscard]] inline std::vector<std::string> host_folders(const NodeShape& shape,
                                                           const NodePlacement& placement,
                                                           const std::vector<DeviceKit>& kits) {
    std::vector<std::string> folders;
    for (const DeviceShare& share : placement.devices) {
        const DeviceKit* kit = kit_of(kits, detail::device_of(shape, share));
        if (kit == nullptr) continue;
        for (const std::string& folder : kit->folders) {
            if (std::find(folders.begin(), folders.end(), folder) == folders.end()) {
                folders.push_back(folder);
            }
        }
    }
    return folders;
}

namespace detail {

/// How many numbers a device has in a variable; nothing when it does not say.
[[nodiscard]] inline std::optional<std::size_t> numbers_of(const Device& device,
                                                           const std::string& attribute) {
    if (attribute.empty()) return 1;
    for (const Attribute& one : device.attributes) {
        if (one.name != attribute) continue;
        TextCursor cursor(one.value);
        const auto number = cursor.take_number();
        constexpr std::uint64_t most = 4096;
        if (number && cursor.at_end() && *number <= most) return static_cast<std::size_t>(*number);
    }
    return std::nullopt;
}

/// The value of one variable of a kit; empty when nothing can be said.
[[nodiscard]] inline std::string visible_list(const NodeShape& shape, const DeviceSet& granted,
                                              const std::vector<DeviceKit>& kits,
                                              const DeviceKit& kit,
                                              const VisibilityVariable& variable,
                                              DeviceNumbering wanted) {
    const auto knows = [&](DeviceNumbering numbering) {
        return std::find(variable.numberings.begin(), variable.numberings.end(), numbering) !=
               variable.numberings.end();
    };
    std::vector<std::string> local, global, uuids;
    std::size_t position = 0;
    std::size_t devices = 0;
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        const Device& device = shape.devices[i];
        if (kit_of(kits, device) != &kit) continue;
        const auto count = numbers_of(device, variable.count_attribute);
        if (!count) return "";
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
    DeviceNumbering numbering = wanted;
    const bool have_uuids = uuids.size() == devices;
    if (numbering == DeviceNumbering::uuid_or_global) {
        numbering = have_uuids && knows(DeviceNumbering::uuid) ? DeviceNumbering::uuid
                                                               : DeviceNumbering::global;
    }
    if (numbering == DeviceNumbering::uuid && !have_uuids) numbering = DeviceNumbering::local;
    if (!knows(numbering) && !variable.numberings.empty()) numbering = variable.numberings.front();
    return join(numbering == DeviceNumbering::uuid     ? uuids
                : numbering == DeviceNumbering::global ? global
                                                       : local,
                ",");
}

}  // namespace detail

/// The visibility variables of all kits of which the placement has a device, in the order of the
/// kits. Requires: the devices exist.
[[nodiscard]] inline std::vector<EnvironmentVariable> visibility(const NodeShape& shape,
                                                                 const NodePlacement& placement,
                                                                 const std::vector<DeviceKit>& kits,
                                                                 DeviceNumbering numbering) {
    const DeviceSet granted = placement.device_set();
    std::vector<EnvironmentVariable> variables;
    for (const DeviceKit& kit : kits) {
        for (const VisibilityVariable& variable : kit.variables) {
            std::string list = detail::visible_list(shape, granted, kits, kit, variable, numbering);
            if (!list.empty()) variables.push_back(shown_variable(variable.name, std::move(list)));
        }
    }
    return variables;
}

/// A device that a plan hands out: what a container runtime has to know of it.
struct PlannedDevice {
    std::string name;         ///< `gpu`
    std::string type;         ///< `a100`
    std::uint32_t index = 0;  ///< among the node's devices of this name
    std::string vendor;
    std::string model;
    std::string uuid;
    Count shares{1};            ///< taken of shares_max
    Count shares_max{1};        ///< what the device can be cut into
    Rare<SliceInstance> slice;  ///< absent: shares of the uncut device
    std::string profile;  ///< of the slice, or of the instance that the device is; empty: whole
    std::vector<std::string> paths;  ///< its own files, then those of its kit

    static constexpr auto fields(auto list) {
        return list(
            field("name", &PlannedDevice::name), field("type", &PlannedDevice::type),
            field("index", &PlannedDevice::index), field("vendor", &PlannedDevice::vendor),
            field("model", &PlannedDevice::model), field("uuid", &PlannedDevice::uuid),
            field("shares", &PlannedDevice::shares),
            field("shares_max", &PlannedDevice::shares_max), field("slice", &PlannedDevice::slice),
            field("profile", &PlannedDevice::profile), field("paths", &PlannedDevice::paths));
    }
    friend bool operator==(const PlannedDevice&, const PlannedDevice&) = default;
};

/// The devices of the placement, in its order. Requires: the devices exist.
[[nodiscard]] inline std::vector<PlannedDevice> planned_devices(
    const NodeShape& shape, const NodePlacement& placement, const std::vector<DeviceKit>& kits) {
    std::vector<PlannedDevice> planned;
    for (const DeviceShare& share : placement.devices) {
        const Device& device = detail::device_of(shape, share);
        PlannedDevice one{device.name, device.type,  device.index,  device.vendor, device.model,
                          device.uuid, share.shares, device.shares, share.slice,   {},
                          {}};
        if (share.slice) one.profile = share.slice->profile;
        for (const Attribute& attribute : device.attributes) {
            if (attribute.name == "mig_profile") one.profile = attribute.value;
        }
        for (const DeviceFile& file : device.files) one.paths.push_back(file.path);
        if (const DeviceKit* kit = kit_of(kits, device)) {
            for (const AllowedFile& companion : companions_of(*kit, device)) {
                const std::string& path = companion.file.path;
                if (std::find(one.paths.begin(), one.paths.end(), path) == one.paths.end()) {
                    one.paths.push_back(path);
                }
            }
        }
        planned.push_back(std::move(one));
    }
    return planned;
}

}  // namespace trestle
