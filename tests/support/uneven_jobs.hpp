// SPDX-License-Identifier: Apache-2.0
// Requests for tasks and GPUs on several nodes, and answers of place() beside the oracle's.
#pragma once

#include <cstdint>
#include <string>

#include "support/catch.hpp"
#include "support/oracle_place.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

inline Range<Count> nodes_exactly(std::int64_t n) { return Range<Count>::exactly(Count(n)); }

inline Request tasks_on(Range<Count> nodes, std::int64_t tasks) {
    Request request;
    request.nodes = nodes;
    request.tasks = Count(tasks);
    return request;
}

inline Request gpus_on(Range<Count> nodes, std::int64_t gpus) {
    Request request;
    request.nodes = nodes;
    DeviceRequest gpu;
    gpu.per = Per::job;
    gpu.count = Range<Count>::exactly(Count(gpus));
    request.devices = {gpu};
    return request;
}

inline std::string world_text(const Cluster& cluster, const Request& request) {
    std::string text = to_text(cluster.parts());
    for (const Allocation& taken : cluster.allocations()) text += "\n" + to_text(taken);
    return text + "\n" + to_text(request);
}

inline void expect_oracle(const Cluster& cluster, const Request& request,
                          const PlaceOptions& options, std::uint64_t& placed) {
    const auto answer = place(cluster, request, options);
    const auto expected = PlaceOracle(cluster, request, options).best();
    placed += expected ? 1U : 0U;
    if (answer.has_value() == expected.has_value() && (!expected || *answer == *expected)) return;
    FAIL(world_text(cluster, request)
         << "\nanswer " << to_text(answer) << "\nexpected "
         << (expected ? to_text(Verdict<Placement>(*expected)) : std::string("none")));
}

}  // namespace trestle
