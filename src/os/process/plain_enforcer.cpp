// SPDX-License-Identifier: Apache-2.0
#include "trestle/os/plain_enforcer.hpp"

#include <signal.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <utility>

#include "enforce/detail/step_parts.hpp"
#include "scratch.hpp"
#include "start_process.hpp"
#include "trestle/enforce/group_name.hpp"

namespace trestle::os {

namespace {

/// Groups here are known to one enforcer only, and so are their directories. Its name is drawn:
/// containers that share a root may number their processes alike.
detail::ScratchOwner new_owner() {
    static std::atomic<int> made{0};
    std::array<std::uint64_t, 2> drawn{};
    if (::getrandom(drawn.data(), sizeof(drawn), 0) != sizeof(drawn)) drawn = {};
    return detail::ScratchOwner::nobody_after(fmt::format("process {}, enforcer {}, {:016x}{:016x}",
                                                          ::getpid(), ++made, drawn[0], drawn[1]));
}

}  // namespace

class PlainEnforcer::State {
  public:
    State(std::string why, std::string scratch_root)
        : reason(std::move(why)), scratch{std::move(scratch_root), new_owner(), real_kernel()} {}

    [[nodiscard]] Status find(const std::string& group) const {
        if (groups.contains(group)) return {};
        return not_found("{}: no such group", group);
    }
    [[nodiscard]] Status refuse() const { return failed_precondition("{}", reason); }

    std::string reason;
    detail::ScratchRoot scratch;
    /// By name, "" is the root, with the owner that the label names.
    std::map<std::string, std::optional<OwnerId>> groups{{"", std::nullopt}};
    detail::ChildTable children;
};

PlainEnforcer::PlainEnforcer(std::string reason, std::string scratch_root)
    : state_(std::make_unique<State>(std::move(reason), std::move(scratch_root))) {}
PlainEnforcer::~PlainEnforcer() = default;

Status PlainEnforcer::run(const Step& step) {
    if (const auto* make = action_of<Step::MakeScratch>(step)) {
        TRESTLE_TRY_STATUS(state_->find(step.group));
        return detail::make_scratch(step.group, make->directory, state_->scratch);
    }
    if (const auto* label = action_of<Step::LabelGroup>(step)) {
        TRESTLE_TRY_STATUS(state_->find(step.group));
        state_->groups[step.group] = label->owner;
        return {};
    }
    if (action_of<Step::MakeGroup>(step) == nullptr) {
        if (step.resource != "cpu") return state_->refuse();
        return failed_precondition("{}; as CPU affinity only, which the command may change",
                                   state_->reason);
    }
    TRESTLE_TRY_STATUS(check_group_name(step.group));
    TRESTLE_TRY_STATUS(state_->find(parent_group(step.group)));
    TRESTLE_TRY_STATUS(detail::check_no_scratch(state_->scratch, step.group));
    if (state_->groups.emplace(step.group, std::nullopt).second) return {};
    return make_error(StatusCode::kAlreadyExists, "{}: the group exists", step.group);
}

StatusOr<Child> PlainEnforcer::start(const Plan& plan, const Command& command) {
    TRESTLE_TRY_STATUS(state_->find(plan.group));
    TRESTLE_TRY(const auto image, detail::ExecImage::of(command, plan.process));
    detail::StartPlace place;
    place.unended = state_->children.unended();
    TRESTLE_TRY(auto process, detail::start_process(image, place));
    return state_->children.add({std::move(process), plan.group, std::nullopt});
}

Status PlainEnforcer::attach(const std::string& group, std::int64_t) {
    TRESTLE_TRY_STATUS(state_->find(group));
    return state_->refuse();
}

StatusOr<Outcome> PlainEnforcer::wait(const Child& child) {
    TRESTLE_TRY(const auto end, state_->children.wait(child));
    return end.is_exit ? exited(end.number) : signaled(end.number);
}

StatusOr<std::optional<Outcome>> PlainEnforcer::poll(const Child& child) {
    TRESTLE_TRY(const auto end, state_->children.poll(child));
    if (!end) return std::optional<Outcome>();
    return std::optional(end->is_exit ? exited(end->number) : signaled(end->number));
}

Status PlainEnforcer::signal(const std::string& group, int signal_number) {
    TRESTLE_TRY_STATUS(state_->find(group));
    return state_->children.signal_below(group, signal_number);
}

Status PlainEnforcer::signal_child(const Child& child, int signal_number) {
    return state_->children.signal(child, signal_number);
}

Status PlainEnforcer::freeze(const std::string& group) {
    TRESTLE_TRY_STATUS(state_->find(group));
    return state_->refuse();
}

Status PlainEnforcer::thaw(const std::string& group) { return freeze(group); }

StatusOr<ResourceUsage> PlainEnforcer::observe(const std::string& group) {
    TRESTLE_TRY_STATUS(state_->find(group));
    return ResourceUsage{};
}

StatusOr<std::unique_ptr<EventSource>> PlainEnforcer::events(const std::string& group,
                                                             const EventOptions&) {
    TRESTLE_TRY_STATUS(state_->find(group));
    return state_->refuse();
}

StatusOr<std::vector<Drift>> PlainEnforcer::verify(const Plan& plan) {
    TRESTLE_TRY_STATUS(state_->find(plan.group));
    std::vector<Drift> drifts;
    for (const Step& step : plan.steps) {
        if (const Limit* limit = limit_of(step)) {
            drifts.push_back(
                {step.resource, file_of(*limit), file_value(*limit), "", state_->reason});
        } else if (action_of<Step::LoadFilter>(step) != nullptr) {
            drifts.push_back({step.resource, "device filter", "the plan's", "", state_->reason});
        }
    }
    return drifts;
}

Status PlainEnforcer::remove_group(const std::string& group) {
    TRESTLE_TRY_STATUS(check_group_name(group));
    if (state_->groups.contains(group)) TRESTLE_TRY_STATUS(signal(group, SIGKILL));
    TRESTLE_TRY_STATUS(detail::remove_scratch(state_->scratch, group, Seconds(30)));
    std::erase_if(state_->groups, [&](const auto& entry) { return is_below(entry.first, group); });
    return {};
}

StatusOr<std::vector<GroupState>> PlainEnforcer::recover() {
    std::vector<GroupState> states;
    for (const auto& [group, owner] : state_->groups) {
        if (group.empty()) continue;
        states.push_back({group, state_->children.pids_of(group), owner,
                          state_->children.has_running_below(group), false});
    }
    return states;
}

}  // namespace trestle::os
