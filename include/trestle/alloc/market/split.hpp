// SPDX-License-Identifier: Apache-2.0
#pragma once

// split: a machine cut into equal blocks, every unit named.
//
// Layer: alloc. Main functions: even_blocks (the largest number that divides evenly) and split.
// CPUs and GPUs must divide, kind by kind, so that there are never more blocks than GPUs. Bytes and
// other devices are dealt evenly, and what is left over of them is listed.
// Pitfall: a core is in one block with all its threads (look_at cuts cores only for blocks that
// were sold by the CPU). A block's bytes are the same number whatever domain they lie in, near ones
// first.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/market/blocks.hpp"
#include "trestle/alloc/market/offers/blocks.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/node.hpp"

namespace trestle {

/// The largest number of equal blocks that a machine divides into, as of an offer. They are equal
/// parts of its cores by number of threads, and of its GPUs by model. Cores are not cut: a machine
/// without GPUs has one block a core at most. Requires: check(shape) is ok.
[[nodiscard]] Count even_blocks(const NodeShape& shape);

/// Divides a machine into `blocks` equal parts; absent: into even_blocks(shape) of them. Each part
/// has the same number of cores with the same threads, of bytes of ordinary memory, and of GPUs of
/// each model. The disk is shared. Cores are consecutive. GPUs of a block are the best linked ones
/// (device_groups.hpp). Both are in the same order, so a block has cores near its GPUs. Other
/// devices are distributed as far as they divide. `rest` has what does not divide: fewer bytes of
/// each pool than there are blocks, and devices that are no GPUs. A block with a failed device
/// exists, and is_usable is false for it. A Refusal (blocks) when there are no cores, `blocks` is
/// zero, or cores or GPUs do not divide; it names numbers that would. Requires: check(shape) is ok.
/// Complexity: cores times kinds, and for GPUs see device_groups.hpp.
[[nodiscard]] Verdict<HostBlocks::Split> split(const NodeShape& shape,
                                               std::optional<Count> blocks = std::nullopt);

}  // namespace trestle
