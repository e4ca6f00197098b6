// SPDX-License-Identifier: Apache-2.0
#pragma once

// The alternatives of a request, as requests without alternatives.
//
// Layer: alloc (detail). Main functions: variants_of(request), features_of_any_set(request).

#include <vector>

#include "trestle/base/shared.hpp"
#include "trestle/model/features.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

/// See PreparedRequest::variants(). A request without alternatives is its own only variant and is
/// not copied.
[[nodiscard]] std::vector<Shared<Request>> variants_of(const Shared<Request>& request);

/// What a node has to meet if any one of the feature sets will do for it.
[[nodiscard]] FeatureExpression features_of_any_set(const Request& request);

}  // namespace trestle::detail
