// SPDX-License-Identifier: Apache-2.0
#pragma once

// SumColumns: what each node has left in sums, in columns, for demands that sums decide.
//
// Layer: alloc (detail). Main types: SumColumns, SumQuestion. Most demands are of sums
// (FitProblem::is_of_sums); then a node of a class can take one when four numbers suffice, and ten
// thousand nodes are asked as fast as their numbers are read.
// A reader would get wrong: the columns are of the cluster as it was when they were made.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/fit/demand.hpp"
#include "trestle/alloc/fit/detail/fit_problem.hpp"
#include "trestle/alloc/fit/fit_options.hpp"
#include "trestle/alloc/place/eligibility.hpp"
#include "trestle/alloc/place/state_follower.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

/// What nodes of a class must have left.
struct LeastSums {
    std::int64_t cores = 0;
    MilliCpu milli_cpus;
    Bytes memory;
    std::uint64_t device_mask = 0;  ///< those that match, by DeviceId
    std::uint32_t devices = 0;      ///< of them, untouched

    /// What no node has.
    [[nodiscard]] static LeastSums never() {
        LeastSums least;
        least.devices = masked_devices + 1;
        return least;
    }
};

/// What a request asks of each node.
struct SumQuestion {
    std::vector<LeastSums> by_class;             ///< by ClassId
    const std::vector<std::uint8_t>* untouched;  ///< of the devices that match, by NodeId
};

class SumColumns {
  public:
    /// Requires: `states` follows the cluster.
    SumColumns(const Cluster& cluster, const StateFollower& states) {
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

    /// What nodes must have left for the part; nothing where sums do not decide it. It refers to
    /// what is kept here.
    [[nodiscard]] std::optional<SumQuestion> question(const Cluster& cluster,
                                                      const Request& request, const NodePart& part,
                                                      const FitOptions& options) {
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

    /// Requires: the question is ours.
    [[nodiscard]] bool suffice(const SumQuestion& question, std::size_t node) const {
        const Row& row = rows_[node];
        const LeastSums& least = question.by_class[row.node_class.value()];
        return (*question.untouched)[node] >= least.devices && row.sums.cores >= least.cores &&
               row.sums.memory >= least.memory && row.sums.milli_cpus >= least.milli_cpus;
    }

  private:
    struct Row {
        FreeSums sums;
        std::uint64_t untouched = 0;
        ClassId node_class;
    };

    [[nodiscard]] std::optional<LeastSums> least_of(const NodeShape& shape, const Request& request,
                                                    const NodePart& part,
                                                    const FitOptions& options) const {
        const NodeDemand demand = demand_of(request, part, socket_count(shape));
        const FitProblem problem(shape, demand, options);
        if (!problem.is_of_sums() || !problem.whole_devices()) return std::nullopt;
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

    /// Counted once for requests that match the same devices: it would be most of the work.
    [[nodiscard]] const std::vector<std::uint8_t>& untouched(
        const std::vector<std::uint64_t>& masks) {
        std::vector<std::uint8_t>& counts = untouched_[masks];
        if (counts.size() == rows_.size()) return counts;
        counts.reserve(rows_.size());
        for (const Row& row : rows_) {
            const std::uint64_t matching = row.untouched & masks[row.node_class.value()];
            counts.push_back(static_cast<std::uint8_t>(std::popcount(matching)));
        }
        return counts;
    }

    std::vector<Row> rows_;      ///< by NodeId
    std::vector<bool> is_used_;  ///< by ClassId: nodes are of the class
    std::map<std::vector<std::uint64_t>, std::vector<std::uint8_t>> untouched_;  ///< by masks
    bool has_thousandths_ = false;  ///< are taken somewhere
};

}  // namespace trestle::detail
