// SPDX-License-Identifier: Apache-2.0
#pragma once

// Enforcer: the small interface between plans and a machine.
//
// Layer: enforce. Main types: Enforcer, Applied, Shortfall, Child, GroupState. Implementations:
// MemoryEnforcer and FaultyEnforcer here, cgroup v2 in os. apply() is common to all: it runs the
// steps and takes everything back when one fails; an implementation provides the single step.
// A reader would get wrong: apply starts no process. spawn does, inside the group, and only wait
// (or poll) reaps it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/health/usage.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/process/command.hpp"
#include "trestle/enforce/process/outcome.hpp"
#include "trestle/enforce/step.hpp"
#include "trestle/model/trace.hpp"

namespace trestle {

/// Something of the plan that this machine does not enforce, and why.
struct Shortfall {
    std::string resource;
    std::string step;    ///< as printed
    std::string reason;  ///< one line

    static constexpr auto fields(auto list) {
        return list(field("resource", &Shortfall::resource), field("step", &Shortfall::step),
                    field("reason", &Shortfall::reason));
    }
    friend bool operator==(const Shortfall&, const Shortfall&) = default;
};

/// What apply did not do of the steps that are best effort; empty: all of the plan holds.
struct Applied {
    std::vector<Shortfall> shortfalls;  ///< at most one for each resource, in order of the steps

    static constexpr auto fields(auto list) {
        return list(field("shortfalls", &Applied::shortfalls));
    }
    friend bool operator==(const Applied&, const Applied&) = default;
};

/// `swap: no such file; memory, devices: no cgroup`, one line; empty when all of the plan holds.
[[nodiscard]] inline std::string to_text(const Applied& applied) {
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

/// A process that an enforcer started and has not reaped.
struct Child {
    std::string group;
    std::int64_t pid = 0;

    static constexpr auto fields(auto list) {
        return list(field("group", &Child::group), field("pid", &Child::pid));
    }
    friend bool operator==(const Child&, const Child&) = default;
};

/// A group as it is found below the enforcer's root.
struct GroupState {
    std::string group;
    std::vector<std::int64_t> processes;  ///< in the group itself, rising; zombies do not count

    static constexpr auto fields(auto list) {
        return list(field("group", &GroupState::group), field("processes", &GroupState::processes));
    }
    friend bool operator==(const GroupState&, const GroupState&) = default;
};

namespace detail {

/// True when an earlier step of the same resource has already fallen short.
[[nodiscard]] inline bool is_given_up(const Applied& applied, const Step& step) {
    return std::any_of(
        applied.shortfalls.begin(), applied.shortfalls.end(),
        [&](const Shortfall& shortfall) { return shortfall.resource == step.resource; });
}

inline void trace_step(const TraceSink& trace, const Plan& plan, const Step& step,
                       const Status& status) {
    if (!trace) return;
    std::string text = to_text(step);
    if (!status.ok()) text += fmt::format(": failed: {}", message(status));
    trace({TraceEvent::Kind::step, plan.owner, plan.group, std::move(text)});
}

}  // namespace detail

/// Makes plans hold. Errors of a machine carry path and errno text; a group that does not exist is
/// NotFound unless stated. Not thread-safe: one thread at a time for one enforcer.
class Enforcer {
  public:
    Enforcer() = default;
    Enforcer(const Enforcer&) = delete;
    Enforcer& operator=(const Enforcer&) = delete;
    virtual ~Enforcer() = default;

    /// Runs all steps. When a required one fails, what the plan made is removed again and the error
    /// names the step; where that removal fails too, the error ends in `left behind: <group>`, and
    /// remove(group) finishes the work. Controllers enabled for the parent stay enabled: others may
    /// rely on them by now. After the first failure of a best-effort step the other steps of the
    /// same resource are not tried.
    /// Each step tried is reported to `trace`, when there is one.
    [[nodiscard]] StatusOr<Applied> apply(const Plan& plan, const TraceSink& trace = {}) {
        Applied applied;
        std::vector<std::string> made;
        for (std::size_t i = 0; i < plan.steps.size(); ++i) {
            const Step& step = plan.steps[i];
            if (detail::is_given_up(applied, step)) continue;
            const Status status = run(step);
            detail::trace_step(trace, plan, step, status);
            if (status.ok()) {
                if (step.kind == StepKind::make_group) made.push_back(step.group);
            } else if (step.requirement == Requirement::best_effort) {
                applied.shortfalls.push_back(
                    {step.resource, to_text(step), std::string(message(status))});
            } else {
                return undo(made, with_context(fmt::format("step {} of {}, {}", i + 1,
                                                           plan.steps.size(), to_text(step)),
                                               status));
            }
        }
        return applied;
    }

    /// Does one step, or fails and has changed nothing.
    /// Errors: AlreadyExists for a group that is there; others as the machine gives them.
    [[nodiscard]] virtual Status run(const Step& step) = 0;

    /// Starts the command inside plan.group, which apply has made, with the plan's process
    /// settings. The command never runs outside the group, not even for a moment. Errors: NotFound
    /// for a program that does not exist, InvalidArgument for an empty command, FailedPrecondition
    /// for a variable of which only the digest is known; after an error there is no process.
    [[nodiscard]] virtual StatusOr<Child> spawn(const Plan& plan, const Command& command) = 0;

    /// Moves a running process into the group. Its environment and open files stay as they are.
    [[nodiscard]] virtual Status attach(const std::string& group, std::int64_t pid) = 0;

    /// Waits until the child has ended, and reaps it. The group and what else runs in it stay.
    [[nodiscard]] virtual StatusOr<Outcome> wait(const Child& child) = 0;

    /// As wait, but gives nothing while the child is still running.
    [[nodiscard]] virtual StatusOr<std::optional<Outcome>> poll(const Child& child) = 0;

    /// Sends a signal to every process of the group and the groups below.
    [[nodiscard]] virtual Status signal(const std::string& group, int signal_number) = 0;

    /// Stops every process of the group until thaw; returns when all stand still.
    [[nodiscard]] virtual Status freeze(const std::string& group) = 0;
    [[nodiscard]] virtual Status thaw(const std::string& group) = 0;

    [[nodiscard]] virtual StatusOr<Usage> observe(const std::string& group) = 0;

    /// Kills everything inside the group and the groups below, also what daemonised or is frozen,
    /// and removes them. Ok when there is no such group. An error names what is left.
    [[nodiscard]] virtual Status remove(const std::string& group) = 0;

    /// All groups below the root, by the tree alone: also those of a predecessor that died. Parents
    /// before children, otherwise by name.
    [[nodiscard]] virtual StatusOr<std::vector<GroupState>> recover() = 0;

  private:
    /// Removes what was made, last first, and gives `cause` with what could not be removed.
    [[nodiscard]] Status undo(const std::vector<std::string>& made, const Status& cause) {
        std::string left;
        for (auto group = made.rbegin(); group != made.rend(); ++group) {
            const Status removed = remove(*group);
            if (!removed.ok())
                left += fmt::format("; left behind: {} ({})", *group, message(removed));
        }
        return left.empty() ? cause : make_error(cause.code(), "{}{}", message(cause), left);
    }
};

}  // namespace trestle
