// SPDX-License-Identifier: Apache-2.0
#include "trestle/os/cgroup_enforcer.hpp"

#include <utility>

#include "../process/scratch.hpp"
#include "devices/device_program.hpp"
#include "end_group.hpp"
#include "enforce/detail/step_parts.hpp"
#include "enforcer_state.hpp"
#include "group/set_limit.hpp"
#include "group/values.hpp"
#include "observe.hpp"
#include "trestle/enforce/group_name.hpp"
#include "trestle/os/cgroup_probe.hpp"
#include "watch/label.hpp"

namespace trestle::os {

namespace {

using detail::ChildTable;
using detail::GroupDirectory;
using detail::oom_kills_in;

std::string last_part(const std::string& group) { return group.substr(group.rfind('/') + 1); }

}  // namespace

CgroupEnforcer::CgroupEnforcer(std::unique_ptr<State> state) : state_(std::move(state)) {}
CgroupEnforcer::~CgroupEnforcer() = default;

StatusOr<std::unique_ptr<CgroupEnforcer>> CgroupEnforcer::open(const std::string& directory,
                                                               const CgroupOptions& options,
                                                               Kernel& kernel) {
    const CgroupSupport support = probe_cgroup(directory, kernel);
    if (!support.is_usable) return failed_precondition("{}", support.reason);
    TRESTLE_TRY(auto root, GroupDirectory::open(directory, kernel));
    detail::ScratchOwner owner;
    if (!options.scratch_root.empty()) {
        TRESTLE_TRY(owner, detail::ScratchOwner::of(kernel, root.fd(), root.path()));
    }
    auto state = std::make_unique<State>(std::move(root), options, std::move(owner));
    return std::unique_ptr<CgroupEnforcer>(new CgroupEnforcer(std::move(state)));
}

Status CgroupEnforcer::run(const Step& step) {
    if (action_of<Step::MakeGroup>(step) != nullptr) {
        TRESTLE_TRY_STATUS(state_->tree.check_name(step.group));
        TRESTLE_TRY(const auto parent, state_->tree.open(parent_group(step.group)));
        TRESTLE_TRY_STATUS(detail::check_no_scratch(state_->scratch, step.group));
        return parent.make(last_part(step.group));
    }
    TRESTLE_TRY(const auto group, state_->tree.open(step.group));
    if (const auto* enable = action_of<Step::EnableController>(step)) {
        return state_->tree.enable(group, enable->controller);
    }
    if (const auto* label = action_of<Step::LabelGroup>(step)) {
        return detail::write_label(group, label->owner);
    }
    if (const auto* set = action_of<Step::SetLimit>(step))
        return detail::set_limit(group, set->limit);
    if (const auto* load = action_of<Step::LoadFilter>(step)) {
        return detail::load_filter(group, load->devices);
    }
    if (const auto* set = action_of<Step::SetFrozen>(step)) {
        return set->is_frozen ? freeze(step.group) : thaw(step.group);
    }
    return detail::make_scratch(step.group, std::get<Step::MakeScratch>(step.action).directory,
                                state_->scratch);
}

StatusOr<Child> CgroupEnforcer::start(const Plan& plan, const Command& command) {
    TRESTLE_TRY_STATUS(check_group_name(plan.group));
    TRESTLE_TRY(const auto group, state_->tree.open(plan.group));
    TRESTLE_TRY(const auto image, detail::ExecImage::of(command, plan.process));
    const auto oom_kills = oom_kills_in(group);
    TRESTLE_TRY(auto process,
                detail::start_process(
                    image, {&group, state_->options.start, state_->kernel, state_->options.patience,
                            state_->children.unended(), oom_kills}));
    return state_->children.add({std::move(process), plan.group, oom_kills});
}

Status CgroupEnforcer::attach(const std::string& group, std::int64_t pid) {
    TRESTLE_TRY(const auto directory, state_->tree.open(group));
    // The kernel would read 0 as the writing process.
    if (pid < 1) return invalid_argument("process {}: expected a number above 0", pid);
    return directory.write("cgroup.procs", std::to_string(pid));
}

namespace {

/// Kills for memory in the group since the child started; nothing when the group has gone.
std::optional<Count> oom_kills_since(const StatusOr<GroupDirectory>& group,
                                     const std::optional<Count>& before) {
    const auto now = group.ok() ? oom_kills_in(*group) : std::nullopt;
    if (!now) return std::nullopt;
    return saturating_sub(*now, before.value_or(Count()));
}

Outcome outcome_of(const detail::EndOfProcess& end, std::optional<Count> oom_kills) {
    return end.is_exit ? exited(end.number, oom_kills) : signaled(end.number, oom_kills);
}

/// Of a child whose group has gone. A SIGKILL of ours is not the kernel's for memory, even if
/// others of the group had been killed for it.
Outcome outcome_of(const detail::EndOfProcess& end, const ChildTable::Farewell& farewell) {
    Outcome outcome = outcome_of(end, farewell.oom_kills);
    if (farewell.is_killed && outcome.ending == Outcome::Ending::out_of_memory) {
        outcome.ending = Outcome::Ending::signaled;
    }
    return outcome;
}

}  // namespace

StatusOr<Outcome> CgroupEnforcer::wait(const Child& child) {
    TRESTLE_TRY(const auto* entry, state_->children.find(child));
    const auto before = entry->oom_kills;
    const auto farewell = entry->farewell;
    TRESTLE_TRY(const auto end, state_->children.wait(child));
    if (farewell) return outcome_of(end, *farewell);
    return outcome_of(end, oom_kills_since(state_->tree.open(child.group), before));
}

StatusOr<std::optional<Outcome>> CgroupEnforcer::poll(const Child& child) {
    TRESTLE_TRY(const auto* entry, state_->children.find(child));
    const auto before = entry->oom_kills;
    const auto farewell = entry->farewell;
    TRESTLE_TRY(const auto end, state_->children.poll(child));
    if (!end) return std::optional<Outcome>();
    if (farewell) return std::optional(outcome_of(*end, *farewell));
    return std::optional(outcome_of(*end, oom_kills_since(state_->tree.open(child.group), before)));
}

Status CgroupEnforcer::signal(const std::string& group, int signal_number) {
    TRESTLE_TRY_STATUS(check_group_name(group));
    TRESTLE_TRY(const auto directory, state_->tree.open(group));
    return detail::signal_all(directory, signal_number, state_->deadline());
}

Status CgroupEnforcer::signal_child(const Child& child, int signal_number) {
    return state_->children.signal(child, signal_number);
}

Status CgroupEnforcer::freeze(const std::string& group) {
    TRESTLE_TRY_STATUS(check_group_name(group));
    TRESTLE_TRY(const auto directory, state_->tree.open(group));
    TRESTLE_TRY_STATUS(directory.write("cgroup.freeze", "1"));
    const Status frozen = directory.wait_for("frozen", 1, state_->deadline());
    if (!frozen.ok()) (void)directory.write("cgroup.freeze", "0");
    return frozen;
}

Status CgroupEnforcer::thaw(const std::string& group) {
    TRESTLE_TRY_STATUS(check_group_name(group));
    TRESTLE_TRY(const auto directory, state_->tree.open(group));
    return directory.write("cgroup.freeze", "0");
}

StatusOr<ResourceUsage> CgroupEnforcer::observe(const std::string& group) {
    TRESTLE_TRY(const auto directory, state_->tree.open(group));
    return detail::observe_group(directory);
}

Status CgroupEnforcer::remove_group(const std::string& group) {
    TRESTLE_TRY_STATUS(check_group_name(group));
    const auto remove_scratch = [&] {
        return detail::remove_scratch(state_->scratch, group, state_->options.patience);
    };
    const auto directory = state_->tree.open(group);
    if (directory.status().code() == StatusCode::kNotFound) return remove_scratch();
    if (directory.status().code() == StatusCode::kInvalidArgument) return directory.status();
    const auto parent = state_->tree.open(parent_group(group));
    const Status& opened = directory.ok() ? parent.status() : directory.status();
    const ChildTable::Removed removed{group, state_->children.running_below(group)};
    const auto when_empty = [&] {
        state_->children.keep_counts(removed, [&](const std::string& name) {
            const auto below = state_->tree.open(name);
            return below.ok() ? oom_kills_in(*below) : std::nullopt;
        });
        return remove_scratch();
    };
    return with_context("left behind: " + group,
                        opened.ok() ? detail::remove_group(*parent, last_part(group), *directory,
                                                           {state_->deadline(), when_empty})
                                    : opened);
}

}  // namespace trestle::os
