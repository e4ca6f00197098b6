// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/sets/node_calendar.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "trestle/set/detail/bits.hpp"

namespace trestle {

namespace detail {

std::int64_t count_of(NodeWords bits) {
    constexpr std::size_t words_max = 31;  // of eight bits a byte, a byte holds no more
    constexpr std::uint64_t even_bytes = 0x00ff00ff00ff00ffULL;
    std::int64_t count = 0;
    while (!bits.empty()) {
        const NodeWords some = bits.first(std::min(bits.size(), words_max));
        bits = bits.subspan(some.size());
        std::uint64_t bytes = 0;
        for (const std::uint64_t word : some) bytes += byte_counts(word);
        const std::uint64_t pairs = (bytes & even_bytes) + (bytes >> 8 & even_bytes);
        count += static_cast<std::int64_t>(pairs * 0x0001000100010001ULL >> 48);
    }
    return count;
}

void keep_lowest(std::span<std::uint64_t> bits, std::int64_t wanted) {
    for (std::uint64_t& word : bits) {
        const std::int64_t count = wanted > 0 ? count_bits(word) : 0;
        if (count > wanted) {
            word &= low_bits(select_bit(word, static_cast<std::uint32_t>(wanted)));
        } else if (count == 0) {
            word = 0;
        }
        wanted -= std::min(wanted, count);
    }
}

void insert_run(NodeBits& bits, std::uint32_t first, std::uint32_t end) {
    while (first < end) {
        const std::uint32_t bit = first % 64;
        const std::uint32_t count = std::min(end - first, 64 - bit);
        bits[first / 64] |= ~std::uint64_t{0} >> (64 - count) << bit;
        first += count;
    }
}

void NodeCalendar::reset(std::uint32_t node_count, Instant now) {
    node_count_ = node_count;
    words_ = (std::size_t{node_count} + 63) / 64;
    moments_ = 1;
    now_ = now;
    Block all;
    all.at = {now};
    all.free = {std::int64_t{node_count}};
    all.sets.resize(words_);
    insert_run(all.sets, 0, node_count);
    all.pending.resize(words_);
    blocks_.assign(1, std::move(all));
    heads_.resize(1);
    sum_up(0);
}

void NodeCalendar::set_now(Instant now) {
    now_ = now;
    const Place first = place_of(now);
    for (std::size_t i = 0; i < first.block; ++i) moments_ -= blocks_[i].size();
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(first.block));
    heads_.erase(heads_.begin(), heads_.begin() + static_cast<std::ptrdiff_t>(first.block));
    Block& block = blocks_.front();
    const auto gone = static_cast<std::ptrdiff_t>(first.row);
    if (gone > 0) {
        moments_ -= first.row;
        push_down(block);
        block.at.erase(block.at.begin(), block.at.begin() + gone);
        block.free.erase(block.free.begin(), block.free.begin() + gone);
        block.sets.erase(block.sets.begin(),
                         block.sets.begin() + gone * static_cast<std::ptrdiff_t>(words_));
        sum_up(0);
    }
    block.at.front() = now;
    heads_.front().first = now;
}

NodeCalendar::Place NodeCalendar::next(Place place) const {
    if (++place.row < blocks_[place.block].size()) return place;
    return {place.block + 1, 0};
}

NodeCalendar::Place NodeCalendar::place_of(Instant at) const {
    // The last that is not behind, without a branch that depends on what is compared.
    const auto last_of = [&](std::size_t size, const auto& moment_at) {
        std::size_t last = 0;
        for (std::size_t rest = size; rest > 1;) {
            const std::size_t half = rest / 2;
            last += moment_at(last + half) <= at ? half : 0;
            rest -= half;
        }
        return last;
    };
    const std::size_t block =
        last_of(heads_.size(), [&](std::size_t one) { return heads_[one].first; });
    const auto& rows = blocks_[block].at;
    return {block, last_of(rows.size(), [&](std::size_t row) { return rows[row]; })};
}

NodeCalendar::Place NodeCalendar::enter(Instant moment) {
    const Place found = place_of(moment);
    if (at(found) == moment) return found;
    if (enter_behind(found, moment)) return {found.block, found.row + 1};
    return place_of(moment);
}

bool NodeCalendar::enter_behind(const Place& place, Instant moment) {
    Block& block = blocks_[place.block];
    const auto row = static_cast<std::ptrdiff_t>(place.row);
    const auto words = static_cast<std::ptrdiff_t>(words_);
    block.at.insert(block.at.begin() + row + 1, moment);
    block.free.insert(block.free.begin() + row + 1, block.free[place.row]);
    block.sets.resize(block.sets.size() + words_);
    std::copy_backward(block.sets.begin() + row * words, block.sets.end() - words,
                       block.sets.end());
    ++moments_;
    if (block.size() <= moments_max) return true;
    split(place.block);
    return false;
}

void NodeCalendar::split(std::size_t which) {
    push_down(blocks_[which]);
    Block& block = blocks_[which];
    const auto half = static_cast<std::ptrdiff_t>(block.size() / 2);
    const auto words = static_cast<std::ptrdiff_t>(words_);
    Block second;
    second.at.assign(block.at.begin() + half, block.at.end());
    second.free.assign(block.free.begin() + half, block.free.end());
    second.sets.assign(block.sets.begin() + half * words, block.sets.end());
    second.pending.resize(words_);
    block.at.erase(block.at.begin() + half, block.at.end());
    block.free.erase(block.free.begin() + half, block.free.end());
    block.sets.erase(block.sets.begin() + half * words, block.sets.end());
    const auto behind = static_cast<std::ptrdiff_t>(which) + 1;
    blocks_.insert(blocks_.begin() + behind, std::move(second));
    heads_.insert(heads_.begin() + behind, Head());
    sum_up(which);
    sum_up(which + 1);
}

void NodeCalendar::push_down(Block& block) const {
    if (block.taken == 0) return;
    for (std::size_t row = 0; row < block.size(); ++row) {
        std::uint64_t* const set = &block.sets[row * words_];
        for (std::size_t i = 0; i < words_; ++i) set[i] &= ~block.pending[i];
        block.free[row] -= block.taken;
    }
    block.pending.assign(words_, 0);
    block.taken = 0;
}

NodeCalendar::Head NodeCalendar::head_of(const Block& block) const {
    const auto [least, most] = std::minmax_element(block.free.begin(), block.free.end());
    return {block.at.front(), *most - block.taken, *least - block.taken};
}

void NodeCalendar::sum_up(std::size_t which) {
    Block& block = blocks_[which];
    heads_[which] = head_of(block);
    block.always.assign(block.sets.begin(),
                        block.sets.begin() + static_cast<std::ptrdiff_t>(words_));
    for (std::size_t row = 1; row < block.size(); ++row) {
        const std::uint64_t* const set = &block.sets[row * words_];
        for (std::size_t i = 0; i < words_; ++i) block.always[i] &= set[i];
    }
    for (std::size_t i = 0; i < words_; ++i) block.always[i] &= ~block.pending[i];
}

void NodeCalendar::take(NodeWords nodes, const Period& period) {
    if (period.end != end_of_time) enter(period.end);
    take_from(enter(period.first), period.end, nodes);
}

void NodeCalendar::take(NodeWords nodes, const Found& found) {
    const Instant end = found.period.end;
    Place from = found.from;
    if (end != end_of_time && (is_end(found.to) || at(found.to) != end)) {
        const Place before =
            found.to.row > 0 ? Place{found.to.block, found.to.row - 1}
                             : Place{found.to.block - 1, blocks_[found.to.block - 1].size() - 1};
        if (!enter_behind(before, end)) from = place_of(found.period.first);
    }
    take_from(from, end, nodes);
}

void NodeCalendar::take_from(Place from, Instant end, NodeWords nodes) {
    const std::int64_t count = count_of(nodes);
    for (; !is_end(from) && at(from) < end; from = {from.block + 1, 0}) {
        Block& block = blocks_[from.block];
        Head& head = heads_[from.block];
        for (std::size_t i = 0; i < words_; ++i) block.always[i] &= ~nodes[i];
        if (from.row == 0 && block.at.back() < end) {
            for (std::size_t i = 0; i < words_; ++i) block.pending[i] |= nodes[i];
            block.taken += count;
            head.most -= count;
            head.least -= count;
            continue;
        }
        bool is_most = false;
        for (std::size_t row = from.row; row < block.size() && block.at[row] < end; ++row) {
            std::uint64_t* const set = &block.sets[row * words_];
            for (std::size_t i = 0; i < words_; ++i) set[i] &= ~nodes[i];
            is_most = is_most || block.free[row] - block.taken == head.most;
            block.free[row] -= count;
            head.least = std::min(head.least, block.free[row] - block.taken);
        }
        if (is_most) head = head_of(block);
    }
}

void NodeCalendar::give_back(NodeWords nodes, const Period& period) {
    const std::int64_t count = count_of(nodes);
    if (period.end != end_of_time) enter(period.end);
    for (Place from = enter(period.first); !is_end(from) && at(from) < period.end;
         from = {from.block + 1, 0}) {
        Block& block = blocks_[from.block];
        push_down(block);
        for (std::size_t row = from.row; row < block.size(); ++row) {
            if (block.at[row] >= period.end) break;
            std::uint64_t* const set = &block.sets[row * words_];
            for (std::size_t i = 0; i < words_; ++i) set[i] |= nodes[i];
            block.free[row] += count;
        }
        sum_up(from.block);
    }
}

void NodeCalendar::drop_equal() {
    const NodeCalendar all = std::move(*this);
    reset(all.node_count_, all.now_);
    Block* last = &blocks_.back();
    *last = Block();
    moments_ = 0;
    const std::uint64_t* before = nullptr;
    for (Block block : all.blocks_) {
        push_down(block);
        for (std::size_t row = 0; row < block.size(); ++row) {
            const std::uint64_t* const set = &block.sets[row * words_];
            if (before != nullptr && std::equal(before, before + words_, set)) continue;
            if (last->size() == moments_max / 2) {
                blocks_.emplace_back();
                last = &blocks_.back();
            }
            last->at.push_back(block.at[row]);
            last->free.push_back(block.free[row]);
            last->sets.insert(last->sets.end(), set, set + words_);
            before = &last->sets[last->sets.size() - words_];
            ++moments_;
        }
    }
    heads_.resize(blocks_.size());
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        blocks_[i].pending.assign(words_, 0);
        sum_up(i);
    }
}

