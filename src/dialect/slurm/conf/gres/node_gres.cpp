// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "../../../words.hpp"
#include "../conf_lines.hpp"
#include "../line_readers.hpp"
#include "trestle/dialect/slurm/conf/node_conf.hpp"
#include "trestle/dialect/slurm/quantities.hpp"

namespace trestle::slurm {
namespace {

constexpr std::string_view node_gres_words = "name[:type][:no_consume][:count], as in gpu:a100:4";

constexpr std::size_t gres_a_node_max = 256;

bool is_gres_word(std::string_view word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return words::is_letter(c) || words::is_digit(c) ||
               std::string_view("_-.+").find(c) != std::string_view::npos;
    });
}

/// Adds to what is known of a name and type.
ValueErrors add_node_gres(std::vector<NodeGres>& list, NodeGres item, TextCursor at) {
    for (NodeGres& known : list) {
        if (!words::same_word(known.gres.name, item.gres.name)) continue;
        if (known.gres.type.empty() != item.gres.type.empty()) {
            return at.error(item.gres.name + " with and without a type",
                            "a type for all of them or for none");
        }
        if (!words::same_word(known.gres.type, item.gres.type)) continue;
        const auto sum = checked_add(known.gres.count, item.gres.count);
        if (!sum) return at.error("count beyond 2^63", node_gres_words);
        known.gres.count = *sum;
        known.is_consumed = known.is_consumed && item.is_consumed;
        return std::nullopt;
    }
    if (list.size() == gres_a_node_max) {
        return at.error("too many GRES", std::to_string(gres_a_node_max));
    }
    list.push_back(std::move(item));
    return std::nullopt;
}

/// One item to its end, a tail in parentheses left away.
ValueErrors read_node_gres_item(TextCursor text, std::vector<NodeGres>& list) {
    const TextCursor start = text;
    NodeGres item;
    item.gres.name = text.take_until(":");
    if (!is_gres_word(item.gres.name)) return start.error("malformed GRES name", node_gres_words);
    std::vector<std::string> types;
    while (text.accept(':')) {
        const std::size_t offset = text.offset();
        const TextCursor part(text.take_until(":"), offset);
        const bool is_last = text.at_end();
        if (part.at_end() && is_last) break;  // as without the colon
        if (words::same_word(part.rest(), "no_consume")) {
            item.is_consumed = false;
        } else if (is_last && (is_count(part.rest()) || part.peek() == '-')) {
            const auto count = read_count(part);
            if (!count) return count.error();
            item.gres.count = *count;
        } else if (!is_gres_word(part.rest())) {
            return part.error("malformed GRES type", node_gres_words);
        } else {
            types.emplace_back(part.rest());
        }
    }
    if (types.empty()) types.emplace_back();
    for (std::string& type : types) {
        item.gres.type = std::move(type);
        if (auto error = add_node_gres(list, item, start)) return error;
    }
    return std::nullopt;
}

}  // namespace

ValueErrors read_node_gres(TextCursor text, std::vector<NodeGres>& list) {
    list.clear();
    if (words::same_word(text.rest(), "(null)")) return std::nullopt;
    if (text.at_end()) return text.error("empty GRES", std::string(node_gres_words));
    ValueErrors errors;
    do {
        const std::size_t offset = text.offset();
        const TextCursor item(text.take_until(",("), offset);
        if (text.accept('(')) {
            const TextCursor tail = text;
            text.take_until(")");
            if (!text.accept(')')) return tail.error("parenthesis without end", "(S:0-1)");
        }
        if (!text.at_end() && text.peek() != ',') return text.error("unexpected text", "a comma");
        errors.add(item.at_end() ? empty_item(item, node_gres_words)
                                 : read_node_gres_item(item, list));
    } while (text.accept(',') && errors.all().size() < errors_of_value_max);
    return errors;
}

TextResult<std::vector<NodeGres>> read_node_gres(TextCursor text) {
    std::vector<NodeGres> list;
    if (ValueErrors errors = read_node_gres(text, list)) return std::move(errors.all().front());
    return list;
}

}  // namespace trestle::slurm
