// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keys of a run that are carried as text, read when something asks for them.
//
// Layer: dialect/dstack, inside. Main function: find_carried.

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string_view>

#include "trestle/base/status.hpp"
#include "trestle/dialect/dstack/configuration.hpp"

namespace trestle::dstack {

/// A key that was carried, as YAML again.
struct PassthroughValue {
    const PassthroughKey* key = nullptr;
    YAML::Node node;
};

/// Nothing: it is not there, or null. Errors: InvalidArgument with key and line.
[[nodiscard]] StatusOr<std::optional<PassthroughValue>> find_carried(const RunConfiguration& run,
                                                                     std::string_view name);

}  // namespace trestle::dstack
