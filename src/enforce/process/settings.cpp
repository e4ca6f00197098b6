// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/process/settings.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/join.hpp"
#include "enforce/process/settings_lines.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

std::string to_text(const ProcessSettings::Limit& limit) {
    const auto number = [](const std::optional<std::uint64_t>& n) {
        return n ? std::to_string(*n) : std::string("unlimited");
    };
    return std::string(to_text(limit.resource)) + " soft=" + number(limit.soft) +
           " hard=" + number(limit.hard) +
           (limit.resource == ProcessSettings::Limit::Resource::nofile ? " per process" : "");
}

namespace {

Status check_range(const char* what, std::optional<int> value, int least, int most) {
    if (!value || (least <= *value && *value <= most)) return {};
    return invalid_argument("{}: {}, expected {} to {}", what, *value, least, most);
}

Status check_limits(const std::vector<ProcessSettings::Limit>& limits) {
    std::set<ProcessSettings::Limit::Resource> resources;
    for (const ProcessSettings::Limit& limit : limits) {
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

Status check_unset(const ProcessSettings& settings) {
    std::vector<EnvironmentVariable> names;
    for (const std::string& name : settings.unset) names.push_back({name, {}});
    TRESTLE_TRY_STATUS(with_context("unset", check(names)));
    for (const EnvironmentVariable& variable : settings.environment) {
        if (std::find(settings.unset.begin(), settings.unset.end(), variable.name) !=
            settings.unset.end()) {
            return invalid_argument("unset: {}: environment sets it, expected one of both",
                                    variable.name);
        }
    }
    return {};
}

}  // namespace

Status check(const ProcessSettings& settings) {
    TRESTLE_TRY_STATUS(check(settings.environment));
    TRESTLE_TRY_STATUS(check_unset(settings));
    TRESTLE_TRY_STATUS(check_limits(settings.limits));
    if (settings.user) TRESTLE_TRY_STATUS(check(*settings.user));
    TRESTLE_TRY_STATUS(check_range("nice", settings.nice, -20, 19));
    TRESTLE_TRY_STATUS(check_range("oom_score_adj", settings.oom_score_adj, -1000, 1000));
    if (settings.memory_policy) TRESTLE_TRY_STATUS(check(*settings.memory_policy));
    if (settings.umask && *settings.umask > 0777) {
        return invalid_argument("umask: {:#o}, expected 0 to 0777", *settings.umask);
    }
    return {};
}

std::vector<std::string> settings_lines(const ProcessSettings& settings) {
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
    if (!settings.unset.empty()) add("environment without", detail::join(settings.unset, ", "));
    for (const ProcessSettings::Limit& limit : settings.limits) add("limit", limit);
    if (settings.user) add("user", *settings.user);
    return lines;
}

}  // namespace trestle
