// SPDX-License-Identifier: Apache-2.0
// Whole files: what is read prints, and the print is read as the same but for the lines of carried
// keys; errors are lines.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz/dstack_caps.hpp"
#include "fuzz/target.hpp"
#include "trestle/dialect/dstack/configuration.hpp"

TRESTLE_FUZZ(dstack_configuration) {
    using namespace trestle;
    const std::string yaml(data, data + size);
    for (const auto bare : {dstack::BareValue::exact, dstack::BareValue::minimum}) {
        const auto reading = dstack::read_configuration(yaml, bare);
        for (const dstack::SpecError& error : reading.errors) {
            const std::string line = to_text(error);
            if (line.empty() || line.find('\n') != std::string::npos) std::abort();
        }
        if (!reading.errors.empty()) continue;
        const std::string text = to_text(reading.configuration);
        const auto again = dstack::read_configuration(text);
        if (!again.errors.empty() && trestle::fuzz::is_cap(again)) continue;
        if (!again.errors.empty() || to_text(again.configuration) != text) std::abort();
    }
}
