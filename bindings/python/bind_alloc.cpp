// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/alloc/blocks.hpp"

namespace trestle::python {
namespace {

void bind_blocks(nb::module_& module) {
    module.def("check_blocks", &check_blocks, nb::arg("offer"), doc("check_blocks"));
    module.def(
        "share_of",
        [](const Offer& offer, Count blocks) {
            TRESTLE_EXPECTS(!check_blocks(offer), "the offer divides into its blocks");
            return share_of(offer, blocks);
        },
        nb::arg("offer"), nb::arg("blocks"), doc("share_of"));
    module.def(
        "split", [](const NodeShape& shape, Count blocks) { return split(shape, blocks); },
        nb::arg("shape"), nb::arg("blocks"), doc("split"));
}

}  // namespace

void bind_alloc(nb::module_& module) { bind_blocks(module); }

}  // namespace trestle::python
