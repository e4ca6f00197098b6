// SPDX-License-Identifier: Apache-2.0
#include "directory_entries.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "fd.hpp"
#include "kernel_text.hpp"

namespace trestle::os::detail {

StatusOr<std::vector<DirectoryEntry>> directory_entries(Kernel& kernel, int directory_fd,
                                                        const std::string& shown_path) {
    // A descriptor of its own, because reading a directory moves the descriptor's position.
    const Fd fd(kernel.openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd) return errno_status(errno, shown_path);
    std::vector<DirectoryEntry> entries;
    alignas(dirent64) std::array<char, 8192> part;
    for (;;) {
        const auto size =
            retried([&] { return kernel.getdents64(fd.get(), part.data(), part.size()); });
        if (size < 0) return errno_status(errno, shown_path);
        if (size == 0) return entries;
        for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
            dirent64 entry;  // the kernel's struct linux_dirent64, of which it writes a part
            std::memcpy(&entry, part.data() + at, offsetof(dirent64, d_name));
            std::string name = part.data() + at + offsetof(dirent64, d_name);
            at += entry.d_reclen;
            if (name == "." || name == "..") continue;
            entries.push_back({std::move(name), entry.d_type});
        }
    }
}

}  // namespace trestle::os::detail
