// SPDX-License-Identifier: Apache-2.0
#pragma once

// A picture of a timeline: a Gantt chart, nodes from top to bottom and time from left to right.
//
// Layer: dialect/svg. Main names: render_timeline, TimelinePictureOptions.
// Each node has a line. In it the bar of an owner is as high as its largest part of the cores,
// memory or devices of one name. An owner of all of several lines is one bar. The <title> of a bar
// has its owner, period and number of nodes.
// Pitfall: owners with licences alone are in no line, and a bar that reaches the right edge may go
// on.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/svg/node.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle::svg {

/// How a picture of a timeline looks, and what of it is shown.
struct TimelinePictureOptions {
    std::uint32_t width = 960;       ///< in pixels; 480 to 4096, else the nearer of the two
    std::string title{};             ///< empty: "timeline"
    std::vector<OwnerName> names{};  ///< the first one of an owner counts; others are numbers
    std::optional<NodeSet> nodes{};  ///< absent: all; of more than 2,048 the first ones, it says so
    /// The right edge; absent, or not after now(): when the last one ends, else in an hour.
    std::optional<Instant> last{};

    static constexpr auto fields(auto list) {
        return list(field("width", &TimelinePictureOptions::width),
                    field("title", &TimelinePictureOptions::title),
                    field("names", &TimelinePictureOptions::names),
                    field("nodes", &TimelinePictureOptions::nodes),
                    field("last", &TimelinePictureOptions::last));
    }
    friend bool operator==(const TimelinePictureOptions&, const TimelinePictureOptions&) = default;
};

/// The picture as one SVG document, the same for equal timelines and options. The left edge is
/// now(). Nodes that do not exist are left out, and what their owners have there. Texts may be
/// anything, as in render_node. Complexity: linear in what runs and will, on each node in the
/// square of it.
[[nodiscard]] std::string render_timeline(const Timeline& timeline,
                                          const TimelinePictureOptions& options = {});

}  // namespace trestle::svg
