// SPDX-License-Identifier: Apache-2.0
#include "group_directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "../kernel_text.hpp"

namespace trestle::os::detail {

namespace {

std::int64_t now_ms() {
    struct timespec now {};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

/// The kernel says ENODEV for the files of a group that was removed while they were open.
Status file_error(const std::string& path) {
    return errno_status(errno == ENODEV ? ENOENT : errno, path);
}

}  // namespace

Deadline Deadline::in(Seconds seconds) {
    Deadline deadline;
    deadline.at_ms_ = now_ms() + (seconds * 1000).value();
    return deadline;
}

int Deadline::left_ms(int most) const {
    return static_cast<int>(std::clamp<std::int64_t>(at_ms_ - now_ms(), 0, most));
}

StatusOr<std::string> read_file_at(int directory_fd, const char* file,
                                   const std::string& shown_path) {
    const Fd fd(::openat(directory_fd, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd) return file_error(shown_path);
    std::string text;
    std::array<char, 4096> part;
    for (;;) {
        const auto size = retried([&] { return ::read(fd.get(), part.data(), part.size()); });
        if (size < 0) return file_error(shown_path);
        if (size == 0) return text;
        text.append(part.data(), static_cast<std::size_t>(size));
    }
}

StatusOr<GroupDirectory> GroupDirectory::open(const std::string& path) {
    Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return errno_status(errno, path);
    return GroupDirectory(std::move(fd), path);
}

StatusOr<GroupDirectory> GroupDirectory::below(std::string_view group) const {
    constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
    Fd at(::openat(fd_.get(), ".", flags));
    std::string path = path_;
    for (TextCursor cursor(group); at && !cursor.at_end(); cursor.accept('/')) {
        const std::string part(cursor.take_until("/"));
        path += "/" + part;
        if (part.empty() || part == "." || part == "..") {
            return invalid_argument("{}: not a path below {}", group, path_);
        }
        at = Fd(::openat(at.get(), part.c_str(), flags));
    }
    if (!at) return errno_status(errno, path);
    return GroupDirectory(std::move(at), std::move(path));
}

bool GroupDirectory::has(const char* file) const {
    return ::faccessat(fd_.get(), file, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

StatusOr<std::string> GroupDirectory::read(const std::string& file) const {
    return read_file_at(fd_.get(), file.c_str(), path_ + "/" + file);
}

Status GroupDirectory::write(const std::string& file, const std::string& value) const {
    const std::string path = path_ + "/" + file;
    const Fd fd(::openat(fd_.get(), file.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd) return file_error(path);
    const auto size = retried([&] { return ::write(fd.get(), value.data(), value.size()); });
    if (size < 0) return file_error(path);
    if (static_cast<std::size_t>(size) != value.size()) return errno_status(EIO, path);
    return {};
}

Status GroupDirectory::make(const std::string& name) const {
    if (::mkdirat(fd_.get(), name.c_str(), 0755) == 0) return {};
    return errno_status(errno, path_ + "/" + name);
}

Status GroupDirectory::remove(const std::string& name) const {
    if (::unlinkat(fd_.get(), name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return {};
    return errno_status(errno, path_ + "/" + name);
}

StatusOr<std::vector<std::string>> GroupDirectory::children() const {
    // A descriptor of its own, because reading a directory moves the descriptor's position.
    Fd fd(::openat(fd_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(fd ? ::fdopendir(fd.get()) : nullptr,
                                                        &::closedir);
    if (!directory) return errno_status(errno, path_);
    (void)fd.release();
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(directory.get())) {
        const std::string name = entry->d_name;
        struct stat about {};
        if (name == "." || name == ".." ||
            ::fstatat(fd_.get(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        if (S_ISDIR(about.st_mode)) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

Status GroupDirectory::wait_for(const std::string& key, std::uint64_t value,
                                Deadline deadline) const {
    const std::string path = path_ + "/cgroup.events";
    const Fd fd(::openat(fd_.get(), "cgroup.events", O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd) return file_error(path);
    for (;;) {
        std::array<char, 256> text;
        const auto size = retried([&] { return ::pread(fd.get(), text.data(), text.size(), 0); });
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
        if (::poll(&change, 1, left) < 0 && errno != EINTR) return file_error(path);
    }
}

}  // namespace trestle::os::detail
