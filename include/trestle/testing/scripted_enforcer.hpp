// SPDX-License-Identifier: Apache-2.0
#pragma once

// ScriptedEnforcer: an enforcer whose commands do what a script says, in the time of a manual
// clock.
//
// Layer: testing. Main types: Script, MemoryPoint, ScriptedEnforcer. Groups, files and refusals are
// those of MemoryEnforcer; on top of it commands use memory and CPU, end, and are killed when those
// of a group together go above its memory.max: the largest, or all of a memory.oom.group.
// A reader would get wrong: wait() lets the clock run until the command ends; when nothing changes
// any more and it still runs, wait fails.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
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

    static constexpr auto fields(auto list) {
        return list(field("at", &MemoryPoint::at), field("memory", &MemoryPoint::memory));
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

    static constexpr auto fields(auto list) {
        return list(field("duration", &Script::duration), field("outcome", &Script::outcome),
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
        while (processes_.contains(child.pid)) {
            const auto step = time_to_change();
            if (!step) break;
            clock_.advance(*step);
            catch_up();
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
    [[nodiscard]] Status signal_child(const Child& child, int signal_number) override {
        catch_up();
        TRESTLE_TRY_STATUS(inner_.signal_child(child, signal_number));
        const auto at = processes_.find(child.pid);
        if (at != processes_.end() && dies_of(at->second, signal_number)) {
            finish(child.pid, signaled(signal_number));
        }
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
        usage.at = clock_.now();
        return usage;
    }
    /// `next` of the source lets the clock run until there is an event, for `timeout` at most.
    [[nodiscard]] StatusOr<std::unique_ptr<EventSource>> events(
        const std::string& group, const EventOptions& options) override {
        catch_up();
        TRESTLE_TRY(auto source, inner_.events(group, options));
        return std::make_unique<Source>(*this, std::move(source));
    }
    [[nodiscard]] StatusOr<std::vector<Drift>> verify(const Plan& plan) override {
        catch_up();
        return inner_.verify(plan);
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
    class Source final : public EventSource {
      public:
        Source(ScriptedEnforcer& enforcer, std::unique_ptr<EventSource> inner)
            : enforcer_(enforcer), inner_(std::move(inner)) {}

        [[nodiscard]] int fd() const override { return inner_->fd(); }
        [[nodiscard]] StatusOr<std::vector<GroupEvent>> read() override {
            enforcer_.catch_up();
            return inner_->read();
        }
        [[nodiscard]] StatusOr<std::vector<GroupEvent>> next(Microseconds timeout) override {
            for (Microseconds left = timeout;;) {
                TRESTLE_TRY(auto events, read());
                if (!events.empty() || left.is_zero()) return events;
                const Microseconds step = std::min(enforcer_.time_to_change().value_or(left), left);
                enforcer_.clock_.advance(step);
                left -= step;
            }
        }

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

    [[nodiscard]] static std::optional<Bytes> memory_max(const MemoryGroup& group) {
        const auto file = group.files.find("memory.max");
        if (file == group.files.end()) return std::nullopt;
        const auto number = TextCursor(file->second).take_number();
        if (!number) return std::nullopt;  // "max"
        return Bytes(static_cast<std::int64_t>(*number));
    }
    /// The smallest memory.max from the group upwards.
    [[nodiscard]] std::optional<Bytes> memory_max_above(std::string group) const {
        std::optional<Bytes> smallest;
        for (; !group.empty(); group = parent_group(group)) {
            const auto limit = memory_max(inner_.groups().at(group));
            if (limit && (!smallest || *limit < *smallest)) smallest = limit;
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
    /// How long until a command uses other memory or ends by itself; nothing when none will.
    [[nodiscard]] std::optional<Microseconds> time_to_change() const {
        std::optional<Microseconds> shortest;
        for (const auto& [pid, process] : processes_) {
            if (is_frozen(process.group)) continue;
            const Microseconds ran = process.ran;
            const auto look = [&](Microseconds at) {
                if (at > ran && (!shortest || at - ran < *shortest)) shortest = at - ran;
            };
            for (const MemoryPoint& point : process.script.memory) look(point.at);
            if (process.script.duration) look(*process.script.duration);
        }
        return shortest;
    }
    /// Whom the kernel kills now for want of memory: the largest command of a group that is above
    /// its limit, and with it all of the highest memory.oom.group around it. Empty when all fits.
    [[nodiscard]] std::vector<std::int64_t> victims() const {
        for (const auto& [name, group] : inner_.groups()) {
            const auto limit = memory_max(group);
            Bytes sum, most;
            std::string around;
            std::vector<std::int64_t> killed;
            for (const auto& [pid, process] : processes_) {
                if (!is_below(process.group, name)) continue;
                const Bytes memory = memory_at(process, process.ran);
                sum += memory;
                if (memory <= most) continue;
                most = memory;
                around = process.group;
                killed = {pid};
            }
            if (!limit || sum <= *limit) continue;
            std::string together;
            for (; !around.empty() && is_below(around, name); around = parent_group(around)) {
                const auto& files = inner_.groups().at(around).files;
                const auto file = files.find("memory.oom.group");
                if (file != files.end() && file->second == "1") together = around;
            }
            if (together.empty()) return killed;
            killed.clear();
            for (const auto& [pid, process] : processes_) {
                if (is_below(process.group, together)) killed.push_back(pid);
            }
            return killed;
        }
        return {};
    }
    [[nodiscard]] static bool dies_of(const Process& process, int signal_number) {
        // Those whose default does not end a process: SIGCHLD to SIGTTOU, SIGURG, SIGWINCH.
        const bool is_harmless =
            (signal_number >= 17 && signal_number <= 23) || signal_number == 28;
        const auto& ignored = process.script.ignored_signals;
        return signal_number == trestle::detail::sigkill ||
               (signal_number != 0 && !is_harmless &&
                std::find(ignored.begin(), ignored.end(), signal_number) == ignored.end());
    }

    /// Brings every process to the time of the clock.
    void catch_up() {
        for (;;) {
            end_what_is_due();
            if (seen_ == clock_.now()) return;
            const Microseconds left = clock_.now() - seen_;
            const Microseconds step = std::min(time_to_change().value_or(left), left);
            seen_ += step;
            for (auto& [pid, process] : processes_) {
                if (!is_frozen(process.group)) process.ran += step;
            }
        }
    }
    void end_what_is_due() {
        std::vector<std::pair<std::int64_t, Outcome>> ended;
        for (const auto& [pid, process] : processes_) {
            const auto& duration = process.script.duration;
            if (duration && process.ran >= *duration) {
                ended.emplace_back(pid, process.script.outcome);
            }
        }
        for (const auto& [pid, outcome] : ended) finish(pid, outcome);
        for (auto pids = victims(); !pids.empty(); pids = victims()) {
            for (const std::int64_t pid : pids)
                finish(pid, signaled(trestle::detail::sigkill, Count(1)));
        }
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
        const auto limit = memory_max_above(process.group);
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
