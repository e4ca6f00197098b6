// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/candidates/candidate_window.hpp"

#include <algorithm>
#include <span>

#include "alloc/schedule/detail/window_cluster.hpp"

namespace trestle {

namespace detail {

void CandidateWindow::open(const Timeline& timeline, NodeParts& parts, const Period& period,
                           const NodeSet& nodes) {
    const Cluster& now = timeline.cluster();
    const auto changed = parts.changed_since(followed_);
    if (!changed || !description_.is_same_object(now.description())) {
        cluster_ = now;
        description_ = now.description();
        known_.clear();
    } else {
        for (const NodeId node : *changed) known_.erase(node);
    }
    followed_ = parts.position();
    WindowCluster::tidy(cluster_);
    for (const NodeId node : nodes) {
        const auto known = known_.find(node);
        if (known != known_.end() && known->second.holds(period)) continue;
        known_.insert_or_assign(node, validity_of(parts.on(node), period));
        WindowCluster::put(cluster_, node, timeline.state(node, period));
    }
}

CandidateWindow::Validity CandidateWindow::validity_of(std::span<const NodeParts::Part> parts,
                                                       const Period& period) {
    // A part is there when it begins before the period's end and ends behind its start.
    Validity validity;
    for (const NodeParts::Part& part : parts) {
        if (part.period.end <= period.first) {
            validity.first_min = std::max(validity.first_min, part.period.end);
        } else {
            validity.first_max = std::min(validity.first_max, Instant(part.period.end.value() - 1));
        }
        if (part.period.first < period.end) {
            validity.end_min = std::max(validity.end_min, Instant(part.period.first.value() + 1));
        } else {
            validity.end_max = std::min(validity.end_max, part.period.first);
        }
    }
    return validity;
}

}  // namespace detail

}  // namespace trestle
