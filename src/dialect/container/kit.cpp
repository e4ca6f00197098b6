// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/kit.hpp"

#include <algorithm>
#include <optional>

namespace trestle::container {
namespace {

ContainerKit kit_for(std::string vendor, std::string file_prefix, std::string kubernetes_resource) {
    ContainerKit kit;
    kit.vendor = std::move(vendor);
    kit.name = "gpu";
    kit.file_prefix = std::move(file_prefix);
    kit.kubernetes_resource = std::move(kubernetes_resource);
    return kit;
}

/// The container toolkit makes the files and mounts the driver's libraries, as its request asks.
ContainerKit nvidia() {
    ContainerKit kit = kit_for("nvidia", "/dev/nvidia", "nvidia.com/gpu");
    kit.docker_driver = "nvidia";
    kit.runtime_variable = "NVIDIA_VISIBLE_DEVICES";
    kit.driver_capabilities = {"gpu",   "utility", "compute", "graphics",
                               "video", "display", "compat32"};
    kit.kubernetes_slice_prefix = "nvidia.com/mig-";
    return kit;
}

/// ROCm's debugger and profiler trace, and its runtime moves memory between nodes, which Docker's
/// seccomp profile refuses.
ContainerKit amd() {
    ContainerKit kit = kit_for("amd", "", "amd.com/gpu");
    kit.capabilities = {"SYS_PTRACE"};
    kit.wants_no_seccomp = true;
    kit.wants_host_ipc = true;
    return kit;
}

/// The same accelerator under the vendor's old name, and under the one that bought it.
ContainerKit gaudi(std::string vendor, std::string file_prefix) {
    ContainerKit kit = kit_for(std::move(vendor), std::move(file_prefix), "habana.ai/gaudi");
    kit.docker_runtime = "habana";
    kit.runtime_variable = "HABANA_VISIBLE_DEVICES";
    kit.capabilities = {"SYS_NICE"};
    kit.wants_host_ipc = true;
    return kit;
}

/// VFIO pins what the device reads, which counts as locked memory, whoever shares the host.
ContainerKit tpu(std::string file_prefix) {
    ContainerKit kit = kit_for("google", std::move(file_prefix), "google.com/tpu");
    kit.environment = {shown_variable("PJRT_DEVICE", "TPU")};
    kit.limits = {{ProcessResource::memlock, std::nullopt, std::nullopt}};
    return kit;
}

}  // namespace

bool ContainerKit::is_for(const PlannedDevice& device) const {
    if (device.name != name) return false;
    const bool is_vendor_known = !vendor.empty() && !device.vendor.empty();
    if (is_vendor_known && device.vendor != vendor) return false;
    if (is_vendor_known && (file_prefix.empty() || device.paths.empty())) return true;
    return !file_prefix.empty() &&
           std::any_of(device.paths.begin(), device.paths.end(),
                       [&](const std::string& path) { return path.starts_with(file_prefix); });
}

std::vector<ContainerKit> standard_container_kits() {
    return {nvidia(),
            amd(),
            gaudi("habana", ""),
            gaudi("intel", "/dev/accel/"),
            gaudi("intel", "/dev/hl"),
            kit_for("intel", "/dev/dri/", "gpu.intel.com/i915"),
            tpu("/dev/vfio/"),
            tpu("/dev/accel"),
            kit_for("amazon", "/dev/neuron", "aws.amazon.com/neuron")};
}

const ContainerKit* kit_of(const std::vector<ContainerKit>& kits, const PlannedDevice& device) {
    const auto at = std::find_if(kits.begin(), kits.end(),
                                 [&](const ContainerKit& kit) { return kit.is_for(device); });
    return at == kits.end() ? nullptr : &*at;
}

}  // namespace trestle::container
