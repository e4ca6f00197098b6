// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "trestle/dialect/json/value.hpp"

namespace trestle::tool {
namespace {

bool has_colours() {
    const char* const none = std::getenv("NO_COLOR");
    const char* const terminal = std::getenv("TERM");
    if (none != nullptr && *none != '\0') return false;
    if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
    return ::isatty(STDOUT_FILENO) == 1;
}

}  // namespace

std::string coloured(std::string_view text, Tone tone) {
    if (!has_colours()) return std::string(text);
    const int code = tone == Tone::good ? 32 : tone == Tone::doubtful ? 33 : 31;
    return fmt::format("\033[{}m{}\033[0m", code, text);
}

void print_json(const json::Value& document) { fmt::print("{}\n", json::print(document)); }

}  // namespace trestle::tool
