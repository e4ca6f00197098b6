// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/tres.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "../words.hpp"
#include "trestle/dialect/slurm/quantities.hpp"

namespace trestle::slurm {
namespace {

struct StaticTres {
    std::uint32_t id;
    std::string_view type;
    std::string_view name;
};
constexpr std::array<StaticTres, 8> static_tres{{{1, "cpu", ""},
                                                 {2, "mem", ""},
                                                 {3, "energy", ""},
                                                 {4, "node", ""},
                                                 {5, "billing", ""},
                                                 {6, "fs", "disk"},
                                                 {7, "vmem", ""},
                                                 {8, "pages", ""}}};

/// What stands before the slash, and whether there has to be one.
struct TresType {
    std::string_view name;
    bool has_name;
};
constexpr std::array<TresType, 12> types{{{"cpu", false},
                                          {"mem", false},
                                          {"energy", false},
                                          {"node", false},
                                          {"billing", false},
                                          {"vmem", false},
                                          {"pages", false},
                                          {"fs", true},
                                          {"gres", true},
                                          {"license", true},
                                          {"bb", true},
                                          {"ic", true}}};

std::optional<std::uint32_t> static_id_of(const Tres& tres) {
    for (const StaticTres& one : static_tres) {
        if (one.type == tres.type && one.name == tres.name) return one.id;
    }
    return std::nullopt;
}

bool is_energy(const Tres& tres) { return tres.type == "energy"; }

/// A TRES and how its count changes.
struct TresItem {
    Tres tres;
    char change = '=';            ///< or `+`, `-`
    std::optional<Count> amount;  ///< absent: -1
};

TextResult<Tres> read_name(TextCursor text, const TresIds& ids) {
    const std::string_view word = text.rest();
    if (word.empty()) return text.error("empty TRES", "name=count, as in cpu=4");
    if (words::is_digit(word.front())) {
        const TextCursor start = text;
        const auto id = text.take_number();
        const bool is_id = id && text.at_end() && *id <= std::numeric_limits<std::uint32_t>::max();
        const auto tres =
            is_id ? ids.tres_of(static_cast<std::uint32_t>(*id)) : std::optional<Tres>();
        if (!tres) return start.error("unknown TRES number", "1 to 8, or one of the database's");
        return *tres;
    }
    const std::size_t slash = std::min(word.find('/'), word.size());
    const std::string type = words::lower(word.substr(0, slash));
    const auto known = std::find_if(types.begin(), types.end(),
                                    [&](const TresType& one) { return one.name == type; });
    if (known == types.end()) {
        const auto name_of = [](const TresType& one) { return std::string_view(one.name); };
        return text.error("unknown TRES", words::with_nearest("a TRES", type, types, name_of));
    }
    const std::string_view name = word.substr(std::min(slash + 1, word.size()));
    if (known->has_name == name.empty() || slash + 1 == word.size()) {
        return text.error("malformed TRES", known->has_name ? type + "/name" : type + " alone");
    }
    return Tres{type, std::string(name)};
}

/// Memory as options write it, or as Slurm prints it: with a fraction, and up to P.
TextResult<Bytes> read_printed_memory(TextCursor text) {
    const TextCursor start = text;
    const auto whole = text.take_number();
    const bool has_fraction = whole && text.accept('.');
    const TextCursor fraction_at = text;
    const std::string_view digits =
        has_fraction ? text.take_while(words::is_digit) : std::string_view();
    if (has_fraction && (digits.empty() || digits.size() > 6)) {
        return fraction_at.error("malformed memory", "one to six digits, as in 1.50G");
    }
    const bool is_large = words::same_word(text.rest(), "P") || words::same_word(text.rest(), "PB");
    if (!whole || (!has_fraction && !is_large)) return read_memory(start);
    const std::string one = is_large ? "1024T" : "1" + std::string(text.rest());
    const auto unit = read_memory(TextCursor(one));
    if (!unit) return text.error("unknown memory unit", "K, M, G, T or P, as in 1.50G");
    const auto most = static_cast<std::uint64_t>(Bytes::max().value()) / 2;
    const auto factor = static_cast<std::uint64_t>(unit->value());
    if (*whole > most / factor) return start.error("memory beyond 2^62 bytes", "less");
    std::uint64_t part = 0;  // of the unit, from the last digit on
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
        part = (part + static_cast<std::uint64_t>(*digit - '0') * factor + 9) / 10;
    }
    const Bytes bytes(static_cast<std::int64_t>(*whole * factor + part));
    return div_ceil(bytes, mib(1).value()) * mib(1).value();
}

TextResult<Count> read_amount(TextCursor text, const Tres& tres) {
    if (!is_memory(tres)) return read_count(text);
    const auto memory = read_printed_memory(text);
    if (!memory) return memory.error();
    return Count(memory->value());
}

/// One item of a list, to its end.
TextResult<TresItem> read_item(TextCursor text, const TresIds& ids, bool may_change) {
    const TextCursor start = text;
    std::string_view name = text.take_until("=");
    if (!text.accept('=')) return start.error("TRES without a count", "name=count, as in cpu=4");
    TresItem item;
    if (!name.empty() && (name.back() == '+' || name.back() == '-')) {
        if (!may_change) return start.error("change of a count", "name=count, as in cpu=4");
        item.change = name.back();
        name.remove_suffix(1);
    }
    const auto tres = read_name(TextCursor(name, start.offset()), ids);
    if (!tres) return tres.error();
    item.tres = *tres;
    if (may_change && item.change == '=' && text.rest() == "-1") return item;
    const auto amount = read_amount(text, item.tres);
    if (!amount) return amount.error();
    item.amount = *amount;
    return item;
}

/// visit(item, where it starts) for each, until it returns an error.
template <class Visit>
std::optional<TextError> for_each_item(TextCursor text, const TresIds& ids, bool may_change,
                                       const Visit& visit) {
    text.skip_blanks();
    if (text.at_end()) return std::nullopt;
    do {
        const TextCursor start = text;
        const std::string_view word = text.take_until(",");
        const auto item = read_item(TextCursor(word, start.offset()), ids, may_change);
        if (!item) return item.error();
        if (auto error = visit(*item, TextCursor(word, start.offset()))) return error;
    } while (text.accept(','));
    return std::nullopt;
}

using Entries = std::vector<std::pair<Tres, Count>>;

/// No cluster counts so many, and each new one moves those behind it.
constexpr std::size_t entries_max = 1000;

std::optional<TextError> check_room(const TresCounts& counts, const TresItem& item,
                                    const TextCursor& at) {
    if (counts.entries.size() < entries_max || !item.amount || counts.has(item.tres)) {
        return std::nullopt;
    }
    return at.error("too many TRES", "at most " + std::to_string(entries_max));
}

void change(TresCounts& counts, const TresItem& item) {
    if (!item.amount) return counts.erase(item.tres);
    const Count before = counts.of(item.tres);
    Count after = *item.amount;
    if (item.change == '+') after = checked_add(before, after).value_or(Count::max());
    if (item.change == '-') after = before < after ? Count() : before - after;
    counts.set(item.tres, after);
}

Entries in_order(const TresCounts& counts) {
    Entries entries = counts.entries;
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return comes_before(a.first, b.first); });
    return entries;
}

