// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the container of a dstack job may reach beside its CPUs, memory and GPUs.
//
// Layer: dialect/dstack. Main names: NetworkMode, JobAccess, access_of. Who has a whole host is
// alone there and gets its network and its RDMA devices; who shares one does not.
// A reader would get wrong: it is the share that decides, not whether the fleet has blocks: a job
// with all blocks of a host has the host.

#include <array>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/enforce/process.hpp"
#include "trestle/model/instance.hpp"

namespace trestle::dstack {

/// The network of a container.
enum class NetworkMode { bridge, host };

constexpr auto enum_names(NetworkMode) {
    return std::array{named(NetworkMode::bridge, "bridge"), named(NetworkMode::host, "host")};
}

/// What container documents are to say. A default one is that of a share.
struct JobAccess {
    NetworkMode network = NetworkMode::bridge;
    bool has_rdma_devices = false;  ///< /dev/infiniband, where the host has it
    /// Beside what the image sets. RDMA pins what it sends, so whoever has it may lock any amount.
    std::vector<ProcessLimit> limits;

    static constexpr auto fields(auto list) {
        return list(field("network", &JobAccess::network),
                    field("has_rdma_devices", &JobAccess::has_rdma_devices),
                    field("limits", &JobAccess::limits));
    }
    friend bool operator==(const JobAccess&, const JobAccess&) = default;
};

/// The whole host: network host, RDMA devices, memlock without a limit. A share: none of these.
[[nodiscard]] inline JobAccess access_of(const InstanceShare& share) {
    if (!share.is_whole()) return {};
    return {NetworkMode::host, true, {{ProcessResource::memlock, std::nullopt, std::nullopt}}};
}

}  // namespace trestle::dstack
