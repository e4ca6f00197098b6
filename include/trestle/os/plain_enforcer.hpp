// SPDX-License-Identifier: Apache-2.0
#pragma once

// The enforcer for machines without a usable cgroup v2: applies what needs none.
//
// Layer: os. Main type: PlainEnforcer. A plan whose steps are best effort is applied with one
// shortfall for each resource; affinity, environment and resource limits are set on the command.
// Pitfall: nothing here holds against a command that does not want to be held. It may change its
// affinity, and what it starts and leaves behind is not found again.

#include <memory>
#include <string>

#include "trestle/base/status.hpp"
#include "trestle/enforce/enforcer.hpp"

namespace trestle::os {

/// Groups are names here; they hold the children spawned into them, and their owner's label.
/// Scratch directories are made and removed, as long as the enforcer lives: none after it knows
/// them. What a command left running may keep using its own.
/// Every other step, attach, freeze, thaw and events fail with FailedPrecondition and the reason
/// given. `signal` and remove reach the children, not what these started. `observe` knows nothing,
/// and verify finds nothing of what needs a group.
class PlainEnforcer final : public Enforcer {
  public:
    /// `reason`: why there is no better one, as CgroupSupport::reason has it. `scratch_root`: see
    /// CgroupOptions.
    explicit PlainEnforcer(std::string reason, std::string scratch_root = {});
    ~PlainEnforcer() override;

    [[nodiscard]] Status run(const Step& step) override;
    [[nodiscard]] Status attach(const std::string& group, std::int64_t pid) override;
    [[nodiscard]] StatusOr<Outcome> wait(const Child& child) override;
    [[nodiscard]] StatusOr<std::optional<Outcome>> poll(const Child& child) override;
    [[nodiscard]] Status signal(const std::string& group, int signal_number) override;
    [[nodiscard]] Status signal_child(const Child& child, int signal_number) override;
    [[nodiscard]] Status freeze(const std::string& group) override;
    [[nodiscard]] Status thaw(const std::string& group) override;
    [[nodiscard]] StatusOr<ResourceUsage> observe(const std::string& group) override;
    [[nodiscard]] StatusOr<std::unique_ptr<EventSource>> events(
        const std::string& group, const EventOptions& options) override;
    [[nodiscard]] StatusOr<std::vector<Drift>> verify(const Plan& plan) override;
    [[nodiscard]] StatusOr<std::vector<GroupState>> recover() override;

  private:
    [[nodiscard]] Status remove_group(const std::string& group) override;
    [[nodiscard]] StatusOr<Child> start(const Plan& plan, const Command& command) override;
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace trestle::os
