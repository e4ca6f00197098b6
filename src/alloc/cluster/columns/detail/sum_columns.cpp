// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/columns/detail/sum_columns.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/cluster/place/eligibility.hpp"
#include "alloc/cluster/states/node_states.hpp"
#include "alloc/node/detail/fit_problem.hpp"

namespace trestle {

namespace detail {

LeastSums LeastSums::never() {
    LeastSums least;
    least.devices = masked_devices + 1;
    return least;
}

SumColumns::SumColumns(const Cluster& cluster, const StateCache& states) {
    const std::uint32_t nodes = cluster.node_count();
    rows_.reserve(nodes);
    is_used_.assign(cluster.classes().size(), false);
    for (std::uint32_t n = 0; n < nodes; ++n) {
        const StateId state = cluster.states().of(NodeId(n));
        const KnownState& known = states[state];
        rows_.push_back({known.sums, known.untouched, known.node_class});
        has_thousandths_ = has_thousandths_ || known.sums.has_thousandths;
        is_used_[known.node_class.value()] = true;
    }
}

std::optional<SumQuestion> SumColumns::question(const Cluster& cluster, const Request& request,
                                                const NodePart& part, const FitOptions& options) {
    std::vector<LeastSums> by_class(is_used_.size(), LeastSums::never());
    std::vector<std::uint64_t> masks(is_used_.size(), 0);
    for (std::uint32_t c = 0; c < by_class.size(); ++c) {
        const NodeClass& one = cluster.classes()[ClassId(c)];
        if (!is_used_[c] || refuse_class(cluster, one, request, "")) continue;
        const auto least = least_of(*one.shape, request, part, options);
        if (!least) return std::nullopt;
        by_class[c] = *least;
        masks[c] = least->device_mask;
    }
    return SumQuestion{std::move(by_class), &untouched(masks)};
}

bool SumColumns::suffice(const SumQuestion& question, std::size_t node) const {
    const Row& row = rows_[node];
    const LeastSums& least = question.by_class[row.node_class.value()];
    return (*question.untouched)[node] >= least.devices && row.sums.cores >= least.cores &&
           row.sums.memory >= least.memory && row.sums.milli_cpus >= least.milli_cpus;
}

std::optional<LeastSums> SumColumns::least_of(const NodeShape& shape, const Request& request,
                                              const NodePart& part,
                                              const FitOptions& options) const {
    const NodeDemand demand = demand_of(request, part, shape.socket_count());
    const FitProblem problem(shape, demand, options);
    if (!problem.decided_by_totals() || !problem.whole_devices()) return std::nullopt;
    LeastSums least{problem.sum_cores(), problem.plain_milli_cpus(), problem.sum_memory()};
    if (has_thousandths_ && !problem.is_plain()) return std::nullopt;
    if (demand.devices.empty()) return least;
    least.device_mask = *problem.whole_devices();
    const std::int64_t devices = demand.devices.front().count.least().value();
    const bool is_possible = devices <= std::int64_t{std::popcount(least.device_mask)};
    if (!is_possible) return LeastSums::never();
    least.devices = static_cast<std::uint32_t>(devices);
    return least;
}

const std::vector<std::uint8_t>& SumColumns::untouched(const std::vector<std::uint64_t>& masks) {
    std::vector<std::uint8_t>& counts = untouched_[masks];
    if (counts.size() == rows_.size()) return counts;
    counts.reserve(rows_.size());
    for (const Row& row : rows_) {
        const std::uint64_t matching = row.untouched & masks[row.node_class.value()];
        counts.push_back(static_cast<std::uint8_t>(std::popcount(matching)));
    }
    return counts;
}

}  // namespace detail

}  // namespace trestle
