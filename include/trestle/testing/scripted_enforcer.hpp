// SPDX-License-Identifier: Apache-2.0
#pragma once

// ScriptedEnforcer: an enforcer whose commands do what a script says, in the time of a manual
// clock.
//
// Layer: testing. Main types: Script, MemoryPoint, ScriptedEnforcer. Groups, files and refusals are
// those of MemoryEnforcer; on top of it commands use memory and CPU, end, and are killed when they
// go above the memory.max that the plan has written.
// A reader would get wrong: wait() lets the clock run until the command ends; a command that never
// ends makes wait fail instead.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"
#include "trestle/enforce/group_name.hpp"
#include "trestle/enforce/memory_enforcer.hpp"
#include "trestle/testing/clock.hpp"

namespace trestle::testing {

/// From `at` after its start on, a command uses so much memory.
struct MemoryPoint {
    Microseconds at;
    Bytes memory;

    static constexpr auto fields() {
        return field_list(field("at", &MemoryPoint::at), field("memory", &MemoryPoint::memory));
    }
    friend bool operator==(const MemoryPoint&, const MemoryPoint&) = default;
};

/// What a command does when nobody interferes. A default one ends at once with exit code 0.
struct Script {
    std::optional<Microseconds> duration = Microseconds();  ///< absent: it never ends by itself
    Outcome outcome = {};                                   ///< how it ends by itself
    std::vector<MemoryPoint> memory = {};                   ///< in order of time
    MilliCpu cpu = cpus(1);  ///< what it would use; a smaller quota throttles it
    Count pids{1};
    std::vector<int> ignored_signals = {};  ///< SIGKILL cannot be among them

    static constexpr auto fields() {
        return field_list(field("duration", &Script::duration), field("outcome", &Script::outcome),
                          field("memory", &Script::memory), field("cpu", &Script::cpu),
                          field("pids", &Script::pids),
                          field("ignored_signals", &Script::ignored_signals));
    }
    friend bool operator==(const Script&, const Script&) = default;
};

class ScriptedEnforcer final : public Enforcer {
  public:
    /// `clock` must outlive this.
    explicit ScriptedEnforcer(ManualClock& clock) : clock_(clock) {}

    /// What commands with this program (the first argument) do from now on. An empty name stands
    /// for all programs without a script of their own.
    void set_script(const std::string& program, Script script) {
        scripts_[program] = std::move(script);
    }
    /// Groups, files and calls as they are now.
    [[nodiscard]] const MemoryEnforcer& state() {
        catch_up();
        return inner_;
    }

    [[nodiscard]] Status run(const Step& step) override {
        catch_up();
        return inner_.run(step);
    }
    [[nodiscard]] StatusOr<Child> spawn(const Plan& plan, const Command& command) override {
        catch_up();
        TRESTLE_TRY(const Child child, inner_.spawn(plan, command));
        auto script = scripts_.find(command.arguments.front());
        if (script == scripts_.end()) script = scripts_.find("");
        Process process;
        process.group = child.group;
        if (script != scripts_.end()) process.script = script->second;
        process.quota = plan.limits.cpu_max;
        processes_.emplace(child.pid, std::move(process));
        return child;
    }
    [[nodiscard]] Status attach(const std::string& group, std::int64_t pid) override {
        catch_up();
        TRESTLE_TRY_STATUS(inner_.attach(group, pid));
        if (const auto at = processes_.find(pid); at != processes_.end()) at->second.group = group;
        return {};
    }
    [[nodiscard]] StatusOr<Outcome> wait(const Child& child) override {
        catch_up();
        if (const auto at = processes_.find(child.pid); at != processes_.end()) {
            const Process& process = at->second;
            if (const auto end = end_of(process); end && !is_frozen(process.group)) {
                clock_.advance_to(clock_.now() + (end->after - process.ran));
                catch_up();
            }
        }
        return inner_.wait(child);
    }
    [[nodiscard]] StatusOr<std::optional<Outcome>> poll(const Child& child) override {
        catch_up();
        return inner_.poll(child);
    }
    [[nodiscard]] Status signal(const std::string& group, int signal_number) override {
        catch_up();
        TRESTLE_TRY_STATUS(inner_.signal(group, signal_number));
        std::vector<std::int64_t> ended;
        for (const auto& [pid, process] : processes_) {
            if (is_below(process.group, group) && dies_of(process, signal_number)) {
                ended.push_back(pid);
            }
        }
        for (const std::int64_t pid : ended) finish(pid, signaled(signal_number));
        return {};
    }
    [[nodiscard]] Status freeze(const std::string& group) override {
        catch_up();
        return inner_.freeze(group);
    }
    [[nodiscard]] Status thaw(const std::string& group) override {
        catch_up();
        return inner_.thaw(group);
    }
    /// Usage of the group and those below. The peak of several commands is the sum of their peaks.
    [[nodiscard]] StatusOr<Usage> observe(const std::string& group) override {
        catch_up();
        TRESTLE_TRY(Usage usage, inner_.observe(group));
        Past past = past_in(group);
        Bytes memory;
        Count pids;
        for (const auto& [pid, process] : processes_) {
            if (!is_below(process.group, group)) continue;
            add_past(past, process);
            memory += memory_at(process, process.ran);
            pids += process.script.pids;
        }
        usage.memory = memory;
        usage.memory_peak = past.peak;
        usage.oom_kills = past.oom_kills;
        usage.cpu_time = past.cpu_time;
        usage.throttled_time = past.throttled_time;
        usage.pids = pids;
        return usage;
    }
    [[nodiscard]] Status remove(const std::string& group) override {
        catch_up();
        TRESTLE_TRY_STATUS(inner_.remove(group));
        const auto is_gone = [&](const auto& entry) { return is_below(group_of(entry), group); };
        std::erase_if(processes_, is_gone);
        std::erase_if(past_, is_gone);
        return {};
    }
    [[nodiscard]] StatusOr<std::vector<GroupState>> recover() override {
        catch_up();
        return inner_.recover();
    }

