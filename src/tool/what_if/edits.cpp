// SPDX-License-Identifier: Apache-2.0
#include "edits.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/status.hpp"

namespace trestle::tool {
namespace {

constexpr std::string_view blanks = " \t\r";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_same_key(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

/// The words of a line up to a comment; quotes keep blanks together.
std::vector<std::string> words_of_line(std::string_view line) {
    std::vector<std::string> words;
    std::string word;
    bool is_quoted = false;
    for (const char c : line) {
        if (c == '#' && !is_quoted) break;
        if (c == '"') is_quoted = !is_quoted;
        if (blanks.find(c) != std::string_view::npos && !is_quoted) {
            if (!word.empty()) words.push_back(std::exchange(word, {}));
        } else {
            word += c;
        }
    }
    if (!word.empty()) words.push_back(word);
    return words;
}

std::pair<std::string, std::string> key_and_value(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return {word, ""};
    return {word.substr(0, equals), word.substr(equals + 1)};
}

std::string line_of_words(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
    return line;
}

void set_value(const std::string& key, const std::string& value, std::vector<std::string>& words) {
    const bool adds = key.ends_with('+');
    const std::string name = adds ? key.substr(0, key.size() - 1) : key;
    for (std::string& word : words) {
        const auto [known, old] = key_and_value(word);
        if (!is_same_key(known, name)) continue;
        word = known + "=" + (adds && !old.empty() ? old + "," + value : value);
        return;
    }
    words.push_back(name + "=" + value);
}

/// The lines of a text, those that go on behind a `\` as one.
std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    bool goes_on = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string line(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) line.pop_back();
        const bool will_go_on = line.ends_with('\\');
        if (will_go_on) line.pop_back();
        if (goes_on) {
            lines.back() += line;
        } else {
            lines.push_back(std::move(line));
        }
        goes_on = will_go_on;
    }
    return lines;
}

bool edit_line(const ConfEdit& edit, std::string& line) {
    std::vector<std::string> words = words_of_line(line);
    if (words.empty()) return false;
    const auto [key, value] = key_and_value(words.front());
    if (!edit.line_key.empty()) {
        if (!is_same_key(key, edit.line_key) || value != edit.line_name) return false;
        for (const auto& [name, more] : edit.values) set_value(name, more, words);
        line = line_of_words(words);
        return true;
    }
    bool is_found = false;
    for (const auto& [name, more] : edit.values) {
        const std::string plain = name.substr(0, name.find('+'));
        for (const std::string& word : words) {
            if (!is_same_key(key_and_value(word).first, plain)) continue;
            is_found = true;
            set_value(name, more, words);
            break;
        }
    }
    if (is_found) line = line_of_words(words);
    return is_found;
}

}  // namespace

StatusOr<ConfEdit> parse_edit(std::string_view text) {
    ConfEdit edit;
    for (const std::string& word : words_of_line(text)) {
        auto [key, value] = key_and_value(word);
        if (key.empty() || word.find('=') == std::string::npos) {
            return invalid_argument("\"{}\", expected KEY=VALUE", word);
        }
        const bool is_first = edit.values.empty() && edit.line_key.empty();
        if (is_first && (is_same_key(key, "PartitionName") || is_same_key(key, "NodeName"))) {
            edit.line_key = key;
            edit.line_name = value;
            continue;
        }
        edit.values.emplace_back(std::move(key), std::move(value));
    }
    if (edit.values.empty())
        return invalid_argument("\"{}\" sets nothing, expected KEY=VALUE", text);
    return edit;
}

bool edit_conf(const ConfEdit& edit, std::string& text) {
    bool is_found = false;
    std::string edited;
    for (std::string& line : lines_of(text)) {
        is_found |= edit_line(edit, line);
        edited += line + "\n";
    }
    if (is_found) text = std::move(edited);
    return is_found;
}

std::vector<std::string> names_of_lines(std::string_view key, std::string_view text) {
    std::vector<std::string> names;
    for (const std::string& line : lines_of(text)) {
        const std::vector<std::string> words = words_of_line(line);
        if (words.empty()) continue;
        const auto [known, value] = key_and_value(words.front());
        if (is_same_key(known, key)) names.push_back(value);
    }
    return names;
}

}  // namespace trestle::tool
