// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/testing/cluster_text.hpp"

int main() {
    const auto cluster = trestle::testing::cluster_from_text("2 x (8c mem=32G)");
    if (!cluster.ok()) return 1;
    const auto placement = trestle::place(*cluster, trestle::Request{});
    std::puts(placement ? "placed" : "refused");
    return placement ? 0 : 1;
}
