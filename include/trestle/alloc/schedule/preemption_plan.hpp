// SPDX-License-Identifier: Apache-2.0
#pragma once

// The input and result of plan_preemption(): the possible victims, the rules, and the chosen
// victims.
//
// Layer: alloc. Main types: Victim, PreemptionRules, PreemptionPlan.
// Pitfall: a cost is the caller's number, in the caller's unit; costs are added up and compared,
// nothing else.

#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// What a plan may be, and how long it is looked for.
struct PreemptionRules {
    std::optional<Count> victims_max = {};
    std::optional<std::int64_t> cost_max = {};  ///< of all of them together; at least 0
    std::optional<Seconds> grace_max = {};      ///< victims with a longer one are spared
    /// Trials that make the plan cheaper. What it takes to find a first one is not counted. The
    /// exception is where victims_max forbids that plan: there a plan may take any number of
    /// trials.
    std::uint64_t trials_max = 10'000;

    static constexpr auto fields(auto list) {
        return list(field("victims_max", &PreemptionRules::victims_max),
                    field("cost_max", &PreemptionRules::cost_max),
                    field("grace_max", &PreemptionRules::grace_max),
                    field("trials_max", &PreemptionRules::trials_max));
    }
    friend bool operator==(const PreemptionRules&, const PreemptionRules&) = default;
};

/// The owners to end, and what the request gets then.
struct PreemptionPlan {
    /// An owner that may be ended.
    struct Victim {
        OwnerId owner = {};
        std::int64_t cost = 1;  ///< of its end; at least 0
        Seconds grace = {};     ///< the time that it has between being told and its end

        static constexpr auto fields(auto list) {
            return list(field("owner", &Victim::owner), field("cost", &Victim::cost),
                        field("grace", &Victim::grace));
        }
        friend bool operator==(const Victim&, const Victim&) = default;
    };

    std::vector<Victim> victims;  ///< in the caller's order
    std::int64_t cost = 0;        ///< of all of them together
    Seconds grace;                ///< the longest: so long the request waits
    Placement placement;          ///< what place() gives once they have ended
    /// No other plan comes before this one. False when the trials ended before that was known, or
    /// place() gave up on some of them.
    bool is_cheapest = true;

    static constexpr auto fields(auto list) {
        return list(field("victims", &PreemptionPlan::victims),
                    field("cost", &PreemptionPlan::cost), field("grace", &PreemptionPlan::grace),
                    field("placement", &PreemptionPlan::placement),
                    field("is_cheapest", &PreemptionPlan::is_cheapest));
    }
    friend bool operator==(const PreemptionPlan&, const PreemptionPlan&) = default;
};

}  // namespace trestle
