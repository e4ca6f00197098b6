// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/node_profile.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "alloc/cluster/node_part.hpp"
#include "alloc/cluster/states/node_classes.hpp"
#include "base/cow/cow_map.hpp"

namespace trestle {

namespace detail {

void NodeProfile::follow(const Timeline& timeline) {
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

std::optional<Instant> NodeProfile::first_with(std::int64_t most, Instant from,
                                               std::optional<Seconds> duration) const {
    auto at = at_or_before(from);
    Instant start = from;
    Instant end = period_of(start, duration).end;
    while (at != moments_.end() && at->at < end) {
        if (at->taken <= most) {
            ++at;
            continue;
        }
        while (at != moments_.end() && at->taken > most) ++at;
        if (at == moments_.end()) return std::nullopt;
        start = at->at;
        end = period_of(start, duration).end;
    }
    return start;
}

std::int64_t NodeProfile::most_taken(const Period& period) const {
    std::int64_t most = 0;
    for (auto at = at_or_before(period.first); at != moments_.end() && at->at < period.end; ++at) {
        most = std::max(most, at->taken);
    }
    return most;
}

std::optional<NodeSet> NodeProfile::untouched(const Period& period, std::int64_t wanted) {
    words_.assign((std::size_t{node_count_} + 63) / 64, 0);
    rows_.for_each_near(period, [&](const auto& rows) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (i + ahead < rows.size()) __builtin_prefetch(rows[i + ahead].value.data());
            if (rows[i].one.period.end <= period.first) continue;
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

std::vector<NodeProfile::Moment>::const_iterator NodeProfile::at_or_before(Instant at) const {
    return std::prev(
        std::upper_bound(moments_.begin(), moments_.end(), at,
                         [](Instant wanted, const Moment& one) { return wanted < one.at; }));
}

void NodeProfile::mark(const Run& run) {
    for (std::uint32_t node = run.first; node < run.end;) {
        const std::uint32_t bit = node % 64;
        const std::uint32_t count = std::min(run.end - node, 64 - bit);
        words_[node / 64] |= ~std::uint64_t{0} >> (64 - count) << bit;
        node += count;
    }
}

std::uint32_t NodeProfile::next(std::uint32_t node, std::uint64_t flip) const {
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

void NodeProfile::start_anew(const Timeline& timeline) {
    taken_.clear();
    taken_.reserve(timeline.periods().size());
    std::vector<PeriodIndex<std::span<const Run>>::Row> rows;
    rows.reserve(timeline.periods().size());
    moments_.assign(1, {});
    timeline.periods().for_each([&](OwnerId owner, const Period& period) {
        const Taken& taken = taken_.emplace(owner, what_has(timeline, owner, period)).first->second;
        rows.push_back({{period, owner}, taken.nodes});
        if (taken.whole == 0) return;
        moments_.push_back({period.first, taken.whole});
        if (period.end != end_of_time) moments_.push_back({period.end, -taken.whole});
    });
    rows_.assign(std::move(rows));
    add_up();
}

void NodeProfile::add_up() {
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

NodeProfile::Taken NodeProfile::what_has(const Timeline& timeline, OwnerId owner,
                                         const Period& period) {
    Taken taken{{}, period, 0};
    const Cluster& cluster = timeline.cluster();
    for_each_node(timeline.find_allocation(owner)->placement, [&](auto parts) {
        const PartsOfNode all(parts);
        const NodePlacement& part = all.whole();
        if (is_empty(part)) return;
        const std::uint32_t node = part.node.value();
        if (!taken.nodes.empty() && taken.nodes.back().end == node) {
            ++taken.nodes.back().end;
        } else {
            taken.nodes.push_back({node, node + 1});
        }
        const KnownClass& known = cluster.classes().known(cluster.state(part.node).node_class);
        if (!part.row && !part.cores.is_empty() && part.cores == known.idle.cores) {
            ++taken.whole;
        }
    });
    return taken;
}

void NodeProfile::add(const Timeline& timeline, OwnerId owner) {
    const auto period = timeline.period_of(owner);
    if (!period) return;
    const auto at = taken_.emplace(owner, what_has(timeline, owner, *period)).first;
    rows_.insert({*period, owner}, at->second.nodes);
    count(at->second, at->second.whole);
}

void NodeProfile::remove(OwnerId owner) {
    const auto found = taken_.find(owner);
    if (found == taken_.end()) return;
    count(found->second, -found->second.whole);
    rows_.erase({found->second.period, owner});
    taken_.erase(found);
}

void NodeProfile::count(const Taken& taken, std::int64_t nodes) {
    if (nodes == 0) return;
    const std::size_t first = place_of(taken.period.first);
    const std::size_t last =
        taken.period.end == end_of_time ? moments_.size() : place_of(taken.period.end);
    for (std::size_t i = first; i < last; ++i) moments_[i].taken += nodes;
}

std::size_t NodeProfile::place_of(Instant at) {
    const auto after =
        std::upper_bound(moments_.begin(), moments_.end(), at,
                         [](Instant wanted, const Moment& one) { return wanted < one.at; });
    const auto before = std::prev(after);
    const auto position = static_cast<std::size_t>(before - moments_.begin());
    if (before->at == at) return position;
    moments_.insert(after, {at, before->taken});
    return position + 1;
}

void NodeProfile::forget_moments() {
    const auto is_same = [](const Moment& a, const Moment& b) { return a.taken == b.taken; };
    moments_.erase(std::unique(moments_.begin(), moments_.end(), is_same), moments_.end());
}

}  // namespace detail

}  // namespace trestle
