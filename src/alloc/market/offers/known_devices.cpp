// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/offers/known_devices.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "alloc/market/offers/device_names.hpp"
#include "base/words.hpp"

namespace trestle {

namespace {

struct KnownDeviceRow {
    std::string_view vendor;
    std::string_view model;
    std::int64_t gigabytes;
    Version compute_capability;  ///< 0.0: none
};

/// As the price lists of clouds name them (gpuhunt 0.1.34).
constexpr std::array<KnownDeviceRow, 95> known_device_rows{{
    {"nvidia", "A10", 24, {8, 6}},
    {"nvidia", "A16", 16, {8, 6}},
    {"nvidia", "A40", 48, {8, 6}},
    {"nvidia", "A100", 40, {8, 0}},
    {"nvidia", "A100", 80, {8, 0}},
    {"nvidia", "A10G", 24, {8, 6}},
    {"nvidia", "A4000", 16, {8, 6}},
    {"nvidia", "A4500", 20, {8, 6}},
    {"nvidia", "A5000", 24, {8, 6}},
    {"nvidia", "A6000", 48, {8, 6}},
    {"nvidia", "H100", 80, {9, 0}},
    {"nvidia", "H100NVL", 94, {9, 0}},
    {"nvidia", "H200", 141, {9, 0}},
    {"nvidia", "H200NVL", 141, {9, 0}},
    {"nvidia", "B200", 180, {10, 0}},
    {"nvidia", "GB200", 186, {10, 0}},
    {"nvidia", "B300", 270, {10, 0}},
    {"nvidia", "GB300", 270, {10, 0}},
    {"nvidia", "L4", 24, {8, 9}},
    {"nvidia", "L40", 48, {8, 9}},
    {"nvidia", "L40S", 48, {8, 9}},
    {"nvidia", "P100", 16, {6, 0}},
    {"nvidia", "RTX2060", 6, {7, 5}},
    {"nvidia", "RTX2060", 12, {7, 5}},
    {"nvidia", "RTX2060SUPER", 8, {7, 5}},
    {"nvidia", "RTX2070", 8, {7, 5}},
    {"nvidia", "RTX2070SUPER", 8, {7, 5}},
    {"nvidia", "RTX2080", 8, {7, 5}},
    {"nvidia", "RTX2080SUPER", 8, {7, 5}},
    {"nvidia", "RTX2080Ti", 11, {7, 5}},
    {"nvidia", "RTX3050", 6, {8, 6}},
    {"nvidia", "RTX3050", 8, {8, 6}},
    {"nvidia", "RTX3060", 8, {8, 6}},
    {"nvidia", "RTX3060", 12, {8, 6}},
    {"nvidia", "RTX3060Ti", 8, {8, 6}},
    {"nvidia", "RTX3070", 8, {8, 6}},
    {"nvidia", "RTX3070Ti", 8, {8, 6}},
    {"nvidia", "RTX3080", 10, {8, 6}},
    {"nvidia", "RTX3080Ti", 12, {8, 6}},
    {"nvidia", "RTX3090", 24, {8, 6}},
    {"nvidia", "RTX3090Ti", 24, {8, 6}},
    {"nvidia", "RTX4060", 8, {8, 9}},
    {"nvidia", "RTX4060Ti", 8, {8, 9}},
    {"nvidia", "RTX4060Ti", 16, {8, 9}},
    {"nvidia", "RTX4070", 12, {8, 9}},
    {"nvidia", "RTX4070SUPER", 12, {8, 9}},
    {"nvidia", "RTX4070Ti", 12, {8, 9}},
    {"nvidia", "RTX4070TiSUPER", 16, {8, 9}},
    {"nvidia", "RTX4080", 16, {8, 9}},
    {"nvidia", "RTX4080SUPER", 16, {8, 9}},
    {"nvidia", "RTX4090", 24, {8, 9}},
    {"nvidia", "RTX5060", 8, {12, 0}},
    {"nvidia", "RTX5060Ti", 8, {12, 0}},
    {"nvidia", "RTX5060Ti", 16, {12, 0}},
    {"nvidia", "RTX5070", 12, {12, 0}},
    {"nvidia", "RTX5070Ti", 16, {12, 0}},
    {"nvidia", "RTX5080", 16, {12, 0}},
    {"nvidia", "RTX5090", 32, {12, 0}},
    {"nvidia", "RTX6000", 24, {7, 5}},
    {"nvidia", "RTX2000Ada", 16, {8, 9}},
    {"nvidia", "RTX4000Ada", 20, {8, 9}},
    {"nvidia", "RTX6000Ada", 48, {8, 9}},
    {"nvidia", "RTXPRO4500", 32, {12, 0}},
    {"nvidia", "RTXPRO6000", 96, {12, 0}},
    {"nvidia", "T4", 16, {7, 5}},
    {"nvidia", "V100", 16, {7, 0}},
    {"nvidia", "V100", 32, {7, 0}},
    {"nvidia", "GH200", 96, {9, 0}},
    {"amd", "MI100", 32, {0, 0}},
    {"amd", "MI210", 64, {0, 0}},
    {"amd", "MI250", 128, {0, 0}},
    {"amd", "MI250X", 128, {0, 0}},
    {"amd", "MI300A", 128, {0, 0}},
    {"amd", "MI300X", 192, {0, 0}},
    {"amd", "MI308X", 128, {0, 0}},
    {"amd", "MI325X", 288, {0, 0}},
    {"amd", "MI350X", 288, {0, 0}},
    {"amd", "MI355X", 288, {0, 0}},
    {"intel", "Gaudi", 32, {0, 0}},
    {"intel", "Gaudi2", 96, {0, 0}},
    {"intel", "Gaudi3", 128, {0, 0}},
    {"tenstorrent", "n150", 12, {0, 0}},
    {"tenstorrent", "n300", 24, {0, 0}},
    {"tenstorrent", "tt-galaxy-wh", 12, {0, 0}},
    {"tenstorrent", "p100a", 28, {0, 0}},
    {"tenstorrent", "p150", 32, {0, 0}},
    {"tenstorrent", "p300", 32, {0, 0}},
    {"tenstorrent", "p300", 64, {0, 0}},
    {"tenstorrent", "tt-galaxy-bh", 32, {0, 0}},
    {"google", "v2", 0, {0, 0}},
    {"google", "v3", 0, {0, 0}},
    {"google", "v4", 0, {0, 0}},
    {"google", "v5p", 0, {0, 0}},
    {"google", "v5litepod", 0, {0, 0}},
    {"google", "v6e", 0, {0, 0}},
}};

/// Cards of Intel's Gaudi, which its driver calls by their numbers: HL-225H is a Gaudi2.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> card_numbers{
    {{"HL-205", "Gaudi"}, {"HL-225", "Gaudi2"}, {"HL-325", "Gaudi3"}, {"HL-338", "Gaudi3"}}};

/// The part of a text that names a model: letters and digits.
constexpr bool is_model_letter(char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
}

/// The words of a driver's name: `NVIDIA GeForce RTX 4060 Ti` has five.
std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        std::size_t size = 0;
        while (size < text.size() && is_model_letter(text[size])) ++size;
        if (size > 0) words.push_back(text.substr(0, size));
        text.remove_prefix(std::min(std::max(size, std::size_t{1}), text.size()));
    }
    return words;
}