std::int64_t NodeCalendar::free_now() const {
    return blocks_.front().free.front() - blocks_.front().taken;
}

bool NodeCalendar::may_go_on(std::int64_t wanted, Instant moment, NodeWords more) const {
    const Place before = place_of(Instant(moment.value() - 1));
    const Block& first = blocks_[before.block];
    if (first.free[before.row] - first.taken < wanted) return false;
    Place then = next(before);
    if (is_end(then) || moment < at(then)) then = before;
    const Block& second = blocks_[then.block];
    const std::uint64_t* const free_before = &first.sets[before.row * words_];
    const std::uint64_t* const free_then = &second.sets[then.row * words_];
    std::int64_t count = 0;
    for (std::size_t i = 0; i < words_; ++i) {
        count += count_bits(free_before[i] & ~first.pending[i] &
                            ((free_then[i] & ~second.pending[i]) | more[i]));
    }
    return wanted <= count;
}

void NodeCalendar::free_in(const Period& period, NodeBits& nodes) const {
    const Place from = place_of(period.first);
    free_between(from, first_below(from, 0, period.end), nodes);
}

NodeCalendar::Place NodeCalendar::first_with(Place from, std::int64_t wanted) const {
    for (; !is_end(from); from = {from.block + 1, 0}) {
        if (heads_[from.block].most < wanted) continue;
        const Block& block = blocks_[from.block];
        const auto enough = [&](std::int64_t free) { return free - block.taken >= wanted; };
        const auto row = std::find_if(block.free.begin() + static_cast<std::ptrdiff_t>(from.row),
                                      block.free.end(), enough);
        if (row != block.free.end()) {
            return {from.block, static_cast<std::size_t>(row - block.free.begin())};
        }
    }
    return from;
}

