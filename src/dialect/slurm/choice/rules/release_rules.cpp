// SPDX-License-Identifier: Apache-2.0
#include "release_rules.hpp"

namespace trestle::slurm::choice {
namespace {

constexpr ReleaseRules rules_22_05{};

constexpr ReleaseRules rules_24_11{};

constexpr ReleaseRules rules_26_05{
    .takes_first_node = true,
    .orders_blocks_by_name = true,
    .has_long_segments = true,
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
