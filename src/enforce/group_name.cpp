// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/group_name.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "trestle/base/status.hpp"

namespace trestle {

namespace {

constexpr std::size_t group_levels_max = 8;
constexpr std::size_t group_part_bytes_max = 255;  ///< NAME_MAX

/// Why a part of a group name is refused; empty when it is not.
std::string_view fault_of_group_part(std::string_view part) {
    constexpr std::array kernel_prefixes = {"cgroup.", "cpu.",  "cpuset.",  "io.",
                                            "memory.", "pids.", "hugetlb.", "rdma.",
                                            "misc.",   "dmem.", "irq.",     "perf_event."};
    if (part.empty()) return "a part is empty";
    if (part.size() > group_part_bytes_max) return "a part has more than 255 bytes";
    if (part.front() == '.') return "a part starts with a dot";
    if (std::any_of(part.begin(), part.end(), [](char c) {
            const auto byte = static_cast<unsigned char>(c);
            return byte < 0x20 || byte == 0x7f;
        })) {
        return "a part holds a control character";
    }
    if (std::any_of(kernel_prefixes.begin(), kernel_prefixes.end(),
                    [&](std::string_view prefix) { return part.starts_with(prefix); })) {
        return "a part starts as the kernel's own files do";
    }
    return {};
}

/// Without control characters, and cut to the length of an error line.
std::string shown_group(std::string_view group) {
    std::string shown{group.substr(0, 64)};
    std::replace_if(
        shown.begin(), shown.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    return group.size() > 64 ? shown + "..." : shown;
}

}  // namespace

Status check_group_name(std::string_view group) {
    std::size_t levels = 0;
    for (std::size_t start = 0; start <= group.size(); ++levels) {
        const std::size_t end = std::min(group.find('/', start), group.size());
        const std::string_view fault = fault_of_group_part(group.substr(start, end - start));
        if (!fault.empty()) {
            return invalid_argument("group name \"{}\": {} at offset {}, expected a name as job_42",
                                    shown_group(group), fault, start);
        }
        start = end + 1;
    }
    if (levels > group_levels_max) {
        return invalid_argument("group name \"{}\": {} levels, expected {} at most",
                                shown_group(group), levels, group_levels_max);
    }
    return {};
}

std::string parent_group(std::string_view group) {
    const std::size_t slash = group.rfind('/');
    return std::string(slash == std::string_view::npos ? "" : group.substr(0, slash));
}

bool is_below(std::string_view name, std::string_view group) {
    if (group.empty() || name == group) return true;
    return name.starts_with(group) && name[group.size()] == '/';
}

}  // namespace trestle
