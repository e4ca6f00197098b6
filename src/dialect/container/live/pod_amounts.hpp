// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much a node of Kubernetes has and a pod asks.
//
// Layer: dialect/container. Main names: Amounts, read_amounts, amounts_of_pod.
// Pitfall: containers of a pod that run one after another count by the largest, not by the sum.

#include <map>
#include <optional>
#include <string>

#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/json/value.hpp"

namespace trestle::container {

/// Amounts by resource. Ephemeral storage and huge pages are left out.
struct Amounts {
    MilliCpu cpu;
    Bytes memory;
    std::optional<Count> pods;             ///< of a node
    std::map<std::string, Count> devices;  ///< by resource: `nvidia.com/gpu`
};

/// Of `allocatable`, `requests` or `limits`. Errors: InvalidArgument with the resource, for what is
/// no quantity.
[[nodiscard]] StatusOr<Amounts> read_amounts(const json::Value& object);

/// Of the spec of a pod: the sum of its containers or the largest moment of its init containers,
/// and its overhead. CPUs and memory that the pod names for itself come in place of that sum. A
/// limit without a request is one.
[[nodiscard]] StatusOr<Amounts> amounts_of_pod(const json::Value& spec);

}  // namespace trestle::container
