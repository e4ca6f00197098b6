// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/offers/known_devices.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trestle {

namespace detail {

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

}  // namespace detail

const std::vector<KnownDevice>& known_devices() {
    static const std::vector<KnownDevice> devices = [] {
        std::vector<KnownDevice> all;
        all.reserve(detail::known_device_rows.size());
        for (const detail::KnownDeviceRow& row : detail::known_device_rows) {
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
    const std::vector<std::string_view> words = detail::words_of(name.substr(0, 256));
    const KnownDevice* best = nullptr;
    std::size_t longest = 0;
    for (std::size_t first = 0; first < words.size(); ++first) {
        if (same_word(words[first], "MIG")) return nullptr;
        std::string joined;
        for (std::size_t last = first; last < words.size() && joined.size() <= 32; ++last) {
            joined += words[last];
            if (joined.size() <= longest) continue;
            for (const KnownDevice& device : known) {
                if (!detail::is_same_model(joined, device.model)) continue;
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
        const bool is_meant = detail::is_same_model(type, device.model) ||
                              detail::is_same_model(type, device.model + size + "g") ||
                              detail::is_same_model(type, device.model + size + "gb");
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
