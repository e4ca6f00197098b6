// SPDX-License-Identifier: Apache-2.0
#include "read_words.hpp"

#include <array>
#include <utility>

#include "../../words.hpp"
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
    std::string word;
    bool has_word = false;  // an empty pair of quotes is a word too
    char quote = '\0';
    std::size_t quote_at = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (is_plain(c)) {
            std::size_t end = i + 1;
            while (end < text.size() && is_plain(text[end])) ++end;
            word.append(text, i, end - i);
            has_word = true;
            i = end - 1;
        } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
            word += text[++i];
            has_word = true;
        } else if (quote != '\0') {
            if (c == quote) {
                quote = '\0';
            } else {
                word += c;
            }
        } else if (c == '"' || c == '\'') {
            quote = c;
            quote_at = i;
            has_word = true;
        } else if (is_word_blank(c)) {
            if (has_word) result.words.push_back(std::exchange(word, {}));
            has_word = false;
        } else if (c == '#' && comments == Comments::hash) {
            break;
        } else {
            word += c;
            has_word = true;
        }
    }
    if (has_word) result.words.push_back(std::move(word));
    if (quote != '\0') {
        result.error = TextCursor(text.substr(quote_at), quote_at)
                           .error("a quote without end", "a second quote");
    }
    return result;
}

void OptionReader::add_error(std::uint32_t position, std::string_view option, TextError error) {
    reading_.errors.push_back({source_, position, std::string(variable_),
                               option.empty() ? std::string() : "--" + std::string(option),
                               std::move(error)});
}

void OptionReader::add_unknown(std::string_view name, std::uint32_t position, bool is_ambiguous) {
    TextError error{0, std::string(name.substr(0, 64)), "unknown option", "a known option"};
    if (is_ambiguous) {
        error.what = "the beginning of several options";
        error.expected = "enough of a name to tell it from others";
    } else if (nearest_left_-- > 0 && name.starts_with("--")) {
        error.expected += "; the nearest is --" +
                          words::nearest_word(name.substr(2), option_rows(),
                                              [](const OptionRow& row) { return row.name; });
    }
    add_error(position, {}, std::move(error));
}

void OptionReader::apply(const OptionRow& row, std::optional<std::string_view> value,
                         std::uint32_t position) {
    if (row.apply == nullptr) {
        component().options.carried.push_back(
            {std::string(row.name),
             value ? std::optional<std::string>(std::string(*value)) : std::nullopt, line_});
        return;
    }
    if (row.value == OptionValue::required && value->empty()) {
        return add_error(position, row.name, {0, "", "empty value", "a value"});
    }
    if (auto error = row.apply(component().options, TextCursor(value.value_or("")))) {
        add_error(position, row.name, *std::move(error));
    }
}

std::size_t OptionReader::read_long(std::span<const std::string> words, std::size_t at) {
    const std::string_view word = words[at];
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const FoundOption found = find_long_option(name.substr(2), tool_);
    if (found.row == nullptr) {
        add_unknown(name, position_of(at), found.is_ambiguous);
        return at + 1;
    }
    std::optional<std::string_view> value;
    if (equals != std::string_view::npos) value = word.substr(equals + 1);
    if (found.row->value == OptionValue::none && value) {
        add_error(position_of(at), found.row->name,
                  {0, std::string(value->substr(0, 64)), "unexpected value", "the option alone"});
        return at + 1;
    }
    if (found.row->value == OptionValue::required && !value) {
        if (at + 1 == words.size()) {
            add_error(position_of(at), found.row->name,
                      {0, "", "missing value", "a value after the option"});
            return at + 1;
        }
        value = words[++at];
    }
    apply(*found.row, value, position_of(at));
    return at + 1;
}

std::size_t OptionReader::read_letters(std::span<const std::string> words, std::size_t at) {
    const std::string_view word = words[at];
    for (std::size_t i = 1; i < word.size(); ++i) {
        const OptionRow* row = find_option_letter(word[i], tool_);
        if (row == nullptr) {
            add_unknown("-" + std::string(word.substr(i, 1)), position_of(at), false);
            return at + 1;
        }
        if (row->value == OptionValue::none) {
            apply(*row, std::nullopt, position_of(at));
            continue;
        }
        std::optional<std::string_view> value;
        if (i + 1 < word.size()) value = word.substr(i + 1);
        if (row->value == OptionValue::required && !value) {
            if (at + 1 == words.size()) {
                add_error(position_of(at), row->name,
                          {0, "", "missing value", "a value after the option"});
                return at + 1;
            }
            value = words[++at];
        }
        apply(*row, value, position_of(at));
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
    const FoundOption found = find_long_option(option, tool_);
    if (found.row->value == OptionValue::none) {
        apply(*found.row, std::nullopt, 0);
    } else {
        apply(*found.row, value, 0);
    }
    variable_ = {};
}

std::optional<Seconds> OptionReader::read_switch_wait(std::string_view variable,
                                                      std::string_view value) {
    const auto time = read_time(TextCursor(value));
    if (time) return *time;
    variable_ = variable;
    add_error(0, "switches", time.error());
    variable_ = {};
    return std::nullopt;
}

bool OptionReader::start_component(std::uint32_t position) {
    if (reading_.submission.components.size() == components_max) {
        add_error(position, {}, {0, ":", "too many components", "at most 128"});
        return false;
    }
    reading_.submission.components.emplace_back();
    return true;
}

}  // namespace trestle::slurm
