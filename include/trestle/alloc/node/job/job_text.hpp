// SPDX-License-Identifier: Apache-2.0
#pragma once

// A job as counts and sets: for each kind of unit what the job has on each of its nodes, and what
// of it its steps have. The drawing in Slurm's GRES design guide, as a value and as text.
//
// Layer: alloc. Main types: JobDevices; main functions: devices_of(node), to_text(job).
// A reader would get wrong: devices are named by their index within the name, as Slurm does, not by
// DeviceId; steps that overlap have nothing of their own and are not counted.

#include <string>
#include <vector>

#include "trestle/alloc/node/job/job.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
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

namespace detail {

/// One kind of unit over the nodes of a job: counts and sets of the job, and of its steps.
struct JobRows {
    std::string name;
    std::vector<std::string> job_counts;
    std::vector<std::string> job_sets;
    std::vector<std::string> step_counts;
    std::vector<std::string> step_sets;
};

[[nodiscard]] std::string joined(const std::vector<std::string>& words, const char* between);

/// `{0,1,5}`
template <class Set>
[[nodiscard]] std::string members_text(const Set& set) {
    std::vector<std::string> members;
    for (const auto member : set) members.push_back(fmt::format("{}", member));
    return "{" + joined(members, ",") + "}";
}

[[nodiscard]] std::string to_text(const JobRows& rows);

/// The names and types of the job's devices, in the order of the nodes and devices.
[[nodiscard]] std::vector<JobDevices> kinds_of(const JobState& job);

[[nodiscard]] JobRows device_rows(const JobState& job, const JobDevices& wanted);

[[nodiscard]] JobRows core_rows(const JobState& job);

[[nodiscard]] JobRows milli_cpu_rows(const JobState& job);
[[nodiscard]] bool has_milli_cpus(const JobState& job);

[[nodiscard]] JobRows memory_rows(const JobState& job);

}  // namespace detail

/// The job's nodes, then for its cores, its thousandths of CPUs (where there are any; steps may
/// have them of the job's cores too), its memory and each name and type of devices two rows, the
/// job's and its steps': the count on each node, and the set on each node.
///
///     job 7 on n0 n1 n2, steps 0 1
///     cores
///       job   4;4;4 {0-3} {0-3} {0-3}
///       steps 1;1;0 {0} {0} {}
///     gpu
///       job   2;2;2 {0,1} {2,3} {0,2}
///       steps 1;1;0 {0} {2} {}
[[nodiscard]] std::string to_text(const JobState& job);

}  // namespace trestle
