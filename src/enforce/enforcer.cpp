// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/enforcer.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "enforce/detail/owner_label.hpp"
#include "enforce/detail/step_parts.hpp"
#include "enforce/device/common_devices.hpp"
#include "trestle/base/text.hpp"

namespace trestle {

std::string to_text(const Applied& applied) {
    std::string text;
    const Shortfall* previous = nullptr;
    for (const Shortfall& one : applied.shortfalls) {
        const bool is_same = previous != nullptr && previous->reason == one.reason;
        if (previous != nullptr) text += is_same ? ", " : ": " + previous->reason + "; ";
        text += one.resource;
        previous = &one;
    }
    return previous == nullptr ? text : text + ": " + previous->reason;
}

std::optional<OwnerId> owner_of_label(std::string_view label) {
    TextCursor cursor(label);
    const auto number = cursor.take_number();
    if (!number || !cursor.at_end() || std::to_string(*number) != label) return std::nullopt;
    return OwnerId(*number);
}

namespace {

/// True when an earlier step of the same resource has already fallen short.
bool is_given_up(const Applied& applied, const Step& step) {
    return std::any_of(
        applied.shortfalls.begin(), applied.shortfalls.end(),
        [&](const Shortfall& shortfall) { return shortfall.resource == step.resource; });
}

/// True for a step that loads a filter which hides any device.
bool hides_devices(const Step& step) {
    const auto* filter = action_of<Step::LoadFilter>(step);
    return filter != nullptr && filter->devices != every_device();
}

}  // namespace

/// Runs steps of one plan or update, reports them, and remembers what was done.
class Enforcer::StepRun {
  public:
    StepRun(OwnerId owner, const std::string& group, const TraceSink& trace)
        : owner_(owner), group_(group), trace_(trace) {}

    /// Does the step by `run(step)`. Best effort that fails is a shortfall, after which other steps
    /// of the resource are not tried, unless they are required. The error names the step.
    template <class Run>
    [[nodiscard]] Status next(const std::vector<Step>& steps, std::size_t i, const Run& run) {
        const Step& step = steps[i];
        if (step.requirement != Requirement::require && is_given_up(applied_, step)) return {};
        const Status status = run(step);
        report(step, status);
        if (status.ok()) {
            done_.push_back(i);
        } else if (step.requirement == Requirement::best_effort) {
            applied_.shortfalls.push_back(
                {step.resource, to_text(step), std::string(message(status))});
        } else {
            return with_context(
                fmt::format("step {} of {}, {}", i + 1, steps.size(), to_text(step)), status);
        }
        return {};
    }
    void report(const Step& step, const Status& status) const;
    /// The step that was done last was taken back, and is a shortfall.
    void give_up_last(const Step& step, std::string reason);
    /// Positions of the steps that were done, in order.
    [[nodiscard]] const std::vector<std::size_t>& done() const { return done_; }
    [[nodiscard]] Applied take() && { return std::move(applied_); }

  private:
    OwnerId owner_;
    const std::string& group_;
    const TraceSink& trace_;
    Applied applied_;
    std::vector<std::size_t> done_;
};

void Enforcer::StepRun::report(const Step& step, const Status& status) const {
    if (!trace_) return;
    std::string text = to_text(step);
    if (!status.ok()) text += fmt::format(": failed: {}", message(status));
    trace_({TraceEvent::Kind::step, owner_, group_, std::move(text)});
}

void Enforcer::StepRun::give_up_last(const Step& step, std::string reason) {
    done_.pop_back();
    if (is_given_up(applied_, step)) return;
    applied_.shortfalls.push_back({step.resource, to_text(step), std::move(reason)});
}

StatusOr<Applied> Enforcer::apply(const Plan& plan, const TraceSink& trace) {
    StepRun steps(plan.owner, plan.group, trace);
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const Status status =
            steps.next(plan.steps, i, [this](const Step& step) { return run(step); });
        if (!status.ok()) return undo(plan, steps, status);
        const bool is_done = !steps.done().empty() && steps.done().back() == i;
        if (!is_done || plan.steps[i].group != plan.group) continue;
        if (action_of<Step::MakeGroup>(plan.steps[i]) != nullptr) filtered_.erase(plan.group);
        if (hides_devices(plan.steps[i])) filtered_.insert(plan.group);
    }
    Applied applied = std::move(steps).take();
    applied.shortfalls.insert(applied.shortfalls.begin(), plan.shortfalls.begin(),
                              plan.shortfalls.end());
    return applied;
}

