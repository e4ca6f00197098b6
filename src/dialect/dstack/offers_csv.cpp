// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/offers_csv.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
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
    Offer::Devices gpus{"gpu", "", "", {}, Count(0), {}};
    bool is_hidden = false;  ///< by a flag that dstack does not enable
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
    const bool is_spot = words::same_word(text.rest(), "true");
    if (!is_spot && !words::same_word(text.rest(), "false")) {
        return text.error("malformed spot", "true or false");
    }
    draft.offer.is_spot = is_spot;
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

/// Dollars as price lists print them, to the nearest microdollar.
MaybeError set_listed_price(Draft& draft, TextCursor text) {
    return set(draft.offer.price, read_listed_price(text));
}

/// The flags of gpuhunt's catalogs that dstack enables.
constexpr std::array<std::string_view, 8> enabled_flags{
    "oci-spot",   "lambda-arm",     "gcp-a4",     "gcp-g4", "gcp-dws-calendar-mode",
    "runpod-cpu", "runpod-cluster", "hotaisle-bm"};

MaybeError set_flags(Draft& draft, TextCursor text) {
    for (text.skip_blanks(); !text.at_end(); text.skip_blanks()) {
        const std::string_view flag = text.take_until(" \t");
        const bool is_enabled =
            std::find(enabled_flags.begin(), enabled_flags.end(), flag) != enabled_flags.end();
        draft.is_hidden = draft.is_hidden || !is_enabled;
    }
    return std::nullopt;
}

MaybeError set_nothing(Draft&, TextCursor) { return std::nullopt; }

/// Which price lists have to have a column.
enum class Needed { no, ours, all };

struct Column {
    std::string_view name;
    std::string_view catalog_name;  ///< in gpuhunt's catalogs; empty: the same
    Needed needed;
    MaybeError (*apply)(Draft&, TextCursor cell);
};

constexpr std::array<Column, 20> columns{{
    {"backend", "provider", Needed::ours,
     [](Draft& d, TextCursor t) { return set_word(d.offer.backend, t); }},
    {"region", "location", Needed::all,
     [](Draft& d, TextCursor t) { return set_word(d.offer.region, t); }},
    {"instance", "instance_name", Needed::all,
     [](Draft& d, TextCursor t) { return set_word(d.offer.instance, t); }},
    {"cpus", "cpu", Needed::all,
     [](Draft& d, TextCursor t) { return set(d.offer.cpus, read_whole(t)); }},
    {"memory", "", Needed::all,
     [](Draft& d, TextCursor t) { return set(d.offer.memory, read_listed_size(t)); }},
    {"disk", "disk_size", Needed::ours, &set_disk},
    {"gpu_count", "", Needed::all,
     [](Draft& d, TextCursor t) {
         return t.at_end() ? MaybeError() : set(d.gpus.count, read_whole(t));
     }},
    {"gpu_name", "", Needed::ours, &set_gpu_name},
    {"gpu_memory", "", Needed::ours,
     [](Draft& d, TextCursor t) {
         return t.at_end() ? MaybeError() : set(d.gpus.memory, read_listed_size(t));
     }},
    {"gpu_vendor", "", Needed::ours, &set_vendor},
    {"price", "", Needed::all, &set_price},
    {"spot", "", Needed::all, &set_spot},
    {"arch", "cpu_arch", Needed::no, &set_architecture},
    {"availability", "", Needed::no,
     [](Draft& d, TextCursor t) {
         return set_name<Offer::Availability>(d.offer.availability, t, "availability");
     }},
    {"zones", "", Needed::no, &set_zones},
    {"interconnect", "", Needed::no,
     [](Draft& d, TextCursor t) {
         return set_name<Offer::Interconnect>(d.offer.interconnect, t, "interconnect");
     }},
    {"compute_capability", "", Needed::no, &set_capability},
    {"blocks", "", Needed::no, &set_blocks},
    {"flags", "", Needed::no, &set_flags},
    {"provider_data", "", Needed::no, &set_nothing},
}};
constexpr std::size_t price_column = 10;
static_assert(columns[price_column].name == "price");

/// What gpuhunt calls a backend, where dstack has another name for it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> provider_names{
    {{"lambdalabs", "lambda"}, {"datacrunch", "verda"}}};

/// What the row does not say of the GPUs and is known of their model.
void complete(Offer::Devices& gpus, const KnownDevice* known) {
    if (gpus.vendor.empty()) gpus.vendor = known != nullptr ? known->vendor : "nvidia";
    if (known != nullptr && !gpus.compute_capability && gpus.vendor == known->vendor) {
        gpus.compute_capability = known->compute_capability;
    }
}

/// Reads rows under one header.
class RowReader {
  public:
    RowReader(std::span<const KnownDevice> known, const OffersOptions& options)
        : known_(known), backend_(options.backend) {}

    [[nodiscard]] bool has_header() const { return !order_.empty(); }
    [[nodiscard]] OffersReading take() { return std::move(reading_); }

