// SPDX-License-Identifier: Apache-2.0
#pragma once

// MemoryEnforcer: the enforcer without a machine, for unit tests of schedulers.
//
// Layer: enforce. Main types: MemoryEnforcer, MemoryGroup. It keeps a tree of groups as the kernel
// would, refuses what the kernel refuses (a group that exists, a missing parent, a file whose
// controller is off), and writes down every call. Events are those of what the test does: processes
// that start and end, groups that are frozen or removed, usage that is set, what count_event
// counts. A reader would get wrong: nothing runs. A process ends when the test says so
// (end_process) or a kill reaches it; waiting for one that still runs is an error, because it would
// wait for ever.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/drift.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/enforce/events.hpp"
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
    std::optional<OwnerId> owner = {};
    std::map<EventKind, Count> counts = {};  ///< of events, in the group and those below
    std::uint64_t fillings = 0;  ///< how often it, or one below, got a process when it had none
    std::uint64_t number = 0;    ///< of all groups made: one made again is another

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

    /// Sets what observe gives. Kills for memory that it has more of than before are events.
    /// Errors: NotFound.
    [[nodiscard]] Status set_usage(const std::string& group, const Usage& usage) {
        TRESTLE_TRY(MemoryGroup * found, find(group));
        const auto kills = [](const Usage& one) { return one.oom_kills.value_or(Count()); };
        count_up(group, EventKind::oom_kill, saturating_sub(kills(usage), kills(found->usage)));
        found->usage = usage;
        return {};
    }
    /// Lets a process end. One that ends for memory is an event. Errors: NotFound when none with
    /// this number is running.
    [[nodiscard]] Status end_process(std::int64_t pid, const Outcome& outcome) {
        for (auto& [name, group] : groups_) {
            if (group.processes.erase(pid) == 0) continue;
            if (outcome.ending == Ending::out_of_memory) {
                count_up(name, EventKind::oom_kill, Count(1));
            }
            if (const auto child = children_.find(pid); child != children_.end()) {
                child->second.outcome = outcome;
            }
            return {};
        }
        return not_found("process {}: not running in any group", pid);
    }
    /// Counts an event, in the group and those above. Errors: NotFound; InvalidArgument for a kind
    /// that follows from what the groups hold: populated, emptied, frozen, thawed, removed.
    [[nodiscard]] Status count_event(const std::string& group, EventKind kind) {
        TRESTLE_TRY_STATUS(find(group));
        const bool is_counted =
            kind == EventKind::memory_pressure ||
            std::find(counted_events.begin(), counted_events.end(), kind) != counted_events.end();
        if (!is_counted) {
            return invalid_argument("event {}: expected one that is counted", to_text(kind));
        }
        count_up(group, kind, Count(1));
        return {};
    }
    /// What a source of events sees of the group. Errors: NotFound, also when it was made again and
    /// `number` is that of the one before.
    [[nodiscard]] StatusOr<GroupSigns> signs(const std::string& group, std::uint64_t number) const {
        const auto at = groups_.find(group);
        if (at == groups_.end() || at->second.number != number) {
            return not_found("/{}: no such group", group);
        }
        GroupSigns signs;
        signs.is_populated = is_populated(group);
        for (const auto& [name, above] : groups_) {
            signs.is_frozen = signs.is_frozen || (above.is_frozen && is_below(group, name));
        }
        signs.counts = at->second.counts;
        return signs;
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
            case StepKind::label_group:
                return label(step);
            case StepKind::make_scratch:
                return make_scratch(step);
            case StepKind::load_filter:
                break;
            case StepKind::freeze:
            case StepKind::thaw: {
                TRESTLE_TRY(MemoryGroup * group, find(step.group));
                group->is_frozen = step.kind == StepKind::freeze;
                return {};
            }
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
        TRESTLE_TRY_STATUS(find(plan.group));
        const Child child{plan.group, next_pid_++};
        add_process(plan.group, child.pid);
        children_.emplace(child.pid, ChildState{command, std::nullopt});
        return child;
    }

    [[nodiscard]] Status attach(const std::string& group, std::int64_t pid) override {
        calls_.push_back(fmt::format("attach {} to {}", pid, group));
        TRESTLE_TRY_STATUS(find(group));
        add_process(group, pid);
        for (auto& [name, other] : groups_) {
            if (name != group) other.processes.erase(pid);
        }
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

    /// SIGKILL ends the child; other signals are only written down.
    [[nodiscard]] Status signal_child(const Child& child, int signal_number) override {
        calls_.push_back(fmt::format("signal {} child {}", signal_number, child.pid));
        if (!children_.contains(child.pid)) {
            return not_found("process {}: no such child", child.pid);
        }
        if (signal_number == detail::sigkill) {
            (void)end_process(child.pid, signaled(detail::sigkill));  // not found: it has ended
        }
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

    [[nodiscard]] StatusOr<std::unique_ptr<EventSource>> events(
        const std::string& group, const EventOptions& options) override;

    [[nodiscard]] StatusOr<std::vector<Drift>> verify(const Plan& plan) override {
        calls_.push_back("verify " + plan.group);
        TRESTLE_TRY_STATUS(find(plan.group));
        std::vector<Drift> drifts;
        for (std::size_t i = 0; i < plan.steps.size(); ++i) {
            if (is_overwritten(plan.steps, i)) continue;
            if (auto drift = drift_of_step(plan.steps[i])) drifts.push_back(*std::move(drift));
        }
        return drifts;
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
            TRESTLE_TRY(const GroupSigns shown, signs(name, group.number));
            found.push_back({name,
                             {group.processes.begin(), group.processes.end()},
                             group.owner,
                             shown.is_populated,
                             shown.is_frozen});
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
        const auto [made, is_new] = groups_.emplace(group, MemoryGroup{});
        if (!is_new) {
            return make_error(StatusCode::kAlreadyExists, "/{}: the group exists", group);
        }
        made->second.number = next_group_++;
        return {};
    }
    [[nodiscard]] Status label(const Step& step) {
        TRESTLE_TRY(MemoryGroup * group, find(step.group));
        TRESTLE_TRY(group->owner, detail::owner_of(step));
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
        std::string& text = group->files[step.file];
        if (!detail::has_lines(step.file)) {
            text = step.value;
            return {};
        }
        // One line each for what the lines are about.
        std::string lines;
        for (const std::string_view line : detail::split_text(text, "\n")) {
            const std::string other(line);
            if (detail::subject_of(step.file, other) != detail::subject_of(step.file, step.value)) {
                lines += other + "\n";
            }
        }
        text = lines + step.value;
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

    [[nodiscard]] bool is_populated(const std::string& group) const {
        return std::any_of(groups_.begin(), groups_.end(), [&](const auto& entry) {
            return !entry.second.processes.empty() && is_below(entry.first, group);
        });
    }
    /// Requires: the group exists.
    void add_process(const std::string& group, std::int64_t pid) {
        for (auto& [name, above] : groups_) {
            if (is_below(group, name) && !is_populated(name)) ++above.fillings;
        }
        groups_.at(group).processes.insert(pid);
    }
    void count_up(const std::string& group, EventKind kind, Count more) {
        if (more.is_zero()) return;
        for (auto& [name, above] : groups_) {
            if (is_below(group, name)) above.counts[kind] += more;
        }
    }
    /// The group of a step of a plan that was applied may have gone since.
    [[nodiscard]] std::optional<Drift> drift_of_step(const Step& step) const {
        const auto at = groups_.find(step.group);
        const std::string& resource = step.resource;
        if (at == groups_.end()) {
            return Drift{resource, step.group, "a group", "", "it was removed"};
        }
        const MemoryGroup& group = at->second;
        switch (step.kind) {
            case StepKind::make_group:
            case StepKind::freeze:
            case StepKind::thaw:
                return std::nullopt;
            case StepKind::enable_controller:
                if (group.controllers.contains(step.value)) return std::nullopt;
                return Drift{resource, "cgroup.subtree_control", step.value, "",
                             "the controller is not enabled"};
            case StepKind::label_group:
                if (group.owner == detail::owner_of_label(step.value)) return std::nullopt;
                return Drift{resource, "owner", step.value,
                             group.owner ? std::to_string(group.owner->value()) : "",
                             "the label is not the plan's"};
            case StepKind::load_filter:
                if (group.filter == step.devices) return std::nullopt;
                return Drift{resource, "device filter", "the plan's",
                             group.filter ? "another one" : "", "it was replaced or never loaded"};
            case StepKind::write_value:
                break;
        }
        const auto file = group.files.find(step.file);
        if (file != group.files.end()) return drift_of(step, {file->second});
        return Drift{resource, step.file, step.value, "", "nothing was written"};
    }

    std::set<std::string> controllers_;
    std::map<std::string, MemoryGroup> groups_;
    std::map<std::int64_t, ChildState> children_;
    std::vector<std::string> calls_;
    std::int64_t next_pid_ = 1000;
    std::uint64_t next_group_ = 1;
};

namespace detail {

/// Looks at the groups of a MemoryEnforcer.
class MemoryEventSource final : public EventSource {
  public:
    /// Requires: the group exists.
    MemoryEventSource(const MemoryEnforcer& enforcer, std::string group, EventOptions options)
        : enforcer_(enforcer), group_(std::move(group)), options_(options) {
        number_ = enforcer_.groups().at(group_).number;
    }

    [[nodiscard]] int fd() const override { return -1; }
    [[nodiscard]] StatusOr<std::vector<GroupEvent>> read() override {
        if (is_removed_) return std::vector<GroupEvent>();
        auto now = enforcer_.signs(group_, number_);
        if (!now.ok()) {
            is_removed_ = true;
            return std::vector<GroupEvent>{{group_, EventKind::removed}};
        }
        const std::uint64_t fillings = enforcer_.groups().at(group_).fillings;
        now->has_flickered = fillings != fillings_;
        const Count waits = now->counts[EventKind::memory_pressure];
        const Count waits_before = before_ ? before_->counts[EventKind::memory_pressure] : Count();
        now->has_pressure = options_.memory_pressure && waits > waits_before;
        fillings_ = fillings;
        return events_between(group_, {std::exchange(before_, *now), *now});
    }
    /// Nothing happens while it waits, so it does not.
    [[nodiscard]] StatusOr<std::vector<GroupEvent>> next(Microseconds) override { return read(); }

  private:
    const MemoryEnforcer& enforcer_;
    std::string group_;
    EventOptions options_;
    std::uint64_t number_ = 0;
    std::uint64_t fillings_ = 0;
    std::optional<GroupSigns> before_;
    bool is_removed_ = false;
};

}  // namespace detail

inline StatusOr<std::unique_ptr<EventSource>> MemoryEnforcer::events(const std::string& group,
                                                                     const EventOptions& options) {
    calls_.push_back("events " + group);
    TRESTLE_TRY_STATUS(find(group));
    return std::make_unique<detail::MemoryEventSource>(*this, group, options);
}

}  // namespace trestle
