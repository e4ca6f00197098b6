// SPDX-License-Identifier: Apache-2.0
// Volumes, gateways, profiles and the server's configuration.
#include "trestle/dialect/dstack/other_files.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "../readers.hpp"
#include "../scalars.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::dstack {
namespace {

constexpr std::array<std::string_view, 13> volume_keys{"type",
                                                       "name",
                                                       "backend",
                                                       "region",
                                                       "availability_zone",
                                                       "size",
                                                       "volume_id",
                                                       "tags",
                                                       "claim_name",
                                                       "storage_class_name",
                                                       "read_only",
                                                       "access_modes",
                                                       "auto_cleanup_duration"};
constexpr std::array<std::string_view, 12> gateway_keys{
    "type",   "name",      "default",       "backend",     "region",   "instance_type",
    "domain", "public_ip", "load_balancer", "certificate", "replicas", "tags"};
constexpr std::array<std::string_view, 23> profile_keys{"name",
                                                        "default",
                                                        "backends",
                                                        "regions",
                                                        "availability_zones",
                                                        "instance_types",
                                                        "reservation",
                                                        "spot_policy",
                                                        "retry",
                                                        "max_duration",
                                                        "stop_duration",
                                                        "max_price",
                                                        "creation_policy",
                                                        "idle_duration",
                                                        "utilization_policy",
                                                        "startup_order",
                                                        "stop_criteria",
                                                        "schedule",
                                                        "fleets",
                                                        "instances",
                                                        "tags",
                                                        "backend_options",
                                                        "type"};
constexpr std::array<std::string_view, 4> server_keys{"projects", "encryption",
                                                      "default_permissions", "plugins"};
constexpr std::array<std::string_view, 2> project_keys{"name", "backends"};

void read_word(SpecReader& reader, std::string& target, const YAML::Node& value,
               std::string_view key) {
    if (!value.IsNull()) reader.text(target, value, key, &read_any_text);
}

void read_profile_in(SpecReader& reader, NamedProfile& profile, const YAML::Node& node) {
    if (!node.IsMap()) return reader.add(node, "profiles", "no profile", "a mapping");
    const auto read_key = [&](std::string_view name, const YAML::Node& key,
                              const YAML::Node& value) {
        if (name == "name") {
            read_word(reader, profile.name, value, name);
        } else if (name == "default") {
            const auto is_on = read_switch(value);
            if (!is_on) return reader.add(value, name, "malformed switch", "true or false");
            profile.is_default = *is_on;
        } else if (name == "type") {
            reader.add(key, "", "a type in a profile", "none");
        } else if (!read_place_in(reader, profile.profile, name, value) &&
                   !read_life_in(reader, profile.profile, name, value)) {
            carry_in(reader, profile.passthrough, key, value);
        }
    };
    reader.walk(node, profile_keys, std::identity(), read_key);
}

/// A backend has keys of its own, which differ from backend to backend: those are kept as they are.
void read_backend_in(SpecReader& reader, ServerBackend& backend, const YAML::Node& node) {
    if (!node.IsMap()) return reader.add(node, "backends", "no backend", "a mapping with type");
    for (const auto& [key, value] : reader.entries(node)) {
        if (!key.IsScalar()) {
            reader.add(key, "", "malformed key", "a word");
        } else if (key.Scalar() == "type") {
            read_word(reader, backend.type, value, "type");
        } else if (key.Scalar() == "regions" && value.IsSequence()) {
            reader.for_each(value, "regions", [&](const YAML::Node& item) {
                reader.text(backend.regions.emplace_back(), item, "regions", &read_any_text);
            });
        } else if (key.Scalar() != "creds") {
            carry_in(reader, backend.passthrough, key, value);
        }
    }
    if (backend.type.empty()) reader.add(node, "backends", "backend without type", "type");
}

void read_project_in(SpecReader& reader, ServerProject& project, const YAML::Node& node) {
    if (!node.IsMap()) return reader.add(node, "projects", "no project", "a mapping with name");
    const auto read_key = [&](std::string_view name, const YAML::Node&, const YAML::Node& value) {
        if (name == "name") return read_word(reader, project.name, value, name);
        if (value.IsNull() || (value.IsSequence() && value.size() == 0)) return;
        reader.for_each(value, name, [&](const YAML::Node& item) {
            read_backend_in(reader, project.backends.emplace_back(), item);
        });
    };
    reader.walk(node, project_keys, std::identity(), read_key);
    if (project.name.empty()) reader.add(node, "projects", "project without name", "name");
}

}  // namespace

