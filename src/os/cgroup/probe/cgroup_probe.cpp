// SPDX-License-Identifier: Apache-2.0
#include "trestle/os/cgroup_probe.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "../../kernel_text.hpp"
#include "../devices/device_program.hpp"
#include "base/errno_status.hpp"
#include "base/join.hpp"
#include "capabilities.hpp"
#include "os/directory.hpp"

namespace trestle::os {

namespace {

using detail::GroupDirectory;

/// Why no group can be made below `directory`; empty when it can.
std::string obstacle(const std::string& directory, Kernel& kernel) {
    struct statfs about {};
    if (kernel.statfs(directory.c_str(), &about) != 0) {
        return std::string(message(errno_status(errno, directory)));
    }
    if (about.f_type != CGROUP2_SUPER_MAGIC) {
        return directory + " is no cgroup v2 file system (cgroup v1 or hybrid, or none)";
    }
    if ((static_cast<unsigned long>(about.f_flags) & ST_RDONLY) != 0) {
        return directory + " is mounted read-only";
    }
    for (const char* file : {"", "/cgroup.procs", "/cgroup.subtree_control"}) {
        const std::string path = directory + file;
        if (kernel.faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
            return fmt::format("{}: not writable by user {}, the group is not delegated", path,
                               ::geteuid());
        }
    }
    return {};
}

/// Why this is no host of cgroup v2 alone, whatever the one hierarchy of v2 has; empty when it is.
std::string hybrid_host(Kernel& kernel) {
    constexpr std::array limiting{"cpuset", "cpu",     "memory", "pids",
                                  "blkio",  "hugetlb", "rdma",   "misc"};
    const auto text = detail::read_file_at(kernel, AT_FDCWD, "/proc/cgroups", "/proc/cgroups");
    if (text.status().code() == StatusCode::kNotFound) return {};  // a kernel without cgroup v1
    if (!text.ok()) return std::string(message(text.status()));
    // net_cls and the like, which some mount beside v2, limit nothing here.
    auto held = detail::controllers_on_v1(*text);
    std::erase_if(held, [&](const std::string& name) {
        return std::find(limiting.begin(), limiting.end(), name) == limiting.end();
    });
    if (held.empty()) return {};
    return "cgroup v1 holds the controllers " + trestle::detail::join(held, ", ") +
           " (a hybrid host), expected all of them on cgroup v2";
}

std::string text_of_proc(const char* path) {
    auto text = detail::read_file_at(real_kernel(), AT_FDCWD, path, path);
    return text.ok() ? *std::move(text) : std::string();
}

/// True when groups below may have controllers while this process stays or moves one down.
bool has_room(const GroupDirectory& group) {
    if (!group.has("cgroup.type")) return true;  // the root, where processes are no obstacle
    const auto processes = group.read("cgroup.procs");
    if (!processes.ok()) return false;
    const auto pids = detail::pids_of(*processes);
    return pids.empty() || pids == std::vector<std::int64_t>{::getpid()};
}

}  // namespace

CgroupSupport probe_cgroup(const std::string& directory, Kernel& kernel) {
    CgroupSupport support;
    support.directory = directory;
    support.reason = obstacle(directory, kernel);
    if (support.reason.empty()) support.reason = hybrid_host(kernel);
    if (!support.reason.empty()) return support;
    const auto group = GroupDirectory::open(directory, kernel);
    const auto controllers = group.ok() ? group->read("cgroup.controllers") : group.status();
    if (!controllers.ok()) {
        support.reason = std::string(message(controllers.status()));
        return support;
    }
    std::vector<std::string> names = detail::words_of(*controllers);
    const bool has_any = std::any_of(names.begin(), names.end(), [](const std::string& name) {
        return name == "cpuset" || name == "cpu" || name == "memory" || name == "pids";
    });
    if (!has_any) {
        support.reason = directory +
                         " has none of the controllers cpuset, cpu, memory and pids"
                         " (they were not handed down)";
        return support;
    }
    support.is_usable = true;
    support.capabilities = detail::capabilities_below(*group);
    support.capabilities.controllers = std::move(names);
    support.capabilities.no_device_filter = std::string(message(detail::can_load_filters(kernel)));
    return support;
}

namespace {

/// As probe_cgroup, with the controllers that groups below can have in spite of other processes.
CgroupSupport probe_with_crowd(const std::string& directory) {
    CgroupSupport support = probe_cgroup(directory);
    const auto group = GroupDirectory::open(directory);
    if (!support.is_usable || !group.ok() || has_room(*group)) return support;
    const auto enabled = group->read("cgroup.subtree_control");
    support.capabilities.controllers =
        enabled.ok() ? detail::words_of(*enabled) : std::vector<std::string>();
    support.crowd = directory + " holds other processes beside this one";
    return support;
}

}  // namespace

CgroupSupport probe_cgroup() {
    const auto mount = detail::mount_of(text_of_proc("/proc/self/mountinfo"));
    const auto own = detail::group_of(text_of_proc("/proc/self/cgroup"));
    if (!mount) {
        CgroupSupport none;
        none.reason = "no cgroup v2 hierarchy is mounted";
        return none;
    }
    const auto directory = own ? detail::directory_of(*mount, *own) : std::nullopt;
    return probe_with_crowd(directory.value_or(mount->directory));
}

}  // namespace trestle::os
