// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/device/device_rules.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

namespace trestle {

std::string to_text(DeviceRule::Access access) {
    std::string text;
    if (access.can_read) text += 'r';
    if (access.can_write) text += 'w';
    if (access.can_mknod) text += 'm';
    return text.empty() ? "-" : text;
}

std::string to_text(const DeviceRule& rule) {
    const auto number = [](const std::optional<std::uint32_t>& n) {
        return n ? std::to_string(*n) : std::string("*");
    };
    return std::string(rule.kind == Device::File::Kind::block ? "b " : "c ") + number(rule.major) +
           ":" + number(rule.minor) + " " + to_text(rule.access);
}

void DeviceRules::add(const DeviceRule& rule) {
    if (rule.access.is_none()) return;
    const auto order = [](const DeviceRule& r) { return std::tuple(r.kind, r.major, r.minor); };
    const auto at = std::lower_bound(
        rules.begin(), rules.end(), rule,
        [&](const DeviceRule& a, const DeviceRule& b) { return order(a) < order(b); });
    if (at != rules.end() && order(*at) == order(rule)) {
        at->access = at->access | rule.access;
    } else {
        rules.insert(at, rule);
    }
}

bool allowed(const DeviceRules& rules, const DeviceRules::Probe& probe) {
    const DeviceRule device{probe.kind, probe.major, probe.minor, {}};
    DeviceRule::Access granted;
    for (const DeviceRule& rule : rules.rules) {
        if (rule.matches(device)) granted = granted | rule.access;
    }
    return !granted.is_none() && (probe.access.bits() & ~granted.bits()) == 0;
}

DeviceRules pseudo_devices() {
    DeviceRules rules;
    const auto add = [&](std::uint32_t major, std::optional<std::uint32_t> minor) {
        rules.add({Device::File::Kind::character, major, minor, DeviceRule::Access::all()});
    };
    for (const std::uint32_t minor : {3u, 5u, 7u, 8u, 9u}) add(1, minor);
    add(5, 0);
    add(5, 2);
    add(136, std::nullopt);
    return rules;
}

}  // namespace trestle
