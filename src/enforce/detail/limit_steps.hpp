// SPDX-License-Identifier: Apache-2.0
#pragma once

// steps_of: limits as the steps that make a group have them.
//
// Layer: enforce.
// Pitfall: controllers are enabled in the order in which their files are written, and a file of
// several lines (io.max) is one step for each.

#include <string>
#include <utility>
#include <vector>

#include "trestle/base/ids.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/limits/limits.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle::detail {

/// Collects the steps of one group in the order in which they will run.
class StepList {
  public:
    explicit StepList(std::string group) : group_(std::move(group)) {}

    void add(Step::Action action, const std::string& resource, Requirement r);
    void enable(const std::string& resource, const std::string& controller, Requirement r);
    void set(const std::string& resource, Limit limit, Requirement r);
    [[nodiscard]] std::vector<Step> take() && { return std::move(steps_); }

  private:
    std::string group_;
    std::vector<Step> steps_;
};

/// Without a memory limit the controller is wanted all the same: it counts the use and its peak.
void enable_controllers(const Limits& limits, const Requirements& required, StepList& steps);

/// A partition is made last of its files: it is valid only with the CPUs that it will have.
void set_cpus(const Limits& limits, const Requirements& required, StepList& steps);

void set_memory(const Limits& limits, const Requirements& required, StepList& steps);

/// Pages that are reserved and not yet touched are counted apart: with the other file alone, a
/// program that is over the limit dies of SIGBUS where mmap would have failed. The limit of what is
/// used holds without the other, which kernels before 5.7 lack: it is never worth an error.
void set_others(const Limits& limits, const Requirements& required, StepList& steps);

/// A group, and whose it is.
struct LabelledGroup {
    std::string name;
    OwnerId owner;
};

/// Controllers, group, label, limits, and last the filter. The group holds without its label, but
/// its owner is then unknown to later processes.
[[nodiscard]] std::vector<Step> steps_of(const LabelledGroup& group, const Limits& limits,
                                         const Requirements& required, DeviceAllowList devices);

}  // namespace trestle::detail
