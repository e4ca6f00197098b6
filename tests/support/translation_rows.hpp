// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tables of what a translation makes of one thing that is said.

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "trestle/dialect/translate/loss.hpp"

namespace trestle::translation_rows {

struct TranslationRow {
    const char* text;
    const char* becomes;  ///< the lines that nothing said would not give, joined by `; `
    const char* lost;     ///< `dropped --signal, note srun`
    const char* why;
};

/// The lines of a text that `usual` has not.
inline std::string lines_beside(const std::string& text, const std::string& usual) {
    const auto lines_of = [](const std::string& all) {
        std::vector<std::string> lines;
        std::istringstream stream(all);
        for (std::string line; std::getline(stream, line);) lines.push_back(line);
        return lines;
    };
    const auto before = lines_of(usual);
    const std::set<std::string> known(before.begin(), before.end());
    std::string result;
    for (const std::string& line : lines_of(text)) {
        if (known.count(line) != 0) continue;
        result += (result.empty() ? "" : "; ") + line.substr(line.find_first_not_of(' '));
    }
    return result;
}

/// The losses that `usual` has not, as kind and name. Each has its reason.
inline std::string lost_in(const std::vector<translate::Loss>& losses,
                           const std::vector<translate::Loss>& usual) {
    std::string result;
    for (const translate::Loss& loss : losses) {
        CHECK(loss.why.size() > 5);
        if (std::find(usual.begin(), usual.end(), loss) != usual.end()) continue;
        result += (result.empty() ? "" : ", ") + std::string(to_text(loss.kind)) + " " + loss.what;
    }
    return result;
}

}  // namespace trestle::translation_rows
