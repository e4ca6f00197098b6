// SPDX-License-Identifier: Apache-2.0
// Whole files as text.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../spec_reader.hpp"
#include "base/join.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/configuration.hpp"

namespace trestle::dstack {
namespace {

/// The items of a flow list as its text has them, or nothing when it is something else.
std::optional<YAML::Node> items_of(const std::string& text) {
    yaml::YamlProblem problem;
    auto node = yaml::load_yaml(text, text.size(), problem);
    if (!node || !node->IsSequence()) return std::nullopt;
    const bool is_flat = std::all_of(node->begin(), node->end(),
                                     [](const YAML::Node& item) { return item.IsScalar(); });
    return is_flat ? node : std::nullopt;
}

bool is_same(const YAML::Node& a, const YAML::Node& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const YAML::Node& one, const YAML::Node& other) {
                          return one.Scalar() == other.Scalar();
                      });
}

/// A list of texts with line breaks as people write it, lines as lines; empty when that would be
/// read as something else.
std::string block_text(const std::string& flow) {
    if (flow.find("\\x0a") == std::string::npos) return "";
    const auto items = items_of(flow);
    if (!items) return "";
    std::string text = "\n";
    for (const YAML::Node& item : *items) {
        std::string_view lines = item.Scalar();
        if (lines.find('\n') == lines.npos) {
            text += "  - " + (item.Tag() == "?" ? item.Scalar() : quoted_yaml(lines)) + "\n";
            continue;
        }
        text += lines.ends_with('\n') ? "  - |\n" : "  - |-\n";
        while (!lines.empty()) {
            const std::string_view line = lines.substr(0, lines.find('\n'));
            text += (line.empty() ? "" : "    " + std::string(line)) + "\n";
            lines.remove_prefix(std::min(line.size() + 1, lines.size()));
        }
    }
    text.pop_back();
    const auto again = items_of(text);
    return again && is_same(*items, *again) ? text : "";
}

/// Each line behind `first` or, from the second on, `rest`.
std::string indented(std::string_view lines, std::string_view first, std::string_view rest) {
    std::string text;
    for (std::string_view mark = first; !lines.empty(); mark = rest) {
        const std::size_t end = lines.find('\n') + 1;
        text.append(mark).append(lines.substr(0, end));
        lines.remove_prefix(end);
    }
    return text;
}

std::string flow_list(const std::vector<std::string>& values) {
    std::vector<std::string> quoted;
    for (const std::string& value : values) quoted.push_back(quoted_yaml(value));
    return "[" + trestle::detail::join(quoted, ", ") + "]";
}

/// Further keys of a mapping in one line.
std::string flow_keys(const std::vector<PassthroughKey>& keys) {
    std::string text;
    for (const PassthroughKey& key : keys) text += ", " + key.name + ": " + key.text;
    return text;
}

/// Writes `key: value` lines.
class FileWriter {
  public:
    void line(std::string_view key, std::string_view value) {
        text_ += fmt::format("{}: {}\n", key, value);
    }
    void text(std::string_view key, const std::string& value) {
        if (!value.empty()) line(key, quoted_yaml(value));
    }
    void texts(std::string_view key, const std::vector<std::string>& values) {
        if (!values.empty()) line(key, flow_list(values));
    }
    template <class T>
    void word(std::string_view key, const std::optional<T>& value) {
        using trestle::to_text;
        if (value) line(key, to_text(*value));
    }
    void resources(const Resources& resources) {
        text_ += "resources:\n" + indented(to_text(resources), "  ", "  ");
    }
    void env(const std::vector<EnvEntry>& entries) {
        std::vector<std::string> list;
        for (const EnvEntry& entry : entries) {
            list.push_back(entry.value ? entry.name + "=" + *entry.value : entry.name);
        }
        texts("env", list);
    }
    void passthrough(const std::vector<PassthroughKey>& keys) {
        for (const PassthroughKey& key : keys) {
            const std::string block = block_text(key.text);
            if (block.empty()) {
                line(key.name, key.text);
            } else {
                text_ += key.name + ":" + block + "\n";
            }
        }
    }
    void flow_passthrough(const std::vector<PassthroughKey>& keys) {
        for (const PassthroughKey& key : keys) line(key.name, key.text);
    }
    void profile(const Profile& profile) {
        texts("backends", profile.backends);
        texts("regions", profile.regions);
        texts("availability_zones", profile.availability_zones);
        texts("instance_types", profile.instance_types);
        text("reservation", profile.reservation);
        word("spot_policy", profile.spot_policy);
        if (profile.max_price) line("max_price", price_text(*profile.max_price));
        texts("fleets", profile.fleets);
        word("creation_policy", profile.creation_policy);
        if (profile.retry) line("retry", retry_text(*profile.retry));
        word("max_duration", profile.max_duration);
        word("stop_duration", profile.stop_duration);
        word("idle_duration", profile.idle_duration);
    }

