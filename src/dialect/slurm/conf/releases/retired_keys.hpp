// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keys and words that a release knows by name, and ignores or refuses.
//
// Layer: dialect/slurm, inside. Main name: retired_keys. Source: what the controllers of 22.05.8,
// 24.11.5 and 26.05.5 logged of a file with one such key.
// Pitfall: keys that a release does not know at all are errors of the reader, and those of
// refused_keys.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/dialect/slurm/conf_error.hpp"
#include "trestle/dialect/slurm/release.hpp"

namespace trestle::slurm {

enum class ConfFileKind { slurm_conf, cgroup_conf };

/// An entry that a release ignores or refuses.
struct RetiredEntry {
    ConfPlace place;
    std::size_t offset = 0;   ///< of the key, in that line
    bool is_refused = false;  ///< the daemons of the release do not start
    std::string token;        ///< the key, or `key=word`
    std::string what;         ///< becomes of it
    std::string expected;     ///< instead of it; empty: nothing
    std::string suggestion;   ///< the line without the key, or with what replaces it

    [[nodiscard]] std::string message() const {
        return token + ": " + what + (expected.empty() ? "" : ", expected " + expected);
    }
};

[[nodiscard]] std::vector<RetiredEntry> retired_keys(ConfFileKind kind, std::string_view text,
                                                     Release release, const ConfFiles& files);

}  // namespace trestle::slurm
