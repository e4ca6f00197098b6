// SPDX-License-Identifier: Apache-2.0
#pragma once

// Drift: what of a plan does not hold on the machine, and why.
//
// Layer: enforce. Main type: Drift. Enforcer::verify lists it.
// Pitfall: a text that differs from the written one is not always drift. The kernel rounds memory
// down to pages, adds a period to a quota and defaults to a line of limits.

#include <string>

#include "trestle/base/fields.hpp"

namespace trestle {

/// Something of a plan that does not hold.
struct Drift {
    std::string resource;  ///< of the step: `cpu`, `memory`, ...
    std::string file;      ///< what was looked at; `device filter` for the program
    std::string expected;
    std::string found;  ///< `unknown` if it cannot be read; empty: nothing is there
    std::string why;    ///< one line

    static constexpr auto fields(auto list) {
        return list(field("resource", &Drift::resource), field("file", &Drift::file),
                    field("expected", &Drift::expected), field("found", &Drift::found),
                    field("why", &Drift::why));
    }
    friend bool operator==(const Drift&, const Drift&) = default;
};

/// `cpu: cpuset.cpus.effective is 0-3, expected 2-3: a CPU is offline or taken`.
[[nodiscard]] std::string to_text(const Drift& drift);

}  // namespace trestle
