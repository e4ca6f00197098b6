// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is set on a process between fork and exec; none of it needs a cgroup.
//
// Layer: enforce. Main types: ProcessSettings, ProcessLimit.
// A reader would get wrong: limits are those of one process. Each process that it starts has its
// own count, so no number of them limits a job.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/enforce/process/environment.hpp"
#include "trestle/set/small_set.hpp"

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

}  // namespace trestle
