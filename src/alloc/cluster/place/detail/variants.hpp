// SPDX-License-Identifier: Apache-2.0
#pragma once

// The alternatives of a request, as requests without alternatives.
//
// Layer: alloc (detail). Main function: variants_of(request).

#include <vector>

#include "trestle/base/shared.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

/// See PreparedRequest::variants(). A request without alternatives is its own only variant and is
/// not copied.
[[nodiscard]] std::vector<Shared<Request>> variants_of(const Shared<Request>& request);

}  // namespace trestle::detail
