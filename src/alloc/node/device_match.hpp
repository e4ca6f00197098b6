// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether one device has the properties that a request names; counts and use play no part.
//
// Layer: alloc. Main function: mismatch(device, request), which gives the first property that
// differs, in the order name, type, vendor, model, memory, compute capability, share kind, MIG
// profile, attributes.
// Pitfall: models compare without regard to case, types and names with it, as the two systems that
// they come from do.

#include <compare>
#include <optional>
#include <string_view>

#include "trestle/model/device.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

namespace detail {

/// A finite decimal number, all of the text. `nan` and `inf` are texts: nan would differ from
/// itself.
[[nodiscard]] std::optional<double> as_number(std::string_view text);

[[nodiscard]] std::partial_ordering compare_values(std::string_view a, std::string_view b);

}  // namespace detail

/// True when the device's attribute passes the test.
[[nodiscard]] bool passes(const Device& device, const DeviceRequest::AttributeTest& test);

/// The name of the first property in which `device` is not what `request` wants; nothing when it
/// is. Health and drain marks are not looked at.
[[nodiscard]] std::optional<std::string_view> mismatch(const Device& device,
                                                       const DeviceRequest& request);

}  // namespace trestle
