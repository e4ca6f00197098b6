// SPDX-License-Identifier: Apache-2.0
#pragma once

// What typical jobs make of a node: how much of it they cannot use, how many it could still host.
//
// Layer: alloc. Main functions: fragments, hosted. fragments() is the measure of "Beware of
// Fragmentation" (USENIX ATC 2023): devices that a job drawn from the typical ones could not use.
// A reader would get wrong: the order of the sums is part of the definition, because scores are cut
// to integers; and memory plays no part.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "trestle/alloc/place/policy.hpp"
#include "trestle/model/node.hpp"

namespace trestle {

/// True when the job may use devices of that type.
[[nodiscard]] inline bool accepts(const TypicalJob& job, const std::string& type) {
    return job.types.empty() ||
           std::find(job.types.begin(), job.types.end(), type) != job.types.end();
}

/// Which of the typical jobs may use each device that counts, worked out once for a class of nodes.
class TypicalJobs {
  public:
    TypicalJobs() = default;
    /// `devices` are those that count.
    TypicalJobs(const std::vector<TypicalJob>& jobs, const NodeShape& shape,
                const std::vector<DeviceId>& devices)
        : jobs_(&jobs) {
        accepted_.reserve(jobs.size() * devices.size());
        double seen = 0;
        for (const TypicalJob& job : jobs) seen += static_cast<double>(job.seen.value());
        for (const TypicalJob& job : jobs) {
            frequencies_.push_back(static_cast<double>(job.seen.value()) / seen);
            bool any = false;
            for (const DeviceId id : devices) {
                const bool is_accepted = accepts(job, shape.devices[id.value()].type);
                accepted_.push_back(is_accepted);
                any |= is_accepted;
            }
            has_access_.push_back(any);
        }
    }

    /// The expected thousandths of devices on the node that a job drawn from the typical ones
    /// cannot use: all that is left, when the node cannot host it; else what is left of devices
    /// that have too little for it. Complexity: jobs times devices.
    [[nodiscard]] double fragments(const NodeAmounts& left) const;

    /// How many of the job, one of the typical ones, the node could host by its CPUs and devices.
    /// Requires: the job uses devices.
    [[nodiscard]] std::int64_t hosted(std::size_t job, const NodeAmounts& left) const {
        const TypicalJob& one = (*jobs_)[job];
        std::int64_t fitting = 0;
        for (std::size_t d = 0; d < left.devices.size(); ++d) {
            if (can_use(job, d, left)) ++fitting;
        }
        const std::int64_t by_devices = fitting / one.devices.value();
        if (one.cpus.is_zero()) return by_devices;
        return std::min(by_devices, left.milli_cpus / one.cpus.value());
    }
    /// How much of all jobs this kind makes.
    [[nodiscard]] double frequency(std::size_t job) const { return frequencies_[job]; }
    [[nodiscard]] bool has_access(std::size_t job) const { return has_access_[job]; }

  private:
    [[nodiscard]] bool can_use(std::size_t job, std::size_t device, const NodeAmounts& left) const {
        return accepted_[job * left.devices.size() + device] &&
               left.devices[device] >= (*jobs_)[job].thousandths.value();
    }

    const std::vector<TypicalJob>* jobs_ = nullptr;
    std::vector<bool> accepted_;  ///< by job and device
    std::vector<bool> has_access_;
    std::vector<double> frequencies_;  ///< all together make 1
};

inline double TypicalJobs::fragments(const NodeAmounts& left) const {
    enum Part { lacks_both, lacks_devices, ok, lacks_cpus, cpu_job_ok, cpu_job_lacks, no_access };
    std::array<double, 7> parts{};
    const auto all = static_cast<double>(left.all_devices);
    for (std::size_t j = 0; j < jobs_->size(); ++j) {
        const TypicalJob& job = (*jobs_)[j];
        const double frequency = frequencies_[j];
        const bool has_cpus = left.milli_cpus >= job.cpus.value();
        if (job.devices.is_zero()) {
            parts[has_cpus ? cpu_job_ok : cpu_job_lacks] += frequency * all;
            continue;
        }
        if (!has_access_[j]) {
            parts[no_access] += frequency * all;
            continue;
        }
        std::int64_t fitting = 0;
        std::int64_t too_small = 0;
        for (std::size_t d = 0; d < left.devices.size(); ++d) {
            if (can_use(j, d, left)) {
                ++fitting;
            } else {
                too_small += left.devices[d];
            }
        }
        const bool has_devices = fitting >= job.devices.value();
        if (has_devices && has_cpus) {
            parts[lacks_devices] += frequency * static_cast<double>(too_small);
            parts[ok] += frequency * static_cast<double>(left.all_devices - too_small);
        } else {
            const Part why = has_devices ? lacks_cpus : has_cpus ? lacks_devices : lacks_both;
            parts[why] += frequency * all;
        }
    }
    return parts[lacks_both] + parts[lacks_devices] + parts[lacks_cpus] + parts[cpu_job_ok] +
           parts[cpu_job_lacks] + parts[no_access];
}

}  // namespace trestle
