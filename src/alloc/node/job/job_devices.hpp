// SPDX-License-Identifier: Apache-2.0
#pragma once

// The devices of a job on a node, by name and type.
//
// Layer: alloc. Main type: JobDevices.

#include <string>
#include <vector>

#include "trestle/alloc/node/job/job.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// The devices of one name and type that a job has on one node. Counts are shares: 1 for a device
/// that is given whole only, and for an instance of a sliced one.
struct JobDevices {
    std::string name;
    std::string type;
    Count count;
    SmallSet<> indexes;
    Count step_count;  ///< of these, what steps have to themselves
    SmallSet<> step_indexes;

    static constexpr auto fields(auto list) {
        return list(field("name", &JobDevices::name), field("type", &JobDevices::type),
                    field("count", &JobDevices::count), field("indexes", &JobDevices::indexes),
                    field("step_count", &JobDevices::step_count),
                    field("step_indexes", &JobDevices::step_indexes));
    }
    friend bool operator==(const JobDevices&, const JobDevices&) = default;
};

/// What the job has of each name and type on the node, in the order of their first device.
[[nodiscard]] std::vector<JobDevices> devices_of(const JobNode& node);

}  // namespace trestle
