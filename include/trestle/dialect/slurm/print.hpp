// SPDX-License-Identifier: Apache-2.0
#pragma once

// Use in Slurm's words. What each node gives to a job is printed as by `scontrol show job -d`. What
// is in use of a node is printed as GresUsed of `scontrol show node -d`.
//
// Layer: dialect/slurm. Main type: NodeGrant; grant_of makes it of a placement, to_text prints it,
// grant_lines those of a job, parse_grants reads a line; licenses_text, used_gres, used_gres_text.
// Pitfall: CPU ids are Slurm's abstract numbers (threads counted core by core), not the kernel's.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/alloc/node/free_state.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/model/cluster_count.hpp"
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
/// devices with files only; others are bare counts. Parts of a GPU that is cut into shards stand
/// behind, `shard:3(3/8,0/8)`, by all GPUs that are cut so. All parts of a GPU together are the
/// GPU. An instance of a device counts as the device. Requires: the devices exist.
[[nodiscard]] std::vector<GresDetail> gres_of(const NodeShape& shape,
                                              const NodePlacement& placement);

/// The abstract numbers of the placement's hardware threads. Requires: the cores exist.
[[nodiscard]] PuSet cpu_ids(const NodeShape& shape, const NodePlacement& placement);

/// The placement in Slurm's words; it is charged for the threads that it uses (threads_of).
/// Requires: cores and devices exist on the node.
[[nodiscard]] NodeGrant grant_of(const Node& node, const NodePlacement& placement);

/// `Nodes=n1 CPU_IDs=0-7 Mem=32768 GRES=gpu:a100:2(IDX:0-1)`. Mem is MiB, rounded up; counters
/// print as `name(CNT:n)`, a count of 0 as `name:0(IDX:)`.
[[nodiscard]] std::string to_text(const NodeGrant& grant);

/// The lines of a job as scontrol prints them, in the order of the grants: to_text() of each.
/// Neighbours that give the same stand in one, `Nodes=n[1-2] CPU_IDs=0 Mem=100 GRES=`.
[[nodiscard]] std::vector<std::string> grant_lines(std::span<const NodeGrant> grants);

/// The names of the nodes, sorted: `m,n[1-2]`. Where one is no name that a Hostlist can have
/// (empty, with a comma or a bracket) all stand as they are, apart by commas.
[[nodiscard]] std::string node_list_text(std::span<const NodeGrant> grants);

/// What a job has of the cluster: `matlab:2,natural(t[0-7]):1`.
[[nodiscard]] std::string licenses_text(std::span<const ClusterCount> licenses);
/// Reads licenses_text(), and LicensesAlloc= of scontrol, which has `;` for the comma. `(null)` and
/// an empty text are no licences; a name without a count is one licence.
/// Errors: InvalidArgument for a part without a name, and for a count that is no number.
[[nodiscard]] StatusOr<std::vector<ClusterCount>> parse_licenses(std::string_view text);

/// A line of grant_lines() read back, a grant for each node; keys in any order and with blanks in
/// front. `cpus` are those of the ids, GRES without any (`gpu:h100:0(IDX:)`) are left out. Errors:
/// InvalidArgument for a line without Nodes=, an unknown or repeated key, a malformed set or list,
/// and memory beyond 2^43 MiB. The same for more than 64 Mi characters and CPUs of all nodes
/// together.
[[nodiscard]] StatusOr<std::vector<NodeGrant>> parse_grants(std::string_view text);

/// What is in use of a node, by name and type, parts of GPUs last; names without use are listed
/// too. A GPU counts when it is given whole, or with all its parts, which then are `-/8`. A GPU
/// with some parts in use counts by its parts alone, and one with a held instance does not count.
/// What is not consumed counts 0. Slurm gives no indexes of devices without type and cores, and
/// counts 0 of names that the node lacks. Requires: the state is of a node of that shape.
[[nodiscard]] std::vector<GresDetail> used_gres(const NodeShape& shape, const FreeState& free);

/// The same as text: `gpu:a100:1(IDX:2),nic:0(IDX:N/A),lic:3,shard:a100:3(3/8,0/8,-/8)`.
/// parse_gres_used reads it back.
[[nodiscard]] std::string used_gres_text(const NodeShape& shape, const FreeState& free);

}  // namespace trestle::slurm
