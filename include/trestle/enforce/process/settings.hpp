// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is set on a process between fork and exec; none of it needs a cgroup.
//
// Layer: enforce. Main types: ProcessSettings, ProcessLimit; see user.hpp and memory_policy.hpp.
// A reader would get wrong: limits are those of one process. Each process that it starts has its
// own count, so no number of them limits a job.

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/process/environment.hpp"
#include "trestle/enforce/process/memory_policy.hpp"
#include "trestle/enforce/process/user.hpp"
#include "trestle/set/small_set.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

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

/// `core soft=0 hard=unlimited`. Open files are not limited by any cgroup, so it is said there that
/// the number is one process's.
[[nodiscard]] inline std::string to_text(const ProcessLimit& limit) {
    const auto number = [](const std::optional<std::uint64_t>& n) {
        return n ? std::to_string(*n) : std::string("unlimited");
    };
    return std::string(to_text(limit.resource)) + " soft=" + number(limit.soft) +
           " hard=" + number(limit.hard) +
           (limit.resource == ProcessResource::nofile ? " per process" : "");
}

/// What is set between fork and exec; none of it needs a cgroup.
struct ProcessSettings {
    PuSet affinity = {};                                ///< hardware threads; empty: unchanged
    std::vector<EnvironmentVariable> environment = {};  ///< overrides the command's, by name
    std::vector<ProcessLimit> limits = {};
    std::optional<ProcessUser> user = {};            ///< absent: that of the embedder
    std::optional<int> nice = {};                    ///< -20 to 19, itself; absent: unchanged
    std::optional<int> oom_score_adj = {};           ///< -1000 to 1000; absent: unchanged
    std::optional<MemoryPolicy> memory_policy = {};  ///< absent: unchanged
    std::optional<std::uint32_t> umask = {};         ///< 0 to 0777; absent: unchanged
    /// False: a session of its own, so that the keys of the embedder's terminal (Ctrl-C) do not
    /// reach it, and it cannot open, read or type into that terminal as /dev/tty. True for what is
    /// to be used at the terminal, by somebody who is trusted with it.
    bool keeps_session = false;

    static constexpr auto fields(auto list) {
        return list(field("affinity", &ProcessSettings::affinity),
                    field("environment", &ProcessSettings::environment),
                    field("limits", &ProcessSettings::limits),
                    field("user", &ProcessSettings::user), field("nice", &ProcessSettings::nice),
                    field("oom_score_adj", &ProcessSettings::oom_score_adj),
                    field("memory_policy", &ProcessSettings::memory_policy),
                    field("umask", &ProcessSettings::umask),
                    field("keeps_session", &ProcessSettings::keeps_session));
    }
    friend bool operator==(const ProcessSettings&, const ProcessSettings&) = default;
};

namespace detail {

[[nodiscard]] inline Status check_range(const char* what, std::optional<int> value, int least,
                                        int most) {
    if (!value || (least <= *value && *value <= most)) return {};
    return invalid_argument("{}: {}, expected {} to {}", what, *value, least, most);
}

[[nodiscard]] inline Status check_limits(const std::vector<ProcessLimit>& limits) {
    std::set<ProcessResource> resources;
    for (const ProcessLimit& limit : limits) {
        if (!resources.insert(limit.resource).second) {
            return invalid_argument("limit {}: it stands twice", to_text(limit.resource));
        }
        if (limit.hard &&
            limit.soft.value_or(std::numeric_limits<std::uint64_t>::max()) > *limit.hard) {
            return invalid_argument("limit {}: the soft one is above the hard one", to_text(limit));
        }
    }
    return {};
}

}  // namespace detail

/// Ok for settings that a kernel could take: whether this one does shows when a process is started.
/// Errors: InvalidArgument that names the first bad setting.
[[nodiscard]] inline Status check(const ProcessSettings& settings) {
    TRESTLE_TRY_STATUS(check(settings.environment));
    TRESTLE_TRY_STATUS(detail::check_limits(settings.limits));
    if (settings.user) TRESTLE_TRY_STATUS(check(*settings.user));
    TRESTLE_TRY_STATUS(detail::check_range("nice", settings.nice, -20, 19));
    TRESTLE_TRY_STATUS(detail::check_range("oom_score_adj", settings.oom_score_adj, -1000, 1000));
    if (settings.memory_policy) TRESTLE_TRY_STATUS(check(*settings.memory_policy));
    if (settings.umask && *settings.umask > 0777) {
        return invalid_argument("umask: {:#o}, expected 0 to 0777", *settings.umask);
    }
    return {};
}

/// One setting a line, in the order in which they are set: `process nice 5`.
[[nodiscard]] inline std::vector<std::string> settings_lines(const ProcessSettings& settings) {
    std::vector<std::string> lines;
    const auto add = [&](const char* what, const auto& value) {
        lines.push_back(fmt::format("process {} {}", what, value));
    };
    if (settings.keeps_session) add("session", "that of the embedder");
    if (settings.nice) add("nice", *settings.nice);
    if (settings.oom_score_adj) add("oom_score_adj", *settings.oom_score_adj);
    if (!settings.affinity.is_empty()) add("affinity", to_text(settings.affinity));
    if (settings.memory_policy) add("memory policy", *settings.memory_policy);
    if (settings.umask) add("umask", fmt::format("{:04o}", *settings.umask));
    for (const EnvironmentVariable& variable : settings.environment) {
        add("environment", fmt::format("{}={}", variable.name, variable.value));
    }
    for (const ProcessLimit& limit : settings.limits) add("limit", limit);
    if (settings.user) add("user", *settings.user);
    return lines;
}

}  // namespace trestle
