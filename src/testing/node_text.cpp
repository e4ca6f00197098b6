// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/node_text.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "trestle/base/status.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

namespace testing {

std::string to_text(const DeviceSpec& devices) {
    std::string text = devices.name;
    if (!devices.type.empty() || !devices.memory.is_zero()) text += ":" + devices.type;
    if (!devices.memory.is_zero()) text += "-" + detail::size_text(devices.memory);
    if (devices.count != 1) text += ":" + std::to_string(devices.count);
    if (text.find(':') == text.npos) text += ":1";
    if (devices.shares != Count(1)) text += "/" + std::to_string(devices.shares.value());
    if (devices.linking != Linking::none) {
        text += devices.linking == Linking::all ? "@nvlink" : "@nvlink-pairs";
        if (devices.strength != 1) text += "*" + std::to_string(devices.strength);
    }
    if (devices.nearness == Nearness::anywhere) text += "@any";
    if (devices.nearness == Nearness::socket) text += "@s" + std::to_string(devices.socket);
    for (const std::uint32_t number : devices.switches) {
        text += "@switch" + std::to_string(number);
    }
    if (devices.reserved != 0) text += "@reserve" + std::to_string(devices.reserved);
    if (!devices.slices.empty()) text += "@slices=" + devices.slices;
    if (devices.health != Health::healthy) text += "@" + std::string(to_text(devices.health));
    if (devices.is_drained) text += "@drained";
    return text;
}

std::string to_text(const NodeSpec& spec) {
    const NodeSpec defaults;
    std::string text;
    if (spec.sockets != 1) text += std::to_string(spec.sockets) + "s";
    text += std::to_string(spec.cores) + "c";
    if (spec.threads != 1) text += std::to_string(spec.threads) + "t";
    const auto add = [&](const char* key, bool is_default, const auto& value) {
        if (!is_default) text += std::string(" ") + key + "=" + value;
    };
    const auto add_size = [&](const char* key, Bytes size) {
        add(key, size.is_zero(), detail::size_text(size));
    };
    add_size("mem", spec.memory);
    add("numa", spec.numa == defaults.numa, std::to_string(spec.numa));
    add("l3", spec.l3 == defaults.l3, std::to_string(spec.l3));
    add("system", spec.system_cores.is_empty(), trestle::to_text(spec.system_cores));
    add_size("hbm", spec.high_bandwidth);
    add_size("pmem", spec.persistent);
    add_size("disk", spec.disk);
    add("arch", spec.architecture == defaults.architecture,
        std::string(to_text(spec.architecture)));
    for (const DeviceSpec& devices : spec.devices) text += " " + to_text(devices);
    std::string features;
    for (const std::string& feature : spec.features) {
        features += (features.empty() ? "" : ",") + feature;
    }
    add("name", spec.name.empty(), spec.name);
    add("features", features.empty(), features);
    add("weight", spec.weight == defaults.weight, std::to_string(spec.weight));
    add("state", spec.state == defaults.state, std::string(to_text(spec.state)));
    add("health", spec.health == defaults.health, std::string(to_text(spec.health)));
    return text;
}

StatusOr<Node> node_from_text(std::string_view text) {
    const auto spec = parse_node_spec(TextCursor(text));
    if (!spec) return to_status("node", spec.error());
    return to_node(*spec);
}

std::optional<std::string> node_to_text(const Node& node) {
    const auto spec = spec_of(node);
    if (!spec) return std::nullopt;
    std::string text = to_text(*spec);
    const auto again = node_from_text(text);
    if (!again.ok() || *again != node) return std::nullopt;
    return text;
}

}  // namespace testing

}  // namespace trestle
