// SPDX-License-Identifier: Apache-2.0
#pragma once

// The readers of the parts of dstack's files, each of a YAML node into a value.
//
// Layer: dialect/dstack, inside. What is wrong stays in the SpecReader; the value then holds what
// could be read.

#include "spec_reader.hpp"
#include "trestle/dialect/dstack/resources.hpp"

namespace trestle::dstack {

/// `resources:`; null leaves the defaults.
void read_resources_in(SpecReader& reader, Resources& resources, const YAML::Node& node);

}  // namespace trestle::dstack
