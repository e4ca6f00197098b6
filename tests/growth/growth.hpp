// SPDX-License-Identifier: Apache-2.0
// What the rows of the growth test share: the count of a call, and the world that they ask.
#pragma once

#include <valgrind/callgrind.h>

#include <cstdint>
#include <vector>

#include "trestle/alloc/cluster/place/prepared_request.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/ids.hpp"

namespace trestle::growth {

/// How large the world is.
struct Size {
    std::uint32_t nodes = 0;
    std::uint32_t kinds = 0;  ///< of nodes
};

/// While it lives, callgrind sees what runs. To start and end it for each call would translate all
/// code anew each time, which takes longer than the calls.
struct Watched {
    Watched() { CALLGRIND_START_INSTRUMENTATION; }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    ~Watched() { CALLGRIND_STOP_INSTRUMENTATION; }
};

/// Counts the instructions of the call, and keeps its result to the end. Requires: a Watched.
template <class Call>
auto measure(const char* name, const Call& call) {
    CALLGRIND_ZERO_STATS;
    CALLGRIND_TOGGLE_COLLECT;
    auto result = call();
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS_AT(name);
    return result;
}

/// Ends the program where it is not so.
void require(bool is_so, const char* what);

/// So many GPUs and CPUs of each of so many nodes.
[[nodiscard]] PreparedRequest gpus(std::int64_t nodes, std::int64_t each,
                                   std::int64_t memory_gib = 16);

/// The nodes of a kind follow each other. Each second node has a job of 1 to 8 of its 8 GPUs, until
/// a time of its own.
[[nodiscard]] Timeline half_full(Size size);

/// An owner that has nothing.
inline const OwnerId newcomer(20'000'000);

void count_placing(const Cluster& half);
void count_reading_and_changing(const Cluster& half);
void count_columns(const Cluster& half);
void count_making_room(const Cluster& full);
void count_starts(const Timeline& full);
void count_passes(const Timeline& full);
void count_reserving(const Timeline& full);
void count_documents(Size size);
void count_pictures(const Timeline& full);
void count_slurm(Size size);
void count_kubernetes(Size size);
void count_offers(Size size);

}  // namespace trestle::growth
