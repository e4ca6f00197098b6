// SPDX-License-Identifier: Apache-2.0
#pragma once

// MemoryEnforcer: the enforcer without a machine, for unit tests of schedulers.
//
// Layer: enforce. Main types: MemoryEnforcer, MemoryGroup. It keeps a tree of groups as the kernel
// would, refuses what the kernel refuses (a group that exists, a missing parent, a file whose
// controller is off), and writes down every call.
// A reader would get wrong: nothing runs. A process ends when the test says so (end_process) or a
// kill reaches it; waiting for one that still runs is an error, because it would wait for ever.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/enforce/group_name.hpp"
#include "trestle/enforce/health/usage.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/process/command.hpp"
#include "trestle/enforce/process/outcome.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle {

/// One group of the tree.
struct MemoryGroup {
    std::set<std::string> controllers;         ///< enabled for the children
    std::map<std::string, std::string> files;  ///< what was written
    std::optional<DeviceAllowList> filter;
    std::set<std::int64_t> processes;
    bool is_frozen = false;
    std::optional<ScratchDirectory> scratch = {};
    Usage usage;  ///< what observe gives; the test sets it

    friend bool operator==(const MemoryGroup&, const MemoryGroup&) = default;
};

class MemoryEnforcer final : public Enforcer {
  public:
    /// `controllers` are those of the root, as cgroup.controllers names them.
    explicit MemoryEnforcer(std::set<std::string> controllers = {"cpu", "cpuset", "memory", "pids"})
        : controllers_(std::move(controllers)) {
        groups_.emplace("", MemoryGroup{});
    }

    /// All groups by name; "" is the root.
    [[nodiscard]] const std::map<std::string, MemoryGroup>& groups() const { return groups_; }
    /// One line for each call, in order, also those that failed.
    [[nodiscard]] const std::vector<std::string>& calls() const { return calls_; }
    /// The command of a child that is not reaped yet, or nullptr.
    [[nodiscard]] const Command* command(const Child& child) const {
        const auto at = children_.find(child.pid);
        return at == children_.end() ? nullptr : &at->second.command;
    }

    /// Sets what observe gives. Errors: NotFound.
    [[nodiscard]] Status set_usage(const std::string& group, const Usage& usage) {
        TRESTLE_TRY(MemoryGroup * found, find(group));
        found->usage = usage;
        return {};
    }
    /// Lets a process end. Errors: NotFound when none with this number is running.
    [[nodiscard]] Status end_process(std::int64_t pid, const Outcome& outcome) {
        for (auto& [name, group] : groups_) {
            if (group.processes.erase(pid) == 0) continue;
            if (const auto child = children_.find(pid); child != children_.end()) {
                child->second.outcome = outcome;
            }
            return {};
        }
        return not_found("process {}: not running in any group", pid);
    }

    [[nodiscard]] Status run(const Step& step) override {
        calls_.push_back(to_text(step));
        switch (step.kind) {
            case StepKind::enable_controller:
                return enable(step);
            case StepKind::make_group:
                return make(step.group);
            case StepKind::write_value:
                return write(step);
            case StepKind::make_scratch:
                return make_scratch(step);
            case StepKind::load_filter:
                break;
        }
        TRESTLE_TRY(MemoryGroup * group, find(step.group));
        group->filter = step.devices;
        return {};
    }

    [[nodiscard]] StatusOr<Child> spawn(const Plan& plan, const Command& command) override {
        const std::string program = command.arguments.empty() ? "" : command.arguments.front();
        calls_.push_back("spawn " + program + " in " + plan.group);
        if (program.empty()) return invalid_argument("command: it is empty, expected a program");
        TRESTLE_TRY_STATUS(check(plan.process));
        TRESTLE_TRY_STATUS(check_known(plan.process.environment));
        TRESTLE_TRY_STATUS(check_known(command.environment));
        TRESTLE_TRY(MemoryGroup * group, find(plan.group));
        const Child child{plan.group, next_pid_++};
        group->processes.insert(child.pid);
        children_.emplace(child.pid, ChildState{command, std::nullopt});
        return child;
    }

    [[nodiscard]] Status attach(const std::string& group, std::int64_t pid) override {
        calls_.push_back(fmt::format("attach {} to {}", pid, group));
        TRESTLE_TRY(MemoryGroup * found, find(group));
        for (auto& entry : groups_) entry.second.processes.erase(pid);
        found->processes.insert(pid);
        return {};
    }

    [[nodiscard]] StatusOr<Outcome> wait(const Child& child) override {
        calls_.push_back(fmt::format("wait {}", child.pid));
        TRESTLE_TRY(const auto outcome, reap(child));
        if (outcome) return *outcome;
        return failed_precondition("process {}: it still runs and nobody will end it", child.pid);
    }

