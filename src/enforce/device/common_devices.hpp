// SPDX-License-Identifier: Apache-2.0
#pragma once

// What two allow-lists have in common, for the moment between one filter and the next.
//
// Layer: enforce (private). Main functions: is_within, common_devices, every_device.
// Pitfall: both are on the safe side. is_within may say no where the numbers of a file are not
// known; common_devices may leave such a file out, but never admits too much.

#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/device/device_rules.hpp"

namespace trestle {

/// True when everything that `narrow` admits is admitted by `wide`. A file counts as another one's
/// equal by path, numbers and driver. O(n m).
[[nodiscard]] bool is_within(const DeviceAllowList& narrow, const DeviceAllowList& wide);

/// A list that admits nothing but what both admit: all of that, except what only the numbers of a
/// file could tell. Its order is that of `b`, then `a`. O(n m).
[[nodiscard]] DeviceAllowList common_devices(const DeviceAllowList& a, const DeviceAllowList& b);

/// A filter that admits every device: what a group with a filter gets in place of none.
[[nodiscard]] DeviceAllowList every_device();

}  // namespace trestle
