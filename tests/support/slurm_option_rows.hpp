// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tables of options of Slurm and of what they are read as.

#include <cstddef>
#include <initializer_list>
#include <string>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/options/options.hpp"

namespace trestle::slurm_option_rows {

struct OptionRow {
    const char* text;
    const char* expected;
    const char* why;
};

/// The options as text, which leaves out what was not given; or the error, without its position and
/// what was expected.
inline std::string reading_of(const std::string& text) {
    const auto reading = slurm::read_option_text(text);
    if (reading.errors.empty()) return to_text(reading.submission.components.front().options);
    const std::string error = to_text(reading.errors.front());
    const std::size_t expected = error.find(": expected ");
    REQUIRE(expected != std::string::npos);
    CHECK(error.starts_with("word "));
    const std::size_t start = error.find(": ") + 2;
    return error.substr(start, expected - start);
}

inline void check_option_rows(std::initializer_list<OptionRow> rows) {
    for (const OptionRow& row : rows) {
        INFO(row.text << ": " << row.why);
        CHECK(reading_of(row.text) == row.expected);
    }
}

}  // namespace trestle::slurm_option_rows
