// SPDX-License-Identifier: Apache-2.0
#pragma once

// A placement as `scontrol show job -d` prints it.
//
// Layer: dialect/slurm. Main name: job_detail.
// A reader would get wrong: CPU_IDs are Slurm's abstract numbers (threads counted core by core),
// not the kernel's.

#include <string>
#include <vector>

#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::slurm {

/// The devices of a placement by name and type, in the order of their ids. Indexes are given for
/// devices with files only; others are bare counts. A share of a device counts as the device.
/// Requires: the devices exist.
[[nodiscard]] std::vector<GresDetail> gres_of(const NodeShape& shape,
                                              const NodePlacement& placement);

/// The abstract numbers of the placement's hardware threads. Requires: the cores exist.
[[nodiscard]] PuSet cpu_ids(const NodeShape& shape, const NodePlacement& placement);

/// `Nodes=n1 CPU_IDs=0-7 Mem=32768 GRES=gpu:a100:2(IDX:0-1)`. Mem is MiB, rounded up; counters
/// print as `name(CNT:n)`. Requires: cores and devices exist on the node.
[[nodiscard]] std::string job_detail(const Node& node, const NodePlacement& placement);

}  // namespace trestle::slurm
