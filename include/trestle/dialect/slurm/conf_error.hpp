// SPDX-License-Identifier: Apache-2.0
#pragma once

// What reading a configuration file gives: the good lines and all errors of the bad ones.
//
// Layer: dialect/slurm. Main types: ConfError, ConfReading.
// A reader would get wrong: a bad line does not take the rest of the file with it, so `lines` may
// hold something although there are errors.

#include <cstdint>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/text.hpp"

namespace trestle::slurm {

/// One mistake in a file.
struct ConfError {
    std::uint32_t line = 0;  ///< counts from 1
    TextError error;         ///< its offset counts from the start of that line

    static constexpr auto fields() {
        return field_list(field("line", &ConfError::line), field("error", &ConfError::error));
    }
    friend bool operator==(const ConfError&, const ConfError&) = default;
};

/// `line 3: unknown key at offset 10 ("Corez"): expected Cores`.
[[nodiscard]] inline std::string to_text(const ConfError& error) {
    return "line " + std::to_string(error.line) + ": " + to_text(error.error);
}

/// The lines that could be read, and every error, in the order of the file.
template <class Line>
struct ConfReading {
    std::vector<Line> lines;
    std::vector<ConfError> errors;

    friend bool operator==(const ConfReading&, const ConfReading&) = default;
};

}  // namespace trestle::slurm
