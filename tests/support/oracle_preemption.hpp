// SPDX-License-Identifier: Apache-2.0
// plan_preemption() without thinking: all sets of victims, put in order; the first after whose end
// place() finds a placement.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/schedule/preemption_plan.hpp"

namespace trestle {

class PreemptionOracle {
  public:
    /// Requires: each victim has something; a dozen at most.
    PreemptionOracle(const Cluster& cluster, const Request& request,
                     std::span<const PreemptionPlan::Victim> victims, PlaceOptions options = {},
                     NodeFilter filter = {})
        : cluster_(cluster),
          request_(request),
          victims_(victims),
          options_(std::move(options)),
          filter_(std::move(filter)) {}

    /// The first plan, or nothing.
    [[nodiscard]] std::optional<PreemptionPlan> best(const PreemptionRules& rules) const {
        std::vector<Set> sets;
        for (std::uint64_t bits = 0; bits < std::uint64_t{1} << victims_.size(); ++bits) {
            Set one = set_of(bits);
            if (allows(rules, one)) sets.push_back(std::move(one));
        }
        std::sort(sets.begin(), sets.end());
        for (const auto& [cost, count, positions] : sets) {
            auto placement = place_without(positions);
            if (!placement) continue;
            PreemptionPlan plan{{}, cost, {}, *std::move(placement), true};
            for (const std::size_t one : positions) {
                plan.victims.push_back(victims_[one]);
                plan.grace = std::max(plan.grace, victims_[one].grace);
            }
            return plan;
        }
        return std::nullopt;
    }
    /// True when the end of some is enough whom the rules do not spare for their graces.
    [[nodiscard]] bool is_any_enough(const PreemptionRules& rules) const {
        PreemptionRules graces;
        graces.grace_max = rules.grace_max;
        return best(graces).has_value();
    }
    /// What place() says when all have ended whom the rules do not spare.
    [[nodiscard]] Verdict<Placement> without_all(const PreemptionRules& rules) const {
        std::vector<std::size_t> positions;
        for (std::size_t i = 0; i < victims_.size(); ++i) {
            if (!rules.grace_max || victims_[i].grace <= *rules.grace_max) positions.push_back(i);
        }
        return place_without(positions);
    }

  private:
    /// Cost, number, positions: the order of plans.
    using Set = std::tuple<std::int64_t, std::size_t, std::vector<std::size_t>>;

    [[nodiscard]] Set set_of(std::uint64_t bits) const {
        Set one;
        auto& [cost, count, positions] = one;
        for (std::size_t i = 0; i < victims_.size(); ++i) {
            if ((bits >> i) % 2 == 0) continue;
            positions.push_back(i);
            cost += victims_[i].cost;
            ++count;
        }
        return one;
    }
    [[nodiscard]] bool allows(const PreemptionRules& rules, const Set& one) const {
        const auto& [cost, count, positions] = one;
        if (rules.cost_max && cost > *rules.cost_max) return false;
        if (rules.victims_max && static_cast<std::int64_t>(count) > rules.victims_max->value()) {
            return false;
        }
        return std::none_of(positions.begin(), positions.end(), [&](std::size_t i) {
            return rules.grace_max && victims_[i].grace > *rules.grace_max;
        });
    }
    [[nodiscard]] Verdict<Placement> place_without(
        const std::vector<std::size_t>& positions) const {
        Cluster left = cluster_;
        for (const std::size_t one : positions) {
            const auto gone = left.release(victims_[one].owner);
            TRESTLE_EXPECTS(gone.ok(), "each victim has something");
        }
        return place(left, request_, options_, filter_);
    }

    const Cluster& cluster_;
    const Request& request_;
    std::span<const PreemptionPlan::Victim> victims_;
    PlaceOptions options_;
    NodeFilter filter_;
};

}  // namespace trestle
