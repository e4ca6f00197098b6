// SPDX-License-Identifier: Apache-2.0
#include "pod_times.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace trestle::container {

std::optional<Moment> moment_of(std::string_view text) {
    constexpr std::string_view form = "0000-00-00T00:00:00Z";
    if (text.size() != form.size()) return std::nullopt;
    std::array<int, 6> parts{};
    std::size_t part = 0;
    for (std::size_t i = 0; i < form.size(); ++i) {
        if (form[i] != '0') {
            if (text[i] != form[i]) return std::nullopt;
            ++part;
        } else if (text[i] < '0' || text[i] > '9') {
            return std::nullopt;
        } else {
            parts[part] = parts[part] * 10 + (text[i] - '0');
        }
    }
    const auto [year, month, day, hour, minute, second] = parts;
    const std::chrono::year_month_day date(std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day)));
    if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
    const auto days = std::chrono::sys_days(date).time_since_epoch().count();
    return ((static_cast<Moment>(days) * 24 + hour) * 60 + minute) * 60 + second;
}

}  // namespace trestle::container
