// SPDX-License-Identifier: Apache-2.0
#pragma once

// What dstack's users have beside runs and fleets: volumes, gateways, profiles and the server's
// configuration.
//
// Layer: dialect/dstack. Main names: VolumeConfiguration, GatewayConfiguration, NamedProfile,
// ServerConfiguration. read_configuration reads them all.
// Pitfall: secrets of the server's configuration are not kept, so it is no copy of the file.

#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/dstack/duration.hpp"
#include "trestle/dialect/dstack/profile.hpp"
#include "trestle/dialect/dstack/spec_error.hpp"

namespace trestle::dstack {

/// `type: volume`.
struct VolumeConfiguration {
    std::string name;  ///< empty: dstack makes one up
    std::string backend;
    std::string region;                                  ///< empty: that of the whole backend
    std::string availability_zone;                       ///< empty: any
    std::optional<Bytes> size;                           ///< of one that is made
    std::string volume_id;                               ///< of one that exists; empty: it is made
    std::optional<DurationLimit> auto_cleanup_duration;  ///< without use; absent: it is kept
    std::vector<PassthroughKey> passthrough;             ///< tags, claim_name and the like

    static constexpr auto fields(auto list) {
        return list(field("name", &VolumeConfiguration::name),
                    field("backend", &VolumeConfiguration::backend),
                    field("region", &VolumeConfiguration::region),
                    field("availability_zone", &VolumeConfiguration::availability_zone),
                    field("size", &VolumeConfiguration::size),
                    field("volume_id", &VolumeConfiguration::volume_id),
                    field("auto_cleanup_duration", &VolumeConfiguration::auto_cleanup_duration),
                    field("passthrough", &VolumeConfiguration::passthrough));
    }
    friend bool operator==(const VolumeConfiguration&, const VolumeConfiguration&) = default;
};

/// `type: gateway`.
struct GatewayConfiguration {
    std::string name;  ///< empty: dstack makes one up
    std::string backend;
    std::string region;
    std::string instance_type;  ///< empty: the backend's default
    std::string domain;         ///< empty: none
    std::vector<PassthroughKey> passthrough;

    static constexpr auto fields(auto list) {
        return list(field("name", &GatewayConfiguration::name),
                    field("backend", &GatewayConfiguration::backend),
                    field("region", &GatewayConfiguration::region),
                    field("instance_type", &GatewayConfiguration::instance_type),
                    field("domain", &GatewayConfiguration::domain),
                    field("passthrough", &GatewayConfiguration::passthrough));
    }
    friend bool operator==(const GatewayConfiguration&, const GatewayConfiguration&) = default;
};

/// An entry of `.dstack/profiles.yml`.
struct NamedProfile {
    std::string name;
    bool is_default = false;  ///< used where no profile is named
    Profile profile;
    std::vector<PassthroughKey> passthrough;

    static constexpr auto fields(auto list) {
        return list(field("name", &NamedProfile::name),
                    field("is_default", &NamedProfile::is_default),
                    field("profile", &NamedProfile::profile),
                    field("passthrough", &NamedProfile::passthrough));
    }
    friend bool operator==(const NamedProfile&, const NamedProfile&) = default;
};

/// A backend of a project in the server's `config.yml`. Of its keys those are kept that are known
/// to be no secrets (`vpc_name`, `tags`, `project_id` and the like); the others are passed over.
struct ServerBackend {
    std::string type;
    std::vector<std::string> regions;         ///< empty: all
    std::vector<PassthroughKey> passthrough;  ///< what dstack does not count as credentials

    static constexpr auto fields(auto list) {
        return list(field("type", &ServerBackend::type), field("regions", &ServerBackend::regions),
                    field("passthrough", &ServerBackend::passthrough));
    }
    friend bool operator==(const ServerBackend&, const ServerBackend&) = default;
};

/// A project of the server.
struct ServerProject {
    std::string name;
    std::vector<ServerBackend> backends;

    static constexpr auto fields(auto list) {
        return list(field("name", &ServerProject::name),
                    field("backends", &ServerProject::backends));
    }
    friend bool operator==(const ServerProject&, const ServerProject&) = default;
};

/// The server's `config.yml`.
struct ServerConfiguration {
    std::vector<ServerProject> projects;
    std::vector<PassthroughKey> passthrough;  ///< not `encryption`: secrets are not kept

    static constexpr auto fields(auto list) {
        return list(field("projects", &ServerConfiguration::projects),
                    field("passthrough", &ServerConfiguration::passthrough));
    }
    friend bool operator==(const ServerConfiguration&, const ServerConfiguration&) = default;
};

}  // namespace trestle::dstack
