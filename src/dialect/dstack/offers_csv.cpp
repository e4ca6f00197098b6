// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/offers_csv.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "../words.hpp"
#include "scalars.hpp"
#include "trestle/dialect/dstack/gpu.hpp"
#include "trestle/dialect/dstack/quantities.hpp"

namespace trestle::dstack {
namespace {

using MaybeError = std::optional<TextError>;

constexpr std::size_t errors_max = 100;

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
    return set(draft.offer.disk.emplace(), read_listed_size(text));
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

MaybeError set_gpu_name(Draft& draft, TextCursor text) {
    std::string_view name = text.rest();
    if (name.starts_with("tpu-")) {
        name.remove_prefix(4);
        if (draft.gpus.vendor.empty()) draft.gpus.vendor = "google";
    }
    draft.gpus.model = name;
    return std::nullopt;
}

MaybeError set_vendor(Draft& draft, TextCursor text) {
    if (text.at_end()) return std::nullopt;
    const auto vendor = read_vendor(text.rest());
    if (!vendor) return text.error(vendor.error().what, vendor.error().expected);
    draft.gpus.vendor = *vendor;
    return std::nullopt;
}

/// One of the names of an enum; blanks stand for `_`. An empty cell leaves the target.
template <NamedEnum E, class Target>
MaybeError set_name(Target& target, TextCursor text, std::string_view what) {
    if (text.at_end()) return std::nullopt;
    std::string word(text.rest());
    std::replace(word.begin(), word.end(), ' ', '_');
    if (const auto value = enum_from_text<E>(word)) {
        target = *value;
        return std::nullopt;
    }
    std::string known;
    for (const auto& [value, name] : enum_names(E{})) {
        known += (known.empty() ? "" : ", ") + std::string(name);
    }
    return text.error("unknown " + std::string(what), "one of " + known);
}

MaybeError set_zones(Draft& draft, TextCursor text) {
    for (text.skip_blanks(); !text.at_end(); text.skip_blanks()) {
        draft.offer.availability_zones.emplace_back(text.take_until(" \t"));
    }
    return std::nullopt;
}

MaybeError set_capability(Draft& draft, TextCursor text) {
    if (text.at_end()) return std::nullopt;
    return set(draft.gpus.compute_capability.emplace(), read_version(text));
}

MaybeError set_architecture(Draft& draft, TextCursor text) {
    if (text.rest() == "power" || text.rest() == "riscv") {
        return text.error("unknown architecture", "x86 or arm");
    }
    return set_name<Architecture>(draft.offer.architecture, text, "architecture");
}

MaybeError set_blocks(Draft& draft, TextCursor text) {
    if (text.at_end()) return std::nullopt;
    if (auto error = set(draft.offer.blocks, read_whole(text))) return error;
    const auto wrong = row_errors(draft.offer, 0);  // nothing else in it can be wrong yet
    if (wrong.empty()) return std::nullopt;
    return text.error(wrong.front().error.what, wrong.front().error.expected);
}

struct Column {
    std::string_view name;
    MaybeError (*apply)(Draft&, TextCursor cell);
};

constexpr std::size_t needed_columns = 12;  // the first ones
constexpr std::array<Column, 18> columns{{
    {"backend", [](Draft& d, TextCursor t) { return set_word(d.offer.backend, t); }},
    {"region", [](Draft& d, TextCursor t) { return set_word(d.offer.region, t); }},
    {"instance", [](Draft& d, TextCursor t) { return set_word(d.offer.instance, t); }},
    {"cpus", [](Draft& d, TextCursor t) { return set(d.offer.cpus, read_whole(t)); }},
    {"memory", [](Draft& d, TextCursor t) { return set(d.offer.memory, read_listed_size(t)); }},
    {"disk", &set_disk},
    {"gpu_count",
     [](Draft& d, TextCursor t) {
         return t.at_end() ? MaybeError() : set(d.gpus.count, read_whole(t));
     }},
    {"gpu_name", &set_gpu_name},
    {"gpu_memory",
     [](Draft& d, TextCursor t) {
         return t.at_end() ? MaybeError() : set(d.gpus.memory, read_listed_size(t));
     }},
    {"gpu_vendor", &set_vendor},
    {"price", &set_price},
    {"spot", &set_spot},
    {"arch", &set_architecture},
    {"availability",
     [](Draft& d, TextCursor t) {
         return set_name<Availability>(d.offer.availability, t, "availability");
     }},
    {"zones", &set_zones},
    {"interconnect",
     [](Draft& d, TextCursor t) {
         return set_name<Interconnect>(d.offer.interconnect, t, "interconnect");
     }},
    {"compute_capability", &set_capability},
    {"blocks", &set_blocks},
}};

/// What nobody wrote of the GPUs and is known of their model.
void complete(OfferedDevices& gpus, const KnownDevice* known) {
    if (gpus.vendor.empty()) gpus.vendor = known != nullptr ? known->vendor : "nvidia";
    if (known != nullptr && !gpus.compute_capability && gpus.vendor == known->vendor) {
        gpus.compute_capability = known->compute_capability;
    }
}

/// Reads rows under one header.
class RowReader {
  public:
    explicit RowReader(std::span<const KnownDevice> known) : known_(known) {}

