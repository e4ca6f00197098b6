// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cluster-wide counts: what jobs take of the cluster as a whole and not of a node, by name and
// number: licences (`matlab`, `abaqus@flex1`), power, burst buffer.
//
// Layer: model. Main type: ClusterCount, and lists of it, which are sorted by name, name each at
// most once and none with 0; check(list) says whether a list is such a one.
// A reader would get wrong: names are compared as they are: `abaqus` is not `abaqus@flex1`.

#include <algorithm>
#include <compare>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/contract.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle {

/// So many of a thing that the cluster as a whole has.
struct ClusterCount {
    std::string name;
    Count count{1};

    static constexpr auto fields(auto list) {
        return list(field("name", &ClusterCount::name), field("count", &ClusterCount::count));
    }
    friend bool operator==(const ClusterCount&, const ClusterCount&) = default;
    friend auto operator<=>(const ClusterCount&, const ClusterCount&) = default;
};

/// `abaqus@flex1:2`.
[[nodiscard]] inline std::string to_text(const ClusterCount& one) {
    return one.name + ":" + to_text(one.count);
}

/// Ok when the names rise and none is empty and no count is 0.
/// Errors: InvalidArgument that names the first that breaks it.
[[nodiscard]] inline Status check(const std::vector<ClusterCount>& counts) {
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

/// How many of `name` a list has; 0 when it is not named. Requires: check(counts) is ok, as in all
/// that follows. Complexity: logarithmic.
[[nodiscard]] inline Count count_of(const std::vector<ClusterCount>& counts,
                                    std::string_view name) {
    const auto at = std::lower_bound(
        counts.begin(), counts.end(), name,
        [](const ClusterCount& one, std::string_view wanted) { return one.name < wanted; });
    return at != counts.end() && at->name == name ? at->count : Count();
}

/// Why `wanted` is not in `free`; nothing when it is.
[[nodiscard]] inline std::optional<Refusal> refuse(const std::vector<ClusterCount>& free,
                                                   const std::vector<ClusterCount>& wanted) {
    for (const ClusterCount& one : wanted) {
        const Count left = count_of(free, one.name);
        if (left < one.count) {
            return Refusal{Constraint::cluster_counts,
                           fmt::format("{}: {} wanted, {} free", one.name, one.count, left)};
        }
    }
    return std::nullopt;
}

/// True when `whole` has at least what `part` has.
[[nodiscard]] inline bool contains(const std::vector<ClusterCount>& whole,
                                   const std::vector<ClusterCount>& part) {
    return std::all_of(part.begin(), part.end(), [&](const ClusterCount& one) {
        return !(count_of(whole, one.name) < one.count);
    });
}

/// Both together. Requires: no sum exceeds 63 bits. Complexity: linear.
[[nodiscard]] inline std::vector<ClusterCount> add(const std::vector<ClusterCount>& a,
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

/// What is left of `whole` without `part`. Requires: contains(whole, part).
[[nodiscard]] inline std::vector<ClusterCount> subtract(std::vector<ClusterCount> whole,
                                                        const std::vector<ClusterCount>& part) {
    TRESTLE_EXPECTS(contains(whole, part), "what is taken away is there");
    for (ClusterCount& one : whole) one.count -= count_of(part, one.name);
    std::erase_if(whole, [](const ClusterCount& one) { return one.count.is_zero(); });
    return whole;
}

}  // namespace trestle
