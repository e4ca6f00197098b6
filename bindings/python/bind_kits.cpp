// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/device/common_devices.hpp"
#include "trestle/enforce/device/device_kit.hpp"
#include "trestle/enforce/plan.hpp"

namespace trestle::python {
namespace {

using DeviceKits = std::vector<DeviceKit>;

/// The functions about the devices of a placement, which have to exist. Errors: ValueError.
template <class Made>
auto of_placement(Made (*make)(const NodeShape&, const NodePlacement&, const DeviceKits&)) {
    return [make](const NodeShape& shape, const NodePlacement& placement,
                  const DeviceKits& kits) -> StatusOr<Made> {
        TRESTLE_TRY_STATUS(check(shape, placement));
        return make(shape, placement, kits);
    };
}

void bind_each_kit(nb::module_& module) {
    const auto add = [&](const char* name, DeviceKit (*kit)()) {
        module.def(name, kit, doc(name));
    };
    add("nvidia_kit", &nvidia_kit);
    add("amd_kit", &amd_kit);
    add("intel_kit", &intel_kit);
    add("gaudi_kit", &gaudi_kit);
    add("neuron_kit", &neuron_kit);
    add("vfio_kit", &vfio_kit);
    add("tenstorrent_kit", &tenstorrent_kit);
    add("rdma_kit", &rdma_kit);
    module.def("standard_device_kits", &standard_device_kits, doc("standard_device_kits"));
}

}  // namespace

void bind_kits(nb::module_& module) {
    const auto shape = nb::arg("shape");
    const auto placement = nb::arg("placement");
    const auto kits = nb::arg("kits");
    bind_each_kit(module);
    module.def(
        "kit_of",
        [](const DeviceKits& all, const Device& device) {
            const DeviceKit* kit = kit_of(all, device);
            return kit != nullptr ? std::optional(*kit) : std::nullopt;
        },
        nb::arg("kits"), nb::arg("device"), doc("kit_of"));
    module.def("companions_of", &companions_of, nb::arg("kit"), nb::arg("device"),
               doc("companions_of"));
    module.def("allowed_files", of_placement(&allowed_files), shape, placement, kits,
               doc("allowed_files"));
    module.def("host_folders", of_placement(&host_folders), shape, placement, kits,
               doc("host_folders"));
    module.def("planned_devices", of_placement(&planned_devices), shape, placement, kits,
               doc("planned_devices"));
    module.def(
        "visibility",
        [](const NodeShape& node, const NodePlacement& granted, const DeviceKits& all,
           DeviceNumbering numbering) -> StatusOr<std::vector<EnvironmentVariable>> {
            TRESTLE_TRY_STATUS(check(node, granted));
            return visibility(node, granted, all, numbering);
        },
        shape, placement, kits, nb::arg("numbering"), doc("visibility"));
    module.def("is_within", &is_within, nb::arg("narrow"), nb::arg("wide"), doc("is_within"));
    module.def("common_devices", &common_devices, nb::arg("a"), nb::arg("b"),
               doc("common_devices"));
    module.def("every_device", &every_device, doc("every_device"));
}

}  // namespace trestle::python
