// SPDX-License-Identifier: Apache-2.0
#include "read_words.hpp"

#include <array>
#include <utility>

#include "../../words.hpp"
#include "checks/value_checks.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/quantities.hpp"

namespace trestle::slurm {

namespace {

constexpr bool is_word_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// By character: whether it stands for itself, inside quotes and outside.
constexpr auto plain_characters = [] {
    std::array<bool, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
        const char c = static_cast<char>(i);
        table[i] = !is_word_blank(c) && c != '"' && c != '\'' && c != '\\' && c != '#';
    }
    return table;
}();
bool is_plain(char c) { return plain_characters[static_cast<unsigned char>(c)]; }

}  // namespace

OptionWords split_option_words(std::string_view text, Comments comments) {
    OptionWords result;
    result.words.reserve(16);
    result.starts.reserve(16);
    std::string word;
    bool has_word = false;  // an empty pair of quotes is a word too
    const auto begin_word = [&](std::size_t at) {
        if (!has_word) result.starts.push_back(at);
        has_word = true;
    };
    char quote = '\0';
    std::size_t quote_at = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (is_plain(c)) {
            std::size_t end = i + 1;
            while (end < text.size() && is_plain(text[end])) ++end;
            begin_word(i);
            word.append(text, i, end - i);
            i = end - 1;
        } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
            begin_word(i);
            word += text[++i];
        } else if (quote != '\0') {
            if (c == quote) {
                quote = '\0';
            } else {
                word += c;
            }
        } else if (c == '"' || c == '\'') {
            begin_word(i);
            quote = c;
            quote_at = i;
        } else if (is_word_blank(c)) {
            if (has_word) result.words.push_back(std::exchange(word, {}));
            has_word = false;
        } else if (c == '#' && comments == Comments::hash) {
            break;
        } else {
            begin_word(i);
            word += c;
        }
    }
    if (has_word) result.words.push_back(std::move(word));
    if (quote != '\0') {
        result.error = TextCursor(text.substr(quote_at), quote_at)
                           .error("a quote without end", "a second quote");
    }
    return result;
}

std::size_t offset_in_text(std::string_view text, std::size_t start, std::size_t character) {
    char quote = '\0';
    std::size_t at = start;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        const bool is_escaped = c == '\\' && quote != '\'' && at + 1 < text.size();
        if (!is_escaped && quote != '\0' && c == quote) {
            quote = '\0';
        } else if (!is_escaped && quote == '\0' && (c == '"' || c == '\'')) {
            quote = c;
        } else if (character-- == 0) {
            break;
        } else if (is_escaped) {
            ++at;
        }
    }
    return at;
}

OptionReader::OptionReader(Tool tool, OptionSource source, const KnownOptions& known)
    : tool_(tool), source_(source), release_(known.release) {
    for (const PluginOption& one : known.plugins) {
        plugins_.push_back({one.name, '\0', one.value, of_all, nullptr});
    }
}

std::uint32_t OptionReader::column_of(Place place) const {
    const bool is_in_text = place.word < starts_.size();
    const std::size_t offset =
        is_in_text ? before_ + offset_in_text(text_, starts_[place.word], place.character)
                   : place.character;
    return static_cast<std::uint32_t>(offset + 1);
}

void OptionReader::add_error(Place place, std::string_view option, TextError error) {
    const std::uint32_t column = column_of({place.word, place.character + error.offset});
    reading_.errors.push_back({source_, position_of(place.word), column, std::string(variable_),
                               option.empty() ? std::string() : "--" + std::string(option),
                               std::move(error)});
}

void OptionReader::add_error_in_word(std::size_t word, std::uint32_t line, TextError error) {
    line_ = line;
    add_error({word, 0}, {}, std::move(error));
}

void OptionReader::add_error_in_text(std::uint32_t position, TextError error) {
    const auto column = static_cast<std::uint32_t>(before_ + error.offset + 1);
    reading_.errors.push_back({source_, position, column, {}, {}, std::move(error)});
}

void OptionReader::add_unknown(std::string_view name, Place place, bool is_ambiguous) {
    TextError error{0, std::string(name.substr(0, 64)), "unknown option",
                    "a known option, or one that KnownOptions or --plugin-option declares"};
    if (is_ambiguous) {
        error.what = "the beginning of several options";
        error.expected = "enough of a name to tell it from others";
    } else if (nearest_left_-- > 0 && name.starts_with("--")) {
        std::vector<std::string_view> names;
        for (const OptionRow& row : option_rows()) {
            const bool is_known = !release_ || includes(row.releases, *release_);
            if (is_known) names.push_back(row.name);
        }
        for (const OptionRow& row : plugins_) names.push_back(row.name);
        error.expected = words::with_nearest(
            std::move(error.expected), name.substr(2), names,
            [](std::string_view one) { return one; }, "--");
    }
    add_error(place, {}, std::move(error));
}

