// SPDX-License-Identifier: Apache-2.0
// The pages of NVIDIA's kernel driver: NVIDIA Linux driver README, "/proc Filesystem Interface";
// Multi-Instance GPU User Guide, "Device Nodes and Capabilities".
#include "../kernel_text.hpp"
#include "drivers.hpp"
#include "os/driver_text.hpp"

namespace trestle::os::detail {

namespace {

constexpr const char* nvidia_capabilities = "/proc/driver/nvidia/capabilities/";

/// The number behind `prefix` in a name such as `gi7`.
std::optional<std::uint32_t> number_after(std::string_view name, std::string_view prefix) {
    if (!name.starts_with(prefix)) return std::nullopt;
    return narrow(whole_number(name.substr(prefix.size())));
}

/// Those that exist now: the driver makes a folder for each.
std::vector<DriverInstance> instances_in_proc(const SystemRoot& root, std::uint32_t minor) {
    const std::string folder = fmt::format("{}gpu{}/mig", nvidia_capabilities, minor);
    std::vector<DriverInstance> instances;
    for (const std::string& gi : root.names_in(folder)) {
        const auto gpu_instance = number_after(gi, "gi");
        if (!gpu_instance) continue;
        for (const std::string& ci : root.names_in(folder + "/" + gi)) {
            const auto compute_instance = number_after(ci, "ci");
            if (!compute_instance) continue;
            DriverInstance instance;
            instance.gpu_instance = *gpu_instance;
            instance.compute_instance = *compute_instance;
            instances.push_back(std::move(instance));
        }
    }
    return instances;
}

}  // namespace

StatusOr<DriverGpus> read_nvidia_proc(const SystemRoot& root) {
    const std::string folder = "/proc/driver/nvidia/gpus";
    if (!root.exists(folder)) return not_found("no {}", folder);
    DriverGpus gpus;
    for (const std::string& name : root.names_in(folder)) {
        const std::string place = bus_id_of(name);
        if (place.empty()) continue;
        const std::string page = root.read(folder + "/" + name + "/information");
        DriverGpu gpu;
        gpu.place = place;
        gpu.vendor = "nvidia";
        gpu.model = page_value(page, "Model");
        gpu.uuid = page_value(page, "GPU UUID");
        gpu.minor = narrow(whole_number(page_value(page, "Device Minor")));
        if (gpu.minor) gpu.instances = instances_in_proc(root, *gpu.minor);
        gpu.is_cut = !gpu.instances.empty();
        gpus.push_back(std::move(gpu));
    }
    return gpus;
}

std::vector<Device::File> capability_files(const SystemRoot& root, std::uint32_t gpu_minor,
                                           const DriverInstance& instance) {
    const std::string gi = fmt::format("gi{}", instance.gpu_instance);
    const std::string ci = fmt::format("{}/ci{}", gi, instance.compute_instance);
    const std::string minors = root.read("/proc/driver/nvidia-caps/mig-minors");
    const auto major = root.major_of_driver("nvidia-caps");
    std::vector<Device::File> files;
    for (const std::string& capability : {gi, ci}) {
        auto minor =
            narrow(keyed_number(minors, fmt::format("gpu{}/{}/access", gpu_minor, capability)));
        if (!minor) {
            const std::string page = root.read(
                fmt::format("{}gpu{}/mig/{}/access", nvidia_capabilities, gpu_minor, capability));
            minor = narrow(keyed_number(page, "DeviceFileMinor:"));
        }
        if (!minor) continue;
        const std::string path = fmt::format("/dev/nvidia-caps/nvidia-cap{}", *minor);
        if (auto file = root.device_file(path, major, minor)) files.push_back(std::move(*file));
    }
    return files;
}

}  // namespace trestle::os::detail
