// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/container_profile.hpp"

#include <algorithm>
#include <optional>

#include "enforce/process/environment_words.hpp"

namespace trestle::container {
namespace {

ContainerProfile profile_for(std::string vendor, std::string file_prefix,
                             std::string kubernetes_resource) {
    ContainerProfile profile;
    profile.vendor = std::move(vendor);
    profile.name = "gpu";
    profile.file_prefix = std::move(file_prefix);
    profile.kubernetes_resource = std::move(kubernetes_resource);
    return profile;
}

/// The container toolkit makes the files and mounts the driver's libraries, as its request asks.
ContainerProfile nvidia() {
    ContainerProfile profile = profile_for("nvidia", "/dev/nvidia", "nvidia.com/gpu");
    profile.docker_driver = "nvidia";
    profile.runtime_variable = "NVIDIA_VISIBLE_DEVICES";
    profile.driver_capabilities = {"gpu",   "utility", "compute", "graphics",
                                   "video", "display", "compat32"};
    profile.kubernetes_slice_prefix = "nvidia.com/mig-";
    return profile;
}

/// ROCm's debugger and profiler trace, and its runtime moves memory between nodes, which Docker's
/// seccomp profile refuses.
ContainerProfile amd() {
    ContainerProfile profile = profile_for("amd", "", "amd.com/gpu");
    profile.capabilities = {"SYS_PTRACE"};
    profile.wants_no_seccomp = true;
    profile.wants_host_ipc = true;
    return profile;
}

/// The same accelerator under the vendor's old name, and under the one that bought it.
ContainerProfile gaudi(std::string vendor, std::string file_prefix) {
    ContainerProfile profile =
        profile_for(std::move(vendor), std::move(file_prefix), "habana.ai/gaudi");
    profile.docker_runtime = "habana";
    profile.runtime_variable = "HABANA_VISIBLE_DEVICES";
    profile.capabilities = {"SYS_NICE"};
    profile.wants_host_ipc = true;
    return profile;
}

/// VFIO pins what the device reads, which counts as locked memory, whether the host is shared or
/// not.
ContainerProfile tpu(std::string file_prefix) {
    ContainerProfile profile = profile_for("google", std::move(file_prefix), "google.com/tpu");
    profile.environment = {shown_variable("PJRT_DEVICE", "TPU")};
    profile.limits = {{ProcessSettings::Limit::Resource::memlock, std::nullopt, std::nullopt}};
    return profile;
}

}  // namespace

bool ContainerProfile::is_for(const PlannedDevice& device) const {
    if (device.name != name) return false;
    const bool is_vendor_known = !vendor.empty() && !device.vendor.empty();
    if (is_vendor_known && device.vendor != vendor) return false;
    if (is_vendor_known && (file_prefix.empty() || device.paths.empty())) return true;
    return !file_prefix.empty() &&
           std::any_of(device.paths.begin(), device.paths.end(),
                       [&](const std::string& path) { return path.starts_with(file_prefix); });
}

std::vector<ContainerProfile> standard_container_profiles() {
    return {nvidia(),
            amd(),
            gaudi("habana", ""),
            gaudi("intel", "/dev/accel/"),
            gaudi("intel", "/dev/hl"),
            profile_for("intel", "/dev/dri/", "gpu.intel.com/i915"),
            tpu("/dev/vfio/"),
            tpu("/dev/accel"),
            profile_for("amazon", "/dev/neuron", "aws.amazon.com/neuron")};
}

const ContainerProfile* profile_of(const std::vector<ContainerProfile>& profiles,
                                   const PlannedDevice& device) {
    const auto at =
        std::find_if(profiles.begin(), profiles.end(),
                     [&](const ContainerProfile& profile) { return profile.is_for(device); });
    return at == profiles.end() ? nullptr : &*at;
}

}  // namespace trestle::container
