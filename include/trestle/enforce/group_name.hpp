// SPDX-License-Identifier: Apache-2.0
#pragma once

// Group names: what may be made below an enforcer's root.
//
// Layer: enforce. Main names: check_group_name, parent_group, is_below. Names come from embedders,
// often from user input, and end in a path; so they are checked before anything is planned. A
// reader would get wrong: `/` separates levels (job, step, task); it is no escape out of the root,
// because no part starts with a dot and none is empty.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "trestle/base/status.hpp"

namespace trestle {

inline constexpr std::size_t group_levels_max = 8;
inline constexpr std::size_t group_part_bytes_max = 255;  ///< NAME_MAX

namespace detail {

/// Why a part of a group name is refused; empty when it is not.
[[nodiscard]] inline std::string_view fault_of_group_part(std::string_view part) {
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

/// Without control characters and not longer than an error line bears.
[[nodiscard]] inline std::string shown_group(std::string_view group) {
    std::string shown{group.substr(0, 64)};
    std::replace_if(
        shown.begin(), shown.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    return group.size() > 64 ? shown + "..." : shown;
}

}  // namespace detail

/// Ok for one to eight parts separated by `/`, each of 1 to 255 bytes without control characters,
/// starting neither with a dot (so no part is `.` or `..`) nor with the prefix of the kernel's own
/// files (`memory.`, `cgroup.`), where a later kernel may add a file of that very name.
/// Errors: InvalidArgument that says where and why.
[[nodiscard]] inline Status check_group_name(std::string_view group) {
    std::size_t levels = 0;
    for (std::size_t start = 0; start <= group.size(); ++levels) {
        const std::size_t end = std::min(group.find('/', start), group.size());
        const std::string_view fault =
            detail::fault_of_group_part(group.substr(start, end - start));
        if (!fault.empty()) {
            return invalid_argument("group name \"{}\": {} at offset {}, expected a name as job_42",
                                    detail::shown_group(group), fault, start);
        }
        start = end + 1;
    }
    if (levels > group_levels_max) {
        return invalid_argument("group name \"{}\": {} levels, expected {} at most",
                                detail::shown_group(group), levels, group_levels_max);
    }
    return {};
}

/// `job_42` for `job_42/step_0`; empty, which is the enforcer's root, for `job_42`.
[[nodiscard]] inline std::string parent_group(std::string_view group) {
    const std::size_t slash = group.rfind('/');
    return std::string(slash == std::string_view::npos ? "" : group.substr(0, slash));
}

/// True for `group` itself and every group below it; all are below the root, which is empty.
[[nodiscard]] inline bool is_below(std::string_view name, std::string_view group) {
    if (group.empty() || name == group) return true;
    return name.starts_with(group) && name[group.size()] == '/';
}

}  // namespace trestle
