// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/dialect/prometheus/metric.hpp"
#include "trestle/dialect/prometheus/usage.hpp"

namespace trestle::python {

void bind_prometheus(nb::module_& module) {
    bind_enum<prometheus::MetricType>(module, "MetricType");
    bind_struct<prometheus::Label>(module, "Label");
    bind_struct<prometheus::Sample>(module, "Sample");
    bind_struct<prometheus::Metric>(module, "Metric");
    bind_struct<prometheus::GroupUsage>(module, "GroupUsage");
    module.def(
        "print_metrics",
        [](const std::vector<prometheus::Metric>& metrics) {
            return prometheus::print_metrics(metrics);
        },
        nb::arg("metrics"), doc("prometheus.print_metrics"));
    module.def(
        "usage_metrics",
        [](const std::vector<prometheus::GroupUsage>& groups, std::string_view prefix) {
            return prometheus::usage_metrics(groups, prefix);
        },
        nb::arg("groups"), nb::arg("prefix") = "trestle", doc("prometheus.usage_metrics"));
    module.def(
        "health_metrics",
        [](const std::vector<DeviceReport>& reports, std::string_view prefix) {
            return prometheus::health_metrics(reports, prefix);
        },
        nb::arg("reports"), nb::arg("prefix") = "trestle", doc("prometheus.health_metrics"));
}

}  // namespace trestle::python
