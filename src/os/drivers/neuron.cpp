// SPDX-License-Identifier: Apache-2.0
// AWS Neuron tells all in sysfs: Neuron Sysfs User Guide.
#include <algorithm>
#include <limits>

#include "../kernel_text.hpp"
#include "drivers.hpp"
#include "os/driver_text.hpp"

namespace trestle::os::detail {

namespace {

constexpr std::string_view neuron_prefix = "neuron";

/// The number of `neuron12`; nothing for other names.
std::optional<std::uint64_t> neuron_number(std::string_view name) {
    if (!name.starts_with(neuron_prefix)) return std::nullopt;
    const auto number = whole_number(name.substr(neuron_prefix.size()));
    return number && *number < driver_gpus_max ? number : std::nullopt;
}

std::string first_line(const std::string& text) {
    return buffer_text(std::string_view(text).substr(0, text.find('\n')));
}

}  // namespace

StatusOr<DriverGpus> read_neuron(const SystemRoot& root) {
    const std::string folder = "/sys/devices/virtual/neuron_device";
    if (!root.exists(folder)) return not_found("no {}", folder);
    std::vector<std::uint64_t> numbers;
    for (const std::string& name : root.names_in(folder)) {
        if (const auto number = neuron_number(name)) numbers.push_back(*number);
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    DriverGpus gpus;
    for (const std::uint64_t number : numbers) {
        const auto place = [](std::uint64_t n) { return fmt::format("{}{}", neuron_prefix, n); };
        const std::string device = folder + "/" + place(number);
        DriverGpu gpu;
        gpu.place = place(number);
        gpu.vendor = "amazon";
        gpu.model = first_line(root.read(device + "/info/architecture/device_name"));
        if (auto file = root.device_file("/dev/" + gpu.place, device + "/dev")) {
            gpu.files.push_back(std::move(*file));
        }
        const auto cores = whole_number(first_line(root.read(device + "/core_count")));
        if (cores && *cores <= std::numeric_limits<std::uint32_t>::max()) {
            gpu.neuron_cores = static_cast<std::uint32_t>(*cores);
        }
        for (const std::uint64_t peer : numbers_in(root.read(device + "/connected_devices"))) {
            if (peer != number && peer < driver_gpus_max) gpu.links[place(peer)] = 1;
        }
        gpus.push_back(std::move(gpu));
    }
    return gpus;
}

}  // namespace trestle::os::detail
