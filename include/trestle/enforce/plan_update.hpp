// SPDX-License-Identifier: Apache-2.0
#pragma once

// plan_update: the steps from one plan to another of the same group, while its processes run.
//
// Layer: enforce. Main types: PlanUpdate, UpdateStep; plan_update makes one. Pure.
// Pitfall: no moment is looser than both plans, in all respects at once. A group that gives up two
// GPUs and gets more memory has the memory only after the GPUs are gone. If they cannot be taken
// away, it does not get the memory (Enforcer::update).

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle {

/// One step of an update, and the step that takes it back, if any. A controller that was enabled
/// stays so.
struct UpdateStep {
    /// What a step of an update does to what the processes may do.
    enum class Effect {
        none,      ///< nothing: controllers are enabled, processes stand still or go on
        tightens,  ///< less than before
        moves,     ///< something else: two sets of CPUs have nothing in common
        loosens,   ///< more than before
    };

    Step step;
    std::optional<Step> inverse;
    Effect effect = Effect::none;

    static constexpr auto fields(auto list) {
        return list(field("step", &UpdateStep::step), field("inverse", &UpdateStep::inverse),
                    field("effect", &UpdateStep::effect));
    }
    friend bool operator==(const UpdateStep&, const UpdateStep&) = default;
};

constexpr auto enum_names(UpdateStep::Effect) {
    using enum UpdateStep::Effect;
    return std::array{named(none, "none"), named(tightens, "tightens"), named(moves, "moves"),
                      named(loosens, "loosens")};
}

/// What leads from one plan to another.
struct PlanUpdate {
    OwnerId owner;
    std::string group;
    std::vector<UpdateStep> steps;
    /// Process settings that differ, as plan_diff() prints them. Running processes keep theirs (the
    /// kernel moves them to CPUs that they may still use); new ones have the new ones.
    std::vector<std::string> for_new_processes;
    /// What differs and no step does, as plan_diff() prints it: how the job is ended, which its
    /// supervisor has to learn. What containers are given. Controllers that stay enabled.
    std::vector<std::string> besides = {};

    static constexpr auto fields(auto list) {
        return list(field("owner", &PlanUpdate::owner), field("group", &PlanUpdate::group),
                    field("steps", &PlanUpdate::steps),
                    field("for_new_processes", &PlanUpdate::for_new_processes),
                    field("besides", &PlanUpdate::besides));
    }
    friend bool operator==(const PlanUpdate&, const PlanUpdate&) = default;
};

/// One step a line, numbered from 1, with what takes it back; then what holds for new processes,
/// and what differs besides.
[[nodiscard]] std::string to_text(const PlanUpdate& update);

/// The steps from one plan to another of the same group. They enable what is new, go down to what
/// both plans allow, then up to the new one. Until the first step up the state is within the old
/// plan, from it on within the new one. What has nothing in common with its successor, as two sets
/// of CPUs, goes over in one write in between. Where two things are like this, the group is frozen
/// meanwhile. A plan without filter after one with it: the filter then admits every device. Equal
/// plans: no steps. The state before is taken to be that of `from`: best-effort steps that failed
/// may have left it looser. The groups below stay as they are. After a freeze of its own the group
/// is thawed, also where the caller had frozen it. Whether a step is required matters where it is
/// done; that alone is no reason to do it again.
/// Errors: InvalidArgument for plans of different groups, and for what cannot change while
/// processes run. That is another scratch directory, a label that is taken away, and an owner that
/// no label names. Also steps that such a plan does not have.
[[nodiscard]] StatusOr<PlanUpdate> plan_update(const Plan& from, const Plan& to);

}  // namespace trestle