/// True when the text differs from the model in case and in `-`, `_` and blanks at most.
bool is_same_model(std::string_view text, std::string_view model) {
    std::string a;
    std::string b;
    for (const char c : text) {
        if (is_model_letter(c)) a += c;
    }
    for (const char c : model) {
        if (is_model_letter(c)) b += c;
    }
    return same_word(a, b);
}

}  // namespace

const std::vector<KnownDevice>& known_devices() {
    static const std::vector<KnownDevice> devices = [] {
        std::vector<KnownDevice> all;
        all.reserve(known_device_rows.size());
        for (const KnownDeviceRow& row : known_device_rows) {
            const bool has_version = row.compute_capability != Version{};
            all.push_back({std::string(row.vendor), std::string(row.model), gib(row.gigabytes),
                           has_version ? std::optional(row.compute_capability) : std::nullopt});
        }
        return all;
    }();
    return devices;
}

const KnownDevice* find_device(std::span<const KnownDevice> known, std::string_view model) {
    for (const KnownDevice& device : known) {
        if (same_word(device.model, model)) return &device;
    }
    const std::size_t dash = model.rfind('-');
    const bool has_number = dash != model.npos && dash + 1 < model.size() &&
                            std::all_of(model.begin() + static_cast<std::ptrdiff_t>(dash) + 1,
                                        model.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!has_number) return nullptr;
    for (const KnownDevice& device : known) {
        if (same_word(device.model, model.substr(0, dash)) && device.vendor == "google") {
            return &device;
        }
    }
    return nullptr;
}

