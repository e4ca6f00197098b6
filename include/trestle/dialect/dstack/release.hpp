// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which release of dstack is followed.
//
// Layer: dialect/dstack. Main names: Release, default_release. Where the two part:
//
// | what | 0.21 | 0.22 |
// |---|---|---|
// | lists of fleet and run | compared letter by letter | without regard to case |
// | compute_capability of both | the weaker counts | the stronger counts |
// | backends | | daytona, lium and seeweb too; jarvislabs joins nodes and has spot |
//
// Pitfall: files of both releases are read, whichever is followed: what 0.22 added to them
// (`groups:` of services) 0.21 would refuse.

#include <array>
#include <string_view>

#include "trestle/base/enums.hpp"
#include "trestle/base/status.hpp"

namespace trestle::dstack {

/// A release of dstack whose behaviour is known: 0.21.2 and 0.22.5.
enum class Release { v0_21, v0_22 };

constexpr auto enum_names(Release) {
    using enum Release;
    return std::array{named(v0_21, "v0_21"), named(v0_22, "v0_22")};
}

/// The release that is followed where none is named.
inline constexpr Release default_release = Release::v0_22;

/// `0.22`, and with more of a version, as `0.22.5` of `dstack --version`. Errors: InvalidArgument
/// for a release that is not known.
[[nodiscard]] StatusOr<Release> parse_release(std::string_view text);

}  // namespace trestle::dstack