StatusOr<Applied> Enforcer::update(const PlanUpdate& update, const TraceSink& trace) {
    std::vector<Step> all;
    for (const UpdateStep& one : update.steps) all.push_back(one.step);
    StepRun steps(update.owner, update.group, trace);
    const auto is_filter = [](const Step& step) {
        return action_of<Step::LoadFilter>(step) != nullptr;
    };
    // Until a new filter is loaded: the one before admits other devices.
    if (std::any_of(all.begin(), all.end(), is_filter)) filtered_.erase(update.group);
    std::string missed;  // the first step that fell short and had to be done before looser ones
    for (std::size_t i = 0; i < all.size(); ++i) {
        const UpdateStep::Effect effect = update.steps[i].effect;
        const bool is_held = !missed.empty() && (effect == UpdateStep::Effect::moves ||
                                                 effect == UpdateStep::Effect::loosens);
        const Status status = steps.next(all, i, [&](const Step& step) {
            return is_held ? failed_precondition("not tried after a shortfall: {}", missed)
                           : run(step);
        });
        if (!status.ok()) return take_back(update, steps, status);
        const bool is_done = !steps.done().empty() && steps.done().back() == i;
        if (is_done || !missed.empty()) continue;
        if (effect != UpdateStep::Effect::tightens && effect != UpdateStep::Effect::moves) continue;
        missed = to_text(all[i]);
        TRESTLE_TRY_STATUS(move_back(update, steps));
    }
    for (const std::size_t i : steps.done()) {
        if (hides_devices(all[i])) filtered_.insert(update.group);
    }
    return std::move(steps).take();
}

StatusOr<Child> Enforcer::spawn(const Plan& plan, const Command& command) {
    const Step* filter = filter_step_of(plan.steps);
    const bool is_required = filter != nullptr && filter->requirement == Requirement::require;
    if (!is_required && !filtered_.contains(plan.group)) return start(plan, command);
    return start(with_filter_in_force(plan), command);
}

Status Enforcer::remove(const std::string& group) {
    const std::string below = group + "/";
    std::erase_if(filtered_,
                  [&](const std::string& one) { return one == group || one.starts_with(below); });
    return remove_group(group);
}

Status Enforcer::undo(const Plan& plan, const StepRun& steps, const Status& cause) {
    std::string left;
    for (auto at = steps.done().rbegin(); at != steps.done().rend(); ++at) {
        const Step& step = plan.steps[*at];
        if (action_of<Step::MakeGroup>(step) == nullptr) continue;
        const Status removed = remove(step.group);
        if (!removed.ok())
            left += fmt::format("; left behind: {} ({})", step.group, message(removed));
    }
    return left.empty() ? cause : make_error(cause.code(), "{}{}", message(cause), left);
}

Status Enforcer::move_back(const PlanUpdate& update, StepRun& steps) {
    while (!steps.done().empty() &&
           update.steps[steps.done().back()].effect == UpdateStep::Effect::moves) {
        const UpdateStep& done = update.steps[steps.done().back()];
        const Status undone = run(*done.inverse);
        steps.report(*done.inverse, undone);
        if (!undone.ok()) return take_back(update, steps, undone);
        steps.give_up_last(done.step, "taken back after a shortfall");
    }
    return {};
}

Status Enforcer::take_back(const PlanUpdate& update, const StepRun& steps, const Status& cause) {
    std::string left;
    for (auto at = steps.done().rbegin(); at != steps.done().rend(); ++at) {
        const UpdateStep& done = update.steps[*at];
        if (!done.inverse) continue;
        const bool is_kept = !left.empty() && (done.effect == UpdateStep::Effect::tightens ||
                                               done.effect == UpdateStep::Effect::moves);
        Status undone = failed_precondition("kept for what stays");
        if (!is_kept) {
            undone = run(*done.inverse);
            steps.report(*done.inverse, undone);
        }
        if (!undone.ok()) {
            left += fmt::format("; not taken back: {} ({})", to_text(done.step), message(undone));
        }
    }
    return left.empty() ? cause : make_error(cause.code(), "{}{}", message(cause), left);
}

}  // namespace trestle
