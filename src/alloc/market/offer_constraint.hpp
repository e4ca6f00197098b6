// SPDX-License-Identifier: Apache-2.0
#pragma once

// The constraint that a test of an offer stands for, where offers answer for nodes.
//
// Layer: alloc. Main function: constraint_of.

#include "trestle/alloc/market/offer_refusal.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle {

/// The constraint that a test of an offer stands for.
[[nodiscard]] Constraint constraint_of(OfferRefusal::Test test);

}  // namespace trestle
