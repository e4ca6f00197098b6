// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/cluster_count.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "model/cluster_counts.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

Status check(const std::vector<ClusterCount>& counts) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const ClusterCount& one = counts[i];
        if (one.name.empty()) return invalid_argument("cluster count {}: it has no name", i);
        if (one.count.is_zero()) {
            return invalid_argument("cluster count {}: 0, expected 1 or more", one.name);
        }
        if (i != 0 && !(counts[i - 1].name < one.name)) {
            return invalid_argument("cluster count {}: expected rising names, each once", one.name);
        }
    }
    return {};
}

Count count_of(const std::vector<ClusterCount>& counts, std::string_view name) {
    const auto at = std::lower_bound(
        counts.begin(), counts.end(), name,
        [](const ClusterCount& one, std::string_view wanted) { return one.name < wanted; });
    return at != counts.end() && at->name == name ? at->count : Count();
}

std::optional<Refusal> refuse(const std::vector<ClusterCount>& free,
                              const std::vector<ClusterCount>& wanted) {
    for (const ClusterCount& one : wanted) {
        const Count left = count_of(free, one.name);
        if (left < one.count) {
            return Refusal{Constraint::cluster_counts,
                           fmt::format("asked {} {}, {} are free", one.count, one.name, left)};
        }
    }
    return std::nullopt;
}

bool contains(const std::vector<ClusterCount>& whole, const std::vector<ClusterCount>& part) {
    return std::all_of(part.begin(), part.end(), [&](const ClusterCount& one) {
        return !(count_of(whole, one.name) < one.count);
    });
}

std::vector<ClusterCount> add(const std::vector<ClusterCount>& a,
                              const std::vector<ClusterCount>& b) {
    std::vector<ClusterCount> sum;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(sum));
    std::vector<ClusterCount> merged;
    for (ClusterCount& one : sum) {
        if (!merged.empty() && merged.back().name == one.name) {
            merged.back().count += one.count;
        } else {
            merged.push_back(std::move(one));
        }
    }
    return merged;
}

std::vector<ClusterCount> subtract(std::vector<ClusterCount> whole,
                                   const std::vector<ClusterCount>& part) {
    TRESTLE_EXPECTS(contains(whole, part), "what is taken away is there");
    for (ClusterCount& one : whole) one.count -= count_of(part, one.name);
    std::erase_if(whole, [](const ClusterCount& one) { return one.count.is_zero(); });
    return whole;
}

}  // namespace trestle
