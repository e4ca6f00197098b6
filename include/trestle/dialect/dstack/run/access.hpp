// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the container of a dstack job may reach beside its CPUs, memory and GPUs.
//
// Layer: dialect/dstack. Main names: JobAccess, access_of; plan_job (job_plan.hpp) makes it hold.
// A job with a whole host gets its network and its RDMA devices; a job on a shared host does not.
// Pitfall: it is the share that decides, not whether the fleet has blocks: a job with all blocks of
// a host has the host.

#include <optional>
#include <vector>

#include "trestle/alloc/market/offers/instance.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/dialect/container/document.hpp"
#include "trestle/enforce/process/settings.hpp"

namespace trestle::dstack {

/// What the plan of a job and its container documents are to say. A default one is that of a share.
struct JobAccess {
    container::NetworkMode network = container::NetworkMode::bridge;
    bool has_rdma_devices = false;  ///< those in /dev/infiniband that its placement has
    /// Beside what the image sets. RDMA pins what it sends, so a job with RDMA devices may lock any
    /// amount.
    std::vector<ProcessSettings::Limit> limits;

    static constexpr auto fields(auto list) {
        return list(field("network", &JobAccess::network),
                    field("has_rdma_devices", &JobAccess::has_rdma_devices),
                    field("limits", &JobAccess::limits));
    }
    friend bool operator==(const JobAccess&, const JobAccess&) = default;
};

/// The whole host: network host, RDMA devices, memlock without a limit. A share: none of these;
/// but one with a TPU may lock any amount, as its container profile says.
[[nodiscard]] inline JobAccess access_of(const Instance::Share& share) {
    if (!share.is_whole()) return {};
    return {container::NetworkMode::host,
            true,
            {{ProcessSettings::Limit::Resource::memlock, std::nullopt, std::nullopt}}};
}

}  // namespace trestle::dstack
