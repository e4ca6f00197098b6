// SPDX-License-Identifier: Apache-2.0
#pragma once

// The vendor profiles that standard_vendor_profiles() lists, one by one.
//
// Layer: enforce (private). Main functions: nvidia_profile to rdma_profile.

#include "trestle/enforce/device/vendor_profile.hpp"

namespace trestle {

/// NVIDIA: control, unified memory and modeset nodes. The majors of the uvm nodes are dynamic, and
/// the nodes appear at the first use of the driver (nvidia-modprobe).
[[nodiscard]] VendorProfile nvidia_profile();

/// AMD: the compute node that all GPUs share. The render node is the device's own file, and amdkfd
/// itself asks the filter for it (kfd_devcgroup_check_permission). What ROCR_VISIBLE_DEVICES leaves
/// is counted from 0 by the runtimes above it, which read GPU_DEVICE_ORDINAL (ROCm documentation,
/// GPU isolation techniques).
[[nodiscard]] VendorProfile amd_profile();

/// Intel: card and render node are the device's own files. The mask has numbers only.
[[nodiscard]] VendorProfile intel_profile();

/// Intel Gaudi: a node to control each card beside that to use it. The variable is read outside of
/// the job, by the vendor's container runtime, which knows all cards of the node.
[[nodiscard]] VendorProfile gaudi_profile();

/// AWS Neuron: the runtime counts cores, of which a device has several.
[[nodiscard]] VendorProfile neuron_profile();

/// What is reached through VFIO, as TPUs are since v5: the container that holds its groups. Older
/// TPUs need their own file alone. No variable is set: TPU_VISIBLE_CHIPS wants the shape of the
/// chips beside it, which the framework knows.
[[nodiscard]] VendorProfile vfio_profile();

/// Tenstorrent: the driver shares huge pages with the cards, where some are set aside.
[[nodiscard]] VendorProfile tenstorrent_profile();

/// RDMA adapters of any maker: connections are made through the one node that all of them share.
[[nodiscard]] VendorProfile rdma_profile();

}  // namespace trestle
