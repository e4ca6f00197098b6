// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/process/job_end.hpp"

#include <string>

#include "enforce/process/signal_names.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

std::string to_text(const JobEnd& end) {
    std::string text(to_text(reason_of(end)));
    if (end.outcome.ending == Outcome::Ending::exited) {
        return text + fmt::format(", status {}", end.outcome.exit_code);
    }
    text += ", " + signal_text(end.outcome.signal_number);
    const bool is_ours = end.is_killed && end.outcome.signal_number == sigkill;
    return is_ours ? text + " after the grace" : text;
}

}  // namespace trestle
