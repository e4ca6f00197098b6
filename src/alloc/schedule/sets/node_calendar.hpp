// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeCalendar: which nodes are free at each moment, as sets of bits.
//
// Layer: alloc (detail). Main types: NodeCalendar, NodeBits. A moment is the start of a time in
// which the same nodes are free; the last one has no end. Moments stand in blocks of a few dozen. A
// block knows the nodes that are free at all of its moments, and the most and the fewest of them.
// So a search passes over most blocks without a look into them.
// Pitfall: moments that say the same as the one before are kept until drop_equal().

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trestle/alloc/schedule/period.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"

namespace trestle::detail {

/// A bit for each node, in words of 64.
using NodeBits = std::vector<std::uint64_t>;
using NodeWords = std::span<const std::uint64_t>;  ///< the same, which stand elsewhere

[[nodiscard]] std::int64_t count_of(NodeWords bits);
/// Leaves the lowest of the nodes. Requires: there are so many.
void keep_lowest(std::span<std::uint64_t> bits, std::int64_t wanted);
/// visit(node) for each of them, rising.
template <class Visit>
void for_each_bit(NodeWords bits, const Visit& visit) {
    for (std::size_t i = 0; i < bits.size(); ++i) {
        for (std::uint64_t word = bits[i]; word != 0; word &= word - 1) {
            visit(static_cast<std::uint32_t>(i * 64) +
                  static_cast<std::uint32_t>(std::countr_zero(word)));
        }
    }
}
void insert_run(NodeBits& bits, std::uint32_t first, std::uint32_t end);

class NodeCalendar {
    struct Place {
        std::size_t block = 0;
        std::size_t row = 0;
    };

  public:
    /// All nodes are free from `now` on.
    void reset(std::uint32_t node_count, Instant now);
    /// Forgets what was before.
    void set_now(Instant now);
    [[nodiscard]] std::uint32_t node_count() const { return node_count_; }
    [[nodiscard]] Instant now() const { return now_; }
    [[nodiscard]] std::size_t moments() const { return moments_; }

    /// The nodes are not free in the period any more. Requires: they are, and the period begins at
    /// now() or later. Complexity: linear in the blocks.
    void take(NodeWords nodes, const Period& period);
    /// The nodes are free again in the period. Requires: they are not. Complexity: linear in the
    /// moments of the period.
    void give_back(NodeWords nodes, const Period& period);
    /// Drops moments that say the same as the one before.
    void drop_equal();

    /// Nodes that are free now.
    [[nodiscard]] std::int64_t free_now() const;
    /// True when enough nodes are free right before `moment`, and then too or in `more`. Requires:
    /// a moment behind now().
    [[nodiscard]] bool may_go_on(std::int64_t wanted, Instant moment, NodeWords more) const;
    /// The nodes that are free all through the period, from now() or later on.
    void free_in(const Period& period, NodeBits& nodes) const;

    struct Question {
        std::int64_t wanted = 0;          ///< nodes
        std::optional<Seconds> duration;  ///< absent: for ever
        /// Enough nodes for so long are free at no moment before this.
        Instant not_before;
        std::optional<Instant> not_beyond;
    };
    struct Found {
        Period period;
        NodeBits nodes;          ///< free all through the time
        std::int64_t count = 0;  ///< of these nodes

      private:
        friend class NodeCalendar;
        Place from;
        Place to;  ///< behind the period
    };
    /// The first moment from now() on from which enough nodes are free; false when there is none.
    /// Complexity: linear in the blocks and in the moments from `not_before` on at which enough
    /// nodes are free, but not for so long or not the same ones.
    [[nodiscard]] bool find(const Question& question, Found& found) const;
    /// As take(), of nodes that find() has found, in the period that it has found. Requires: the
    /// calendar is as it was then.
    void take(NodeWords nodes, const Found& found);

  private:
    static constexpr std::size_t moments_max = 32;  ///< of a block

    struct Block {
        std::vector<Instant> at;
        std::vector<std::int64_t> free;  ///< nodes, without `taken`
        NodeBits sets;                   ///< one behind the other
        NodeBits pending;                ///< not free at any of the moments, though in `sets`
        std::int64_t taken = 0;          ///< nodes in `pending`
        NodeBits always;                 ///< free at all moments

        [[nodiscard]] std::size_t size() const { return at.size(); }
    };
    /// What a search reads of each block, so that most blocks are passed over.
    struct Head {
        Instant first;
        std::int64_t most = 0;  ///< free nodes
        std::int64_t least = 0;
    };

    [[nodiscard]] Instant at(const Place& place) const {
        return blocks_[place.block].at[place.row];
    }
    [[nodiscard]] bool is_end(const Place& place) const { return place.block == blocks_.size(); }
    [[nodiscard]] Place next(Place place) const;
    /// The first place from there on with so many free nodes.
    [[nodiscard]] Place first_with(Place from, std::int64_t wanted) const;
    /// The first place from there on, before `end`, with fewer free nodes, or the first at `end` or
    /// behind it.
    [[nodiscard]] Place first_below(Place from, std::int64_t wanted, Instant end) const;
    /// Nodes that are free at all moments of [from, to).
    void free_between(Place from, const Place& to, NodeBits& nodes) const;
    /// The place of the last moment that is not behind `at`.
    [[nodiscard]] Place place_of(Instant at) const;
    /// The same, with a moment there.
    Place enter(Instant at);
    /// A moment behind that place that says the same; false when others have other places now.
    bool enter_behind(const Place& place, Instant at);
    void take_from(Place from, Instant end, NodeWords nodes);
    void push_down(Block& block) const;
    [[nodiscard]] Head head_of(const Block& block) const;
    /// Makes head and `always` those of what stands in the block.
    void sum_up(std::size_t block);
    void split(std::size_t block);

    std::uint32_t node_count_ = 0;
    std::size_t words_ = 0;  ///< of a set
    std::size_t moments_ = 0;
    Instant now_;
    std::vector<Block> blocks_;  ///< none of them empty
    std::vector<Head> heads_;    ///< of the blocks
};

}  // namespace trestle::detail
