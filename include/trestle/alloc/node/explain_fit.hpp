// SPDX-License-Identifier: Apache-2.0
#pragma once

// explain_fit: why one node cannot take a demand, and what it could take instead.
//
// Layer: alloc. Main function: explain_fit(shape, ledger, demand, options) -> FitExplanation. It
// asks fit() what if, a bounded number of times; explain.hpp asks all nodes of a cluster.
// A reader would get wrong: it is for people who wait for an answer, not for the inner loop of a
// scheduler: it costs tens of calls of fit().

#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit_explanation.hpp"
#include "trestle/alloc/node/fit_options.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/model/node.hpp"

namespace trestle {

/// What fit() says, and why.
///
/// Removals: for each demand for devices name, type, vendor, model, memory, compute capability,
/// attributes; then health, drain mark, warning; how it can be shared or cut; who has it; switches.
/// For cores what the system keeps, who has them (in the row with the most free ones), threads,
/// cores_per_socket, devices that they are reserved for, nearness, who has CPUs in thousandths. For
/// these likewise what the system keeps, who has the cores, who has thousandths. For memory what
/// the system keeps, who has it, nearness. Steps that remove nothing and subjects of which nothing
/// is asked are left out.
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