  private:
    static constexpr int sigkill = 9;

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
    struct End {
        Microseconds after;
        Outcome outcome;
    };

    [[nodiscard]] static bool is_below(const std::string& name, const std::string& group) {
        return name == group || group.empty() || name.starts_with(group + "/");
    }
    static const std::string& group_of(const std::pair<const std::int64_t, Process>& entry) {
        return entry.second.group;
    }
    static const std::string& group_of(const std::pair<const std::string, Past>& entry) {
        return entry.first;
    }

    /// The smallest memory.max from the group upwards.
    [[nodiscard]] std::optional<Bytes> memory_max(std::string group) const {
        std::optional<Bytes> smallest;
        for (; !group.empty(); group = parent_group(group)) {
            const auto& files = inner_.groups().at(group).files;
            const auto file = files.find("memory.max");
            if (file == files.end()) continue;
            const auto number = TextCursor(file->second).take_number();
            if (!number) continue;  // "max"
            const Bytes limit(static_cast<std::int64_t>(*number));
            smallest = smallest ? std::min(*smallest, limit) : limit;
        }
        return smallest;
    }
    [[nodiscard]] bool is_frozen(std::string group) const {
        for (; !group.empty(); group = parent_group(group)) {
            if (inner_.groups().at(group).is_frozen) return true;
        }
        return false;
    }
    [[nodiscard]] static Bytes memory_at(const Process& process, Microseconds time) {
        Bytes memory;
        for (const MemoryPoint& point : process.script.memory) {
            if (point.at <= time) memory = point.memory;
        }
        return memory;
    }
    /// After how much running time the process ends, and how: by itself or for want of memory.
    [[nodiscard]] std::optional<End> end_of(const Process& process) const {
        const auto limit = memory_max(process.group);
        for (const MemoryPoint& point : process.script.memory) {
            if (process.script.duration && point.at >= *process.script.duration) break;
            if (limit && point.memory > *limit) return End{point.at, signaled(sigkill, Count(1))};
        }
        if (!process.script.duration) return std::nullopt;
        return End{*process.script.duration, process.script.outcome};
    }
    [[nodiscard]] static bool dies_of(const Process& process, int signal_number) {
        // Those whose default does not end a process: SIGCHLD to SIGTTOU, SIGURG, SIGWINCH.
        const bool is_harmless =
            (signal_number >= 17 && signal_number <= 23) || signal_number == 28;
        const auto& ignored = process.script.ignored_signals;
        return signal_number == sigkill ||
               (signal_number != 0 && !is_harmless &&
                std::find(ignored.begin(), ignored.end(), signal_number) == ignored.end());
    }

    /// Brings every process to the time of the clock.
    void catch_up() {
        const Microseconds passed = clock_.now() - seen_;
        seen_ = clock_.now();
        std::vector<std::pair<std::int64_t, Outcome>> ended;
        for (auto& [pid, process] : processes_) {
            const auto end = end_of(process);
            if (!is_frozen(process.group)) process.ran += passed;
            if (!end || process.ran < end->after) continue;
            process.ran = end->after;
            ended.emplace_back(pid, end->outcome);
        }
        for (const auto& [pid, outcome] : ended) finish(pid, outcome);
    }
    void finish(std::int64_t pid, const Outcome& outcome) {
        const auto at = processes_.find(pid);
        Past& past = past_[at->second.group];
        add_past(past, at->second);
        if (outcome.ending == Ending::out_of_memory) past.oom_kills += Count(1);
        // SIGKILL has reached it in the inner enforcer already: then it is not found there.
        static_cast<void>(inner_.end_process(pid, outcome));
        processes_.erase(at);
    }
    void add_past(Past& past, const Process& process) const {
        const auto limit = memory_max(process.group);
        Bytes peak;
        for (const MemoryPoint& point : process.script.memory) {
            if (point.at <= process.ran) peak = std::max(peak, point.memory);
        }
        past.peak += limit ? std::min(peak, *limit) : peak;
        const MilliCpu used = std::min(process.script.cpu, process.quota.value_or(MilliCpu::max()));
        past.cpu_time += div_floor(process.ran * used.value(), 1000);
        past.throttled_time += div_floor(process.ran * (process.script.cpu - used).value(), 1000);
    }
    [[nodiscard]] Past past_in(const std::string& group) const {
        Past sum;
        for (const auto& [name, past] : past_) {
            if (!is_below(name, group)) continue;
            sum.peak += past.peak;
            sum.oom_kills += past.oom_kills;
            sum.cpu_time += past.cpu_time;
            sum.throttled_time += past.throttled_time;
        }
        return sum;
    }

    ManualClock& clock_;
    MemoryEnforcer inner_;
    Microseconds seen_;
    std::map<std::string, Script> scripts_;
    std::map<std::int64_t, Process> processes_;
    std::map<std::string, Past> past_;  ///< by group
};

}  // namespace trestle::testing
