// SPDX-License-Identifier: Apache-2.0
#pragma once

// PlaceOptions: how a place is chosen among those that fit.
//
// Layer: alloc. Main type: PlaceOptions.
// Pitfall: options are the site's; what the job wants stands in its Request.

#include "trestle/alloc/cluster/place/policy.hpp"
#include "trestle/alloc/cluster/place/score_expression.hpp"
#include "trestle/alloc/node/fit_options.hpp"
#include "trestle/base/fields.hpp"

namespace trestle {

/// How a place is chosen among those that fit.
struct PlaceOptions {
    NodePolicy policy = Policy::first_fit;  ///< by its name, or a ScoreExpression
    PolicyOptions policy_options;
    FitOptions fit;
    /// A group of a job that requests none of PolicyOptions::device gets nodes with such devices
    /// last, whatever the policy prefers. Only usable devices that allocations use up count. On a
    /// node, fit() chooses its cores without regard to devices that are not requested;
    /// Device::reserved_cores keeps cores for jobs that request the device.
    bool spare_devices = false;

    static constexpr auto fields(auto list) {
        return list(field("policy", &PlaceOptions::policy),
                    field("policy_options", &PlaceOptions::policy_options),
                    field("fit", &PlaceOptions::fit),
                    field("spare_devices", &PlaceOptions::spare_devices));
    }
    friend bool operator==(const PlaceOptions&, const PlaceOptions&) = default;
};

}  // namespace trestle
