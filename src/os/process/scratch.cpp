// SPDX-License-Identifier: Apache-2.0
#include "scratch.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "../directory_entries.hpp"
#include "../fd.hpp"
#include "base/errno_status.hpp"
#include "enforce/process/scratch_names.hpp"
#include "os/directory.hpp"
#include "trestle/base/text.hpp"
#include "trestle/enforce/process/scratch.hpp"

namespace trestle::os::detail {

namespace {

constexpr int scratch_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// The directory of this name in `above`, which is neither a link nor a mount. Before Linux 5.6 a
/// mount shows by another device number only.
Fd open_inside(Kernel& kernel, int above, const std::string& name) {
    constexpr std::uint64_t inside_only = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH;
    Fd fd(kernel.openat2(above, name.c_str(), scratch_flags, inside_only));
    if (fd || (errno != ENOSYS && errno != EPERM)) return fd;
    fd = Fd(kernel.openat(above, name.c_str(), scratch_flags));
    struct stat outside {};
    struct stat inside {};
    if (!fd) return fd;
    if (kernel.fstatat(above, "", &outside, AT_EMPTY_PATH) != 0 ||
        kernel.fstatat(fd.get(), "", &inside, AT_EMPTY_PATH) != 0) {
        const int number = errno;
        fd = Fd();
        errno = number;
        return fd;
    }
    if (outside.st_dev == inside.st_dev) return fd;
    errno = EXDEV;
    return Fd();
}

/// EXDEV and EBUSY mean the same here.
Status mounted_there(int number, const std::string& path) {
    return failed_precondition("{}: a file system is mounted there, it is left",
                               message(errno_status(number, path)));
}

/// As open_inside; a directory whose owner may not enter or change it is opened up first. That is
/// only for embedders that are no root, whose job is of the same user.
Fd open_for_removal(Kernel& kernel, int above, const std::string& name) {
    Fd fd = open_inside(kernel, above, name);
    if (!fd && errno == EACCES) {
        const Fd path(
            kernel.openat(above, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        const std::string shown = "/proc/self/fd/" + std::to_string(path.get());
        if (!path || kernel.fchmodat(AT_FDCWD, shown.c_str(), 0700) != 0) {
            errno = EACCES;
            return Fd();
        }
        fd = open_inside(kernel, above, name);
    }
    if (fd) (void)kernel.fchmod(fd.get(), 0700);
    return fd;
}

/// Empties one scratch directory.
class ScratchRemoval {
  public:
    ScratchRemoval(Kernel& kernel, const Fd& top, std::string shown)
        : kernel_(kernel), top_(top), shown_(std::move(shown)) {}

    /// Looks again as long as something was moved up, or written meanwhile.
    [[nodiscard]] Status empty(Deadline deadline) {
        for (bool is_empty = false; !is_empty;) {
            is_empty = true;
            TRESTLE_TRY_STATUS(for_each_entry(top_, deadline, [&](const std::string& name) {
                is_empty = false;
                return remove_from_top(name, deadline);
            }));
        }
        return {};
    }

  private:
    /// Few at a time: a job may leave more names than there is memory, or than time. The first
    /// error, after the others; that of the clock at once.
    template <class Visit>
    [[nodiscard]] Status for_each_entry(const Fd& directory, Deadline deadline, Visit visit) {
        TRESTLE_TRY(DirectoryReader reader,
                    DirectoryReader::open(kernel_, directory.get(), shown_));
        Status first;
        for (;;) {
            TRESTLE_TRY(const auto entries, reader.next());
            if (entries.empty()) return first;
            if (has_begun_ && deadline.left_ms() == 0) {
                TRESTLE_TRY_STATUS(first);
                return make_error(StatusCode::kDeadlineExceeded,
                                  "{}: there is more than could be removed in time", shown_);
            }
            has_begun_ = true;
            for (const DirectoryEntry& entry : entries) {
                const Status visited = visit(entry.name);
                if (first.ok()) first = visited;
            }
        }
    }

    /// 0 where it is gone, ENOTEMPTY for a directory with something in it, else errno.
    [[nodiscard]] int unlink(const Fd& directory, const std::string& name) {
        if (kernel_.unlinkat(directory.get(), name.c_str(), 0) == 0 || errno == ENOENT) return 0;
        if (errno != EISDIR && errno != EPERM) return errno;
        const int first = errno;
        if (kernel_.unlinkat(directory.get(), name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) {
            return 0;
        }
        if (errno == EEXIST) return ENOTEMPTY;
        return errno == ENOTDIR ? first : errno;
    }

    [[nodiscard]] Status error(int number, const std::string& name) const {
        const std::string path = shown_ + "/" + trestle::detail::quoted(name);
        if (number == EXDEV || number == EBUSY) {
            return mounted_there(number, path);
        }
        return errno_status(number, path);
    }

    [[nodiscard]] Status remove_from_top(const std::string& name, Deadline deadline) {
        int number = unlink(top_, name);
        if (number == 0) return {};
        if (number != ENOTEMPTY) return error(number, name);
        const Fd inside = open_for_removal(kernel_, top_.get(), name);
        if (!inside) return error(errno, name);
        TRESTLE_TRY_STATUS(for_each_entry(inside, deadline, [&](const std::string& one) {
            int left = unlink(inside, one);
            if (left == ENOTEMPTY) left = move_up(inside, one);
            return left == 0 ? Status() : error(left, one);
        }));
        number = unlink(top_, name);
        return number == 0 || number == ENOTEMPTY ? Status() : error(number, name);
    }

    /// Under a name that nothing has there. To be moved, a directory has to be writable itself.
    [[nodiscard]] int move_up(const Fd& inside, const std::string& name) {
        {
            const Fd opened = open_for_removal(kernel_, inside.get(), name);
            if (!opened) return errno;
        }
        for (;;) {
            const std::string free_name = "moved-up-" + std::to_string(moved_++);
            if (kernel_.renameat2(inside.get(), name.c_str(), top_.get(), free_name.c_str(),
                                  1U /* RENAME_NOREPLACE */) == 0) {
                return 0;
            }
            if (errno == ENOENT) return 0;
            if (errno != EEXIST) return errno;
        }
    }

    Kernel& kernel_;
    const Fd& top_;
    std::string shown_;
    std::uint64_t moved_ = 0;
    bool has_begun_ = false;  ///< the first few go whatever the clock says
};

/// The root of scratch directories, in which no other user can make or rename anything.
StatusOr<Fd> open_root(Kernel& kernel, const std::string& root) {
    Fd fd(kernel.openat(AT_FDCWD, root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return errno_status(errno, root);
    struct stat about {};
    if (kernel.fstatat(fd.get(), "", &about, AT_EMPTY_PATH) != 0) return errno_status(errno, root);
    const bool is_foreign = about.st_uid != 0 && about.st_uid != ::geteuid();
    // Sticky or not: the owner of a directory, here the job, may rename it.
    if (is_foreign || (about.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return failed_precondition(
            "{}: others may write there, expected a folder that only the embedder may write", root);
    }
    return fd;
}

Status remove_one(Kernel& kernel, const Fd& root, const std::string& name, const std::string& shown,
                  Deadline deadline) {
    const Fd top = open_for_removal(kernel, root.get(), name);
    if (!top && errno == ENOENT) return {};
    if (!top && (errno == ELOOP || errno == ENOTDIR)) {
        if (kernel.unlinkat(root.get(), name.c_str(), 0) == 0 || errno == ENOENT) return {};
        return errno_status(errno, shown);
    }
    if (!top && errno == EXDEV) {
        return mounted_there(errno, shown);
    }
    if (!top) return errno_status(errno, shown);
    for (;;) {
        TRESTLE_TRY_STATUS(ScratchRemoval(kernel, top, shown).empty(deadline));
        if (kernel.unlinkat(root.get(), name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT)
            return {};
        const bool is_late = errno == ENOTEMPTY || errno == EEXIST;
        if (!is_late || deadline.left_ms() == 0) return errno_status(errno, shown);
    }
}

}  // namespace

Status make_scratch(const std::string& group, const Scratch::Directory& scratch,
                    const ScratchRoot& root) {
    if (root.path.empty() || scratch.root != root.path) {
        return failed_precondition("{}: the enforcer's scratch_root is {}", scratch.path(),
                                   root.path.empty() ? "not set" : root.path);
    }
    if (scratch.name.empty() || scratch.name != scratch_name(group)) {
        return invalid_argument("{}: expected the name {}", scratch.path(), scratch_name(group));
    }
    const std::string path = scratch.path();
    Kernel& kernel = root.kernel;
    TRESTLE_TRY(const Fd above, open_root(kernel, root.path));
    // A mark beside a directory of another owner would claim it if the process ended here.
    struct stat about {};
    if (kernel.fstatat(above.get(), scratch.name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0) {
        const auto marked = check_mark(kernel, above, scratch.name, root.owner);
        if (!marked.ok()) return with_context(path, marked.status());
        return errno_status(EEXIST, path);
    }
    if (errno != ENOENT) return errno_status(errno, path);
    const auto marked = set_mark(kernel, above, scratch.name, root.owner);
    if (!marked.ok()) return with_context(path, marked.status());
    if (kernel.mkdirat(above.get(), scratch.name.c_str(), 0700) != 0) {
        const Status status = errno_status(errno, path);
        if (*marked) (void)remove_mark(kernel, above, scratch.name);
        return status;
    }
    const Fd made(kernel.openat(above.get(), scratch.name.c_str(), scratch_flags));
    constexpr auto same = static_cast<uid_t>(-1);
    if (made && kernel.fchmod(made.get(), 0700) == 0 &&
        kernel.fchown(made.get(), scratch.uid.value_or(same), scratch.gid.value_or(same)) == 0) {
        return {};
    }
    const Status status = errno_status(errno, path);
    if (kernel.unlinkat(above.get(), scratch.name.c_str(), AT_REMOVEDIR) == 0) {
        (void)remove_mark(kernel, above, scratch.name);
    }
    return status;
}

Status check_no_scratch(const ScratchRoot& root, const std::string& group) {
    TRESTLE_TRY(const auto left, scratch_groups(root));
    if (!std::binary_search(left.begin(), left.end(), group)) return {};
    return make_error(StatusCode::kAlreadyExists,
                      "{}: its scratch directory is left from before; remove the group first",
                      group);
}

StatusOr<std::vector<std::string>> scratch_groups(const ScratchRoot& root) {
    std::vector<std::string> groups;
    if (root.path.empty()) return groups;
    auto above = open_root(root.kernel, root.path);
    if (above.status().code() == StatusCode::kNotFound) return groups;
    TRESTLE_TRY_STATUS(above.status());
    TRESTLE_TRY(const auto names, own_marks(root.kernel, *above, root.owner));
    for (const std::string& name : names) groups.push_back(group_of_scratch_name(name));
    std::sort(groups.begin(), groups.end());
    return groups;
}

Status remove_scratch(const ScratchRoot& root, const std::string& group, Seconds patience) {
    if (root.path.empty()) return {};
    const std::string own = scratch_name(group);
    const std::string below = own + std::string(scratch_separator);
    auto above = open_root(root.kernel, root.path);
    if (above.status().code() == StatusCode::kNotFound) return {};
    TRESTLE_TRY_STATUS(above.status());
    TRESTLE_TRY(const auto names, own_marks(root.kernel, *above, root.owner));
    const Deadline deadline = Deadline::in(patience);
    for (const std::string& name : names) {
        if (name != own && !name.starts_with(below)) continue;
        const std::string shown = root.path + (root.path.ends_with('/') ? "" : "/") + name;
        TRESTLE_TRY_STATUS(with_context("scratch directory is left",
                                        remove_one(root.kernel, *above, name, shown, deadline)));
        TRESTLE_TRY_STATUS(remove_mark(root.kernel, *above, name));
    }
    return {};
}

}  // namespace trestle::os::detail
