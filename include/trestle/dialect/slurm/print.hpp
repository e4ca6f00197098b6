// SPDX-License-Identifier: Apache-2.0
#pragma once

// A placement in Slurm's words: what each node gives, as `scontrol show job -d` prints it.
//
// Layer: dialect/slurm. Main type: NodeGrant; grant_of makes it of a placement, to_text prints it.
// A reader would get wrong: CPU ids are Slurm's abstract numbers (threads counted core by core),
// not the kernel's.

#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::slurm {

/// What a job has of one node.
struct NodeGrant {
    std::string node;  ///< its name
    PuSet cpu_ids;     ///< abstract, of whole cores
    Count cpus;        ///< that the job is charged for: fewer than cpu_ids where it uses fewer
    Bytes memory;
    std::vector<GresDetail> gres;

    static constexpr auto fields(auto list) {
        return list(field("node", &NodeGrant::node), field("cpu_ids", &NodeGrant::cpu_ids),
                    field("cpus", &NodeGrant::cpus), field("memory", &NodeGrant::memory),
                    field("gres", &NodeGrant::gres));
    }
    friend bool operator==(const NodeGrant&, const NodeGrant&) = default;
};

/// The devices of a placement by name and type, in the order of their ids. Indexes are given for
/// devices with files only; others are bare counts. A share of a device counts as the device.
/// Requires: the devices exist.
[[nodiscard]] std::vector<GresDetail> gres_of(const NodeShape& shape,
                                              const NodePlacement& placement);

/// The abstract numbers of the placement's hardware threads. Requires: the cores exist.
[[nodiscard]] PuSet cpu_ids(const NodeShape& shape, const NodePlacement& placement);

/// The placement in Slurm's words; it is charged for the threads that it uses (threads_of).
/// Requires: cores and devices exist on the node.
[[nodiscard]] NodeGrant grant_of(const Node& node, const NodePlacement& placement);

/// `Nodes=n1 CPU_IDs=0-7 Mem=32768 GRES=gpu:a100:2(IDX:0-1)`. Mem is MiB, rounded up; counters
/// print as `name(CNT:n)`.
[[nodiscard]] std::string to_text(const NodeGrant& grant);

}  // namespace trestle::slurm
