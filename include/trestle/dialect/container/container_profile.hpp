// SPDX-License-Identifier: Apache-2.0
#pragma once

// Container profiles: what a container needs beside the files of a vendor's device, as data.
//
// Layer: dialect/container. Main type: ContainerProfile. The counterpart of VendorProfile
// (enforce), which has the files that a device needs outside of containers too.
// Pitfall: a device without a profile is handed over by its files alone, and Kubernetes has no name
// for it. A profile can be changed or removed: without NVIDIA's, Docker gets files.

#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/enforce/device/vendor_profile.hpp"
#include "trestle/enforce/process/environment.hpp"
#include "trestle/enforce/process/settings.hpp"

namespace trestle::container {

/// What containers with devices of one kind need. Empty: nothing.
struct ContainerProfile {
    std::string vendor;       ///< PlannedDevice::vendor; empty: any, the files decide
    std::string name;         ///< PlannedDevice::name
    std::string file_prefix;  ///< one of its files starts so; empty: the vendor alone decides
    /// Docker: the driver of a DeviceRequest that names devices by UUID. Empty: by files.
    std::string docker_driver;
    std::vector<std::string> driver_capabilities;  ///< of that DeviceRequest
    std::string docker_runtime;                    ///< Docker's `Runtime`
    /// What the vendor's runtime reads: the indexes of the devices to show. `void` for Docker where
    /// there is none, since images ask for all and a runtime may be the daemon's default.
    std::string runtime_variable;
    std::vector<std::string> capabilities;  ///< of the kernel, without `CAP_`
    bool wants_no_seccomp = false;          ///< system calls are not filtered
    bool wants_host_ipc = false;            ///< given only where the whole host is
    std::vector<EnvironmentVariable> environment;
    std::vector<ProcessSettings::Limit> limits;
    std::string kubernetes_resource;      ///< `nvidia.com/gpu`; empty: no name is known
    std::string kubernetes_slice_prefix;  ///< `nvidia.com/mig-`, before a profile

    static constexpr auto fields(auto list) {
        return list(field("vendor", &ContainerProfile::vendor),
                    field("name", &ContainerProfile::name),
                    field("file_prefix", &ContainerProfile::file_prefix),
                    field("docker_driver", &ContainerProfile::docker_driver),
                    field("driver_capabilities", &ContainerProfile::driver_capabilities),
                    field("docker_runtime", &ContainerProfile::docker_runtime),
                    field("runtime_variable", &ContainerProfile::runtime_variable),
                    field("capabilities", &ContainerProfile::capabilities),
                    field("wants_no_seccomp", &ContainerProfile::wants_no_seccomp),
                    field("wants_host_ipc", &ContainerProfile::wants_host_ipc),
                    field("environment", &ContainerProfile::environment),
                    field("limits", &ContainerProfile::limits),
                    field("kubernetes_resource", &ContainerProfile::kubernetes_resource),
                    field("kubernetes_slice_prefix", &ContainerProfile::kubernetes_slice_prefix));
    }
    friend bool operator==(const ContainerProfile&, const ContainerProfile&) = default;

    /// True when the name is that of the device, the vendor too where both name one, and one of its
    /// files starts with the prefix. A device without files is matched by its vendor, a device
    /// without a vendor by its files.
    [[nodiscard]] bool is_for(const PlannedDevice& device) const;
};

/// NVIDIA and AMD GPUs, Intel Gaudi (vendor habana, or intel with files of an accelerator) and
/// Intel GPUs, TPUs, AWS Neuron. TPUs bring memlock without a limit to shares as well, since VFIO
/// works on locked memory alone; the memory limit holds for that, too. RDMA adapters go by their
/// files: how much their programs may lock is for the plan to say (dstack::plan_job does).
[[nodiscard]] std::vector<ContainerProfile> standard_container_profiles();

/// The first profile that is for the device, or none.
[[nodiscard]] const ContainerProfile* profile_of(const std::vector<ContainerProfile>& profiles,
                                                 const PlannedDevice& device);

}  // namespace trestle::container
