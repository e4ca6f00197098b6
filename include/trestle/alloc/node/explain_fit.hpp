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
/// Removals are the steps from what the node has to what is left for the demand. Steps that remove
/// nothing, and resources that are not requested, are left out.
/// - Each demand for devices: name, type, vendor, model, memory, compute capability, attributes;
///   then health, drain mark, warning. How it can be shared or cut. Other owners. Switches.
/// - Cores: what the system keeps, other owners (in the row with the most free cores), threads,
///   cores_per_socket. Then devices that they are reserved for, nearness, owners of CPUs in
///   thousandths.
/// - Thousandths of CPUs: what the system keeps, owners of the cores, owners of thousandths.
/// - Memory: what the system keeps, other owners, nearness.
///
/// Relaxations are changes of one thing after which the demand fits, in the order of
/// FitExplanation::Relaxation::Kind. Amounts come by the lost share of what was requested, least
/// first; equal ones in the order of the demand. An amount is as large as possible, memory in round
/// steps of about a thousandth or less. If no single change of the demand is enough, there is one
/// combination without a superfluous change. For devices and owners: each that is enough by itself,
/// else one group without a superfluous member, of the first 32.
///
/// Where fit() gave up, only removals are given.
/// Requires: check(shape) is ok, `ledger` belongs to `shape`. Complexity: fit(), and at most 256
/// further calls of it, each with a 64th of `steps_max`; see FitExplanation::is_complete.
[[nodiscard]] FitExplanation explain_fit(const NodeShape& shape, const NodeLedger& ledger,
                                         const NodeDemand& demand, const FitOptions& options = {});

}  // namespace trestle
