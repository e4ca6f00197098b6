// SPDX-License-Identifier: Apache-2.0
#pragma once

// Processes as values: what to start, with which settings, how it ended, what it used.
//
// Layer: enforce. Main types: Command, ProcessSettings, Outcome, Usage.
// A reader would get wrong: an absent number in Usage means that the machine does not tell, which
// is not 0; and Command::environment is the whole environment, nothing is inherited silently.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

using Microseconds = Quantity<struct MicrosecondsUnit>;

/// A name and its value.
struct EnvironmentVariable {
    std::string name;
    std::string value;

    static constexpr auto fields(auto list) {
        return list(field("name", &EnvironmentVariable::name),
                    field("value", &EnvironmentVariable::value));
    }
    friend bool operator==(const EnvironmentVariable&, const EnvironmentVariable&) = default;
};

/// What setrlimit(2) limits, by the names of that page without RLIMIT_.
enum class ProcessResource { cpu, fsize, data, stack, core, rss, nproc, nofile, memlock, as };

constexpr auto enum_names(ProcessResource) {
    using enum ProcessResource;
    return std::array{named(cpu, "cpu"),     named(fsize, "fsize"),   named(data, "data"),
                      named(stack, "stack"), named(core, "core"),     named(rss, "rss"),
                      named(nproc, "nproc"), named(nofile, "nofile"), named(memlock, "memlock"),
                      named(as, "as")};
}

/// One resource limit; an absent number means unlimited. Each process has its own count.
struct ProcessLimit {
    ProcessResource resource = ProcessResource::core;
    std::optional<std::uint64_t> soft;
    std::optional<std::uint64_t> hard;

    static constexpr auto fields(auto list) {
        return list(field("resource", &ProcessLimit::resource), field("soft", &ProcessLimit::soft),
                    field("hard", &ProcessLimit::hard));
    }
    friend bool operator==(const ProcessLimit&, const ProcessLimit&) = default;
};

/// `core soft=0 hard=unlimited`.
[[nodiscard]] inline std::string to_text(const ProcessLimit& limit) {
    const auto number = [](const std::optional<std::uint64_t>& n) {
        return n ? std::to_string(*n) : std::string("unlimited");
    };
    return std::string(to_text(limit.resource)) + " soft=" + number(limit.soft) +
           " hard=" + number(limit.hard);
}

/// What is set between fork and exec; none of it needs a cgroup.
struct ProcessSettings {
    PuSet affinity = {};                                ///< hardware threads; empty: unchanged
    std::vector<EnvironmentVariable> environment = {};  ///< overrides the command's, by name
    std::vector<ProcessLimit> limits = {};

    static constexpr auto fields(auto list) {
        return list(field("affinity", &ProcessSettings::affinity),
                    field("environment", &ProcessSettings::environment),
                    field("limits", &ProcessSettings::limits));
    }
    friend bool operator==(const ProcessSettings&, const ProcessSettings&) = default;
};

/// A program to start. Standard input, output and error are those of the starting process.
struct Command {
    std::vector<std::string> arguments;  ///< the program first, found along PATH; not empty
    std::vector<EnvironmentVariable> environment = {};
    std::string directory = {};  ///< empty: that of the starting process

    static constexpr auto fields(auto list) {
        return list(field("arguments", &Command::arguments),
                    field("environment", &Command::environment),
                    field("directory", &Command::directory));
    }
    friend bool operator==(const Command&, const Command&) = default;
};

/// How a command ended.
enum class Ending { exited, signaled, out_of_memory };

constexpr auto enum_names(Ending) {
    return std::array{named(Ending::exited, "exited"), named(Ending::signaled, "signaled"),
                      named(Ending::out_of_memory, "out_of_memory")};
}

/// How a command ended.
struct Outcome {
    Ending ending = Ending::exited;
    int exit_code = 0;               ///< when it exited
    int signal_number = 0;           ///< when a signal ended it, SIGKILL for out_of_memory
    std::optional<Count> oom_kills;  ///< processes of the group killed for memory

    static constexpr auto fields(auto list) {
        return list(field("ending", &Outcome::ending), field("exit_code", &Outcome::exit_code),
                    field("signal_number", &Outcome::signal_number),
                    field("oom_kills", &Outcome::oom_kills));
    }
    friend bool operator==(const Outcome&, const Outcome&) = default;
};

namespace detail {

inline constexpr int sigkill = 9;  ///< on every Linux; <csignal> of ISO C++ does not have it

}  // namespace detail

/// A command that left by itself.
[[nodiscard]] inline Outcome exited(int exit_code, std::optional<Count> oom_kills = {}) {
    return {Ending::exited, exit_code, 0, oom_kills};
}

/// A command that a signal ended: out of memory when it was SIGKILL and the kernel counts a kill
/// for memory in the group. One that outlived the death of its child for memory has just exited.
[[nodiscard]] inline Outcome signaled(int signal_number, std::optional<Count> oom_kills = {}) {
    const bool is_oom = signal_number == detail::sigkill && oom_kills.value_or(Count()) > Count(0);
    return {is_oom ? Ending::out_of_memory : Ending::signaled, 0, signal_number, oom_kills};
}

/// For a shell: the command's own status; 128+n for signal n; 125 when killed for memory.
[[nodiscard]] constexpr int exit_status(const Outcome& outcome) {
    switch (outcome.ending) {
        case Ending::out_of_memory:
            return 125;
        case Ending::signaled:
            return 128 + outcome.signal_number;
        case Ending::exited:
            break;
    }
    return outcome.exit_code;
}

/// What a group uses and has used. Absent: not known here.
struct Usage {
    std::optional<Bytes> memory = {};
    std::optional<Bytes> memory_peak = {};
    std::optional<Count> oom_kills = {};
    std::optional<Microseconds> cpu_time = {};
    std::optional<Microseconds> throttled_time = {};  ///< waited for the CPU quota
    std::optional<Count> pids = {};

    static constexpr auto fields(auto list) {
        return list(field("memory", &Usage::memory), field("memory_peak", &Usage::memory_peak),
                    field("oom_kills", &Usage::oom_kills), field("cpu_time", &Usage::cpu_time),
                    field("throttled_time", &Usage::throttled_time), field("pids", &Usage::pids));
    }
    friend bool operator==(const Usage&, const Usage&) = default;
};

}  // namespace trestle
