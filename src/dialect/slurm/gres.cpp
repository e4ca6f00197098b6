// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/gres.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "../words.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/quantities.hpp"
#include "trestle/set/text.hpp"

namespace trestle::slurm {
namespace {

constexpr std::string_view item_words = "name[:type][:count], as in gpu:2 or gpu:a100:2";
constexpr std::size_t items_max = 256;  // each is compared with all before it
constexpr std::string_view tail_words = "(IDX:0-1), (S:0-1), (CNT:2) or (3/8,-/8)";

/// The rest of the text, as a cursor over that much of it.
TextCursor piece(TextCursor& text, std::string_view stops) {
    const std::size_t offset = text.offset();
    return TextCursor(text.take_until(stops), offset);
}

/// Ok when the rest is a word that starts with a letter or, for types, a digit (`1g.10gb`).
std::optional<TextError> check_word(TextCursor text, std::string_view kind) {
    const bool is_type = kind == "GRES type";
    const auto wrong = [&] { return text.error("malformed " + std::string(kind), item_words); };
    if (!words::is_letter(text.peek()) && !(is_type && words::is_digit(text.peek()))) {
        return wrong();
    }
    TextCursor rest = text;
    rest.take_while([](char c) {
        return words::is_letter(c) || words::is_digit(c) ||
               std::string_view("_-.+").find(c) != std::string_view::npos;
    });
    if (!rest.at_end()) return wrong();
    if (is_type && words::same_word(text.rest(), "no_consume")) {
        return text.error("no_consume is not supported", item_words);
    }
    return std::nullopt;
}

/// `type`, `count`, `type:count` or `type=count`: what follows the name.
std::optional<TextError> read_type_and_count(TextCursor text, Gres& gres) {
    if (text.at_end()) return text.error("neither count nor type", item_words);
    if (text.peek() == '-') return text.error("negative count", "0 or more");
    const std::string_view all = text.rest();
    const std::size_t equals = all.rfind('=');
    const std::size_t separator = equals != all.npos ? equals : all.rfind(':');
    if (separator == all.npos && !is_count(all)) {
        gres.type = all;
        return check_word(text, "GRES type");
    }
    const std::size_t count_at = separator == all.npos ? 0 : separator + 1;
    const auto count = read_count(TextCursor(all.substr(count_at), text.offset() + count_at));
    if (!count) return count.error();
    gres.count = *count;
    if (separator == all.npos) return std::nullopt;
    gres.type = all.substr(0, separator);
    return check_word(TextCursor(gres.type, text.offset()), "GRES type");
}

std::optional<TextError> read_name_and_rest(TextCursor text, Gres& gres) {
    if (!text.accept("gres/")) text.accept("gres:");
    const TextCursor name = piece(text, ":=");
    gres.name = name.rest();
    if (auto error = check_word(name, "GRES name")) return error;
    if (gres.name == "gres") return name.error("gres without a name", item_words);
    if (text.accept(':')) return read_type_and_count(text, gres);
    if (!text.accept('=')) return std::nullopt;
    const auto count = read_count(text);
    if (!count) return count.error();
    gres.count = *count;
    return std::nullopt;
}

/// `3/8,-/8`: what is in use of each device.
std::optional<TextError> read_parts(TextCursor text, GresDetail& item) {
    const TextCursor start = text;
    std::optional<Count> sum = Count();
    item.parts.clear();
    do {
        GresPart part;
        const TextCursor used_at = text;
        if (!text.accept('-')) {
            const auto used = read_count(piece(text, "/,"));
            if (!used) return used.error();
            part.used = *used;
            if (sum) sum = checked_add(*sum, *used);
        }
        if (!text.accept('/')) return text.error("parts in use without how many there are", "3/8");
        const auto all = read_count(piece(text, ","));
        if (!all) return all.error();
        part.all = *all;
        if (part.used && *all < *part.used) {
            return used_at.error("more parts than there are", "3/8");
        }
        item.parts.push_back(part);
    } while (text.accept(','));
    if (sum == item.gres.count) return std::nullopt;
    return start.error("parts that are not as many as the count",
                       std::to_string(item.gres.count.value()) + " parts");
}

/// One parenthesis: `IDX:0-1`, `S:0`, `CNT:4`, `3/8,-/8`.
std::optional<TextError> read_tail(TextCursor text, GresDetail& item) {
    const TextCursor start = text;
    if (words::is_digit(text.peek()) || text.peek() == '-') return read_parts(text, item);
    SmallSet<>* set = text.accept("IDX:") ? &item.indexes
                      : text.accept("S:") ? &item.sockets
                                          : nullptr;
    if (set != nullptr) {
        if (text.rest() == "N/A") return std::nullopt;
        const auto members = parse_set<SmallSet<>>(text);
        if (!members) return members.error();
        *set = *members;
        const Count indexes(set->count());
        const bool fits =  // parts of GPUs have the indexes of the GPUs
            is_shared_gres(item.gres.name) ? indexes <= item.gres.count
                                           : indexes == item.gres.count;
        if (set == &item.indexes && !fits) {
            return start.error("indexes that are not as many as the count",
                               std::to_string(item.gres.count.value()) + " indexes");
        }
        return std::nullopt;
    }
    if (!text.accept("CNT:")) return text.error("unknown tail", tail_words);
    const auto count = read_count(text);
    if (!count) return count.error();
    if (!item.indexes.is_empty() || !item.parts.empty()) {
        return start.error("count behind what was counted", "indexes, parts or a count");
    }
    item.gres.count = *count;
    return std::nullopt;
}

const Gres& gres_in(const GresDetail& detail) { return detail.gres; }
const Gres& gres_in(const Gres& gres) { return gres; }

/// What becomes of items of count 0: a request for nothing is none, nothing in use is a fact.
enum class Zeros { drop, keep };

/// Adds an item by Slurm's rules: the last of a name and type wins.
template <class Item>
std::optional<TextError> add(std::vector<Item>& list, Item item, TextCursor at, Zeros zeros) {
    const Gres& gres = gres_in(item);
    if (gres.count.is_zero() && zeros == Zeros::drop) return std::nullopt;
    for (Item& one : list) {
        const Gres& known = gres_in(one);
        if (known.name != gres.name) continue;
        if (known.type == gres.type) {
            one = std::move(item);
            return std::nullopt;
        }
        if (known.type.empty() != gres.type.empty()) {
            return at.error(gres.name + " with and without a type",
                            "a type for all of them or for none");
        }
    }
    if (list.size() == items_max) {
        return at.error("too many GRES", fmt::format("at most {} names and types", items_max));
    }
    list.push_back(std::move(item));
    return std::nullopt;
}

using ReadItem = std::optional<TextError> (*)(TextCursor, Gres&);

/// With the tails, or without them.
template <class Item>
TextResult<std::vector<Item>> read_list(TextCursor text, ReadItem read_item, const Gres& blank,
                                        Zeros zeros = Zeros::drop) {
    std::vector<Item> list;
    do {
        text.skip_blanks();
        const TextCursor start = text;
        const TextCursor body = piece(text, ",(");
        if (body.at_end() && text.peek() != '(') continue;
        GresDetail item{blank, {}, {}};
        if (auto error = read_item(body, item.gres)) return *error;
        while (text.accept('(')) {
            const TextCursor tail = piece(text, ")");
            if (!text.accept(')')) return tail.error("parenthesis without end", tail_words);
            if (auto error = read_tail(tail, item)) return *error;
        }
        if (!text.at_end() && text.peek() != ',') return text.error("unexpected text", "a comma");
        std::optional<TextError> error;
        if constexpr (std::is_same_v<Item, Gres>) {
            error = add(list, std::move(item.gres), start, zeros);
        } else {
            error = add(list, std::move(item), start, zeros);
        }
        if (error) return *error;
    } while (text.accept(','));
    return list;
}

}  // namespace

bool is_shared_gres(std::string_view name) {
    return words::same_word(name, "mps") || words::same_word(name, "shard");
}

TextResult<std::vector<GresDetail>> read_gres_details(TextCursor text) {
    return read_list<GresDetail>(text, &read_name_and_rest, {});
}

StatusOr<std::vector<GresDetail>> parse_gres_details(std::string_view text) {
    auto list = read_gres_details(TextCursor(text));
    if (!list) return to_status("gres", list.error());
    return *std::move(list);
}

TextResult<std::vector<GresDetail>> read_gres_used(TextCursor text) {
    return read_list<GresDetail>(text, &read_name_and_rest, {}, Zeros::keep);
}

StatusOr<std::vector<GresDetail>> parse_gres_used(std::string_view text) {
    auto list = read_gres_used(TextCursor(text));
    if (!list) return to_status("gres", list.error());
    return *std::move(list);
}

TextResult<std::vector<Gres>> read_gres(TextCursor text) {
    return read_list<Gres>(text, &read_name_and_rest, {});
}

StatusOr<std::vector<Gres>> parse_gres(std::string_view text) {
    auto list = read_gres(TextCursor(text));
    if (!list) return to_status("gres", list.error());
    return *std::move(list);
}

TextResult<std::vector<Gres>> read_gpus(TextCursor text) {
    return read_list<Gres>(text, &read_type_and_count, {"gpu", "", Count(1)});
}

StatusOr<std::vector<Gres>> parse_gpus(std::string_view text) {
    auto list = read_gpus(TextCursor(text));
    if (!list) return to_status("gpus", list.error());
    return *std::move(list);
}

std::string to_text(const GresDetail& detail) {
    std::string text = to_text(detail.gres);
    if (!detail.indexes.is_empty()) text += "(IDX:" + to_text(detail.indexes) + ")";
    if (!detail.sockets.is_empty()) text += "(S:" + to_text(detail.sockets) + ")";
    std::string parts;
    for (const GresPart& part : detail.parts) {
        parts += parts.empty() ? '(' : ',';
        parts += part.used ? std::to_string(part.used->value()) : "-";
        parts += "/" + std::to_string(part.all.value());
    }
    return parts.empty() ? text : text + parts + ")";
}

namespace {
template <class Item>
std::string joined(const std::vector<Item>& items) {
    std::string text;
    for (const Item& item : items) {
        if (!text.empty()) text += ',';
        text += to_text(item);
    }
    return text;
}
}  // namespace

std::string gres_list_text(const std::vector<GresDetail>& details) { return joined(details); }
std::string gres_list_text(const std::vector<Gres>& list) { return joined(list); }

}  // namespace trestle::slurm
