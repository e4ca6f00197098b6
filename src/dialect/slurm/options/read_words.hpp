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
    std::vector<std::size_t> starts;  ///< of each, in the text
    std::optional<TextError> error;   ///< a quote without end
};
[[nodiscard]] OptionWords split_option_words(std::string_view text, Comments comments);

/// Where character number `character` of the word stands that starts at `start` in the text: words
/// have neither quotes nor backslashes.
[[nodiscard]] std::size_t offset_in_text(std::string_view text, std::size_t start,
                                         std::size_t character);

/// Where an option stands, and which it is: `line 3, column 20: --gres: `.
[[nodiscard]] std::string place_text(const OptionError& error);

/// More components than a job may have (Slurm: MAX_HET_JOB_COMPS).
inline constexpr std::size_t components_max = 128;

/// Reads words into the last component of a submission and collects errors.
class OptionReader {
  public:
    /// Requires: `known` outlives the reader.
    OptionReader(Tool tool, OptionSource source, const KnownOptions& known);

    /// Says where the words to come stand: in `text`, which has `before` more characters in front.
    /// Without it each word is a text of its own. Requires: both outlive the reading of the words.
    void set_text(std::string_view text, std::span<const std::size_t> starts, std::size_t before) {
        text_ = text;
        starts_ = starts;
        before_ = before;
    }
    /// Up to the first word that is no option; `first` is where it stands in `words`. Positions in
    /// errors count from `words` on, or are `line` where that is not 0.
    [[nodiscard]] std::size_t options_end(std::span<const std::string> words, std::size_t first,
                                          std::uint32_t line);
    /// Applies a value that stood elsewhere.
    void apply_variable(std::string_view variable, std::string_view option, std::string_view value);
    /// Reads a time of the variable that stands for the `@time` of --switches.
    [[nodiscard]] std::optional<Seconds> read_switch_wait(std::string_view variable,
                                                          std::string_view value);
    /// From here on the next component, for that word said so; false, with an error, when there are
    /// too many. `line` as above.
    bool start_component(std::size_t word, std::uint32_t line);
    /// Adds an error whose offset counts in that word, which is no option.
    void add_error_in_word(std::size_t word, std::uint32_t line, TextError error);
    /// Adds an error whose offset counts in the text.
    void add_error_in_text(std::uint32_t position, TextError error);

    [[nodiscard]] JobComponent& component() { return reading_.submission.components.back(); }
    [[nodiscard]] SubmissionReading take() && { return std::move(reading_); }

  private:
    [[nodiscard]] std::size_t read_long(std::span<const std::string> words, std::size_t at);
    [[nodiscard]] std::size_t read_letters(std::span<const std::string> words, std::size_t at);
    /// A character of a word.
    struct Place {
        std::size_t word = 0;
        std::size_t character = 0;
    };

    /// `place`: of the value's first character.
    void apply(const OptionRow& row, std::optional<std::string_view> value, Place place);
    void add_unknown(std::string_view name, Place place, bool is_ambiguous);
    /// Warns of an option, or of a word of its value, that the release lacks.
    void look_at_release(const OptionRow& row, std::string_view value, Place place);
    /// `place`: from where the error's offset counts.
    void add_error(Place place, std::string_view option, TextError error);
    [[nodiscard]] std::uint32_t column_of(Place place) const;
    [[nodiscard]] std::uint32_t position_of(std::size_t word) const {
        if (source_ == OptionSource::environment) return 0;
        return line_ != 0 ? line_ : static_cast<std::uint32_t>(word + 1);
    }

    Tool tool_;
    OptionSource source_;
    std::optional<Release> release_;
    std::vector<OptionRow> plugins_;
    std::uint32_t line_ = 0;
    std::string_view text_;
    std::span<const std::size_t> starts_;
    std::size_t before_ = 0;
    std::string_view variable_;
    int nearest_left_ = 8;  ///< searches for the nearest name, which are slow
    SubmissionReading reading_;
};

}  // namespace trestle::slurm
