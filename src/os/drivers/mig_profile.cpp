// SPDX-License-Identifier: Apache-2.0
#include "mig_profile.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

namespace trestle::os::detail {

namespace {

constexpr bool is_profile_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '+';
}

constexpr std::int64_t divide_to_nearest(std::int64_t value, std::int64_t by) {
    return (value + by / 2) / by;
}

}  // namespace

std::string profile_in_model(std::string_view model) {
    constexpr std::string_view mark = " MIG ";
    const std::size_t at = model.rfind(mark);
    if (at == std::string_view::npos) return {};
    const std::string_view profile = model.substr(at + mark.size());
    const bool is_one = profile.size() <= 32 &&  // longer ones are no names
                        std::all_of(profile.begin(), profile.end(), is_profile_char);
    return is_one ? std::string(profile) : std::string();
}

std::string profile_name(const InstanceSize& size) {
    constexpr std::int64_t mib_most = std::int64_t{1} << 32;
    const std::int64_t part = size.memory.value() >> 20;
    const std::int64_t whole = size.gpu_memory.value() >> 20;
    if (size.gpu_slices == 0 || part <= 0 || whole < part || whole > mib_most) return {};
    const std::int64_t eighths = std::max<std::int64_t>(divide_to_nearest(part * 8, whole), 1);
    const std::int64_t gigabytes = divide_to_nearest(eighths * ((whole + 1023) / 1024), 8);
    const std::string name = fmt::format("{}g.{}gb", size.gpu_slices, gigabytes);
    const bool is_whole = size.compute_slices == 0 || size.compute_slices == size.gpu_slices;
    return is_whole ? name : fmt::format("{}c.{}", size.compute_slices, name);
}

}  // namespace trestle::os::detail
