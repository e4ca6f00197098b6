// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeProfile: how many nodes are taken at each moment, and which in a period.
//
// Layer: alloc (detail). Main type: NodeProfile. It follows a timeline. A job that wants nodes for
// itself asks first for a period in which few enough are taken, which is a walk along a row of
// numbers; only there the nodes are looked at. Counted are nodes whose cores are all somebody's, of
// which nobody else can have any: so the number is never too high, and no start is overlooked.
// A reader would get wrong: the count is at a moment. That at each of them enough are free does not
// say that the same ones are.

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trestle/alloc/time/detail/period_index.hpp"
#include "trestle/alloc/time/period.hpp"
#include "trestle/alloc/timeline.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle::detail {

class NodeProfile {
  public:
    /// Complexity: linear in the moments for each change since the last time; where there are many,
    /// or that is not known, n log n in all who have something.
    void follow(const Timeline& timeline) {
        const auto changed = timeline.journal().since(followed_);
        if (changed && changed->size() <= changes_max) {
            for (const OwnerId owner : *changed) {
                remove(owner);
                add(timeline, owner);
            }
        } else {
            start_anew(timeline);
        }
        followed_ = timeline.journal().position();
        node_count_ = timeline.cluster().node_count();
        if (moments_.size() > 64 + 4 * taken_.size()) forget_moments();
    }

    /// The first moment from `from` on at which at most `most` nodes are taken, and all through the
    /// duration; `from`, or one at which somebody's time ends. Nothing when there is none.
    /// Complexity: linear in the moments at which anything changes.
    [[nodiscard]] std::optional<Instant> first_with(std::int64_t most, Instant from,
                                                    std::optional<Seconds> duration) const {
        auto at = at_or_before(from);
        Instant start = from;
        Instant end = period_of(start, duration).last;
        while (at != moments_.end() && at->at < end) {
            if (at->taken <= most) {
                ++at;
                continue;
            }
            while (at != moments_.end() && at->taken > most) ++at;
            if (at == moments_.end()) return std::nullopt;
            start = at->at;
            end = period_of(start, duration).last;
        }
        return start;
    }

    /// The most nodes that are taken at any moment of the period. Requires: follow(); its start is
    /// not before that of time. Complexity: the moments in it.
    [[nodiscard]] std::int64_t most_taken(const Period& period) const {
        std::int64_t most = 0;
        for (auto at = at_or_before(period.first); at != moments_.end() && at->at < period.last;
             ++at) {
            most = std::max(most, at->taken);
        }
        return most;
    }

    /// Nodes of which nobody has anything in the period, if there are so many; else nothing.
    /// Requires: follow(). Complexity: who has something then, and their nodes.
    [[nodiscard]] std::optional<NodeSet> untouched(const Period& period, std::int64_t wanted) {
        words_.assign((std::size_t{node_count_} + 63) / 64, 0);
        rows_.for_each_near(period, [&](const auto& rows) {
            for (std::size_t i = 0; i < rows.size(); ++i) {
                if (i + ahead < rows.size()) __builtin_prefetch(rows[i + ahead].value.data());
                if (rows[i].one.period.last <= period.first) continue;
                for (const Run& run : rows[i].value) mark(run);
            }
        });
        std::int64_t free_count = node_count_;
        for (const std::uint64_t word : words_) free_count -= std::popcount(word);
        if (free_count < wanted) return std::nullopt;
        NodeSet free;
        for (std::uint32_t first = next(0, 0); first < node_count_;) {
            const std::uint32_t last = next(first, ~std::uint64_t{0});
            free.insert_range({first, last});
            first = next(last, 0);
        }
        return free;
    }

  private:
    struct Moment {
        Instant at;
        std::int64_t taken = 0;  ///< nodes, until the next one
    };
    using Run = Interval<std::uint32_t>;
    using Runs = absl::InlinedVector<Run, 4>;
    static constexpr std::size_t ahead = 8;  ///< rows that are fetched before they are looked at
    static constexpr std::size_t changes_max = 1024;  ///< that are entered one by one

    /// What somebody has, if that is anything.
    struct Taken {
        Runs nodes;
        Period period;
        std::int64_t whole = 0;  ///< of the nodes
    };

    /// The last moment that is not behind `at`. Requires: `at` is not before 0.
    [[nodiscard]] std::vector<Moment>::const_iterator at_or_before(Instant at) const {
        return std::prev(
            std::upper_bound(moments_.begin(), moments_.end(), at,
                             [](Instant wanted, const Moment& one) { return wanted < one.at; }));
    }
    void mark(const Run& run) {
        for (std::uint32_t node = run.first; node < run.last;) {
            const std::uint32_t bit = node % 64;
            const std::uint32_t count = std::min(run.last - node, 64 - bit);
            words_[node / 64] |= ~std::uint64_t{0} >> (64 - count) << bit;
            node += count;
        }
    }
    /// The first node from `node` on that is marked, where `flip` is all ones, or not marked, where
    /// it is 0; node_count_ when there is none.
    [[nodiscard]] std::uint32_t next(std::uint32_t node, std::uint64_t flip) const {
        while (node < node_count_) {
            const std::uint64_t found = (~words_[node / 64] ^ flip) >> node % 64;
            if (found != 0) {
                return std::min(node + static_cast<std::uint32_t>(std::countr_zero(found)),
                                node_count_);
            }
            node += 64 - node % 64;
        }
        return node_count_;
    }

