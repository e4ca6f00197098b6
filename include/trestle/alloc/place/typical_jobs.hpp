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
#include <limits>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "trestle/alloc/place/amounts.hpp"
#include "trestle/alloc/place/policy.hpp"
#include "trestle/model/node.hpp"

namespace trestle {

/// True when the job may use devices of that type.
[[nodiscard]] inline bool accepts(const TypicalJob& job, const std::string& type) {
    return job.types.empty() ||
           std::find(job.types.begin(), job.types.end(), type) != job.types.end();
}

/// Thousandths of devices that the job takes.
[[nodiscard]] inline std::int64_t size_of(const TypicalJob& job) {
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
    TypicalJobs(const std::vector<TypicalJob>& jobs, const NodeShape& shape,
                const std::vector<DeviceId>& devices)
        : jobs_(&jobs) {
        constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
        double seen = 0;
        for (const TypicalJob& job : jobs) seen += static_cast<double>(job.seen.value());
        for (const TypicalJob& job : jobs) {
            frequencies_.push_back(static_cast<double>(job.seen.value()) / seen);
            std::vector<std::int64_t> needed;
            for (const DeviceId id : devices) {
                const bool is_accepted = accepts(job, shape.devices[id.value()].type);
                needed.push_back(is_accepted ? job.thousandths.value() : never);
            }
            has_access_.push_back(std::any_of(needed.begin(), needed.end(),
                                              [](std::int64_t one) { return one != never; }));
            const auto at = std::find(needed_.begin(), needed_.end(), needed);
            kind_of_.push_back(static_cast<std::size_t>(at - needed_.begin()));
            if (at == needed_.end()) needed_.push_back(std::move(needed));
        }
    }

    [[nodiscard]] Rooms rooms(const NodeAmounts& left) const {
        Rooms rooms{left.milli_cpus, left.all_devices, {}};
        rooms.by_kind.resize(needed_.size());
        for (std::size_t d = 0; d < left.devices.size(); ++d) add(rooms, d, left.devices[d], 1);
        return rooms;
    }
    /// `rooms` when so much has been taken. Requires: `rooms` is rooms(left).
    /// Complexity: the kinds of demands, for each device that is taken of.
    void take(Rooms& rooms, const NodeAmounts& left, const detail::TakenAmounts& taken) const {
        rooms.milli_cpus -= taken.milli_cpus;
        rooms.all_devices -= taken.all_devices;
        for (const detail::TakenAmounts::OfDevice& one : taken.devices) {
            add(rooms, one.at, left.devices[one.at], -1);
            add(rooms, one.at, left.devices[one.at] - one.thousandths, 1);
        }
    }

    /// The expected thousandths of devices on the node that a job drawn from the typical ones
    /// cannot use: all that is left, when the node cannot host it; else what is left of devices
    /// that have too little for it. Complexity: the jobs.
    [[nodiscard]] double fragments(const Rooms& rooms) const;

    /// How many of the job, one of the typical ones, the node could host by its CPUs and devices.
    /// Requires: the job uses devices.
    [[nodiscard]] std::int64_t hosted(std::size_t job, const Rooms& rooms) const {
        const TypicalJob& one = (*jobs_)[job];
        const std::int64_t by_devices = rooms.by_kind[kind_of_[job]].devices / one.devices.value();
        if (by_devices == 0 || one.cpus.is_zero()) return by_devices;
        return std::min(by_devices, rooms.milli_cpus / one.cpus.value());
    }
    /// Thousandths of devices that the job takes.
    [[nodiscard]] std::int64_t size(std::size_t job) const { return size_of((*jobs_)[job]); }

  private:
    /// `times` a device of which so much is left.
    void add(Rooms& rooms, std::size_t device, std::int64_t left, std::int64_t times) const {
        for (std::size_t k = 0; k < needed_.size(); ++k) {
            const bool is_enough = left >= needed_[k][device];
            rooms.by_kind[k].devices += is_enough ? times : 0;
            rooms.by_kind[k].too_small += is_enough ? 0 : times * left;
        }
    }

    const std::vector<TypicalJob>* jobs_ = nullptr;
    /// Thousandths wanted of each device, by kind; of devices that cannot be used, more than any
    /// has.
    std::vector<std::vector<std::int64_t>> needed_;
    std::vector<std::size_t> kind_of_;  ///< by job
    std::vector<bool> has_access_;      ///< by job
    std::vector<double> frequencies_;   ///< by job; all together make 1
};

inline double TypicalJobs::fragments(const Rooms& rooms) const {
    enum Part { lacks_both, lacks_devices, ok, lacks_cpus, cpu_job_ok, cpu_job_lacks, no_access };
    std::array<double, 7> parts{};
    const auto all = static_cast<double>(rooms.all_devices);
    for (std::size_t j = 0; j < jobs_->size(); ++j) {
        const TypicalJob& job = (*jobs_)[j];
        const double frequency = frequencies_[j];
        const bool has_cpus = rooms.milli_cpus >= job.cpus.value();
        if (job.devices.is_zero()) {
            parts[has_cpus ? cpu_job_ok : cpu_job_lacks] += frequency * all;
            continue;
        }
        if (!has_access_[j]) {
            parts[no_access] += frequency * all;
            continue;
        }
        const Room& room = rooms.by_kind[kind_of_[j]];
        const bool has_devices = room.devices >= job.devices.value();
        if (has_devices && has_cpus) {
            parts[lacks_devices] += frequency * static_cast<double>(room.too_small);
            parts[ok] += frequency * static_cast<double>(rooms.all_devices - room.too_small);
        } else {
            const Part why = has_devices ? lacks_cpus : has_cpus ? lacks_devices : lacks_both;
            parts[why] += frequency * all;
        }
    }
    return parts[lacks_both] + parts[lacks_devices] + parts[lacks_cpus] + parts[cpu_job_ok] +
           parts[cpu_job_lacks] + parts[no_access];
}

}  // namespace trestle
