// SPDX-License-Identifier: Apache-2.0
// What is read prints, the print is read as the same, and its request makes sense; an error is one
// line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/target.hpp"
#include "trestle/dialect/dstack/resources.hpp"

TRESTLE_FUZZ(dstack_resources) {
    using namespace trestle;
    const auto resources = dstack::parse_resources(std::string(data, data + size));
    if (!resources.ok()) {
        const std::string line(message(resources.status()));
        if (line.empty() || line.find('\n') != std::string::npos) std::abort();
        return;
    }
    const auto again = dstack::parse_resources(to_text(*resources));
    if (!again.ok() || *again != *resources) std::abort();
    if (!check(to_request(*resources)).ok() || pretty_text(*resources).empty()) std::abort();
}
