// SPDX-License-Identifier: Apache-2.0
#pragma once

// A timeline as JSON: its cluster, and who has what from when to when.
//
// Layer: dialect. Include it beside json.hpp to write and read a Timeline. The document is
// {"cluster": ..., "parts": ...}; on reading, all is reserved again.
// A reader would get wrong: what runs is said twice, by the cluster with its placement and by the
// parts with its period. One whom the parts leave out runs from now for ever.

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
