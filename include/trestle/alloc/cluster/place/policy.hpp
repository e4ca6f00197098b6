// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policies: which node comes first among those that can take a part of a job.
//
// Layer: alloc. Main types: Policy, PolicyOptions, Score, ScoreInput, ScoreFunction,
// BatchScoreFunction; score() in scores.hpp. Each policy is a total order: the highest score, then
// the lowest node id. A score is a function of the demand and of the node's state before and after.
// It never depends on the node's name or number, except in `random`.
// Pitfall: devices count in thousandths of a device and only those of PolicyOptions::device; CPUs
// count in thousandths too, pinned or not.

#include <absl/container/inlined_vector.h>

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "trestle/alloc/cluster/node_class.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// Which node comes first among those that fit; of equal ones always the lowest node id.
///
/// Names after Slurm (first_fit to weight) and after "Beware of Fragmentation" (USENIX ATC 2023),
/// whose terms are measured against the largest node of the cluster.
enum class Policy {
    first_fit,     ///< no order but the ids
    best_fit,      ///< least left afterwards: the mean of CPUs and devices
    worst_fit,     ///< most left afterwards
    least_loaded,  ///< largest part of its CPUs free before (LLN)
    pack_nodes,    ///< fewest CPUs free before, nodes in use first (CR_Pack_Nodes)
    weight,        ///< lowest weight of the node, then best_fit
    dot_product,   ///< smallest product of what is left and what is asked
    packing,       ///< nodes and devices in use before idle ones
    clustering,    ///< nodes that host jobs of the same kind before others
    fgd,           ///< least growth of fragments that typical jobs cannot use
    future_fit,    ///< least loss of room for typical jobs, the scarcest first: future_value.hpp
    random,        ///< any node, a part of one device of any that has it, by the seed
};

constexpr auto enum_names(Policy) {
    using enum Policy;
    return std::array{named(first_fit, "first_fit"),     named(best_fit, "best_fit"),
                      named(worst_fit, "worst_fit"),     named(least_loaded, "least_loaded"),
                      named(pack_nodes, "pack_nodes"),   named(weight, "weight"),
                      named(dot_product, "dot_product"), named(packing, "packing"),
                      named(clustering, "clustering"),   named(fgd, "fgd"),
                      named(future_fit, "future_fit"),   named(random, "random")};
}

/// What a policy has to know besides the cluster and the demand.
struct PolicyOptions {
    /// A kind of job that is expected, and how often. What fgd and future_fit know of the future.
    struct TypicalJob {
        MilliCpu cpus;
        Count devices;                   ///< 0: a job without
        Count thousandths{1000};         ///< of each device
        std::vector<std::string> types;  ///< of devices, any of these; empty: any
        Count seen{1};                   ///< how often; its part of all is what counts

        static constexpr auto fields(auto list) {
            return list(field("cpus", &TypicalJob::cpus), field("devices", &TypicalJob::devices),
                        field("thousandths", &TypicalJob::thousandths),
                        field("types", &TypicalJob::types), field("seen", &TypicalJob::seen));
        }
        friend bool operator==(const TypicalJob&, const TypicalJob&) = default;
    };

    std::string device = "gpu";  ///< the devices that count
    /// Scores of best_fit, dot_product and fgd are cut to so many steps, as Kubernetes' hundred;
    /// 0: they are not.
    std::uint32_t score_steps = 0;
    std::uint64_t seed = 0;                        ///< of random
    Shared<std::vector<TypicalJob>> typical_jobs;  ///< for fgd and future_fit

    static constexpr auto fields(auto list) {
        return list(field("device", &PolicyOptions::device),
                    field("score_steps", &PolicyOptions::score_steps),
                    field("seed", &PolicyOptions::seed),
                    field("typical_jobs", &PolicyOptions::typical_jobs));
    }
    friend bool operator==(const PolicyOptions&, const PolicyOptions&) = default;
};

/// The highest comes first; `second` counts where `first` is equal. One with a NaN is none: no node
/// of that state is taken.
struct Score {
    double first = 0;
    double second = 0;

    friend bool operator==(const Score&, const Score&) = default;
    friend auto operator<=>(const Score&, const Score&) = default;
};

/// What a score is made from.
struct ScoreInput {
    /// What is left of a node, as policies count it.
    struct Amounts {
        std::int64_t milli_cpus = 0;
        std::int64_t all_devices = 0;                    ///< thousandths, all together
        absl::InlinedVector<std::int64_t, 8> devices{};  ///< thousandths of each device that counts

        friend bool operator==(const Amounts&, const Amounts&) = default;
    };

    const NodeClass& node_class;
    const NodeStateData& state;      ///< before
    const NodeDemand& demand;        ///< of the part
    const NodePlacement& placement;  ///< what fit() gives
    const Amounts& before;
    Amounts after;
};

/// An order of the caller's own, in place of a policy. It has to give equal scores for equal input.
/// What it throws goes through to the caller of Placer.
using ScoreFunction = std::function<Score(const ScoreInput&)>;

/// The same for many states at once, in their order. It is called once for each different part of a
/// job, with the states that are new since the last time. So a score may depend on its own input
/// alone, not on what stands beside it.
using BatchScoreFunction = std::function<std::vector<Score>(std::span<const ScoreInput>)>;

}  // namespace trestle
