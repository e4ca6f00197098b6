// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/tres.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace trestle {

std::string to_text(const Gres& gres) {
    std::string text = gres.name;
    if (!gres.type.empty()) text += ":" + gres.type;
    return text + ":" + std::to_string(gres.count.value());
}

bool TresCounts::has(const Tres& tres) const {
    const auto at = find(tres);
    return at != entries.end() && at->first == tres;
}

void TresCounts::set(const Tres& tres, Count count) {
    const auto at = entries.begin() + (find(tres) - entries.cbegin());
    if (at != entries.end() && at->first == tres) {
        at->second = count;
    } else {
        entries.insert(at, {tres, count});
    }
}

std::vector<std::pair<Tres, Count>>::const_iterator TresCounts::find(const Tres& tres) const {
    return std::lower_bound(entries.begin(), entries.end(), tres,
                            [](const auto& entry, const Tres& t) { return entry.first < t; });
}

std::string to_text(const TresCounts& counts) {
    std::string text;
    for (const auto& [tres, count] : counts.entries) {
        if (!text.empty()) text += ',';
        text += to_text(tres) + "=" + std::to_string(count.value());
    }
    return text;
}

}  // namespace trestle
