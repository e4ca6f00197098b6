// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which releases of Slurm have an option or a key, as far as that is known.
//
// Layer: dialect/slurm, inside. Main type: KnownReleases, a column of the tables of options and
// keys. Sources: Slurm's release notes and change logs, and what the parsers of 22.05.8, 24.11.5
// and 26.05.5 called unrecognized.

#include <string>
#include <string_view>

#include "trestle/dialect/slurm/release.hpp"

namespace trestle::slurm {

struct KnownReleases {
    std::string_view since;  ///< the first, `24.05`; empty: 2.6, or nothing is known of it
    std::string_view until;  ///< the last; empty: 26.05
    bool is_first = true;    ///< false: a release between `since` and the one before may have it
};
[[nodiscard]] constexpr KnownReleases known_since(std::string_view first) { return {first, {}}; }
/// Those that were asked: this one has it, the one before has not.
[[nodiscard]] constexpr KnownReleases known_in(std::string_view release) {
    return {release, {}, false};
}
[[nodiscard]] constexpr KnownReleases known_until(std::string_view last) { return {{}, last}; }

[[nodiscard]] bool includes(const KnownReleases& releases, Release release);
/// `since 24.05`, `known in 24.11`, `dropped after 20.11`, `since 23.02, dropped after 23.11`;
/// empty: all have it.
[[nodiscard]] std::string to_text(const KnownReleases& releases);

/// `24.11`.
[[nodiscard]] std::string version_of(Release release);

}  // namespace trestle::slurm
