// SPDX-License-Identifier: Apache-2.0
// Small worlds of plans for one group: each file has one of a few texts or none, the filter
// likewise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/limit_text.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle {

/// A file and the texts that it may have; the first of all is none.
struct FileWorld {
    const char* file;
    std::vector<std::string> texts;
};

[[nodiscard]] inline DeviceAllowList devices_of(std::vector<DeviceRule> rules) {
    DeviceAllowList list;
    for (const DeviceRule& rule : rules) list.rules.add(rule);
    return list;
}

[[nodiscard]] inline DeviceRule char_rule(std::optional<std::uint32_t> major,
                                          std::optional<std::uint32_t> minor, std::uint32_t bits) {
    return {Device::File::Kind::character, major, minor, DeviceRule::Access::of_bits(bits)};
}

/// Filters that overlap: by wildcards across each other, by access, and not at all.
[[nodiscard]] inline std::vector<DeviceAllowList> filter_world() {
    return {devices_of({char_rule(1, std::nullopt, 7), char_rule(2, 1, 2)}),
            devices_of({char_rule(std::nullopt, 1, 6)})};
}

/// The plan with text `choice % n` of each file, and filter likewise; 0 is none.
[[nodiscard]] inline Plan plan_of_choice(const std::vector<FileWorld>& world,
                                         const std::vector<DeviceAllowList>& filters,
                                         std::size_t choice) {
    Plan made;
    made.group = "job";
    made.steps.push_back({Step::MakeGroup{}, {}, "", "job"});
    for (const auto& [file, texts] : world) {
        const std::size_t at = choice % (texts.size() + 1);
        choice /= texts.size() + 1;
        if (at == 0) continue;
        made.steps.push_back(limit_step("job", file, texts[at - 1], file));
    }
    if (filters.empty()) return made;
    const std::size_t at = choice % (filters.size() + 1);
    if (at == 0) return made;
    made.steps.push_back({Step::LoadFilter{filters[at - 1]}, {}, "devices", "job"});
    return made;
}

[[nodiscard]] inline std::size_t choice_count(const std::vector<FileWorld>& world,
                                              const std::vector<DeviceAllowList>& filters) {
    std::size_t count = filters.size() + 1;
    for (const FileWorld& one : world) count *= one.texts.size() + 1;
    return count;
}

}  // namespace trestle
