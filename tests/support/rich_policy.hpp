// SPDX-License-Identifier: Apache-2.0
// A policy with every limit that there is, for gpu_node.hpp.
#pragma once

#include "trestle/enforce/limits/limits.hpp"

namespace trestle {

/// Everything that a policy can say.
[[nodiscard]] inline LimitPolicy rich_policy() {
    LimitPolicy policy;
    policy.swap = gib(1);
    policy.has_cpu_quota = true;
    policy.pids_max = Count(512);
    policy.cpu_weight = Count(59);
    policy.memory_low = gib(1);
    policy.memory_min = mib(64);
    policy.memory_high = gib(15);
    policy.partition = CpusetPartition::root;
    policy.io = {{.major = 8, .minor = 0, .read_bytes = mib(1), .writes = Count(100)}};
    policy.io_weight = Count(200);
    policy.hugetlb = {{mib(2), mib(64)}};
    policy.rdma = {{"mlx5_0", Count(2), Count(100)}};
    policy.misc = {{"sev", Count(1)}};
    return policy;
}

}  // namespace trestle
