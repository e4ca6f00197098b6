// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/process/outcome.hpp"

#include <optional>

#include "enforce/process/signal_names.hpp"

namespace trestle {

Outcome exited(int exit_code, std::optional<Count> oom_kills) {
    return {Outcome::Ending::exited, exit_code, 0, oom_kills};
}

Outcome signaled(int signal_number, std::optional<Count> oom_kills) {
    const bool is_oom = signal_number == sigkill && oom_kills.value_or(Count()) > Count(0);
    return {is_oom ? Outcome::Ending::out_of_memory : Outcome::Ending::signaled, 0, signal_number,
            oom_kills};
}

}  // namespace trestle
