// SPDX-License-Identifier: Apache-2.0
// What a translation unit believes about the library's types, and values that cross the border.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/node.hpp"
#include "trestle/set/index_set.hpp"
#include "trestle/set/small_set.hpp"

struct Values {
    trestle::IndexSet<> nodes;
    trestle::SmallSet<> cores;
    trestle::Node node;
};

/// Sizes, alignments and results, the same in every translation unit.
static inline std::vector<std::size_t> facts() {
    const auto cores = trestle::SmallSet<>::range({3, 900}) - trestle::SmallSet<>::of({5});
    return {sizeof(trestle::Bytes),
            sizeof(trestle::IndexSet<>),
            sizeof(trestle::SmallSet<>),
            sizeof(trestle::Device),
            sizeof(trestle::NodeShape),
            sizeof(trestle::Node),
            alignof(trestle::NodeShape),
            static_cast<std::size_t>(trestle::gib(3).value()),
            cores.count(),
            *cores.nth(2)};
}

std::vector<std::size_t> facts_with_ndebug();
std::vector<std::size_t> facts_without_ndebug();
Values make_with_ndebug();
bool same_without_ndebug(const Values& values);