void read_volume_in(SpecReader& reader, VolumeConfiguration& volume, const YAML::Node& mapping) {
    const auto read_key = [&](std::string_view name, const YAML::Node& key,
                              const YAML::Node& value) {
        if (name == "type") return;
        if (name == "name") {
            read_word(reader, volume.name, value, name);
        } else if (name == "backend") {
            reader.text(volume.backend, value, name, &read_any_text);
        } else if (name == "region") {
            reader.text(volume.region, value, name, &read_any_text);
        } else if (name == "availability_zone") {
            read_word(reader, volume.availability_zone, value, name);
        } else if (name == "volume_id") {
            read_word(reader, volume.volume_id, value, name);
        } else if (name == "size") {
            if (!value.IsNull()) reader.text(volume.size.emplace(), value, name, &read_memory);
        } else if (name == "auto_cleanup_duration") {
            read_idle_in(reader, volume.auto_cleanup_duration, value, name);
        } else {
            carry_in(reader, volume.passthrough, key, value);
        }
    };
    reader.walk(mapping, volume_keys, std::identity(), read_key);
    if (volume.backend.empty()) reader.add(mapping, "", "volume without backend", "backend");
}

void read_gateway_in(SpecReader& reader, GatewayConfiguration& gateway, const YAML::Node& mapping) {
    const auto read_key = [&](std::string_view name, const YAML::Node& key,
                              const YAML::Node& value) {
        if (name == "type") return;
        if (name == "name") {
            read_word(reader, gateway.name, value, name);
        } else if (name == "backend") {
            reader.text(gateway.backend, value, name, &read_any_text);
        } else if (name == "region") {
            reader.text(gateway.region, value, name, &read_any_text);
        } else if (name == "instance_type") {
            read_word(reader, gateway.instance_type, value, name);
        } else if (name == "domain") {
            read_word(reader, gateway.domain, value, name);
        } else {
            carry_in(reader, gateway.passthrough, key, value);
        }
    };
    reader.walk(mapping, gateway_keys, std::identity(), read_key);
    if (gateway.backend.empty()) reader.add(mapping, "", "gateway without backend", "backend");
    if (gateway.region.empty()) reader.add(mapping, "", "gateway without region", "region");
}

void read_profiles_in(SpecReader& reader, std::vector<NamedProfile>& profiles,
                      const YAML::Node& mapping) {
    static constexpr std::array<std::string_view, 1> keys{"profiles"};
    reader.walk(mapping, keys, std::identity(),
                [&](std::string_view name, const YAML::Node&, const YAML::Node& value) {
                    if (value.IsSequence() && value.size() == 0) return;
                    reader.for_each(value, name, [&](const YAML::Node& item) {
                        read_profile_in(reader, profiles.emplace_back(), item);
                        const NamedProfile& last = profiles.back();
                        const auto count = [&](auto is_it) {
                            return std::count_if(profiles.begin(), profiles.end(), is_it);
                        };
                        if (count([&](const auto& one) { return one.name == last.name; }) > 1) {
                            reader.add(item, name, "two profiles of one name", "each name once");
                        }
                        const auto is_default = [](const auto& one) { return one.is_default; };
                        if (last.is_default && count(is_default) > 1) {
                            reader.add(item, name, "a second default", "one default");
                        }
                    });
                });
}

void read_server_in(SpecReader& reader, ServerConfiguration& server, const YAML::Node& mapping) {
    reader.walk(mapping, server_keys, std::identity(),
                [&](std::string_view name, const YAML::Node& key, const YAML::Node& value) {
                    if (name == "encryption") return;
                    if (name != "projects") {
                        return carry_in(reader, server.passthrough, key, value);
                    }
                    reader.for_each(value, name, [&](const YAML::Node& item) {
                        read_project_in(reader, server.projects.emplace_back(), item);
                    });
                });
}

}  // namespace trestle::dstack
