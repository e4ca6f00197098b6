// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/device_match.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/words.hpp"

namespace trestle {

namespace detail {

std::optional<double> as_number(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::partial_ordering compare_values(std::string_view a, std::string_view b) {
    const auto x = as_number(a);
    const auto y = as_number(b);
    if (x && y) return *x <=> *y;
    return a <=> b;
}

}  // namespace detail

bool passes(const Device& device, const DeviceRequest::AttributeTest& test) {
    const auto at = std::find_if(
        device.attributes.begin(), device.attributes.end(),
        [&](const Device::Attribute& attribute) { return attribute.name == test.name; });
    if (at == device.attributes.end()) return false;
    const auto order = detail::compare_values(at->value, test.value);
    switch (test.comparison) {
        case DeviceRequest::AttributeTest::Comparison::equal:
            return order == 0;
        case DeviceRequest::AttributeTest::Comparison::not_equal:
            return order != 0;
        case DeviceRequest::AttributeTest::Comparison::less:
            return order < 0;
        case DeviceRequest::AttributeTest::Comparison::less_equal:
            return order <= 0;
        case DeviceRequest::AttributeTest::Comparison::greater:
            return order > 0;
        case DeviceRequest::AttributeTest::Comparison::greater_equal:
            return order >= 0;
    }
    return false;
}

std::optional<std::string_view> mismatch(const Device& device, const DeviceRequest& request) {
    const auto holds = [](const auto& list, const auto& same) {
        return list.empty() || std::any_of(list.begin(), list.end(), same);
    };
    if (device.name != request.name) return "name";
    if (!holds(request.types, [&](const std::string& t) { return t == device.type; })) {
        return "type";
    }
    if (!request.vendor.empty() && device.vendor != request.vendor) return "vendor";
    if (!holds(request.models, [&](const std::string& m) { return same_word(m, device.model); })) {
        return "model";
    }
    if (!request.memory.contains(device.memory)) return "memory";
    if (!request.compute_capability.is_open() &&
        (!device.compute_capability ||
         !request.compute_capability.contains(*device.compute_capability))) {
        return "compute_capability";
    }
    if (request.share_kind && *request.share_kind != device.share_kind) return "share_kind";
    if (!request.mig_profile.empty() && request.mig_profile != device.mig_profile) {
        return "mig_profile";
    }
    const bool passes_all =
        std::all_of(request.attributes.begin(), request.attributes.end(),
                    [&](const DeviceRequest::AttributeTest& test) { return passes(device, test); });
    return passes_all ? std::nullopt : std::optional<std::string_view>("attributes");
}

}  // namespace trestle
