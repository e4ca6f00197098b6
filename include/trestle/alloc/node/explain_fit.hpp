// SPDX-License-Identifier: Apache-2.0
#pragma once

// explain_fit: why one node cannot take a demand, and what it could take instead.
//
// Layer: alloc. Main function: explain_fit(shape, ledger, demand, options) -> FitExplanation. It
// asks fit() what if, a bounded number of times; explain.hpp asks all nodes of a cluster.
// Pitfall: it costs tens of calls of fit(). Use it to answer a question of a user, not in the inner
// loop of a scheduler.

#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit_explanation.hpp"
#include "trestle/alloc/node/fit_options.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/model/node.hpp"

namespace trestle {

/// What fit() returns, and why.
///
/// Removals: for each demand for devices name, type, vendor, model, memory, compute capability,
/// attributes; then health, drain mark, warning; how it can be shared or cut; other owners;
/// switches. For cores what the system keeps, other owners (in the row with the most free ones),
/// threads, cores_per_socket, devices that they are reserved for, nearness, owners of CPUs in
/// thousandths. For thousandths what the system keeps, owners of the cores, owners of thousandths.
/// For memory what the system keeps, other owners, nearness. Steps that remove nothing and subjects
/// of which nothing is asked are left out.
///
/// Relaxations: changes of one thing after which it fits, in the order of ChangeKind; amounts by
/// the share of what was asked that is lost, least first; equal ones in the order of the demand. An
/// amount is as large as it can be, memory in round steps, each about a thousandth or less. Where
/// no one change of the demand is enough, one combination of which nothing can be left out. Devices
/// and owners: each that is enough by itself, else one group of which none can be left out, of the
/// first 32.
///
/// Where fit() gave up nothing is explained but what was removed.
/// Requires: check(shape) is ok, `ledger` belongs to `shape`. Complexity: fit(), and at most 256
/// further questions to it, each with a 64th of `steps_max`; see FitExplanation::is_complete.
[[nodiscard]] FitExplanation explain_fit(const NodeShape& shape, const NodeLedger& ledger,
                                         const NodeDemand& demand, const FitOptions& options = {});

}  // namespace trestle
