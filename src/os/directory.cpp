// SPDX-License-Identifier: Apache-2.0
#include "os/directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>
#include <limits>

#include "base/errno_status.hpp"
#include "os/directory_entries.hpp"
#include "os/kernel_text.hpp"

namespace trestle::os::detail {

namespace {

constexpr int directory_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;

std::int64_t now_ms() {
    struct timespec now {};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

/// The kernel says ENODEV for the files of a group that was removed while they were open.
Status file_error(const std::string& path) {
    return errno_status(errno == ENODEV ? ENOENT : errno, path);
}

/// As many parts of the name as the kernel takes in one path.
std::string_view first_piece(std::string_view group) {
    constexpr std::size_t most = PATH_MAX - 1;
    if (group.size() <= most) return group;
    return group.substr(0, group.rfind('/', most));
}

/// -1 and errno, as the calls have it.
int open_piece(Kernel& kernel, int at, std::string_view piece) {
    constexpr std::uint64_t inside =
        RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS;
    const int opened = kernel.openat2(at, std::string(piece).c_str(), directory_flags, inside);
    // EPERM: a seccomp filter that is older than the call.
    if (opened >= 0 || (errno != ENOSYS && errno != EPERM)) return opened;
    Fd fd;
    for (TextCursor cursor(piece); !cursor.at_end(); cursor.accept('/')) {
        const std::string part(cursor.take_until("/"));
        fd = Fd(kernel.openat(fd ? fd.get() : at, part.c_str(), directory_flags));
        if (!fd) return -1;
    }
    return fd.release();
}

}  // namespace

Deadline Deadline::in(Seconds seconds) {
    Deadline deadline;
    const auto wait_ms = checked_mul(seconds, 1000).value_or(Seconds::max()).value();
    const std::int64_t now = now_ms();
    deadline.at_ms_ = now + std::min(wait_ms, std::numeric_limits<std::int64_t>::max() - now);
    return deadline;
}

int Deadline::left_ms(int most) const {
    return static_cast<int>(std::clamp<std::int64_t>(at_ms_ - now_ms(), 0, most));
}

Deadline Deadline::at_most(Seconds seconds) const {
    const Deadline other = in(seconds);
    return other.at_ms_ < at_ms_ ? other : *this;
}

StatusOr<std::string> read_file_at(Kernel& kernel, int directory_fd, const char* file,
                                   const std::string& shown_path) {
    const Fd fd(kernel.openat(directory_fd, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd) return file_error(shown_path);
    std::string text;
    std::array<char, 4096> part;
    for (;;) {
        const auto size = retried([&] { return kernel.read(fd.get(), part.data(), part.size()); });
        if (size < 0) return file_error(shown_path);
        if (size == 0) return text;
        text.append(part.data(), static_cast<std::size_t>(size));
    }
}

StatusOr<GroupDirectory> GroupDirectory::open(const std::string& path, Kernel& kernel) {
    Fd fd(kernel.openat(AT_FDCWD, path.c_str(), directory_flags & ~O_NOFOLLOW));
    if (!fd) return errno_status(errno, path);
    return GroupDirectory(kernel, std::move(fd), path);
}

StatusOr<GroupDirectory> GroupDirectory::below(std::string_view group) const {
    if (group.empty()) {
        Fd fd(kernel_->openat(fd_.get(), ".", directory_flags));
        if (!fd) return errno_status(errno, path_);
        return GroupDirectory(*kernel_, std::move(fd), path_);
    }
    for (TextCursor cursor(group); !cursor.at_end(); cursor.accept('/')) {
        const std::string_view part = cursor.take_until("/");
        if (part.empty() || part == "." || part == "..") {
            return invalid_argument("{}: not a path below {}", group, path_);
        }
    }
    std::string path = path_ + "/" + std::string(group);
    Fd fd(open_below(group));
    if (!fd) return errno_status(errno, path);
    return GroupDirectory(*kernel_, std::move(fd), std::move(path));
}

int GroupDirectory::open_below(std::string_view group) const {
    Fd at;
    while (!group.empty()) {
        const std::string_view piece = first_piece(group);
        const int fd = open_piece(*kernel_, at ? at.get() : fd_.get(), piece);
        if (fd < 0) return -1;
        at = Fd(fd);
        group.remove_prefix(std::min(piece.size() + 1, group.size()));
    }
    return at.release();
}

bool GroupDirectory::has(const char* file) const {
    return kernel_->faccessat(fd_.get(), file, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

StatusOr<std::string> GroupDirectory::read(const std::string& file) const {
    return read_file_at(*kernel_, fd_.get(), file.c_str(), path_ + "/" + file);
}

Status GroupDirectory::write(const std::string& file, const std::string& value) const {
    const std::string path = path_ + "/" + file;
    const Fd fd(kernel_->openat(fd_.get(), file.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd) return file_error(path);
    const auto size = retried([&] { return kernel_->write(fd.get(), value.data(), value.size()); });
    if (size < 0) {
        // ENODEV may mean a device that the value names; if the group has gone, it is that.
        const int error = errno;
        return errno_status(error == ENODEV && !has("cgroup.procs") ? ENOENT : error, path);
    }
    if (static_cast<std::size_t>(size) != value.size()) return errno_status(EIO, path);
    return {};
}

Status GroupDirectory::make(const std::string& name) const {
    if (kernel_->mkdirat(fd_.get(), name.c_str(), 0755) == 0) return {};
    return errno_status(errno, path_ + "/" + name);
}

Status GroupDirectory::remove(const std::string& name) const {
    if (kernel_->unlinkat(fd_.get(), name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return {};
    return errno_status(errno, path_ + "/" + name);
}

StatusOr<bool> GroupDirectory::is_directory(const std::string& name, unsigned char type) const {
    if (type != DT_UNKNOWN) return type == DT_DIR;
    struct stat about {};
    if (kernel_->fstatat(fd_.get(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0) {
        return S_ISDIR(about.st_mode);
    }
    if (errno == ENOENT) return false;
    return errno_status(errno, path_ + "/" + name);
}

StatusOr<std::vector<std::string>> GroupDirectory::children() const {
    TRESTLE_TRY(const auto entries, directory_entries(*kernel_, fd_.get(), path_));
    std::vector<std::string> names;
    for (const DirectoryEntry& entry : entries) {
        TRESTLE_TRY(const bool is_group, is_directory(entry.name, entry.type));
        if (is_group) names.push_back(entry.name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

Status GroupDirectory::wait_for(const std::string& key, std::uint64_t value,
                                Deadline deadline) const {
    const std::string path = path_ + "/cgroup.events";
    const Fd fd(kernel_->openat(fd_.get(), "cgroup.events", O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd) return file_error(path);
    for (;;) {
        std::array<char, 256> text;
        const auto size =
            retried([&] { return kernel_->pread(fd.get(), text.data(), text.size(), 0); });
        if (size < 0) return file_error(path);
        const std::string_view events(text.data(), static_cast<std::size_t>(size));
        if (keyed_number(events, key) == value) return {};
        const int left = deadline.left_ms();
        if (left == 0) {
            return make_error(StatusCode::kDeadlineExceeded, "{}: waited too long for \"{} {}\"",
                              path, key, value);
        }
        // The kernel raises POLLPRI for every change since the last read, so none is missed.
        struct pollfd change {
            fd.get(), POLLPRI, 0
        };
        if (kernel_->poll(&change, 1, left) < 0 && errno != EINTR) return file_error(path);
    }
}

}  // namespace trestle::os::detail
