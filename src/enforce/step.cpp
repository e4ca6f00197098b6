// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/step.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace trestle {

const Step* last_step_of(const std::vector<Step>& steps, StepKind kind) {
    const auto at = std::find_if(steps.rbegin(), steps.rend(),
                                 [kind](const Step& step) { return step.kind == kind; });
    return at == steps.rend() ? nullptr : &*at;
}

namespace detail {

std::string admitted_text(const DeviceAllowList& devices) {
    std::string text;
    const auto add = [&](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
    for (const DeviceRule& rule : devices.rules.rules) add(to_text(rule));
    for (const AllowedFile& file : devices.files) add(to_text(file));
    return text.empty() ? "none" : text;
}

}  // namespace detail

std::string to_text(const Step& step) {
    std::string line;
    switch (step.kind) {
        case StepKind::enable_controller:
            line = "enable " + step.value + " below /" + step.group;
            break;
        case StepKind::make_group:
            line = "make group " + step.group;
            break;
        case StepKind::write_value:
            line = "write " + step.group + "/" + step.file + " = " + step.value;
            break;
        case StepKind::label_group:
            line = "label " + step.group + " with owner " + step.value;
            break;
        case StepKind::load_filter:
            line = "filter devices of " + step.group + ": " + detail::admitted_text(step.devices);
            break;
        case StepKind::freeze:
            line = "freeze " + step.group;
            break;
        case StepKind::thaw:
            line = "thaw " + step.group;
            break;
        case StepKind::make_scratch:
            line = "make scratch " + to_text(step.scratch) + " for " + step.group;
            break;
    }
    return step.requirement == Requirement::best_effort ? line + " (best effort)" : line;
}

}  // namespace trestle
