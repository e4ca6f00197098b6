// SPDX-License-Identifier: Apache-2.0
#include "enforce/detail/unset.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "enforce/process/environment_words.hpp"

namespace trestle {

void add_once(std::string name, std::vector<std::string>& names) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(std::move(name));
    }
}

void take_out(const std::vector<std::string>& names, const std::vector<EnvironmentVariable>& own,
              Plan& plan) {
    for (const std::string& name : still_unset(names, own)) {
        const auto is_named = [&](const EnvironmentVariable& one) { return one.name == name; };
        std::erase_if(plan.process.environment, is_named);
        std::erase_if(plan.behind_filter, is_named);
    }
    for (const std::string& name : names) add_once(name, plan.process.unset);
}

void add_unset(const PlanOptions& options, Plan& plan) {
    take_out(options.unset, options.environment, plan);
    std::vector<std::string> names;
    for (const VendorProfile& profile : options.profiles) {
        for (const VendorProfile::Variable& variable : profile.variables)
            names.push_back(variable.name);
    }
    for (std::string& name : still_unset(std::move(names), plan.process.environment)) {
        add_once(std::move(name), plan.process.unset);
    }
}

}  // namespace trestle
