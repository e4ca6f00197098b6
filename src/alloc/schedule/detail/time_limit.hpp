// SPDX-License-Identifier: Apache-2.0
#pragma once

// How long a request may run by what it asks and by its partition.
//
// Layer: alloc. Main function: time_limit_of.

#include <optional>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// How long the request may run: what it asks for, else what its partition gives; nothing: for
/// ever. See effective_time_limit().
[[nodiscard]] std::optional<Seconds> time_limit_of(const Cluster& cluster, const Request& request);

}  // namespace trestle
