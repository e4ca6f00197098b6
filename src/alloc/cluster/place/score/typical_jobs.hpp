// SPDX-License-Identifier: Apache-2.0
#pragma once

// What typical jobs make of a node: how much of it they cannot use, how many it could still host.
//
// Layer: alloc. Main type: TypicalJobs. fragments() is the measure of "Beware of Fragmentation"
// (USENIX ATC 2023): devices that a job drawn from the typical ones could not use.
// Pitfall: the order of the sums is part of the definition, because scores are cut to integers; and
// memory plays no part.

#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <string>
#include <vector>

#include "alloc/cluster/place/score/amounts.hpp"
#include "trestle/alloc/cluster/place/policy.hpp"
#include "trestle/model/node.hpp"

namespace trestle {

/// True when the job may use devices of that type.
[[nodiscard]] bool accepts(const PolicyOptions::TypicalJob& job, const std::string& type);

/// Thousandths of devices that the job takes.
[[nodiscard]] inline std::int64_t size_of(const PolicyOptions::TypicalJob& job) {
    return job.devices.value() * job.thousandths.value();
}

/// What typical jobs make of the nodes of a class. Jobs that can use the same devices and want as
/// much of each are one kind of demand, which is looked at once.
class TypicalJobs {
  public:
    /// How many devices have enough for a job, and what is left of the others.
    struct Room {
        std::int64_t devices = 0;
        std::int64_t too_small = 0;
    };
    /// What is left of a node, as the jobs look at it.
    struct Rooms {
        std::int64_t milli_cpus = 0;
        std::int64_t all_devices = 0;
        absl::InlinedVector<Room, 16> by_kind{};
    };

    TypicalJobs() = default;
    /// `devices` are those that count.
    TypicalJobs(const std::vector<PolicyOptions::TypicalJob>& jobs, const NodeShape& shape,
                const std::vector<DeviceId>& devices);

    /// What is left for the jobs. Complexity: kinds of demands times devices.
    [[nodiscard]] Rooms rooms(const ScoreInput::Amounts& left) const;
    /// `rooms` when so much has been taken. Requires: `rooms` is rooms(left).
    /// Complexity: the kinds of demands, for each device that is taken of.
    void take(Rooms& rooms, const ScoreInput::Amounts& left,
              const detail::TakenAmounts& taken) const;

    /// The expected thousandths of devices on the node that a job drawn from the typical ones
    /// cannot use: all that is left, when the node cannot host it; else what is left of devices
    /// that have too little for it. Complexity: the jobs.
    [[nodiscard]] double fragments(const Rooms& rooms) const;

    /// How many of the job, one of the typical ones, the node could host by its CPUs and devices.
    /// Requires: the job uses devices.
    [[nodiscard]] std::int64_t hosted(std::size_t job, const Rooms& rooms) const;
    /// Thousandths of devices that the job takes.
    [[nodiscard]] std::int64_t size(std::size_t job) const { return jobs_[job].size; }

  private:
    struct Job {
        double frequency = 0;  ///< all together make 1
        std::int64_t cpus = 0;
        std::int64_t devices = 0;
        std::int64_t size = 0;  ///< thousandths of devices
        std::size_t kind = 0;   ///< of its demand
        bool has_access = false;
    };

    /// `times` a device of which so much is left.
    void add(Rooms& rooms, std::size_t device, std::int64_t left, std::int64_t times) const;

    std::vector<Job> jobs_;
    std::size_t kinds_ = 0;
    /// Thousandths wanted of each device, by kind; of devices that cannot be used, more than any
    /// has. All kinds of the first device, then those of the next.
    std::vector<std::int64_t> needed_;
};

}  // namespace trestle
