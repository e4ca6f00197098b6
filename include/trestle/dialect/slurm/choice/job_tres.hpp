// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a job counts as in TRES: ReqTRES of what it asks, AllocTRES of what it has.
//
// Layer: dialect/slurm. Main names: TresRules, granted_tres.
// Pitfall: devices and licences count only where AccountingStorageTRES names them. An A100 that an
// untyped request received counts as `gres/gpu:a100` too, unless the rules say
// TypedCounts::by_request, as Slurm does (differences.hpp).

#include <array>
#include <span>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/dialect/slurm/conf/parameters.hpp"
#include "trestle/dialect/slurm/conf/partition_conf.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"
#include "trestle/dialect/slurm/print.hpp"
#include "trestle/dialect/slurm/tres.hpp"
#include "trestle/model/cluster_count.hpp"

namespace trestle::slurm {

/// Which devices count under their type.
enum class TypedCounts {
    by_device,   ///< all of that type
    by_request,  ///< Slurm's way: those of types that the request names
};

constexpr auto enum_names(TypedCounts) {
    return std::array{named(TypedCounts::by_device, "by_device"),
                      named(TypedCounts::by_request, "by_request")};
}

/// How jobs are counted and billed.
struct TresRules {
    std::vector<Tres> tracked;  ///< beside cpu, mem, node and billing
    TypedCounts typed = TypedCounts::by_device;
    BillingWeights weights;
    BillingRule billing_rule = BillingRule::sum;

    static constexpr auto fields(auto list) {
        return list(field("tracked", &TresRules::tracked), field("typed", &TresRules::typed),
                    field("weights", &TresRules::weights),
                    field("billing_rule", &TresRules::billing_rule));
    }
    friend bool operator==(const TresRules&, const TresRules&) = default;
};

/// The rules of a cluster and one of its partitions. Weights get the names that are tracked,
/// which case does not tell apart: `GRES/gpu=5` weighs what is tracked as `gres/GPU`.
[[nodiscard]] TresRules tres_rules_of(const ClusterParameters& parameters,
                                      const PartitionLine& partition,
                                      TypedCounts typed = TypedCounts::by_device);

/// What the grants count as: cpu, mem, node, tracked devices and licences, none of them with 0, and
/// billing. Names and types of devices and licences are compared without case, and the tracked ones
/// are in the result; sums stop at the largest count. With TypedCounts::by_request a typed TRES
/// counts if `asked` names the type. If only typed TRES of a name are tracked, the first of them
/// counts an untyped request.
[[nodiscard]] TresCounts granted_tres(std::span<const NodeGrant> grants, const JobOptions& asked,
                                      const std::vector<ClusterCount>& licenses,
                                      const TresRules& rules);

}  // namespace trestle::slurm
