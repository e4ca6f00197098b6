// SPDX-License-Identifier: Apache-2.0
#pragma once

// split: a machine cut into equal blocks, every unit named.
//
// Layer: alloc. Main functions: even_blocks (the largest number that divides evenly) and split.
// CPUs and GPUs must divide, kind by kind, so that there are never more blocks than GPUs; bytes and
// other devices are dealt evenly, and what is left over of them is listed.
// A reader would get wrong: a core is in one block with all its threads (look_at cuts cores only
// for blocks that were sold by the CPU); and a block's bytes are the same number whatever domain
// they lie in, near ones first.

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

namespace detail {

/// Cores that nobody can tell apart but by where they lie.
struct CoreKind {
    std::size_t threads = 0;  ///< of each
    std::uint32_t kind = 0;
    CoreSet cores;
};

/// What is given to work, by threads and kind, in the order of the lowest core.
[[nodiscard]] std::vector<CoreKind> core_kinds(const NodeShape& shape);

/// Consumed devices of equal name, type, vendor, model, memory and shares, in the order of their
/// lowest id.
[[nodiscard]] std::vector<std::vector<DeviceId>> device_kinds(const NodeShape& shape);

[[nodiscard]] inline bool is_divided(const NodeShape& shape, const std::vector<DeviceId>& kind) {
    return shape.devices[kind.front().value()].name == divided_devices;
}

/// What does not divide into `count` blocks, or nothing.
[[nodiscard]] std::optional<std::string> undivided(const NodeShape& shape, std::size_t count);

/// Deals the bytes of the domains of one pool: every block gets the same number. First from near
/// domains, blocks with the fewest near ones before others; then from the nearest that have some.
class MemoryDeal {
  public:
    MemoryDeal(const NodeShape& shape, std::vector<DomainId> pool, BlockSplit& split)
        : shape_(shape), pool_(std::move(pool)), split_(split) {}

    void deal();

  private:
    [[nodiscard]] std::size_t missing_count() const { return split_.blocks.size(); }
    [[nodiscard]] bool is_near(std::size_t block, std::size_t i) const {
        return shape_.memory[pool_[i].value()].cores.intersects(split_.blocks[block].cores);
    }
    [[nodiscard]] std::vector<std::size_t> by_near_domains() const;
    /// Positions in the pool, by the distance from the block's first near domain.
    [[nodiscard]] std::vector<std::size_t> by_distance(std::size_t block) const;
    void give(std::size_t block, std::size_t i);

    const NodeShape& shape_;
    std::vector<DomainId> pool_;
    BlockSplit& split_;
    std::vector<std::int64_t> left_;     ///< bytes by position in the pool
    std::vector<std::int64_t> missing_;  ///< bytes by block
};

/// Ordinary memory is one pool, as whoever asks for bytes gets any of it; each other kind is one.
void deal_memory(const NodeShape& shape, BlockSplit& split);

void deal_devices(const NodeShape& shape, BlockSplit& split);

}  // namespace detail

/// The largest number of equal blocks that a machine divides into, as of an offer: of its cores by
/// number of threads, and of its GPUs by model. Cores are not cut: a machine without GPUs has one
/// block a core at most. Requires: check(shape) is ok.
[[nodiscard]] Count even_blocks(const NodeShape& shape);

/// Cuts a machine into `blocks` equal parts; absent: into even_blocks(shape) of them. Each has the
/// same number of cores with the same threads, of bytes of ordinary memory, and of GPUs of each
/// model; the disk is shared. Cores lie in runs of the core order, GPUs of a block are the best
/// linked ones (device_groups.hpp), and both in the same order, so that near falls to near. Other
/// devices are dealt as far as they go round. `rest` has what does not go round: fewer bytes of
/// each pool than there are blocks, and devices that are no GPUs. A block with a failed device is
/// there, and is_usable says so. A Refusal (blocks) when there are no cores, `blocks` is zero, or
/// cores or GPUs do not divide; it says how many would. Requires: check(shape) is ok. Complexity:
/// cores times kinds, and for GPUs see device_groups.hpp.
[[nodiscard]] Verdict<BlockSplit> split(const NodeShape& shape,
                                        std::optional<Count> blocks = std::nullopt);

}  // namespace trestle
