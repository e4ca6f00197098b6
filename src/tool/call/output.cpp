// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
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
    if (text.empty() || !has_colours()) return std::string(text);
    const int code = tone == Tone::good ? 32 : tone == Tone::doubtful ? 33 : 31;
    return fmt::format("\033[{}m{}\033[0m", code, text);
}

std::size_t terminal_width() {
    constexpr std::size_t least = 40, usual = 80, most = 1000;
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return std::max<std::size_t>(least, size.ws_col);
    }
    const char* const columns = std::getenv("COLUMNS");
    if (columns == nullptr) return usual;
    const std::string_view text = columns;
    std::size_t number = usual;
    (void)std::from_chars(text.data(), text.data() + text.size(), number);
    return std::clamp(number, least, most);
}

void clear_terminal() {
    if (::isatty(STDOUT_FILENO) == 1) fmt::print("\033[H\033[2J");
}

void print_json(const json::Value& document) { fmt::print("{}\n", json::print(document)); }

}  // namespace trestle::tool
