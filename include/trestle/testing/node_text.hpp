// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nodes from one line and back: node_from_text("2s16c2t mem=512G gpu:a100-80G:8@nvlink nic:2").
//
// Layer: testing. The first word is the hardware: `2s16c2t`, 2 sockets of 16 cores of 2 threads;
// `s` and `t` may be left out. Then, separated by blanks, in any order, all optional:
//   mem=512G numa=2 l3=4 system=0-1   memory of the node; domains, caches of a socket; core ids
//   hbm=64G pmem=1T disk=2T           memory-only domains, one a socket; local disk
//   arch=arm name=n0 weight=2 features=a,b state=drained health=warning
//   NAME[:TYPE][-SIZE][:COUNT][/SHARES][@WORD]...: devices such as gpu:a100-80G:8/4@nvlink@s1
//     WORD nvlink, nvlink-pairs, both with *STRENGTH; any, s0, s1...: near to, by default spread;
//     switch0...: PCI switches above, outermost first; reserve2: cores of each for its users only;
//     slices=a100-40gb; warning, failure, unknown, drained
// A reader would get wrong: mem= is the whole node's, and devices are dealt to sockets in order.

#include <optional>
#include <string>
#include <string_view>

#include "trestle/base/status.hpp"
#include "trestle/set/text.hpp"
#include "trestle/testing/detail/node_parser.hpp"
#include "trestle/testing/detail/node_spec_of.hpp"
#include "trestle/testing/node_spec.hpp"

namespace trestle::testing {

/// Reads the spec of one node, all of `text`.
[[nodiscard]] inline TextResult<NodeSpec> parse_node_spec(TextCursor text) {
    return detail::NodeParser().parse(text);
}

/// The canonical text: what has its default is left out, parse_node_spec reads it back.
[[nodiscard]] inline std::string to_text(const DeviceSpec& devices) {
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

[[nodiscard]] inline std::string to_text(const NodeSpec& spec) {
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

/// The node that a line describes.
/// Errors: InvalidArgument, one line: what is wrong, the offset and word, what was expected.
[[nodiscard]] inline StatusOr<Node> node_from_text(std::string_view text) {
    const auto spec = parse_node_spec(TextCursor(text));
    if (!spec) return to_status("node", spec.error());
    return to_node(*spec);
}

/// The line that makes this very node: node_from_text(*node_to_text(x)) == x. Nothing when no line
/// does: the node is irregular, or has what lines cannot say, such as device files.
[[nodiscard]] inline std::optional<std::string> node_to_text(const Node& node) {
    const auto spec = spec_of(node);
    if (!spec) return std::nullopt;
    std::string text = to_text(*spec);
    const auto again = node_from_text(text);
    if (!again.ok() || *again != node) return std::nullopt;
    return text;
}

}  // namespace trestle::testing
