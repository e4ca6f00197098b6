// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cluster-wide counts are what jobs take of the cluster as a whole and not of a node. They have a
// name and a number: licences (`matlab`, `abaqus@flex1`), power, burst buffer.
//
// Layer: model. Main type: ClusterCount, and lists of it. A list is sorted by name, with each name
// at most once and none with 0. The function check(list) says whether a list is such a one.
// Pitfall: names are compared as they are: `abaqus` is not `abaqus@flex1`.

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
[[nodiscard]] Status check(const std::vector<ClusterCount>& counts);

}  // namespace trestle
