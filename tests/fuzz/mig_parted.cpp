// SPDX-License-Identifier: Apache-2.0
// Configurations of nvidia-mig-parted. A node that one cuts keeps its devices, and each of them can
// be cut so.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/target.hpp"
#include "trestle/dialect/container/mig_parted.hpp"

TRESTLE_FUZZ(mig_parted) {
    using namespace trestle;
    const auto configs = container::parse_mig_parted(std::string(data, data + size));
    if (!configs.ok()) return;
    NodeShape shape;
    for (const char* model : {"NVIDIA A100-SXM4-40GB", "NVIDIA A30", "NVIDIA L4"}) {
        Device gpu;
        gpu.name = "gpu";
        gpu.vendor = "nvidia";
        gpu.model = model;
        gpu.memory = shape.devices.empty() ? gib(40) : gib(24);
        shape.devices.push_back(gpu);
    }
    for (const container::MigConfig& config : *configs) {
        const auto cut = container::with_mig_config(shape, config);
        if (!cut.ok()) continue;
        if (cut->devices.size() != shape.devices.size()) std::abort();
        for (const Device& gpu : cut->devices) {
            if (gpu.slicing && !check(*gpu.slicing).ok()) std::abort();
        }
    }
}
