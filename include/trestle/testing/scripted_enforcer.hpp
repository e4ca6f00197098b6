// SPDX-License-Identifier: Apache-2.0
#pragma once

// ScriptedEnforcer: an enforcer whose commands do what a script says, in the time of a manual
// clock.
//
// Layer: testing. Main types: ScriptedEnforcer and its Script. Groups, files and
// refusals are those of MemoryEnforcer. On top of it commands use memory and CPU, end, and are
// killed when those of a group together go above its memory.max. That is the largest, or all of a
// memory.oom.group.
// Pitfall: wait() lets the clock run until the command ends; when nothing changes
// any more and it still runs, wait fails.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/enforce/memory_enforcer.hpp"
#include "trestle/testing/clock.hpp"

namespace trestle::testing {

class ScriptedEnforcer final : public Enforcer {
  public:
    /// What a command does unless it is signalled. A default one ends at once with exit code 0.
    struct Script {
        /// From `at` after its start on, a command uses so much memory.
        struct MemoryPoint {
            Microseconds at;
            Bytes memory;

            static constexpr auto fields(auto list) {
                return list(field("at", &MemoryPoint::at), field("memory", &MemoryPoint::memory));
            }
            friend bool operator==(const MemoryPoint&, const MemoryPoint&) = default;
        };

        std::optional<Microseconds> duration = Microseconds();  ///< absent: it never ends by itself
        Outcome outcome = {};                                   ///< how it ends by itself
        std::vector<MemoryPoint> memory = {};                   ///< in order of time
        MilliCpu cpu = cpus(1);  ///< what it would use; a smaller quota throttles it
        Count pids{1};
        std::vector<int> ignored_signals = {};  ///< SIGKILL cannot be among them

        static constexpr auto fields(auto list) {
            return list(field("duration", &Script::duration), field("outcome", &Script::outcome),
                        field("memory", &Script::memory), field("cpu", &Script::cpu),
                        field("pids", &Script::pids),
                        field("ignored_signals", &Script::ignored_signals));
        }
        friend bool operator==(const Script&, const Script&) = default;
    };

    /// `clock` must outlive this.
    explicit ScriptedEnforcer(ManualClock& clock) : clock_(clock) {}

    /// What commands with this program (the first argument) do from now on. An empty name stands
    /// for all programs without a script of their own.
    void set_script(const std::string& program, Script script) {
        scripts_[program] = std::move(script);
    }
    /// Groups, files and calls as they are now.
    [[nodiscard]] const MemoryEnforcer& state();

    [[nodiscard]] Status run(const Step& step) override;
    [[nodiscard]] Status attach(const std::string& group, std::int64_t pid) override;
    [[nodiscard]] StatusOr<Outcome> wait(const Child& child) override;
    [[nodiscard]] StatusOr<std::optional<Outcome>> poll(const Child& child) override;
    [[nodiscard]] Status signal(const std::string& group, int signal_number) override;
    [[nodiscard]] Status signal_child(const Child& child, int signal_number) override;
    [[nodiscard]] Status freeze(const std::string& group) override;
    [[nodiscard]] Status thaw(const std::string& group) override;
    /// Usage of the group and those below. The peak of several commands is the sum of their peaks.
    [[nodiscard]] StatusOr<ResourceUsage> observe(const std::string& group) override;
    /// `next` of the source lets the clock run until there is an event, for `timeout` at most.
    [[nodiscard]] StatusOr<std::unique_ptr<EventSource>> events(
        const std::string& group, const EventOptions& options) override;
    [[nodiscard]] StatusOr<std::vector<Drift>> verify(const Plan& plan) override;
    [[nodiscard]] StatusOr<std::vector<GroupState>> recover() override;

  private:
    [[nodiscard]] Status remove_group(const std::string& group) override;
    [[nodiscard]] StatusOr<Child> start(const Plan& plan, const Command& command) override;
    class Source final : public EventSource {
      public:
        Source(ScriptedEnforcer& enforcer, std::unique_ptr<EventSource> inner)
            : enforcer_(enforcer), inner_(std::move(inner)) {}

        [[nodiscard]] int fd() const override { return inner_->fd(); }
        [[nodiscard]] StatusOr<std::vector<GroupEvent>> read() override;
        [[nodiscard]] StatusOr<std::vector<GroupEvent>> next(Microseconds timeout) override;

      private:
        ScriptedEnforcer& enforcer_;
        std::unique_ptr<EventSource> inner_;
    };
    struct Process {
        std::string group;
        Script script;
        std::optional<MilliCpu> quota;
        Microseconds ran;  ///< how long it has run, frozen time left out
    };
    /// What ended processes of a group have used.
    struct Past {
        Bytes peak;
        Count oom_kills;
        Microseconds cpu_time;
        Microseconds throttled_time;
    };

    static const std::string& group_of(const std::pair<const std::int64_t, Process>& entry) {
        return entry.second.group;
    }
    static const std::string& group_of(const std::pair<const std::string, Past>& entry) {
        return entry.first;
    }

    [[nodiscard]] static std::optional<Bytes> memory_max(const MemoryEnforcer::Group& group);
    /// The smallest memory.max from the group upwards.
    [[nodiscard]] std::optional<Bytes> memory_max_above(std::string group) const;
    [[nodiscard]] bool is_frozen(std::string group) const;
    [[nodiscard]] static Bytes memory_at(const Process& process, Microseconds time);
    /// How long until a command uses other memory or ends by itself; nothing when none will.
    [[nodiscard]] std::optional<Microseconds> time_to_change() const;
    /// The commands that the kernel would kill now for lack of memory. That is the largest command
    /// of a group above its limit, with all of the highest memory.oom.group around it. Empty when
    /// all fits.
    [[nodiscard]] std::vector<std::int64_t> victims() const;
    [[nodiscard]] static bool dies_of(const Process& process, int signal_number);

    /// Brings every process to the time of the clock.
    void catch_up();
    void end_what_is_due();
    void finish(std::int64_t pid, const Outcome& outcome);
    void add_past(Past& past, const Process& process) const;
    [[nodiscard]] Past past_in(const std::string& group) const;

    ManualClock& clock_;
    MemoryEnforcer inner_;
    Microseconds seen_;
    std::map<std::string, Script> scripts_;
    std::map<std::int64_t, Process> processes_;
    std::map<std::string, Past> past_;  ///< by group
};

}  // namespace trestle::testing
