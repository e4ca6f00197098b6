// SPDX-License-Identifier: Apache-2.0
#include "capabilities.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <limits>
#include <optional>
#include <system_error>

namespace trestle::os::detail {

namespace {

/// Names in a folder of the kernel's; none where it does not exist.
std::vector<std::string> names_in(const char* path) {
    std::vector<std::string> names;
    DIR* folder = ::opendir(path);
    if (folder == nullptr) return names;
    while (const dirent* entry = ::readdir(folder)) names.emplace_back(entry->d_name);
    ::closedir(folder);
    return names;
}

/// The directory and the first group below it that is still there.
std::vector<GroupDirectory> places_to_look(const GroupDirectory& group) {
    std::vector<GroupDirectory> places;
    if (auto self = group.below(""); self.ok()) places.push_back(*std::move(self));
    const auto children = group.children();
    if (!children.ok()) return places;
    for (const std::string& child : *children) {
        auto below = group.below(child);
        if (!below.ok()) continue;
        places.push_back(*std::move(below));
        break;
    }
    return places;
}

/// clone3 exists and is not forbidden to us: it refuses a size of 0 by name.
bool has_clone3(Kernel& kernel) { return kernel.clone3(nullptr, 0) == -1 && errno == EINVAL; }

}  // namespace

KernelVersion kernel_version(std::string_view release) {
    KernelVersion version;
    const char* end = release.data() + release.size();
    const auto major = std::from_chars(release.data(), end, version.major);
    if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return {};
    const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
    return minor.ec == std::errc() ? version : KernelVersion{};
}

std::vector<Bytes> huge_page_sizes(const std::vector<std::string>& names) {
    constexpr std::string_view prefix = "hugepages-", suffix = "kB";
    std::vector<Bytes> sizes;
    for (const std::string& name : names) {
        if (!name.starts_with(prefix) || !name.ends_with(suffix)) continue;
        const char* last = name.data() + name.size() - suffix.size();
        std::int64_t kilobytes = 0;
        const auto read = std::from_chars(name.data() + prefix.size(), last, kilobytes);
        if (read.ec != std::errc() || read.ptr != last || kilobytes <= 0) continue;
        if (const auto size = checked_mul(kib(1), kilobytes)) sizes.push_back(*size);
    }
    std::sort(sizes.begin(), sizes.end());
    return sizes;
}

bool has_swap_space(std::string_view proc_swaps) {
    const auto heading = proc_swaps.find('\n');
    return heading != proc_swaps.npos && heading + 1 < proc_swaps.size();
}

Capabilities capabilities_below(const GroupDirectory& group) {
    Capabilities found;
    utsname names{};
    if (::uname(&names) == 0) found.kernel = names.release;
    const KernelVersion kernel = kernel_version(found.kernel);
    const auto places = places_to_look(group);
    const auto offers = [&](const char* file, KernelVersion since) {
        const bool is_seen =
            std::any_of(places.begin(), places.end(),
                        [&](const GroupDirectory& place) { return place.has(file); });
        return is_seen || kernel >= since;
    };
    constexpr KernelVersion no_version{std::numeric_limits<int>::max(), 0};
    const auto proc_swaps = read_file_at(group.kernel(), AT_FDCWD, "/proc/swaps", "/proc/swaps");
    found.is_delegated = group.has("cgroup.type");
    found.has_kill = offers("cgroup.kill", {5, 14});
    found.has_peak = offers("memory.peak", {5, 19});
    found.can_reset_peak = kernel >= KernelVersion{6, 12};
    found.has_exclusive_cpus = offers("cpuset.cpus.exclusive", {6, 7});
    // Only the top of the hierarchy has no such files of its own.
    found.can_limit_swap =
        offers("memory.swap.max", no_version) || (!found.is_delegated && proc_swaps.ok());
    found.has_swap = proc_swaps.ok() && has_swap_space(*proc_swaps);
    found.has_pressure =
        group.kernel().faccessat(AT_FDCWD, "/proc/pressure/cpu", F_OK, AT_EACCESS) == 0;
    const auto asked = group.kernel().fgetxattr(group.fd(), "user.trestle.owner", nullptr, 0);
    found.has_user_xattrs = asked >= 0 || errno == ENODATA;
    found.has_io_weight =
        std::any_of(places.begin(), places.end(), [](const GroupDirectory& place) {
            return place.has("io.weight") || place.has("io.cost.qos");
        });
    found.huge_page_sizes = huge_page_sizes(names_in("/sys/kernel/mm/hugepages"));
    found.has_hugetlb_reservation = kernel >= KernelVersion{5, 7};
    found.can_start_inside = kernel >= KernelVersion{5, 7} && has_clone3(group.kernel());
    return found;
}

}  // namespace trestle::os::detail
