// SPDX-License-Identifier: Apache-2.0
#pragma once

// The allow-list of a group: rules with known numbers, and files whose numbers are looked up late.
//
// Layer: enforce. Main types: DeviceAllowList::File, DeviceAllowList.
// Pitfall: major numbers of some drivers differ from boot to boot. So the files are read again when
// a plan is applied, even if the plan already shows their numbers.

#include <array>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/enforce/device/device_rules.hpp"
#include "trestle/model/device.hpp"

namespace trestle {

/// What a group may open: rules with known numbers, and files.
struct DeviceAllowList {
    /// A device file that the filter admits. Its numbers may be unknown when the plan is made. The
    /// enforcer then reads them from the file. If the file does not exist yet, it takes the major
    /// number that /proc/devices gives for `driver`, and `file.minor`.
    struct File {
        /// Whether a device file has to exist when the plan is applied.
        enum class Presence { required, optional };

        Device::File file;
        DeviceRule::Access access = DeviceRule::Access::read_write();
        Presence presence = Presence::required;
        std::string driver;  ///< name in /proc/devices; empty: look at the file only

        static constexpr auto fields(auto list) {
            return list(field("file", &File::file), field("access", &File::access),
                        field("presence", &File::presence), field("driver", &File::driver));
        }
        friend bool operator==(const File&, const File&) = default;
    };

    DeviceRules rules;
    std::vector<File> files;

    static constexpr auto fields(auto list) {
        return list(field("rules", &DeviceAllowList::rules),
                    field("files", &DeviceAllowList::files));
    }
    friend bool operator==(const DeviceAllowList&, const DeviceAllowList&) = default;
};

constexpr auto enum_names(DeviceAllowList::File::Presence) {
    return std::array{named(DeviceAllowList::File::Presence::required, "required"),
                      named(DeviceAllowList::File::Presence::optional, "optional")};
}

/// `/dev/nvidia0 (c 195:0) rw`, `/dev/nvidia-uvm (c ?:0 of nvidia-uvm) rw if present`.
[[nodiscard]] std::string to_text(const DeviceAllowList::File& allowed);

}  // namespace trestle
