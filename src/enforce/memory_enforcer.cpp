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

#include "enforce/detail/group_signs.hpp"
#include "enforce/detail/lack_of.hpp"
#include "enforce/detail/readback.hpp"
#include "enforce/detail/step_parts.hpp"
#include "enforce/limits/limit_lines.hpp"
#include "enforce/process/environment_words.hpp"
#include "enforce/process/scratch_names.hpp"
#include "enforce/process/signal_names.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

std::map<std::string, std::string> MemoryEnforcer::Group::files() const {
    std::map<std::string, std::string> files;
    for (const Limit& limit : limits) {
        std::string& text = files[file_of(limit)];
        text += (text.empty() ? "" : "\n") + file_value(limit);
    }
    return files;
}

MemoryEnforcer::MemoryEnforcer(std::set<std::string> controllers)
    : controllers_(std::move(controllers)) {
    groups_.emplace("", Group{});
}

const Command* MemoryEnforcer::command(const Child& child) const {
    const auto at = children_.find(child.pid);
    return at == children_.end() ? nullptr : &at->second.command;
}

const ProcessSettings* MemoryEnforcer::settings(const Child& child) const {
    const auto at = children_.find(child.pid);
    return at == children_.end() ? nullptr : &at->second.settings;
}

Status MemoryEnforcer::set_usage(const std::string& group, const ResourceUsage& usage) {
    TRESTLE_TRY(Group * found, find(group));
    const auto kills = [](const ResourceUsage& one) { return one.oom_kills.value_or(Count()); };
    count_up(group, GroupEvent::Kind::oom_kill, saturating_sub(kills(usage), kills(found->usage)));
    found->usage = usage;
    return {};
}

Status MemoryEnforcer::end_process(std::int64_t pid, const Outcome& outcome) {
    for (auto& [name, group] : groups_) {
        if (group.processes.erase(pid) == 0) continue;
        if (outcome.ending == Outcome::Ending::out_of_memory) {
            count_up(name, GroupEvent::Kind::oom_kill, Count(1));
        }
        if (const auto child = children_.find(pid); child != children_.end()) {
            child->second.outcome = outcome;
        }
        return {};
    }
    return not_found("process {}: not running in any group", pid);
}

Status MemoryEnforcer::count_event(const std::string& group, GroupEvent::Kind kind) {
    TRESTLE_TRY_STATUS(find(group));
    const bool is_counted =
        kind == GroupEvent::Kind::memory_pressure ||
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
    return std::visit([&](const auto& action) { return act(step.group, action); }, step.action);
}

StatusOr<Child> MemoryEnforcer::start(const Plan& plan, const Command& command) {
    const std::string program = command.arguments.empty() ? "" : command.arguments.front();
    calls_.push_back("spawn " + program + " in " + plan.group);
    if (program.empty()) return invalid_argument("command: it is empty, expected a program");
    TRESTLE_TRY_STATUS(check(plan.process));
    TRESTLE_TRY_STATUS(check_known(plan.process.environment));
    TRESTLE_TRY_STATUS(check_known(command.environment));
    TRESTLE_TRY_STATUS(find(plan.group));
    const Child child{plan.group, next_pid_++};
    add_process(plan.group, child.pid);
    children_.emplace(child.pid, ChildState{command, plan.process, std::nullopt});
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
    return failed_precondition("process {}: it still runs, and nothing will end it", child.pid);
}

StatusOr<std::optional<Outcome>> MemoryEnforcer::poll(const Child& child) {
    calls_.push_back(fmt::format("poll {}", child.pid));
    return reap(child);
}

Status MemoryEnforcer::signal(const std::string& group, int signal_number) {
    calls_.push_back(fmt::format("signal {} {}", signal_number, group));
    TRESTLE_TRY_STATUS(find(group));
    if (signal_number == sigkill) kill_below(group);
    return {};
}

Status MemoryEnforcer::signal_child(const Child& child, int signal_number) {
    calls_.push_back(fmt::format("signal {} child {}", signal_number, child.pid));
    if (!children_.contains(child.pid)) {
        return not_found("process {}: no such child", child.pid);
    }
    if (signal_number == sigkill) {
        (void)end_process(child.pid, signaled(sigkill));  // not found: it has ended
    }
    return {};
}

Status MemoryEnforcer::freeze(const std::string& group) {
    calls_.push_back("freeze " + group);
    TRESTLE_TRY(Group * found, find(group));
    found->is_frozen = true;
    return {};
}

Status MemoryEnforcer::thaw(const std::string& group) {
    calls_.push_back("thaw " + group);
    TRESTLE_TRY(Group * found, find(group));
    found->is_frozen = false;
    return {};
}

