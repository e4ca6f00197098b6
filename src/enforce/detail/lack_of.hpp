// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why a machine cannot do a step.
//
// Layer: enforce (private). Main function: lack_of.

#include <string>

#include "trestle/base/units.hpp"
#include "trestle/enforce/capabilities.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle {

namespace detail {

/// `memory`, of which the kernel's files begin with their name.
[[nodiscard]] std::string controller_of(const Limit& limit);

[[nodiscard]] std::string lack_of_pages(Bytes page_size, const Capabilities& machine);

/// What a kernel may lack of a controller that is there.
[[nodiscard]] std::string lack_of_limit(const Limit& limit, const Capabilities& machine);

}  // namespace detail

/// Why the machine cannot do the step, in one line; empty when nothing is known against it.
[[nodiscard]] std::string lack_of(const Step& step, const Capabilities& machine);

}  // namespace trestle