    void read_header(const std::vector<TextCursor>& cells, std::size_t row) {
        // gpuhunt's catalogs have a column of this name, and no other price list has.
        is_catalog_ = std::any_of(cells.begin(), cells.end(), [](const TextCursor& cell) {
            return cell.rest() == "instance_name";
        });
        for (const TextCursor cell : cells) {
            const auto is_it = [&](const Column& column) {
                return column.name == cell.rest() ||
                       (is_catalog_ && !cell.at_end() && column.catalog_name == cell.rest());
            };
            const auto known = std::find_if(columns.begin(), columns.end(), is_it);
            if (known == columns.end()) {
                const auto name_of = [](const Column& column) { return column.name; };
                add(row, cell.rest(),
                    cell.error("unknown column",
                               words::with_nearest("a known one", cell.rest(), columns, name_of)));
                continue;
            }
            if (std::find(order_.begin(), order_.end(), &*known) != order_.end()) {
                add(row, known->name, cell.error("column given twice", "each one once"));
            }
            order_.push_back(&*known);
        }
        for (const Column& column : columns) {
            const bool is_said = column.name == "backend" && !backend_.empty();
            const bool is_needed = column.needed == Needed::all ||
                                   (column.needed == Needed::ours && !is_catalog_ && !is_said);
            if (is_needed && std::find(order_.begin(), order_.end(), &column) == order_.end()) {
                add(row, "",
                    {0, "", "no column " + std::string(column.name),
                     is_catalog_ ? "those of gpuhunt's catalogs" : "all twelve"});
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
        draft.offer.backend = backend_;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const bool is_printed = is_catalog_ && order_[i] == &columns[price_column];
            const auto apply = is_printed ? &set_listed_price : order_[i]->apply;
            if (auto error = apply(draft, cells[i])) {
                return add(row, order_[i]->name, *std::move(error));
            }
        }
        if (draft.is_hidden) return;
        if (is_catalog_) draft.offer.backend = backend_called(draft.offer.backend);
        Offer::Devices& gpus = draft.gpus;
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
    static std::string backend_called(const std::string& provider) {
        for (const auto& [name, backend] : provider_names) {
            if (provider == name) return std::string(backend);
        }
        return provider;
    }

    std::span<const KnownDevice> known_;
    std::string backend_;
    bool is_catalog_ = false;
    std::vector<const Column*> order_;
    OffersReading reading_;
};

/// The cells of a line, without the blanks around them; offsets count from the start of the line.
/// A cell in double quotes may hold commas, and quotes as `""`.
class Cells {
  public:
    explicit Cells(std::string_view line) {
        for (std::size_t start = 0; start <= line.size();) {
            const std::size_t first = std::min(line.find_first_not_of(" \t", start), line.size());
            const bool is_quoted = first < line.size() && line[first] == '"';
            start = is_quoted ? add_quoted(line, first) : add_plain(line, first);
            if (start == line.npos) return;
        }
    }
    [[nodiscard]] const std::vector<TextCursor>& cursors() const { return cursors_; }
    /// Where a quote opens that nothing ends.
    [[nodiscard]] const std::optional<std::size_t>& open_quote() const { return open_quote_; }

  private:
    /// `first` is behind the blanks before the cell.
    std::size_t add_plain(std::string_view line, std::size_t first) {
        const std::size_t end = std::min(line.find(',', first), line.size());
        std::size_t last = end;
        while (last > first && (line[last - 1] == ' ' || line[last - 1] == '\t')) --last;
        cursors_.emplace_back(line.substr(first, last - first), first);
        return end + 1;
    }
    std::size_t add_quoted(std::string_view line, std::size_t open) {
        std::string& text = texts_.emplace_back();
        std::size_t at = open + 1;
        for (; at < line.size(); ++at) {
            if (line[at] != '"') {
                text += line[at];
            } else if (at + 1 < line.size() && line[at + 1] == '"') {
                text += line[at++];
            } else {
                break;
            }
        }
        const std::size_t next = line.find_first_not_of(" \t", std::min(at + 1, line.size()));
        if (at >= line.size() || (next != line.npos && line[next] != ',')) {
            open_quote_ = open;
            return line.npos;
        }
        cursors_.emplace_back(text, open + 1);
        return next == line.npos ? line.npos : next + 1;
    }

    std::deque<std::string> texts_;  // which stay where they are
    std::vector<TextCursor> cursors_;
    std::optional<std::size_t> open_quote_;
};

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
                              std::span<const KnownDevice> known, const OffersOptions& options) {
    RowReader reader(known, options);
    reader.read_header(cursors_of(names), 0);
    OffersReading header = reader.take();
    if (!header.errors.empty()) return header;
    for (std::size_t i = 0; i < rows.size(); ++i) reader.read_row(cursors_of(rows[i]), i + 1);
    return reader.take();
}

OffersReading read_offers_csv(std::string_view text, std::span<const KnownDevice> known,
                              const OffersOptions& options) {
    RowReader reader(known, options);
    for (std::size_t line = 1; !text.empty(); ++line) {
        std::string_view content = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(content.size() + 1, text.size()));
        if (content.ends_with('\r')) content.remove_suffix(1);
        if (content.empty() || content.front() == '#') continue;
        const Cells cells(content);
        if (cells.open_quote()) {
            const TextCursor quote(content.substr(*cells.open_quote()), *cells.open_quote());
            reader.add(line, "", quote.error("a quote without its end", "\" behind the cell"));
            continue;
        }
        if (reader.has_header()) {
            reader.read_row(cells.cursors(), line);
            continue;
        }
        reader.read_header(cells.cursors(), line);
        OffersReading header = reader.take();
        if (!header.errors.empty()) return header;
    }
    if (!reader.has_header()) {
        reader.add(0, "", {0, "", "no header", "a line of column names"});
    }
    return reader.take();
}

StatusOr<std::vector<Offer>> parse_offers_csv(std::string_view text,
                                              std::span<const KnownDevice> known,
                                              const OffersOptions& options) {
    OffersReading reading = read_offers_csv(text, known, options);
    if (!reading.errors.empty()) return to_status(reading.errors.front());
    return std::move(reading.offers);
}

}  // namespace trestle::dstack
