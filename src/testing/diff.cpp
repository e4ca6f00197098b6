// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/diff.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

namespace testing {

namespace {

/// One line for each field of a struct, `<subject> <field> <value>`, those with a default left out.
template <HasFields T>
void add_lines(std::vector<std::string>& lines, const std::string& subject, const T& value) {
    const T defaults{};
    const auto add = [&](const auto& f) {
        const auto& member = value.*(f.pointer);
        if (member == defaults.*(f.pointer)) return;
        std::string line = subject + " " + std::string(f.name) + " ";
        trestle::detail::print(line, member);
        lines.push_back(std::move(line));
    };
    T::fields([&](const auto&... f) { (add(f), ...); });
}

std::vector<std::string> lines_of(const Placement& placement) {
    std::vector<std::string> lines;
    for (const NodePlacement& node : placement.nodes) {
        const std::string subject = fmt::format("node {}", node.node);
        lines.push_back(fmt::format("{} tasks {}", subject, node.tasks));
        lines.push_back(fmt::format("{} cores {}", subject, node.cores));
        if (!node.threads_per_core.is_zero()) {
            lines.push_back(fmt::format("{} threads_per_core {}", subject, node.threads_per_core));
        }
        if (node.row) lines.push_back(fmt::format("{} row {}", subject, *node.row));
        if (!node.milli_cpus.is_zero()) {
            lines.push_back(fmt::format("{} milli_cpus {}", subject, node.milli_cpus));
        }
        for (const MemoryShare& share : node.memory) {
            lines.push_back(fmt::format("{} memory {} {}", subject, share.domain, share.bytes));
        }
        for (const DeviceShare& share : node.devices) {
            lines.push_back(fmt::format("{} device {} {}", subject, share.device, share.shares));
            if (share.slice) lines.back() += " " + to_text(*share.slice);
        }
        if (node.component != 0) {
            lines.push_back(fmt::format("{} component {}", subject, node.component));
        }
    }
    for (const ClusterCount& one : placement.cluster_counts) {
        lines.push_back(fmt::format("cluster {} {}", one.name, one.count));
    }
    return lines;
}

std::vector<std::string> lines_of(const Plan& plan) {
    std::vector<std::string> lines{fmt::format("plan {} owner {}", plan.group, plan.owner)};
    for (const Step& step : plan.steps) lines.push_back(to_text(step));
    add_lines(lines, "process", plan.process);
    for (const PlannedDevice& device : plan.devices) lines.push_back("device " + to_text(device));
    if (plan.shm_size) lines.push_back("shm " + to_text(*plan.shm_size));
    if (!plan.disk.is_open()) lines.push_back("disk " + to_text(plan.disk));
    return lines;
}

}  // namespace

std::string diff(const std::vector<std::string>& before, const std::vector<std::string>& after) {
    // common[i][j]: the length of the longest common part of before[i..] and after[j..]
    std::vector<std::vector<std::size_t>> common(before.size() + 1,
                                                 std::vector<std::size_t>(after.size() + 1, 0));
    for (std::size_t i = before.size(); i-- > 0;) {
        for (std::size_t j = after.size(); j-- > 0;) {
            common[i][j] = before[i] == after[j] ? common[i + 1][j + 1] + 1
                                                 : std::max(common[i + 1][j], common[i][j + 1]);
        }
    }
    std::string text;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < before.size() || j < after.size()) {
        if (i < before.size() && j < after.size() && before[i] == after[j]) {
            ++i;
            ++j;
        } else if (j == after.size() ||
                   (i < before.size() && common[i + 1][j] >= common[i][j + 1])) {
            text += "- " + before[i++] + "\n";
        } else {
            text += "+ " + after[j++] + "\n";
        }
    }
    return text;
}

std::string diff(const Placement& before, const Placement& after) {
    return diff(lines_of(before), lines_of(after));
}

std::string diff(const Plan& before, const Plan& after) {
    return diff(lines_of(before), lines_of(after));
}

}  // namespace testing

}  // namespace trestle
