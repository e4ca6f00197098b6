// SPDX-License-Identifier: Apache-2.0
#pragma once

// Taking blocks of an instance, giving them back, and what they are.
//
// Layer: alloc. Main functions: look_at (an instance and the machine behind it), offer_of,
// usable_blocks, take_blocks, give_back_blocks, share_of.
// Pitfall: nothing is counted. To give blocks back, name the blocks and the owner. Giving them back
// twice, or giving back blocks of another owner, is an error.

#include <optional>

#include "trestle/alloc/market/offers/blocks.hpp"
#include "trestle/alloc/market/offers/instance.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle {

/// Gives an instance the description of its machine. The resources of its offer become those of the
/// machine, and its blocks become exact cores, bytes and devices. The offer keeps its names for
/// GPUs if the machine has as many, kind by kind, because price lists name models as users do.
/// Owners keep their blocks, by number. `blocks` divides it anew; absent: into as many as it has.
/// Offers count CPUs and have no cores. If the cores do not divide into the blocks but the CPUs do,
/// cores are cut. The instance's shape is then with_granularity(shape, thread), and two blocks may
/// share a core. Cores that divide stay whole.
/// Errors: InvalidArgument when the machine does not divide, with a number that would.
/// FailedPrecondition, naming an owner, when it is divided anew while a block has an owner. Nothing
/// changes then.
[[nodiscard]] Status look_at(Instance& instance, Shared<NodeShape> shape,
                             std::optional<Count> blocks = std::nullopt);

/// The free blocks that can be had: none with a failed or drained device.
[[nodiscard]] BlockSet usable_blocks(const Instance& instance);

/// True while the instance takes new work: running or being made, reachable, not failed.
[[nodiscard]] bool takes_work(const Instance& instance);

/// The instance as an offer. It is idle while a block of it can be had, and busy when none can. It
/// is not_available when it takes no work at all.
[[nodiscard]] Offer offer_of(const Instance& instance);

/// The best `count` of the usable blocks (choose_blocks); the lowest if the machine was not
/// inspected. A Refusal (blocks) when there are not so many. Requires: check(instance) is ok; count
/// >= 1.
[[nodiscard]] Verdict<BlockSet> choose_blocks(const Instance& instance, Count count);

/// Gives the blocks to `owner`, in addition to what the owner has.
/// Errors: InvalidArgument for a block that does not exist, or none at all. FailedPrecondition,
/// naming the block and its owner, for one that is not free, or with a failed device. Nothing
/// changes then.
[[nodiscard]] Status take_blocks(Instance& instance, const BlockSet& blocks, OwnerId owner);

/// Takes the blocks back from `owner`.
/// Errors: InvalidArgument as above; FailedPrecondition, naming the block and its owner, for one
/// that `owner` does not have. Nothing changes then.
[[nodiscard]] Status give_back_blocks(Instance& instance, const BlockSet& blocks, OwnerId owner);

/// The resources of these blocks of the instance, free or not: exact if the machine is known, else
/// as the offer has them. Requires: check(instance) is ok; the blocks exist, one or more.
[[nodiscard]] Instance::Share share_of(const Instance& instance, const BlockSet& blocks);

}  // namespace trestle