void OptionReader::look_at_release(const OptionRow& row, std::string_view value, Place place) {
    if (!release_) return;
    const OptionError where{source_,
                            position_of(place.word),
                            column_of(place),
                            std::string(variable_),
                            "--" + std::string(row.name),
                            {}};
    if (!includes(row.releases, *release_)) {
        reading_.warnings.push_back(fmt::format("{}no option of Slurm {} ({})", place_text(where),
                                                version_of(*release_), to_text(row.releases)));
        return;
    }
    if (!has_option(row, tool_)) {
        reading_.warnings.push_back(
            fmt::format("{}no option of {}", place_text(where), trestle::to_text(tool_)));
        return;
    }
    const OptionWord* const word = find_foreign_word(row.name, value, *release_);
    if (word == nullptr) return;
    reading_.warnings.push_back(fmt::format("{}\"{}\" is unknown to Slurm {} ({})",
                                            place_text(where), word->word, version_of(*release_),
                                            to_text(word->releases)));
}

void OptionReader::apply(const OptionRow& row, std::optional<std::string_view> value, Place place) {
    look_at_release(row, value.value_or(""), place);
    const bool is_nothing = row.value == OptionValue::required && value && value->empty();
    const bool may_be_empty = is_nothing && takes_empty(row.name, release_);
    if (value && !may_be_empty) {
        if (auto error = check_value(row.name, TextCursor(*value), release_)) {
            return add_error(place, row.name, *std::move(error));
        }
    }
    if (row.apply == nullptr) {
        component().options.passthrough.push_back(
            {std::string(row.name),
             value ? std::optional<std::string>(std::string(*value)) : std::nullopt, line_});
        return;
    }
    if (is_nothing && !may_be_empty) {
        return add_error(place, row.name, {0, "", "empty value", "a value"});
    }
    if (auto error = row.apply(component().options, TextCursor(value.value_or("")))) {
        add_error(place, row.name, *std::move(error));
    }
}

std::size_t OptionReader::read_long(std::span<const std::string> words, std::size_t at) {
    const std::string_view word = words[at];
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const FoundOption found = find_long_option(name.substr(2), tool_, plugins_, release_);
    if (found.row == nullptr) {
        add_unknown(name, {at, 0}, found.is_ambiguous);
        return at + 1;
    }
    std::optional<std::string_view> value;
    Place place{at, word.size()};
    if (equals != std::string_view::npos) {
        value = word.substr(equals + 1);
        place.character = equals + 1;
    }
    if (found.row->value == OptionValue::none && value) {
        add_error(place, found.row->name,
                  {0, std::string(value->substr(0, 64)), "unexpected value", "the option alone"});
        return at + 1;
    }
    if (found.row->value == OptionValue::required && !value) {
        if (at + 1 == words.size()) {
            add_error(place, found.row->name, {0, "", "missing value", "a value after the option"});
            return at + 1;
        }
        value = words[++at];
        place = {at, 0};
    }
    apply(*found.row, value, place);
    return at + 1;
}

std::size_t OptionReader::read_letters(std::span<const std::string> words, std::size_t at) {
    const std::string_view word = words[at];
    for (std::size_t i = 1; i < word.size(); ++i) {
        const OptionRow* row = find_option_letter(word[i], tool_);
        if (row == nullptr) {
            add_unknown("-" + std::string(word.substr(i, 1)), {at, i}, false);
            return at + 1;
        }
        if (row->value == OptionValue::none) {
            apply(*row, std::nullopt, {at, i});
            continue;
        }
        std::optional<std::string_view> value;
        Place place{at, i + 1};
        if (i + 1 < word.size()) value = word.substr(i + 1);
        if (row->value == OptionValue::required && !value) {
            if (at + 1 == words.size()) {
                add_error(place, row->name, {0, "", "missing value", "a value after the option"});
                return at + 1;
            }
            value = words[++at];
            place = {at, 0};
        }
        apply(*row, value, place);
        break;
    }
    return at + 1;
}

std::size_t OptionReader::options_end(std::span<const std::string> words, std::size_t first,
                                      std::uint32_t line) {
    line_ = line;
    std::size_t at = first;
    while (at < words.size()) {
        const std::string_view word = words[at];
        if (word.size() < 2 || word.front() != '-' || word == "--") break;
        at = word[1] == '-' ? read_long(words, at) : read_letters(words, at);
    }
    return at;
}

void OptionReader::apply_variable(std::string_view variable, std::string_view option,
                                  std::string_view value) {
    variable_ = variable;
    const FoundOption found = find_long_option(option, tool_, {});
    if (found.row->value == OptionValue::none) {
        apply(*found.row, std::nullopt, {});
    } else {
        apply(*found.row, value, {});
    }
    variable_ = {};
}

std::optional<Seconds> OptionReader::read_switch_wait(std::string_view variable,
                                                      std::string_view value) {
    const auto time = read_time(TextCursor(value));
    if (time) return *time;
    variable_ = variable;
    add_error({}, "switches", time.error());
    variable_ = {};
    return std::nullopt;
}

bool OptionReader::start_component(std::size_t word, std::uint32_t line) {
    if (reading_.submission.components.size() == components_max) {
        add_error_in_word(word, line, {0, ":", "too many components", "at most 128"});
        return false;
    }
    reading_.submission.components.emplace_back();
    return true;
}

}  // namespace trestle::slurm
