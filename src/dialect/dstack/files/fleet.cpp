// SPDX-License-Identifier: Apache-2.0
// `type: fleet`.
#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "../readers.hpp"
#include "../scalars.hpp"

namespace trestle::dstack {
namespace {

constexpr std::string_view fleet_nodes_words = "a count, min..max or {min, target, max}";

constexpr std::array<std::string_view, 19> fleet_keys{
    "type",           "name",        "env",    "ssh_config", "nodes",         "placement",
    "reservation",    "resources",   "blocks", "backends",   "regions",       "availability_zones",
    "instance_types", "spot_policy", "retry",  "max_price",  "idle_duration", "tags",
    "backend_options"};
constexpr std::array<std::string_view, 7> ssh_keys{
    "user", "port", "identity_file", "ssh_key", "proxy_jump", "hosts", "network"};
constexpr std::array<std::string_view, 8> host_keys{
    "hostname", "port", "user", "identity_file", "ssh_key", "proxy_jump", "internal_ip", "blocks"};

struct NodesDraft {
    std::optional<Count> min;
    std::optional<Count> target;
    std::optional<Count> max;
};

TextResult<Count> read_one_count(std::string_view text) { return read_trimmed(text, &read_whole); }

TextResult<NodesDraft> read_nodes_text(std::string_view text) {
    if (text == "..") return NodesDraft{};  // from none on
    const auto range = read_count_range(text);
    if (!range) return range.error();
    return NodesDraft{range->min, std::nullopt, range->max};
}

template <std::optional<Count> NodesDraft::*field>
void read_nodes_part(SpecReader& reader, NodesDraft& draft, const YAML::Node& node) {
    if (!node.IsNull()) reader.text((draft.*field).emplace(), node, "nodes", &read_one_count);
}

void read_nodes_in(SpecReader& reader, std::optional<FleetNodes>& nodes, const YAML::Node& node) {
    static constexpr std::array<SpecKey<NodesDraft>, 3> keys{
        {{"min", &read_nodes_part<&NodesDraft::min>},
         {"target", &read_nodes_part<&NodesDraft::target>},
         {"max", &read_nodes_part<&NodesDraft::max>}}};
    if (node.IsNull()) return;
    NodesDraft draft;
    if (node.IsMap()) {
        reader.apply(draft, node, keys);
    } else if (!reader.text(draft, node, "nodes", &read_nodes_text)) {
        return;
    }
    FleetNodes read;
    read.min = draft.min.value_or(Count());
    read.target = draft.target.value_or(read.min);
    read.max = draft.max;
    if (read.target < read.min) {
        return reader.add(node, "nodes", "target below min", fleet_nodes_words);
    }
    if (read.max && *read.max < read.target) {
        return reader.add(node, "nodes", "max below min or target", fleet_nodes_words);
    }
    if (read.max == Count(0)) return reader.add(node, "nodes", "no node at all", "1 or more");
    nodes = read;
}

TextResult<BlockCount> read_blocks(std::string_view text) {
    if (text == "auto") return BlockCount{true, Count(1)};
    const auto count = read_one_count(text);
    if (!count || count->is_zero()) {
        return TextCursor(text).error(count ? "no block at all" : "malformed number of blocks",
                                      "1 or more, or auto");
    }
    return BlockCount{false, *count};
}

void read_host_in(SpecReader& reader, SshHost& host, const YAML::Node& node) {
    if (!node.IsMap()) {
        reader.text(host.hostname, node, "hosts", &read_any_text);
        return;
    }
    reader.walk(node, host_keys, std::identity(),
                [&](std::string_view name, const YAML::Node& key, const YAML::Node& value) {
                    if (name == "hostname") {
                        reader.text(host.hostname, value, name, &read_any_text);
                    } else if (name == "blocks") {
                        if (!value.IsNull()) {
                            reader.text(host.blocks.emplace(), value, name, &read_blocks);
                        }
                    } else {
                        carry_in(reader, host.passthrough, key, value);
                    }
                });
    if (host.hostname.empty()) reader.add(node, "hosts", "host without hostname", "hostname");
}

void read_ssh_in(SpecReader& reader, std::optional<SshConfig>& ssh, const YAML::Node& node) {
    if (node.IsNull()) return;
    if (!node.IsMap()) return reader.add(node, "ssh_config", "no mapping", "hosts and others");
    SshConfig& config = ssh.emplace();
    bool has_hosts = false;
    reader.walk(node, ssh_keys, std::identity(),
                [&](std::string_view name, const YAML::Node& key, const YAML::Node& value) {
                    if (name != "hosts") return carry_in(reader, config.passthrough, key, value);
                    has_hosts = true;
                    reader.for_each(value, name, [&](const YAML::Node& host) {
                        read_host_in(reader, config.hosts.emplace_back(), host);
                    });
                });
    if (!has_hosts) reader.add(node, "ssh_config", "no hosts", "hosts");
}

}  // namespace

void read_fleet_in(SpecReader& reader, FleetConfiguration& fleet, const YAML::Node& mapping) {
    const auto read_key = [&](std::string_view name, const YAML::Node& key,
                              const YAML::Node& value) {
        if (name == "type") return;
        if (name == "name") {
            read_text_in(reader, fleet.name, value, name);
        } else if (name == "nodes") {
            read_nodes_in(reader, fleet.nodes, value);
        } else if (name == "resources") {
            if (value.IsNull()) return;
            fleet.resources = {};  // with dstack's defaults for what is left out
            read_resources_in(reader, fleet.resources, value);
        } else if (name == "blocks") {
            reader.text(fleet.blocks, value, name, &read_blocks);
        } else if (name == "placement") {
            std::optional<FleetPlacement> placement;
            read_word_in(reader, placement, value, name);
            fleet.placement = placement.value_or(FleetPlacement::any);
        } else if (name == "ssh_config") {
            read_ssh_in(reader, fleet.ssh_config, value);
        } else if (name == "env") {
            read_env_in(reader, fleet.env, value);
        } else if (!read_place_in(reader, fleet.profile, name, value)) {
            carry_in(reader, fleet.passthrough, key, value);
        }
    };
    reader.walk(mapping, fleet_keys, std::identity(), read_key);
}

}  // namespace trestle::dstack
