// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/memory_enforcer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "enforce/detail/file_order.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

MemoryEnforcer::MemoryEnforcer(std::set<std::string> controllers)
    : controllers_(std::move(controllers)) {
    groups_.emplace("", MemoryGroup{});
}

const Command* MemoryEnforcer::command(const Child& child) const {
    const auto at = children_.find(child.pid);
    return at == children_.end() ? nullptr : &at->second.command;
}

Status MemoryEnforcer::set_usage(const std::string& group, const Usage& usage) {
    TRESTLE_TRY(MemoryGroup * found, find(group));
    const auto kills = [](const Usage& one) { return one.oom_kills.value_or(Count()); };
    count_up(group, EventKind::oom_kill, saturating_sub(kills(usage), kills(found->usage)));
    found->usage = usage;
    return {};
}

Status MemoryEnforcer::end_process(std::int64_t pid, const Outcome& outcome) {
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

Status MemoryEnforcer::count_event(const std::string& group, EventKind kind) {
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

StatusOr<GroupSigns> MemoryEnforcer::signs(const std::string& group, std::uint64_t number) const {
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

Status MemoryEnforcer::run(const Step& step) {
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

StatusOr<Child> MemoryEnforcer::spawn(const Plan& plan, const Command& command) {
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

Status MemoryEnforcer::attach(const std::string& group, std::int64_t pid) {
    calls_.push_back(fmt::format("attach {} to {}", pid, group));
    TRESTLE_TRY_STATUS(find(group));
    add_process(group, pid);
    for (auto& [name, other] : groups_) {
        if (name != group) other.processes.erase(pid);
    }
    return {};
}

StatusOr<Outcome> MemoryEnforcer::wait(const Child& child) {
    calls_.push_back(fmt::format("wait {}", child.pid));
    TRESTLE_TRY(const auto outcome, reap(child));
    if (outcome) return *outcome;
    return failed_precondition("process {}: it still runs and nobody will end it", child.pid);
}

StatusOr<std::optional<Outcome>> MemoryEnforcer::poll(const Child& child) {
    calls_.push_back(fmt::format("poll {}", child.pid));
    return reap(child);
}

Status MemoryEnforcer::signal(const std::string& group, int signal_number) {
    calls_.push_back(fmt::format("signal {} {}", signal_number, group));
    TRESTLE_TRY_STATUS(find(group));
    if (signal_number == detail::sigkill) kill_below(group);
    return {};
}

Status MemoryEnforcer::signal_child(const Child& child, int signal_number) {
    calls_.push_back(fmt::format("signal {} child {}", signal_number, child.pid));
    if (!children_.contains(child.pid)) {
        return not_found("process {}: no such child", child.pid);
    }
    if (signal_number == detail::sigkill) {
        (void)end_process(child.pid, signaled(detail::sigkill));  // not found: it has ended
    }
    return {};
}

Status MemoryEnforcer::freeze(const std::string& group) {
    calls_.push_back("freeze " + group);
    TRESTLE_TRY(MemoryGroup * found, find(group));
    found->is_frozen = true;
    return {};
}

Status MemoryEnforcer::thaw(const std::string& group) {
    calls_.push_back("thaw " + group);
    TRESTLE_TRY(MemoryGroup * found, find(group));
    found->is_frozen = false;
    return {};
}

StatusOr<Usage> MemoryEnforcer::observe(const std::string& group) {
    calls_.push_back("observe " + group);
    TRESTLE_TRY(const MemoryGroup* found, find(group));
    return found->usage;
}

StatusOr<std::vector<Drift>> MemoryEnforcer::verify(const Plan& plan) {
    calls_.push_back("verify " + plan.group);
    TRESTLE_TRY_STATUS(find(plan.group));
    std::vector<Drift> drifts;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        if (is_overwritten(plan.steps, i)) continue;
        if (auto drift = drift_of_step(plan.steps[i])) drifts.push_back(*std::move(drift));
    }
    return drifts;
}

Status MemoryEnforcer::remove(const std::string& group) {
    calls_.push_back("remove " + group);
    TRESTLE_TRY_STATUS(check_group_name(group));
    kill_below(group);
    std::erase_if(groups_, [&](const auto& entry) { return is_below(entry.first, group); });
    return {};
}

StatusOr<std::vector<GroupState>> MemoryEnforcer::recover() {
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

StatusOr<MemoryGroup*> MemoryEnforcer::find(const std::string& group) {
    const auto at = groups_.find(group);
    if (at == groups_.end()) return not_found("/{}: no such group", group);
    return &at->second;
}

Status MemoryEnforcer::enable(const Step& step) {
    TRESTLE_TRY(MemoryGroup * group, find(step.group));
    if (!available(step.group).contains(step.value)) {
        return not_found("/{}: no controller {}", step.group, step.value);
    }
    group->controllers.insert(step.value);
    return {};
}

Status MemoryEnforcer::make(const std::string& group) {
    TRESTLE_TRY_STATUS(check_group_name(group));
    TRESTLE_TRY_STATUS(find(parent_group(group)));
    const auto [made, is_new] = groups_.emplace(group, MemoryGroup{});
    if (!is_new) {
        return make_error(StatusCode::kAlreadyExists, "/{}: the group exists", group);
    }
    made->second.number = next_group_++;
    return {};
}

Status MemoryEnforcer::label(const Step& step) {
    TRESTLE_TRY(MemoryGroup * group, find(step.group));
    TRESTLE_TRY(group->owner, detail::owner_of(step));
    return {};
}

Status MemoryEnforcer::make_scratch(const Step& step) {
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

Status MemoryEnforcer::write(const Step& step) {
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

StatusOr<std::optional<Outcome>> MemoryEnforcer::reap(const Child& child) {
    const auto at = children_.find(child.pid);
    if (at == children_.end()) return not_found("process {}: no such child", child.pid);
    const std::optional<Outcome> outcome = at->second.outcome;
    if (outcome) children_.erase(at);
    return outcome;
}

void MemoryEnforcer::kill_below(const std::string& group) {
    for (auto& [name, state] : groups_) {
        if (!is_below(name, group)) continue;
        for (const std::int64_t pid : std::exchange(state.processes, {})) {
            const auto child = children_.find(pid);
            if (child != children_.end()) child->second.outcome = signaled(detail::sigkill);
        }
    }
}

bool MemoryEnforcer::is_populated(const std::string& group) const {
    return std::any_of(groups_.begin(), groups_.end(), [&](const auto& entry) {
        return !entry.second.processes.empty() && is_below(entry.first, group);
    });
}

void MemoryEnforcer::add_process(const std::string& group, std::int64_t pid) {
    for (auto& [name, above] : groups_) {
        if (is_below(group, name) && !is_populated(name)) ++above.fillings;
    }
    groups_.at(group).processes.insert(pid);
}

void MemoryEnforcer::count_up(const std::string& group, EventKind kind, Count more) {
    if (more.is_zero()) return;
    for (auto& [name, above] : groups_) {
        if (is_below(group, name)) above.counts[kind] += more;
    }
}

std::optional<Drift> MemoryEnforcer::drift_of_step(const Step& step) const {
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
        case StepKind::make_scratch:
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
            return Drift{resource, "device filter", "the plan's", group.filter ? "another one" : "",
                         "it was replaced or never loaded"};
        case StepKind::write_value:
            break;
    }
    const auto file = group.files.find(step.file);
    if (file != group.files.end()) return drift_of(step, {file->second});
    return Drift{resource, step.file, step.value, "", "nothing was written"};
}

namespace detail {

MemoryEventSource::MemoryEventSource(const MemoryEnforcer& enforcer, std::string group,
                                     EventOptions options)
    : enforcer_(enforcer), group_(std::move(group)), options_(options) {
    number_ = enforcer_.groups().at(group_).number;
}

StatusOr<std::vector<GroupEvent>> MemoryEventSource::read() {
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

}  // namespace detail

StatusOr<std::unique_ptr<EventSource>> MemoryEnforcer::events(const std::string& group,
                                                              const EventOptions& options) {
    calls_.push_back("events " + group);
    TRESTLE_TRY_STATUS(find(group));
    return std::make_unique<detail::MemoryEventSource>(*this, group, options);
}

}  // namespace trestle
