// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whole files of dstack: tasks, services, dev environments, fleets, and those of other_files.hpp.
//
// Layer: dialect/dstack. Main names: RunConfiguration, FleetConfiguration, read_configuration.
// Pitfall: keys that dstack knows and nothing here needs (image, commands, ports) are passed
// through, not judged. A key that dstack does not know is an error. A run with groups has its
// resources there: ask run_of(run, group).

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/dstack/other_files.hpp"
#include "trestle/dialect/dstack/profile.hpp"
#include "trestle/dialect/dstack/resources.hpp"
#include "trestle/dialect/dstack/spec_error.hpp"
#include "trestle/model/fleet.hpp"

namespace trestle::dstack {

/// The kinds of runs, by their names in `type:`.
enum class RunKind { task, service, dev_environment };

constexpr auto enum_names(RunKind) {
    return std::array{named(RunKind::task, "task"), named(RunKind::service, "service"),
                      named(RunKind::dev_environment, "dev-environment")};
}

/// Which nodes of a distributed task start first.
enum class StartupOrder { any, master_first, workers_first };

constexpr auto enum_names(StartupOrder) {
    return std::array{named(StartupOrder::any, "any"),
                      named(StartupOrder::master_first, "master-first"),
                      named(StartupOrder::workers_first, "workers-first")};
}

/// When a distributed task is done.
enum class StopCriteria { all_done, master_done };

constexpr auto enum_names(StopCriteria) {
    return std::array{named(StopCriteria::all_done, "all-done"),
                      named(StopCriteria::master_done, "master-done")};
}

/// The most nodes that a run may have: a plan names each of them.
inline constexpr std::int64_t run_nodes_limit = 65'536;

/// A variable that a run gets.
struct EnvEntry {
    std::string name;                  ///< a letter or `_`, then letters, digits and `_`
    std::optional<std::string> value;  ///< absent: that of the submitting environment

    static constexpr auto fields(auto list) {
        return list(field("name", &EnvEntry::name), field("value", &EnvEntry::value));
    }
    friend bool operator==(const EnvEntry&, const EnvEntry&) = default;
};

/// Nodes of a task, or replicas of a service, that have resources of their own. What a group does
/// not say of resources is dstack's default, not what the run says.
struct RunGroup {
    std::string name;  ///< where none is given, its position: `0`, `1`
    /// How many nodes of a task, or replicas of a service from least to most.
    Range<Count> count = Range<Count>::exactly(Count(1));
    Resources resources;
    std::optional<SpotPolicy> spot_policy;    ///< services only; absent: the run's
    std::string reservation;                  ///< services only; empty: the run's
    std::vector<PassthroughKey> passthrough;  ///< commands, image, scaling and the like

    static constexpr auto fields(auto list) {
        return list(field("name", &RunGroup::name), field("count", &RunGroup::count),
                    field("resources", &RunGroup::resources),
                    field("spot_policy", &RunGroup::spot_policy),
                    field("reservation", &RunGroup::reservation),
                    field("passthrough", &RunGroup::passthrough));
    }
    friend bool operator==(const RunGroup&, const RunGroup&) = default;
};

/// `type: task`, `service` or `dev-environment`.
struct RunConfiguration {
    RunKind kind = RunKind::task;
    std::string name;     ///< empty: dstack makes one up
    Count nodes{1};       ///< 1 to run_nodes_limit; tasks only; of a task with groups their sum
    Resources resources;  ///< of a run without groups
    std::vector<RunGroup> groups;  ///< each name once; empty: all nodes and replicas are alike
    Count priority;                ///< 0 to 100
    Profile profile;
    std::optional<StartupOrder> startup_order;  ///< absent: any
    std::optional<StopCriteria> stop_criteria;  ///< absent: all-done
    std::vector<EnvEntry> env;                  ///< each name once
    std::vector<PassthroughKey> passthrough;

    static constexpr auto fields(auto list) {
        return list(field("kind", &RunConfiguration::kind), field("name", &RunConfiguration::name),
                    field("nodes", &RunConfiguration::nodes),
                    field("resources", &RunConfiguration::resources),
                    field("groups", &RunConfiguration::groups),
                    field("priority", &RunConfiguration::priority),
                    field("profile", &RunConfiguration::profile),
                    field("startup_order", &RunConfiguration::startup_order),
                    field("stop_criteria", &RunConfiguration::stop_criteria),
                    field("env", &RunConfiguration::env),
                    field("passthrough", &RunConfiguration::passthrough));
    }
    friend bool operator==(const RunConfiguration&, const RunConfiguration&) = default;
};

/// How many nodes a fleet has: `2`, `1..4`, `{min, target, max}`.
struct FleetNodes {
    Count min;
    Count target;              ///< how many are made at first; min <= target <= max
    std::optional<Count> max;  ///< absent: no end

    static constexpr auto fields(auto list) {
        return list(field("min", &FleetNodes::min), field("target", &FleetNodes::target),
                    field("max", &FleetNodes::max));
    }
    friend bool operator==(const FleetNodes&, const FleetNodes&) = default;
};

/// A host of an SSH fleet.
struct SshHost {
    std::string hostname;
    std::optional<BlockCount> blocks;         ///< absent: those of the fleet
    std::vector<PassthroughKey> passthrough;  ///< port, user and the like

