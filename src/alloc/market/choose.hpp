// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which blocks of a host a job gets: neighbours.
//
// Layer: alloc. Main function: choose_blocks. The order of choices is total: the fewest groups of
// NUMA-near cores, then the strongest links among all GPUs of the blocks, then the fewest free
// blocks left beside them in these groups, then the lowest blocks. The first is chosen.
// Pitfall: the third rule is what keeps free blocks together for the next job; it never parts
// linked GPUs.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/node/step_budget.hpp"
#include "trestle/alloc/market/offers/blocks.hpp"
#include "trestle/model/node.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

namespace detail {

/// How well some blocks go together; less is better.
struct BlockScore {
    std::uint32_t groups = 0;      ///< NUMA groups with a core of theirs
    std::uint64_t links_lost = 0;  ///< the largest number, less what their GPUs are linked by
    std::uint32_t left = 0;        ///< free blocks with a core in these groups that stay free

    friend auto operator<=>(const BlockScore&, const BlockScore&) = default;
};

/// The free blocks of a host, where they lie and what links them.
class BlockNeighbours {
  public:
    BlockNeighbours(const NodeShape& shape, const HostBlocks::Split& split, const BlockSet& free);

    [[nodiscard]] std::size_t size() const { return blocks_.size(); }
    [[nodiscard]] BlockId block(std::size_t at) const { return blocks_[at]; }
    [[nodiscard]] const SmallSet<>& groups_of(std::size_t at) const { return groups_[at]; }
    [[nodiscard]] const SmallSet<>& all_groups() const { return all_groups_; }
    [[nodiscard]] bool is_linked(std::size_t at) const { return linked_[at] != none; }
    /// Inside one block where both are the same.
    [[nodiscard]] std::uint64_t links(std::size_t a, std::size_t b) const;
    /// Free blocks with a core in one of `groups`.
    [[nodiscard]] std::uint32_t count_in(const SmallSet<>& groups) const;

  private:
    using Homes = std::vector<std::optional<std::size_t>>;

    /// Numbers the blocks with a link and keeps the links of these alone: hosts have far more CPUs
    /// to be blocks than linked GPUs.
    void add_links(const NodeShape& shape, const Homes& homes);
    /// The position of the block that has the device for itself, by DeviceId.
    [[nodiscard]] Homes homes_of_devices(const NodeShape& shape,
                                         const HostBlocks::Split& split) const;

    std::vector<BlockId> blocks_;
    std::vector<SmallSet<>> groups_;  ///< of each block
    SmallSet<> all_groups_;
    static constexpr std::size_t none = ~std::size_t{0};
    std::vector<std::size_t> linked_;  ///< of each block its row in links_, or none
    std::size_t linked_count_ = 0;
    std::vector<std::uint64_t> links_;  ///< row by row
};

/// Searches the best `count` of the blocks that lie in some groups, for the strongest links.
class LinkSearch {
  public:
    LinkSearch(const BlockNeighbours& host, std::vector<std::size_t> blocks, std::size_t count,
               StepBudget& budget)
        : host_(host), blocks_(std::move(blocks)), count_(count), budget_(budget) {}

    struct Answer {
        std::uint64_t links = 0;
        std::vector<std::size_t> blocks;  ///< rising
    };

    /// The lowest of the best. Requires: there are `count` blocks.
    [[nodiscard]] Answer best();

  private:
    [[nodiscard]] std::vector<std::size_t> linked_of(std::vector<std::size_t> blocks) const;
    [[nodiscard]] std::uint64_t links_of(const std::vector<std::size_t>& blocks) const;
    /// True when any choice is linked as well as another.
    [[nodiscard]] bool is_even() const;
    /// The most that the missing blocks can add, of those from `from` on: for each its links to
    /// the chosen ones and to itself, and its strongest ones to others that may come.
    [[nodiscard]] std::uint64_t bound(std::size_t from) const;
    [[nodiscard]] static std::uint64_t sum_of_most(std::vector<std::uint64_t> values,
                                                   std::size_t count);
    void extend(std::size_t from, std::uint64_t links);

    const BlockNeighbours& host_;
    std::vector<std::size_t> blocks_;
    std::size_t count_;
    StepBudget& budget_;
    std::vector<std::size_t> chosen_;
    Answer best_;
};

/// Goes through sets of groups, smallest first, until one holds enough blocks.
class BlockChoice {
  public:
    BlockChoice(const BlockNeighbours& host, std::size_t count, StepBudget budget)
        : host_(host), count_(count), budget_(budget) {}

    [[nodiscard]] BlockSet best();

  private:
    struct Missing {
        std::size_t from;
        std::size_t count;
    };
    struct Found {
        BlockScore score;
        std::vector<std::size_t> blocks;

        friend auto operator<=>(const Found&, const Found&) = default;
    };

    void try_groups(const std::vector<std::uint32_t>& groups, Missing missing,
                    const SmallSet<>& chosen);
    void try_blocks(const SmallSet<>& groups);

    const BlockNeighbours& host_;
    std::size_t count_;
    StepBudget budget_;
    std::optional<Found> found_;
};

}  // namespace detail

/// The best `count` of the free blocks, in the order that stands above. Exact for up to 20 million
/// looks at two blocks, of which no host with at most 16 GPUs and 8 NUMA groups needs that many;
/// then the best seen.
/// Requires: `free` are blocks of `split`, which is a split of `shape`, and at least `count` >= 1.
[[nodiscard]] BlockSet choose_blocks(const NodeShape& shape, const HostBlocks::Split& split,
                                     const BlockSet& free, Count count);

}  // namespace trestle
