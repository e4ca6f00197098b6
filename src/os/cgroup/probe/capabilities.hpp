// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the kernel offers groups below a directory, by looking only.
//
// Layer: os, private. Main names: capabilities_below, is_kernel_from, huge_page_sizes_in.

#include <string>
#include <string_view>
#include <vector>

#include "os/directory.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/capabilities.hpp"

namespace trestle::os::detail {

/// The first two numbers of a kernel's version.
struct KernelVersion {
    int major = 0;
    int minor = 0;

    friend auto operator<=>(const KernelVersion&, const KernelVersion&) = default;
};

/// Of `6.12.117-amd64`; 0.0 for another text.
[[nodiscard]] KernelVersion kernel_version(std::string_view release);

/// The sizes in names like `hugepages-2048kB`, rising; other names are passed over.
[[nodiscard]] std::vector<Bytes> huge_page_sizes(const std::vector<std::string>& names);

/// True when /proc/swaps has a line below its heading.
[[nodiscard]] bool has_swap_space(std::string_view proc_swaps);

/// All but the controllers and the device filter, which the caller knows already.
[[nodiscard]] Capabilities capabilities_below(const GroupDirectory& group);

}  // namespace trestle::os::detail
