// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/conf/cgroup_conf.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "conf_lines.hpp"
#include "enforce/limits/memory_bounds.hpp"

namespace trestle::slurm {
namespace {

/// A percentage, with a fraction or without, also with the sign.
ValueErrors read_percent(TextCursor text, double& percent) {
    constexpr double percent_max = 1e6;
    std::string_view word = text.rest();
    if (word.ends_with('%')) word.remove_suffix(1);
    double value = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (problem != std::errc() || end != word.data() + word.size() || !(value >= 0) ||
        value > percent_max) {
        return text.error("malformed percentage", "a number from 0, as in 90 or 99.5");
    }
    percent = value;
    return std::nullopt;
}

using C = CgroupConf;
constexpr std::array<Key<CgroupConf>, 11> cgroup_keys{{
    {"ConstrainCores", [](C& c, TextCursor t) { return read_yes_no(t, c.constrains_cores); }},
    {"ConstrainDevices", [](C& c, TextCursor t) { return read_yes_no(t, c.constrains_devices); }},
    {"ConstrainRAMSpace", [](C& c, TextCursor t) { return read_yes_no(t, c.constrains_memory); }},
    {"ConstrainSwapSpace", [](C& c, TextCursor t) { return read_yes_no(t, c.constrains_swap); }},
    {"AllowedRAMSpace",
     [](C& c, TextCursor t) { return read_percent(t, c.allowed_memory_percent); }},
    {"AllowedSwapSpace",
     [](C& c, TextCursor t) { return read_percent(t, c.allowed_swap_percent); }},
    {"MaxRAMPercent", [](C& c, TextCursor t) { return read_percent(t, c.max_memory_percent); }},
    {"MaxSwapPercent", [](C& c, TextCursor t) { return read_percent(t, c.max_swap_percent); }},
    {"MinRAMSpace", [](C& c, TextCursor t) { return read_mebibytes(t, c.min_memory); }},
    {"MemorySwappiness",
     [](C& c, TextCursor t) {
         return read_limit(t, c.swappiness, {0, 101});
     }},
    {"SignalChildrenProcesses",
     [](C& c, TextCursor t) { return read_yes_no(t, c.signals_children); }},
}};

struct CgroupName {
    std::string_view name;
};
constexpr std::array<CgroupName, 19> carried_cgroup_names{{{"AllowedDevicesFile"},
                                                           {"AllowedKmemSpace"},
                                                           {"CgroupAutomount"},
                                                           {"CgroupJobIdPaths"},
                                                           {"CgroupMountpoint"},
                                                           {"CgroupPlugin"},
                                                           {"CgroupReleaseAgentDir"},
                                                           {"CgroupSlice"},
                                                           {"ConstrainKmemSpace"},
                                                           {"EnableControllers"},
                                                           {"EnableExtraControllers"},
                                                           {"IgnoreSystemd"},
                                                           {"IgnoreSystemdOnFailure"},
                                                           {"MaxKmemPercent"},
                                                           {"MemoryLimitEnforcement"},
                                                           {"MemoryLimitThreshold"},
                                                           {"MinKmemSpace"},
                                                           {"SystemdTimeout"},
                                                           {"TaskAffinity"}}};

std::int64_t ppm_of(double percent) {
    return std::llround(percent * (MemoryRule::whole_ppm / 100));
}

MemoryRule memory_rule(const CgroupConf& conf) {
    return {ppm_of(conf.allowed_memory_percent),
            ppm_of(conf.allowed_swap_percent),
            conf.min_memory,
            ppm_of(conf.max_memory_percent),
            ppm_of(conf.max_swap_percent),
            conf.constrains_swap && !conf.constrains_memory};
}

}  // namespace

CgroupConfReading read_cgroup_conf(std::string_view text, const ConfFiles& files) {
    CgroupConfReading reading;
    for_each_conf_line("cgroup.conf", text, files, reading.errors, [&](const ConfLine& line) {
        for (const ConfEntry& entry : line.entries) {
            const std::string_view name = entry.key.rest();
            if (const auto known = find_key(cgroup_keys, name); known != cgroup_keys.end()) {
                add_errors(line.place_of(entry), known->apply(reading.conf, entry.value),
                           reading.errors);
            } else if (find_key(carried_cgroup_names, name) != carried_cgroup_names.end()) {
                carry(reading.conf.passthrough, line, entry);
            } else {
                std::vector<CgroupName> all(carried_cgroup_names.begin(),
                                            carried_cgroup_names.end());
                for (const auto& key : cgroup_keys) all.push_back({key.name});
                reading.errors.push_back(
                    {line.place_of(entry), unknown_key(all, entry.key, reading.errors)});
            }
        }
    });
    return reading;
}

StatusOr<CgroupConf> parse_cgroup_conf(std::string_view text, const ConfFiles& files) {
    CgroupConfReading reading = read_cgroup_conf(text, files);
    TRESTLE_TRY_STATUS(first_error(reading.errors));
    return std::move(reading.conf);
}

LimitPolicy limit_policy(const CgroupConf& conf, OomKills oom) {
    const auto required = [](bool is_constrained) {
        return is_constrained ? Requirement::require : Requirement::skip;
    };
    LimitPolicy policy;
    policy.has_oom_group = oom == OomKills::step;
    policy.requirements = Requirements::all(Requirement::skip);
    policy.requirements.cpu = required(conf.constrains_cores);
    policy.requirements.memory = required(conf.constrains_memory || conf.constrains_swap);
    policy.requirements.swap = required(conf.constrains_swap);
    policy.requirements.devices = required(conf.constrains_devices);
    policy.memory_rule = memory_rule(conf);
    return policy;
}

MemoryLimits memory_limits(const CgroupConf& conf, Bytes allocated, Bytes real_memory) {
    if (!conf.constrains_memory && !conf.constrains_swap) return {};
    const Bytes memory = allocated.is_zero() ? real_memory : allocated;
    const MemoryBounds bounds = bounds_of(memory_rule(conf), memory, real_memory);
    MemoryLimits limits{bounds.max, bounds.high, std::nullopt};
    if (conf.constrains_swap) limits.swap_max = bounds.swap;
    return limits;
}

}  // namespace trestle::slurm
