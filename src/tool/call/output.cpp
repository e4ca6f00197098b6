// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

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

std::string with_tones(std::string_view text) {
    constexpr std::pair<std::string_view, Tone> judging[] = {
        {"starts now", Tone::good},    {"starts in", Tone::doubtful},   {"never starts", Tone::bad},
        {"does not start", Tone::bad}, {"would start now", Tone::good}, {"would start", Tone::good},
        {"warning", Tone::doubtful}};
    std::string toned;
    while (!text.empty()) {
        const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
        const std::string_view line = text.substr(0, size);
        const std::size_t first = std::min(line.find_first_not_of(' '), size);
        const auto* const words = std::find_if(
            std::begin(judging), std::end(judging),
            [&](const auto& one) { return line.substr(first).starts_with(one.first); });
        const std::size_t end = words == std::end(judging) ? first : first + words->first.size();
        toned += line.substr(0, first);
        if (end > first) toned += coloured(line.substr(first, end - first), words->second);
        toned += line.substr(end);
        text.remove_prefix(size);
    }
    return toned;
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
