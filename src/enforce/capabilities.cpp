// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/capabilities.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "trestle/enforce/detail/join.hpp"
#include "trestle/enforce/limits/resource_limits.hpp"

namespace trestle {

namespace detail {

std::string lack_of_file(const std::string& file, const Capabilities& machine) {
    if (file == "memory.swap.max" && !machine.can_limit_swap) {
        return "the kernel does not limit swap";
    }
    if (file == "cpuset.cpus.exclusive" && !machine.has_exclusive_cpus) {
        return "the kernel knows no exclusive CPUs, expected Linux 6.7 or later";
    }
    if (file == "io.weight" && !machine.has_io_weight) {
        return "the kernel has no weights of block devices (iocost)";
    }
    if (!file.starts_with("hugetlb.")) return {};
    const auto& sizes = machine.huge_page_sizes;
    const bool has_size = std::any_of(sizes.begin(), sizes.end(), [&](Bytes size) {
        return file.starts_with("hugetlb." + huge_page_name(size) + ".");
    });
    if (!has_size) {
        std::vector<std::string> names;
        for (const Bytes size : sizes) names.push_back(huge_page_name(size));
        return "no huge pages of this size, only: " + (names.empty() ? "none" : join(names, " "));
    }
    if (file.ends_with(".rsvd.max") && !machine.has_hugetlb_reservation) {
        return "the kernel does not limit reservations, expected Linux 5.7 or later";
    }
    return {};
}

}  // namespace detail

std::string lack_of(const Step& step, const Capabilities& machine) {
    if (step.kind == StepKind::load_filter) return machine.no_device_filter;
    if (step.kind == StepKind::label_group) {
        return machine.has_user_xattrs ? ""
                                       : "groups keep no user.* attributes, expected Linux 5.7";
    }
    std::string controller;
    if (step.kind == StepKind::enable_controller) controller = step.value;
    if (step.kind == StepKind::write_value) controller = step.file.substr(0, step.file.find('.'));
    const auto& offered = machine.controllers;
    if (controller.empty() || controller == "cgroup") return {};
    if (std::find(offered.begin(), offered.end(), controller) == offered.end()) {
        return "controller " + controller + " is not available, only: " +
               (offered.empty() ? "none" : detail::join(offered, " "));
    }
    return detail::lack_of_file(step.file, machine);
}

}  // namespace trestle
