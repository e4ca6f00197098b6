// SPDX-License-Identifier: Apache-2.0
// Runs and fleets as the text of dstack's files, without the line of the type.
#pragma once

#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "trestle/dialect/dstack/configuration.hpp"

namespace trestle::testing {

inline dstack::Configuration dstack_file(std::string_view type, std::string_view yaml) {
    const auto file =
        dstack::parse_configuration("type: " + std::string(type) + "\n" + std::string(yaml));
    INFO(yaml << ": " << message(file.status()));
    REQUIRE(file.ok());
    return *file;
}

inline dstack::RunConfiguration run_of(std::string_view yaml) {
    return *dstack_file("task", yaml).run;
}

inline dstack::FleetConfiguration fleet_of(std::string_view yaml) {
    return *dstack_file("fleet", yaml).fleet;
}

}  // namespace trestle::testing
