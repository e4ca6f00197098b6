// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compute partitions of AMD's GPUs, as the kernel lists them.
//
// Layer: os, private. Main function: kfd_partitions. A GPU in CPX mode is one PCI function and six
// nodes of /sys/class/kfd/kfd/topology/nodes, each with a render node of its own.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "os/system_root.hpp"

namespace trestle::os::detail {

/// The number N of /dev/dri/renderN of each partition, in the order of the kernel's nodes, by the
/// place of the GPU (`0000:02:00`, without its function, which numbers partitions on old kernels).
[[nodiscard]] std::map<std::string, std::vector<std::uint32_t>> kfd_partitions(
    const SystemRoot& root);

/// `0000:02:00` of `0000:02:00.0`.
[[nodiscard]] std::string place_without_function(const std::string& bus_id);

}  // namespace trestle::os::detail
