// SPDX-License-Identifier: Apache-2.0
#include "alloc/market/choose.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "model/core_groups.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/model/locality.hpp"

namespace trestle {

namespace detail {

BlockNeighbours::BlockNeighbours(const NodeShape& shape, const HostBlocks::Split& split,
                                 const BlockSet& free)
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

std::uint64_t BlockNeighbours::links(std::size_t a, std::size_t b) const {
    if (!is_linked(a) || !is_linked(b)) return 0;
    return links_[linked_[a] * linked_count_ + linked_[b]];
}

std::uint32_t BlockNeighbours::count_in(const SmallSet<>& groups) const {
    return static_cast<std::uint32_t>(
        std::count_if(groups_.begin(), groups_.end(),
                      [&](const SmallSet<>& one) { return one.intersects(groups); }));
}

void BlockNeighbours::add_links(const NodeShape& shape, const Homes& homes) {
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

BlockNeighbours::Homes BlockNeighbours::homes_of_devices(const NodeShape& shape,
                                                         const HostBlocks::Split& split) const {
    Homes homes(shape.devices.size());
    for (std::size_t at = 0; at < blocks_.size(); ++at) {
        for (const DeviceShare& share : split.blocks[blocks_[at].value()].devices) {
            const std::uint32_t device = share.device.value();
            if (shape.devices[device].is_consumed) homes[device] = at;
        }
    }
    return homes;
}

LinkSearch::Answer LinkSearch::best() {
    best_.blocks.assign(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(count_));
    best_.links = links_of(best_.blocks);
    if (!is_even()) extend(0, 0);
    return best_;
}

std::vector<std::size_t> LinkSearch::linked_of(std::vector<std::size_t> blocks) const {
    std::erase_if(blocks, [&](std::size_t at) { return !host_.is_linked(at); });
    return blocks;
}

std::uint64_t LinkSearch::links_of(const std::vector<std::size_t>& blocks) const {
    const std::vector<std::size_t> chosen = linked_of(blocks);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        for (std::size_t j = 0; j <= i; ++j) sum += host_.links(chosen[i], chosen[j]);
    }
    return sum;
}

bool LinkSearch::is_even() const {
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

std::uint64_t LinkSearch::bound(std::size_t from) const {
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

std::uint64_t LinkSearch::sum_of_most(std::vector<std::uint64_t> values, std::size_t count) {
    std::sort(values.rbegin(), values.rend());
    values.resize(std::min(count, values.size()));
    return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

void LinkSearch::extend(std::size_t from, std::uint64_t links) {
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

BlockSet BlockChoice::best() {
    const std::vector<std::uint32_t> groups(host_.all_groups().begin(), host_.all_groups().end());
    for (std::size_t size = 1; size <= groups.size() && !found_; ++size) {
        try_groups(groups, {0, size}, {});
    }
    // Also when no block has a core near anything, or the budget has ended.
    if (!found_) try_blocks(host_.all_groups());
    BlockSet blocks;
    for (const std::size_t at : found_->blocks) blocks.insert(host_.block(at));
    return blocks;
}

void BlockChoice::try_groups(const std::vector<std::uint32_t>& groups, Missing missing,
                             const SmallSet<>& chosen) {
    if (missing.count == 0) return try_blocks(chosen);
    for (std::size_t i = missing.from; i + missing.count <= groups.size(); ++i) {
        if (!budget_.spend(1 + (missing.count == 1 ? host_.size() : 0))) return;
        SmallSet<> wider = chosen;
        wider.insert(groups[i]);
        try_groups(groups, {i + 1, missing.count - 1}, wider);
    }
}

void BlockChoice::try_blocks(const SmallSet<>& groups) {
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

}  // namespace detail

BlockSet choose_blocks(const NodeShape& shape, const HostBlocks::Split& split, const BlockSet& free,
                       Count count) {
    TRESTLE_EXPECTS(!count.is_zero() && count <= Count(free.count()), "so many blocks are free");
    TRESTLE_EXPECTS(free.last()->value() < split.blocks.size(), "the blocks are the host's");
    if (count == Count(free.count())) return free;
    const detail::BlockNeighbours host(shape, split, free);
    return detail::BlockChoice(host, static_cast<std::size_t>(count.value()),
                               detail::StepBudget{20'000'000})
        .best();
}

}  // namespace trestle
