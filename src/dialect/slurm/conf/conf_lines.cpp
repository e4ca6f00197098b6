// SPDX-License-Identifier: Apache-2.0
#include "conf_lines.hpp"

#include <array>

namespace trestle::slurm {
namespace {

/// True for what no word holds.
constexpr bool ends_word(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '#';
}
constexpr std::size_t include_depth_max = 8;
constexpr std::size_t includes_max = 1000;
constexpr std::size_t include_bytes_max = std::size_t{1} << 26;

/// What all files of one reading share.
struct ConfWalk {
    const ConfFiles& files;
    std::vector<ConfError>& errors;
    const std::function<void(const ConfLine&)>& visit;
    ConfLine line = {};  ///< reused, so that a line costs no memory
    std::size_t includes = 0;
    std::size_t bytes = 0;
};

class ConfSplitter {
  public:
    ConfSplitter(ConfWalk& walk, std::string_view file, std::string_view text,
                 const ConfSplitter* outer)
        : walk_(walk),
          file_(file),
          text_(text),
          outer_(outer),
          depth_(outer == nullptr ? 0 : outer->depth_ + 1) {}

    void split() {
        while (position_ < text_.size()) {
            const std::size_t errors_before = walk_.errors.size();
            ConfLine& line = walk_.line;
            line.file = file_;
            line.line = line_;
            line.entries.clear();
            include_ = std::nullopt;
            read_line(line);
            if (!line.entries.empty()) walk_.visit(line);
            std::stable_sort(walk_.errors.begin() + static_cast<std::ptrdiff_t>(errors_before),
                             walk_.errors.end(), [](const ConfError& a, const ConfError& b) {
                                 return std::pair(a.place.line, a.error.offset) <
                                        std::pair(b.place.line, b.error.offset);
                             });
            if (include_) include(*include_);
        }
    }

  private:
    [[nodiscard]] char peek(std::size_t ahead = 0) const {
        return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\n';
    }
    [[nodiscard]] bool at_end() const { return position_ >= text_.size(); }
    [[nodiscard]] bool is_at_blank() const { return peek() == ' ' || peek() == '\t'; }

    /// A cursor over [first, last) whose offsets count from the start of the line.
    [[nodiscard]] TextCursor cursor(std::size_t first, std::size_t last) const {
        return TextCursor(text_.substr(first, last - first), first - line_start_);
    }
    void add_error(TextError error) {
        walk_.errors.push_back({{std::string(file_), line_}, std::move(error)});
    }

    void next_line() {
        ++position_;
        ++line_;
        line_start_ = position_;
    }
    void skip_blanks() {
        while (is_at_blank()) ++position_;
    }
    std::size_t take_word() {
        while (position_ < text_.size() && !ends_word(text_[position_])) ++position_;
        return position_;
    }

