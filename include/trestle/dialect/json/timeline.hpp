// SPDX-License-Identifier: Apache-2.0
#pragma once

// A timeline as JSON: its cluster, and the allocations with their periods.
//
// Layer: dialect. Include it beside json.hpp to write and read a Timeline. The document is
// {"cluster": ..., "parts": ...}; on reading, all is reserved again.
// Pitfall: what runs is written twice, in the cluster with its placement and in the parts with its
// period. An owner that the parts leave out runs from now for ever.

#include <utility>

#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/dialect/json/cluster.hpp"
#include "trestle/dialect/json/codec.hpp"

namespace trestle::json {

/// The whole state of a timeline as plain fields.
struct TimelineSnapshot {
    Cluster cluster;
    TimelineParts parts;

    static constexpr auto fields(auto list) {
        return list(field("cluster", &TimelineSnapshot::cluster),
                    field("parts", &TimelineSnapshot::parts));
    }
    friend bool operator==(const TimelineSnapshot&, const TimelineSnapshot&) = default;
};

template <>
struct detail::Codec<Timeline> {
    static Value write(const Timeline& timeline) {
        return Codec<TimelineSnapshot>::write({timeline.cluster(), timeline.parts()});
    }
    static bool read(const Value& value, const Place& place, Timeline& result) {
        TimelineSnapshot snapshot;
        if (!Codec<TimelineSnapshot>::read(value, place, snapshot)) return false;
        auto timeline = Timeline::create(std::move(snapshot.cluster), snapshot.parts);
        if (!timeline.ok()) {
            return place.member("parts").fail(message(timeline.status()), "a consistent timeline");
        }
        result = *std::move(timeline);
        return true;
    }
};

}  // namespace trestle::json
