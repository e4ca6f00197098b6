// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/device/common_devices.hpp"
#include "trestle/enforce/device/vendor_profile.hpp"
#include "trestle/enforce/plan.hpp"

namespace trestle::python {
namespace {

using VendorProfiles = std::vector<VendorProfile>;

/// The functions about the devices of a placement, which have to exist. Errors: ValueError.
template <class Made>
auto of_placement(Made (*make)(const NodeShape&, const NodePlacement&, const VendorProfiles&)) {
    return [make](const NodeShape& shape, const NodePlacement& placement,
                  const VendorProfiles& profiles) -> StatusOr<Made> {
        TRESTLE_TRY_STATUS(check(shape, placement));
        return make(shape, placement, profiles);
    };
}

void bind_each_profile(nb::module_& module) {
    const auto add = [&](const char* name, VendorProfile (*profile)()) {
        module.def(name, profile, doc(name));
    };
    add("nvidia_profile", &nvidia_profile);
    add("amd_profile", &amd_profile);
    add("intel_profile", &intel_profile);
    add("gaudi_profile", &gaudi_profile);
    add("neuron_profile", &neuron_profile);
    add("vfio_profile", &vfio_profile);
    add("tenstorrent_profile", &tenstorrent_profile);
    add("rdma_profile", &rdma_profile);
    module.def("standard_vendor_profiles", &standard_vendor_profiles,
               doc("standard_vendor_profiles"));
}

}  // namespace

void bind_profiles(nb::module_& module) {
    const auto shape = nb::arg("shape");
    const auto placement = nb::arg("placement");
    const auto profiles = nb::arg("profiles");
    bind_each_profile(module);
    module.def(
        "profile_of",
        [](const VendorProfiles& all, const Device& device) {
            const VendorProfile* profile = profile_of(all, device);
            return profile != nullptr ? std::optional(*profile) : std::nullopt;
        },
        nb::arg("profiles"), nb::arg("device"), doc("profile_of"));
    module.def("companions_of", &companions_of, nb::arg("profile"), nb::arg("device"),
               doc("companions_of"));
    module.def("allowed_files", of_placement(&allowed_files), shape, placement, profiles,
               doc("allowed_files"));
    module.def("host_folders", of_placement(&host_folders), shape, placement, profiles,
               doc("host_folders"));
    module.def("planned_devices", of_placement(&planned_devices), shape, placement, profiles,
               doc("planned_devices"));
    module.def(
        "visibility",
        [](const NodeShape& node, const NodePlacement& granted, const VendorProfiles& all,
           DeviceNumbering numbering) -> StatusOr<std::vector<EnvironmentVariable>> {
            TRESTLE_TRY_STATUS(check(node, granted));
            return visibility(node, granted, all, numbering);
        },
        shape, placement, profiles, nb::arg("numbering"), doc("visibility"));
    module.def("is_within", &is_within, nb::arg("narrow"), nb::arg("wide"), doc("is_within"));
    module.def("common_devices", &common_devices, nb::arg("a"), nb::arg("b"),
               doc("common_devices"));
    module.def("every_device", &every_device, doc("every_device"));
}

}  // namespace trestle::python
