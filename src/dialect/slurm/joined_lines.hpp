// SPDX-License-Identifier: Apache-2.0
#pragma once

// The lines of a configuration file, each joined with those that it goes on in.
//
// Layer: dialect/slurm, inside. Main names: JoinedLines, take_line, is_conf_blank.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trestle::slurm {

/// Takes the first line, without its end.
[[nodiscard]] inline std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

/// A blank inside a line. `\r` is one, so that lines may end as DOS ends them.
[[nodiscard]] constexpr bool is_conf_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Walks a text line by line. A backslash at the end of a line joins it with the next one, also
/// inside a word; blanks and a comment may follow the backslash. A comment starts with a `#`
/// outside quotes that an even number of backslashes precedes. Two backslashes at the end do not
/// join.
class JoinedLines {
  public:
    /// Where a character of the joined line stands in the file.
    struct Place {
        std::uint32_t line = 0;
        std::size_t offset = 0;  ///< from the start of that line
    };

    /// The text has to outlive this. `number` is that of its first line.
    explicit JoinedLines(std::string_view text, std::uint32_t number = 1)
        : rest_(text), number_(number) {}

    /// Goes to the next line; false: there is none.
    [[nodiscard]] bool next();

    /// Without comments and line ends; good until next().
    [[nodiscard]] std::string_view text() const { return text_; }
    /// Requires: next() returned true. Complexity: logarithmic in the lines that were joined.
    [[nodiscard]] Place place_of(std::size_t offset) const;

  private:
    /// A piece of the joined line as it stands in the file.
    struct Piece {
        std::size_t first = 0;  ///< in the joined line
        Place place;
    };

    void append(std::string_view piece);

    std::string_view rest_;  ///< behind the lines that were walked
    std::uint32_t number_;   ///< of its first line
    std::string_view text_;
    std::string joined_;  ///< of more than one piece
    std::vector<Piece> pieces_;
};

}  // namespace trestle::slurm
