// SPDX-License-Identifier: Apache-2.0
#include "enforce/device/common_devices.hpp"

#include <algorithm>
#include <optional>

namespace trestle {

namespace detail {

DeviceAccess access_to(const DeviceAllowList& list, const DeviceRule& rule) {
    DeviceAccess access;
    for (const DeviceRule& one : list.rules.rules) {
        if (covers(one, rule)) access = access | one.access;
    }
    return access;
}

DeviceAccess access_to(const DeviceAllowList& list, const AllowedFile& file) {
    DeviceAccess access = access_to(list, rule_of_file(file));
    for (const AllowedFile& one : list.files) {
        if (one.file == file.file && one.driver == file.driver) access = access | one.access;
    }
    return access;
}

void add_common_files(const DeviceAllowList& list, const DeviceAllowList& other,
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

bool is_within(const DeviceAllowList& narrow, const DeviceAllowList& wide) {
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

DeviceAllowList common_devices(const DeviceAllowList& a, const DeviceAllowList& b) {
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

DeviceAllowList every_device() {
    DeviceAllowList list;
    for (const auto kind : {DeviceFile::Kind::character, DeviceFile::Kind::block}) {
        list.rules.add({kind, std::nullopt, std::nullopt, DeviceAccess::all()});
    }
    return list;
}

}  // namespace trestle
