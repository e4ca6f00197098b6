// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/scripted_enforcer.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "enforce/process/signal_names.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"
#include "trestle/enforce/group_name.hpp"

namespace trestle {

namespace testing {

const MemoryEnforcer& ScriptedEnforcer::state() {
    catch_up();
    return inner_;
}

Status ScriptedEnforcer::run(const Step& step) {
    catch_up();
    return inner_.run(step);
}

StatusOr<Child> ScriptedEnforcer::start(const Plan& plan, const Command& command) {
    catch_up();
    TRESTLE_TRY(const Child child, inner_.spawn(plan, command));
    auto script = scripts_.find(command.arguments.front());
    if (script == scripts_.end()) script = scripts_.find("");
    Process process;
    process.group = child.group;
    if (script != scripts_.end()) process.script = script->second;
    process.quota = limits_of(plan).cpu_max;
    processes_.emplace(child.pid, std::move(process));
    return child;
}

Status ScriptedEnforcer::attach(const std::string& group, std::int64_t pid) {
    catch_up();
    TRESTLE_TRY_STATUS(inner_.attach(group, pid));
    if (const auto at = processes_.find(pid); at != processes_.end()) at->second.group = group;
    return {};
}

StatusOr<Outcome> ScriptedEnforcer::wait(const Child& child) {
    catch_up();
    while (processes_.contains(child.pid)) {
        const auto step = time_to_change();
        if (!step) break;
        clock_.advance(*step);
        catch_up();
    }
    return inner_.wait(child);
}

StatusOr<std::optional<Outcome>> ScriptedEnforcer::poll(const Child& child) {
    catch_up();
    return inner_.poll(child);
}

Status ScriptedEnforcer::signal(const std::string& group, int signal_number) {
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

Status ScriptedEnforcer::signal_child(const Child& child, int signal_number) {
    catch_up();
    TRESTLE_TRY_STATUS(inner_.signal_child(child, signal_number));
    const auto at = processes_.find(child.pid);
    if (at != processes_.end() && dies_of(at->second, signal_number)) {
        finish(child.pid, signaled(signal_number));
    }
    return {};
}

Status ScriptedEnforcer::freeze(const std::string& group) {
    catch_up();
    return inner_.freeze(group);
}

Status ScriptedEnforcer::thaw(const std::string& group) {
    catch_up();
    return inner_.thaw(group);
}

StatusOr<ResourceUsage> ScriptedEnforcer::observe(const std::string& group) {
    catch_up();
    TRESTLE_TRY(ResourceUsage usage, inner_.observe(group));
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

StatusOr<std::unique_ptr<EventSource>> ScriptedEnforcer::events(const std::string& group,
                                                                const EventOptions& options) {
    catch_up();
    TRESTLE_TRY(auto source, inner_.events(group, options));
    return std::make_unique<Source>(*this, std::move(source));
}

StatusOr<std::vector<Drift>> ScriptedEnforcer::verify(const Plan& plan) {
    catch_up();
    return inner_.verify(plan);
}

Status ScriptedEnforcer::remove_group(const std::string& group) {
    catch_up();
    TRESTLE_TRY_STATUS(inner_.remove(group));
    const auto is_gone = [&](const auto& entry) { return is_below(group_of(entry), group); };
    std::erase_if(processes_, is_gone);
    std::erase_if(past_, is_gone);
    return {};
}

StatusOr<std::vector<GroupState>> ScriptedEnforcer::recover() {
    catch_up();
    return inner_.recover();
}

StatusOr<std::vector<GroupEvent>> ScriptedEnforcer::Source::read() {
    enforcer_.catch_up();
    return inner_->read();
}

StatusOr<std::vector<GroupEvent>> ScriptedEnforcer::Source::next(Microseconds timeout) {
    for (Microseconds left = timeout;;) {
        TRESTLE_TRY(auto events, read());
        if (!events.empty() || left.is_zero()) return events;
        const Microseconds step = std::min(enforcer_.time_to_change().value_or(left), left);
        enforcer_.clock_.advance(step);
        left -= step;
    }
}

std::optional<Bytes> ScriptedEnforcer::memory_max(const MemoryEnforcer::Group& group) {
    for (const Limit& limit : group.limits) {
        const auto* memory = std::get_if<MemoryLimit>(&limit);
        if (memory != nullptr && memory->file == MemoryLimit::File::max) return memory->bytes;
    }
    return std::nullopt;
}

std::optional<Bytes> ScriptedEnforcer::memory_max_above(std::string group) const {
    std::optional<Bytes> smallest;
    for (; !group.empty(); group = parent_group(group)) {
        const auto limit = memory_max(inner_.groups().at(group));
        if (limit && (!smallest || *limit < *smallest)) smallest = limit;
    }
    return smallest;
}

bool ScriptedEnforcer::is_frozen(std::string group) const {
    for (; !group.empty(); group = parent_group(group)) {
        if (inner_.groups().at(group).is_frozen) return true;
    }
    return false;
}

Bytes ScriptedEnforcer::memory_at(const Process& process, Microseconds time) {
    Bytes memory;
    for (const ScriptedEnforcer::Script::MemoryPoint& point : process.script.memory) {
        if (point.at <= time) memory = point.memory;
    }
    return memory;
}

std::optional<Microseconds> ScriptedEnforcer::time_to_change() const {
    std::optional<Microseconds> shortest;
    for (const auto& [pid, process] : processes_) {
        if (is_frozen(process.group)) continue;
        const Microseconds ran = process.ran;
        const auto look = [&](Microseconds at) {
            if (at > ran && (!shortest || at - ran < *shortest)) shortest = at - ran;
        };
        for (const ScriptedEnforcer::Script::MemoryPoint& point : process.script.memory)
            look(point.at);
        if (process.script.duration) look(*process.script.duration);
    }
    return shortest;
}

std::vector<std::int64_t> ScriptedEnforcer::victims() const {
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
            const std::vector<Limit>& limits = inner_.groups().at(around).limits;
            const Limit kills_all = OomGroupLimit{true};
            if (std::find(limits.begin(), limits.end(), kills_all) != limits.end()) {
                together = around;
            }
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

bool ScriptedEnforcer::dies_of(const Process& process, int signal_number) {
    // Those whose default does not end a process: SIGCHLD to SIGTTOU, SIGURG, SIGWINCH.
    const bool is_harmless = (signal_number >= 17 && signal_number <= 23) || signal_number == 28;
    const auto& ignored = process.script.ignored_signals;
    return signal_number == sigkill ||
           (signal_number != 0 && !is_harmless &&
            std::find(ignored.begin(), ignored.end(), signal_number) == ignored.end());
}

void ScriptedEnforcer::catch_up() {
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

void ScriptedEnforcer::end_what_is_due() {
    std::vector<std::pair<std::int64_t, Outcome>> ended;
    for (const auto& [pid, process] : processes_) {
        const auto& duration = process.script.duration;
        if (duration && process.ran >= *duration) {
            ended.emplace_back(pid, process.script.outcome);
        }
    }
    for (const auto& [pid, outcome] : ended) finish(pid, outcome);
    for (auto pids = victims(); !pids.empty(); pids = victims()) {
        for (const std::int64_t pid : pids) finish(pid, signaled(sigkill, Count(1)));
    }
}

void ScriptedEnforcer::finish(std::int64_t pid, const Outcome& outcome) {
    const auto at = processes_.find(pid);
    Past& past = past_[at->second.group];
    add_past(past, at->second);
    if (outcome.ending == Outcome::Ending::out_of_memory) past.oom_kills += Count(1);
    // SIGKILL has reached it in the inner enforcer already: then it is not found there.
    static_cast<void>(inner_.end_process(pid, outcome));
    processes_.erase(at);
}

void ScriptedEnforcer::add_past(Past& past, const Process& process) const {
    const auto limit = memory_max_above(process.group);
    Bytes peak;
    for (const ScriptedEnforcer::Script::MemoryPoint& point : process.script.memory) {
        if (point.at <= process.ran) peak = std::max(peak, point.memory);
    }
    past.peak += limit ? std::min(peak, *limit) : peak;
    const MilliCpu used = std::min(process.script.cpu, process.quota.value_or(MilliCpu::max()));
    past.cpu_time += div_floor(process.ran * used.value(), 1000);
    past.throttled_time += div_floor(process.ran * (process.script.cpu - used).value(), 1000);
}

ScriptedEnforcer::Past ScriptedEnforcer::past_in(const std::string& group) const {
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

}  // namespace testing

}  // namespace trestle
