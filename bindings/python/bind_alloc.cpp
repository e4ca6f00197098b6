// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/alloc/match.hpp"

namespace trestle::python {
namespace {

void bind_offers(nb::module_& module) {
    bind_struct<OfferMatch>(module, "OfferMatch");
    module.def("check_offer", &check_offer, nb::arg("offer"), nb::arg("request"),
               doc("check_offer"));
    module.def(
        "match_offers",
        [](const std::vector<Offer>& offers, const Request& request) {
            return match_offers(offers, request);
        },
        nb::arg("offers"), nb::arg("request"), doc("match_offers"));
}

}  // namespace

void bind_alloc(nb::module_& module) { bind_offers(module); }

}  // namespace trestle::python
