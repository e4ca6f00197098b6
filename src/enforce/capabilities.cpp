// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/capabilities.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/join.hpp"
#include "enforce/detail/lack_of.hpp"
#include "enforce/detail/step_parts.hpp"
#include "enforce/limits/kernel_values.hpp"

namespace trestle {

namespace detail {

std::string controller_of(const Limit& limit) {
    const std::string file = file_of(limit);
    return file.substr(0, file.find('.'));
}

}  // namespace detail

namespace {

std::string lack_of_pages(Bytes page_size, const Capabilities& machine) {
    const auto& sizes = machine.huge_page_sizes;
    if (std::find(sizes.begin(), sizes.end(), page_size) == sizes.end()) {
        std::vector<std::string> names;
        for (const Bytes size : sizes) names.push_back(huge_page_name(size));
        return "no huge pages of this size, only: " +
               (names.empty() ? "none" : detail::join(names, " "));
    }
    return {};
}

/// What a kernel may lack of a controller that is there.
std::string lack_of_limit(const Limit& limit, const Capabilities& machine) {
    const auto* memory = std::get_if<MemoryLimit>(&limit);
    if (memory != nullptr && memory->file == MemoryLimit::File::swap_max &&
        !machine.can_limit_swap) {
        return "the kernel does not limit swap";
    }
    if (std::holds_alternative<IoWeightLimit>(limit) && !machine.has_io_weight) {
        return "the kernel has no weights of block devices (iocost)";
    }
    if (const auto* pages = std::get_if<HugetlbLimit>(&limit)) {
        return lack_of_pages(pages->page_size, machine);
    }
    if (const auto* pages = std::get_if<HugetlbReservation>(&limit)) {
        std::string lack = lack_of_pages(pages->page_size, machine);
        if (!lack.empty() || machine.has_hugetlb_reservation) return lack;
        return "the kernel does not limit reservations, expected Linux 5.7 or later";
    }
    return {};
}

}  // namespace

std::string lack_of(const Step& step, const Capabilities& machine) {
    if (action_of<Step::LoadFilter>(step) != nullptr) return machine.no_device_filter;
    if (action_of<Step::LabelGroup>(step) != nullptr) {
        return machine.has_user_xattrs ? ""
                                       : "groups keep no user.* attributes, expected Linux 5.7";
    }
    std::string controller;
    const Limit* limit = limit_of(step);
    if (limit != nullptr) controller = detail::controller_of(*limit);
    if (const auto* enabled = action_of<Step::EnableController>(step))
        controller = enabled->controller;
    const auto& offered = machine.controllers;
    if (controller.empty()) return {};
    if (std::find(offered.begin(), offered.end(), controller) == offered.end()) {
        return "controller " + controller + " is not available, only: " +
               (offered.empty() ? "none" : detail::join(offered, " "));
    }
    return limit == nullptr ? std::string() : lack_of_limit(*limit, machine);
}

}  // namespace trestle
