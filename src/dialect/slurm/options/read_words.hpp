// SPDX-License-Identifier: Apache-2.0
#pragma once

// Words to options: the loop that all sources share, and the splitting of text into words.
//
// Layer: dialect/slurm, inside. Main names: OptionReader, split_option_words.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "option_table.hpp"

namespace trestle::slurm {

/// Whether an unescaped # ends the text.
enum class Comments { none, hash };

struct OptionWords {
    std::vector<std::string> words;
    std::optional<TextError> error;  ///< a quote without end
};
[[nodiscard]] OptionWords split_option_words(std::string_view text, Comments comments);

/// More components than a job may have (Slurm: MAX_HET_JOB_COMPS).
inline constexpr std::size_t components_max = 128;

/// Reads words into the last component of a submission and collects errors.
class OptionReader {
  public:
    OptionReader(Tool tool, OptionSource source) : tool_(tool), source_(source) {}

    /// Up to the first word that is no option; `first` is where it stands in `words`. Positions in
    /// errors count from `words` on, or are `line` where that is not 0.
    [[nodiscard]] std::size_t options_end(std::span<const std::string> words, std::size_t first,
                                          std::uint32_t line);
    /// Applies a value that stood elsewhere.
    void apply_variable(std::string_view variable, std::string_view option, std::string_view value);
    /// Reads a time of the variable that stands for the `@time` of --switches.
    [[nodiscard]] std::optional<Seconds> read_switch_wait(std::string_view variable,
                                                          std::string_view value);
    /// From here on the next component; false, with an error, when there are too many.
    bool start_component(std::uint32_t position);
    void add_error(std::uint32_t position, std::string_view option, TextError error);

    [[nodiscard]] JobComponent& component() { return reading_.submission.components.back(); }
    [[nodiscard]] SubmissionReading take() && { return std::move(reading_); }

  private:
    [[nodiscard]] std::size_t read_long(std::span<const std::string> words, std::size_t at);
    [[nodiscard]] std::size_t read_letters(std::span<const std::string> words, std::size_t at);
    void apply(const OptionRow& row, std::optional<std::string_view> value, std::uint32_t position);
    void add_unknown(std::string_view name, std::uint32_t position, bool is_ambiguous);
    [[nodiscard]] std::uint32_t position_of(std::size_t at) const {
        return line_ != 0 ? line_ : static_cast<std::uint32_t>(at + 1);
    }

    Tool tool_;
    OptionSource source_;
    std::uint32_t line_ = 0;
    std::string_view variable_;
    int nearest_left_ = 8;  ///< searches for the nearest name, which are slow
    SubmissionReading reading_;
};

}  // namespace trestle::slurm
