// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "../../../words.hpp"
#include "gres_records.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/set/text.hpp"

namespace trestle::slurm {
namespace {

struct VendorFlag {
    std::string_view vendor;
    GresFlag flag;
};
constexpr std::array vendor_flags{VendorFlag{"nvidia", GresFlag::nvidia_gpu_env},
                                  VendorFlag{"amd", GresFlag::amd_gpu_env},
                                  VendorFlag{"intel", GresFlag::intel_gpu_env}};

/// The flag that all devices have, if they have one.
std::vector<GresFlag> flags_of(const std::vector<DeviceId>& gpus, const NodeShape& shape) {
    for (const VendorFlag& known : vendor_flags) {
        const bool is_of_all = std::all_of(gpus.begin(), gpus.end(), [&](DeviceId id) {
            return shape.devices[id.value()].vendor == known.vendor;
        });
        if (is_of_all) return {known.flag};
    }
    return {};
}

std::vector<std::string> files_in_conf(const Device& device) {
    std::vector<std::string> files;
    for (const Device::File& file : device.files) {
        if (device.vendor != "nvidia" || file.path.starts_with("/dev/nvidia")) {
            files.push_back(file.path);
        }
    }
    if (files.empty()) return {device.files.front().path};
    if (device.vendor != "nvidia") files.resize(1);
    return files;
}

}  // namespace

std::vector<GresLine> detected_gres(const NodeShape& detected) {
    std::vector<DeviceId> gpus;
    bool has_types = true;
    for (std::uint32_t i = 0; i < detected.devices.size(); ++i) {
        const Device& device = detected.devices[i];
        if (!words::same_word(device.name, "gpu") || device.files.empty()) continue;
        gpus.emplace_back(i);
        has_types = has_types && !device.type.empty();
    }
    std::vector<GresLine> lines;
    for (const DeviceId id : gpus) {
        const Device& device = detected.devices[id.value()];
        const std::vector<std::string> files = files_in_conf(device);
        GresLine line;
        line.name = device.name;
        if (has_types) line.type = device.type;
        for (const std::string& file : files) line.files.push_back(file);
        line.is_one_device = files.size() > 1;
        if (!device.cores.is_empty()) line.cores = device.cores;
        line.links = links_of(detected, id);
        line.flags = flags_of(gpus, detected);
        lines.push_back(std::move(line));
    }
    return lines;
}

std::string to_text(const GresLine& line) {
    std::string text;
    const auto add = [&](std::string_view key, const std::string& value) {
        if (!text.empty()) text += ' ';
        text += fmt::format("{}={}", key, value);
    };
    if (!line.nodes.is_empty()) add("NodeName", to_text(line.nodes));
    if (!line.name.empty()) add("Name", line.name);
    if (!line.type.empty()) add("Type", line.type);
    if (!line.files.is_empty())
        add(line.is_one_device ? "MultipleFiles" : "File", to_text(line.files));
    const bool tells_count = line.files.is_empty() || is_shared_gres(line.name);
    if (!line.name.empty() && tells_count) add("Count", std::to_string(line.count.value()));
    if (line.cores) add("Cores", trestle::to_text(*line.cores));
    if (!line.links.empty()) add("Links", fmt::format("{}", fmt::join(line.links, ",")));
    if (!line.flags.empty()) {
        std::vector<std::string> flags;
        for (const GresFlag flag : line.flags) flags.emplace_back(trestle::to_text(flag));
        add("Flags", fmt::format("{}", fmt::join(flags, ",")));
    }
    if (line.autodetect) add("AutoDetect", std::string(trestle::to_text(*line.autodetect)));
    return text;
}

}  // namespace trestle::slurm
