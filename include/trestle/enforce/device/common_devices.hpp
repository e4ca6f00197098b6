// SPDX-License-Identifier: Apache-2.0
#pragma once

// What two allow-lists have in common, for the moment between one filter and the next.
//
// Layer: enforce. Main functions: is_within, common_devices.
// A reader would get wrong: both are on the safe side. is_within may say no where the numbers of a
// file are not known; common_devices may leave such a file out, but never admits too much.

#include <algorithm>
#include <optional>

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

[[nodiscard]] inline DeviceAccess access_to(const DeviceAllowList& list, const DeviceRule& rule) {
    DeviceAccess access;
    for (const DeviceRule& one : list.rules.rules) {
        if (covers(one, rule)) access = access | one.access;
    }
    return access;
}

[[nodiscard]] inline DeviceAccess access_to(const DeviceAllowList& list, const AllowedFile& file) {
    DeviceAccess access = access_to(list, rule_of_file(file));
    for (const AllowedFile& one : list.files) {
        if (one.file == file.file && one.driver == file.driver) access = access | one.access;
    }
    return access;
}

[[nodiscard]] constexpr DeviceAccess both(DeviceAccess a, DeviceAccess b) {
    return DeviceAccess::of_bits(a.bits() & b.bits());
}

/// Files of `list` with what `other` grants of them too. None has to exist for a moment in between.
inline void add_common_files(const DeviceAllowList& list, const DeviceAllowList& other,
                             DeviceAllowList& common) {
    for (const AllowedFile& file : list.files) {
        const DeviceAccess access = both(file.access, access_to(other, file));
        if (access.is_none()) continue;
        const auto at =
            std::find_if(common.files.begin(), common.files.end(), [&](const AllowedFile& one) {
                return one.file == file.file && one.driver == file.driver;
            });
        if (at == common.files.end()) {
            common.files.push_back({file.file, access, Presence::optional, file.driver});
        } else {
            at->access = at->access | access;
        }
    }
}

}  // namespace detail

/// True when everything that `narrow` admits is admitted by `wide`. A file counts as another one's
/// equal by path, numbers and driver. O(n m).
[[nodiscard]] inline bool is_within(const DeviceAllowList& narrow, const DeviceAllowList& wide) {
    const auto has = [&](DeviceAccess access, const auto& one) {
        return (access.bits() & ~detail::access_to(wide, one).bits()) == 0;
    };
    for (const DeviceRule& rule : narrow.rules.rules) {
        if (!has(rule.access, rule)) return false;
    }
    for (const AllowedFile& file : narrow.files) {
        if (!has(file.access, file)) return false;
    }
    return true;
}

/// A list that admits nothing but what both admit: all of that, except what only the numbers of a
/// file could tell. Its order is that of `b`, then `a`. O(n m).
[[nodiscard]] inline DeviceAllowList common_devices(const DeviceAllowList& a,
                                                    const DeviceAllowList& b) {
    DeviceAllowList common;
    for (const DeviceRule& one : a.rules.rules) {
        for (const DeviceRule& other : b.rules.rules) {
            const DeviceAccess access = detail::both(one.access, other.access);
            const bool is_first_narrow = detail::covers(other, one);
            if (is_first_narrow) {
                common.rules.add({one.kind, one.major, one.minor, access});
            } else if (detail::covers(one, other)) {
                common.rules.add({one.kind, other.major, other.minor, access});
            } else if (one.kind == other.kind && !one.major && one.minor && other.major &&
                       !other.minor) {
                common.rules.add({one.kind, other.major, one.minor, access});
            } else if (one.kind == other.kind && one.major && !one.minor && !other.major &&
                       other.minor) {
                common.rules.add({one.kind, one.major, other.minor, access});
            }
        }
    }
    detail::add_common_files(b, a, common);
    detail::add_common_files(a, b, common);
    return common;
}

/// A filter that keeps nobody from anything, which is how a group with a filter goes without.
[[nodiscard]] inline DeviceAllowList every_device() {
    DeviceAllowList list;
    for (const auto kind : {DeviceFile::Kind::character, DeviceFile::Kind::block}) {
        list.rules.add({kind, std::nullopt, std::nullopt, DeviceAccess::all()});
    }
    return list;
}

}  // namespace trestle
