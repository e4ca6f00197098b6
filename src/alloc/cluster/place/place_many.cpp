// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/place/place_many.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "trestle/base/status.hpp"

namespace trestle {

StatusOr<PlacedJobs> place_many(Cluster& cluster, std::span<const JobOrder> jobs, Placer& placer,
                                const PlaceManyOptions& options) {
    std::vector<OwnerId> owners;
    owners.reserve(jobs.size());
    for (const JobOrder& job : jobs) owners.push_back(job.owner);
    std::sort(owners.begin(), owners.end());
    const auto twice = std::adjacent_find(owners.begin(), owners.end());
    if (twice != owners.end()) {
        return failed_precondition("owner {} stands twice in the list", twice->value());
    }
    for (const JobOrder& job : jobs) {
        if (!cluster.find_allocation(job.owner)) continue;
        return failed_precondition("owner {} has an allocation already", job.owner.value());
    }
    PlacedJobs result;
    result.placed.reserve(jobs.size());
    for (const JobOrder& job : jobs) {
        const std::size_t position = result.looked_at++;
        auto placement = placer.place(cluster, job.request);
        if (!placement) {
            result.refused.push_back({position, placement.refusal()});
            if (options.on_failure == PlaceManyOptions::OnFailure::stop) break;
            continue;
        }
        const Status given = cluster.commit({job.owner, job.request, *std::move(placement)});
        TRESTLE_EXPECTS(given.ok(), "what place() finds is free");
        result.placed.push_back(position);
    }
    return result;
}

Status release_many(Cluster& cluster, std::span<const OwnerId> owners) {
    std::vector<OwnerId> sorted(owners.begin(), owners.end());
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) {
        return failed_precondition("owner {} stands twice in the list", twice->value());
    }
    for (const OwnerId owner : owners) {
        if (!cluster.find_allocation(owner)) {
            return not_found("owner {} has no allocation", owner.value());
        }
    }
    for (const OwnerId owner : owners) {
        const auto released = cluster.release(owner);
        TRESTLE_EXPECTS(released.ok(), "what an owner has can be taken back");
    }
    return {};
}

}  // namespace trestle
