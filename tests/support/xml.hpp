// SPDX-License-Identifier: Apache-2.0
// Whether a text is well-formed XML, as far as our pictures need it: elements closed in order,
// attributes quoted and each once, no bare markup in text, known entities, characters XML allows.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/text.hpp"

namespace trestle {

namespace detail {

[[nodiscard]] inline bool is_xml_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

/// What is wrong with text between tags or in an attribute; empty when nothing is.
[[nodiscard]] inline std::string xml_text_breach(std::string_view text) {
    for (TextCursor at(text); !at.at_end();) {
        const char c = at.peek();
        const bool is_control = static_cast<unsigned char>(c) < 0x20 && c != '\n';
        if (is_control || c == '<' || c == '\x7f') return "bare character in " + std::string(text);
        if (!at.accept('&')) {
            at.accept(c);
        } else if (!at.accept("amp;") && !at.accept("lt;") && !at.accept("gt;") &&
                   !at.accept("quot;") && !at.accept("#39;")) {
            return "bare & in " + std::string(text);
        }
    }
    return {};
}

/// Reads the attributes of a tag up to its `>` or `/>`.
[[nodiscard]] inline std::string xml_attributes_breach(TextCursor& at) {
    std::set<std::string_view> seen;
    while (at.accept(' ')) {
        const std::string_view name = at.take_while(is_xml_name);
        if (name.empty() || !seen.insert(name).second) return "attribute " + std::string(name);
        if (!at.accept("=\"")) return "unquoted " + std::string(name);
        const std::string_view value = at.take_until("\"");
        if (auto breach = xml_text_breach(value); !breach.empty()) return breach;
        if (!at.accept('"')) return "open attribute " + std::string(name);
    }
    return {};
}

}  // namespace detail

/// What is wrong first, or the empty text.
[[nodiscard]] inline std::string xml_breach(std::string_view document) {
    std::vector<std::string_view> open;
    TextCursor at(document);
    while (!at.at_end()) {
        const std::string_view text = at.take_until("<");
        if (auto breach = detail::xml_text_breach(text); !breach.empty()) return breach;
        if (open.empty() && text.find_first_not_of("\n") != std::string_view::npos) {
            return "text outside of the root";
        }
        if (!at.accept('<')) break;
        const bool is_end = at.accept('/');
        const std::string_view name = at.take_while(detail::is_xml_name);
        if (name.empty()) return "a tag without a name";
        if (auto breach = detail::xml_attributes_breach(at); !breach.empty()) return breach;
        if (is_end) {
            if (open.empty() || open.back() != name)
                return "</" + std::string(name) + "> closes nothing";
            open.pop_back();
        } else if (!at.accept('/')) {
            open.push_back(name);
        }
        if (!at.accept('>')) return "an open tag " + std::string(name);
    }
    return open.empty() ? "" : "<" + std::string(open.back()) + "> stays open";
}

/// What stands between <title> and </title>, in order, as written.
[[nodiscard]] inline std::vector<std::string> xml_titles(std::string_view document) {
    std::vector<std::string> titles;
    for (std::size_t at = document.find("<title>"); at != std::string_view::npos;
         at = document.find("<title>", at + 1)) {
        const std::size_t first = at + std::string_view("<title>").size();
        titles.emplace_back(document.substr(first, document.find("</title>", first) - first));
    }
    return titles;
}

}  // namespace trestle
