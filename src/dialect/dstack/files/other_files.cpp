// SPDX-License-Identifier: Apache-2.0
// Volumes, gateways, profiles and the server's configuration.
#include "trestle/dialect/dstack/other_files.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
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
constexpr std::array<std::string_view, 4> server_keys{"projects", "encryption",
                                                      "default_permissions", "plugins"};
constexpr std::array<std::string_view, 2> project_keys{"name", "backends"};

void read_profile_in(SpecReader& reader, NamedProfile& profile, const YAML::Node& node) {
    if (!node.IsMap()) return reader.add(node, "profiles", "no profile", "a mapping");
    const auto read_key = [&](std::string_view name, const YAML::Node& key,
                              const YAML::Node& value) {
        if (name == "name") {
            read_text_in(reader, profile.name, value, name);
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
    std::vector<std::string_view> keys{"name", "default"};
    keys.insert(keys.end(), profile_keys.begin(), profile_keys.end());
    keys.push_back("type");
    reader.walk(node, keys, std::identity(), read_key);
}

/// What is kept of a backend beside type and regions: nothing that dstack counts as credentials.
/// A list of what is hidden would let through what the next release hides.
struct KeptKey {
    std::string_view backend;
    std::string_view name;
    bool is_map = false;  ///< from names to words; else a word or a list of words
};
constexpr std::array kept_keys{
    KeptKey{"aws", "vpc_name"},
    KeptKey{"aws", "vpc_ids", true},
    KeptKey{"aws", "default_vpcs"},
    KeptKey{"aws", "public_ips"},
    KeptKey{"aws", "iam_instance_profile"},
    KeptKey{"aws", "tags", true},
    KeptKey{"aws", "experimental_instance_types"},
    KeptKey{"azure", "tenant_id"},
    KeptKey{"azure", "subscription_id"},
    KeptKey{"azure", "resource_group"},
    KeptKey{"azure", "vpc_ids", true},
    KeptKey{"azure", "subnet_ids", true},
    KeptKey{"azure", "public_ips"},
    KeptKey{"azure", "vm_managed_identity"},
    KeptKey{"azure", "tags", true},
    KeptKey{"crusoe", "project_id"},
    KeptKey{"cudo", "project_id"},
    KeptKey{"amddevcloud", "project_name"},
    KeptKey{"digitalocean", "project_name"},
    KeptKey{"dstack", "base_backends"},
    KeptKey{"gcp", "project_id"},
    KeptKey{"gcp", "tpu"},
    KeptKey{"gcp", "vpc_name"},
    KeptKey{"gcp", "subnetworks", true},
    KeptKey{"gcp", "extra_vpcs"},
    KeptKey{"gcp", "roce_vpcs"},
    KeptKey{"gcp", "vpc_project_id"},
    KeptKey{"gcp", "public_ips"},
    KeptKey{"gcp", "nat_check"},
    KeptKey{"gcp", "vm_service_account"},
    KeptKey{"gcp", "tags", true},
    KeptKey{"gcp", "preview_features"},
    KeptKey{"hotaisle", "team_handle"},
    KeptKey{"hotaisle", "bare_metal"},
    KeptKey{"kubernetes", "namespace"},
    KeptKey{"nebius", "projects"},
    KeptKey{"nebius", "fabrics"},
    KeptKey{"nebius", "tags", true},
    KeptKey{"oci", "compartment_id"},
    KeptKey{"oci", "experimental_instance_types"},
    KeptKey{"runpod", "community_cloud"},
    KeptKey{"vastai", "community_cloud"},
};

bool are_words(const YAML::Node& node) {
    return node.IsScalar() ||
           (node.IsSequence() && std::all_of(node.begin(), node.end(),
                                             [](const auto& item) { return item.IsScalar(); }));
}

void keep_in(SpecReader& reader, ServerBackend& backend, const SpecEntry& entry) {
    const auto is_it = [&](const KeptKey& kept) {
        return kept.backend == backend.type && kept.name == entry.key.Scalar();
    };
    const auto kept = std::find_if(kept_keys.begin(), kept_keys.end(), is_it);
    if (kept == kept_keys.end() || entry.value.IsNull()) return;
    bool is_kept = are_words(entry.value);
    if (kept->is_map) {
        is_kept = entry.value.IsMap();
        if (is_kept) {
            const auto parts = reader.entries(entry.value);
            is_kept = std::all_of(parts.begin(), parts.end(), [](const SpecEntry& part) {
                return part.key.IsScalar() && are_words(part.value);
            });
        }
    }
    if (is_kept) return carry_in(reader, backend.passthrough, entry.key, entry.value);
    reader.add(entry.value, kept->name, "malformed value",
               kept->is_map ? "a mapping from names to words" : "a word or a list of words");
}

void read_backend_in(SpecReader& reader, ServerBackend& backend, const YAML::Node& node) {
    if (!node.IsMap()) return reader.add(node, "backends", "no backend", "a mapping with type");
    const auto type = reader.find(node, "type");
    if (type) read_text_in(reader, backend.type, *type, "type");
    std::set<std::string> seen;
    for (const SpecEntry& entry : reader.entries(node)) {
        if (!entry.key.IsScalar()) {
            reader.add(entry.key, "", "malformed key", "a word");
        } else if (!seen.insert(entry.key.Scalar()).second) {
            reader.add(entry.key, "", "key given twice", "each key once");
        } else if (entry.key.Scalar() == "regions") {
            if (entry.value.IsNull()) continue;
            reader.for_each(entry.value, "regions", [&](const YAML::Node& item) {
                reader.text(backend.regions.emplace_back(), item, "regions", &read_any_text);
            });
        } else if (entry.key.Scalar() != "type") {
            keep_in(reader, backend, entry);
        }
    }
    if (backend.type.empty()) reader.add(node, "backends", "backend without type", "type");
}

void read_project_in(SpecReader& reader, ServerProject& project, const YAML::Node& node) {
    if (!node.IsMap()) return reader.add(node, "projects", "no project", "a mapping with name");
    const auto read_key = [&](std::string_view name, const YAML::Node&, const YAML::Node& value) {
        if (name == "name") return read_text_in(reader, project.name, value, name);
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
            read_text_in(reader, volume.name, value, name);
        } else if (name == "backend") {
            reader.text(volume.backend, value, name, &read_any_text);
        } else if (name == "region") {
            reader.text(volume.region, value, name, &read_any_text);
        } else if (name == "availability_zone") {
            read_text_in(reader, volume.availability_zone, value, name);
        } else if (name == "volume_id") {
            read_text_in(reader, volume.volume_id, value, name);
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
            read_text_in(reader, gateway.name, value, name);
        } else if (name == "backend") {
            reader.text(gateway.backend, value, name, &read_any_text);
        } else if (name == "region") {
            reader.text(gateway.region, value, name, &read_any_text);
        } else if (name == "instance_type") {
            read_text_in(reader, gateway.instance_type, value, name);
        } else if (name == "domain") {
            read_text_in(reader, gateway.domain, value, name);
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
    std::set<std::string> names;
    bool has_default = false;
    const auto read_one = [&](const YAML::Node& item, std::string_view key) {
        read_profile_in(reader, profiles.emplace_back(), item);
        const NamedProfile& last = profiles.back();
        if (!names.insert(last.name).second) {
            reader.add(item, key, "two profiles of one name", "each name once");
        }
        if (last.is_default && std::exchange(has_default, true)) {
            reader.add(item, key, "a second default", "one default");
        }
    };
    reader.walk(mapping, keys, std::identity(),
                [&](std::string_view name, const YAML::Node&, const YAML::Node& value) {
                    if (value.IsSequence() && value.size() == 0) return;
                    reader.for_each(value, name,
                                    [&](const YAML::Node& item) { read_one(item, name); });
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
