// SPDX-License-Identifier: Apache-2.0
// --cpu-bind, --mem-bind, --tres-bind, --gpu-bind.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "grammars.hpp"
#include "set/masks.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/set/text.hpp"

namespace trestle::slurm {
namespace {

using BindError = std::optional<TextError>;

constexpr std::string_view cpu_words =
    "none, threads, cores, sockets, ldoms, rank, map_cpu:list or mask_cpu:list, with quiet or "
    "verbose before";
constexpr std::string_view mem_words =
    "none, local, rank, map_mem:list or mask_mem:list, with quiet, verbose, prefer or sort";
constexpr std::string_view list_words = "numbers with commas, as in 0,1*2";
constexpr std::string_view mask_words = "hexadecimal masks with commas, as in 0x3,0xc*2";
constexpr std::string_view tres_words =
    "closest, single:n, per_task:n, map:list, mask:list or none";

/// What a comma behind an item may be followed by.
enum class AfterComma {
    item,          ///< nothing but items stand in the text
    item_or_word,  ///< a word where it is no digit, as in `mask_cpu:0x3,verbose`
};

/// `value[*repeat]` between commas; add(value) gives an error or nothing.
template <class Add>
BindError read_repeated(TextCursor& text, AfterComma after, std::string_view expected,
                        const Add& add) {
    std::size_t entries = 0;
    for (;;) {
        TextCursor item = take_piece(text, ",");
        const TextCursor start = item;
        const TextCursor value = take_piece(item, "*");
        std::uint64_t times = 1;
        if (item.accept('*')) {
            const auto number = read_one_or_more(item);
            if (!number) return number.error();
            times = static_cast<std::uint64_t>(number->value());
        }
        entries += times;
        if (times > option_list_max || entries > option_list_max) {
            return start.error("too many entries", "at most 65536");
        }
        for (std::uint64_t i = 0; i < times; ++i) {
            if (auto error = add(value, expected)) return error;
        }
        TextCursor next = text;
        if (!next.accept(',')) return std::nullopt;
        if (after == AfterComma::item_or_word && !words::is_digit(next.peek())) return std::nullopt;
        text = next;
    }
}

BindError read_map(TextCursor& text, AfterComma after, std::vector<std::uint32_t>& map) {
    return read_repeated(text, after, list_words, [&](TextCursor value, std::string_view expected) {
        const TextCursor start = value;
        const auto number = value.take_number();
        if (!number || !value.at_end() || *number > std::numeric_limits<std::int32_t>::max()) {
            return BindError(start.error("malformed number", expected));
        }
        map.push_back(static_cast<std::uint32_t>(*number));
        return BindError();
    });
}

BindError read_masks(TextCursor& text, AfterComma after, std::vector<SmallSet<>>& masks) {
    std::size_t bytes = 0;  // a long mask is not to be repeated without end
    return read_repeated(text, after, mask_words, [&](TextCursor value, std::string_view expected) {
        bytes += value.rest().size();
        if (bytes > std::size_t{1} << 20) {
            return BindError(value.error("too many masks", "a list below 1 MiB"));
        }
        const auto mask = parse_mask<SmallSet<>>(value);
        if (!mask) return BindError(value.error("malformed mask", expected));
        masks.push_back(*mask);
        return BindError();
    });
}

std::optional<BindReport> report_of(std::string_view word) {
    if (words::same_word(word, "quiet") || words::same_word(word, "q")) return BindReport::quiet;
    if (words::same_word(word, "verbose") || words::same_word(word, "v")) {
        return BindReport::verbose;
    }
    return std::nullopt;
}

/// `cores` of `core`, `none` of `no`: the forms that Slurm takes too.
std::optional<CpuBindRule> cpu_rule_of(std::string_view word) {
    if (words::same_word(word, "no")) return CpuBindRule::none;
    for (const auto& entry : enum_names(CpuBindRule{})) {
        const bool has_plural = entry.name.back() == 's';
        const std::string_view singular =
            entry.name.substr(0, entry.name.size() - (has_plural ? 1 : 0));
        if (words::same_word(word, entry.name) || words::same_word(word, singular)) {
            return entry.value;
        }
    }
    return std::nullopt;
}

/// The word of a bind, up to a comma or colon, and what it means.
BindError read_cpu_rule(TextCursor& text, CpuBind& bind) {
    const TextCursor word = take_piece(text, ",:");
    bind.rule = cpu_rule_of(word.rest());
    if (!bind.rule) return word.error("unknown binding", cpu_words);
    const bool is_map = bind.rule == CpuBindRule::map_cpu || bind.rule == CpuBindRule::map_ldom;
    const bool is_mask = bind.rule == CpuBindRule::mask_cpu || bind.rule == CpuBindRule::mask_ldom;
    if ((is_map || is_mask) != text.accept(':')) {
        return word.error("a list where none belongs, or none", cpu_words);
    }
    bind.map.clear();
    bind.masks.clear();
    if (is_map) return read_map(text, AfterComma::item_or_word, bind.map);
    if (!is_mask) return std::nullopt;
    const TextCursor start = text;
    if (auto error = read_masks(text, AfterComma::item_or_word, bind.masks)) return error;
    const bool has_empty = std::any_of(bind.masks.begin(), bind.masks.end(),
                                       [](const SmallSet<>& mask) { return mask.is_empty(); });
    return has_empty ? BindError(start.error("malformed mask", mask_words)) : std::nullopt;
}

BindError read_mem_rule(TextCursor& text, MemBind& bind) {
    const TextCursor word = take_piece(text, ",:");
    bind.rule = words::same_word(word.rest(), "no") ? MemBindRule::none
                                                    : enum_of_word<MemBindRule>(word.rest());
    if (!bind.rule) return word.error("unknown binding", mem_words);
    const bool has_list = *bind.rule >= MemBindRule::map_mem;
    if (has_list != text.accept(':')) {
        return word.error("a list where none belongs, or none", mem_words);
    }
    bind.map.clear();
    bind.masks.clear();
    if (bind.rule == MemBindRule::map_mem)
        return read_map(text, AfterComma::item_or_word, bind.map);
    return has_list ? read_masks(text, AfterComma::item_or_word, bind.masks) : std::nullopt;
}

/// Words that may stand anywhere in --mem-bind.
bool take_mem_word(TextCursor& text, MemBind& bind) {
    TextCursor look = text;
    const std::string_view word = take_piece(look, ",").rest();
    if (const auto report = report_of(word)) {
        bind.report = report;
    } else if (words::same_word(word, "prefer") || words::same_word(word, "p")) {
        bind.is_preferred = true;
    } else if (words::same_word(word, "sort")) {
        bind.is_sorted = true;
    } else if (words::same_word(word, "nosort")) {
        bind.is_sorted = false;
    } else {
        return false;
    }
    text = look;
    return true;
}

/// The numbers of `single:2` and `per_task:2`.
BindError read_bind_count(TextCursor text, DeviceBind& bind) {
    const TextCursor start = text;
    if (text.accept('-')) return start.error("negative count", "a count of 1 or more");
    text.accept('+');
    constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
    const std::uint64_t number = std::min(text.take_number().value_or(1), most);
    bind.count = Count(static_cast<std::int64_t>(std::max<std::uint64_t>(number, 1)));
    return std::nullopt;
}

/// Without pieces between commas that are empty, or that stand no time.
std::string said_items(std::string_view list) {
    std::string items;
    for (TextCursor text(list); !text.at_end(); text.accept(',')) {
        const std::string_view item = text.take_until(",");
        if (!item.empty() && !item.ends_with("*0")) {
            items += (items.empty() ? "" : ",") + std::string(item);
        }
    }
    return items;
}

BindError read_device_list(TextCursor text, DeviceBind& bind) {
    const std::string items = said_items(text.rest());
    if (items.empty()) return std::nullopt;
    if (items.size() != text.rest().size()) text = TextCursor(items, text.offset());
    BindError error = bind.rule == DeviceBind::Rule::map
                          ? read_map(text, AfterComma::item, bind.map)
                          : read_masks(text, AfterComma::item, bind.masks);
    if (!error && !text.at_end()) return text.error("unexpected text", "a number or the end");
    return error;
}

/// `[verbose,]mode`. Words of any case; what stands behind closest, none or a count is passed over.
BindError read_device_mode(TextCursor text, DeviceBind& bind, bool& is_verbose) {
    constexpr std::string_view verbose = "verbose,";
    if (words::same_word(text.rest().substr(0, verbose.size()), verbose)) {
        text.accept(text.rest().substr(0, verbose.size()));
        is_verbose = true;
    }
    const bool is_shared = is_shared_gres(bind.name);
    const TextCursor start = text;
    const std::string mode = words::lower(text.take_until(":"));
    const bool has_list = text.accept(':');
    if (mode.starts_with("none")) return std::nullopt;
    if (mode == "per_task" && has_list) {
        bind.rule = is_shared ? DeviceBind::Rule::shares : DeviceBind::Rule::per_task;
        return read_bind_count(text, bind);
    }
    if (is_shared) return start.error("unknown binding", "per_task:n or none");
    if (mode.starts_with("closest")) {
        bind.rule = DeviceBind::Rule::closest;
        return std::nullopt;
    }
    if (mode == "single" && has_list) {
        bind.rule = DeviceBind::Rule::single;
        return read_bind_count(text, bind);
    }
    if ((mode == "map" || mode == "map_gpu") && has_list) {
        bind.rule = DeviceBind::Rule::map;
    } else if ((mode == "mask" || mode == "mask_gpu") && has_list) {
        bind.rule = DeviceBind::Rule::mask;
    } else {
        return start.error("unknown binding", tres_words);
    }
    return read_device_list(text, bind);
}

}  // namespace

TextResult<CpuBind> read_cpu_bind(TextCursor text) {
    CpuBind bind;
    do {
        TextCursor look = text;
        if (const auto report = report_of(take_piece(look, ",").rest())) {
            bind.report = report;
            text = look;
        } else if (bind.rule) {
            return text.error("a second binding", "one binding");
        } else if (auto error = read_cpu_rule(text, bind)) {
            return *error;
        }
    } while (text.accept(','));
    if (!text.at_end()) return text.error("unexpected text", cpu_words);
    return bind;
}

TextResult<MemBind> read_mem_bind(TextCursor text) {
    MemBind bind;
    do {
        if (take_mem_word(text, bind)) continue;
        if (auto error = read_mem_rule(text, bind)) return *error;
    } while (text.accept(','));
    if (!text.at_end()) return text.error("unexpected text", mem_words);
    return bind;
}

TextResult<TresBind> read_tres_bind(TextCursor text) {
    TresBind bind;
    do {
        TextCursor spec = take_piece(text, "+");
        const TextCursor start = spec;
        if (!spec.accept("gres/")) {
            return start.error("unknown TRES", "gres/name:mode, as in gres/gpu:closest");
        }
        DeviceBind one;
        one.name = spec.take_until(":");
        if (one.name.empty() || !spec.accept(':')) {
            return start.error("no binding", "gres/name:mode, as in gres/gpu:closest");
        }
        std::erase_if(bind.rules, [&](const DeviceBind& known) { return known.name == one.name; });
        if (bind.rules.size() == 64) return start.error("too many bindings", "at most 64");
        if (auto error = read_device_mode(spec, one, bind.is_verbose)) return *error;
        bind.rules.push_back(std::move(one));
    } while (text.accept('+'));
    return bind;
}

TextResult<TresBind> read_gpu_bind(TextCursor text) {
    TresBind bind;
    bind.rules.emplace_back();
    if (auto error = read_device_mode(text, bind.rules.front(), bind.is_verbose)) return *error;
    return bind;
}

}  // namespace trestle::slurm
