// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "bind_set.hpp"
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/alloc/market/blocks.hpp"
#include "trestle/alloc/market/offers/instance.hpp"
#include "trestle/alloc/market/owners.hpp"
#include "trestle/alloc/market/split.hpp"

namespace trestle::python {
namespace {

/// The functions of C++ change an instance; in Python values do not change.
template <class Change>
StatusOr<Instance> changed(Instance instance, Change change) {
    TRESTLE_TRY_STATUS(change(instance));
    return instance;
}

void bind_splits(nb::module_& module) {
    module.def("check_blocks", &check_blocks, nb::arg("offer"), doc("check_blocks"));
    module.def(
        "share_of",
        [](const Offer& offer, Count blocks) {
            TRESTLE_EXPECTS(!check_blocks(offer), "the offer divides into its blocks");
            return share_of(offer, blocks);
        },
        nb::arg("offer"), nb::arg("blocks"), doc("share_of(Offer)"));
    module.def(
        "even_blocks", [](const Offer& offer) { return even_blocks(offer); }, nb::arg("offer"),
        doc("even_blocks(Offer)"));
    module.def(
        "even_blocks", [](const NodeShape& shape) { return even_blocks(shape); }, nb::arg("shape"),
        doc("even_blocks(NodeShape)"));
    module.def("with_blocks", &with_blocks, nb::arg("offer"), nb::arg("blocks"),
               doc("with_blocks"));
    module.def(
        "split",
        [](const NodeShape& shape, std::optional<Count> blocks) { return split(shape, blocks); },
        nb::arg("shape"), nb::arg("blocks") = nb::none(), doc("split"));
}

void bind_instances(nb::module_& module) {
    const auto instance = nb::arg("instance");
    module.def(
        "look_at",
        [](const Instance& self, const Shared<NodeShape>& shape, std::optional<Count> blocks) {
            return changed(self, [&](Instance& one) { return look_at(one, shape, blocks); });
        },
        instance, nb::arg("shape"), nb::arg("blocks") = nb::none(), doc("look_at"));
    module.def(
        "usable_blocks",
        [](const Instance& self) -> StatusOr<BlockSet> {
            TRESTLE_TRY_STATUS(check(self));
            return usable_blocks(self);
        },
        instance, doc("usable_blocks"));
    module.def("takes_work", &takes_work, instance, doc("takes_work"));
    module.def(
        "offer_of",
        [](const Instance& self) -> StatusOr<Offer> {
            TRESTLE_TRY_STATUS(check(self));
            return offer_of(self);
        },
        instance, doc("offer_of(Instance)"));
    module.def(
        "choose_blocks",
        [](const Instance& self, Count count) {
            TRESTLE_EXPECTS(check(self).ok() && !count.is_zero(),
                            "the instance is consistent, and a block is wanted");
            return choose_blocks(self, count);
        },
        instance, nb::arg("count"), doc("choose_blocks(Instance)"));
    module.def(
        "take_blocks",
        [](const Instance& self, const BlockSet& blocks, OwnerId owner) -> StatusOr<Instance> {
            TRESTLE_TRY_STATUS(check(self));
            return changed(self, [&](Instance& one) { return take_blocks(one, blocks, owner); });
        },
        instance, nb::arg("blocks"), nb::arg("owner"), doc("take_blocks"));
    module.def(
        "give_back_blocks",
        [](const Instance& self, const BlockSet& blocks, OwnerId owner) {
            return changed(self,
                           [&](Instance& one) { return give_back_blocks(one, blocks, owner); });
        },
        instance, nb::arg("blocks"), nb::arg("owner"), doc("give_back_blocks"));
    module.def(
        "share_of",
        [](const Instance& self, const BlockSet& blocks) -> StatusOr<Instance::Share> {
            TRESTLE_TRY_STATUS(check(self));
            const BlockSet all = self.blocks.all();
            if (blocks.is_empty() || !all.contains_all(blocks)) {
                return invalid_argument("instance {}: blocks {}, expected some of {}", self.name,
                                        blocks, all);
            }
            return share_of(self, blocks);
        },
        instance, nb::arg("blocks"), doc("share_of(Instance)"));
}

}  // namespace

void bind_blocks(nb::module_& module) {
    bind_set<BlockSet>(module, "BlockSet");
    bind_struct<HostBlocks::Split>(module, "BlockSplit", "HostBlocks.Split");
    bind_struct<HostBlocks>(module, "HostBlocks")
        .def_static("unseen", &HostBlocks::unseen, nb::arg("blocks"), doc("HostBlocks.unseen"))
        .def("count", &HostBlocks::count, "How many there are.")
        .def("all", &HostBlocks::all, "All of them.")
        .def("free", &HostBlocks::free, doc("HostBlocks.free"))
        .def("blocks_of", &HostBlocks::blocks_of, nb::arg("owner").none(),
             doc("HostBlocks.blocks_of"))
        .def("is_idle", &HostBlocks::is_idle, "True when no block has an owner.");
    bind_enum<Instance::State>(module, "InstanceState", "Instance.State");
    bind_struct<Instance>(module, "Instance");
    bind_struct<Instance::Share>(module, "InstanceShare", "Instance.Share")
        .def("is_whole", &Instance::Share::is_whole, "True when it is all blocks of the instance.");
    bind_splits(module);
    bind_instances(module);
}

}  // namespace trestle::python
