// SPDX-License-Identifier: Apache-2.0
#pragma once

// What two allow-lists have in common, for the moment between one filter and the next.
//
// Layer: enforce. Main functions: is_within, common_devices.
// A reader would get wrong: both are on the safe side. is_within may say no where the numbers of a
// file are not known; common_devices may leave such a file out, but never admits too much.

#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/device/device_rules.hpp"

namespace trestle {

namespace detail {

/// True when `wide` speaks of every device that `narrow` speaks of.
[[nodiscard]] constexpr bool covers(const DeviceRule& wide, const DeviceRule& narrow) {
    return wide.kind == narrow.kind && (!wide.major || wide.major == narrow.major) &&
           (!wide.minor || wide.minor == narrow.minor);
}

/// The file as a rule; numbers that are not known are every one, which only an equally wide rule
/// covers.
[[nodiscard]] constexpr DeviceRule rule_of_file(const AllowedFile& allowed) {
    return {allowed.file.kind, allowed.file.major, allowed.file.minor, allowed.access};
}

[[nodiscard]] DeviceAccess access_to(const DeviceAllowList& list, const DeviceRule& rule);

[[nodiscard]] DeviceAccess access_to(const DeviceAllowList& list, const AllowedFile& file);

[[nodiscard]] constexpr DeviceAccess both(DeviceAccess a, DeviceAccess b) {
    return DeviceAccess::of_bits(a.bits() & b.bits());
}

/// Files of `list` with what `other` grants of them too. None has to exist for a moment in between.
void add_common_files(const DeviceAllowList& list, const DeviceAllowList& other,
                      DeviceAllowList& common);

}  // namespace detail

/// True when everything that `narrow` admits is admitted by `wide`. A file counts as another one's
/// equal by path, numbers and driver. O(n m).
[[nodiscard]] bool is_within(const DeviceAllowList& narrow, const DeviceAllowList& wide);

/// A list that admits nothing but what both admit: all of that, except what only the numbers of a
/// file could tell. Its order is that of `b`, then `a`. O(n m).
[[nodiscard]] DeviceAllowList common_devices(const DeviceAllowList& a, const DeviceAllowList& b);

/// A filter that keeps nobody from anything, which is how a group with a filter goes without.
[[nodiscard]] DeviceAllowList every_device();

}  // namespace trestle
