// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why a machine cannot do a step.
//
// Layer: enforce (private). Main functions: lack_of, controller_of. Bodies:
// capabilities.cpp.

#include <string>

#include "trestle/enforce/capabilities.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle {

namespace detail {

/// `memory`, of which the kernel's files begin with their name.
[[nodiscard]] std::string controller_of(const Limit& limit);

}  // namespace detail

/// Why the machine cannot do the step, in one line; empty when nothing is known against it.
[[nodiscard]] std::string lack_of(const Step& step, const Capabilities& machine);

}  // namespace trestle
