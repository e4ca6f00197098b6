// SPDX-License-Identifier: Apache-2.0
#include "step_rows.hpp"

#include <algorithm>
#include <array>

#include "enforce/detail/step_parts.hpp"
#include "enforce/process/signal_names.hpp"
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
std::string limit_text(const Limit& limit) {
    const auto* memory = std::get_if<MemoryLimit>(&limit);
    const bool is_bytes = memory != nullptr && memory->bytes;
    return file_of(limit) + " " + (is_bytes ? to_text(*memory->bytes) : file_value(limit));
}

bool has_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool is_controller(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
}

}  // namespace

std::vector<StepRow> limit_rows(const Plan& plan) {
    std::vector<StepRow> rows;
    for (const char* resource : always) {
        const std::size_t before = rows.size();
        for (const Step& step : plan.steps) {
            const Limit* limit = limit_of(step);
            if (limit == nullptr || resource_of(step) != resource) continue;
            rows.push_back({resource, limit_text(*limit), &step});
        }
        if (rows.size() == before) rows.push_back({resource, "-", nullptr});
    }
    for (const Step& step : plan.steps) {
        const std::string resource = resource_of(step);
        const Limit* limit = limit_of(step);
        const bool is_listed = std::find(always.begin(), always.end(), resource) != always.end();
        if (limit != nullptr && !is_listed) rows.push_back({resource, limit_text(*limit), &step});
    }
    return rows;
}

Status check_steps(const Plan& plan) {
    TRESTLE_TRY_STATUS(check_group_name(plan.group));
    for (const Step& step : plan.steps) {
        if (!step.group.empty()) TRESTLE_TRY_STATUS(check_group_name(step.group));
        const Limit* limit = limit_of(step);
        if (limit != nullptr && has_control(file_value(*limit))) {
            return invalid_argument("step: value {}, expected one line as the kernel takes it",
                                    trestle::detail::quoted(file_value(*limit)));
        }
        const auto* enable = action_of<Step::EnableController>(step);
        if (enable != nullptr && !is_controller(enable->controller)) {
            return invalid_argument("step: controller {}, expected a name as memory",
                                    trestle::detail::quoted(enable->controller));
        }
    }
    return {};
}

std::string end_text(const EndPolicy& end) {
    const std::string text = to_text(end);
    return text.substr(text.find("; ") + 2);
}

std::string warning_text(const EndPolicy& end) {
    return fmt::format(
        "{} to {} {} s before the time limit", signal_text(end.warning->signal_number),
        end.warning->target == EndPolicy::Target::leader ? "the leader" : "every process",
        end.warning->before);
}

}  // namespace trestle::container::detail
