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

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trestle/alloc/time/period.hpp"
#include "trestle/alloc/timeline.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle::detail {

class NodeProfile {
  public:
    /// Complexity: what changed since the last time.
    void follow(const Timeline& timeline) {
        const auto changed = timeline.journal().since(followed_);
        if (changed) {
            for (const OwnerId owner : *changed) {
                remove(owner);
                add(timeline, owner);
            }
        } else {
            clear();
            timeline.periods().for_each(
                [&](OwnerId owner, const Period&) { add(timeline, owner); });
        }
        followed_ = timeline.journal().position();
        node_count_ = timeline.cluster().node_count();
        if (moments_.size() > 64 + 4 * rows_.size()) forget_moments();
    }

    /// The first moment from `from` on at which at most `most` nodes are taken, and all through the
    /// duration; `from`, or one at which somebody's time ends. Nothing when there is none.
    /// Complexity: linear in the moments at which anything changes.
    [[nodiscard]] std::optional<Instant> first_with(std::int64_t most, Instant from,
                                                    std::optional<Seconds> duration) const {
        auto at = std::prev(
            std::upper_bound(moments_.begin(), moments_.end(), from,
                             [](Instant wanted, const Moment& one) { return wanted < one.at; }));
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

    /// Nodes of which nobody has anything in the period. Requires: follow().
    /// Complexity: who has something by then, and their nodes.
    [[nodiscard]] NodeSet untouched(const Period& period) {
        words_.assign((std::size_t{node_count_} + 63) / 64, 0);
        for (const Row& row : rows_) {
            if (period.last <= row.period.first) break;
            if (row.period.last <= period.first) continue;
            for (const NodeId node : *row.nodes) {
                words_[node.value() / 64] |= std::uint64_t{1} << node.value() % 64;
            }
        }
        NodeSet free;
        std::uint32_t first = 0;  // of a run of free nodes
        for (std::uint32_t node = 0; node <= node_count_; ++node) {
            if (node < node_count_ && node % 64 == 0 && words_[node / 64] == 0) {
                node = std::min(node + 63, node_count_ - 1);
                continue;
            }
            const bool is_taken = node == node_count_ || (words_[node / 64] >> node % 64 & 1) != 0;
            if (!is_taken) continue;
            if (first < node) free.insert_range({first, node});
            first = node + 1;
        }
        return free;
    }

  private:
    struct Moment {
        Instant at;
        std::int64_t taken = 0;  ///< nodes, until the next one
    };
    /// What somebody has, if that is anything.
    struct Taken {
        Period period;
        std::vector<NodeId> nodes;
        std::int64_t whole = 0;  ///< of these
    };
    struct Row {
        Period period;
        OwnerId owner;
        const std::vector<NodeId>* nodes = nullptr;  ///< in taken_, where they stay

        [[nodiscard]] bool comes_before(const Row& other) const {
            return period.first != other.period.first ? period.first < other.period.first
                                                      : owner < other.owner;
        }
    };

    void clear() {
        moments_.assign(1, {});
        rows_.clear();
        taken_.clear();
    }
    void add(const Timeline& timeline, OwnerId owner) {
        const auto period = timeline.period_of(owner);
        if (!period) return;
        Taken taken{*period, {}, 0};
        const Cluster& cluster = timeline.cluster();
        for (const NodePlacement& part : timeline.find_allocation(owner)->placement.nodes) {
            if (is_empty(part)) continue;
            taken.nodes.push_back(part.node);
            const KnownClass& known = cluster.classes().known(cluster.state(part.node).node_class);
            if (!part.row && !part.cores.is_empty() && part.cores == known.idle.cores) {
                ++taken.whole;
            }
        }
        const auto [at, is_new] = taken_.emplace(owner, std::move(taken));
        if (!is_new) return;
        const Row row{*period, owner, &at->second.nodes};
        rows_.insert(place_of(row), row);
        count(at->second, at->second.whole);
    }
    void remove(OwnerId owner) {
        const auto found = taken_.find(owner);
        if (found == taken_.end()) return;
        count(found->second, -found->second.whole);
        rows_.erase(place_of({found->second.period, owner, nullptr}));
        taken_.erase(found);
    }
    [[nodiscard]] std::vector<Row>::iterator place_of(const Row& row) {
        return std::lower_bound(rows_.begin(), rows_.end(), row,
                                [](const Row& a, const Row& b) { return a.comes_before(b); });
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
    std::vector<Row> rows_;            ///< by start
    std::unordered_map<OwnerId, Taken> taken_;
    std::vector<std::uint64_t> words_;  ///< of untouched(), a bit for each node
};

}  // namespace trestle::detail
