// SPDX-License-Identifier: Apache-2.0
#pragma once

// Strictness: how much nearness between cores, memory and devices matters.
//
// Layer: model. Main type: Strictness. NodeDescription::Devices::Nearness is asked at a level of
// the hardware tree.
// Pitfall: a group of level numa is the cores with the same set of near memory. So a node with DRAM
// and fast memory at each package has one group a package.

#include <array>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/node.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// How much nearness matters.
enum class Strictness { ignore, prefer, require };

constexpr auto enum_names(Strictness) {
    using enum Strictness;
    return std::array{named(ignore, "ignore"), named(prefer, "prefer"), named(require, "require")};
}

}  // namespace trestle
