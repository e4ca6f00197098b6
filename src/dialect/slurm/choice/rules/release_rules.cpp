// SPDX-License-Identifier: Apache-2.0
#include "release_rules.hpp"

namespace trestle::slurm::choice {
namespace {

constexpr ReleaseRules rules_22_05{};

constexpr ReleaseRules rules_24_11{
    .forgives_nodes_of_blocks = true,
    .cuts_cores = true,
    .deals_all_tasks = true,
    .fits_leaves_by_cpus = true,
    .bounds_idle_nodes = false,
};

constexpr ReleaseRules rules_26_05{
    .orders_blocks_by_name = true,
    .has_long_segments = true,
    .counts_devices_of_blocks = true,
    .has_whole_exclusive_units = true,
    .has_unit_reasons = true,
    .takes_first_node = true,
    .cuts_cores = true,
    .fits_leaves_by_cpus = true,
};

}  // namespace

const ReleaseRules& rules_of(Release release) {
    switch (release) {
        case Release::v22_05:
            return rules_22_05;
        case Release::v24_11:
            break;
        case Release::v26_05:
            return rules_26_05;
    }
    return rules_24_11;
}

}  // namespace trestle::slurm::choice
