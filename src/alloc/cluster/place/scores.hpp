// SPDX-License-Identifier: Apache-2.0
#pragma once

// Scorer: the score that a policy gives to a node state and to what is taken of it.
//
// Layer: alloc. Main type: Scorer. What a policy measures against, the largest node of the cluster
// and what all of it could host, is worked out once for a description of the cluster. A function of
// the caller's is asked by scores(), about many states at once.
// Pitfall: nodes that are drained or down still count for that; removed ones do not. So draining a
// node does not change the order of the others.

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alloc/cluster/place/score/amounts.hpp"
#include "alloc/cluster/place/score/device_choice.hpp"
#include "alloc/cluster/place/score/future_value.hpp"
#include "alloc/cluster/place/score/typical_jobs.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place_options.hpp"
#include "trestle/alloc/cluster/place/policy.hpp"
#include "trestle/alloc/cluster/place/score_expression.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

class Scorer {
  public:
    /// With a function, the options' policy says nothing.
    Scorer(const Cluster& cluster, const PlaceOptions& options, BatchScoreFunction function);

    /// What scores of one state have in common.
    struct Before {
        ScoreInput::Amounts amounts;
        TypicalJobs::Rooms rooms;  ///< to fgd and future_fit
        double value = 0;          ///< of the state, to fgd and future_fit
        std::int64_t memory = 0;   ///< bytes, to an expression
    };
    /// Requires: has_scores(); the state is of the cluster, here and below.
    [[nodiscard]] Before before(const NodeStateData& state) const;

    /// By the policy; NaN where an expression has no number. Requires: `before` is before(state),
    /// and `taken` is of a placement that fits the state.
    [[nodiscard]] Score score(const NodeStateData& state, const Before& before,
                              const detail::TakenAmounts& taken) const;
    /// The same of the placement.
    [[nodiscard]] Score score(const NodeStateData& state, const Before& before,
                              const NodePlacement& placement) const;
    /// What a placement takes of a node of the class.
    [[nodiscard]] detail::TakenAmounts taken(ClassId id, const NodePlacement& placement) const {
        return detail::amounts_taken(node_classes_.known(id), amounts(id), placement);
    }

    [[nodiscard]] bool has_function() const { return static_cast<bool>(function_); }
    /// True when a node that could take the part may have no score.
    [[nodiscard]] bool may_have_none() const {
        return has_function() || (expression_ && !expression_->is_always_number());
    }
    /// What follows the name of such a node in a refusal.
    [[nodiscard]] std::string why_none() const;
    /// What the function is asked. Requires: as for score(); all of it outlives the input.
    [[nodiscard]] ScoreInput input(const NodeStateData& state, const Before& before,
                                   const NodeDemand& demand, const NodePlacement& placement) const;
    /// By the function, one for each input. Requires: there is a function, which does so.
    [[nodiscard]] std::vector<Score> scores(std::span<const ScoreInput> inputs) const;
    /// True when nodes of the class come behind all others for the request, or component.
    [[nodiscard]] bool is_spared(ClassId id, const Request& request) const;

    /// The seed where nodes are drawn at random; nothing for other policies.
    [[nodiscard]] std::optional<std::uint64_t> random_seed() const;
    /// How the device is chosen that a part of one is taken from.
    [[nodiscard]] DeviceChoice device_choice() const {
        return function_ ? DeviceChoice::by_fit : device_choice_of(policy_);
    }
    /// The devices of the class that count.
    [[nodiscard]] const detail::ClassAmounts& amounts(ClassId id) const {
        return classes_[id.value()].amounts;
    }
    /// False when the policy gives all the same score.
    [[nodiscard]] bool tells_apart() const {
        return expression_ || (policy_ != Policy::first_fit && policy_ != Policy::random);
    }
    /// False when all states have the same score, and no function is asked either.
    [[nodiscard]] bool has_scores() const { return has_function() || tells_apart(); }

  private:
    struct Known {
        detail::ClassAmounts amounts;
        TypicalJobs typical;
        bool has_usable_devices = false;
    };

    /// A score from 0 to 1, in steps where the options want them.
    [[nodiscard]] double cut(double score) const {
        return options_.score_steps == 0 ? score : std::trunc(options_.score_steps * score);
    }
    /// What a part of the largest node is left, 0 where no node has any.
    [[nodiscard]] static double ratio(std::int64_t part, std::int64_t most) {
        return most == 0 ? 0 : static_cast<double>(part) / static_cast<double>(most);
    }
    [[nodiscard]] double value_of_expression(const NodeStateData& state, const Before& before,
                                             const detail::TakenAmounts& taken) const;
    [[nodiscard]] double fullness(const ScoreInput::Amounts& before,
                                  const detail::TakenAmounts& taken) const;
    [[nodiscard]] double dot_product(const ScoreInput::Amounts& before,
                                     const detail::TakenAmounts& taken) const;
    [[nodiscard]] static double packing(const ScoreInput::Amounts& before,
                                        const detail::TakenAmounts& taken);
    [[nodiscard]] double clustering(const NodeStateData& state, const ScoreInput::Amounts& before,
                                    std::uint64_t kind) const;
    [[nodiscard]] double fgd(double less) const;
    [[nodiscard]] double future_value(const Known& known, const TypicalJobs::Rooms& rooms,
                                      const ScoreInput::Amounts& left) const;

    Policy policy_;  ///< first_fit where there is an expression
    std::optional<ScoreExpression> expression_;
    PolicyOptions options_;
    bool spares_devices_;
    BatchScoreFunction function_;
    NodeClasses node_classes_;
    std::vector<Known> classes_;  ///< by ClassId
    std::int64_t most_cpus_ = 0;
    std::int64_t most_devices_ = 0;
    FutureValue future_;
};

}  // namespace trestle
