// SPDX-License-Identifier: Apache-2.0
// What a small program costs that places one job.
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/testing/cluster_text.hpp"

int main() {
    using namespace trestle;
    Cluster cluster = *testing::cluster_from_text("2 x (2s16c2t mem=512G gpu:a100:4)");
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(8));
    const Verdict<Placement> placement = place(cluster, request);
    return placement && cluster.commit({OwnerId(1), request, *placement}).ok() ? 0 : 1;
}
