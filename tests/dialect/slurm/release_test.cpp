// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/release.hpp"

#include "support/catch.hpp"

namespace trestle {

TEST_CASE("Slurm release: the one that is nearest to a version", "[dialect][slurm]") {
    using slurm::Release;
    struct Row {
        const char* version;
        Release nearest;
    };
    const Row rows[] = {
        {"22.05.8", Release::v22_05},
        {"20.11", Release::v22_05},
        {"9.1", Release::v22_05},
        {"23.11.4", Release::v22_05},
        {"24.05.0", Release::v22_05},
        {"24.11", Release::v24_11},
        {"25.05.1", Release::v24_11},
        {"26.05.5", Release::v26_05},
        {"100.11", Release::v26_05},
        {"slurm 24.11.5", Release::v24_11},
        {"v26.05.0-0rc1", Release::v26_05},
        {"slurm-wlm 22.05.8", Release::v22_05},
        {"", slurm::default_release},
        {"unknown", slurm::default_release},
        {"24", slurm::default_release},
        {"24.x", slurm::default_release},
        {"99999999999.1", slurm::default_release},
    };
    for (const Row& row : rows) {
        INFO(row.version);
        CHECK(slurm::nearest_release(row.version) == row.nearest);
    }
}

}  // namespace trestle