StatusOr<ResourceUsage> MemoryEnforcer::observe(const std::string& group) {
    calls_.push_back("observe " + group);
    TRESTLE_TRY(const Group* found, find(group));
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

Status MemoryEnforcer::remove_group(const std::string& group) {
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

StatusOr<MemoryEnforcer::Group*> MemoryEnforcer::find(const std::string& group) {
    const auto at = groups_.find(group);
    if (at == groups_.end()) return not_found("/{}: no such group", group);
    return &at->second;
}

Status MemoryEnforcer::act(const std::string& name, const Step::EnableController& enable) {
    TRESTLE_TRY(Group * group, find(name));
    if (!available(name).contains(enable.controller)) {
        return not_found("/{}: no controller {}", name, enable.controller);
    }
    group->controllers.insert(enable.controller);
    return {};
}

Status MemoryEnforcer::act(const std::string& name, const Step::MakeGroup&) {
    TRESTLE_TRY_STATUS(check_group_name(name));
    TRESTLE_TRY_STATUS(find(parent_group(name)));
    const auto [made, is_new] = groups_.emplace(name, Group{});
    if (!is_new) {
        return make_error(StatusCode::kAlreadyExists, "/{}: the group exists", name);
    }
    made->second.number = next_group_++;
    return {};
}

Status MemoryEnforcer::act(const std::string& name, const Step::LabelGroup& label) {
    TRESTLE_TRY(Group * group, find(name));
    group->owner = label.owner;
    return {};
}

Status MemoryEnforcer::act(const std::string& name, const Step::MakeScratch& make) {
    TRESTLE_TRY(Group * group, find(name));
    if (make.directory.name != scratch_name(name)) {
        return invalid_argument("scratch {}: expected the name {}", make.directory.path(),
                                scratch_name(name));
    }
    if (group->scratch) {
        return make_error(StatusCode::kAlreadyExists, "{}: it exists", make.directory.path());
    }
    group->scratch = make.directory;
    return {};
}

Status MemoryEnforcer::act(const std::string& name, const Step::SetLimit& set) {
    TRESTLE_TRY(Group * group, find(name));
    if (!available(name).contains(detail::controller_of(set.limit))) {
        return not_found("/{}/{}: no such file", name, file_of(set.limit));
    }
    std::erase_if(group->limits, [&](const Limit& one) { return is_same_line(one, set.limit); });
    group->limits.push_back(set.limit);
    return {};
}

Status MemoryEnforcer::act(const std::string& name, const Step::LoadFilter& load) {
    TRESTLE_TRY(Group * group, find(name));
    group->filter = load.devices;
    return {};
}

Status MemoryEnforcer::act(const std::string& name, const Step::SetFrozen& set) {
    TRESTLE_TRY(Group * group, find(name));
    group->is_frozen = set.is_frozen;
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
            if (child != children_.end()) child->second.outcome = signaled(sigkill);
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

void MemoryEnforcer::count_up(const std::string& group, GroupEvent::Kind kind, Count more) {
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
    const Group& group = at->second;
    if (const auto* enabled = action_of<Step::EnableController>(step)) {
        if (group.controllers.contains(enabled->controller)) return std::nullopt;
        return Drift{resource, "cgroup.subtree_control", enabled->controller, "",
                     "the controller is not enabled"};
    }
    if (const auto* label = action_of<Step::LabelGroup>(step)) {
        if (group.owner == label->owner) return std::nullopt;
        return Drift{resource, "owner", std::to_string(label->owner.value()),
                     group.owner ? std::to_string(group.owner->value()) : "",
                     "the label is not the plan's"};
    }
    if (const auto* filter = action_of<Step::LoadFilter>(step)) {
        if (group.filter == filter->devices) return std::nullopt;
        return Drift{resource, "device filter", "the plan's", group.filter ? "another one" : "",
                     "it was replaced or never loaded"};
    }
    const Limit* limit = limit_of(step);
    if (limit == nullptr) return std::nullopt;
    for (const Limit& one : group.limits) {
        if (one == *limit) return std::nullopt;
        if (is_same_line(one, *limit)) return drift_of(step, {file_value(one)});
    }
    return Drift{resource, file_of(*limit), file_value(*limit), "", "nothing was written"};
}

/// Looks at the groups of a MemoryEnforcer.
class MemoryEnforcer::Events final : public EventSource {
  public:
    /// Requires: the group exists.
    Events(const MemoryEnforcer& enforcer, std::string group, EventOptions options);

    [[nodiscard]] int fd() const override { return -1; }
    [[nodiscard]] StatusOr<std::vector<GroupEvent>> read() override;
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

MemoryEnforcer::Events::Events(const MemoryEnforcer& enforcer, std::string group,
                               EventOptions options)
    : enforcer_(enforcer), group_(std::move(group)), options_(options) {
    number_ = enforcer_.groups().at(group_).number;
}

StatusOr<std::vector<GroupEvent>> MemoryEnforcer::Events::read() {
    if (is_removed_) return std::vector<GroupEvent>();
    auto now = enforcer_.signs(group_, number_);
    if (!now.ok()) {
        is_removed_ = true;
        return std::vector<GroupEvent>{{group_, GroupEvent::Kind::removed}};
    }
    const std::uint64_t fillings = enforcer_.groups().at(group_).fillings;
    now->has_flickered = fillings != fillings_;
    const Count waits = now->counts[GroupEvent::Kind::memory_pressure];
    const Count waits_before =
        before_ ? before_->counts[GroupEvent::Kind::memory_pressure] : Count();
    now->has_pressure = options_.memory_pressure && waits > waits_before;
    fillings_ = fillings;
    return events_between(group_, {std::exchange(before_, *now), *now});
}

StatusOr<std::unique_ptr<EventSource>> MemoryEnforcer::events(const std::string& group,
                                                              const EventOptions& options) {
    calls_.push_back("events " + group);
    TRESTLE_TRY_STATUS(find(group));
    return std::make_unique<Events>(*this, group, options);
}

}  // namespace trestle
