// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "../../kernel_text.hpp"
#include "../../process/scratch.hpp"
#include "../enforcer_state.hpp"
#include "../group/values.hpp"
#include "label.hpp"

namespace trestle::os {

namespace {

StatusOr<GroupState> state_of(const std::string& name, const detail::GroupDirectory& group) {
    GroupState state;
    state.group = name;
    TRESTLE_TRY(state.processes, detail::pids_in(group));
    TRESTLE_TRY(const std::string events, group.read("cgroup.events"));
    state.owner = detail::read_label(group);
    state.is_populated = detail::keyed_number(events, "populated") == 1;
    state.is_frozen = detail::keyed_number(events, "frozen") == 1;
    return state;
}

}  // namespace

StatusOr<std::vector<GroupState>> CgroupEnforcer::recover() {
    TRESTLE_TRY(const auto names, state_->tree.names());
    std::vector<GroupState> states;
    for (const std::string& name : names) {
        const auto directory = state_->tree.root().below(name);
        auto state = directory.ok() ? state_of(name, *directory) : directory.status();
        if (state.status().code() == StatusCode::kNotFound) continue;  // it went away meanwhile
        if (state.status().code() == StatusCode::kPermissionDenied) {  // its owner has locked it
            GroupState locked;
            locked.group = name;
            locked.is_populated = true;
            state = std::move(locked);
        }
        TRESTLE_TRY_STATUS(state.status());
        states.push_back(*std::move(state));
    }
    TRESTLE_TRY(auto left, detail::scratch_groups(state_->scratch));
    std::erase_if(left, [&](const std::string& group) {
        return std::find(names.begin(), names.end(), group) != names.end();
    });
    for (std::string& group : left) {
        states.emplace_back();
        states.back().group = std::move(group);
        states.back().is_scratch_only = true;
    }
    return states;
}

}  // namespace trestle::os
