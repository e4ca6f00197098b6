// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/free_periods.hpp"

#include <algorithm>
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
    : timeline_(timeline), parts_(parts), may_take_(may_take), asked_(asked),
      next_(periods.all().begin()), end_(periods.all().end()), at_(asked.after) {
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
            return true;
        }
    }
}

NodeSet CandidateSweep::nodes() const {
    std::vector<NodeId> nodes;
    nodes.reserve(serving_.size());
    for (const Serving& one : serving_) nodes.push_back(one.node);
    std::sort(nodes.begin(), nodes.end());
    NodeSet all;
    for (const NodeId node : nodes) all.insert(node);
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
    bool is_any = false;
    for (; next_ != end_ && next_->first <= at_; ++next_) {
        const auto last = last_start(*next_);
        if (!last || *last < at_) continue;
        if (!may_take_[timeline_.cluster().state(next_->node).node_class.value()]) continue;
        serving_.push_back({*last, next_->node});
        std::push_heap(serving_.begin(), serving_.end(), std::greater<>());
        is_any = true;
    }
    while (!serving_.empty() && serving_.front().last < at_) {
        std::pop_heap(serving_.begin(), serving_.end(), std::greater<>());
        serving_.pop_back();
    }
    return is_any;
}

}  // namespace detail

}  // namespace trestle
