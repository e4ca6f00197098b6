// SPDX-License-Identifier: Apache-2.0
#include "label.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>

#include "base/errno_status.hpp"
#include "enforce/detail/owner_label.hpp"

namespace trestle::os::detail {

namespace {

constexpr const char* label_name = "user.trestle.owner";

}  // namespace

Status write_label(const GroupDirectory& group, OwnerId owner) {
    const std::string value = std::to_string(owner.value());
    if (group.kernel().fsetxattr(group.fd(), label_name, value.data(), value.size(), 0) == 0) {
        return {};
    }
    return errno_status(errno, fmt::format("{}: cannot set {}", group.path(), label_name));
}

std::optional<OwnerId> read_label(const GroupDirectory& group) {
    std::array<char, 32> text{};  // longer than any number; the kernel refuses to cut
    const auto size = group.kernel().fgetxattr(group.fd(), label_name, text.data(), text.size());
    if (size < 0) return std::nullopt;
    return owner_of_label({text.data(), static_cast<std::size_t>(size)});
}

}  // namespace trestle::os::detail
