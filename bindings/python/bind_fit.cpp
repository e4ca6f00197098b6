// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/alloc/cluster/registration.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/explain_fit.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/alloc/node/fit_cache.hpp"
#include "trestle/alloc/node/node_ledger.hpp"

namespace trestle::python {
namespace {

void bind_registration(nb::module_& module) {
    bind_enum<RegistrationFinding::Issue>(module, "RegistrationIssue", "RegistrationFinding.Issue");
    bind_enum<RegistrationFinding::Consequence>(module, "Consequence",
                                                "RegistrationFinding.Consequence");
    bind_struct<RegistrationFinding>(module, "RegistrationFinding");
    module.def(
        "check_registration",
        [](const NodeShape& described, const NodeShape& reported, const NodeLedger& ledger) {
            return check_registration(described, reported, ledger);
        },
        nb::arg("described"), nb::arg("reported"), nb::arg("ledger"), doc("check_registration"));
    module.def("worst_of", &worst_of, nb::arg("findings"), doc("worst_of"));
}

void bind_usage(nb::module_& module) {
    bind_struct<Holding::Row>(module, "RowCores", "Holding.Row");
    bind_struct<Holding>(module, "Holding")
        .def("is_empty", &Holding::is_empty, "True when the owner has nothing.")
        .def("cores_in", &Holding::cores_in, nb::arg("row"), doc("Holding.cores_in"))
        .def("all_cores", &Holding::all_cores, doc("Holding.all_cores"))
        .def("bytes_of", &Holding::bytes_of, nb::arg("domain"), "Bytes of a memory domain.")
        .def("shares_of", &Holding::shares_of, nb::arg("device"), nb::arg("slice") = nb::none(),
             doc("Holding.shares_of"));
    bind_struct<FreeState::HeldSlice>(module, "HeldSlice", "FreeState.HeldSlice");
    bind_struct<FreeState>(module, "FreeState")
        .def("cores_in", &FreeState::cores_in, nb::arg("row"), doc("FreeState.cores_in"))
        .def("slices_of", &FreeState::slices_of, nb::arg("device"), doc("FreeState.slices_of"));
    nb::class_<NodeLedger> ledger(
        module, "NodeLedger",
        "What is taken on one node, unit by unit, with its owners. Changes: "
        "take and give_back; after an error it is what it was.");
    ledger.def(nb::init<const NodeShape&>(), nb::arg("shape"), doc("NodeLedger.NodeLedger"))
        .def("free", &NodeLedger::free, nb::rv_policy::copy, doc("NodeLedger.free"))
        .def(
            "free_cores",
            [](const NodeLedger& ledger, std::optional<std::uint32_t> row) {
                return row ? ledger.free_cores(*row) : ledger.free_cores();
            },
            nb::arg("row") = nb::none(),
            "The cores without an owner; with a row, also those that others have in other rows "
            "only.")
        .def("free_milli_cpus", &NodeLedger::free_milli_cpus, doc("NodeLedger.free_milli_cpus"))
        .def("free_memory", &NodeLedger::free_memory, nb::arg("domain"),
             "Free bytes of a memory domain, which has to exist.")
        .def("free_shares", &NodeLedger::free_shares, nb::arg("device"),
             doc("NodeLedger.free_shares"))
        .def("held_slices", &NodeLedger::held_slices, nb::arg("device"),
             "The instances of the device that have an owner, by start.")
        .def("holdings", &NodeLedger::holdings, nb::rv_policy::copy, doc("NodeLedger.holdings"))
        .def("is_idle", &NodeLedger::is_idle, "True when the node has no owner.")
        .def(
            "owner_of_core", [](const NodeLedger& u, CoreId core) { return u.owner_of(core); },
            nb::arg("core"), doc("NodeLedger.owner_of(CoreId)"))
        .def(
            "owner_of_device",
            [](const NodeLedger& u, DeviceId device) { return u.owner_of(device); },
            nb::arg("device"), doc("NodeLedger.owner_of(DeviceId)"))
        .def("take", &NodeLedger::take, nb::arg("placement"), nb::arg("owner"),
             doc("NodeLedger.take"))
        .def("give_back", &NodeLedger::give_back, nb::arg("placement"), nb::arg("owner"),
             doc("NodeLedger.give_back"));
    bind_equality(ledger);
    ledger.def("__copy__", [](const NodeLedger& self) { return self; });
    ledger.def(
        "__deepcopy__", [](const NodeLedger& self, nb::handle) { return self; }, nb::arg("memo"));
}

void bind_demand(nb::module_& module) {
    bind_struct<NodePart>(module, "NodePart");
    bind_struct<NodeDemand::Device>(module, "DeviceDemand", "NodeDemand.Device");
    bind_struct<NodeDemand>(module, "NodeDemand")
        .def("cpus", &NodeDemand::cpus, doc("NodeDemand.cpus"))
        .def("all_milli_cpus", &NodeDemand::all_milli_cpus, doc("NodeDemand.all_milli_cpus"));
    module.def("demand_of", &demand_of, nb::arg("request"), nb::arg("part"), nb::arg("sockets"),
               doc("demand_of"));
}

/// What is free is of a node of this shape: nothing in it lies beyond the node.
void expect_node_of(const NodeShape& shape, const FreeState& state) {
    bool is_of_shape = state.memory.size() == shape.memory.size() &&
                       state.shares.size() == shape.devices.size() &&
                       shape.allocatable_cores().contains_all(state.cores);
    for (const Holding::Row& one : state.held_rows) {
        is_of_shape = is_of_shape && shape.allocatable_cores().contains_all(one.cores);
    }
    for (const FreeState::HeldSlice& one : state.held_slices) {
        is_of_shape = is_of_shape && one.device.value() < shape.devices.size() &&
                      shape.devices[one.device.value()].slicing;
    }
    TRESTLE_EXPECTS(is_of_shape, "what is free belongs to the shape");
}

void bind_cache(nb::module_& module) {
    const char* about =
        "The answers of fit() for one demand on one shape, remembered by what is free.\n\nNo "
        "value: it cannot be copied, and changes when it is asked.";
    nb::class_<FitCache>(module, "FitCache", about)
        .def(nb::init<Shared<NodeShape>, NodeDemand, const FitOptions&, std::size_t>(),
             nb::arg("shape"), nb::arg("demand"), nb::arg("options") = FitOptions(),
             nb::arg("answers_max") = 65'536, doc("FitCache.FitCache"))
        .def("shape", &FitCache::shape, nb::rv_policy::copy, "The shape that it was made for.")
        .def("demand", &FitCache::demand, nb::rv_policy::copy, "The demand that it was made for.")
        .def("size", &FitCache::size, doc("FitCache.size"))
        .def("__len__", &FitCache::size)
        .def(
            "fit",
            [](FitCache& self, const FreeState& state) -> Verdict<NodePlacement> {
                expect_node_of(self.shape(), state);
                return self.fit(state);
            },
            nb::arg("state"),
            "What fit() says for any ledger whose free() is `state`. Requires: `state` is of a "
            "node "
            "of the shape.");
}

/// fit and explain_fit take the same. The GIL stays: a ledger may change.
template <auto question>
void define_question(nb::module_& module, const char* name) {
    module.def(
        name,
        [](const NodeShape& shape, const NodeLedger& ledger, const NodeDemand& demand,
           const FitOptions& options) {
            expect_node_of(shape, ledger.free());
            return question(shape, ledger, demand, options);
        },
        nb::arg("shape"), nb::arg("ledger"), nb::arg("demand"), nb::arg("options") = FitOptions(),
        doc(name));
}

void bind_explanation(nb::module_& module) {
    bind_struct<FitExplanation::Removal>(module, "Removal", "FitExplanation.Removal");
    bind_struct<FitExplanation::Condition>(module, "Condition", "FitExplanation.Condition");
    bind_enum<FitExplanation::Relaxation::Kind>(module, "ChangeKind",
                                                "FitExplanation.Relaxation.Kind");
    bind_struct<FitExplanation::Relaxation>(module, "Relaxation", "FitExplanation.Relaxation");
    bind_struct<FitExplanation>(module, "FitExplanation");
    define_question<&explain_fit>(module, "explain_fit");
}

}  // namespace

void bind_fit(nb::module_& module) {
    bind_usage(module);
    bind_demand(module);
    bind_enum<FitOptions::WarningUse>(module, "WarningUse", "FitOptions.WarningUse");
    bind_struct<FitOptions>(module, "FitOptions");
    define_question<&fit>(module, "fit");
    bind_cache(module);
    bind_explanation(module);
    bind_registration(module);
}

}  // namespace trestle::python
