// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/translate/loss.hpp"

#include "trestle/base/fmt.hpp"
#include "trestle/base/text.hpp"

namespace trestle::translate {

std::string to_text(const Loss& loss) {
    std::string text = fmt::format("{}: {}", trestle::to_text(loss.kind), loss.what);
    if (!loss.value.empty()) {
        const bool is_line = loss.value.find_first_of("\r\n") == std::string::npos;
        text += loss.what.starts_with("--") ? "=" : ": ";
        text += is_line ? loss.value : trestle::detail::quoted(loss.value);
    }
    return text + ": " + loss.why;
}

std::string to_text(const std::vector<Loss>& losses) {
    std::string text;
    for (const Loss& loss : losses) text += to_text(loss) + "\n";
    return text;
}

}  // namespace trestle::translate