NodeCalendar::Place NodeCalendar::first_below(Place from, std::int64_t wanted, Instant end) const {
    for (; !is_end(from); from = {from.block + 1, 0}) {
        // The next block begins behind all moments of this one.
        const bool is_within =
            from.block + 1 < heads_.size() && heads_[from.block + 1].first <= end;
        if (is_within && heads_[from.block].least >= wanted) continue;
        const Block& block = blocks_[from.block];
        for (; from.row < block.size(); ++from.row) {
            if (block.at[from.row] >= end || block.free[from.row] - block.taken < wanted)
                return from;
        }
    }
    return from;
}

void NodeCalendar::free_between(Place from, const Place& to, NodeBits& nodes) const {
    nodes.assign(words_, ~std::uint64_t{0});
    for (; !is_end(from) && from.block <= to.block; from = {from.block + 1, 0}) {
        const Block& block = blocks_[from.block];
        const std::size_t end = from.block < to.block ? block.size() : to.row;
        if (from.row >= end) continue;
        if (from.row == 0 && end == block.size()) {
            for (std::size_t i = 0; i < words_; ++i) nodes[i] &= block.always[i];
            continue;
        }
        for (std::size_t row = from.row; row < end; ++row) {
            const std::uint64_t* const set = &block.sets[row * words_];
            for (std::size_t i = 0; i < words_; ++i) nodes[i] &= set[i];
        }
        for (std::size_t i = 0; i < words_; ++i) nodes[i] &= ~block.pending[i];
    }
}

bool NodeCalendar::find(const Question& question, Found& found) const {
    const std::int64_t wanted = question.wanted;
    const Place first = now_ < question.not_before ? place_of(question.not_before) : Place();
    for (Place from = first_with(first, wanted); !is_end(from);) {
        const Period period = period_of(at(from), question.duration);
        if (question.not_beyond && *question.not_beyond < period.first) return false;
        const Place to = first_below(from, wanted, period.end);
        if (!is_end(to) && at(to) < period.end) {
            from = first_with(to, wanted);
            continue;
        }
        free_between(from, to, found.nodes);
        found.count = count_of(found.nodes);
        if (found.count >= wanted) {
            found.period = period;
            found.from = from;
            found.to = to;
            return true;
        }
        from = first_with(next(from), wanted);
    }
    return false;
}

}  // namespace detail

}  // namespace trestle
