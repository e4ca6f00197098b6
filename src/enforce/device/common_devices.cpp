// SPDX-License-Identifier: Apache-2.0
#include "enforce/device/common_devices.hpp"

#include <algorithm>
#include <optional>

namespace trestle {

namespace {

/// True when `wide` speaks of every device that `narrow` speaks of.
constexpr bool covers(const DeviceRule& wide, const DeviceRule& narrow) {
    return wide.kind == narrow.kind && (!wide.major || wide.major == narrow.major) &&
           (!wide.minor || wide.minor == narrow.minor);
}

/// The file as a rule; numbers that are not known are every one, which only an equally wide rule
/// covers.
constexpr DeviceRule rule_of_file(const DeviceAllowList::File& allowed) {
    return {allowed.file.kind, allowed.file.major, allowed.file.minor, allowed.access};
}

constexpr DeviceRule::Access both(DeviceRule::Access a, DeviceRule::Access b) {
    return DeviceRule::Access::of_bits(a.bits() & b.bits());
}

DeviceRule::Access access_to(const DeviceAllowList& list, const DeviceRule& rule) {
    DeviceRule::Access access;
    for (const DeviceRule& one : list.rules.rules) {
        if (covers(one, rule)) access = access | one.access;
    }
    return access;
}

DeviceRule::Access access_to(const DeviceAllowList& list, const DeviceAllowList::File& file) {
    DeviceRule::Access access = access_to(list, rule_of_file(file));
    for (const DeviceAllowList::File& one : list.files) {
        if (one.file == file.file && one.driver == file.driver) access = access | one.access;
    }
    return access;
}

/// Files of `list` with what `other` grants of them too. None has to exist for a moment in between.
void add_common_files(const DeviceAllowList& list, const DeviceAllowList& other,
                      DeviceAllowList& common) {
    for (const DeviceAllowList::File& file : list.files) {
        const DeviceRule::Access access = both(file.access, access_to(other, file));
        if (access.is_none()) continue;
        const auto at = std::find_if(common.files.begin(), common.files.end(),
                                     [&](const DeviceAllowList::File& one) {
                                         return one.file == file.file && one.driver == file.driver;
                                     });
        if (at == common.files.end()) {
            common.files.push_back(
                {file.file, access, DeviceAllowList::File::Presence::optional, file.driver});
        } else {
            at->access = at->access | access;
        }
    }
}

}  // namespace

bool is_within(const DeviceAllowList& narrow, const DeviceAllowList& wide) {
    const auto has = [&](DeviceRule::Access access, const auto& one) {
        return (access.bits() & ~access_to(wide, one).bits()) == 0;
    };
    for (const DeviceRule& rule : narrow.rules.rules) {
        if (!has(rule.access, rule)) return false;
    }
    for (const DeviceAllowList::File& file : narrow.files) {
        if (!has(file.access, file)) return false;
    }
    return true;
}

DeviceAllowList common_devices(const DeviceAllowList& a, const DeviceAllowList& b) {
    DeviceAllowList common;
    for (const DeviceRule& one : a.rules.rules) {
        for (const DeviceRule& other : b.rules.rules) {
            const DeviceRule::Access access = both(one.access, other.access);
            const bool is_first_narrow = covers(other, one);
            if (is_first_narrow) {
                common.rules.add({one.kind, one.major, one.minor, access});
            } else if (covers(one, other)) {
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
    add_common_files(b, a, common);
    add_common_files(a, b, common);
    return common;
}

DeviceAllowList every_device() {
    DeviceAllowList list;
    for (const auto kind : {Device::File::Kind::character, Device::File::Kind::block}) {
        list.rules.add({kind, std::nullopt, std::nullopt, DeviceRule::Access::all()});
    }
    return list;
}

}  // namespace trestle