std::int64_t mebibytes(Count bytes) {
    return div_ceil(Bytes(bytes.value()), mib(1).value()).value();
}

/// MiB in the largest unit of which they are a multiple of a half.
std::string memory_words(Count bytes) {
    std::int64_t amount = mebibytes(bytes);
    if (amount == 0) return "0";
    constexpr std::string_view units = "MGTP";
    std::size_t unit = 0;
    for (; amount >= 1024 && amount % 1024 == 0 && unit + 1 < units.size(); ++unit) amount /= 1024;
    if (amount >= 1024 && amount % 512 == 0 && unit + 1 < units.size()) {
        return fmt::format("{}.50{}", amount / 1024, units[unit + 1]);
    }
    return fmt::format("{}{}", amount, units[unit]);
}

}  // namespace

std::optional<std::uint32_t> TresIds::id_of(const Tres& tres) const {
    if (const auto id = static_id_of(tres)) return id;
    for (const auto& [id, known] : given) {
        if (known == tres) return id;
    }
    return std::nullopt;
}

std::optional<Tres> TresIds::tres_of(std::uint32_t id) const {
    for (const StaticTres& one : static_tres) {
        if (one.id == id) return Tres{std::string(one.type), std::string(one.name)};
    }
    for (const auto& [known, tres] : given) {
        if (known == id) return tres;
    }
    return std::nullopt;
}

bool is_memory(const Tres& tres) { return tres.type == "mem" || tres.type == "bb"; }

