// SPDX-License-Identifier: Apache-2.0
#include "step_rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "trestle/base/fmt.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/group_name.hpp"

namespace trestle::container::detail {
namespace {

constexpr std::array always = {"cpu", "memory", "swap", "pids"};

/// `cpu` of `cpu quota`.
std::string resource_of(const Step& step) {
    return step.resource.substr(0, step.resource.find(' '));
}

/// `memory.max 16GiB`, `pids.max 4096`.
std::string limit_of(const Step& step) {
    std::int64_t bytes = 0;
    const char* end = step.value.data() + step.value.size();
    const bool is_bytes = step.file.starts_with("memory.") && step.file != "memory.oom.group" &&
                          std::from_chars(step.value.data(), end, bytes).ptr == end;
    return step.file + " " + (is_bytes ? to_text(Bytes(bytes)) : step.value);
}

bool has_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool is_file_name(std::string_view file) {
    return !file.empty() && file.front() != '.' &&
           std::all_of(file.begin(), file.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '_' || c == '-';
           });
}

}  // namespace

std::vector<StepRow> limit_rows(const Plan& plan) {
    std::vector<StepRow> rows;
    const auto is_written = [](const Step& step) { return step.kind == StepKind::write_value; };
    for (const char* resource : always) {
        const std::size_t before = rows.size();
        for (const Step& step : plan.steps) {
            if (!is_written(step) || resource_of(step) != resource) continue;
            rows.push_back({resource, limit_of(step), &step});
        }
        if (rows.size() == before) rows.push_back({resource, "-", nullptr});
    }
    for (const Step& step : plan.steps) {
        const std::string resource = resource_of(step);
        if (!is_written(step) ||
            std::find(always.begin(), always.end(), resource) != always.end()) {
            continue;
        }
        rows.push_back({resource, limit_of(step), &step});
    }
    return rows;
}

Status check_steps(const Plan& plan) {
    TRESTLE_TRY_STATUS(check_group_name(plan.group));
    for (const Step& step : plan.steps) {
        if (!step.group.empty()) TRESTLE_TRY_STATUS(check_group_name(step.group));
        const bool is_written = step.kind == StepKind::write_value;
        if (is_written && !is_file_name(step.file)) {
            return invalid_argument("step: file {}, expected a name as memory.max",
                                    trestle::detail::quoted(step.file));
        }
        const bool is_enabled = step.kind == StepKind::enable_controller;
        if (has_control(step.value) || (is_enabled && !is_file_name(step.value))) {
            return invalid_argument("step: value {}, expected one line as the kernel takes it",
                                    trestle::detail::quoted(step.value));
        }
    }
    return {};
}

std::string end_text(const EndPolicy& end) {
    const std::string text = to_text(end);
    return text.substr(text.find("; ") + 2);
}

std::string warning_text(const EndPolicy& end) {
    return fmt::format("{} to {} {} s before the time limit",
                       signal_text(end.warning->signal_number),
                       end.warning->target == SignalTarget::leader ? "the leader" : "every process",
                       end.warning->before);
}

std::vector<std::string_view> parts_of(std::string_view text) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const auto blank = std::min(text.find(' '), text.size());
        parts.push_back(text.substr(0, blank));
        text.remove_prefix(std::min(blank + 1, text.size()));
    }
    return parts;
}

}  // namespace trestle::container::detail
