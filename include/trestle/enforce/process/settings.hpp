// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is set on a process between fork and exec; none of it needs a cgroup.
//
// Layer: enforce. Main types: ProcessSettings, ProcessSettings::Limit; see user.hpp and
// memory_policy.hpp.
// Pitfall: limits are those of one process. Each process that it starts has its own count, so no
// number of them limits a job.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/enforce/process/environment.hpp"
#include "trestle/enforce/process/memory_policy.hpp"
#include "trestle/enforce/process/user.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// What is set between fork and exec; none of it needs a cgroup.
struct ProcessSettings {
    /// One resource limit; an absent number means unlimited. Each process has its own count.
    struct Limit {
        /// What setrlimit(2) limits, by the names of that page without RLIMIT_.
        enum class Resource { cpu, fsize, data, stack, core, rss, nproc, nofile, memlock, as };

        Resource resource = Resource::core;
        std::optional<std::uint64_t> soft;
        std::optional<std::uint64_t> hard;

        static constexpr auto fields(auto list) {
            return list(field("resource", &Limit::resource), field("soft", &Limit::soft),
                        field("hard", &Limit::hard));
        }
        friend bool operator==(const Limit&, const Limit&) = default;
    };

    PuSet affinity = {};                                ///< hardware threads; empty: unchanged
    std::vector<EnvironmentVariable> environment = {};  ///< overrides the command's, by name
    std::vector<Limit> limits = {};
    std::optional<ProcessUser> user = {};            ///< absent: that of the embedder
    std::optional<int> nice = {};                    ///< -20 to 19, itself; absent: unchanged
    std::optional<int> oom_score_adj = {};           ///< -1000 to 1000; absent: unchanged
    std::optional<MemoryPolicy> memory_policy = {};  ///< absent: unchanged
    std::optional<std::uint32_t> umask = {};         ///< 0 to 0777; absent: unchanged
    /// False: a session of its own. Keys of the embedder's terminal (Ctrl-C) do not reach it, and
    /// it cannot open that terminal as /dev/tty. True is for a trusted program that is used at the
    /// terminal.
    bool keeps_session = false;
    /// Names of variables that the process does not get, though the command has them; none of them
    /// is in `environment`.
    std::vector<std::string> unset = {};

    static constexpr auto fields(auto list) {
        return list(field("affinity", &ProcessSettings::affinity),
                    field("environment", &ProcessSettings::environment),
                    field("limits", &ProcessSettings::limits),
                    field("user", &ProcessSettings::user), field("nice", &ProcessSettings::nice),
                    field("oom_score_adj", &ProcessSettings::oom_score_adj),
                    field("memory_policy", &ProcessSettings::memory_policy),
                    field("umask", &ProcessSettings::umask),
                    field("keeps_session", &ProcessSettings::keeps_session),
                    field("unset", &ProcessSettings::unset));
    }
    friend bool operator==(const ProcessSettings&, const ProcessSettings&) = default;
};

constexpr auto enum_names(ProcessSettings::Limit::Resource) {
    using enum ProcessSettings::Limit::Resource;
    return std::array{named(cpu, "cpu"),     named(fsize, "fsize"),   named(data, "data"),
                      named(stack, "stack"), named(core, "core"),     named(rss, "rss"),
                      named(nproc, "nproc"), named(nofile, "nofile"), named(memlock, "memlock"),
                      named(as, "as")};
}

/// `core soft=0 hard=unlimited`. Open files are not limited by any cgroup, so it is said there that
/// the number is one process's.
[[nodiscard]] std::string to_text(const ProcessSettings::Limit& limit);

/// Ok for settings that a kernel could take: whether this one does shows when a process is started.
/// Errors: InvalidArgument that names the first bad setting.
[[nodiscard]] Status check(const ProcessSettings& settings);

}  // namespace trestle
