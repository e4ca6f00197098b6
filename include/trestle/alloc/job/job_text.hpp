// SPDX-License-Identifier: Apache-2.0
#pragma once

// A job as counts and sets: for each kind of unit what the job has on each of its nodes, and what
// of it its steps have. The drawing in Slurm's GRES design guide, as a value and as text.
//
// Layer: alloc. Main types: JobDevices; main functions: devices_of(node), to_text(job).
// A reader would get wrong: devices are named by their index within the name, as Slurm does, not by
// DeviceId; steps that overlap have nothing of their own and are not counted.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "trestle/alloc/job/job.hpp"
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
[[nodiscard]] inline std::vector<JobDevices> devices_of(const JobNode& node) {
    std::vector<JobDevices> kinds;
    for (const DeviceShare& share : node.granted.devices) {
        const Device& device = node.shape->devices[share.device.value()];
        auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const JobDevices& one) {
            return one.name == device.name && one.type == device.type;
        });
        if (kind == kinds.end()) {
            kind = kinds.insert(kind, JobDevices{device.name, device.type, {}, {}, {}, {}});
        }
        const Count taken = share.shares - node.free.shares_of(share.device, share.slice);
        kind->count += share.shares;
        kind->indexes.insert(device.index);
        kind->step_count += taken;
        if (!taken.is_zero()) kind->step_indexes.insert(device.index);
    }
    return kinds;
}

namespace detail {

/// One kind of unit over the nodes of a job: counts and sets of the job, and of its steps.
struct JobRows {
    std::string name;
    std::vector<std::string> job_counts;
    std::vector<std::string> job_sets;
    std::vector<std::string> step_counts;
    std::vector<std::string> step_sets;
};

[[nodiscard]] inline std::string joined(const std::vector<std::string>& words,
                                        const char* between) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : between) + words[i];
    return text;
}

/// `{0,1,5}`
template <class Set>
[[nodiscard]] std::string members_text(const Set& set) {
    std::vector<std::string> members;
    for (const auto member : set) members.push_back(fmt::format("{}", member));
    return "{" + joined(members, ",") + "}";
}

[[nodiscard]] inline std::string to_text(const JobRows& rows) {
    const auto line = [](const auto& counts, const auto& sets) {
        return joined(counts, ";") + (sets.empty() ? "" : " " + joined(sets, " "));
    };
    return fmt::format("\n{}\n  job   {}\n  steps {}", rows.name,
                       line(rows.job_counts, rows.job_sets),
                       line(rows.step_counts, rows.step_sets));
}

/// The names and types of the job's devices, in the order of the nodes and devices.
[[nodiscard]] inline std::vector<JobDevices> kinds_of(const JobState& job) {
    std::vector<JobDevices> kinds;
    for (const JobNode& node : job.nodes()) {
        for (const JobDevices& kind : devices_of(node)) {
            const bool is_known =
                std::any_of(kinds.begin(), kinds.end(), [&](const JobDevices& one) {
                    return one.name == kind.name && one.type == kind.type;
                });
            if (!is_known) kinds.push_back({kind.name, kind.type, {}, {}, {}, {}});
        }
    }
    return kinds;
}

[[nodiscard]] inline JobRows device_rows(const JobState& job, const JobDevices& wanted) {
    JobRows rows;
    rows.name = wanted.name + (wanted.type.empty() ? "" : ":" + wanted.type);
    for (const JobNode& node : job.nodes()) {
        JobDevices here = wanted;
        for (const JobDevices& kind : devices_of(node)) {
            if (kind.name == wanted.name && kind.type == wanted.type) here = kind;
        }
        rows.job_counts.push_back(fmt::format("{}", here.count));
        rows.job_sets.push_back(members_text(here.indexes));
        rows.step_counts.push_back(fmt::format("{}", here.step_count));
        rows.step_sets.push_back(members_text(here.step_indexes));
    }
    return rows;
}

[[nodiscard]] inline JobRows core_rows(const JobState& job) {
    JobRows rows{"cores", {}, {}, {}, {}};
    for (const JobNode& node : job.nodes()) {
        const CoreSet& cores = node.granted.cores;
        const CoreSet taken = cores - node.free.cores_in(node.granted.row);
        rows.job_counts.push_back(fmt::format("{}", cores.count()));
        rows.job_sets.push_back(fmt::format("{{{}}}", cores));
        rows.step_counts.push_back(fmt::format("{}", taken.count()));
        rows.step_sets.push_back(fmt::format("{{{}}}", taken));
    }
    return rows;
}

[[nodiscard]] inline JobRows milli_cpu_rows(const JobState& job) {
    JobRows rows{"milli_cpus", {}, {}, {}, {}};
    for (const JobNode& node : job.nodes()) {
        MilliCpu taken;
        for (const JobStep& step : job.steps()) {
            const NodePlacement* part = step.find_node(node.granted.node);
            if (step.use == StepUse::alone && part != nullptr) taken += part->milli_cpus;
        }
        rows.job_counts.push_back(fmt::format("{}", node.granted.milli_cpus));
        rows.step_counts.push_back(fmt::format("{}", taken));
    }
    return rows;
}
[[nodiscard]] inline bool has_milli_cpus(const JobState& job) {
    const auto has = [](const NodePlacement& part) { return !part.milli_cpus.is_zero(); };
    return std::any_of(job.nodes().begin(), job.nodes().end(),
                       [&](const JobNode& node) { return has(node.granted); }) ||
           std::any_of(job.steps().begin(), job.steps().end(), [&](const JobStep& step) {
               return std::any_of(step.placement.nodes.begin(), step.placement.nodes.end(), has);
           });
}

[[nodiscard]] inline JobRows memory_rows(const JobState& job) {
    JobRows rows{"memory", {}, {}, {}, {}};
    for (const JobNode& node : job.nodes()) {
        Bytes taken;
        for (const MemoryShare& share : node.granted.memory) {
            taken += share.bytes - node.free.bytes_of(share.domain);
        }
        rows.job_counts.push_back(fmt::format("{}", node.granted.total_memory()));
        rows.step_counts.push_back(fmt::format("{}", taken));
    }
    return rows;
}

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
[[nodiscard]] inline std::string to_text(const JobState& job) {
    std::vector<std::string> nodes;
    for (const JobNode& node : job.nodes()) nodes.push_back(node.name);
    std::vector<std::string> steps;
    for (const JobStep& step : job.steps()) steps.push_back(fmt::format("{}", step.id));
    std::string text = fmt::format("job {} on {}", job.owner(),
                                   nodes.empty() ? "no node" : detail::joined(nodes, " "));
    if (!steps.empty()) text += ", steps " + detail::joined(steps, " ");
    if (nodes.empty()) return text;
    text += detail::to_text(detail::core_rows(job));
    if (detail::has_milli_cpus(job)) text += detail::to_text(detail::milli_cpu_rows(job));
    text += detail::to_text(detail::memory_rows(job));
    for (const JobDevices& kind : detail::kinds_of(job)) {
        text += detail::to_text(detail::device_rows(job, kind));
    }
    return text;
}

}  // namespace trestle
