// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/fragment_search.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/cluster/states/node_states.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

namespace detail {

Status check_typical_jobs(const std::vector<PolicyOptions::TypicalJob>& jobs) {
    bool is_any_seen = false;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (!checked_mul(jobs[i].devices, jobs[i].thousandths.value())) {
            return invalid_argument("typical job {} wants {} times {} thousandths of a device", i,
                                    jobs[i].devices, jobs[i].thousandths);
        }
        is_any_seen |= !jobs[i].seen.is_zero();
    }
    if (is_any_seen) return Status();
    return invalid_argument("fragments are measured by typical jobs, the options name none");
}

std::int64_t FragmentMeter::of(const Cluster& cluster, const NodeStateData& state) const {
    if (!is_usable(cluster.classes()[state.node_class])) return 0;
    return std::llround(1000 * scorer_.before(state).value);
}

std::int64_t FragmentMeter::of(const Cluster& cluster) const {
    std::int64_t sum = 0;
    cluster.states().for_each([&](StateId id) {
        sum += cluster.states().nodes_in(id) * of(cluster, *cluster.states()[id]);
    });
    return sum;
}

std::int64_t FragmentMeter::of(const Cluster& cluster, const NodeSet& nodes) const {
    std::int64_t sum = 0;
    for (const NodeId node : nodes) sum += of(cluster, cluster.state(node));
    return sum;
}

PlaceOptions FragmentMeter::options_of(const PolicyOptions& policy) {
    PlaceOptions options;
    options.policy = Policy::fgd;
    options.policy_options = policy;
    return options;
}

FragmentSearch::FragmentSearch(MoveTrials& trials, const std::vector<Mover>& movers,
                               const PolicyOptions& options)
    : trials_(trials),
      movers_(movers),
      meter_(trials.cluster(), options),
      destinations_(movers.size()) {
    for (std::size_t i = 0; i < movers.size(); ++i) old_.insert({unknown, i});
}

FragmentationPlan FragmentSearch::run() {
    FragmentationPlan plan;
    plan.before = meter_.of(trials_.cluster());
    plan.after = plan.before;
    const auto max = trials_.rules().moves_max;
    while (!max || static_cast<std::int64_t>(plan.moves.size()) < max->value()) {
        const std::optional<Offer> best = find_best();
        if (!best) {
            plan.is_settled = trials_.is_sure();
            break;
        }
        const Mover& mover = movers_[best->second];
        const Placement& to = *destinations_[best->second];
        trials_.make(mover, to);
        plan.moves.push_back({mover.owner(), mover.held.placement, to});
        plan.after += best->first;
        new_.erase(*best);
        old_.merge(new_);
    }
    return plan;
}

std::optional<FragmentSearch::Offer> FragmentSearch::find_best() {
    const auto lowers = [&] { return !new_.empty() && new_.begin()->first < 0; };
    const auto is_first = [&] { return old_.empty() || *new_.begin() < *old_.begin(); };
    while (!(lowers() && is_first())) {
        if (old_.empty() || !work_out(*old_.begin())) break;
    }
    return lowers() ? std::optional(*new_.begin()) : std::nullopt;
}

bool FragmentSearch::work_out(Offer old) {
    const Mover& mover = movers_[old.second];
    auto to = trials_.destination(mover, nullptr).to;
    if (trials_.is_over()) return false;
    std::int64_t more = 0;
    if (to) {
        NodeSet changed;
        for (const NodePlacement& part : mover.held.placement.nodes) changed.insert(part.node);
        for (const NodePlacement& part : to->nodes) changed.insert(part.node);
        more -= meter_.of(trials_.cluster(), changed);
        const Cluster::Trial trial = trials_.cluster().trial();
        trials_.make(mover, *to);
        more += meter_.of(trials_.cluster(), changed);
    }
    old_.erase(old);
    new_.insert({more, old.second});
    destinations_[old.second] = std::move(to);
    return true;
}

}  // namespace detail

}  // namespace trestle
