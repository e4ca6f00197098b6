// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which of two texts in a file of a group limits more, and what limits as much as both.
//
// Layer: enforce. Main names: default_text, tightest_of. For plan_update, which knows values only
// as the texts that steps write. A reader would get wrong: more is not always looser. Protection
// (memory.low) and weights take from others, so there more is looser too; with memory.oom.group 1
// is the tighter one.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trestle::detail {

[[nodiscard]] std::vector<std::string> words_between_blanks(std::string_view text);

/// A whole number, or the greatest for `max`; nothing for another text.
[[nodiscard]] std::optional<std::uint64_t> limit_number(std::string_view text);

/// The keys of a line of io.max and rdma.max, all of which a line of ours has.
[[nodiscard]] std::vector<std::string> keys_of_lines(const std::string& file);

/// True for a file whose lines begin with what they are about: `8:0 rbps=1`, `sev 10`.
[[nodiscard]] inline bool has_lines(const std::string& file) {
    return !keys_of_lines(file).empty() || file == "misc.max" || file == "io.weight";
}

/// What a line is about; empty for a file that is one value.
[[nodiscard]] inline std::string subject_of(const std::string& file, const std::string& text) {
    return has_lines(file) ? text.substr(0, text.find(' ')) : std::string();
}

/// What the kernel has in a file of one number where nothing was written.
[[nodiscard]] std::optional<std::string> default_number(const std::string& file);

/// What the kernel has where nothing was written; nothing for what is not known here.
[[nodiscard]] std::optional<std::string> default_text(const std::string& file,
                                                      const std::string& subject);

/// The numbers of a text, each of which limits more the smaller it is; nothing where it is no such
/// text. A key that a line does not have is not limited.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> limit_numbers(const std::string& file,
                                                                      const std::string& text);

/// The line that says these numbers about the subject of `text`.
[[nodiscard]] std::string line_of(const std::string& file, const std::string& text,
                                  const std::vector<std::uint64_t>& numbers);

[[nodiscard]] std::optional<std::string> fewest_of(const std::string& file, const std::string& a,
                                                   const std::string& b);

/// CPU time in a period; `max` of it is without end. The part counts, not the period.
[[nodiscard]] std::optional<std::string> least_time_of(const std::string& a, const std::string& b);

/// Nothing at all means what the parent has, so sets without a common index have no such set.
[[nodiscard]] std::optional<std::string> common_set_of(const std::string& a, const std::string& b);

/// The loosest text that is no looser than `a` and no looser than `b`, in the words of `b` where
/// that is it; nothing where the kernel has no text for it, or the file is not known here.
[[nodiscard]] std::optional<std::string> tightest_of(const std::string& file, const std::string& a,
                                                     const std::string& b);

}  // namespace trestle::detail