    [[nodiscard]] std::string take() { return std::move(text_); }

  private:
    static std::string retry_text(const Retry& retry) {
        using trestle::to_text;
        if (retry.on_events.empty()) return "false";
        if (retry == Retry::always()) return "true";
        std::vector<std::string> events;
        for (const RetryEvent event : retry.on_events) events.emplace_back(to_text(event));
        return fmt::format("{{on_events: [{}], duration: {}}}", trestle::detail::join(events, ", "),
                           duration_text(retry.duration));
    }

    std::string text_;
};

std::string nodes_text(const FleetNodes& nodes) {
    if (nodes.target == nodes.min) return to_text(Range<Count>{nodes.min, nodes.max});
    return fmt::format("{{min: {}, target: {}, max: {}}}", nodes.min.value(), nodes.target.value(),
                       nodes.max ? std::to_string(nodes.max->value()) : "null");
}

std::string blocks_text(const BlockCount& blocks) {
    return blocks.is_auto ? "auto" : std::to_string(blocks.count.value());
}

/// A mapping in one line, as its resources are.
std::string flow_resources(const Resources& resources) {
    std::string text = to_text(resources);
    text.pop_back();
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at) {
        text.replace(at, 1, ", ");
    }
    return "{" + text + "}";
}

std::string group_text(RunKind kind, const RunGroup& group) {
    using trestle::to_text;
    std::string text = "{name: " + quoted_yaml(group.name);
    text += kind == RunKind::task ? ", nodes: " : ", count: ";
    text += to_text(group.count) + ", resources: " + flow_resources(group.resources);
    if (group.spot_policy) text += ", spot_policy: " + std::string(to_text(*group.spot_policy));
    if (!group.reservation.empty()) text += ", reservation: " + quoted_yaml(group.reservation);
    return text + flow_keys(group.passthrough) + "}";
}

std::string host_text(const SshHost& host) {
    if (!host.blocks && host.passthrough.empty()) return quoted_yaml(host.hostname);
    std::string text = "{hostname: " + quoted_yaml(host.hostname);
    if (host.blocks) text += ", blocks: " + blocks_text(*host.blocks);
    return text + flow_keys(host.passthrough) + "}";
}

std::string ssh_text(const SshConfig& ssh) {
    std::vector<std::string> hosts;
    for (const SshHost& host : ssh.hosts) hosts.push_back(host_text(host));
    std::string text = "{hosts: [" + trestle::detail::join(hosts, ", ") + "]";
    return text + flow_keys(ssh.passthrough) + "}";
}

}  // namespace

