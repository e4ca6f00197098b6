// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is wrong in configuration files, and where.
//
// Layer: dialect/slurm. Main types: ConfPlace, ConfError, ConfWarning, MendedMistakes; ConfFiles
// finds what `Include` names.
// Pitfall: a bad line does not take the rest of the file with it. Every reader returns what it
// could read beside all errors.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "trestle/base/fields.hpp"
#include "trestle/base/text.hpp"

namespace trestle::slurm {

/// A line of a file.
struct ConfPlace {
    std::string file;        ///< `slurm.conf`, or as the `Include` that named it writes it
    std::uint32_t line = 0;  ///< counts from 1

    static constexpr auto fields(auto list) {
        return list(field("file", &ConfPlace::file), field("line", &ConfPlace::line));
    }
    friend bool operator==(const ConfPlace&, const ConfPlace&) = default;
};

/// `slurm.conf line 3`.
[[nodiscard]] inline std::string to_text(const ConfPlace& place) {
    return place.file + " line " + std::to_string(place.line);
}

/// One mistake in a file.
struct ConfError {
    ConfPlace place;
    TextError error;  ///< its offset counts from the start of that line
    /// What Slurm takes instead, if it logs the mistake and goes on; empty: Slurm stops.
    std::string taken = {};

    static constexpr auto fields(auto list) {
        return list(field("place", &ConfError::place), field("error", &ConfError::error),
                    field("taken", &ConfError::taken));
    }
    friend bool operator==(const ConfError&, const ConfError&) = default;
};

/// `slurm.conf line 3: unknown key at offset 10 ("Corez"): expected Cores`.
[[nodiscard]] inline std::string to_text(const ConfError& error) {
    return to_text(error.place) + ": " + to_text(error.error);
}

/// What was read, but not all of it used; or what Slurm takes instead of what stands there.
struct ConfWarning {
    ConfPlace place;
    std::string message;

    static constexpr auto fields(auto list) {
        return list(field("place", &ConfWarning::place), field("message", &ConfWarning::message));
    }
    friend bool operator==(const ConfWarning&, const ConfWarning&) = default;
};

/// `gres.conf line 2: gpu:a100: 2 more than slurm.conf has`.
[[nodiscard]] inline std::string to_text(const ConfWarning& warning) {
    return to_text(warning.place) + ": " + warning.message;
}

/// What a reader makes of a mistake that Slurm logs, and in whose place Slurm takes another value.
enum class MendedMistakes {
    warnings,  ///< each with the value that Slurm takes, which is used
    errors     ///< for checking a file
};

/// A key that means nothing here, as it was written.
struct PassthroughKey {
    ConfPlace place;
    std::string key;
    std::string value;  ///< without quotes

    static constexpr auto fields(auto list) {
        return list(field("place", &PassthroughKey::place), field("key", &PassthroughKey::key),
                    field("value", &PassthroughKey::value));
    }
    friend bool operator==(const PassthroughKey&, const PassthroughKey&) = default;
};

/// Gives the text that a line `Include NAME` stands for, or nothing when there is none. Absent: no
/// file may be included. A file may be asked for more than once, but not include itself. Eight
/// files deep, a thousand includes and 64 MiB in all are the limits.
using ConfFiles = std::function<std::optional<std::string>(std::string_view name)>;

}  // namespace trestle::slurm
