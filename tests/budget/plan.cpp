// SPDX-License-Identifier: Apache-2.0
// What a small program costs that plans the limits of one job.
#include "trestle/enforce/plan.hpp"
#include "trestle/testing/node_text.hpp"

int main() {
    using namespace trestle;
    const Node node = *testing::node_from_text("8c mem=16G");
    NodePlacement placement;
    placement.cores = CoreSet::range({0, 2});
    PlanOptions options;
    options.group = "job_1";
    return plan(node, placement, Request(), LimitPolicy(), options).ok() ? 0 : 1;
}
