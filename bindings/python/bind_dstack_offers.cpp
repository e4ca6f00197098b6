// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "offers.hpp"
#include "trestle/dialect/dstack/offers/backends.hpp"
#include "trestle/dialect/dstack/offers/combine.hpp"
#include "trestle/dialect/dstack/offers/match.hpp"
#include "trestle/dialect/dstack/offers/table.hpp"
#include "trestle/dialect/dstack/offers_csv.hpp"

namespace trestle::python {
namespace {

using Known = std::vector<KnownDevice>;

/// A value of a row as a cell of a price list: True is true, None and NaN are empty, a price that
/// is a float has at most six decimals, any other float is what Python prints, which is exact; a
/// list is its items with blanks between.
std::string cell_of(std::string_view column, nb::handle value) {
    if (value.is_none()) return {};
    if (PyBool_Check(value.ptr())) return nb::cast<bool>(value) ? "true" : "false";
    if (PyFloat_Check(value.ptr())) {
        const auto number = nb::cast<double>(value);
        if (std::isnan(number)) return {};
        if (column != "price" || std::isinf(number)) {
            return nb::cast<std::string>(nb::repr(nb::float_(number)));  // not that of a subclass
        }
        std::string text = fmt::format("{:.6f}", number);
        text.erase(text.find_last_not_of('0') + 1);
        if (text.ends_with('.')) text.pop_back();
        return text;
    }
    if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)) {
        std::string text;
        for (const nb::handle item : value) {
            text += (text.empty() ? "" : " ") + nb::cast<std::string>(nb::str(item));
        }
        return text;
    }
    return nb::cast<std::string>(nb::str(value));
}

/// Rows as dicts: every key is a column, and a row without it has an empty cell there.
dstack::OffersReading read_dicts(nb::handle rows, const Known& known,
                                 const dstack::OffersOptions& options) {
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> cells;
    nb::dict numbers;
    for (const nb::handle row : rows) {
        if (!nb::isinstance<nb::dict>(row)) {
            throw BadValue{PyExc_TypeError, "expected a dict for each row", "source"};
        }
        std::vector<std::string> line(columns.size());
        for (const auto& [key, value] : nb::borrow<nb::dict>(row)) {
            if (!numbers.contains(key)) {
                numbers[key] = columns.size();
                columns.push_back(nb::cast<std::string>(nb::str(key)));
                line.emplace_back();
            }
            const auto column = nb::cast<std::size_t>(numbers[key]);
            line[column] = cell_of(columns[column], value);
        }
        cells.push_back(std::move(line));
    }
    if (cells.empty()) return {};
    for (auto& line : cells) line.resize(columns.size());
    return dstack::read_offer_rows(columns, cells, known, options);
}

/// Text is CSV; what has `to_pylist` is an Arrow table; anything else is rows.
dstack::OffersReading read_source(nb::handle source, const Known& known, std::string backend) {
    const dstack::OffersOptions options{std::move(backend)};
    if (nb::isinstance<nb::str>(source)) {
        return dstack::read_offers_csv(nb::cast<std::string_view>(source), known, options);
    }
    if (nb::hasattr(source, "to_pylist")) {
        return read_dicts(source.attr("to_pylist")(), known, options);
    }
    return read_dicts(source, known, options);
}

void bind_dstack_reading(nb::module_& module) {
    bind_struct<dstack::OffersReading>(module, "OffersReading");
    const auto source = nb::arg("source");
    const auto order = nb::arg("backend_order") = std::vector<std::string>();
    const auto known = nb::arg("known") = known_devices();
    const auto backend = nb::arg("backend") = std::string();
    module.def("read_offers", &read_source, source, known, backend,
               nb::sig("def read_offers(source: object, known: "
                       "collections.abc.Iterable[trestle.KnownDevice] = ..., backend: str = ...) "
                       "-> trestle.dstack.OffersReading"),
               "A price list: CSV text, dicts by column, or an Arrow table. Columns as in "
               "read_offers_csv, also those of gpuhunt's catalogs; numbers of memory and disk are "
               "GB, prices are dollars. What is not written of a GPU is that of its model in "
               "`known`, and `backend` is that of rows without one.");
    module.def(
        "read_catalog",
        [](nb::handle rows, const std::vector<std::string>& backend_order, const Known& devices,
           const std::string& name) {
            dstack::OffersReading reading = read_source(rows, devices, name);
            return std::pair(Catalog::read(reading.offers, backend_order).catalog,
                             std::move(reading.errors));
        },
        source, order, known, backend,
        nb::sig("def read_catalog(source: object, backend_order: "
                "collections.abc.Iterable[str] = ..., known: "
                "collections.abc.Iterable[trestle.KnownDevice] = ..., backend: str = ...) -> "
                "tuple[trestle.Catalog, list[trestle.RowError]]"),
        "A catalog of the rows without a mistake, as in read_offers, and all mistakes.");
    module.def(
        "parse_catalog",
        [](nb::handle rows, const std::vector<std::string>& backend_order, const Known& devices,
           const std::string& name) {
            const dstack::OffersReading reading = read_source(rows, devices, name);
            if (!reading.errors.empty()) raise_row_error(reading.errors.front());
            return Catalog::read(reading.offers, backend_order).catalog;
        },
        source, order, known, backend,
        nb::sig("def parse_catalog(source: object, backend_order: "
                "collections.abc.Iterable[str] = ..., known: "
                "collections.abc.Iterable[trestle.KnownDevice] = ..., backend: str = ...) -> "
                "trestle.Catalog"),
        "As read_catalog; the first mistake is raised.");
    module.def(
        "parse_offers_csv",
        [](std::string_view text, const Known& devices) {
            return dstack::parse_offers_csv(text, devices);
        },
        nb::arg("text"), known,
        nb::sig("def parse_offers_csv(text: str, known: "
                "collections.abc.Iterable[trestle.KnownDevice] = ...) -> "
                "list[trestle.Offer]"),
        doc("dstack.parse_offers_csv"));
}