bool comes_before(const Tres& a, const Tres& b) {
    constexpr std::uint32_t behind = std::numeric_limits<std::uint32_t>::max();
    const std::uint32_t first = static_id_of(a).value_or(behind);
    const std::uint32_t second = static_id_of(b).value_or(behind);
    return first != second ? first < second : a < b;
}

TextResult<TresCounts> read_tres(TextCursor text, const TresIds& ids) {
    TresCounts counts;
    const auto error = for_each_item(
        text, ids, false, [&](const TresItem& item, TextCursor at) -> std::optional<TextError> {
            if (counts.has(item.tres)) return at.error("TRES stands twice", "each once");
            if (auto full = check_room(counts, item, at)) return full;
            change(counts, item);
            return std::nullopt;
        });
    if (error) return *error;
    return counts;
}

StatusOr<TresCounts> parse_tres(std::string_view text, const TresIds& ids) {
    const auto counts = read_tres(TextCursor(text), ids);
    if (!counts) return to_status("TRES", counts.error());
    return *counts;
}

StatusOr<TresCounts> amend_tres(TresCounts counts, std::string_view text, const TresIds& ids) {
    const auto error =
        for_each_item(TextCursor(text), ids, true,
                      [&](const TresItem& item, TextCursor at) -> std::optional<TextError> {
                          if (auto full = check_room(counts, item, at)) return full;
                          change(counts, item);
                          return std::nullopt;
                      });
    if (error) return to_status("TRES", *error);
    return counts;
}

std::string tres_text(const TresCounts& counts) {
    std::string text;
    for (const auto& [tres, count] : in_order(counts)) {
        if (!text.empty()) text += ',';
        text += trestle::to_text(tres) + "=";
        text += is_memory(tres) ? memory_words(count) : std::to_string(count.value());
    }
    return text;
}

StatusOr<std::string> tres_id_text(const TresCounts& counts, const TresIds& ids) {
    std::string text;
    for (const auto& [tres, count] : in_order(counts)) {
        const auto id = ids.id_of(tres);
        if (!id) return not_found("TRES {} has no number", trestle::to_text(tres));
        if (!text.empty()) text += ',';
        text += fmt::format("{}={}", *id, is_memory(tres) ? mebibytes(count) : count.value());
    }
    return text;
}

namespace {

/// Takes energy out where one of the two does not know it.
void forget_unknown_energy(TresCounts& counts, const TresCounts& other) {
    const Tres energy{"energy", ""};
    if (!other.has(energy)) counts.erase(energy);
}

}  // namespace

TresCounts sum_of(std::span<const TresCounts> all) {
    TresCounts sum;
    for (const TresCounts& one : all) {
        for (const auto& [tres, count] : one.entries) {
            sum.set(tres, checked_add(sum.of(tres), count).value_or(Count::max()));
        }
    }
    for (const TresCounts& one : all) forget_unknown_energy(sum, one);
    return sum;
}

TresCounts difference_of(TresCounts from, const TresCounts& less) {
    for (auto& [tres, count] : from.entries) count = saturating_sub(count, less.of(tres));
    forget_unknown_energy(from, less);
    return from;
}

TresCounts max_of(TresCounts a, const TresCounts& b) {
    const bool knows_energy = energy_of(a).has_value();
    for (const auto& [tres, count] : b.entries) {
        if (!is_energy(tres) || knows_energy) a.set(tres, std::max(a.of(tres), count));
    }
    forget_unknown_energy(a, b);
    return a;
}

std::optional<Count> energy_of(const TresCounts& counts) {
    const Tres energy{"energy", ""};
    if (!counts.has(energy)) return std::nullopt;
    return counts.of(energy);
}

std::string to_text(const TresExcess& excess) {
    const auto shown = [&](Count count) {
        return is_memory(excess.tres) ? memory_words(count) : std::to_string(count.value());
    };
    return fmt::format("{}: asked {}, used {} of {}", trestle::to_text(excess.tres),
                       shown(excess.asked), shown(excess.used), shown(excess.limit));
}

std::optional<TresExcess> exceeds(const TresCounts& limit, const TresCounts& used,
                                  const TresCounts& asked) {
    for (const auto& [tres, most] : in_order(limit)) {
        const Count now = used.of(tres);
        const Count more = is_energy(tres) ? Count() : asked.of(tres);
        const auto both = checked_add(now, more);
        if (!both || most < *both) return TresExcess{tres, most, now, more};
    }
    return std::nullopt;
}

TextResult<Tres> read_tres_name(TextCursor text) { return read_name(text, {}); }

}  // namespace trestle::slurm
