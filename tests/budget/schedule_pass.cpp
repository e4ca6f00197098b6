// SPDX-License-Identifier: Apache-2.0
// What a small program costs that looks at a queue once.
#include <vector>

#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/testing/cluster_text.hpp"

int main() {
    using namespace trestle;
    const Timeline timeline(*testing::cluster_from_text("4 x (16c)"));
    const std::vector<QueuedJob> queue{{OwnerId(1), Request(), Seconds(60)}};
    const auto result = schedule_pass(timeline, queue, Discipline::easy());
    return result.ok() && result->starts.size() == 1 ? 0 : 1;
}
