// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/process/end_policy.hpp"

#include <string>

#include "enforce/process/signal_names.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

Status check(const EndPolicy& policy) {
    const auto exists = [](int number) { return number >= 1 && number <= signals_max; };
    if (policy.warning && !exists(policy.warning->signal_number)) {
        return invalid_argument("end: the warning is signal {}, expected 1 to {}",
                                policy.warning->signal_number, signals_max);
    }
    if (exists(policy.end_signal)) return {};
    return invalid_argument("end: it is signal {}, expected 1 to {}", policy.end_signal,
                            signals_max);
}

std::string to_text(const EndPolicy& policy) {
    const auto target = [](EndPolicy::Target to) {
        return to == EndPolicy::Target::leader ? "the leader" : "every process";
    };
    std::string text = "time without limit";
    if (policy.time_limit) {
        text = fmt::format("time {} s", *policy.time_limit);
        if (policy.over_time == Seconds::max()) {
            text += ", not ended by it";
        } else if (!policy.over_time.is_zero()) {
            text += fmt::format(" and {} s over", policy.over_time);
        }
        if (policy.warning) {
            text +=
                fmt::format(", {} to {} {} s before", signal_text(policy.warning->signal_number),
                            target(policy.warning->target), policy.warning->before);
        }
    }
    if (policy.grace.is_zero()) return text + "; end by SIGKILL";
    text +=
        fmt::format("; end by {} to {}", signal_text(policy.end_signal), target(policy.end_target));
    if (policy.grace == Seconds::max()) return text;
    return text + fmt::format(", after {} s SIGKILL", policy.grace);
}

}  // namespace trestle
