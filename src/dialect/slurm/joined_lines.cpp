// SPDX-License-Identifier: Apache-2.0
#include "joined_lines.hpp"

#include <algorithm>

namespace trestle::slurm {
namespace {

/// The length of a line without its comment. `is_quoted`: whether a quote is open, before and
/// behind the line. A quote opens only behind a `=`.
std::size_t length_without_comment(std::string_view line, bool& is_quoted) {
    char before = ' ';        // the last one that is no blank
    bool is_escaped = false;  // an odd number of backslashes stands before
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"') is_quoted = !is_quoted && before == '=';
        if (c == '#' && !is_quoted && !is_escaped) return i;
        is_escaped = c == '\\' && !is_escaped;
        if (!is_conf_blank(c)) before = c;
    }
    return line.size();
}

/// Takes the backslash that joins lines off the end; false: there is none.
bool take_backslash(std::string_view& line) {
    std::size_t end = line.size();
    while (end > 0 && is_conf_blank(line[end - 1])) --end;
    std::size_t first = end;
    while (first > 0 && line[first - 1] == '\\') --first;
    if ((end - first) % 2 == 0) return false;
    line = line.substr(0, end - 1);
    return true;
}

}  // namespace

bool JoinedLines::next() {
    if (rest_.empty()) return false;
    pieces_.clear();
    joined_.clear();
    bool is_quoted = false;
    for (bool goes_on = true; goes_on;) {
        std::string_view line = take_line(rest_);
        line = line.substr(0, length_without_comment(line, is_quoted));
        goes_on = take_backslash(line) && !rest_.empty();
        pieces_.push_back({joined_.size(), {number_++, 0}});
        const bool is_plain = line.find("\\#") == line.npos;
        if (pieces_.size() == 1 && !goes_on && is_plain) {
            text_ = line;
            return true;
        }
        append(line);
    }
    text_ = joined_;
    return true;
}

void JoinedLines::append(std::string_view piece) {
    while (true) {
        const std::size_t escape = piece.find("\\#");
        joined_ += piece.substr(0, escape);
        if (escape == piece.npos) return;
        const Place known = place_of(joined_.size());
        pieces_.push_back({joined_.size(), {known.line, known.offset + 1}});
        joined_ += '#';
        piece.remove_prefix(escape + 2);
    }
}

JoinedLines::Place JoinedLines::place_of(std::size_t offset) const {
    auto piece = std::upper_bound(pieces_.begin() + 1, pieces_.end(), offset,
                                  [](std::size_t at, const Piece& one) { return at < one.first; });
    --piece;
    return {piece->place.line, piece->place.offset + (offset - piece->first)};
}

}  // namespace trestle::slurm
