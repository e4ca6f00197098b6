// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nodes by the names of a list, whichever of the two is longer.
//
// Layer: dialect/slurm, inside. Main names: look_up; intervals_of for lists as long as the cluster.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "trestle/alloc/cluster/node_names.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"

namespace trestle::slurm {

/// What a list of names is.
struct NodesOfList {
    std::vector<NodeId> nodes;    ///< in the order of the list, where it is not the longer one
    std::uint64_t strangers = 0;  ///< names that are none; of a long list each is counted once
    std::string first_stranger;   ///< of a long list the first as sorted() has them
};

/// Complexity: the shorter one, times the logarithm of the runs of names or the runs of the list.
[[nodiscard]] inline NodesOfList look_up(const Hostlist& list, const NodeNames& names) {
    NodesOfList found;
    if (list.size() > std::uint64_t{names.size()} * 2 + 1000) {
        for (std::uint32_t i = 0; i < names.size(); ++i) {
            if (list.contains(names[NodeId(i)])) found.nodes.emplace_back(i);
        }
        const Hostlist distinct = list.sorted();
        found.strangers = distinct.size() - found.nodes.size();
        if (found.strangers == 0) return found;
        std::uint64_t i = 0;  // one of so many names is none of the nodes
        while (names.find(distinct[i])) ++i;
        found.first_stranger = distinct[i];
        return found;
    }
    list.for_each([&](const std::string& name) {
        if (const auto node = names.find(name)) {
            found.nodes.push_back(*node);
        } else if (found.strangers++ == 0) {
            found.first_stranger = name;
        }
    });
    return found;
}

/// The nodes of a list as intervals, rising and apart from each other. Complexity: n log n in the
/// runs of both; linear in the names that have something behind their number or go by steps, or in
/// the nodes where there are more of these.
[[nodiscard]] inline std::vector<Interval<std::uint32_t>> intervals_of(const Hostlist& list,
                                                                       const NodeNames& names) {
    constexpr std::uint32_t width_max = 18;
    std::vector<Interval<std::uint32_t>> found;
    const auto add_one = [&](const std::string& name) {
        if (const auto node = names.find(name)) found.push_back({node->value(), node->value() + 1});
    };
    bool is_long = false;
    list.for_each_stretch([&](const Hostlist::Stretch& one) {
        if (one.width && one.step == 1 && one.suffix.empty() && *one.width <= width_max) {
            names.for_each_in(one.prefix, {one.first, one.first + one.count}, *one.width,
                              [&](Interval<std::uint32_t> nodes) { found.push_back(nodes); });
            return;
        }
        if (one.count > names.size()) {
            is_long = true;
            return;
        }
        for (std::uint64_t i = 0; i < one.count; ++i) add_one(one.name(i));
    });
    for (std::uint32_t i = 0; is_long && i < names.size(); ++i) {
        if (list.contains(names[NodeId(i)])) found.push_back({i, i + 1});
    }
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Interval<std::uint32_t>> united;
    for (const auto& one : found) {
        if (!united.empty() && one.first <= united.back().end) {
            united.back().end = std::max(united.back().end, one.end);
        } else {
            united.push_back(one);
        }
    }
    return united;
}

}  // namespace trestle::slurm
