// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "alloc/market/offers/catalog_columns.hpp"
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "offers.hpp"
#include "trestle/alloc/market/match.hpp"
#include "trestle/alloc/market/match_catalog.hpp"
#include "trestle/alloc/market/node_offer.hpp"
#include "trestle/alloc/market/offers/catalog.hpp"
#include "trestle/alloc/market/offers/known_devices.hpp"
#include "trestle/alloc/market/offers/offer_filter.hpp"

namespace trestle::python {
namespace {

/// A position of Python's, which may count from the end, in a sequence.
std::uint32_t position_in(std::size_t size, std::int64_t position) {
    const auto count = static_cast<std::int64_t>(size);
    const std::int64_t at = position < 0 ? position + count : position;
    if (at < 0 || at >= count) throw nb::index_error();
    return static_cast<std::uint32_t>(at);
}

void bind_offer_values(nb::module_& module) {
    bind_enum<Backend::Kind>(module, "BackendKind", "Backend.Kind");
    bind_struct<Backend>(module, "Backend")
        .def("has_blocks", &Backend::has_blocks, doc("Backend.has_blocks"));
    bind_enum<OfferFilter::Pricing>(module, "Pricing", "OfferFilter.Pricing");
    bind_enum<OfferFilter::Unavailable>(module, "Unavailable", "OfferFilter.Unavailable");
    bind_struct<OfferFilter::Reservation>(module, "Reservation", "OfferFilter.Reservation");
    bind_struct<BlockCount>(module, "BlockCount");
    bind_struct<OfferFilter>(module, "OfferFilter");
    bind_struct<RowError>(module, "RowError");
    bind_enum<OfferRefusal::Test>(module, "OfferTest", "OfferRefusal.Test");
    bind_struct<OfferRefusal>(module, "OfferRefusal");
    bind_struct<RejectedOffer>(module, "RejectedOffer");
    bind_struct<CatalogMatch>(module, "CatalogMatch");
    bind_struct<OfferMatch>(module, "OfferMatch");
    bind_struct<KnownDevice>(module, "KnownDevice");
}

void bind_catalog(nb::module_& module) {
    nb::class_<Catalog> type(module, "Catalog",
                             "Offers in the order in which they are wanted: what can be had first, "
                             "then by price, by backend, by row.\n\nA sequence that never changes. "
                             "ValueError where an offer has a mistake; `read` lists them all.");
    type.def(
        "__init__",
        [](Catalog* self, const std::vector<Offer>& offers,
           const std::vector<std::string>& backend_order) {
            Catalog::Reading reading = Catalog::read(offers, backend_order);
            if (!reading.errors.empty()) raise_row_error(reading.errors.front());
            new (self) Catalog(std::move(reading.catalog));
        },
        nb::arg("offers") = std::vector<Offer>(),
        nb::arg("backend_order") = std::vector<std::string>(), doc("Catalog.read"));
    type.def_static(
        "read",
        [](const std::vector<Offer>& offers, const std::vector<std::string>& backend_order) {
            Catalog::Reading reading = Catalog::read(offers, backend_order);
            return std::pair(std::move(reading.catalog), std::move(reading.errors));
        },
        nb::arg("offers"), nb::arg("backend_order") = std::vector<std::string>(),
        doc("Catalog.read"));
    bind_value(type);
    type.def("__len__", &Catalog::size)
        .def(
            "__getitem__",
            [](const Catalog& self, std::int64_t position) {
                return self[position_in(self.size(), position)];
            },
            nb::arg("position"))
        .def("offers", &Catalog::offers, doc("Catalog.offers"))
        .def(
            "rows", [](const Catalog& self) { return self.columns().row; },
            "Of each offer its row in the list that the catalog was made of, from 0.");
    type.def("__repr__", [](const Catalog& self) {
        return "<trestle.Catalog of " + std::to_string(self.size()) + " offers>";
    });
    type.def(
        "__reduce__",
        [](nb::handle self) {
            const auto& catalog = nb::cast<const Catalog&>(self);
            return nb::make_tuple(
                self.type(), nb::make_tuple(catalog.offers(), catalog.columns().backend_order));
        },
        nb::sig("def __reduce__(self) -> tuple[object, tuple[object, ...]]"));
}

void bind_matches(nb::module_& module) {
    nb::class_<CatalogMatches> type(
        module, "CatalogMatches",
        "Offers of a catalog that fit: a sequence of CatalogMatch in the catalog's order.");
    bind_equality(type);
    type.def("__len__", [](const CatalogMatches& self) { return self.list.size(); })
        .def(
            "__getitem__",
            [](const CatalogMatches& self, std::int64_t position) {
                return self.list[position_in(self.list.size(), position)];
            },
            nb::arg("position"))
        .def("__repr__", [](const CatalogMatches& self) {
            return "<trestle.CatalogMatches of " + std::to_string(self.list.size()) + " offers>";
        });
    using Column = nb::ndarray<nb::numpy, const std::uint32_t, nb::ndim<1>>;
    type.def_prop_ro(
        "offers",
        [](const CatalogMatches& self) {
            const std::uint32_t* const first =
                self.list.empty() ? nullptr : &self.list.front().offer;
            return Column(first, {self.list.size()}, nb::find(self), {2});
        },
        "All positions in the catalog, as a read-only NumPy array.");
    type.def_prop_ro(
        "blocks",
        [](const CatalogMatches& self) {
            const std::uint32_t* const first =
                self.list.empty() ? nullptr : &self.list.front().blocks;
            return Column(first, {self.list.size()}, nb::find(self), {2});
        },
        "The blocks of each, the same way.");
}

void bind_questions(nb::module_& module) {
    const auto offer = nb::arg("offer");
    const auto request = nb::arg("request");
    const auto filter = nb::arg("filter") = OfferFilter();
    module.def(
        "check_offer",
        [](const Offer& one, const Request& asked, const OfferFilter& place) {
            return check_offer(one, asked, place);
        },
        offer, request, filter, doc("check_offer"));
    module.def("explain_offer", &explain_offer, offer, request, filter, doc("explain_offer"));
    module.def(
        "match_offers",
        [](const Catalog& catalog, const Request& asked, const OfferFilter& place) {
            return CatalogMatches{match_offers(catalog, asked, place)};
        },
        nb::arg("catalog"), request, filter, doc("match_offers"));
    module.def("explain_offers", &explain_offers, nb::arg("catalog"), request, filter,
               doc("explain_offers"));
    module.def("row_errors", &row_errors, offer, nb::arg("row"), doc("row_errors"));
}

void bind_known_devices(nb::module_& module) {
    using Known = std::vector<KnownDevice>;
    const auto found = [](const KnownDevice* device) {
        return device == nullptr ? std::nullopt : std::optional(*device);
    };
    module.def("known_devices", &known_devices, doc("known_devices"));
    module.def(
        "find_device",
        [found](const Known& known, std::string_view model) {
            return found(find_device(known, model));
        },
        nb::arg("known"), nb::arg("model"), doc("find_device(KnownDevice)"));
    module.def(
        "offer_of", [](const Node& node, const Known& known) { return offer_of(node, known); },
        nb::arg("node"), nb::arg("known") = known_devices(),
        nb::sig("def offer_of(node: trestle.Node, known: "
                "collections.abc.Iterable[trestle.KnownDevice] = ...) -> trestle.Offer"),
        doc("offer_of(Node)"));
    module.def(
        "offer_of",
        [](const NodeShape& shape, const Known& known) { return offer_of(shape, known); },
        nb::arg("shape"), nb::arg("known") = known_devices(),
        nb::sig("def offer_of(shape: trestle.NodeShape, known: "
                "collections.abc.Iterable[trestle.KnownDevice] = ...) -> trestle.Offer"),
        doc("offer_of(NodeShape)"));
}

}  // namespace

void raise_row_error(const RowError& row) {
    const nb::object error = nb::borrow(PyExc_ValueError)(to_text(row));
    error.attr("row") = row.row;
    error.attr("column") = row.column;
    error.attr("token") = row.error.token;
    error.attr("expected") = row.error.expected;
    PyErr_SetObject(PyExc_ValueError, error.ptr());
    nb::raise_python_error();
}

void bind_offers(nb::module_& module) {
    bind_offer_values(module);
    bind_catalog(module);
    bind_matches(module);
    bind_questions(module);
    bind_known_devices(module);
}

}  // namespace trestle::python
