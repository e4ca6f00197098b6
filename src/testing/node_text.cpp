// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/node_text.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "detail/description_of.hpp"
#include "detail/node_parser.hpp"
#include "testing/detail/node_lines.hpp"
#include "testing/detail/sizes.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

namespace testing {

namespace detail {

namespace {

std::string device_word(const NodeDescription::Devices& devices) {
    std::string text = devices.name;
    if (!devices.type.empty() || !devices.memory.is_zero()) text += ":" + devices.type;
    if (!devices.memory.is_zero()) text += "-" + size_text(devices.memory);
    if (devices.count != 1) text += ":" + std::to_string(devices.count);
    if (text.find(':') == text.npos) text += ":1";
    if (devices.shares != Count(1)) text += "/" + std::to_string(devices.shares.value());
    if (devices.linking != NodeDescription::Devices::Linking::none) {
        text +=
            devices.linking == NodeDescription::Devices::Linking::all ? "@nvlink" : "@nvlink-pairs";
        if (devices.link_strength != 1) text += "*" + std::to_string(devices.link_strength);
    }
    if (devices.nearness == NodeDescription::Devices::Nearness::anywhere) text += "@any";
    if (devices.nearness == NodeDescription::Devices::Nearness::package)
        text += "@s" + std::to_string(devices.package);
    for (const std::uint32_t number : devices.switches) {
        text += "@switch" + std::to_string(number);
    }
    if (devices.reserved_cores != 0) text += "@reserve" + std::to_string(devices.reserved_cores);
    if (!devices.slice_geometry.empty()) text += "@slices=" + devices.slice_geometry;
    if (devices.health != Health::healthy) text += "@" + std::string(to_text(devices.health));
    if (devices.is_drained) text += "@drained";
    return text;
}

}  // namespace

TextResult<NodeDescription> parse_node(TextCursor text) { return NodeParser().parse(text); }

std::string node_line(const NodeDescription& node) {
    const NodeDescription defaults;
    std::string text;
    if (node.packages != 1) text += std::to_string(node.packages) + "s";
    text += std::to_string(node.cores_per_package) + "c";
    if (node.threads_per_core != 1) {
        text += std::to_string(node.threads_per_core) + "t";
    }
    if (node.efficiency_cores_per_package != 0) {
        text += "+" + std::to_string(node.efficiency_cores_per_package) + "e";
    }
    const auto add = [&](const char* key, bool is_default, const auto& value) {
        if (!is_default) text += std::string(" ") + key + "=" + value;
    };
    const auto add_size = [&](const char* key, Bytes size) {
        add(key, size.is_zero(), size_text(size));
    };
    add_size("mem", node.memory);
    add("numa", node.domains_per_package == defaults.domains_per_package,
        std::to_string(node.domains_per_package));
    add("l3", node.l3_per_package == defaults.l3_per_package, std::to_string(node.l3_per_package));
    add("system", node.system_cores.is_empty(), trestle::to_text(node.system_cores));
    add_size("hbm", node.high_bandwidth);
    add_size("pmem", node.persistent);
    add_size("disk", node.disk);
    add("arch", node.architecture == defaults.architecture,
        std::string(to_text(node.architecture)));
    for (const NodeDescription::Devices& devices : node.devices) {
        text += " " + device_word(devices);
    }
    std::string features;
    for (const std::string& feature : node.features) {
        features += (features.empty() ? "" : ",") + feature;
    }
    add("name", node.name.empty(), node.name);
    add("features", features.empty(), features);
    add("weight", node.weight == defaults.weight, std::to_string(node.weight));
    add("state", node.state == defaults.state, std::string(to_text(node.state)));
    add("health", node.health == defaults.health, std::string(to_text(node.health)));
    return text;
}

}  // namespace detail

StatusOr<Node> node_from_text(std::string_view text) {
    const auto description = detail::parse_node(TextCursor(text));
    if (!description) return to_status("node", description.error());
    return make_node(*description);
}

std::optional<std::string> node_to_text(const Node& node) {
    const auto description = detail::description_of(node);
    if (!description) return std::nullopt;
    std::string text = detail::node_line(*description);
    const auto again = node_from_text(text);
    if (!again.ok() || *again != node) return std::nullopt;
    return text;
}

}  // namespace testing

}  // namespace trestle
