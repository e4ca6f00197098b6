// SPDX-License-Identifier: Apache-2.0
#pragma once

// The MIG instances of a node's GPUs, from a configuration file of NVIDIA's MIG manager
// (`nvidia-mig-parted`).
//
// Layer: dialect/container. Main names: MigConfig, parse_mig_parted, with_mig_config.
// Pitfall: `devices` counts the NVIDIA GPUs of the node, and `device-filter` has ids of the PCI
// bus. A Device has no such id, so a filter matches the GPUs that slice_geometry_for takes for its
// cards.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/node.hpp"

namespace trestle::container {

/// `"1g.10gb": 7`.
struct MigCount {
    std::string profile;
    Count count;

    static constexpr auto fields(auto list) {
        return list(field("profile", &MigCount::profile), field("count", &MigCount::count));
    }
    friend bool operator==(const MigCount&, const MigCount&) = default;
};

/// What some GPUs are cut into.
struct MigLayout {
    std::vector<std::string> device_filter;  ///< `0x233010DE`; empty: any card
    std::vector<std::uint32_t> devices;      ///< by index; empty: all
    bool is_enabled = false;                 ///< false: the GPUs are whole
    std::vector<MigCount> instances;         ///< in the order of the file

    static constexpr auto fields(auto list) {
        return list(field("device_filter", &MigLayout::device_filter),
                    field("devices", &MigLayout::devices),
                    field("is_enabled", &MigLayout::is_enabled),
                    field("instances", &MigLayout::instances));
    }
    friend bool operator==(const MigLayout&, const MigLayout&) = default;
};

/// One of the `mig-configs`.
struct MigConfig {
    std::string name;  ///< `all-balanced`
    std::vector<MigLayout> layouts;

    static constexpr auto fields(auto list) {
        return list(field("name", &MigConfig::name), field("layouts", &MigConfig::layouts));
    }
    friend bool operator==(const MigConfig&, const MigConfig&) = default;
};

/// The configurations of a file, in its order. Errors: InvalidArgument, with line and column, for
/// what is no such file. That is another version than v1, an unknown key, `devices` that are
/// neither `all` nor indexes, instances of a layout without MIG.
[[nodiscard]] StatusOr<std::vector<MigConfig>> parse_mig_parted(std::string_view text);

/// The node as `nvidia-mig-parted apply` leaves it. Each NVIDIA GPU to which a layout applies has
/// exactly the instances of the last one, or is whole (Slicing::is_fixed). Instances lie where most
/// stays free. Other devices are as they were.
///
/// Errors: InvalidArgument, with the configuration and the GPU, for a GPU that MIG cannot cut. The
/// same for a profile that it lacks and instances that do not fit together. Also for an index that
/// the node lacks. Also where no layout applies to a GPU, but one filters by a card that is not
/// known here.
[[nodiscard]] StatusOr<NodeShape> with_mig_config(NodeShape shape, const MigConfig& config);

}  // namespace trestle::container
