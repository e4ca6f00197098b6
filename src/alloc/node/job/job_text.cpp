// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/job/job_devices.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace trestle {

std::vector<JobDevices> devices_of(const JobNode& node) {
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

namespace {

/// One kind of unit over the nodes of a job: counts and sets of the job, and of its steps.
struct JobRows {
    std::string name;
    std::vector<std::string> job_counts;
    std::vector<std::string> job_sets;
    std::vector<std::string> step_counts;
    std::vector<std::string> step_sets;
};

std::string joined(const std::vector<std::string>& words, const char* between) {
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

std::string to_text(const JobRows& rows) {
    const auto line = [](const auto& counts, const auto& sets) {
        return joined(counts, ";") + (sets.empty() ? "" : " " + joined(sets, " "));
    };
    return fmt::format("\n{}\n  job   {}\n  steps {}", rows.name,
                       line(rows.job_counts, rows.job_sets),
                       line(rows.step_counts, rows.step_sets));
}

/// The names and types of the job's devices, in the order of the nodes and devices.
std::vector<JobDevices> kinds_of(const JobState& job) {
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

JobRows device_rows(const JobState& job, const JobDevices& wanted) {
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

JobRows core_rows(const JobState& job) {
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

JobRows milli_cpu_rows(const JobState& job) {
    JobRows rows{"milli_cpus", {}, {}, {}, {}};
    for (const JobNode& node : job.nodes()) {
        MilliCpu taken;
        for (const JobStep& step : job.steps()) {
            const NodePlacement* part = step.find_node(node.granted.node);
            if (step.use == JobStep::Use::alone && part != nullptr) taken += part->milli_cpus;
        }
        rows.job_counts.push_back(fmt::format("{}", node.granted.milli_cpus));
        rows.step_counts.push_back(fmt::format("{}", taken));
    }
    return rows;
}

bool has_milli_cpus(const JobState& job) {
    const auto has = [](const NodePlacement& part) { return !part.milli_cpus.is_zero(); };
    return std::any_of(job.nodes().begin(), job.nodes().end(),
                       [&](const JobNode& node) { return has(node.granted); }) ||
           std::any_of(job.steps().begin(), job.steps().end(), [&](const JobStep& step) {
               return std::any_of(step.placement.nodes.begin(), step.placement.nodes.end(), has);
           });
}

JobRows memory_rows(const JobState& job) {
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

}  // namespace

std::string to_text(const JobState& job) {
    std::vector<std::string> nodes;
    for (const JobNode& node : job.nodes()) nodes.push_back(node.name);
    std::vector<std::string> steps;
    for (const JobStep& step : job.steps()) steps.push_back(fmt::format("{}", step.id));
    std::string text =
        fmt::format("job {} on {}", job.owner(), nodes.empty() ? "no node" : joined(nodes, " "));
    if (!steps.empty()) text += ", steps " + joined(steps, " ");
    if (nodes.empty()) return text;
    text += to_text(core_rows(job));
    if (has_milli_cpus(job)) text += to_text(milli_cpu_rows(job));
    text += to_text(memory_rows(job));
    for (const JobDevices& kind : kinds_of(job)) {
        text += to_text(device_rows(job, kind));
    }
    return text;
}

}  // namespace trestle
