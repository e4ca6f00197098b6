// SPDX-License-Identifier: Apache-2.0
// Whole files as text.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec_reader.hpp"
#include "trestle/base/detail/join.hpp"
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
        if (values.empty()) return;
        std::vector<std::string> quoted;
        for (const std::string& value : values) quoted.push_back(quoted_yaml(value));
        line(key, "[" + trestle::detail::join(quoted, ", ") + "]");
    }
    template <class T>
    void word(std::string_view key, const std::optional<T>& value) {
        using trestle::to_text;
        if (value) line(key, to_text(*value));
    }
    void resources(const Resources& resources) {
        text_ += "resources:\n";
        const std::string all = to_text(resources);
        for (std::string_view lines = all; !lines.empty();) {
            const std::size_t end = lines.find('\n') + 1;
            text_ += "  " + std::string(lines.substr(0, end));
            lines.remove_prefix(end);
        }
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

std::string host_text(const SshHost& host) {
    if (!host.blocks && host.passthrough.empty()) return quoted_yaml(host.hostname);
    std::string text = "{hostname: " + quoted_yaml(host.hostname);
    if (host.blocks) text += ", blocks: " + blocks_text(*host.blocks);
    for (const PassthroughKey& key : host.passthrough) text += ", " + key.name + ": " + key.text;
    return text + "}";
}

std::string ssh_text(const SshConfig& ssh) {
    std::vector<std::string> hosts;
    for (const SshHost& host : ssh.hosts) hosts.push_back(host_text(host));
    std::string text = "{hosts: [" + trestle::detail::join(hosts, ", ") + "]";
    for (const PassthroughKey& key : ssh.passthrough) text += ", " + key.name + ": " + key.text;
    return text + "}";
}

}  // namespace

std::string to_text(const RunConfiguration& run) {
    FileWriter file;
    file.line("type", trestle::to_text(run.kind));
    file.text("name", run.name);
    if (run.kind == RunKind::task) file.line("nodes", std::to_string(run.nodes.value()));
    file.resources(run.resources);
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

std::string to_text(const Configuration& configuration) {
    if (configuration.run) return to_text(*configuration.run);
    return configuration.fleet ? to_text(*configuration.fleet) : "";
}

}  // namespace trestle::dstack
