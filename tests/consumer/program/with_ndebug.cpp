// SPDX-License-Identifier: Apache-2.0
#ifndef NDEBUG
#error "this file is compiled with NDEBUG"
#endif
#include "facts.hpp"

std::vector<std::size_t> facts_with_ndebug() { return facts(); }

Values make_with_ndebug() {
    Values values;
    values.nodes = trestle::IndexSet<>::range({10, 5000});
    values.cores = trestle::SmallSet<>::range({0, 1000});
    values.node.name = "n0";
    return values;
}
