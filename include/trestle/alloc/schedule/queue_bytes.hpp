// SPDX-License-Identifier: Apache-2.0
#pragma once

// A queue as bytes and back: what a restart needs besides the timeline.
//
// Layer: alloc. Main type: SavedQueue; main functions: to_bytes, queue_from_bytes. The format is
// that of a cluster and a timeline: a name of eight bytes, a version, a checksum and the content.
// Equal queues give equal bytes; requests that several jobs share are written once.
// Pitfall: the order of jobs is kept, since it decides their turns. The order of the lists of the
// state is kept too, and means nothing.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trestle/alloc/cluster/cluster_bytes.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/alloc/schedule/start_conditions.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

/// The jobs that wait, in their order, and what is known of them and others.
struct SavedQueue {
    std::vector<QueuedJob> jobs = {};
    QueueState state = {};

    static constexpr auto fields(auto list) {
        return list(field("jobs", &SavedQueue::jobs), field("state", &SavedQueue::state));
    }
    friend bool operator==(const SavedQueue&, const SavedQueue&) = default;
};

/// The bytes. Complexity: linear in jobs, different requests, conditions and records.
[[nodiscard]] std::vector<std::uint8_t> to_bytes(const SavedQueue& queue);

/// The queue that to_bytes() made these of. Errors: InvalidArgument, one line with the offset and
/// what was expected, for other bytes, another version and damage. The same for a request that
/// check() rejects, naming the owner, and for jobs, conditions and records that eligible_jobs()
/// rejects.
[[nodiscard]] StatusOr<SavedQueue> queue_from_bytes(std::span<const std::uint8_t> bytes);

}  // namespace trestle
