// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/configuration.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>
#include <utility>

#include "readers.hpp"
#include "scalars.hpp"

namespace trestle::dstack {
namespace {

constexpr std::array<std::string_view, 22> common_run_keys{
    "type",        "name",     "image",         "user",     "privileged", "entrypoint",
    "working_dir", "home_dir", "registry_auth", "python",   "nvcc",       "single_branch",
    "env",         "shell",    "resources",     "priority", "volumes",    "docker",
    "dstack",      "repos",    "files",         "setup"};
constexpr std::array<std::string_view, 4> task_keys{"nodes", "groups", "commands", "ports"};
constexpr std::array<std::string_view, 5> dev_keys{"ide", "version", "init", "ports",
                                                   "inactivity_duration"};
constexpr std::array<std::string_view, 14> service_keys{
    "commands", "port",     "gateway", "strip_prefix", "path_prefix", "model",  "https",
    "auth",     "replicas", "groups",  "scaling",      "rate_limits", "probes", "router"};

constexpr std::array<std::string_view, 6> type_words{"task",  "service", "dev-environment",
                                                     "fleet", "volume",  "gateway"};

std::vector<std::string_view> keys_of(RunKind kind) {
    std::vector<std::string_view> keys(common_run_keys.begin(), common_run_keys.end());
    const auto add = [&](const auto& more) { keys.insert(keys.end(), more.begin(), more.end()); };
    add(profile_keys);
    if (kind == RunKind::task) add(task_keys);
    if (kind == RunKind::service) add(service_keys);
    if (kind == RunKind::dev_environment) add(dev_keys);
    return keys;
}

TextResult<Count> read_priority(std::string_view text) {
    const auto count = read_trimmed(text, &read_whole);
    if (count && Count(100) < *count) {
        return TextCursor(text).error("priority above 100", "0 to 100");
    }
    return count;
}

TextResult<EnvEntry> read_env_entry(std::string_view text) {
    const auto is_name = [](char c) {
        return words::is_letter(c) || words::is_digit(c) || c == '_';
    };
    TextCursor cursor(text);
    EnvEntry entry;
    entry.name = cursor.take_while(is_name);
    const bool is_good = !entry.name.empty() && !words::is_digit(entry.name.front());
    if (!is_good || (!cursor.at_end() && cursor.peek() != '=')) {
        return TextCursor(text).error("malformed variable", "NAME or NAME=value");
    }
    if (cursor.accept('=')) entry.value = std::string(cursor.rest());
    return entry;
}

void add_entry(SpecReader& reader, std::vector<EnvEntry>& env, EnvEntry entry,
               const YAML::Node& at) {
    const bool is_known = std::any_of(
        env.begin(), env.end(), [&](const EnvEntry& other) { return other.name == entry.name; });
    if (is_known) return reader.add(at, "env", "variable given twice", "each name once");
    env.push_back(std::move(entry));
}

/// One key of a run, whose name is known. False: it is not needed here.
bool read_run_key(SpecReader& reader, RunConfiguration& run, std::string_view name,
                  const YAML::Node& value) {
    if (name == "type" || (name == "replicas" && value.IsNull())) return true;
    if (name == "name") {
        read_text_in(reader, run.name, value, name);
    } else if (name == "nodes") {
        if (!value.IsNull()) reader.text(run.nodes, value, name, &read_node_count);
    } else if (name == "resources") {
        read_resources_in(reader, run.resources, value);
    } else if (name == "groups" || (name == "replicas" && value.IsSequence())) {
        read_groups_in(reader, run, value, name);
    } else if (name == "priority") {
        if (!value.IsNull()) reader.text(run.priority, value, name, &read_priority);
    } else if (name == "startup_order") {
        read_word_in(reader, run.startup_order, value, name);
    } else if (name == "stop_criteria") {
        read_word_in(reader, run.stop_criteria, value, name);
    } else if (name == "env") {
        read_env_in(reader, run.env, value);
    } else {
        return read_place_in(reader, run.profile, name, value) ||
               read_life_in(reader, run.profile, name, value);
    }
    return true;
}

void read_run_in(SpecReader& reader, RunConfiguration& run, const YAML::Node& mapping) {
    reader.walk(mapping, keys_of(run.kind), std::identity(),
                [&](std::string_view name, const YAML::Node& key, const YAML::Node& value) {
                    if (!read_run_key(reader, run, name, value)) {
                        carry_in(reader, run.passthrough, key, value);
                    }
                });
    if (!run.groups.empty()) check_groups_in(reader, run, mapping);
}

/// What `type:` says, or the nearest that it may have meant.
std::optional<std::string> type_of(SpecReader& reader, const YAML::Node& document) {
    const auto found = reader.find(document, "type");
    constexpr std::string_view expected =
        "task, service, dev-environment, fleet, volume or gateway";
    if (!found) {
        reader.add(document, "", "no type", expected);
        return std::nullopt;
    }
    const YAML::Node& type = *found;
    if (!type.IsScalar()) {
        reader.add(type, "type", "no word", expected);
        return std::nullopt;
    }
    const std::string& word = type.Scalar();
    if (std::find(type_words.begin(), type_words.end(), word) != type_words.end()) return word;
    reader.add(type, "type", "unknown type", expected);
    return words::nearest_word(word, type_words, std::identity());
}

}  // namespace

TextResult<Count> read_node_count(std::string_view text) {
    const auto count = read_trimmed(text, &read_whole);
    if (!count || (!count->is_zero() && *count <= Count(run_nodes_limit))) return count;
    return TextCursor(text).error(count->is_zero() ? "no node at all" : "too many nodes",
                                  "1 to " + std::to_string(run_nodes_limit));
}

void read_env_in(SpecReader& reader, std::vector<EnvEntry>& env, const YAML::Node& node) {
    if (node.IsNull()) return;
    if (!node.IsMap()) {
        return reader.for_each(node, "env", [&](const YAML::Node& item) {
            EnvEntry entry;
            if (reader.text(entry, item, "env", &read_env_entry)) {
                add_entry(reader, env, std::move(entry), item);
            }
        });
    }
    for (const auto& [key, value] : reader.entries(node)) {
        EnvEntry entry;
        if (!reader.text(entry, key, "env", &read_env_entry)) continue;
        if (entry.value) {
            reader.add(key, "env", "malformed variable", "NAME");
            continue;
        }
        std::string text;
        const auto keep = [](std::string_view t) {
            return TextResult<std::string>(std::string(t));
        };
        if (!value.IsNull() && !reader.text(text, value, "env", keep)) continue;
        if (!value.IsNull()) entry.value = std::move(text);
        add_entry(reader, env, std::move(entry), key);
    }
}

void carry_in(SpecReader& reader, std::vector<PassthroughKey>& passthrough, const YAML::Node& key,
              const YAML::Node& value) {
    auto text = reader.flow_text(value);
    if (!text) return;
    const auto line = static_cast<std::uint32_t>(key.Mark().line) + 1;
    passthrough.push_back({key.Scalar(), line, *std::move(text)});
}

namespace {

/// A document that is a mapping, by its type, or by what only files without a type have.
void read_document_in(SpecReader& reader, Configuration& configuration,
                      const YAML::Node& document) {
    if (!reader.find(document, "type")) {
        if (reader.find(document, "profiles")) {
            return read_profiles_in(reader, configuration.profiles, document);
        }
        if (reader.find(document, "projects")) {
            return read_server_in(reader, configuration.server.emplace(), document);
        }
    }
    const std::optional<std::string> type = type_of(reader, document);
    if (!type) return;
    if (*type == "fleet") {
        read_fleet_in(reader, configuration.fleet.emplace(), document);
    } else if (*type == "volume") {
        read_volume_in(reader, configuration.volume.emplace(), document);
    } else if (*type == "gateway") {
        read_gateway_in(reader, configuration.gateway.emplace(), document);
    } else {
        RunConfiguration& run = configuration.run.emplace();
        run.kind = enum_from_text<RunKind>(*type).value_or(RunKind::task);
        read_run_in(reader, run, document);
    }
}

}  // namespace

ConfigurationReading read_configuration(std::string_view yaml, BareValue bare) {
    ConfigurationReading reading;
    SpecReader reader(bare);
    if (const auto loaded = reader.load(yaml)) {
        if (loaded->IsMap()) {
            read_document_in(reader, reading.configuration, *loaded);
        } else {
            reader.add(*loaded, "", "no mapping", "type and other keys");
        }
    }
    reading.errors = reader.take_errors();
    std::stable_sort(reading.errors.begin(), reading.errors.end(),
                     [](const SpecError& a, const SpecError& b) {
                         return std::tie(a.line, a.column) < std::tie(b.line, b.column);
                     });
    return reading;
}

StatusOr<Configuration> parse_configuration(std::string_view yaml, BareValue bare) {
    ConfigurationReading reading = read_configuration(yaml, bare);
    if (!reading.errors.empty()) return invalid_argument("{}", to_text(reading.errors.front()));
    return std::move(reading.configuration);
}

}  // namespace trestle::dstack
