// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which release of Slurm is followed.
//
// Layer: dialect/slurm. Main names: Release, default_release. The rules that differ between
// releases are one table (choice/rules/release_rules.hpp inside).
// Pitfall: recorded decisions are of 22.05.8, 24.11.5 and 26.05.5. A release between them follows
// the rules of the one before it only where no rule changed.

#include <array>

#include <string_view>

#include "trestle/base/enums.hpp"
#include "trestle/base/status.hpp"

namespace trestle::slurm {

/// A release of Slurm with recorded decisions.
enum class Release { v22_05, v24_11, v26_05 };

constexpr auto enum_names(Release) {
    using enum Release;
    return std::array{named(v22_05, "v22_05"), named(v24_11, "v24_11"), named(v26_05, "v26_05")};
}

/// The release that is followed where none is named.
inline constexpr Release default_release = Release::v24_11;

/// `24.11`, and with more of a version, as `24.11.5` of `sinfo --version`. Errors: InvalidArgument
/// for a release without recorded decisions.
[[nodiscard]] StatusOr<Release> parse_release(std::string_view text);

/// The release with recorded decisions whose rules are nearest to a version: the last one that is
/// no later, else the first one. `23.11.4` and `slurm 23.11.4` are versions; for a text without two
/// numbers it is default_release.
[[nodiscard]] Release nearest_release(std::string_view version);

}  // namespace trestle::slurm