std::optional<std::string> vendor_of(std::span<const KnownDevice> known,
                                     std::span<const std::string> models) {
    std::optional<std::string> vendor;
    for (const std::string& model : models) {
        const KnownDevice* const first = find_device(known, model);
        if (first == nullptr || (vendor && *vendor != first->vendor)) return std::nullopt;
        for (const KnownDevice& other : known) {
            if (same_word(other.model, model) && other.vendor != first->vendor) {
                return std::nullopt;
            }
        }
        vendor = first->vendor;
    }
    return vendor;
}

const KnownDevice* device_of_driver_name(std::span<const KnownDevice> known,
                                         std::string_view name) {
    for (const auto& [number, model] : card_numbers) {
        if (name.starts_with(number)) return find_device(known, model);
    }
    const std::vector<std::string_view> words = words_of(name.substr(0, 256));
    const KnownDevice* best = nullptr;
    std::size_t longest = 0;
    for (std::size_t first = 0; first < words.size(); ++first) {
        if (same_word(words[first], "MIG")) return nullptr;
        std::string joined;
        for (std::size_t last = first; last < words.size() && joined.size() <= 32; ++last) {
            joined += words[last];
            if (joined.size() <= longest) continue;
            for (const KnownDevice& device : known) {
                if (!is_same_model(joined, device.model)) continue;
                best = &device;
                longest = joined.size();
                break;
            }
        }
    }
    return best;
}

Bytes snap_memory(std::span<const KnownDevice> known, std::string_view model, Bytes memory) {
    const auto distance = [&](Bytes a) {
        return a < memory ? memory.value() - a.value() : a.value() - memory.value();
    };
    const KnownDevice* best = nullptr;
    for (const KnownDevice& device : known) {
        if (!same_word(device.model, model) || device.memory.is_zero()) continue;
        if (distance(device.memory) > device.memory.value() / 100 * 7) continue;
        if (best == nullptr || distance(device.memory) < distance(best->memory)) best = &device;
    }
    if (best != nullptr) return best->memory;
    const auto half_more = checked_add(memory, mib(512));
    return half_more ? gib(div_floor(*half_more, gib(1).value()).value()) : memory;
}

std::vector<KnownDevice> devices_of_type(std::span<const KnownDevice> known,
                                         std::string_view type) {
    std::vector<KnownDevice> found;
    for (const KnownDevice& device : known) {
        const std::string size = std::to_string(device.memory.value() / gib(1).value());
        const bool is_meant = is_same_model(type, device.model) ||
                              is_same_model(type, device.model + size + "g") ||
                              is_same_model(type, device.model + size + "gb");
        if (is_meant) found.push_back(device);
    }
    return found;
}

std::string type_of(const KnownDevice& device) {
    std::string type = device.model;
    std::transform(type.begin(), type.end(), type.begin(), [](char c) { return lower(c); });
    return type;
}

}  // namespace trestle
