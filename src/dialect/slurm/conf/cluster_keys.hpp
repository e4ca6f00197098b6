// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keys of slurm.conf that speak of the cluster as a whole.
//
// Layer: dialect/slurm, inside.

#include <span>
#include <string_view>

#include "../known_releases.hpp"
#include "conf_lines.hpp"
#include "trestle/dialect/slurm/conf/parameters.hpp"

namespace trestle::slurm {

/// Keys that become parameters.
[[nodiscard]] std::span<const Key<ClusterParameters>> cluster_keys();

/// A key that is known and carried.
struct CarriedName {
    std::string_view name;
    KnownReleases releases = {};
    ValueErrors (*check)(TextCursor value) = nullptr;  ///< absent: slurmctld takes any value
};
[[nodiscard]] std::span<const CarriedName> passthrough_names();

}  // namespace trestle::slurm
