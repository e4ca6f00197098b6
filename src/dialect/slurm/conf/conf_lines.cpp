// SPDX-License-Identifier: Apache-2.0
#include "conf_lines.hpp"

#include <array>

#include "../joined_lines.hpp"

namespace trestle::slurm {
namespace {

constexpr std::size_t include_depth_max = 8;
constexpr std::size_t includes_max = 1000;
constexpr std::size_t include_bytes_max = std::size_t{1} << 26;

constexpr std::size_t file_name_max = 4096;

/// The name of a file with every %c replaced by the cluster's name in lower case; nothing: it is
/// longer than file_name_max.
std::optional<std::string> with_cluster(std::string_view name, std::string_view cluster) {
    const std::string lowered = words::lower(cluster.substr(0, file_name_max + 1));
    std::string file;
    while (true) {
        const std::size_t at = cluster.empty() ? name.npos : name.find("%c");
        file += name.substr(0, at);
        if (at != name.npos) file += lowered;
        if (file.size() > file_name_max) return std::nullopt;
        if (at == name.npos) return file;
        name.remove_prefix(at + 2);
    }
}

/// What all files of one reading share.
struct ConfWalk {
    const ConfFiles& files;
    std::vector<ConfError>& errors;
    const std::function<void(const ConfLine&)>& visit;
    ConfLine line = {};        ///< reused, so that a line costs no memory
    std::string cluster = {};  ///< ClusterName, once it was read
    std::size_t includes = 0;
    std::size_t bytes = 0;
};

class ConfSplitter {
  public:
    ConfSplitter(ConfWalk& walk, std::string_view file, std::string_view text,
                 const ConfSplitter* outer)
        : walk_(walk),
          file_(file),
          lines_(text),
          outer_(outer),
          depth_(outer == nullptr ? 0 : outer->depth_ + 1) {}

