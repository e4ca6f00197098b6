// SPDX-License-Identifier: Apache-2.0
// cgroup.conf. Limits are in their order whatever the percentages.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/target.hpp"
#include "trestle/dialect/slurm/conf/cgroup_conf.hpp"

TRESTLE_FUZZ(slurm_cgroup) {
    using namespace trestle;
    const auto reading = slurm::read_cgroup_conf(std::string(data, data + size));
    for (const Bytes allocated : {Bytes(0), mib(1), gib(4), Bytes::max()}) {
        const auto limits = slurm::memory_limits(reading.conf, allocated, gib(16));
        if (limits.max.has_value() != limits.high.has_value()) std::abort();
        if (limits.max && *limits.max < *limits.high) std::abort();
    }
}
