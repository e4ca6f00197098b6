// SPDX-License-Identifier: Apache-2.0
#pragma once

// Display adapters that are no accelerators, though their vendors make some.
//
// Layer: os, private. Main function: is_plain_display. PCI numbers as in the PCI ID Repository
// (https://pci-ids.ucw.cz) and in the kernel's amdgpu and radeon drivers.

#include <cstdint>

namespace trestle::os::detail {

/// Where a PCI function is, and what it says it is.
struct DisplayFunction {
    std::uint16_t vendor_id = 0;
    std::uint16_t device_id = 0;
    std::uint16_t class_id = 0;
    bool is_integrated_place = false;  ///< 00:02.0, where Intel's processors have their graphics
};

/// True for graphics of a server's management controller (ATI ES1000, Rage XL), for graphics inside
/// of a processor (AMD Ryzen, Intel), and for cards from before GPUs were programmed.
[[nodiscard]] bool is_plain_display(const DisplayFunction& function);

}  // namespace trestle::os::detail