    static constexpr auto fields(auto list) {
        return list(field("hostname", &SshHost::hostname), field("blocks", &SshHost::blocks),
                    field("passthrough", &SshHost::passthrough));
    }
    friend bool operator==(const SshHost&, const SshHost&) = default;
};

/// `ssh_config:` of a fleet of hosts that are there already.
struct SshConfig {
    std::vector<SshHost> hosts;
    std::vector<PassthroughKey> passthrough;

    static constexpr auto fields(auto list) {
        return list(field("hosts", &SshConfig::hosts),
                    field("passthrough", &SshConfig::passthrough));
    }
    friend bool operator==(const SshConfig&, const SshConfig&) = default;
};

/// `type: fleet`.
struct FleetConfiguration {
    std::string name;  ///< empty: dstack makes one up
    std::optional<FleetNodes> nodes;
    Resources resources = Resources::unconstrained();
    BlockCount blocks;
    FleetPlacement placement = FleetPlacement::any;
    Profile profile;
    std::optional<SshConfig> ssh_config;
    std::vector<EnvEntry> env;
    std::vector<PassthroughKey> passthrough;

    static constexpr auto fields(auto list) {
        return list(field("name", &FleetConfiguration::name),
                    field("nodes", &FleetConfiguration::nodes),
                    field("resources", &FleetConfiguration::resources),
                    field("blocks", &FleetConfiguration::blocks),
                    field("placement", &FleetConfiguration::placement),
                    field("profile", &FleetConfiguration::profile),
                    field("ssh_config", &FleetConfiguration::ssh_config),
                    field("env", &FleetConfiguration::env),
                    field("passthrough", &FleetConfiguration::passthrough));
    }
    friend bool operator==(const FleetConfiguration&, const FleetConfiguration&) = default;
};

/// A file: one of these.
struct Configuration {
    std::optional<RunConfiguration> run;
    std::optional<FleetConfiguration> fleet;
    std::optional<VolumeConfiguration> volume;
    std::optional<GatewayConfiguration> gateway;
    std::vector<NamedProfile> profiles;  ///< each name once, one default at most
    std::optional<ServerConfiguration> server;

    static constexpr auto fields(auto list) {
        return list(
            field("run", &Configuration::run), field("fleet", &Configuration::fleet),
            field("volume", &Configuration::volume), field("gateway", &Configuration::gateway),
            field("profiles", &Configuration::profiles), field("server", &Configuration::server));
    }
    friend bool operator==(const Configuration&, const Configuration&) = default;
};

/// What was read, and every mistake.
struct ConfigurationReading {
    Configuration configuration;    ///< nothing when there is no known type
    std::vector<SpecError> errors;  ///< in the order of the text; after the first 100 no more

    static constexpr auto fields(auto list) {
        return list(field("configuration", &ConfigurationReading::configuration),
                    field("errors", &ConfigurationReading::errors));
    }
    friend bool operator==(const ConfigurationReading&, const ConfigurationReading&) = default;
};

/// Reads a file of YAML, at most 64 KiB and 64 levels. A key that is null counts as left out where
/// dstack lets it be null. A file without `type` that has `profiles` is `.dstack/profiles.yml`, one
/// that has `projects` is the server's `config.yml`.
/// Errors, all in one pass but for broken YAML: a second document, no type or an unknown one, an
/// unknown or repeated key. Also a boolean, an empty list, a value that its grammar refuses. With
/// an unknown type, the keys are checked as for the nearest type.
[[nodiscard]] ConfigurationReading read_configuration(std::string_view yaml,
                                                      BareValue bare = BareValue::exact);
/// The same. Errors: InvalidArgument with the first mistake.
[[nodiscard]] StatusOr<Configuration> parse_configuration(std::string_view yaml,
                                                          BareValue bare = BareValue::exact);

/// A file that parse_configuration reads back to an equal value. Two things may differ: the line
/// numbers of passthrough keys, and files near the limits above. Resources are written in full.
[[nodiscard]] std::string to_text(const RunConfiguration& run);
[[nodiscard]] std::string to_text(const FleetConfiguration& fleet);
[[nodiscard]] std::string to_text(const VolumeConfiguration& volume);
[[nodiscard]] std::string to_text(const GatewayConfiguration& gateway);
/// `.dstack/profiles.yml`.
[[nodiscard]] std::string to_text(std::span<const NamedProfile> profiles);
/// Without secrets, which a ServerConfiguration does not have.
[[nodiscard]] std::string to_text(const ServerConfiguration& server);
/// Empty when there is none of them.
[[nodiscard]] std::string to_text(const Configuration& configuration);

/// The run as a group of it is, without groups. The group's resources, spot policy, reservation and
/// carried keys replace the run's. `nodes` are the group's of a task, 1 of a service, where each
/// replica is a run of one node. Requires: the group has a least count.
[[nodiscard]] RunConfiguration run_of(const RunConfiguration& run, const RunGroup& group);

/// The parts that a host of the fleet is cut into: its own number, else the fleet's.
[[nodiscard]] inline BlockCount blocks_of(const FleetConfiguration& fleet, const SshHost& host) {
    return host.blocks.value_or(fleet.blocks);
}

}  // namespace trestle::dstack