    [[nodiscard]] StatusOr<std::optional<Outcome>> poll(const Child& child) override {
        calls_.push_back(fmt::format("poll {}", child.pid));
        return reap(child);
    }

    [[nodiscard]] Status signal(const std::string& group, int signal_number) override {
        calls_.push_back(fmt::format("signal {} {}", signal_number, group));
        TRESTLE_TRY_STATUS(find(group));
        if (signal_number == detail::sigkill) kill_below(group);
        return {};
    }

    [[nodiscard]] Status freeze(const std::string& group) override {
        calls_.push_back("freeze " + group);
        TRESTLE_TRY(MemoryGroup * found, find(group));
        found->is_frozen = true;
        return {};
    }
    [[nodiscard]] Status thaw(const std::string& group) override {
        calls_.push_back("thaw " + group);
        TRESTLE_TRY(MemoryGroup * found, find(group));
        found->is_frozen = false;
        return {};
    }

    [[nodiscard]] StatusOr<Usage> observe(const std::string& group) override {
        calls_.push_back("observe " + group);
        TRESTLE_TRY(const MemoryGroup* found, find(group));
        return found->usage;
    }

    [[nodiscard]] Status remove(const std::string& group) override {
        calls_.push_back("remove " + group);
        TRESTLE_TRY_STATUS(check_group_name(group));
        kill_below(group);
        std::erase_if(groups_, [&](const auto& entry) { return is_below(entry.first, group); });
        return {};
    }

    [[nodiscard]] StatusOr<std::vector<GroupState>> recover() override {
        calls_.push_back("recover");
        std::vector<GroupState> found;
        for (const auto& [name, group] : groups_) {
            if (name.empty()) continue;
            found.push_back({name, {group.processes.begin(), group.processes.end()}});
        }
        return found;
    }

  private:
    struct ChildState {
        Command command;
        std::optional<Outcome> outcome;
    };

    [[nodiscard]] StatusOr<MemoryGroup*> find(const std::string& group) {
        const auto at = groups_.find(group);
        if (at == groups_.end()) return not_found("/{}: no such group", group);
        return &at->second;
    }
    /// What a group can hand on: the root all, others what their parent enabled.
    [[nodiscard]] const std::set<std::string>& available(const std::string& group) const {
        return group.empty() ? controllers_ : groups_.at(parent_group(group)).controllers;
    }

    [[nodiscard]] Status enable(const Step& step) {
        TRESTLE_TRY(MemoryGroup * group, find(step.group));
        if (!available(step.group).contains(step.value)) {
            return not_found("/{}: no controller {}", step.group, step.value);
        }
        group->controllers.insert(step.value);
        return {};
    }
    [[nodiscard]] Status make(const std::string& group) {
        TRESTLE_TRY_STATUS(check_group_name(group));
        TRESTLE_TRY_STATUS(find(parent_group(group)));
        if (!groups_.emplace(group, MemoryGroup{}).second) {
            return make_error(StatusCode::kAlreadyExists, "/{}: the group exists", group);
        }
        return {};
    }
    [[nodiscard]] Status make_scratch(const Step& step) {
        TRESTLE_TRY(MemoryGroup * group, find(step.group));
        if (step.scratch.name != scratch_name(step.group)) {
            return invalid_argument("scratch {}: expected the name {}", step.scratch.path(),
                                    scratch_name(step.group));
        }
        if (group->scratch) {
            return make_error(StatusCode::kAlreadyExists, "{}: it exists", step.scratch.path());
        }
        group->scratch = step.scratch;
        return {};
    }
    [[nodiscard]] Status write(const Step& step) {
        TRESTLE_TRY(MemoryGroup * group, find(step.group));
        const std::string controller = step.file.substr(0, step.file.find('.'));
        if (controller != "cgroup" && !available(step.group).contains(controller)) {
            return not_found("/{}/{}: no such file", step.group, step.file);
        }
        group->files[step.file] = step.value;
        return {};
    }
    [[nodiscard]] StatusOr<std::optional<Outcome>> reap(const Child& child) {
        const auto at = children_.find(child.pid);
        if (at == children_.end()) return not_found("process {}: no such child", child.pid);
        const std::optional<Outcome> outcome = at->second.outcome;
        if (outcome) children_.erase(at);
        return outcome;
    }
    void kill_below(const std::string& group) {
        for (auto& [name, state] : groups_) {
            if (!is_below(name, group)) continue;
            for (const std::int64_t pid : std::exchange(state.processes, {})) {
                const auto child = children_.find(pid);
                if (child != children_.end()) child->second.outcome = signaled(detail::sigkill);
            }
        }
    }

    std::set<std::string> controllers_;
    std::map<std::string, MemoryGroup> groups_;
    std::map<std::int64_t, ChildState> children_;
    std::vector<std::string> calls_;
    std::int64_t next_pid_ = 1000;
};

}  // namespace trestle
