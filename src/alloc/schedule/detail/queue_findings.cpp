// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/queue_findings.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

namespace detail {

QueueFindings::QueueFindings(std::span<const QueuedJob> queue, const QueueState& state,
                             const KnownJobs& jobs)
    : queue_(queue), jobs_(jobs), arrays_(state, jobs) {
    for (const StartConditions& one : state.conditions) {
        if (one.name.empty() || !jobs.at(one.owner).runs()) continue;
        std::optional<OwnerId>& first = namesakes_[one.name].running;
        if (!first || one.owner < *first) first = one.owner;
    }
    for (std::size_t i = 0; i < queue_.size(); ++i) find_conditions(i);
    link_others();
}

Status QueueFindings::check_cycles() const {
    std::string cycle;
    std::optional<OwnerId> first;
    for (const std::size_t node : find_cycle(links_)) {
        if (node >= queue_.size()) continue;
        if (!first) first = queue_[node].owner;
        cycle += fmt::format("owner {} waits for ", queue_[node].owner);
    }
    if (!first) return {};
    return invalid_argument("{}owner {}", cycle, first->value());
}

void QueueFindings::find_stuck() {
    if (find_cycle(links_).empty()) return;
    is_stuck_ = stuck_nodes(links_, needs_one_);
    cycle_of_ = cycle_numbers(links_, is_stuck_);
}

std::string QueueFindings::words_of_cycle(std::size_t position) const {
    const StartConditions& conditions = *jobs_.at(queue_[position].owner).conditions;
    const auto leads_back = [&](std::size_t node) {
        return cycle_of_[node] == cycle_of_[position];
    };
    for (const Dependency& one : conditions.dependencies) {
        for (const OwnerId owner : one.jobs) {
            const auto target = jobs_.find(owner).position;
            if (!target || !leads_back(*target)) continue;
            return fmt::format("{} of owner {}, which {}", one.kind, owner,
                               *target == position ? "it is itself" : "waits for it in turn");
        }
        if (one.array && leads_back(array_node(*one.array))) {
            return fmt::format("{} of array {}, which waits for it in turn", one.kind, *one.array);
        }
    }
    return "singleton: one of its name in front waits for it in turn";
}

void QueueFindings::find_conditions(std::size_t position) {
    const StartConditions* const conditions = jobs_.at(queue_[position].owner).conditions;
    std::optional<Finding> finding;
    std::optional<std::size_t> before;  // the last of its name in front of it
    if (conditions != nullptr) {
        Namesakes* const same = conditions->name.empty() ? nullptr : &namesakes_[conditions->name];
        if (same != nullptr) before = std::exchange(same->last, position);
        each_.clear();
        for (const Dependency& one : conditions->dependencies) {
            each_.push_back(one.kind == Dependency::Kind::singleton
                                ? singleton_finding(one, *same, before)
                                : finding_of(one, outcome_of(one)));
            finding =
                finding ? combined(*finding, each_.back(), conditions->is_any_of) : each_.back();
        }
    }
    const bool waits = finding && finding->answer == Answer::waits;
    needs_one_.push_back(waits && conditions->is_any_of);
    if (waits) link(conditions->is_any_of, before);
    links_.end_node();
    before_.push_back(before);
    findings_.push_back(finding.value_or(Finding{}));
}

Outcome QueueFindings::outcome_of(const Dependency& one) {
    Outcome outcome;
    for (const OwnerId owner : one.jobs) outcome.add(owner, jobs_.find(owner), one.kind);
    if (one.array) outcome.add(arrays_.outcome(*one.array, one.kind));
    return outcome;
}

Finding QueueFindings::singleton_finding(const Dependency& singleton, const Namesakes& same,
                                         std::optional<std::size_t> before) const {
    Finding finding{Answer::met, {}, &singleton, {}};
    if (!same.running && !before) return finding;
    finding.answer = Answer::waits;
    finding.who = same.running ? *same.running : queue_[*before].owner;
    return finding;
}

void QueueFindings::link(bool is_any_of, std::optional<std::size_t> before) {
    for (const Finding& one : each_) {
        if (one.answer != Answer::waits) continue;
        if (is_any_of) {
            links_.targets.push_back(2 * queue_.size() + arrays_.size() + ways_.size());
            link(*one.dependency, before, ways_);
            ways_.end_node();
        } else {
            link(*one.dependency, before, links_);
        }
    }
}

void QueueFindings::link(const Dependency& one, std::optional<std::size_t> before,
                         Links& links) const {
    for (const OwnerId owner : one.jobs) {
        if (const auto target = jobs_.find(owner).position) links.targets.push_back(*target);
    }
    if (one.array) links.targets.push_back(array_node(*one.array));
    if (one.kind == Dependency::Kind::singleton && before) {
        links.targets.push_back(name_node(*before));
    }
}

void QueueFindings::link_others() {
    for (std::size_t i = 0; i < queue_.size(); ++i) {
        links_.targets.push_back(i);
        if (before_[i]) links_.targets.push_back(name_node(*before_[i]));
        links_.end_node();
    }
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
        for (const OwnerId owner : arrays_.tasks(i)) {
            const auto target = jobs_.at(owner).position;
            if (target) links_.targets.push_back(*target);
        }
        links_.end_node();
    }
    for (std::size_t i = 0; i < ways_.size(); ++i) {
        const auto targets = ways_.of(i);
        links_.targets.insert(links_.targets.end(), targets.begin(), targets.end());
        links_.end_node();
    }
    needs_one_.resize(links_.size());
}

}  // namespace detail

}  // namespace trestle
