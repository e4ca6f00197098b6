// SPDX-License-Identifier: Apache-2.0
#pragma once

// The files that a child has from its parent, and is not to keep.
//
// Layer: os, private. Main function: close_files_from. For a child: it calls only what is safe
// after a fork in a threaded program.
// Pitfall: close_range(2) is refused on many kernels (before 5.9, and for CLOSE_RANGE_CLOEXEC
// before 5.11) and by old seccomp filters. Then /proc is asked.

namespace trestle::os::detail {

enum class CloseWhen { now, at_exec };

/// Closes every open file from `first` on, whatever the limit of open files is. False, with errno,
/// where that cannot be done: some may be open still.
[[nodiscard]] bool close_files_from(int first, CloseWhen when);

}  // namespace trestle::os::detail
