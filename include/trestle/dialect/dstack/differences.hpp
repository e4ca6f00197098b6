// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where this library and dstack part: one table, row by row.
//
// Layer: dialect/dstack. Main names: Divergence, differences(). What dstack does was seen by
// running it or read from its source (0.22.5, default_release). Every row names a test that holds
// to what it says of us. Pitfall: what its guide says and the program does not do is no difference
// here. So a bare value is exact, and a GPU without a count is one or more.

#include <span>
#include <string>
#include <string_view>

#include "trestle/base/fields.hpp"

namespace trestle::dstack {

/// One difference.
struct Divergence {
    std::string_view topic;
    std::string_view dstack;  ///< what dstack does
    std::string_view here;    ///< what is done here
    std::string_view test;    ///< the name of a test case

    static constexpr auto fields(auto list) {
        return list(field("topic", &Divergence::topic), field("dstack", &Divergence::dstack),
                    field("here", &Divergence::here), field("test", &Divergence::test));
    }
    friend bool operator==(const Divergence&, const Divergence&) = default;
};

/// All of them: sizes, ranges, parts of resources, durations, files, print, offers, blocks, runs,
/// containers.
[[nodiscard]] std::span<const Divergence> differences();

/// The table in Markdown.
[[nodiscard]] std::string differences_text();

}  // namespace trestle::dstack
