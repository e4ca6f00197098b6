// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

namespace trestle::container {

std::vector<KeptLimit> losses(const std::vector<KeptLimit>& limits) {
    std::vector<KeptLimit> lost;
    std::copy_if(limits.begin(), limits.end(), std::back_inserter(lost), [](const KeptLimit& row) {
        return row.keeper == Keeper::nobody && row.limit != "-";
    });
    return lost;
}

std::string kept_table(const std::vector<KeptLimit>& limits) {
    constexpr std::size_t columns = 4;
    std::vector<std::array<std::string, columns>> cells = {{"resource", "limit", "keeper", "how"}};
    for (const KeptLimit& row : limits) {
        cells.push_back({row.resource, row.limit, std::string(to_text(row.keeper)), row.how});
    }
    std::array<std::size_t, columns> widths{};
    for (const auto& line : cells) {
        for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], line[i].size());
    }
    std::string text;
    for (const auto& line : cells) {
        for (std::size_t i = 0; i + 1 < columns; ++i) {
            text += fmt::format("{:<{}}  ", line[i], widths[i]);
        }
        text += line.back() + "\n";
    }
    return text;
}

}  // namespace trestle::container