void bind_matching(nb::module_& module) {
    bind_enum<dstack::Release>(module, "Release");
    module.def("parse_release", &dstack::parse_release, nb::arg("text"),
               doc("dstack.parse_release"));
    const auto release = nb::arg("release") = dstack::default_release;
    bind_struct<dstack::MatchOptions>(module, "MatchOptions");
    bind_struct<dstack::TestCount>(module, "TestCount");
    bind_struct<dstack::BareHint>(module, "BareHint");
    bind_struct<dstack::OffersExplanation>(module, "OffersExplanation");
    const auto catalog = nb::arg("catalog");
    const auto resources = nb::arg("resources");
    const auto profile = nb::arg("profile") = dstack::Profile();
    const auto options = nb::arg("options") = dstack::MatchOptions();
    module.def(
        "match_offers",
        [](const Catalog& c, const dstack::Resources& r, const dstack::Profile& p,
           const dstack::MatchOptions& o) {
            return CatalogMatches{dstack::match_offers(c, r, p, o)};
        },
        catalog, resources, profile, options, doc("dstack.match_offers"));
    module.def("explain_offers", &dstack::explain_offers, catalog, resources, profile, options,
               doc("dstack.explain_offers"));
    module.def("request_of", &dstack::request_of, resources, profile, options,
               doc("dstack.request_of"));
    module.def("filter_of", &dstack::filter_of, profile, options, doc("dstack.filter_of"));
    module.def(
        "combine",
        [](const dstack::Resources& fleet, const dstack::Resources& run, dstack::Release of) {
            return dstack::combine(fleet, run, of);
        },
        nb::arg("fleet"), nb::arg("run"), release, doc("dstack.combine(Resources)"));
    module.def(
        "combine",
        [](const dstack::Profile& fleet, const dstack::Profile& run, dstack::Release of) {
            return dstack::combine(fleet, run, of);
        },
        nb::arg("fleet"), nb::arg("run"), release, doc("dstack.combine(Profile)"));
    module.def("known_backends", &dstack::known_backends, release, doc("dstack.known_backends"));
    module.def(
        "merged_order",
        [](const std::vector<Offer>& offers, const std::vector<std::string>& order) {
            return dstack::merged_order(offers, order);
        },
        nb::arg("offers"), nb::arg("backend_order") = std::vector<std::string>(),
        doc("dstack.merged_order"));
}

void bind_words(nb::module_& module) {
    module.def(
        "with_vendor", [](const dstack::GpuSpec& gpu) { return dstack::with_vendor(gpu); },
        nb::arg("gpu"), doc("dstack.with_vendor"));
    module.def(
        "with_vendor",
        [](const dstack::GpuSpec& gpu, const Known& known) {
            return dstack::with_vendor(gpu, known);
        },
        nb::arg("gpu"), nb::arg("known"), doc("dstack.with_vendor"));
    module.def(
        "gpus_of_type", [](std::string_view type) { return dstack::gpus_of_type(type); },
        nb::arg("type"), doc("dstack.gpus_of_type"));
    module.def(
        "gpus_of_type",
        [](std::string_view type, const Known& known) { return dstack::gpus_of_type(type, known); },
        nb::arg("type"), nb::arg("known"), doc("dstack.gpus_of_type"));
    module.def("types_of", &dstack::types_of, nb::arg("gpu"), doc("dstack.types_of"));
    module.def(
        "instance_of",
        [](const Node& node, Count blocks, const Known& known) {
            return dstack::instance_of(node, blocks, known);
        },
        nb::arg("node"), nb::arg("blocks") = Count(1), nb::arg("known") = known_devices(),
        nb::sig("def instance_of(node: trestle.Node, blocks: int = 1, known: "
                "collections.abc.Iterable[trestle.KnownDevice] = ...) -> trestle.Offer"),
        doc("dstack.instance_of"));
    // One function: a list with something else in it is an error, not another overload's turn.
    module.def(
        "to_table",
        [](const nb::object& offers) -> StatusOr<std::string> {
            const nb::list list(offers);
            if (list.size() == 0 || !nb::isinstance<Instance>(list[0])) {
                return dstack::to_table(from_python<std::vector<Offer>>(list));
            }
            const auto instances = from_python<std::vector<Instance>>(list);
            for (const Instance& instance : instances) TRESTLE_TRY_STATUS(check(instance));
            return dstack::to_table(instances);
        },
        nb::arg("offers"),
        nb::sig("def to_table(offers: collections.abc.Iterable[trestle.Offer] | "
                "collections.abc.Iterable[trestle.Instance]) -> str"),
        doc("dstack.to_table(Offer)"));
    module.def(
        "to_table",
        [](const Catalog& catalog, const CatalogMatches& matches, std::optional<Count> rows_max,
           const std::optional<BlockCount>& blocks) {
            return dstack::to_table(catalog, matches.list, rows_max, blocks);
        },
        nb::arg("catalog"), nb::arg("matches"), nb::arg("rows_max") = nb::none(),
        nb::arg("blocks") = nb::none(), doc("dstack.to_table(Catalog)"));
    module.def("resources_text", &dstack::resources_text, nb::arg("offer"), nb::arg("blocks"),
               doc("dstack.resources_text"));
}

}  // namespace

void bind_dstack_offers(nb::module_& module) {
    bind_dstack_reading(module);
    bind_matching(module);
    bind_words(module);
}

}  // namespace trestle::python
