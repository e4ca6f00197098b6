// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/candidates/free_periods.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "alloc/cluster/states/node_states.hpp"
#include "alloc/schedule/timeline/owner_moment.hpp"
#include "base/cow/cow_map.hpp"

namespace trestle {

namespace detail {

void FreePeriods::follow(const Timeline& timeline, NodeParts& parts) {
    if (const auto changed = parts.changed_since(followed_)) {
        for (const NodeId node : *changed) enter(timeline, parts, node);
    } else {
        start_anew(timeline, parts);
    }
    followed_ = parts.position();
}

void FreePeriods::start_anew(const Timeline& timeline, NodeParts& parts) {
    const Cluster& cluster = timeline.cluster();
    const NodeStates& states = cluster.states();
    for (Set& set : by_length_) set.clear();
    by_class_.clear();
    by_node_.assign(cluster.node_count(), {});
    is_read_.assign(by_node_.size(), false);
    known_until_ = timeline.now();
    states.for_each([&](StateId state) {
        const NodeStateData& data = *states[state];
        const KnownClass& known = cluster.classes().known(data.node_class);
        if (!need_of(cluster, data.node_class).is_enough_in(known, data.free)) return;
        for (auto node = states.next(state, NodeId(0)); node;
             node = states.next(state, NodeId(node->value() + 1))) {
            enter(timeline, parts, *node);
        }
    });
}

void FreePeriods::look_further(const Timeline& timeline, NodeParts& parts) {
    const Timeline::Moments& ends = timeline.ends();
    const bool is_at_end = known_until_ == end_of_time;
    auto end =
        is_at_end ? ends.end() : ends.lower_bound({Instant(known_until_.value() + 1), OwnerId(0)});
    while (end != ends.end()) {
        known_until_ = end->key.at;
        bool is_any = false;
        for (; end != ends.end() && end->key.at == known_until_; ++end) {
            const Placement& ended = timeline.find_allocation(end->key.owner)->placement;
            for (const NodePlacement& part : ended.nodes) {
                if (!is_read_[part.node.value()]) enter(timeline, parts, part.node);
                is_any = is_any || begins_at(part.node, known_until_);
            }
        }
        if (is_any) return;
    }
    known_until_ = end_of_time;
}

bool FreePeriods::begins_at(NodeId node, Instant at) const {
    const std::vector<Period>& periods = by_node_[node.value()];
    const auto first =
        std::lower_bound(periods.begin(), periods.end(), at,
                         [](const Period& one, Instant from) { return one.first < from; });
    return first != periods.end() && first->first == at;
}

ClassNeed& FreePeriods::need_of(const Cluster& cluster, ClassId id) {
    if (by_class_.size() <= id.value()) by_class_.resize(std::size_t{id.value()} + 1);
    std::optional<ClassNeed>& need = by_class_[id.value()];
    if (!need) need.emplace(need_, cluster.classes().known(id));
    return *need;
}

void FreePeriods::enter(const Timeline& timeline, NodeParts& parts, NodeId node) {
    const Cluster& cluster = timeline.cluster();
    need_of(cluster, cluster.state(node).node_class).find_periods(parts.on(node), found_);
    is_read_[node.value()] = true;
    std::vector<Period>& known = by_node_[node.value()];
    if (known == found_) return;
    for (const Period& one : known) by_length_[set_of(one)].erase({one.first, node, one.end});
    for (const Period& one : found_) by_length_[set_of(one)].insert({one.first, node, one.end});
    known = found_;
}

CandidateSweep::CandidateSweep(const Timeline& timeline, NodeParts& parts, FreePeriods& periods,
                               const std::vector<bool>& may_take, const Question& asked)
    : timeline_(timeline),
      parts_(parts),
      periods_(periods),
      may_take_(may_take),
      all_may_take_(std::find(may_take.begin(), may_take.end(), false) == may_take.end()),
      asked_(asked),
      at_(asked.after) {
    while (periods_.known_until() < at_) periods_.look_further(timeline_, parts_);
    find_cursors();
    static_cast<void>(enter_begun());
    was_tried_ = has_enough();
}

bool CandidateSweep::advance() {
    const bool is_bounded = asked_.not_beyond && *asked_.not_beyond != end_of_time;
    const Instant too_late = is_bounded ? Instant(asked_.not_beyond->value() + 1) : end_of_time;
    for (;;) {
        Instant next = too_late;
        if (was_tried_) {
            for (const Serving& one : serving_) {
                next = std::min(next, parts_.next_end(one.node, at_));
            }
        }
        const Instant begin = next_begin(next);
        bool may_help = next <= begin && next != too_late;
        next = std::min(next, begin);
        if (next == too_late) return false;
        at_ = next;
        may_help |= enter_begun();
        was_tried_ = was_tried_ && !may_help;
        if (may_help && has_enough()) {
            was_tried_ = true;
            if (has_room()) return true;
        }
    }
}

void CandidateSweep::find_cursors() {
    cursors_.clear();
    for (std::size_t i = FreePeriods::first_set_of(asked_.duration);
         i < periods_.by_length().size(); ++i) {
        const FreePeriods::Set& set = periods_.by_length()[i];
        const auto next = has_begun_
                              ? set.lower_bound({Instant(at_.value() + 1), NodeId(0), Instant()})
                              : set.begin();
        if (next != set.end()) cursors_.push_back({next, set.end()});
    }
}

Instant CandidateSweep::next_begin(Instant bound) {
    const auto first = [&] {
        Instant next = end_of_time;
        for (const Cursor& one : cursors_) {
            if (one.next != one.end) next = std::min(next, one.next->first);
        }
        return next;
    };
    Instant next = first();
    while (periods_.known_until() < std::min(bound, next)) {
        periods_.look_further(timeline_, parts_);
        find_cursors();
        next = first();
    }
    return next;
}

bool CandidateSweep::has_room() const {
    if (asked_.tasks == nullptr) return true;
    std::int64_t wanted = asked_.tasks->wanted();
    for (std::size_t i = 0; wanted > 0 && i < serving_.size(); ++i) {
        const NodeId node = serving_[i].node;
        wanted -=
            asked_.tasks->on(timeline_.cluster().state(node).node_class, parts_.on(node), at_);
    }
    return wanted <= 0;
}

NodeSet CandidateSweep::nodes() const {
    std::vector<std::uint64_t> words((std::size_t{timeline_.cluster().node_count()} + 63) / 64);
    for (const Serving& one : serving_) {
        words[one.node.value() / 64] |= std::uint64_t{1} << one.node.value() % 64;
    }
    NodeSet all;
    for (std::size_t word = 0; word < words.size(); ++word) {
        for (std::uint64_t left = words[word]; left != 0;) {
            const int first = std::countr_zero(left);
            const int count = std::countr_one(left >> first);
            const auto node =
                static_cast<std::uint32_t>(64 * word) + static_cast<std::uint32_t>(first);
            all.insert_range({node, node + static_cast<std::uint32_t>(count)});
            if (first + count == 64) break;
            left &= ~std::uint64_t{0} << (first + count);
        }
    }
    return all;
}

std::optional<Instant> CandidateSweep::last_start(const NodePeriod& one) const {
    if (one.end == end_of_time) return end_of_time;
    if (!asked_.duration) return std::nullopt;
    const auto last = one.end.value() - asked_.duration->value();
    if (last < one.first.value()) return std::nullopt;
    return Instant(last);
}

bool CandidateSweep::enter_begun() {
    const std::size_t before = serving_.size();
    for (Cursor& one : cursors_) {
        for (; one.next != one.end && one.next->first <= at_; ++one.next) {
            const auto last = last_start(*one.next);
            if (!last || *last < at_ || !may_take(one.next->node)) continue;
            serving_.push_back({*last, one.next->node});
            if (before != 0) std::push_heap(serving_.begin(), serving_.end(), std::greater<>());
        }
    }
    has_begun_ = true;
    const bool is_any = serving_.size() != before;
    if (before == 0) std::make_heap(serving_.begin(), serving_.end(), std::greater<>());
    while (!serving_.empty() && serving_.front().last < at_) {
        std::pop_heap(serving_.begin(), serving_.end(), std::greater<>());
        serving_.pop_back();
    }
    return is_any;
}

bool CandidateSweep::may_take(NodeId node) const {
    return all_may_take_ || may_take_[timeline_.cluster().state(node).node_class.value()];
}

}  // namespace detail

}  // namespace trestle
