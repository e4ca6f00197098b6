// SPDX-License-Identifier: Apache-2.0
#include "place_finder.hpp"

#include <algorithm>
#include <array>

#include "../../words.hpp"
#include "../joined_lines.hpp"

namespace trestle::slurm {
namespace {

using Keys = std::span<const std::string_view>;

/// The names of the key that a token is about, which gives no key of its own.
Keys keys_of(std::string_view token) {
    static constexpr std::array<std::string_view, 3> files{"File", "Files", "MultipleFiles"};
    static constexpr std::array<std::string_view, 2> cores{"Cores", "CPUs"};
    static constexpr std::array<std::string_view, 2> links{"Links", "Link"};
    static constexpr std::array<std::string_view, 1> gres{"Gres"};
    static constexpr std::array<std::string_view, 1> detect{"AutoDetect"};
    static constexpr std::array<std::string_view, 1> node{"NodeName"};
    static constexpr std::array<std::string_view, 1> name{"Name"};
    if (token.empty()) return node;
    const std::string_view key = token.substr(0, token.find('='));
    for (const Keys keys :
         {Keys(files), Keys(cores), Keys(links), Keys(gres), Keys(detect), Keys(node)}) {
        if (keys.front() == key) return keys;
    }
    return token.find('/') != token.npos ? Keys(files) : Keys(name);
}

/// `Key=Value` in a line, by offsets. A value in quotes is what they hold.
struct Entry {
    std::size_t key = 0;
    std::string_view name;
    std::size_t value = 0;
    std::string_view text;
};

/// The next entry behind `at`, which is set behind it. Nothing: the line ends, or goes on as a
/// comment.
std::optional<Entry> next_entry(std::string_view line, std::size_t& at) {
    constexpr std::string_view blanks = " \t\r";
    while (true) {
        at = std::min(line.find_first_not_of(blanks, at), line.size());
        if (at == line.size() || line[at] == '#') return std::nullopt;
        Entry entry;
        entry.key = at;
        at = std::min(line.find_first_of(" \t\r#=", at), line.size());
        entry.name = line.substr(entry.key, at - entry.key);
        const std::size_t equals = std::min(line.find_first_not_of(blanks, at), line.size());
        if (equals == line.size() || line[equals] != '=') continue;
        entry.value = std::min(line.find_first_not_of(blanks, equals + 1), line.size());
        const bool is_quoted = entry.value < line.size() && line[entry.value] == '"';
        if (is_quoted) ++entry.value;
        at = std::min(line.find_first_of(is_quoted ? "\"" : " \t\r#", entry.value), line.size());
        entry.text = line.substr(entry.value, at - entry.value);
        if (is_quoted && at < line.size()) ++at;
        const bool is_next =
            !is_quoted && entry.value != equals + 1 && entry.text.find('=') != entry.text.npos;
        if (is_next) {  // the value is empty
            at = entry.value;
            entry.text = {};
        }
        return entry;
    }
}

/// The token as a word of the value.
std::optional<std::size_t> offset_in(const Entry& entry, std::string_view token) {
    const auto is_inside = [](char c) {
        return words::is_letter(c) || words::is_digit(c) ||
               std::string_view("_-./[]").find(c) != std::string_view::npos;
    };
    const std::string_view text = entry.text;
    for (std::size_t at = text.find(token); at != text.npos; at = text.find(token, at + 1)) {
        const std::size_t end = at + token.size();
        const bool begins = at == 0 || !is_inside(text[at - 1]);
        const bool ends = end == text.size() || !is_inside(text[end]);
        if (begins && ends) return entry.value + at;
    }
    return std::nullopt;
}

}  // namespace

void PlaceFinder::add(std::string_view file, std::string_view text) {
    files_.emplace(file, File{text, {}});
}

void PlaceFinder::find(BuildError& error) {
    ConfPlace& place = error.error.place;
    const auto known = files_.find(place.file);
    if (known == files_.end() || place.line == 0) return;
    File& file = known->second;
    if (file.starts.empty()) {
        file.starts.push_back(0);
        for (std::size_t i = 0; i < file.text.size(); ++i) {
            if (file.text[i] == '\n') file.starts.push_back(i + 1);
        }
    }
    const std::string& token = error.error.error.token;
    const std::array<std::string_view, 1> own{error.key};
    const Keys keys = error.key.empty() ? keys_of(token) : Keys(own);
    const auto at = find_in(file, place.line, keys, token);
    if (!at) return;
    place.line = at->line;
    error.error.error.offset = at->offset;
}

std::optional<PlaceFinder::At> PlaceFinder::find_in(const File& file, std::uint32_t line, Keys keys,
                                                    std::string_view token) {
    std::optional<At> key;
    if (line > file.starts.size()) return key;
    JoinedLines lines(file.text.substr(file.starts[line - 1]), line);
    if (!lines.next()) return key;
    const auto place_of = [&](std::size_t offset) {
        const JoinedLines::Place place = lines.place_of(offset);
        return At{place.line, place.offset};
    };
    std::size_t at = 0;
    while (const auto entry = next_entry(lines.text(), at)) {
        if (!words::is_one_of(entry->name, keys)) continue;
        if (!key) key = place_of(entry->key);
        const auto offset = token.empty() ? std::nullopt : offset_in(*entry, token);
        if (offset) return place_of(*offset);
    }
    return key;
}

}  // namespace trestle::slurm
