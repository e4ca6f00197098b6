// SPDX-License-Identifier: Apache-2.0
#include "directory_entries.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/errno_status.hpp"
#include "kernel_text.hpp"

namespace trestle::os::detail {

StatusOr<DirectoryReader> DirectoryReader::open(Kernel& kernel, int directory_fd,
                                                std::string shown_path) {
    // A descriptor of its own, because reading a directory moves the descriptor's position.
    Fd fd(kernel.openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd) return errno_status(errno, shown_path);
    return DirectoryReader(kernel, std::move(fd), std::move(shown_path));
}

StatusOr<std::vector<DirectoryEntry>> DirectoryReader::next() {
    std::vector<DirectoryEntry> entries;
    alignas(dirent64) std::array<char, 8192> part;
    while (entries.empty()) {
        const auto size =
            retried([&] { return kernel_->getdents64(fd_.get(), part.data(), part.size()); });
        if (size < 0) return errno_status(errno, shown_path_);
        if (size == 0) break;
        for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
            dirent64 entry;  // the kernel's struct linux_dirent64, of which it writes a part
            std::memcpy(&entry, part.data() + at, offsetof(dirent64, d_name));
            std::string name = part.data() + at + offsetof(dirent64, d_name);
            at += entry.d_reclen;
            if (name == "." || name == "..") continue;
            entries.push_back({std::move(name), entry.d_type});
        }
    }
    return entries;
}

StatusOr<std::vector<DirectoryEntry>> directory_entries(Kernel& kernel, int directory_fd,
                                                        const std::string& shown_path) {
    TRESTLE_TRY(DirectoryReader reader, DirectoryReader::open(kernel, directory_fd, shown_path));
    std::vector<DirectoryEntry> all;
    for (;;) {
        TRESTLE_TRY(auto some, reader.next());
        if (some.empty()) return all;
        std::move(some.begin(), some.end(), std::back_inserter(all));
    }
}

}  // namespace trestle::os::detail
