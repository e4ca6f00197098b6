// SPDX-License-Identifier: Apache-2.0
#pragma once

// Device kits: what must be open beside a vendor's device, and which variable shows it, as data.
//
// Layer: enforce. Main types: AllowedFile, DeviceAllowList (rules and files that become rules when
// the plan is applied), DeviceKit. A device without a kit works from its own files alone.
// A reader would get wrong: access (the filter) and visibility (the variable) are separate; a
// variable alone keeps nobody out.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/device_rules.hpp"
#include "trestle/model/device.hpp"

namespace trestle {

/// Whether a device file has to exist when the plan is applied.
enum class Presence { required, optional };

constexpr auto enum_names(Presence) {
    return std::array{named(Presence::required, "required"), named(Presence::optional, "optional")};
}

/// A device file that the filter admits. Its numbers may be unknown when the plan is made: whoever
/// applies the plan looks at the file, or, where it does not exist yet, takes the major number that
/// /proc/devices gives for `driver` together with `file.minor`.
struct AllowedFile {
    DeviceFile file;
    DeviceAccess access = DeviceAccess::read_write();
    Presence presence = Presence::required;
    std::string driver;  ///< name in /proc/devices; empty: look at the file only

    static constexpr auto fields() {
        return field_list(
            field("file", &AllowedFile::file), field("access", &AllowedFile::access),
            field("presence", &AllowedFile::presence), field("driver", &AllowedFile::driver));
    }
    friend bool operator==(const AllowedFile&, const AllowedFile&) = default;
};

/// `/dev/nvidia0 (c 195:0) rw`, `/dev/nvidia-uvm (c ?:0 of nvidia-uvm) rw if present`.
[[nodiscard]] inline std::string to_text(const AllowedFile& allowed) {
    const auto number = [](const std::optional<std::uint32_t>& n) {
        return n ? std::to_string(*n) : std::string("?");
    };
    const DeviceFile& file = allowed.file;
    std::string text = file.path;
    text += file.kind == DeviceFile::Kind::block ? " (b " : " (c ";
    text += number(file.major) + ":" + number(file.minor);
    if (!allowed.driver.empty()) text += " of " + allowed.driver;
    text += ") " + to_text(allowed.access);
    return allowed.presence == Presence::required ? text : text + " if present";
}

/// What a group may open: rules with known numbers, and files.
struct DeviceAllowList {
    DeviceRules rules;
    std::vector<AllowedFile> files;

    static constexpr auto fields() {
        return field_list(field("rules", &DeviceAllowList::rules),
                          field("files", &DeviceAllowList::files));
    }
    friend bool operator==(const DeviceAllowList&, const DeviceAllowList&) = default;
};

/// All rules of the list, files turned into rules by their numbers. An optional file without
/// numbers is left out.
/// Errors: NotFound that names a required file without numbers.
[[nodiscard]] inline StatusOr<DeviceRules> resolved_rules(const DeviceAllowList& list) {
    DeviceRules rules = list.rules;
    for (const AllowedFile& allowed : list.files) {
        const DeviceFile& file = allowed.file;
        if (file.major && file.minor) {
            rules.add({file.kind, file.major, file.minor, allowed.access});
        } else if (allowed.presence == Presence::required) {
            return not_found("{}: no such device, its major and minor number are unknown",
                             file.path);
        }
    }
    return rules;
}

/// How a visibility variable counts devices.
enum class DeviceNumbering {
    local,   ///< from 0 among those granted: what a program sees when the filter hides the others
    global,  ///< among all of the node: for programs that can open every device
    uuid,    ///< by UUID; local where a device has none
};

constexpr auto enum_names(DeviceNumbering) {
    return std::array{named(DeviceNumbering::local, "local"),
                      named(DeviceNumbering::global, "global"),
                      named(DeviceNumbering::uuid, "uuid")};
}

/// What one vendor's devices need.
struct DeviceKit {
    std::string vendor;       ///< Device::vendor
    std::string name;         ///< Device::name
    std::string file_prefix;  ///< recognises a device whose vendor is unknown; empty: never
    std::vector<AllowedFile> companions;
    std::vector<std::string> variables;  ///< list the visible devices, separated by commas

    static constexpr auto fields() {
        return field_list(field("vendor", &DeviceKit::vendor), field("name", &DeviceKit::name),
                          field("file_prefix", &DeviceKit::file_prefix),
                          field("companions", &DeviceKit::companions),
                          field("variables", &DeviceKit::variables));
    }
    friend bool operator==(const DeviceKit&, const DeviceKit&) = default;

    /// True when the kit is for `device`: the vendor says so, or, when no vendor is known (a
    /// gres.conf line has none), its first file.
    [[nodiscard]] bool is_for(const Device& device) const {
        if (device.name != name) return false;
        if (!device.vendor.empty()) return device.vendor == vendor;
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
            {"CUDA_VISIBLE_DEVICES"}};
}

/// AMD: the compute node that all GPUs share. The render node is the device's own file, and amdkfd
/// itself asks the filter for it (kfd_devcgroup_check_permission).
[[nodiscard]] inline DeviceKit amd_kit() {
    return {"amd",
            "gpu",
            "",
            {{{"/dev/kfd", DeviceFile::Kind::character, {}, 0},
              DeviceAccess::read_write(),
              Presence::optional,
              "kfd"}},
            {"ROCR_VISIBLE_DEVICES"}};
}

[[nodiscard]] inline std::vector<DeviceKit> standard_device_kits() {
    return {nvidia_kit(), amd_kit()};
}

}  // namespace trestle
