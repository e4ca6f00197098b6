// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `trestle lint` finds in a file.
//
// Layer: tool. Main types: Severity, Finding.
// Pitfall: a suspicion is no mistake: Slurm does what the file says.

#include <array>
#include <cstdint>
#include <string>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"

namespace trestle::tool {

/// error: the file is not read. warning: it is read otherwise than it is written. suspicion: it is
/// read, but probably not what is meant.
enum class Severity { error, warning, suspicion };

constexpr auto enum_names(Severity) {
    using enum Severity;
    return std::array{named(error, "error"), named(warning, "warning"),
                      named(suspicion, "suspicion")};
}

/// One thing that should be looked at.
struct Finding {
    std::string file;
    std::uint32_t line = 0;    ///< from 1; 0: the file as a whole
    std::uint32_t column = 0;  ///< from 1; 0: the line as a whole
    Severity severity = Severity::error;
    std::string message;
    std::string suggestion = {};  ///< a line to stand there instead, or beside it; empty: none

    static constexpr auto fields(auto list) {
        return list(field("file", &Finding::file), field("line", &Finding::line),
                    field("column", &Finding::column), field("severity", &Finding::severity),
                    field("message", &Finding::message), field("suggestion", &Finding::suggestion));
    }
    friend bool operator==(const Finding&, const Finding&) = default;
};

/// `gres.conf:3:14: error: unknown key ("Corez"), ...`.
[[nodiscard]] std::string finding_text(const Finding& finding);

}  // namespace trestle::tool
