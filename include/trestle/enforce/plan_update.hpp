// SPDX-License-Identifier: Apache-2.0
#pragma once

// PlanUpdate: how one plan of a group becomes another while the group lives.
//
// Layer: enforce. Main type: PlanUpdate; Enforcer::update runs it.
// A reader would get wrong: an update belongs to the plan it was made from; steps and undo speak of
// the values of that plan, not of what others wrote since.

#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle {

/// Steps from one plan of a group to the next.
struct PlanUpdate {
    std::string group;
    std::vector<Step> steps;
    std::vector<Step> undo;  ///< as many: undo[i] takes back steps[i]
    OwnerId owner = {};

    static constexpr auto fields(auto list) {
        return list(field("group", &PlanUpdate::group), field("steps", &PlanUpdate::steps),
                    field("undo", &PlanUpdate::undo), field("owner", &PlanUpdate::owner));
    }
    friend bool operator==(const PlanUpdate&, const PlanUpdate&) = default;
};

}  // namespace trestle
