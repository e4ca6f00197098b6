// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "text_rows.hpp"
#include "trestle/dialect/slurm/differences.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/dialect/slurm/quantities.hpp"
#include "trestle/dialect/slurm/tres.hpp"

namespace trestle::python {
namespace {

void bind_hostlist(nb::module_& module) {
    using slurm::Hostlist;
    bind_struct<slurm::HostlistLimits>(module, "HostlistLimits");
    nb::class_<Hostlist> type(module, "Hostlist",
                              "Names as Slurm lists them, `n[01-04],login`, kept as ranges.\n\n"
                              "A sequence in the order of the text; &, | and - give sets, sorted, "
                              "each name once.");
    type.def(
        "__init__",
        [](Hostlist* self, std::string_view text, const slurm::HostlistLimits& limits) {
            StatusOr<Hostlist> list = Hostlist();
            if (!text.empty()) list = Hostlist::parse(text, limits);
            raise_if_error(list.status());
            new (self) Hostlist(*std::move(list));
        },
        nb::arg("text") = "", nb::arg("limits") = slurm::HostlistLimits());
    bind_value(type);
    type.def("__len__", &Hostlist::size)
        .def("__contains__", &Hostlist::contains)
        .def(
            "__getitem__",
            [](const Hostlist& self, std::int64_t position) {
                const auto size = static_cast<std::int64_t>(self.size());
                const std::int64_t at = position < 0 ? position + size : position;
                if (at < 0 || at >= size) throw nb::index_error();
                return self[static_cast<std::uint64_t>(at)];
            },
            nb::arg("position"))
        .def("find", &Hostlist::find, nb::arg("name"), doc("slurm.Hostlist.find"))
        .def("names", &Hostlist::names, doc("slurm.Hostlist.names"))
        .def("sorted", &Hostlist::sorted, doc("slurm.Hostlist.sorted"))
        .def(nb::self & nb::self)
        .def(nb::self | nb::self)
        .def(nb::self - nb::self);
    type.def("__str__", [](const Hostlist& self) { return to_text(self); });
    type.def("__repr__", [](const Hostlist& self) {
        return shown_in_a_line("Hostlist('" + to_text(self) + "')", "Hostlist", self.size());
    });
    type.def(
        "__reduce__",
        [](nb::handle self) {
            constexpr auto most = std::uint64_t{1} << 62;
            return nb::make_tuple(
                self.type(),
                nb::make_tuple(nb::str(self), slurm::HostlistLimits{most, std::size_t{most}}));
        },
        nb::sig("def __reduce__(self) -> tuple[object, tuple[object, ...]]"));
}

void bind_tres(nb::module_& module) {
    bind_struct<slurm::TresIds>(module, "TresIds");
    bind_struct<slurm::TresExcess>(module, "TresExcess");
    bind_enum<slurm::BillingRule>(module, "BillingRule");
    bind_struct<slurm::BillingWeights>(module, "BillingWeights");
    const auto text = nb::arg("text");
    module.def("parse_tres", &slurm::parse_tres, text, nb::arg("ids") = slurm::TresIds(),
               doc("slurm.read_tres"));
    module.def("amend_tres", &slurm::amend_tres, nb::arg("counts"), text,
               nb::arg("ids") = slurm::TresIds(), doc("slurm.amend_tres"));
    module.def("tres_text", &slurm::tres_text, nb::arg("counts"), doc("slurm.tres_text"));
    module.def("tres_id_text", &slurm::tres_id_text, nb::arg("counts"), nb::arg("ids"),
               doc("slurm.tres_id_text"));
    module.def(
        "sum_of", [](const std::vector<TresCounts>& all) { return slurm::sum_of(all); },
        nb::arg("all"), doc("slurm.sum_of"));
    module.def("difference_of", &slurm::difference_of, nb::arg("counts"), nb::arg("less"),
               doc("slurm.difference_of"));
    module.def("max_of", &slurm::max_of, nb::arg("a"), nb::arg("b"), doc("slurm.max_of"));
    module.def("energy_of", &slurm::energy_of, nb::arg("counts"), doc("slurm.energy_of"));
    module.def("exceeds", &slurm::exceeds, nb::arg("limit"), nb::arg("used"), nb::arg("asked"),
               doc("slurm.exceeds"));
    module.def("parse_billing_weights", &slurm::parse_billing_weights, text,
               doc("slurm.parse_billing_weights"));
    module.def("billing_of", &slurm::billing_of, nb::arg("weights"), nb::arg("counts"),
               nb::arg("rule") = slurm::BillingRule::sum, doc("slurm.billing_of"));
}

void bind_slurm(nb::module_ module) {
    bind_hostlist(module);
    bind_tres(module);
    bind_struct<slurm::GresPart>(module, "GresPart");
    bind_struct<slurm::GresDetail>(module, "GresDetail");
    bind_slurm_conf(module);
    bind_slurm_options(module);
    bind_slurm_script(module);
    const auto text = nb::arg("text");
    module.def("parse_gres", &slurm::parse_gres, text, doc("slurm.parse_gres_details"));
    module.def("parse_gres_details", &slurm::parse_gres_details, text,
               doc("slurm.parse_gres_details"));
    module.def("parse_gres_used", &slurm::parse_gres_used, text, doc("slurm.read_gres_used"));
    module.def("parse_gpus", &slurm::parse_gpus, text, doc("slurm.read_gpus"));
    module.def(
        "gres_list_text",
        [](const std::vector<slurm::GresDetail>& list) { return slurm::gres_list_text(list); },
        nb::arg("details"), "Joined by commas, as `gpu:a100:2(IDX:0-1),nic:1`.");
    module.def("parse_memory", &slurm::parse_memory, text, doc("slurm.read_memory"));
    module.def("memory_text", &slurm::memory_text, nb::arg("memory"), doc("slurm.memory_text"));
    module.def("parse_count", &slurm::parse_count, text, doc("slurm.read_count"));
    module.def("parse_time", &slurm::parse_time, text, doc("slurm.read_time"));
    bind_slurm_report(module);
    bind_slurm_choice(module);
    bind_slurm_live(module);
    module.def(
        "differences",
        [](std::optional<slurm::Release> release) {
            if (!release) return text_rows(slurm::differences());
            const std::vector<slurm::Difference> rows = slurm::differences(*release);
            return text_rows(std::span<const slurm::Difference>(rows));
        },
        nb::arg("release") = nb::none(),
        nb::sig("def differences(release: Release | None = None) -> list[dict[str, str]]"),
        "Where this library and Slurm part. A row has the topic, what Slurm does, what is done "
        "here, "
        "and what select() does. It also has the test that holds to it, and the releases of Slurm "
        "that it is about (empty: all).\n\nrelease: only those that are about it.");
    module.def("differences_text", &slurm::differences_text, doc("slurm.differences_text"));
}

}  // namespace

void bind_dialect(nb::module_& module) {
    bind_slurm(module.def_submodule("slurm", "Slurm: options, node and GRES configuration."));
    nb::module_ container =
        module.def_submodule("container", "Documents for Docker, OCI runtimes and Kubernetes.");
    bind_container(container);
    nb::module_ prometheus =
        module.def_submodule("prometheus", "Metrics in the text format of Prometheus.");
    bind_prometheus(prometheus);
    nb::module_ dstack = module.def_submodule("dstack", "dstack: its files and price lists.");
    bind_dstack(dstack);
    bind_dstack_offers(dstack);
    bind_dstack_run(dstack);
    nb::module_ translate =
        module.def_submodule("translate", "Jobs of Slurm as tasks of dstack, and back.");
    bind_translate(translate);
}

}  // namespace trestle::python
