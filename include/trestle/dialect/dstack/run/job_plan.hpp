// SPDX-License-Identifier: Apache-2.0
#pragma once

// The plan of a dstack job on one instance, and what its container documents need beside it.
//
// Layer: dialect/dstack. Main names: JobPlan, plan_job.
// Pitfall: a share may have adapters of its own, as blocks are dealt what divides. Their RDMA
// devices are taken out here, not where blocks are made.

#include "trestle/alloc/market/offers/instance.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/container/document.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/request.hpp"

namespace trestle::dstack {

/// What docker_container, oci_config and kubernetes_pod take.
struct JobPlan {
    Plan plan;
    container::ContainerOptions options;  ///< with the network of the share

    static constexpr auto fields(auto list) {
        return list(field("plan", &JobPlan::plan), field("options", &JobPlan::options));
    }
    friend bool operator==(const JobPlan&, const JobPlan&) = default;
};

/// plan() for what a job has of an instance, with access_of(share). Without the whole host no file
/// in /dev/infiniband is handed over, nor an adapter that has no others. With it memlock is without
/// limit, unless `options` names that limit. The limits of dstack are the share's. So
/// `policy.source` is LimitPolicy::Source::capacity, whole hosts included. `node` is the one that
/// the share is of, with the instance's shape: look_at may have cut its cores. Errors:
/// InvalidArgument for a share without a placement (the machine was not inspected) and for a shape
/// whose cores have other CPUs; those of plan().
[[nodiscard]] StatusOr<JobPlan> plan_job(const Node& node, const Instance::Share& share,
                                         const Request& request, const LimitPolicy& policy,
                                         PlanOptions options);

}  // namespace trestle::dstack
