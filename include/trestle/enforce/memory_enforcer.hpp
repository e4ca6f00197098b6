// SPDX-License-Identifier: Apache-2.0
#pragma once

// MemoryEnforcer: the enforcer without a machine, for unit tests of schedulers.
//
// Layer: enforce. Main type: MemoryEnforcer. It keeps a tree of groups as the kernel would, and
// records every call. It refuses what the kernel refuses: a group that exists, a missing parent, a
// file whose controller is off. Events come from the test: processes that start and end, groups
// that are frozen or removed, usage that is set, and count_event.
// Pitfall: nothing runs. A process ends by end_process or by a kill. Waiting for a running process
// is an error, because the wait would never end.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/drift.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/enforce/events.hpp"
#include "trestle/enforce/group_name.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/process/command.hpp"
#include "trestle/enforce/process/outcome.hpp"
#include "trestle/enforce/process/usage.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle {

struct GroupSigns;

class MemoryEnforcer final : public Enforcer {
  public:
    /// One group of the tree.
    struct Group {
        std::set<std::string> controllers;  ///< enabled for the children
        std::vector<Limit> limits;          ///< what was written, of each line the last
        std::optional<DeviceAllowList> filter;
        std::set<std::int64_t> processes;
        bool is_frozen = false;
        std::optional<Scratch::Directory> scratch = {};
        ResourceUsage usage;  ///< what observe gives; the test sets it
        std::optional<OwnerId> owner = {};
        std::map<GroupEvent::Kind, Count> counts = {};  ///< of events, in the group and those below
        std::uint64_t fillings = 0;  ///< how often it, or one below, got a process when it had none
        std::uint64_t number = 0;    ///< of all groups made: one made again is another

        /// The limits as the kernel's files have them: `memory.max`, `1073741824`.
        [[nodiscard]] std::map<std::string, std::string> files() const;

        friend bool operator==(const Group&, const Group&) = default;
    };

    /// `controllers` are those of the root, as cgroup.controllers names them.
    explicit MemoryEnforcer(std::set<std::string> controllers = {"cpu", "cpuset", "memory",
                                                                 "pids"});

    /// All groups by name; "" is the root.
    [[nodiscard]] const std::map<std::string, Group>& groups() const { return groups_; }
    /// One line for each call, in order, also those that failed.
    [[nodiscard]] const std::vector<std::string>& calls() const { return calls_; }
    /// The command of a child that is not reaped yet, or nullptr.
    [[nodiscard]] const Command* command(const Child& child) const;

    /// The settings that a child was started with, or nullptr.
    [[nodiscard]] const ProcessSettings* settings(const Child& child) const;

    /// Sets what observe gives. Kills for memory that it has more of than before are events.
    /// Errors: NotFound.
    [[nodiscard]] Status set_usage(const std::string& group, const ResourceUsage& usage);
    /// Lets a process end. One that ends for memory is an event. Errors: NotFound when none with
    /// this number is running.
    [[nodiscard]] Status end_process(std::int64_t pid, const Outcome& outcome);
    /// Counts an event, in the group and those above. Errors: NotFound; InvalidArgument for a kind
    /// that follows from what the groups hold: populated, emptied, frozen, thawed, removed.
    [[nodiscard]] Status count_event(const std::string& group, GroupEvent::Kind kind);

    [[nodiscard]] Status run(const Step& step) override;

    [[nodiscard]] Status attach(const std::string& group, std::int64_t pid) override;

    [[nodiscard]] StatusOr<Outcome> wait(const Child& child) override;

    [[nodiscard]] StatusOr<std::optional<Outcome>> poll(const Child& child) override;

    [[nodiscard]] Status signal(const std::string& group, int signal_number) override;

    /// SIGKILL ends the child; other signals are only written down.
    [[nodiscard]] Status signal_child(const Child& child, int signal_number) override;

    [[nodiscard]] Status freeze(const std::string& group) override;
    [[nodiscard]] Status thaw(const std::string& group) override;

    [[nodiscard]] StatusOr<ResourceUsage> observe(const std::string& group) override;

    [[nodiscard]] StatusOr<std::unique_ptr<EventSource>> events(
        const std::string& group, const EventOptions& options) override;

    [[nodiscard]] StatusOr<std::vector<Drift>> verify(const Plan& plan) override;

    [[nodiscard]] StatusOr<std::vector<GroupState>> recover() override;

  private:
    class Events;

    /// What a source of events sees of the group. Errors: NotFound, also when it was made again and
    /// `number` is that of the one before.
    [[nodiscard]] StatusOr<GroupSigns> signs(const std::string& group, std::uint64_t number) const;
    [[nodiscard]] Status remove_group(const std::string& group) override;
    [[nodiscard]] StatusOr<Child> start(const Plan& plan, const Command& command) override;
    struct ChildState {
        Command command;
        ProcessSettings settings;
        std::optional<Outcome> outcome;
    };

    [[nodiscard]] StatusOr<Group*> find(const std::string& group);
    /// What a group can hand on: the root all, others what their parent enabled.
    [[nodiscard]] const std::set<std::string>& available(const std::string& group) const {
        return group.empty() ? controllers_ : groups_.at(parent_group(group)).controllers;
    }

    /// The group of a step and what it is to have; one overload for each Action.
    [[nodiscard]] Status act(const std::string& group, const Step::MakeGroup& make);
    [[nodiscard]] Status act(const std::string& group, const Step::EnableController& enable);
    [[nodiscard]] Status act(const std::string& group, const Step::LabelGroup& label);
    [[nodiscard]] Status act(const std::string& group, const Step::SetLimit& set);
    [[nodiscard]] Status act(const std::string& group, const Step::LoadFilter& load);
    [[nodiscard]] Status act(const std::string& group, const Step::SetFrozen& set);
    [[nodiscard]] Status act(const std::string& group, const Step::MakeScratch& make);
    [[nodiscard]] StatusOr<std::optional<Outcome>> reap(const Child& child);
    void kill_below(const std::string& group);

    [[nodiscard]] bool is_populated(const std::string& group) const;
    /// Requires: the group exists.
    void add_process(const std::string& group, std::int64_t pid);
    void count_up(const std::string& group, GroupEvent::Kind kind, Count more);
    /// The group of a step of a plan that was applied may have gone since.
    [[nodiscard]] std::optional<Drift> drift_of_step(const Step& step) const;

    std::set<std::string> controllers_;
    std::map<std::string, Group> groups_;
    std::map<std::int64_t, ChildState> children_;
    std::vector<std::string> calls_;
    std::int64_t next_pid_ = 1000;
    std::uint64_t next_group_ = 1;
};

}  // namespace trestle