    /// Enters everybody at once: what changes at which moment is sorted and added up.
    void start_anew(const Timeline& timeline) {
        taken_.clear();
        taken_.reserve(timeline.periods().size());
        std::vector<PeriodIndex<std::span<const Run>>::Row> rows;
        rows.reserve(timeline.periods().size());
        moments_.assign(1, {});
        timeline.periods().for_each([&](OwnerId owner, const Period& period) {
            const Taken& taken =
                taken_.emplace(owner, what_has(timeline, owner, period)).first->second;
            rows.push_back({{period, owner}, taken.nodes});
            if (taken.whole == 0) return;
            moments_.push_back({period.first, taken.whole});
            if (period.last != end_of_time) moments_.push_back({period.last, -taken.whole});
        });
        rows_.assign(std::move(rows));
        add_up();
    }
    /// Makes moments_, which hold what changes at them, those that hold how many are taken.
    void add_up() {
        std::sort(moments_.begin(), moments_.end(),
                  [](const Moment& a, const Moment& b) { return a.at < b.at; });
        auto last = moments_.begin();
        for (auto at = std::next(last); at != moments_.end(); ++at) {
            const std::int64_t taken = last->taken + at->taken;
            if (last->at != at->at) ++last;
            *last = {at->at, taken};
        }
        moments_.erase(std::next(last), moments_.end());
    }
    [[nodiscard]] static Taken what_has(const Timeline& timeline, OwnerId owner,
                                        const Period& period) {
        Taken taken{{}, period, 0};
        const Cluster& cluster = timeline.cluster();
        for (const NodePlacement& part : timeline.find_allocation(owner)->placement.nodes) {
            if (is_empty(part)) continue;
            const std::uint32_t node = part.node.value();
            if (!taken.nodes.empty() && taken.nodes.back().last == node) {
                ++taken.nodes.back().last;
            } else {
                taken.nodes.push_back({node, node + 1});
            }
            const KnownClass& known = cluster.classes().known(cluster.state(part.node).node_class);
            if (!part.row && !part.cores.is_empty() && part.cores == known.idle.cores) {
                ++taken.whole;
            }
        }
        return taken;
    }
    void add(const Timeline& timeline, OwnerId owner) {
        const auto period = timeline.period_of(owner);
        if (!period) return;
        const auto at = taken_.emplace(owner, what_has(timeline, owner, *period)).first;
        rows_.insert({*period, owner}, at->second.nodes);
        count(at->second, at->second.whole);
    }
    void remove(OwnerId owner) {
        const auto found = taken_.find(owner);
        if (found == taken_.end()) return;
        count(found->second, -found->second.whole);
        rows_.erase({found->second.period, owner});
        taken_.erase(found);
    }
    void count(const Taken& taken, std::int64_t nodes) {
        if (nodes == 0) return;
        const std::size_t first = place_of(taken.period.first);
        const std::size_t last =
            taken.period.last == end_of_time ? moments_.size() : place_of(taken.period.last);
        for (std::size_t i = first; i < last; ++i) moments_[i].taken += nodes;
    }
    /// The position of a moment, which is entered where it is new.
    [[nodiscard]] std::size_t place_of(Instant at) {
        const auto after =
            std::upper_bound(moments_.begin(), moments_.end(), at,
                             [](Instant wanted, const Moment& one) { return wanted < one.at; });
        const auto before = std::prev(after);
        const auto position = static_cast<std::size_t>(before - moments_.begin());
        if (before->at == at) return position;
        moments_.insert(after, {at, before->taken});
        return position + 1;
    }
    /// Drops the moments at which the number stays as it is.
    void forget_moments() {
        const auto is_same = [](const Moment& a, const Moment& b) { return a.taken == b.taken; };
        moments_.erase(std::unique(moments_.begin(), moments_.end(), is_same), moments_.end());
    }

    JournalPosition followed_;
    std::uint32_t node_count_ = 0;
    std::vector<Moment> moments_{{}};  ///< rising, the first one is 0
    std::unordered_map<OwnerId, Taken> taken_;
    PeriodIndex<std::span<const Run>> rows_;  ///< the nodes in taken_, where they stay
    std::vector<std::uint64_t> words_;        ///< of untouched(), a bit for each node
};

}  // namespace trestle::detail
