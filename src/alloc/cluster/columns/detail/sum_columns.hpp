// SPDX-License-Identifier: Apache-2.0
#pragma once

// SumColumns: what each node has left in sums, in columns, for demands that sums decide.
//
// Layer: alloc (detail). Main types: SumColumns, SumQuestion. Most demands are of sums
// (FitProblem::decided_by_totals); then a node of a class can take one when four numbers suffice,
// and ten thousand nodes are asked as fast as their numbers are read.
// Pitfall: the columns are of the cluster as it was when they were made.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "alloc/cluster/place/state_cache.hpp"
#include "alloc/node/free/free_sums.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit_options.hpp"
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
    [[nodiscard]] static LeastSums never();
};

/// What a request asks of each node.
struct SumQuestion {
    std::vector<LeastSums> by_class;             ///< by ClassId
    const std::vector<std::uint8_t>* untouched;  ///< of the devices that match, by NodeId
};

class SumColumns {
  public:
    /// Requires: `states` follows the cluster.
    SumColumns(const Cluster& cluster, const StateCache& states);

    /// What nodes must have left for the part; nothing where sums do not decide it. It refers to
    /// what is kept here.
    [[nodiscard]] std::optional<SumQuestion> question(const Cluster& cluster,
                                                      const Request& request, const NodePart& part,
                                                      const FitOptions& options);

    /// Requires: the question is ours.
    [[nodiscard]] bool suffice(const SumQuestion& question, std::size_t node) const;

  private:
    struct Row {
        FreeSums sums;
        std::uint64_t untouched = 0;
        ClassId node_class;
    };

    [[nodiscard]] std::optional<LeastSums> least_of(const NodeShape& shape, const Request& request,
                                                    const NodePart& part,
                                                    const FitOptions& options) const;

    /// Counted once for requests that match the same devices: it would be most of the work.
    [[nodiscard]] const std::vector<std::uint8_t>& untouched(
        const std::vector<std::uint64_t>& masks);

    std::vector<Row> rows_;      ///< by NodeId
    std::vector<bool> is_used_;  ///< by ClassId: nodes are of the class
    std::map<std::vector<std::uint64_t>, std::vector<std::uint8_t>> untouched_;  ///< by masks
    bool has_thousandths_ = false;  ///< are taken somewhere
};

}  // namespace trestle::detail
