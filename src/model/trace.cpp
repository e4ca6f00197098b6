// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/trace.hpp"

#include <string>

namespace trestle {

std::string to_text(const TraceEvent& event) {
    std::string line{to_text(event.kind)};
    line += " owner=" + std::to_string(event.owner.value());
    if (!event.subject.empty()) line += " " + event.subject;
    return line + ": " + event.detail;
}

}  // namespace trestle
