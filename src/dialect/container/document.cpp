// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/document.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "../../base/text_table.hpp"

namespace trestle::container {

std::vector<KeptLimit> losses(const std::vector<KeptLimit>& limits) {
    std::vector<KeptLimit> lost;
    std::copy_if(limits.begin(), limits.end(), std::back_inserter(lost), [](const KeptLimit& row) {
        return row.keeper == Keeper::none && row.limit != "-";
    });
    return lost;
}

std::string kept_table(const std::vector<KeptLimit>& limits) {
    std::vector<std::array<std::string, 4>> cells = {{"resource", "limit", "keeper", "how"}};
    for (const KeptLimit& row : limits) {
        cells.push_back({row.resource, row.limit, std::string(to_text(row.keeper)), row.how});
    }
    return trestle::detail::text_table(cells);
}

}  // namespace trestle::container
