// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/device/allow_list.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include "enforce/device/resolved_rules.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

std::string to_text(const DeviceAllowList::File& allowed) {
    const auto number = [](const std::optional<std::uint32_t>& n) {
        return n ? std::to_string(*n) : std::string("?");
    };
    const Device::File& file = allowed.file;
    std::string text = file.path;
    text += file.kind == Device::File::Kind::block ? " (b " : " (c ";
    text += number(file.major) + ":" + number(file.minor);
    if (!allowed.driver.empty()) text += " of " + allowed.driver;
    text += ") " + to_text(allowed.access);
    return allowed.presence == DeviceAllowList::File::Presence::required ? text
                                                                         : text + " if present";
}

StatusOr<DeviceRules> resolved_rules(const DeviceAllowList& list) {
    DeviceRules rules = list.rules;
    for (const DeviceAllowList::File& allowed : list.files) {
        const Device::File& file = allowed.file;
        if (file.major && file.minor) {
            rules.add({file.kind, file.major, file.minor, allowed.access});
        } else if (allowed.presence == DeviceAllowList::File::Presence::required) {
            return not_found("{}: no such device, its major and minor number are unknown",
                             file.path);
        }
    }
    return rules;
}

}  // namespace trestle
