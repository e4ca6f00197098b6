// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/plan_diff.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "enforce/detail/field_diff.hpp"
#include "enforce/detail/plan_lines.hpp"
#include "enforce/process/settings_lines.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

namespace {

/// `device gpu 2 GPU-1234, 1 of 4 shares`.
std::string device_line(const PlannedDevice& device) {
    std::string line = fmt::format("device {} {}", device.name, device.index);
    if (!device.uuid.empty()) line += " " + device.uuid;
    if (device.shares_max != Count(1)) {
        line += fmt::format(", {} of {} shares", device.shares, device.shares_max);
    }
    return device.profile.empty() ? line : line + ", " + device.profile;
}

}  // namespace

namespace detail {

std::vector<std::string> line_diff(const std::vector<std::string>& from,
                                   const std::vector<std::string>& to) {
    const std::size_t n = from.size(), m = to.size();
    // common[i][j]: how many lines from[i..] and to[j..] have in common.
    std::vector<std::vector<std::size_t>> common(n + 1, std::vector<std::size_t>(m + 1));
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t j = m; j-- > 0;) {
            common[i][j] = from[i] == to[j] ? common[i + 1][j + 1] + 1
                                            : std::max(common[i + 1][j], common[i][j + 1]);
        }
    }
    std::vector<std::string> lines;
    for (std::size_t i = 0, j = 0; i < n || j < m;) {
        if (i < n && j < m && from[i] == to[j]) {
            ++i;
            ++j;
        } else if (j == m || (i < n && common[i + 1][j] >= common[i][j + 1])) {
            lines.push_back("- " + from[i++]);
        } else {
            lines.push_back("+ " + to[j++]);
        }
    }
    return lines;
}

std::vector<std::string> lines_of(const Plan& plan, std::string_view field) {
    std::vector<std::string> lines;
    const auto add = [&](std::string line) { lines.push_back(std::move(line)); };
    if (field == "owner") add("owner " + to_text(plan.owner));
    if (field == "group") add("group " + plan.group);
    if (field == "steps") {
        for (const Step& step : plan.steps) add(to_text(step));
    }
    if (field == "process") lines = settings_lines(plan.process);
    if (field == "behind_filter") {
        for (const EnvironmentVariable& one : plan.behind_filter) add(behind_filter_line(one));
    }
    if (field == "devices") {
        for (const PlannedDevice& device : plan.devices) add(device_line(device));
    }
    if (field == "shm_size" && plan.shm_size) add("shm " + to_text(*plan.shm_size));
    if (field == "disk" && plan.disk != Range<Bytes>()) add("disk " + to_text(plan.disk));
    if (field == "end") add(to_text(plan.end));
    if (field == "folders") {
        for (const std::string& folder : plan.folders) add("folder " + folder);
    }
    if (field == "shortfalls") {
        for (const Shortfall& one : plan.shortfalls) add(shortfall_line(one));
    }
    return lines;
}

}  // namespace detail

std::vector<std::string> plan_diff(const Plan& from, const Plan& to) {
    std::vector<std::string> lines;
    const auto add = [&](const auto& field) {
        for (std::string& line : detail::field_diff(field, from, to)) {
            lines.push_back(std::move(line));
        }
    };
    Plan::fields([&](const auto&... field) { (add(field), ...); });
    return lines;
}

}  // namespace trestle
