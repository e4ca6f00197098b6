// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/score/typical_jobs.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace trestle {

bool accepts(const PolicyOptions::TypicalJob& job, const std::string& type) {
    return job.types.empty() ||
           std::find(job.types.begin(), job.types.end(), type) != job.types.end();
}

TypicalJobs::TypicalJobs(const std::vector<PolicyOptions::TypicalJob>& jobs, const NodeShape& shape,
                         const std::vector<DeviceId>& devices) {
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    double seen = 0;
    for (const PolicyOptions::TypicalJob& job : jobs) seen += static_cast<double>(job.seen.value());
    std::vector<std::vector<std::int64_t>> needed_by_kind;
    for (const PolicyOptions::TypicalJob& job : jobs) {
        std::vector<std::int64_t> needed;
        for (const DeviceId id : devices) {
            const bool is_accepted = accepts(job, shape.devices[id.value()].type);
            needed.push_back(is_accepted ? job.thousandths.value() : never);
        }
        const bool has_access = std::any_of(needed.begin(), needed.end(),
                                            [](std::int64_t one) { return one != never; });
        const auto at = std::find(needed_by_kind.begin(), needed_by_kind.end(), needed);
        jobs_.push_back({static_cast<double>(job.seen.value()) / seen, job.cpus.value(),
                         job.devices.value(), size_of(job),
                         static_cast<std::size_t>(at - needed_by_kind.begin()), has_access});
        if (at == needed_by_kind.end()) needed_by_kind.push_back(std::move(needed));
    }
    kinds_ = needed_by_kind.size();
    for (std::size_t d = 0; d < devices.size(); ++d) {
        for (const auto& needed : needed_by_kind) needed_.push_back(needed[d]);
    }
}

TypicalJobs::Rooms TypicalJobs::rooms(const ScoreInput::Amounts& left) const {
    Rooms rooms{left.milli_cpus, left.all_devices, {}};
    rooms.by_kind.resize(kinds_);
    for (std::size_t d = 0; d < left.devices.size(); ++d) add(rooms, d, left.devices[d], 1);
    return rooms;
}

void TypicalJobs::take(Rooms& rooms, const ScoreInput::Amounts& left,
                       const detail::TakenAmounts& taken) const {
    rooms.milli_cpus -= taken.milli_cpus;
    rooms.all_devices -= taken.all_devices;
    for (const detail::TakenAmounts::OfDevice& one : taken.devices) {
        add(rooms, one.at, left.devices[one.at], -1);
        add(rooms, one.at, left.devices[one.at] - one.thousandths, 1);
    }
}

std::int64_t TypicalJobs::hosted(std::size_t job, const Rooms& rooms) const {
    const Job& one = jobs_[job];
    std::int64_t count = rooms.by_kind[one.kind].devices;
    if (count < one.devices) return 0;
    if (one.devices != 1) count /= one.devices;
    // Where jobs share cores more may be taken than there are.
    const std::int64_t left = std::max<std::int64_t>(0, rooms.milli_cpus);
    return one.cpus == 0 ? count : std::min(count, left / one.cpus);
}

void TypicalJobs::add(Rooms& rooms, std::size_t device, std::int64_t left,
                      std::int64_t times) const {
    const std::int64_t* const needed = needed_.data() + device * kinds_;
    Room* const by_kind = rooms.by_kind.data();
    for (std::size_t k = 0; k < kinds_; ++k) {
        const bool is_enough = left >= needed[k];
        by_kind[k].devices += is_enough ? times : 0;
        by_kind[k].too_small += is_enough ? 0 : times * left;
    }
}

double TypicalJobs::fragments(const Rooms& rooms) const {
    enum Part { lacks_both, lacks_devices, lacks_cpus, cpu_job_ok, cpu_job_lacks, no_access };
    std::array<double, 6> parts{};
    const auto all = static_cast<double>(rooms.all_devices);
    const Room* const by_kind = rooms.by_kind.data();
    for (const Job& job : jobs_) {
        const bool has_cpus = rooms.milli_cpus >= job.cpus;
        if (job.devices == 0) {
            parts[has_cpus ? cpu_job_ok : cpu_job_lacks] += job.frequency * all;
            continue;
        }
        if (!job.has_access) {
            parts[no_access] += job.frequency * all;
            continue;
        }
        const Room& room = by_kind[job.kind];
        const bool has_devices = room.devices >= job.devices;
        if (has_devices && has_cpus) {
            parts[lacks_devices] += job.frequency * static_cast<double>(room.too_small);
        } else {
            const Part why = has_devices ? lacks_cpus : has_cpus ? lacks_devices : lacks_both;
            parts[why] += job.frequency * all;
        }
    }
    return parts[lacks_both] + parts[lacks_devices] + parts[lacks_cpus] + parts[cpu_job_ok] +
           parts[cpu_job_lacks] + parts[no_access];
}

}  // namespace trestle
