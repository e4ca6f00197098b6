// SPDX-License-Identifier: Apache-2.0
#pragma once

// The owner of a scratch directory.
//
// Layer: os, private. Main types: ScratchOwner, ScratchRoot. A mark is a link in the folder
// `.trestle` of the root, with the name of the directory; what it points to is no path but names
// the maker of the directory. It is there before the directory and gone after it.
// Pitfall: not on the directory itself, which belongs to the job.

#include <string>
#include <string_view>
#include <vector>

#include "../fd.hpp"
#include "trestle/base/status.hpp"
#include "trestle/os/kernel.hpp"

namespace trestle::os::detail {

/// The maker of scratch directories: an enforcer, and its successors.
struct ScratchOwner {
    std::string boot;        ///< of the kernel, new with each
    std::string name_space;  ///< of control groups, in which `place` means something
    std::string host;
    std::string place;  ///< the directory of an enforcer's root group; else names a process

    /// This machine. What it does not have is `-`; what could not be read just now is an error,
    /// because a successor would not recognise what was made here.
    [[nodiscard]] static StatusOr<ScratchOwner> at(Kernel& kernel, std::string place);
    /// The one whose root group has this open directory; `shown` where /proc is not there.
    /// Errors: as at().
    [[nodiscard]] static StatusOr<ScratchOwner> of(Kernel& kernel, int directory_fd,
                                                   const std::string& shown);
    /// One without successors.
    [[nodiscard]] static ScratchOwner nobody_after(std::string place);

    /// `<boot> <name space> <host> <place>`.
    [[nodiscard]] std::string mark() const;
    /// True when what bears this mark was made here, by this enforcer or one before it. In the time
    /// of one boot that is by the name space: two containers may both have the root /sys/fs/cgroup,
    /// and one host name. Of an earlier boot nothing runs, and name spaces have other numbers.
    [[nodiscard]] bool has_made(std::string_view mark) const;
};

/// The folder for scratch directories, and their maker. An empty path: nowhere.
struct ScratchRoot {
    std::string path;
    ScratchOwner owner;
    Kernel& kernel;
};

/// True when the mark `name` is in `root` and the owner's own, false when there is none.
/// Errors: AlreadyExists when another owner has it.
[[nodiscard]] StatusOr<bool> check_mark(Kernel& kernel, const Fd& root, const std::string& name,
                                        const ScratchOwner& owner);

/// Sets the mark `name` in `root`: true; false when it is there already and the owner's own.
/// Errors: AlreadyExists when another owner has it.
[[nodiscard]] StatusOr<bool> set_mark(Kernel& kernel, const Fd& root, const std::string& name,
                                      const ScratchOwner& owner);

/// Takes it away, and the folder of marks with the last one.
[[nodiscard]] Status remove_mark(Kernel& kernel, const Fd& root, const std::string& name);

/// The names of all marks of the owner, in order.
[[nodiscard]] StatusOr<std::vector<std::string>> own_marks(Kernel& kernel, const Fd& root,
                                                           const ScratchOwner& owner);

}  // namespace trestle::os::detail
