// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/process/user.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

std::string to_text(const ProcessUser& user) {
    const auto list = [](const auto& values, const auto& print) {
        std::string text;
        for (const auto& value : values) text += (text.empty() ? "" : ",") + print(value);
        return text.empty() ? std::string("none") : text;
    };
    std::string text =
        fmt::format("uid={} gid={} groups={}", user.uid, user.gid,
                    list(user.groups, [](std::uint32_t gid) { return std::to_string(gid); }));
    if (user.capabilities) {
        text += " capabilities=" + list(*user.capabilities, [](ProcessUser::Capability one) {
                    return std::string(to_text(one));
                });
    }
    return user.no_new_privs ? text + " no_new_privs" : text;
}

Status check(const ProcessUser& user) {
    constexpr std::uint32_t none = 0xffff'ffff;  // to the kernel: leave it as it is
    constexpr std::size_t most_groups = 65536;
    if (user.uid == none) return invalid_argument("user: uid {} is none", user.uid);
    if (user.gid == none) return invalid_argument("user: gid {} is none", user.gid);
    if (user.groups.size() > most_groups) {
        return invalid_argument("user: {} supplementary groups, expected at most {}",
                                user.groups.size(), most_groups);
    }
    std::set<std::uint32_t> groups;
    for (const std::uint32_t group : user.groups) {
        if (group == none) return invalid_argument("user: supplementary group {} is none", group);
        if (!groups.insert(group).second) {
            return invalid_argument("user: supplementary group {} stands twice", group);
        }
    }
    std::set<ProcessUser::Capability> capabilities;
    for (const ProcessUser::Capability one :
         user.capabilities.value_or(std::vector<ProcessUser::Capability>())) {
        if (!capabilities.insert(one).second) {
            return invalid_argument("user: {} stands twice", to_text(one));
        }
    }
    return {};
}

}  // namespace trestle
