// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/offers_csv.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "../words.hpp"
#include "scalars.hpp"
#include "trestle/dialect/dstack/gpu.hpp"
#include "trestle/dialect/dstack/quantities.hpp"

namespace trestle::dstack {
namespace {

using MaybeError = std::optional<TextError>;

/// A row while its cells are read.
struct Draft {
    Offer offer;
    OfferedDevices gpus{"gpu", "", "", {}, Count(0), {}};
};

template <class T>
MaybeError set(T& target, const TextResult<T>& value) {
    if (!value) return value.error();
    target = *value;
    return std::nullopt;
}

MaybeError set_word(std::string& target, TextCursor text) {
    if (text.at_end()) return text.error("empty cell", "a word");
    target = text.rest();
    return std::nullopt;
}

MaybeError set_disk(Draft& draft, TextCursor text) {
    if (text.at_end()) return std::nullopt;
    return set(draft.offer.disk.emplace(), read_size(text));
}

MaybeError set_price(Draft& draft, TextCursor text) {
    return set(draft.offer.price, read_price_at(text));
}

MaybeError set_spot(Draft& draft, TextCursor text) {
    if (text.rest() != "true" && text.rest() != "false") {
        return text.error("malformed spot", "true or false");
    }
    draft.offer.is_spot = text.rest() == "true";
    return std::nullopt;
}

struct Column {
    std::string_view name;
    MaybeError (*apply)(Draft&, TextCursor cell);
};

constexpr std::array<Column, 12> columns{{
    {"backend", [](Draft& d, TextCursor t) { return set_word(d.offer.backend, t); }},
    {"region", [](Draft& d, TextCursor t) { return set_word(d.offer.region, t); }},
    {"instance", [](Draft& d, TextCursor t) { return set_word(d.offer.instance, t); }},
    {"cpus", [](Draft& d, TextCursor t) { return set(d.offer.cpus, read_whole(t)); }},
    {"memory", [](Draft& d, TextCursor t) { return set(d.offer.memory, read_size(t)); }},
    {"disk", &set_disk},
    {"gpu_count", [](Draft& d, TextCursor t) { return set(d.gpus.count, read_whole(t)); }},
    {"gpu_name",
     [](Draft& d, TextCursor t) -> MaybeError {
         d.gpus.model = t.rest();
         return std::nullopt;
     }},
    {"gpu_memory",
     [](Draft& d, TextCursor t) -> MaybeError {
         return t.at_end() ? std::nullopt : set(d.gpus.memory, read_size(t));
     }},
    {"gpu_vendor",
     [](Draft& d, TextCursor t) -> MaybeError {
         if (t.at_end()) return std::nullopt;
         const auto vendor = read_vendor(t.rest());
         if (!vendor) return t.error(vendor.error().what, vendor.error().expected);
         d.gpus.vendor = *vendor;
         return std::nullopt;
     }},
    {"price", &set_price},
    {"spot", &set_spot},
}};

/// The cells of a line, without the blanks around them; offsets count from the start of the line.
std::vector<TextCursor> split_cells(std::string_view line) {
    std::vector<TextCursor> cells;
    for (std::size_t start = 0; start <= line.size();) {
        const std::size_t end = std::min(line.find(',', start), line.size());
        std::size_t first = start;
        std::size_t last = end;
        while (first < last && (line[first] == ' ' || line[first] == '\t')) ++first;
        while (last > first && (line[last - 1] == ' ' || line[last - 1] == '\t')) --last;
        cells.emplace_back(line.substr(first, last - first), first);
        start = end + 1;
    }
    return cells;
}

/// The column is a place in the line, so the error's own offset would say it twice.
Status error_at(std::size_t line, const TextError& error) {
    return invalid_argument("offers line {}, column {}: {} ({}): expected {}", line,
                            error.offset + 1, error.what, detail::quoted(error.token),
                            error.expected);
}

/// Which column each cell of the header names.
StatusOr<std::vector<const Column*>> read_header(const std::vector<TextCursor>& cells,
                                                 std::size_t line) {
    std::vector<const Column*> order;
    for (const TextCursor cell : cells) {
        const auto known = std::find_if(columns.begin(), columns.end(), [&](const Column& column) {
            return column.name == cell.rest();
        });
        if (known == columns.end()) {
            const auto name_of = [](const Column& column) { return column.name; };
            return error_at(line,
                            cell.error("unknown column",
                                       "a known one; the nearest is " +
                                           words::nearest_word(cell.rest(), columns, name_of)));
        }
        if (std::find(order.begin(), order.end(), &*known) != order.end()) {
            return error_at(line, cell.error("column given twice", "each one once"));
        }
        order.push_back(&*known);
    }
    for (const Column& column : columns) {
        if (std::find(order.begin(), order.end(), &column) == order.end()) {
            return invalid_argument("offers line {}: no column {}, expected all twelve", line,
                                    column.name);
        }
    }
    return order;
}

StatusOr<Offer> read_row(const std::vector<const Column*>& order,
                         const std::vector<TextCursor>& cells, std::size_t line) {
    if (cells.size() != order.size()) {
        return invalid_argument("offers line {}: {} cells, expected {} as in the header", line,
                                cells.size(), order.size());
    }
    Draft draft;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (auto error = order[i]->apply(draft, cells[i])) return error_at(line, *error);
    }
    const bool describes_gpu = !draft.gpus.model.empty() && !draft.gpus.memory.is_zero();
    if (!draft.gpus.count.is_zero()) {
        if (!describes_gpu) {
            return invalid_argument("offers line {}: GPUs without name or memory, expected both",
                                    line);
        }
        draft.offer.devices.push_back(std::move(draft.gpus));
    } else if (describes_gpu) {
        return invalid_argument("offers line {}: a GPU with gpu_count 0, expected empty gpu cells",
                                line);
    }
    return std::move(draft.offer);
}

}  // namespace

StatusOr<std::vector<Offer>> parse_offers_csv(std::string_view text) {
    std::vector<Offer> offers;
    std::optional<std::vector<const Column*>> order;
    for (std::size_t line = 1; !text.empty(); ++line) {
        std::string_view content = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(content.size() + 1, text.size()));
        if (content.ends_with('\r')) content.remove_suffix(1);
        if (content.empty() || content.front() == '#') continue;
        const std::vector<TextCursor> cells = split_cells(content);
        if (!order) {
            TRESTLE_TRY(order, read_header(cells, line));
        } else {
            TRESTLE_TRY(Offer offer, read_row(*order, cells, line));
            offers.push_back(std::move(offer));
        }
    }
    if (!order) return invalid_argument("offers: no header, expected a line of column names");
    return offers;
}

}  // namespace trestle::dstack
