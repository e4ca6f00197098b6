// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/candidates/free_periods.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace trestle {

namespace detail {

void FreePeriods::follow(const Timeline& timeline, const NodeParts& parts) {
    if (const auto changed = parts.changed_since(followed_)) {
        for (const NodeId node : *changed) enter(timeline, parts, node);
    } else {
        all_.clear();
        by_class_.clear();
        by_node_.assign(timeline.cluster().node_count(), {});
        for (std::uint32_t node = 0; node < by_node_.size(); ++node) {
            enter(timeline, parts, NodeId(node));
        }
    }
    followed_ = parts.position();
}

void FreePeriods::enter(const Timeline& timeline, const NodeParts& parts, NodeId node) {
    const Cluster& cluster = timeline.cluster();
    const ClassId id = cluster.state(node).node_class;
    if (by_class_.size() <= id.value()) by_class_.resize(std::size_t{id.value()} + 1);
    std::optional<ClassNeed>& need = by_class_[id.value()];
    if (!need) need.emplace(need_, cluster.classes().known(id));
    need->find_periods(parts.on(node), found_);
    std::vector<Period>& known = by_node_[node.value()];
    if (known == found_) return;
    for (const Period& one : known) all_.erase({one.first, node, one.end});
    for (const Period& one : found_) all_.insert({one.first, node, one.end});
    known = found_;
}

CandidateSweep::CandidateSweep(const Timeline& timeline, const NodeParts& parts,
                               const FreePeriods& periods, const std::vector<bool>& may_take,
                               const Question& asked)
    : timeline_(timeline),
      parts_(parts),
      may_take_(may_take),
      all_may_take_(std::find(may_take.begin(), may_take.end(), false) == may_take.end()),
      asked_(asked),
      next_(periods.all().begin()),
      end_(periods.all().end()),
      at_(asked.after) {
    static_cast<void>(enter_begun());
    was_tried_ = has_enough();
}

bool CandidateSweep::advance() {
    for (;;) {
        Instant next = next_ != end_ ? next_->first : end_of_time;
        bool may_help = false;
        if (was_tried_) {
            for (const Serving& one : serving_) {
                const Instant end = parts_.next_end(one.node, at_);
                may_help |= end <= next && end != end_of_time;
                next = std::min(next, end);
            }
        }
        if (next == end_of_time) return false;
        at_ = next;
        may_help |= enter_begun();
        was_tried_ = was_tried_ && !may_help;
        if (may_help && has_enough()) {
            was_tried_ = true;
            if (has_room()) return true;
        }
    }
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
    for (; next_ != end_ && next_->first <= at_; ++next_) {
        const auto last = last_start(*next_);
        if (!last || *last < at_ || !may_take(next_->node)) continue;
        serving_.push_back({*last, next_->node});
        if (before != 0) std::push_heap(serving_.begin(), serving_.end(), std::greater<>());
    }
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
