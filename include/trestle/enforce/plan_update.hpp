// SPDX-License-Identifier: Apache-2.0
#pragma once

// plan_update: the steps from one plan to another of the same group, while its processes run.
//
// Layer: enforce. Main types: PlanUpdate, UpdateStep; plan_update makes one. Pure.
// A reader would get wrong: no moment is looser than both plans, in all respects at once. A group
// that gives up two GPUs and gets more memory has the memory only when the GPUs are gone, and does
// not get it where they could not be taken (Enforcer::update).

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle {

/// What a step of an update does to what the processes may do.
enum class UpdateEffect {
    none,      ///< nothing: controllers are enabled, processes stand still or go on
    tightens,  ///< less than before
    moves,     ///< something else: two sets of CPUs have nothing in common
    loosens,   ///< more than before
};

constexpr auto enum_names(UpdateEffect) {
    using enum UpdateEffect;
    return std::array{named(none, "none"), named(tightens, "tightens"), named(moves, "moves"),
                      named(loosens, "loosens")};
}

/// One step of an update, and the step that takes it back, when there is anything to take back:
/// a controller that was enabled stays so.
struct UpdateStep {
    Step step;
    std::optional<Step> inverse;
    UpdateEffect effect = UpdateEffect::none;

    static constexpr auto fields(auto list) {
        return list(field("step", &UpdateStep::step), field("inverse", &UpdateStep::inverse),
                    field("effect", &UpdateStep::effect));
    }
    friend bool operator==(const UpdateStep&, const UpdateStep&) = default;
};

/// What leads from one plan to another.
struct PlanUpdate {
    OwnerId owner;
    std::string group;
    std::vector<UpdateStep> steps;
    /// Process settings that differ, as plan_diff() prints them. Running processes keep theirs (the
    /// kernel moves them to CPUs that they may still use); new ones have the new ones.
    std::vector<std::string> for_new_processes;
    /// What differs and no step does, as plan_diff() prints it: how the job is ended, which whoever
    /// keeps its time has to be told; what containers are given; controllers that stay enabled.
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

namespace detail {

/// One limit on its way: the step that sets it, and what it is before, between and after. Nothing
/// between: there is no value that is within both.
struct LimitChange {
    Step step;
    Limit before;
    std::optional<Limit> between;
    Limit after;
};

/// The steps that set limits, in order; of two for one line of a file the later counts.
[[nodiscard]] std::vector<Step> limit_steps_of(const Plan& plan);

/// What only one of the plans sets has the kernel's default in the other.
[[nodiscard]] std::vector<LimitChange> limit_changes(const Plan& from, const Plan& to);

/// A partition whose CPUs change is dissolved and made again, so that the kernel's verdict on it is
/// looked at. It comes first: it is tightened before and loosened after all else.
void arrange_partition(const Plan& from, std::vector<LimitChange>& changes);

/// Lists steps; each is written with what it takes to go back.
class UpdateSteps {
  public:
    void for_good(const Step& step);
    /// The step with `after` for its action, and with `before` to go back; of effect none.
    void change(const Step& step, Action before, Action after);
    /// As change, with the effect that was set.
    void limit(const LimitChange& change, const Limit& before, const Limit& after);
    void filter(const Step& step, const DeviceAllowList& before, const DeviceAllowList& after);
    void freeze_or_thaw(const std::string& group, bool is_frozen);
    /// What the limits and filters that are listed from now on do.
    void set_effect(UpdateEffect effect) { effect_ = effect; }
    [[nodiscard]] std::vector<UpdateStep> take() && { return std::move(steps_); }

  private:
    std::vector<UpdateStep> steps_;
    UpdateEffect effect_ = UpdateEffect::tightens;
};

/// The filter on its way, as LimitChange; nothing where both plans have the same or none.
struct FilterChange {
    Step step;
    DeviceAllowList before, between, after;
};

[[nodiscard]] std::optional<FilterChange> filter_change(const Plan& from, const Plan& to);

/// Controllers that only the new plan enables. They limit nothing by themselves.
void enable_new(const Plan& from, const Plan& to, UpdateSteps& steps);

/// The label of another owner. Where there was none before, it stays when the update is taken back.
void label_anew(const Plan& from, const Plan& to, UpdateSteps& steps);

/// See PlanUpdate::besides.
[[nodiscard]] std::vector<std::string> besides_steps(const Plan& from, const Plan& to);

}  // namespace detail

/// The steps from one plan to another of the same group: enable what is new, go down to what both
/// plans allow, then up to the new one. Until the first step up the state is within the old plan,
/// from it on within the new one. What has nothing in common with its successor, two sets of CPUs,
/// goes over in one write in between; where two things are like this, the group is frozen
/// meanwhile. A plan without filter after one with it: the filter then admits every device.
/// Equal plans: no steps. The state before is taken to be that of `from`: best-effort steps that
/// failed may have left it looser. The groups below stay as they are. After a freeze of its own the
/// group is thawed, also where the caller had frozen it. Whether a step is required matters where
/// it is done; that alone is no reason to do it again.
/// Errors: InvalidArgument for plans of different groups, and for what cannot change while
/// processes run: another scratch directory, a label that is taken away, an owner whom no label
/// names, and steps that are none of such a plan's.
[[nodiscard]] StatusOr<PlanUpdate> plan_update(const Plan& from, const Plan& to);

}  // namespace trestle