    [[nodiscard]] bool has_header() const { return !order_.empty(); }
    [[nodiscard]] OffersReading take() { return std::move(reading_); }

    void read_header(const std::vector<TextCursor>& cells, std::size_t row) {
        for (const TextCursor cell : cells) {
            const auto is_it = [&](const Column& column) { return column.name == cell.rest(); };
            const auto known = std::find_if(columns.begin(), columns.end(), is_it);
            if (known == columns.end()) {
                const auto name_of = [](const Column& column) { return column.name; };
                const std::string nearest = words::nearest_word(cell.rest(), columns, name_of);
                add(row, cell.rest(),
                    cell.error("unknown column", "a known one; the nearest is " + nearest));
                continue;
            }
            if (std::find(order_.begin(), order_.end(), &*known) != order_.end()) {
                add(row, known->name, cell.error("column given twice", "each one once"));
            }
            order_.push_back(&*known);
        }
        for (std::size_t i = 0; i < needed_columns; ++i) {
            if (std::find(order_.begin(), order_.end(), &columns[i]) == order_.end()) {
                add(row, "", {0, "", "no column " + std::string(columns[i].name), "all twelve"});
            }
        }
    }

    void read_row(const std::vector<TextCursor>& cells, std::size_t row) {
        if (cells.size() != order_.size()) {
            return add(row, "",
                       {0, "", std::to_string(cells.size()) + " cells",
                        std::to_string(order_.size()) + " as in the header"});
        }
        Draft draft;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (auto error = order_[i]->apply(draft, cells[i])) {
                return add(row, order_[i]->name, *std::move(error));
            }
        }
        OfferedDevices& gpus = draft.gpus;
        const KnownDevice* const known = find_device(known_, gpus.model);
        const bool is_tpu =
            gpus.vendor == "google" || (known != nullptr && known->memory.is_zero());
        const bool describes_gpu = !gpus.model.empty() && (is_tpu || !gpus.memory.is_zero());
        if (!gpus.count.is_zero() && !describes_gpu) {
            return add(row, "", {0, "", "GPUs without name or memory", "both"});
        }
        if (gpus.count.is_zero() && (!gpus.model.empty() || !gpus.memory.is_zero())) {
            return add(row, "", {0, "", "a GPU with gpu_count 0", "empty gpu cells"});
        }
        if (!gpus.count.is_zero()) {
            complete(gpus, known);
            draft.offer.devices.push_back(std::move(gpus));
        }
        reading_.offers.push_back(std::move(draft.offer));
    }

    void add(std::size_t row, std::string_view column, TextError error) {
        if (reading_.errors.size() == errors_max) return;
        reading_.errors.push_back({row, std::string(column), std::move(error)});
    }

  private:
    std::span<const KnownDevice> known_;
    std::vector<const Column*> order_;
    OffersReading reading_;
};

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

std::vector<TextCursor> cursors_of(std::span<const std::string> cells) {
    std::vector<TextCursor> cursors;
    for (const std::string& cell : cells) cursors.emplace_back(cell);
    return cursors;
}

/// The column is a place in the line, so the error's own offset would say it twice.
Status to_status(const RowError& row) {
    if (row.row == 0) {
        return invalid_argument("offers: {}, expected {}", row.error.what, row.error.expected);
    }
    if (row.column.empty()) {
        return invalid_argument("offers line {}: {}, expected {}", row.row, row.error.what,
                                row.error.expected);
    }
    return invalid_argument("offers line {}, column {}: {} ({}): expected {}", row.row,
                            row.error.offset + 1, row.error.what,
                            trestle::detail::quoted(row.error.token), row.error.expected);
}

}  // namespace

OffersReading read_offer_rows(std::span<const std::string> names,
                              std::span<const std::vector<std::string>> rows,
                              std::span<const KnownDevice> known) {
    RowReader reader(known);
    reader.read_header(cursors_of(names), 0);
    OffersReading header = reader.take();
    if (!header.errors.empty()) return header;
    for (std::size_t i = 0; i < rows.size(); ++i) reader.read_row(cursors_of(rows[i]), i + 1);
    return reader.take();
}

OffersReading read_offers_csv(std::string_view text, std::span<const KnownDevice> known) {
    RowReader reader(known);
    for (std::size_t line = 1; !text.empty(); ++line) {
        std::string_view content = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(content.size() + 1, text.size()));
        if (content.ends_with('\r')) content.remove_suffix(1);
        if (content.empty() || content.front() == '#') continue;
        const std::vector<TextCursor> cells = split_cells(content);
        if (reader.has_header()) {
            reader.read_row(cells, line);
            continue;
        }
        reader.read_header(cells, line);
        OffersReading header = reader.take();
        if (!header.errors.empty()) return header;
    }
    if (!reader.has_header()) {
        reader.add(0, "", {0, "", "no header", "a line of column names"});
    }
    return reader.take();
}

StatusOr<std::vector<Offer>> parse_offers_csv(std::string_view text,
                                              std::span<const KnownDevice> known) {
    OffersReading reading = read_offers_csv(text, known);
    if (!reading.errors.empty()) return to_status(reading.errors.front());
    return std::move(reading.offers);
}

}  // namespace trestle::dstack
