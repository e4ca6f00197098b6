// SPDX-License-Identifier: Apache-2.0
// Counts of nodes, tasks and hardware, and the order of tasks.
#include <algorithm>
#include <array>
#include <limits>

#include "grammars.hpp"

namespace trestle::slurm {
namespace {

constexpr std::string_view nodes_words = "n, min-max or sizes, as in 4, 2-8, 1,4,8 or 1-15:4";
constexpr std::string_view hardware_words = "n, min-max or *";
constexpr std::string_view order_words =
    "block, cyclic, arbitrary, plane=n, * or pack, as in block:cyclic,Pack";
constexpr std::uint64_t plain_max = std::numeric_limits<std::int32_t>::max();

Count count_from(std::uint64_t number) { return Count(static_cast<std::int64_t>(number)); }

TextResult<Count> read_plain(TextCursor text, std::string_view expected) {
    text.skip_blanks();
    const TextCursor start = text;
    text.accept('+');
    const auto number = text.take_number();
    if (start.peek() == '-') return start.error("negative count", expected);
    if (!number || !text.at_end()) return start.error("malformed count", expected);
    if (*number > plain_max) return start.error("count beyond 2^31", expected);
    return count_from(*number);
}

/// A number of 1 or more with k or m behind it.
TextResult<Count> read_scaled(TextCursor text, std::string_view expected) {
    text.skip_blanks();
    const TextCursor start = text;
    text.accept('+');
    auto number = text.take_number();
    if (!number) return start.error("malformed count", expected);
    std::uint64_t factor = 1;
    if (words::lower(text.peek()) == 'k') factor = 1024;
    if (words::lower(text.peek()) == 'm') factor = 1024 * 1024;
    if (factor != 1) text.accept(text.peek());
    text.skip_blanks();
    if (!text.at_end()) return start.error("malformed count", expected);
    if (*number > plain_max / factor) return start.error("count beyond 2^31", expected);
    if (*number == 0) return start.error("zero", "1 or more");
    return count_from(*number * factor);
}

TextResult<Range<Count>> read_scaled_range(TextCursor text, std::string_view expected) {
    const TextCursor start = text;
    if (text.peek() == '-') return text.error("negative count", expected);
    const TextCursor low = take_piece(text, "-");
    const auto first = read_scaled(low, expected);
    if (!first) return first.error();
    if (!text.accept('-')) return Range<Count>::exactly(*first);
    const auto last = read_scaled(text, expected);
    if (!last) return last.error();
    if (*last < *first) return start.error("a range that goes down", expected);
    return Range<Count>::between(*first, *last);
}

/// `-2` is 2 and `-0` is 1; the 0 of `2-0` is no limit, as Slurm reads both. Nothing: another form.
std::optional<Range<Count>> read_open_nodes(TextCursor text) {
    if (text.accept('-')) {
        const auto number = text.take_number();
        if (!number || !text.at_end() || *number > plain_max) return std::nullopt;
        return Range<Count>::exactly(count_from(std::max<std::uint64_t>(*number, 1)));
    }
    const auto number = text.take_number();
    if (!number || *number == 0 || *number > plain_max || text.rest() != "-0") return std::nullopt;
    return Range<Count>::at_least(count_from(*number));
}

/// `4` or `1-15`, or alone `1-15:4`, whose sizes are below 15, as Slurm has it.
std::optional<TextError> read_sizes_item(TextCursor text, bool is_alone,
                                         std::vector<Count>& sizes) {
    const TextCursor start = text;
    const auto first = text.take_number();
    auto last = first;
    std::optional<std::uint64_t> step = 1;
    if (text.accept('-')) last = text.take_number();
    const bool has_step = is_alone && last != first && text.accept(':');
    if (has_step) step = text.take_number();
    if (!first || !last || !step || !text.at_end()) {
        return start.error("malformed sizes", nodes_words);
    }
    if (*first == 0 || *step == 0) return start.error("zero", "1 or more");
    if (*last < *first && is_alone) return start.error("a range that goes down", nodes_words);
    if (*last < *first) return std::nullopt;  // slurmctld passes over it
    if (*last > plain_max || (*last - *first) / *step + sizes.size() >= option_list_max) {
        return start.error("too many sizes", "at most 65536 of them, below 2^31");
    }
    const std::uint64_t end = has_step ? *last : *last + 1;
    for (std::uint64_t size = *first; size < end; size += *step) {
        sizes.push_back(count_from(size));
    }
    return std::nullopt;
}

TextResult<TaskSpread> read_inner_spread(TextCursor text, TaskSpread usual) {
    if (text.rest() == "*" || text.at_end()) return usual;
    const auto spread = enum_of_word<TaskSpread>(text.rest());
    if (!spread || *spread == TaskSpread::plane || *spread == TaskSpread::arbitrary) {
        return text.error("unknown distribution", "block, cyclic, fcyclic or *");
    }
    return *spread;
}

/// True when only L1 may stand.
TextResult<bool> read_node_spread(TextCursor text, TaskOrder& order) {
    constexpr std::string_view plane = "plane=";
    const std::string_view word = text.rest();
    if (words::same_word(word.substr(0, plane.size()), plane)) {
        const auto size =
            read_one_or_more(TextCursor(word.substr(plane.size()), text.offset() + plane.size()));
        if (!size) return size.error();
        order.nodes = TaskSpread::plane;
        order.plane_size = *size;
        return true;
    }
    if (words::same_word(word, "hostfile")) {
        order.nodes = TaskSpread::arbitrary;
        return true;
    }
    order.nodes = word == "*" || word.empty() ? TaskSpread::block : enum_of_word<TaskSpread>(word);
    if (!order.nodes || order.nodes == TaskSpread::fcyclic || order.nodes == TaskSpread::plane) {
        return text.error("unknown distribution", order_words);
    }
    return order.nodes == TaskSpread::arbitrary;
}

std::optional<bool> pack_of(std::string_view word) {
    if (words::same_word(word, "pack")) return true;
    if (words::same_word(word, "nopack")) return false;
    return std::nullopt;
}

}  // namespace

TextResult<Count> read_zero_or_more(TextCursor text) {
    return read_plain(text, "a count of 0 or more");
}

TextResult<Count> read_one_or_more(TextCursor text) {
    const auto count = read_plain(text, "a count of 1 or more");
    if (count && count->is_zero()) return text.error("zero", "1 or more");
    return count;
}

TextResult<std::string> read_text(TextCursor text) {
    if (text.at_end()) return text.error("empty value", "a value");
    return std::string(text.rest());
}

TextResult<std::vector<std::string>> read_names(TextCursor text) {
    std::vector<std::string> names;
    const TextCursor start = text;
    do {
        const TextCursor name = take_piece(text, ",");
        if (!name.at_end()) names.emplace_back(name.rest());
    } while (text.accept(','));
    if (names.empty()) return start.error("empty name", "names between commas");
    return names;
}

TextResult<NodeCounts> read_node_counts(TextCursor text) {
    NodeCounts nodes;
    if (text.rest().find_first_of(",:") == std::string_view::npos) {
        if (const auto open = read_open_nodes(text)) {
            nodes.range = *open;
            return nodes;
        }
        const auto range = read_scaled_range(text, nodes_words);
        if (!range) return range.error();
        nodes.range = *range;
        return nodes;
    }
    const bool is_alone = text.rest().find(',') == std::string_view::npos;
    const TextCursor start = text;
    do {
        auto error = read_sizes_item(take_piece(text, ","), is_alone, nodes.sizes);
        if (error) return *error;
    } while (text.accept(','));
    if (nodes.sizes.empty()) return start.error("ranges that go down", nodes_words);
    std::sort(nodes.sizes.begin(), nodes.sizes.end());
    nodes.sizes.erase(std::unique(nodes.sizes.begin(), nodes.sizes.end()), nodes.sizes.end());
    nodes.range = Range<Count>::between(nodes.sizes.front(), nodes.sizes.back());
    return nodes;
}

TextResult<Range<Count>> read_hardware_count(TextCursor text) {
    if (text.rest() == "*") return Range<Count>();
    return read_scaled_range(text, hardware_words);
}

TextResult<TaskOrder> read_task_order(TextCursor text) {
    TaskOrder order;
    TextCursor levels = take_piece(text, ",");
    if (levels.rest().find_first_not_of(':') == std::string_view::npos) {
        return levels.error("no distribution", order_words);
    }
    if (text.at_end()) order.pack = pack_of(levels.rest());
    if (order.pack) return order;
    const auto is_alone = read_node_spread(take_piece(levels, ":"), order);
    if (!is_alone) return is_alone.error();
    if (*is_alone && !levels.at_end()) {
        return levels.error("a level behind what has none", "plane=n or arbitrary alone");
    }
    if (levels.accept(':')) {
        const auto sockets = read_inner_spread(take_piece(levels, ":"), TaskSpread::cyclic);
        if (!sockets) return sockets.error();
        order.sockets = *sockets;
        if (levels.accept(':')) {
            const auto cores = read_inner_spread(levels, *sockets);
            if (!cores) return cores.error();
            order.cores = *cores;
        }
    }
    if (!text.at_end() && order.nodes == TaskSpread::plane) {
        return text.error("text behind plane=n", "plane=n alone");
    }
    if (text.accept(',') && !text.at_end()) {
        order.pack = pack_of(text.rest());
        if (!order.pack) return text.error("unknown distribution", "Pack or NoPack");
    }
    return order;
}

}  // namespace trestle::slurm