    void read_line(ConfLine& line) {
        while (!at_end()) {
            const char c = peek();
            if (c == '\n') return next_line();
            if (c == '#') {
                while (!at_end() && peek() != '\n') ++position_;
            } else if (is_at_blank() || c == '\r') {
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
        while (position_ < text_.size() && text_[position_] != '=' &&
               !ends_word(text_[position_])) {
            ++position_;
        }
        const TextCursor key = cursor(start, position_);
        skip_blanks();
        if (line.entries.empty() && !include_ && peek() != '=' &&
            words::same_word(key.rest(), "include")) {
            const std::size_t name = position_;
            include_ = cursor(name, take_word());
            return;
        }
        if (at_end() || peek() != '=' || key.at_end()) {
            add_error(key.error("malformed entry", "Key=Value"));
            if (peek() == '=') ++position_;
            return;
        }
        ++position_;
        skip_blanks_before_value();
        if (peek() == '"' && !at_end()) return read_quoted(line, key);
        const std::size_t value = position_;
        line.entries.push_back({key, cursor(value, take_word()), line_});
    }

    /// Blanks may stand behind the `=`; but where the next word is an entry, the value is empty.
    void skip_blanks_before_value() {
        if (!is_at_blank()) return;
        const std::size_t start = position_;
        skip_blanks();
        const std::size_t word = position_;
        const TextCursor next = cursor(word, take_word());
        const bool is_entry = next.peek() != '"' && next.rest().find('=') != next.rest().npos;
        position_ = is_entry || next.at_end() ? start : word;
    }

    void read_quoted(ConfLine& line, TextCursor key) {
        const std::size_t value = ++position_;
        while (!at_end() && peek() != '"' && peek() != '\n') ++position_;
        if (at_end() || peek() != '"') {
            add_error(cursor(value - 1, position_).error("quote without end", "\""));
            return;
        }
        line.entries.push_back({key, cursor(value, position_), line_});
        ++position_;
    }

    /// The line has been left, so errors are told of the one before.
    void include(TextCursor name) {
        const auto refuse = [&](std::string_view what, std::string_view expected) {
            walk_.errors.push_back(
                {{std::string(file_), walk_.line.line}, name.error(what, expected)});
        };
        if (name.at_end()) return refuse("Include without a file", "the name of a file");
        for (const ConfSplitter* open = this; open != nullptr; open = open->outer_) {
            if (open->file_ == name.rest()) return refuse("file that includes itself", "another");
        }
        if (depth_ == include_depth_max) {
            return refuse("Include nests too deep", fmt::format("{} files", include_depth_max));
        }
        const auto text = walk_.files ? walk_.files(name.rest()) : std::optional<std::string>();
        if (!text) return refuse("unknown file", "a file that is there");
        walk_.bytes += text->size();
        if (++walk_.includes > includes_max || walk_.bytes > include_bytes_max) {
            return refuse("too many includes",
                          fmt::format("{} files of {} bytes", includes_max, include_bytes_max));
        }
        ConfSplitter(walk_, name.rest(), *text, this).split();
    }

    ConfWalk& walk_;
    std::string_view file_;
    std::string_view text_;
    const ConfSplitter* outer_;  ///< the file that includes this one
    std::size_t depth_;
    std::size_t position_ = 0;
    std::uint32_t line_ = 1;
    std::size_t line_start_ = 0;
    std::optional<TextCursor> include_;
};

}  // namespace

void for_each_conf_line(std::string_view file, std::string_view text, const ConfFiles& files,
                        std::vector<ConfError>& errors,
                        const std::function<void(const ConfLine&)>& visit) {
    ConfWalk walk{files, errors, visit};
    ConfSplitter(walk, file, text, nullptr).split();
}

void carry(std::vector<PassthroughKey>& passthrough, const ConfLine& line, const ConfEntry& entry) {
    PassthroughKey one{line.place_of(entry), std::string(entry.key.rest()),
                       std::string(entry.value.rest())};
    const auto known = std::find_if(
        passthrough.begin(), passthrough.end(),
        [&](const PassthroughKey& other) { return words::same_word(other.key, one.key); });
    if (known == passthrough.end()) {
        passthrough.push_back(std::move(one));
    } else {
        *known = std::move(one);
    }
}

ConfError error_at_key(const ConfLine& line, std::string_view key, TextError error) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 2> other_names{
        {{"CPUs", "Procs"}, {"Links", "Link"}}};
    const auto is_wanted = [&](const ConfEntry& entry) {
        if (words::same_word(entry.key.rest(), key)) return true;
        return std::any_of(other_names.begin(), other_names.end(), [&](const auto& names) {
            return names.first == key && words::same_word(entry.key.rest(), names.second);
        });
    };
    const auto found = std::find_if(line.entries.rbegin(), line.entries.rend(), is_wanted);
    const ConfEntry& at = found == line.entries.rend() ? line.entries.front() : *found;
    error.offset = at.key.offset();
    return {line.place_of(at), std::move(error)};
}

ConfError error_at_key(const ConfLine& line, TextError error) {
    const std::string key = error.token.substr(0, error.token.find('='));
    return error_at_key(line, key, std::move(error));
}

void add_errors(const ConfPlace& place, ValueErrors found, std::vector<ConfError>& errors) {
    for (TextError& error : found.all()) errors.push_back({place, std::move(error)});
}

void add_errors_at_keys(const ConfLine& line, ValueErrors found, std::vector<ConfError>& errors) {
    for (TextError& error : found.all()) errors.push_back(error_at_key(line, std::move(error)));
}

namespace {

Status status_of(const std::string& first, std::size_t errors) {
    return invalid_argument("{}{}", first,
                            errors == 1 ? "" : fmt::format(" (and {} more)", errors - 1));
}

}  // namespace

Status first_error(const std::vector<ConfError>& errors) {
    if (errors.empty()) return {};
    return status_of(to_text(errors.front()), errors.size());
}

Status first_error_of_lines(const std::vector<ConfError>& errors) {
    if (errors.empty()) return {};
    const auto& [place, error] = errors.front();
    return status_of(fmt::format("{}: {}{}{}, expected {}", to_text(place), error.token,
                                 error.token.empty() ? "" : ": ", error.what, error.expected),
                     errors.size());
}

ValueErrors read_yes_no(TextCursor text, bool& value) {
    constexpr std::array<Word<bool>, 6> answers{{{"YES", true},
                                                 {"NO", false},
                                                 {"TRUE", true},
                                                 {"FALSE", false},
                                                 {"1", true},
                                                 {"0", false}}};
    return read_choice(text, value, answers, "answer");
}

ValueErrors read_word(TextCursor text, std::string& word) {
    if (text.at_end()) return text.error("empty value", "a word");
    word = text.rest();
    return std::nullopt;
}

ValueErrors read_words(TextCursor text, std::vector<std::string>& list) {
    list.clear();
    return for_each_piece(text, "names joined by commas", [&](TextCursor name) -> ValueErrors {
        list.emplace_back(name.rest());
        return std::nullopt;
    });
}

ValueErrors read_mebibytes(TextCursor text, Bytes& bytes) {
    std::int64_t amount = 0;
    auto error = read_whole(text, amount, {0, std::uint64_t{1} << 43});
    if (!error) bytes = mib(amount);
    return error;
}

ValueErrors read_hostlist(TextCursor text, Hostlist& list) {
    auto names = Hostlist::read(text, names_of_a_line);
    if (!names) return names.error();
    list = *std::move(names);
    return std::nullopt;
}

}  // namespace trestle::slurm
