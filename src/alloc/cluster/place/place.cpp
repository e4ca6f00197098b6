// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/place/place.hpp"

#include "trestle/alloc/cluster/place/placer.hpp"

namespace trestle {

Verdict<Placement> place(const Cluster& cluster, const Request& request,
                         const PlaceOptions& options, const NodeFilter& filter) {
    return Placer(options).place(cluster, Shared<Request>(request), filter);
}

}  // namespace trestle
