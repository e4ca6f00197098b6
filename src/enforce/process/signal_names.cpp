// SPDX-License-Identifier: Apache-2.0
#include "enforce/process/signal_names.hpp"

#include <string>

#include "trestle/base/fmt.hpp"

namespace trestle {

std::string signal_text(int number) {
    for (const SignalName& known : signal_names) {
        if (known.number == number) return "SIG" + std::string(known.name);
    }
    return fmt::format("signal {}", number);
}

}  // namespace trestle