std::string to_text(const RunConfiguration& run) {
    FileWriter file;
    file.line("type", trestle::to_text(run.kind));
    file.text("name", run.name);
    if (run.kind == RunKind::task && run.groups.empty()) {
        file.line("nodes", std::to_string(run.nodes.value()));
    }
    file.resources(run.resources);
    if (!run.groups.empty()) {
        std::vector<std::string> groups;
        for (const RunGroup& group : run.groups) groups.push_back(group_text(run.kind, group));
        // dstack before 0.22 knows groups of replicas under this key alone.
        file.line(run.kind == RunKind::task ? "groups" : "replicas",
                  "[" + trestle::detail::join(groups, ", ") + "]");
    }
    if (!run.priority.is_zero()) file.line("priority", std::to_string(run.priority.value()));
    file.profile(run.profile);
    file.word("startup_order", run.startup_order);
    file.word("stop_criteria", run.stop_criteria);
    file.env(run.env);
    file.passthrough(run.passthrough);
    return file.take();
}

std::string to_text(const FleetConfiguration& fleet) {
    FileWriter file;
    file.line("type", "fleet");
    file.text("name", fleet.name);
    if (fleet.nodes) file.line("nodes", nodes_text(*fleet.nodes));
    file.resources(fleet.resources);
    file.line("blocks", blocks_text(fleet.blocks));
    file.line("placement", to_text(fleet.placement));
    file.profile(fleet.profile);
    if (fleet.ssh_config) file.line("ssh_config", ssh_text(*fleet.ssh_config));
    file.env(fleet.env);
    file.passthrough(fleet.passthrough);
    return file.take();
}

std::string to_text(const VolumeConfiguration& volume) {
    FileWriter file;
    file.line("type", "volume");
    file.text("name", volume.name);
    file.text("backend", volume.backend);
    file.text("region", volume.region);
    file.text("availability_zone", volume.availability_zone);
    if (volume.size) file.line("size", memory_text(*volume.size));
    file.text("volume_id", volume.volume_id);
    file.word("auto_cleanup_duration", volume.auto_cleanup_duration);
    file.passthrough(volume.passthrough);
    return file.take();
}

std::string to_text(const GatewayConfiguration& gateway) {
    FileWriter file;
    file.line("type", "gateway");
    file.text("name", gateway.name);
    file.text("backend", gateway.backend);
    file.text("region", gateway.region);
    file.text("instance_type", gateway.instance_type);
    file.text("domain", gateway.domain);
    file.passthrough(gateway.passthrough);
    return file.take();
}

std::string to_text(std::span<const NamedProfile> profiles) {
    std::string text = profiles.empty() ? "" : "profiles:\n";
    for (const NamedProfile& one : profiles) {
        FileWriter file;
        file.line("name", quoted_yaml(one.name));
        if (one.is_default) file.line("default", "true");
        file.profile(one.profile);
        file.flow_passthrough(one.passthrough);
        text += indented(file.take(), "  - ", "    ");  // an item of a list
    }
    return text;
}

std::string to_text(const ServerConfiguration& server) {
    FileWriter file;
    std::vector<std::string> projects;
    for (const ServerProject& project : server.projects) {
        std::vector<std::string> backends;
        for (const ServerBackend& backend : project.backends) {
            std::string text = "{type: " + quoted_yaml(backend.type);
            if (!backend.regions.empty()) text += ", regions: " + flow_list(backend.regions);
            backends.push_back(text + flow_keys(backend.passthrough) + "}");
        }
        projects.push_back("{name: " + quoted_yaml(project.name) + ", backends: [" +
                           trestle::detail::join(backends, ", ") + "]}");
    }
    file.line("projects", "[" + trestle::detail::join(projects, ", ") + "]");
    file.passthrough(server.passthrough);
    return file.take();
}

std::string to_text(const Configuration& configuration) {
    if (configuration.run) return to_text(*configuration.run);
    if (configuration.fleet) return to_text(*configuration.fleet);
    if (configuration.volume) return to_text(*configuration.volume);
    if (configuration.gateway) return to_text(*configuration.gateway);
    if (configuration.server) return to_text(*configuration.server);
    return to_text(std::span<const NamedProfile>(configuration.profiles));
}

}  // namespace trestle::dstack
