// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/script.hpp"

#include <cstddef>

namespace trestle::slurm {

std::string_view strip_comment(std::string_view line) {
    std::size_t end = 0;
    char quote = '\0';
    for (; end < line.size(); ++end) {
        const char c = line[end];
        if (c == '\\' && quote != '\'') {
            ++end;  // the next character stands for itself
        } else if (quote != '\0') {
            if (c == quote) quote = '\0';
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '#') {
            break;
        }
    }
    line = line.substr(0, end);
    const std::size_t last = line.find_last_not_of(" \t\r\n");
    return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace trestle::slurm
