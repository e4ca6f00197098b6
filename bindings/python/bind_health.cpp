// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/enforce/health/device_health.hpp"
#include "trestle/enforce/health/node_health.hpp"
#include "trestle/enforce/health/rates.hpp"
#include "trestle/enforce/process/usage.hpp"

namespace trestle::python {
namespace {

void bind_usage_and_rates(nb::module_& module) {
    bind_struct<ResourceUsage::Pressure>(module, "Pressure", "ResourceUsage.Pressure");
    bind_struct<EnergyCounter>(module, "EnergyCounter");
    bind_struct<GpuUsage>(module, "GpuUsage");
    bind_struct<ResourceUsage>(module, "ResourceUsage");
    bind_struct<Grant>(module, "Grant");
    bind_struct<Rates::Gpu>(module, "GpuRates", "Rates.Gpu");
    bind_struct<Rates>(module, "Rates");
    module.def("grant_of", &grant_of, nb::arg("limits"), doc("grant_of"));
    module.def("energy_between", &energy_between, nb::arg("before"), nb::arg("after"),
               doc("energy_between"));
    module.def("rates", &rates, nb::arg("before"), nb::arg("after"), nb::arg("granted"),
               doc("rates"));
}

}  // namespace

void bind_health(nb::module_& module) {
    bind_usage_and_rates(module);
    bind_struct<DeviceCounters>(module, "DeviceCounters");
    bind_struct<DeviceCounters::Thresholds>(module, "HealthThresholds",
                                            "DeviceCounters.Thresholds");
    bind_enum<HealthReport::Finding::Cause>(module, "HealthCause", "HealthReport.Finding.Cause");
    bind_struct<HealthReport::Finding>(module, "HealthFinding", "HealthReport.Finding");
    bind_struct<HealthReport>(module, "HealthReport");
    bind_struct<DeviceReport>(module, "DeviceReport");
    bind_struct<NodeJudgement>(module, "NodeJudgement");
    module.def(
        "joined_reports",
        [](const std::vector<HealthReport>& reports) { return joined_reports(reports); },
        nb::arg("reports"), doc("joined_reports"));
    module.def("xid_health", &xid_health, nb::arg("xid"), doc("xid_health"));
    module.def("classify", &classify, nb::arg("counters"),
               nb::arg("thresholds") = DeviceCounters::Thresholds(), doc("classify"));
    module.def("counted_since", &counted_since, nb::arg("before"), nb::arg("after"),
               doc("counted_since"));
    module.def("dcgm_report", &dcgm_report, nb::arg("result"), nb::arg("incident") = "",
               doc("dcgm_report"));
    module.def(
        "with_device_health",
        [](const NodeShape& shape, const std::vector<DeviceReport>& reports) {
            return with_device_health(shape, reports);
        },
        nb::arg("shape"), nb::arg("reports"), doc("with_device_health"));
    module.def("after_health_program", &after_health_program, nb::arg("state"), nb::arg("outcome"),
               nb::arg("output") = "", doc("after_health_program"));
}

}  // namespace trestle::python
