// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a placement takes from a node's free units, where no row and no instance is concerned.
//
// Layer: alloc. Main functions: is_plain, can_take, take, give_back. The short road of commit and
// release: what is free is all that has to be known. Rows and instances, and the words of a
// refusal, need the owners: NodeLedger in alloc/node/node_ledger.hpp.
// Pitfall: can_take says no to some placements that NodeLedger would take, and yes to none that it
// would not; give_back believes that the placement was taken.

#include <cstddef>
#include <cstdint>

#include "alloc/cluster/states/node_classes.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

/// True when neither the placement nor the node knows of rows or instances.
[[nodiscard]] bool is_plain(const FreeState& free, const NodePlacement& placement);

[[nodiscard]] bool can_take_memory(const FreeState& free, const NodePlacement& placement);

[[nodiscard]] bool can_take_devices(const FreeState& free, const NodePlacement& placement);

/// True when all that the placement names is well formed and free. Requires: is_plain.
[[nodiscard]] bool can_take(const KnownClass& known, const FreeState& free,
                            const NodePlacement& placement);

/// Requires: can_take.
void take(const KnownClass& known, FreeState& free, const NodePlacement& placement);

/// Requires: is_plain, and that the placement was taken. Whether the node is idle now is for the
/// caller to say.
void give_back(const KnownClass& known, FreeState& free, const NodePlacement& placement);

/// The kind of job that so many devices make, whole ones or parts: see NodeStateData::kinds.
[[nodiscard]] std::uint64_t kind_of_job(std::size_t devices, bool takes_part);

/// The same of the job that holds the placement on its node.
[[nodiscard]] std::uint64_t kind_of(const KnownClass& known, const NodePlacement& placement);

}  // namespace trestle::detail
