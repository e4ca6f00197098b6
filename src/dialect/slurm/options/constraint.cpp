// SPDX-License-Identifier: Apache-2.0
// -C: expressions over features, counts and brackets.
#include <algorithm>
#include <string>
#include <utility>

#include "grammars.hpp"

namespace trestle::slurm {
namespace {

constexpr std::string_view constraint_words =
    "features with &, |, parentheses, a count (rack1*2) or brackets ([a|b])";

/// What comes before the first of `stops` outside parentheses and brackets.
TextCursor take_level(TextCursor& text, std::string_view stops) {
    const std::size_t offset = text.offset();
    int depth = 0;
    const std::string_view piece = text.take_while([&](char c) {
        if (depth <= 0 && stops.find(c) != std::string_view::npos) return false;
        depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        return true;
    });
    return TextCursor(piece, offset);
}

bool has_on_level(TextCursor text, std::string_view stops) {
    take_level(text, stops);
    return !text.at_end();
}

TextResult<FeatureExpression> read_plain_features(TextCursor text) {
    const std::size_t negation = text.rest().find('!');
    if (negation != std::string_view::npos) {
        return TextCursor(text.rest().substr(negation), text.offset() + negation)
            .error("a negation, which Slurm does not know", constraint_words);
    }
    int depth = 0;
    for (const char c : text.rest()) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth > 1) return text.error("parentheses inside parentheses", constraint_words);
    }
    auto features = FeatureExpression::read(text);
    if (features && features->is_empty()) return text.error("no feature", constraint_words);
    return features;
}

/// A number of 1 or more; what stands behind it is passed over.
TextResult<Count> read_node_count(TextCursor text) {
    TextCursor digits = text;
    digits.accept('+');
    digits.take_while(words::is_digit);
    const std::size_t end = digits.offset() - text.offset();
    if (end == 0) return read_one_or_more(text);
    return read_one_or_more(TextCursor(text.rest().substr(0, end), text.offset()));
}

/// `expression` or `expression*count`.
std::optional<TextError> add_term(TextCursor text, NodeConstraint& constraint) {
    auto features = read_plain_features(take_level(text, "*"));
    if (!features) return features.error();
    if (!text.accept('*')) {
        constraint.features = std::move(constraint.features) & *std::move(features);
        return std::nullopt;
    }
    const auto count = read_node_count(text);
    if (!count) return count.error();
    constraint.counts.push_back({*std::move(features), *count});
    return std::nullopt;
}

/// What stands inside brackets: alternatives for all nodes, or counts.
std::optional<TextError> add_bracket(TextCursor text, NodeConstraint& constraint) {
    const bool is_choice = has_on_level(text, "|");
    if (is_choice && !constraint.one_of.empty()) {
        return text.error("a second choice in brackets", "one choice");
    }
    const char separator = is_choice ? '|' : '&';
    const bool is_one = !has_on_level(text, "&|");
    do {
        const TextCursor item = take_level(text, is_choice ? "|" : "&");
        if (!is_choice) {
            if (!is_one && !has_on_level(item, "*")) {
                return item.error("no count inside brackets with &", constraint_words);
            }
            if (auto error = add_term(item, constraint)) return error;
            continue;
        }
        auto features = read_plain_features(item);
        if (!features) return features.error();
        constraint.one_of.push_back(*std::move(features));
    } while (text.accept(separator));
    return std::nullopt;
}

}  // namespace

TextResult<NodeConstraint> read_constraint(TextCursor text) {
    if (text.rest().find(',') != std::string_view::npos) {  // Slurm takes a comma for &
        std::string joined(text.rest());
        std::replace(joined.begin(), joined.end(), ',', '&');
        return read_constraint(TextCursor(joined, text.offset()));
    }
    // An operator at the end says nothing.
    if (text.rest().size() > 1 && (text.rest().ends_with('&') || text.rest().ends_with('|'))) {
        text = TextCursor(text.rest().substr(0, text.rest().size() - 1), text.offset());
    }
    NodeConstraint constraint;
    if (text.rest().find_first_of("[]*") == std::string_view::npos) {
        auto features = read_plain_features(text);
        if (!features) return features.error();
        constraint.features = *std::move(features);
        return constraint;
    }
    if (has_on_level(text, "|")) {
        take_level(text, "|");
        return text.error("| beside counts or brackets", constraint_words);
    }
    do {
        TextCursor term = take_level(text, "&");
        if (term.peek() != '[') {
            if (auto error = add_term(term, constraint)) return *error;
            continue;
        }
        std::string_view whole = term.rest();
        const bool has_one = whole.find_first_of("&|*") > whole.find(']');
        if (has_one && whole.find("]*") != whole.npos) {  // `[a]*2`: the brackets mean nothing
            const std::size_t end = whole.find(']');
            std::string plain(whole.substr(1, end - 1));
            plain += whole.substr(end + 1);
            if (auto error = add_term(TextCursor(plain, term.offset()), constraint)) return *error;
            continue;
        }
        if (whole.back() != ']' || whole.size() < 3) {
            return term.error("malformed brackets", constraint_words);
        }
        const TextCursor inside(whole.substr(1, whole.size() - 2), term.offset() + 1);
        if (auto error = add_bracket(inside, constraint)) return *error;
    } while (text.accept('&'));
    return constraint;
}

}  // namespace trestle::slurm
