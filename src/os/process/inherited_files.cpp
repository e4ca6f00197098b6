// SPDX-License-Identifier: Apache-2.0
#include "inherited_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>

#include "../fd.hpp"

namespace trestle::os::detail {

namespace {

/// -1 for a name that is no number: `.` and `..`.
int number_of_file(const char* name) {
    int number = 0;
    for (; *name != '\0'; ++name) {
        if (*name < '0' || *name > '9') return -1;
        number = number * 10 + (*name - '0');
    }
    return number;
}

}  // namespace

bool close_files_from(int first, CloseWhen when) {
    constexpr unsigned close_range_cloexec = 4;
    const unsigned flags = when == CloseWhen::at_exec ? close_range_cloexec : 0;
    if (::syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, flags) == 0) return true;
    const Fd all(::open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!all) return false;
    alignas(dirent64) std::array<char, 1024> part;
    for (;;) {
        // The C library's readdir takes memory.
        const long size = ::syscall(SYS_getdents64, all.get(), part.data(), part.size());
        if (size <= 0) return size == 0;
        for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
            const int fd = number_of_file(part.data() + at + offsetof(dirent64, d_name));
            unsigned short length = 0;
            std::memcpy(&length, part.data() + at + offsetof(dirent64, d_reclen), sizeof length);
            at += length;
            if (fd < first || fd == all.get()) continue;
            if (when == CloseWhen::now) {
                ::close(fd);
            } else if (::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
                return false;
            }
        }
    }
}

}  // namespace trestle::os::detail
