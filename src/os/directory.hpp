// SPDX-License-Identifier: Apache-2.0
#pragma once

// The directory of one control group: every file is reached from its descriptor.
//
// Layer: os, private. Main types: GroupDirectory, Deadline. Groups below are opened in one call
// that follows no link and crosses no mount (openat2, 5.6), else part by part without following a
// link, so that no path, however it changes meanwhile, leads out of the root.
// Pitfall: this knows directories and files only; it works on any file system.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "os/fd.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/os/kernel.hpp"

namespace trestle::os::detail {

/// A moment on the monotonic clock of the kernel.
class Deadline {
  public:
    /// Seconds::max() is never.
    [[nodiscard]] static Deadline in(Seconds seconds);
    /// Milliseconds until then, at most `most`; 0 when it has passed.
    [[nodiscard]] int left_ms(int most = 1 << 30) const;
    /// This moment, or `seconds` from now if that is earlier.
    [[nodiscard]] Deadline at_most(Seconds seconds) const;

  private:
    std::int64_t at_ms_ = 0;
};

/// The whole of a file, opened at `directory_fd`. The error names `shown_path`.
[[nodiscard]] StatusOr<std::string> read_file_at(Kernel& kernel, int directory_fd, const char* file,
                                                 const std::string& shown_path);

class GroupDirectory {
  public:
    /// `kernel` outlives the directory and all that are opened below it.
    [[nodiscard]] static StatusOr<GroupDirectory> open(const std::string& path,
                                                       Kernel& kernel = real_kernel());

    /// The group of this relative name; "" is this one again. Errors: NotFound.
    [[nodiscard]] StatusOr<GroupDirectory> below(std::string_view group) const;

    [[nodiscard]] Kernel& kernel() const { return *kernel_; }
    [[nodiscard]] int fd() const { return fd_.get(); }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] bool has(const char* file) const;

    [[nodiscard]] StatusOr<std::string> read(const std::string& file) const;
    /// One write(2), as the kernel's files want it.
    [[nodiscard]] Status write(const std::string& file, const std::string& value) const;

    /// Errors: AlreadyExists.
    [[nodiscard]] Status make(const std::string& name) const;
    /// Removes an empty group. Ok when it is gone already.
    [[nodiscard]] Status remove(const std::string& name) const;
    /// The names of the groups directly below, in order.
    [[nodiscard]] StatusOr<std::vector<std::string>> children() const;

    /// Waits until cgroup.events says `<key> <value>`.
    /// Errors: DeadlineExceeded; NotFound when the group goes away.
    [[nodiscard]] Status wait_for(const std::string& key, std::uint64_t value,
                                  Deadline deadline) const;

  private:
    GroupDirectory(Kernel& kernel, Fd fd, std::string path)
        : kernel_(&kernel), fd_(std::move(fd)), path_(std::move(path)) {}

    /// -1 and errno, as the calls have it.
    [[nodiscard]] int open_below(std::string_view group) const;
    /// `type` as getdents64(2) gives it, which some file systems leave open.
    [[nodiscard]] StatusOr<bool> is_directory(const std::string& name, unsigned char type) const;

    Kernel* kernel_;
    Fd fd_;
    std::string path_;
};

}  // namespace trestle::os::detail
