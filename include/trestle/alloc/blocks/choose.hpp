// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which blocks of a host a job gets: neighbours.
//
// Layer: alloc. Main function: choose_blocks. The order of choices is total: the fewest groups of
// NUMA-near cores, then the strongest links among all GPUs of the blocks, then the fewest free
// blocks left beside them in these groups, then the lowest blocks. The first is chosen.
// A reader would get wrong: the third rule is what keeps free blocks together for the next job; it
// never parts linked GPUs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/alloc/blocks/detail/device_groups.hpp"
#include "trestle/alloc/detail/step_budget.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/model/blocks.hpp"
#include "trestle/model/locality.hpp"
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
    BlockNeighbours(const NodeShape& shape, const BlockSplit& split, const BlockSet& free)
        : blocks_(free.begin(), free.end()), linked_(blocks_.size(), none) {
        const std::vector<CoreSet> groups = core_groups(shape, HardwareLevel::numa);
        for (const BlockId block : blocks_) {
            SmallSet<> touched;
            for (std::uint32_t i = 0; i < groups.size(); ++i) {
                if (groups[i].intersects(split.blocks[block.value()].cores)) touched.insert(i);
            }
            all_groups_ |= touched;
            groups_.push_back(std::move(touched));
        }
        add_links(shape, homes_of_devices(shape, split));
    }

    [[nodiscard]] std::size_t size() const { return blocks_.size(); }
    [[nodiscard]] BlockId block(std::size_t at) const { return blocks_[at]; }
    [[nodiscard]] const SmallSet<>& groups_of(std::size_t at) const { return groups_[at]; }
    [[nodiscard]] const SmallSet<>& all_groups() const { return all_groups_; }
    [[nodiscard]] bool is_linked(std::size_t at) const { return linked_[at] != none; }
    /// Inside one block where both are the same.
    [[nodiscard]] std::uint64_t links(std::size_t a, std::size_t b) const {
        if (!is_linked(a) || !is_linked(b)) return 0;
        return links_[linked_[a] * linked_count_ + linked_[b]];
    }
    /// Free blocks with a core in one of `groups`.
    [[nodiscard]] std::uint32_t count_in(const SmallSet<>& groups) const {
        return static_cast<std::uint32_t>(
            std::count_if(groups_.begin(), groups_.end(),
                          [&](const SmallSet<>& one) { return one.intersects(groups); }));
    }

  private:
    using Homes = std::vector<std::optional<std::size_t>>;

    /// Numbers the blocks with a link and keeps the links of these alone: hosts have far more CPUs
    /// to be blocks than linked GPUs.
    void add_links(const NodeShape& shape, const Homes& homes) {
        const auto for_each_link = [&](const auto& visit) {
            for (const DeviceLink& link : shape.links) {
                const auto& a = homes[link.a.value()];
                const auto& b = homes[link.b.value()];
                if (a && b) visit(*a, *b, link.strength);
            }
        };
        for_each_link([&](std::size_t a, std::size_t b, std::uint64_t) {
            for (const std::size_t at : {a, b}) {
                if (!is_linked(at)) linked_[at] = linked_count_++;
            }
        });
        links_.resize(linked_count_ * linked_count_);
        for_each_link([&](std::size_t a, std::size_t b, std::uint64_t strength) {
            links_[linked_[a] * linked_count_ + linked_[b]] += strength;
            if (a != b) links_[linked_[b] * linked_count_ + linked_[a]] += strength;
        });
    }
    /// The position of the block that has the device for itself, by DeviceId.
    [[nodiscard]] Homes homes_of_devices(const NodeShape& shape, const BlockSplit& split) const {
        Homes homes(shape.devices.size());
        for (std::size_t at = 0; at < blocks_.size(); ++at) {
            for (const DeviceShare& share : split.blocks[blocks_[at].value()].devices) {
                const std::uint32_t device = share.device.value();
                if (shape.devices[device].is_consumed) homes[device] = at;
            }
        }
        return homes;
    }

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
    [[nodiscard]] Answer best() {
        best_.blocks.assign(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(count_));
        best_.links = links_of(best_.blocks);
        if (!is_even()) extend(0, 0);
        return best_;
    }

  private:
    [[nodiscard]] std::vector<std::size_t> linked_of(std::vector<std::size_t> blocks) const {
        std::erase_if(blocks, [&](std::size_t at) { return !host_.is_linked(at); });
        return blocks;
    }
    [[nodiscard]] std::uint64_t links_of(const std::vector<std::size_t>& blocks) const {
        const std::vector<std::size_t> chosen = linked_of(blocks);
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            for (std::size_t j = 0; j <= i; ++j) sum += host_.links(chosen[i], chosen[j]);
        }
        return sum;
    }
    /// True when any choice is linked as well as another.
    [[nodiscard]] bool is_even() const {
        const std::vector<std::size_t> linked = linked_of(blocks_);
        // One without links is as good as the others where these have none to each other.
        const bool is_all = linked.size() == blocks_.size();
        const std::uint64_t inside = is_all ? host_.links(linked[0], linked[0]) : 0;
        const std::uint64_t between =
            is_all && linked.size() > 1 ? host_.links(linked[0], linked[1]) : 0;
        for (const std::size_t a : linked) {
            for (const std::size_t b : linked) {
                if (host_.links(a, b) != (a == b ? inside : between)) return false;
            }
        }
        return true;
    }
    /// The most that the missing blocks can add, of those from `from` on: for each its links to
    /// the chosen ones and to itself, and its strongest ones to others that may come.
    [[nodiscard]] std::uint64_t bound(std::size_t from) const {
        const std::size_t missing = count_ - chosen_.size();
        std::vector<std::uint64_t> gains;
        for (std::size_t i = from; i < blocks_.size(); ++i) {
            std::uint64_t gain = 2 * host_.links(blocks_[i], blocks_[i]);
            for (const std::size_t one : chosen_) gain += 2 * host_.links(blocks_[i], one);
            std::vector<std::uint64_t> others;
            for (std::size_t j = from; j < blocks_.size(); ++j) {
                if (i != j) others.push_back(host_.links(blocks_[i], blocks_[j]));
            }
            gains.push_back(gain + sum_of_most(std::move(others), missing - 1));
        }
        return sum_of_most(std::move(gains), missing) / 2;
    }
    [[nodiscard]] static std::uint64_t sum_of_most(std::vector<std::uint64_t> values,
                                                   std::size_t count) {
        std::sort(values.rbegin(), values.rend());
        values.resize(std::min(count, values.size()));
        return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
    }
    void extend(std::size_t from, std::uint64_t links) {
        if (chosen_.size() == count_) {
            if (links > best_.links) best_ = {links, chosen_};
            return;
        }
        const std::size_t open = blocks_.size() - from;
        if (!budget_.spend(1 + open * (open + chosen_.size()))) return;
        if (links + bound(from) <= best_.links) return;
        for (std::size_t i = from; i + (count_ - chosen_.size()) <= blocks_.size(); ++i) {
            std::uint64_t more = links + host_.links(blocks_[i], blocks_[i]);
            for (const std::size_t one : chosen_) more += host_.links(blocks_[i], one);
            chosen_.push_back(blocks_[i]);
            extend(i + 1, more);
            chosen_.pop_back();
        }
    }

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

    [[nodiscard]] BlockSet best() {
        const std::vector<std::uint32_t> groups(host_.all_groups().begin(),
                                                host_.all_groups().end());
        for (std::size_t size = 1; size <= groups.size() && !found_; ++size) {
            try_groups(groups, {0, size}, {});
        }
        // Also when no block has a core near anything, or the budget has ended.
        if (!found_) try_blocks(host_.all_groups());
        BlockSet blocks;
        for (const std::size_t at : found_->blocks) blocks.insert(host_.block(at));
        return blocks;
    }

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
                    const SmallSet<>& chosen) {
        if (missing.count == 0) return try_blocks(chosen);
        for (std::size_t i = missing.from; i + missing.count <= groups.size(); ++i) {
            if (!budget_.spend(1 + (missing.count == 1 ? host_.size() : 0))) return;
            SmallSet<> wider = chosen;
            wider.insert(groups[i]);
            try_groups(groups, {i + 1, missing.count - 1}, wider);
        }
    }
    void try_blocks(const SmallSet<>& groups) {
        std::vector<std::size_t> inside;
        for (std::size_t i = 0; i < host_.size(); ++i) {
            if (groups.contains_all(host_.groups_of(i))) inside.push_back(i);
        }
        if (inside.size() < count_) return;
        const auto linked = static_cast<std::uint64_t>(std::count_if(
            inside.begin(), inside.end(), [&](std::size_t at) { return host_.is_linked(at); }));
        // Each look at all links costs as much; the lowest blocks where that is too much.
        LinkSearch::Answer answer;
        if (budget_.spend(linked * linked)) {
            answer = LinkSearch(host_, std::move(inside), count_, budget_).best();
        } else if (found_) {
            return;
        } else {
            inside.resize(count_);
            answer.blocks = std::move(inside);
        }
        Found found{{groups.count(), ~answer.links,
                     host_.count_in(groups) - static_cast<std::uint32_t>(count_)},
                    std::move(answer.blocks)};
        if (!found_ || found < *found_) found_ = std::move(found);
    }

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
[[nodiscard]] inline BlockSet choose_blocks(const NodeShape& shape, const BlockSplit& split,
                                            const BlockSet& free, Count count) {
    TRESTLE_EXPECTS(!count.is_zero() && count <= Count(free.count()), "so many blocks are free");
    TRESTLE_EXPECTS(free.last()->value() < split.blocks.size(), "the blocks are the host's");
    if (count == Count(free.count())) return free;
    const detail::BlockNeighbours host(shape, split, free);
    return detail::BlockChoice(host, static_cast<std::size_t>(count.value()),
                               detail::StepBudget{20'000'000})
        .best();
}

}  // namespace trestle
