// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where this library and Slurm part: one table, row by row.
//
// Layer: dialect/slurm. Main names: Difference, differences(). A row is a defect or a limit of
// Slurm, or a choice of ours. What Slurm does was read from its source (26.11) or recorded (22.05,
// 24.11, 26.05).
// Every row names a test that holds to what it says of us.
// Pitfall: select() follows Slurm, its defects too where the release has them; place(), fit() and
// the readers do not.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/dialect/slurm/release.hpp"

namespace trestle::slurm {

/// One difference.
struct Difference {
    std::string_view topic;
    std::string_view slurm;          ///< what Slurm does
    std::string_view here;           ///< what the core's policies or the readers do
    std::string_view select;         ///< what select() does; empty: it has no part in it
    std::string_view test;           ///< the name of a test case
    std::string_view releases = {};  ///< of Slurm that it is about, as "24.11 26.05"; empty: all

    static constexpr auto fields(auto list) {
        return list(field("topic", &Difference::topic), field("slurm", &Difference::slurm),
                    field("here", &Difference::here), field("select", &Difference::select),
                    field("test", &Difference::test), field("releases", &Difference::releases));
    }
    friend bool operator==(const Difference&, const Difference&) = default;
};

/// All of them: texts, configuration, choice, topology, jobs, enforcement.
[[nodiscard]] std::span<const Difference> differences();

/// Those that are about the release.
[[nodiscard]] std::vector<Difference> differences(Release release);

/// The table in Markdown.
[[nodiscard]] std::string differences_text();

}  // namespace trestle::slurm
