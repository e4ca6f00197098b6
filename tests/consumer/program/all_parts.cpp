// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/os/discover.hpp"
#include "trestle/version.hpp"

int main() {
    const auto gpus = trestle::slurm::parse_gpus("a100:2");
    const auto node = trestle::os::discover();
    if (!gpus.ok() || !node.ok() || node->shape->cpu_count().is_zero()) {
        std::puts("a compiled part does not work");
        return 1;
    }
    std::printf("trestle %d.%d\n", trestle::version_major, trestle::version_minor);
    return 0;
}