    void split() {
        while (lines_.next()) {
            const std::size_t errors_before = walk_.errors.size();
            position_ = 0;
            ConfLine& line = walk_.line;
            line.file = file_;
            line.line = lines_.place_of(0).line;
            line.entries.clear();
            include_ = std::nullopt;
            read_line(line);
            if (const ConfEntry* const name = line.find("ClusterName")) {
                walk_.cluster = name->value.rest();
            }
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
    [[nodiscard]] std::string_view text() const { return lines_.text(); }
    [[nodiscard]] char peek() const { return at_end() ? ' ' : text()[position_]; }
    [[nodiscard]] bool at_end() const { return position_ >= text().size(); }
    [[nodiscard]] bool is_at_blank() const { return !at_end() && is_conf_blank(peek()); }

    /// A cursor over [first, last) whose offsets count from the start of the file's line.
    [[nodiscard]] TextCursor cursor(std::size_t first, std::size_t last) const {
        return TextCursor(text().substr(first, last - first), lines_.place_of(first).offset);
    }
    void add_error(TextError error, std::size_t at) {
        walk_.errors.push_back({{std::string(file_), lines_.place_of(at).line}, std::move(error)});
    }

    void skip_blanks() {
        while (is_at_blank()) ++position_;
    }
    std::size_t take_word() {
        while (!at_end() && !is_conf_blank(peek())) ++position_;
        return position_;
    }

    void read_line(ConfLine& line) {
        for (skip_blanks(); !at_end(); skip_blanks()) read_entry(line);
    }

    void read_entry(ConfLine& line) {
        const std::size_t start = position_;
        while (!at_end() && peek() != '=' && !is_conf_blank(peek())) ++position_;
        const TextCursor key = cursor(start, position_);
        skip_blanks();
        if (line.entries.empty() && !include_ && peek() != '=' &&
            words::same_word(key.rest(), "include")) {
            const std::size_t name = position_;
            include_ = cursor(name, take_word());
            return;
        }
        if (key.rest() == "\\") {  // Slurm passes over it without a word
            return;
        }
        if (peek() != '=' || key.at_end()) {
            add_error(key.error("malformed entry", "Key=Value"), start);
            if (peek() == '=') ++position_;
            return;
        }
        ++position_;
        skip_blanks_before_value();
        if (peek() == '"') return read_quoted(line, key, start);
        const std::size_t value = position_;
        line.entries.push_back({key, cursor(value, take_word()), lines_.place_of(start).line});
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

    void read_quoted(ConfLine& line, TextCursor key, std::size_t start) {
        const std::size_t value = ++position_;
        while (!at_end() && peek() != '"') ++position_;
        if (at_end()) {
            add_error(cursor(value - 1, position_).error("quote without end", "\""), value - 1);
            return;
        }
        line.entries.push_back({key, cursor(value, position_), lines_.place_of(start).line});
        ++position_;
    }

    /// Errors are at the line where the Include starts.
    void include(TextCursor name) {
        const auto refuse = [&](std::string_view what, std::string_view expected) {
            walk_.errors.push_back(
                {{std::string(file_), walk_.line.line}, name.error(what, expected)});
        };
        if (name.at_end()) return refuse("Include without a file", "the name of a file");
        const auto named = with_cluster(name.rest(), walk_.cluster);
        if (!named) {
            return refuse("name of a file that is too long",
                          fmt::format("{} bytes, with the name of the cluster", file_name_max));
        }
        const std::string& file = *named;
        for (const ConfSplitter* open = this; open != nullptr; open = open->outer_) {
            if (open->file_ == file) return refuse("file that includes itself", "another");
        }
        if (depth_ == include_depth_max) {
            return refuse("Include nests too deep", fmt::format("{} files", include_depth_max));
        }
        const auto text = walk_.files ? walk_.files(file) : std::optional<std::string>();
        if (!text) return refuse("unknown file", "a file that is there");
        walk_.bytes += text->size();
        if (++walk_.includes > includes_max || walk_.bytes > include_bytes_max) {
            return refuse("too many includes",
                          fmt::format("{} files of {} bytes", includes_max, include_bytes_max));
        }
        ConfSplitter(walk_, file, *text, this).split();
    }

    ConfWalk& walk_;
    std::string_view file_;
    JoinedLines lines_;
    const ConfSplitter* outer_;  ///< the file that includes this one
    std::size_t depth_;
    std::size_t position_ = 0;  ///< in the line
    std::optional<TextCursor> include_;
};

}  // namespace

void for_each_conf_line(std::string_view file, std::string_view text, const ConfFiles& files,
                        std::vector<ConfError>& errors,
                        const std::function<void(const ConfLine&)>& visit,
                        std::optional<Release> release) {
    ConfWalk walk{files, errors, visit};
    walk.line.release = release;
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

const ConfEntry* ConfLine::find(std::string_view key) const {
    const auto found = std::find_if(entries.rbegin(), entries.rend(), [&](const ConfEntry& entry) {
        return words::same_word(entry.key.rest(), key);
    });
    return found == entries.rend() ? nullptr : &*found;
}

void add_hidden(const ConfPlace& place, const ConfEntry& entry, std::string_view taken,
                const std::string& value, std::vector<ConfError>& errors) {
    errors.push_back(
        {place,
         entry.key.error(fmt::format("{} goes before it", taken), fmt::format("{} alone", taken)),
         fmt::format("{}{}", taken, value)});
}

std::string short_value(const ConfEntry& entry) {
    constexpr std::size_t shown_max = 64;
    const std::string_view value = entry.value.rest();
    return fmt::format("={}{}", value.substr(0, shown_max), value.size() > shown_max ? "..." : "");
}

void add_repeated(const ConfPlace& place, TextCursor key, std::vector<ConfError>& errors) {
    errors.push_back({place, key.error("key given twice", "each key once"), "the last value"});
}

void settle_mistakes(MendedMistakes mended, std::vector<ConfError>& errors,
                     std::vector<ConfWarning>& warnings) {
    if (mended == MendedMistakes::errors) return;
    for (const ConfError& error : errors) {
        if (error.taken.empty()) continue;
        const auto& [offset, token, what, expected] = error.error;
        warnings.push_back(
            {error.place, fmt::format("{}{}{}, Slurm takes {}", token, token.empty() ? "" : ": ",
                                      what, error.taken)});
    }
    std::erase_if(errors, [](const ConfError& error) { return !error.taken.empty(); });
}

std::size_t count_unmended(const std::vector<ConfError>& errors, std::size_t first) {
    return static_cast<std::size_t>(
        std::count_if(errors.begin() + static_cast<std::ptrdiff_t>(first), errors.end(),
                      [](const ConfError& error) { return error.taken.empty(); }));
}

ConfError error_at_key(const ConfLine& line, std::string_view key, TextError error) {
    const ConfEntry* at = line.find(key);
    for (const KeyOrder& order : key_orders) {
        if (at == nullptr && order.taken == key) at = line.find(order.hidden);
    }
    if (at == nullptr) at = &line.entries.front();
    error.offset = at->key.offset();
    return {line.place_of(*at), std::move(error)};
}

ConfError error_at_key(const ConfLine& line, TextError error) {
    const std::string key = error.token.substr(0, error.token.find('='));
    return error_at_key(line, key, std::move(error));
}

void add_errors(const ConfPlace& place, ValueErrors found, std::vector<ConfError>& errors) {
    for (TextError& error : found.all()) errors.push_back({place, std::move(error)});
    for (MendedError& one : found.mended()) {
        errors.push_back({place, std::move(one.error), std::move(one.taken)});
    }
}

void add_errors_at_keys(const ConfLine& line, ValueErrors found, std::vector<ConfError>& errors) {
    for (TextError& error : found.all()) errors.push_back(error_at_key(line, std::move(error)));
    for (MendedError& one : found.mended()) {
        errors.push_back(error_at_key(line, std::move(one.error)));
        errors.back().taken = std::move(one.taken);
    }
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

Status all_errors(const std::vector<ConfError>& errors) {
    constexpr std::size_t shown_max = 100;
    if (errors.empty()) return {};
    std::string text;
    for (std::size_t i = 0; i < std::min(errors.size(), shown_max); ++i) {
        text += (i == 0 ? "" : "\n") + to_text(errors[i]);
    }
    if (errors.size() > shown_max)
        text += fmt::format("\n{} more errors", errors.size() - shown_max);
    return invalid_argument("{}", text);
}

Status first_error_of_lines(const std::vector<ConfError>& errors) {
    if (errors.empty()) return {};
    const ConfPlace& place = errors.front().place;
    const TextError& error = errors.front().error;
    return status_of(fmt::format("{}: {}{}{}, expected {}", to_text(place), error.token,
                                 error.token.empty() ? "" : ": ", error.what, error.expected),
                     errors.size());
}

ValueErrors empty_item(TextCursor at, std::string_view expected) {
    return MendedError{at.error("empty item", std::string(expected)), "the other items"};
}

ValueErrors read_yes_no(TextCursor text, bool& value) {
    constexpr std::array<Word<bool>, 8> answers{{{"YES", true},
                                                 {"NO", false},
                                                 {"TRUE", true},
                                                 {"FALSE", false},
                                                 {"1", true},
                                                 {"0", false},
                                                 {"UP", true},
                                                 {"DOWN", false}}};
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
