// SPDX-License-Identifier: Apache-2.0
#pragma once

// The readers of the parts of dstack's files, each of a YAML node into a value.
//
// Layer: dialect/dstack, inside. What is wrong stays in the SpecReader; the value then holds what
// could be read.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec_reader.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/text.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/dstack/configuration.hpp"

namespace trestle::dstack {

/// The keys of a run that a profile in profiles.yml has too.
inline constexpr std::array<std::string_view, 20> profile_keys{
    "backends",        "regions",       "availability_zones", "instance_types", "reservation",
    "spot_policy",     "retry",         "max_duration",       "stop_duration",  "max_price",
    "creation_policy", "idle_duration", "utilization_policy", "startup_order",  "stop_criteria",
    "schedule",        "fleets",        "instances",          "tags",           "backend_options"};

/// `resources:`; null leaves the defaults.
void read_resources_in(SpecReader& reader, Resources& resources, const YAML::Node& node);

/// `gpu:`, the short form or a mapping.
void read_gpu_in(SpecReader& reader, GpuSpec& gpu, const YAML::Node& node);

/// True for true, yes and on, false for their opposites, in any case; nothing for another value.
[[nodiscard]] std::optional<bool> read_switch(const YAML::Node& node);

/// Any text but none.
[[nodiscard]] TextResult<std::string> read_any_text(std::string_view text);
/// Any text but none; null leaves the target as it is.
void read_text_in(SpecReader& reader, std::string& target, const YAML::Node& node,
                  std::string_view key);

/// 1 to run_nodes_limit.
[[nodiscard]] TextResult<Count> read_node_count(std::string_view text);

/// One of the names of the enum; null leaves it absent.
template <NamedEnum E>
void read_word_in(SpecReader& reader, std::optional<E>& target, const YAML::Node& node,
                  std::string_view key) {
    if (node.IsNull()) return;
    if (node.IsScalar()) target = enum_from_text<E>(node.Scalar());
    if (target) return;
    std::string known;
    for (const auto& [value, name] : enum_names(E{})) {
        known += known.empty() ? name : ", " + std::string(name);
    }
    reader.add(node, key, "unknown word", "one of " + known);
}

/// What runs and fleets both say of offers and instances. False: another key.
[[nodiscard]] bool read_place_in(SpecReader& reader, Profile& profile, std::string_view key,
                                 const YAML::Node& node);
/// What runs alone say. False: another key.
[[nodiscard]] bool read_life_in(SpecReader& reader, Profile& profile, std::string_view key,
                                const YAML::Node& node);
/// `groups:` of a task or service, or the list in `replicas:` of a service; null leaves none.
void read_groups_in(SpecReader& reader, RunConfiguration& run, const YAML::Node& node,
                    std::string_view key);
/// What a run with groups may not say beside them.
void check_groups_in(SpecReader& reader, const RunConfiguration& run, const YAML::Node& mapping);
/// The keys of a fleet.
void read_fleet_in(SpecReader& reader, FleetConfiguration& fleet, const YAML::Node& mapping);
/// The keys of a volume, of a gateway, of profiles.yml and of the server's config.yml.
void read_volume_in(SpecReader& reader, VolumeConfiguration& volume, const YAML::Node& mapping);
void read_gateway_in(SpecReader& reader, GatewayConfiguration& gateway, const YAML::Node& mapping);
void read_profiles_in(SpecReader& reader, std::vector<NamedProfile>& profiles,
                      const YAML::Node& mapping);
void read_server_in(SpecReader& reader, ServerConfiguration& server, const YAML::Node& mapping);
/// A duration, `off`, or -1, which older files say for off; null leaves it absent.
void read_idle_in(SpecReader& reader, std::optional<DurationLimit>& limit, const YAML::Node& node,
                  std::string_view key);
/// `env:`, a list or a mapping.
void read_env_in(SpecReader& reader, std::vector<EnvEntry>& env, const YAML::Node& node);
/// Keeps the value under its name.
void carry_in(SpecReader& reader, std::vector<PassthroughKey>& passthrough, const YAML::Node& key,
              const YAML::Node& value);

}  // namespace trestle::dstack
