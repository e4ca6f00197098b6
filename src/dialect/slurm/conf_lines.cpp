// SPDX-License-Identifier: Apache-2.0
#include "conf_lines.hpp"

namespace trestle::slurm {
namespace {

constexpr std::string_view blanks_and_ends = " \t\r\n#";

class ConfSplitter {
  public:
    ConfSplitter(std::string_view text, std::vector<ConfError>& errors)
        : text_(text), errors_(errors) {}

    std::vector<ConfLine> split() {
        std::vector<ConfLine> lines;
        while (position_ < text_.size()) {
            ConfLine line{line_, {}};
            read_line(line);
            if (!line.entries.empty()) lines.push_back(std::move(line));
        }
        return lines;
    }

  private:
    [[nodiscard]] char peek(std::size_t ahead = 0) const {
        return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\n';
    }
    [[nodiscard]] bool at_end() const { return position_ >= text_.size(); }

    /// A cursor over [first, last) whose offsets count from the start of the line.
    [[nodiscard]] TextCursor cursor(std::size_t first, std::size_t last) const {
        return TextCursor(text_.substr(first, last - first), first - line_start_);
    }

    void next_line() {
        ++position_;
        ++line_;
        line_start_ = position_;
    }

    void read_line(ConfLine& line) {
        while (!at_end()) {
            const char c = peek();
            if (c == '\n') return next_line();
            if (c == '#') {
                while (!at_end() && peek() != '\n') ++position_;
            } else if (c == ' ' || c == '\t' || c == '\r') {
                ++position_;
            } else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
                while (peek() != '\n') ++position_;
                next_line();
            } else {
                read_entry(line);
            }
        }
    }

    void read_entry(ConfLine& line) {
        const std::size_t start = position_;
        while (!at_end() && peek() != '=' && blanks_and_ends.find(peek()) == blanks_and_ends.npos) {
            ++position_;
        }
        const TextCursor key = cursor(start, position_);
        if (at_end() || peek() != '=' || key.at_end()) {
            errors_.push_back({line_, key.error("malformed entry", "Key=Value")});
            if (peek() == '=') ++position_;
            return;
        }
        ++position_;
        if (peek() == '"' && !at_end()) return read_quoted(line, key);
        const std::size_t value = position_;
        while (!at_end() && blanks_and_ends.find(peek()) == blanks_and_ends.npos) ++position_;
        line.entries.push_back({key, cursor(value, position_), line_});
    }

    void read_quoted(ConfLine& line, TextCursor key) {
        const std::size_t value = ++position_;
        while (!at_end() && peek() != '"' && peek() != '\n') ++position_;
        if (at_end() || peek() != '"') {
            errors_.push_back(
                {line_, cursor(value - 1, position_).error("quote without end", "\"")});
            return;
        }
        line.entries.push_back({key, cursor(value, position_), line_});
        ++position_;
    }

    std::string_view text_;
    std::vector<ConfError>& errors_;
    std::size_t position_ = 0;
    std::uint32_t line_ = 1;
    std::size_t line_start_ = 0;
};

}  // namespace

std::vector<ConfLine> split_conf(std::string_view text, std::vector<ConfError>& errors) {
    return ConfSplitter(text, errors).split();
}

}  // namespace trestle::slurm
