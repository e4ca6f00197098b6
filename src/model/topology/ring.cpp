// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/topology/ring.hpp"

#include "trestle/base/status.hpp"
#include "trestle/model/topology/names.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

Status check(const RingTopology& topology) {
    TRESTLE_TRY_STATUS(detail::check_names("ring", topology.rings));
    NodeSet seen;
    for (const Ring& ring : topology.rings) {
        for (const NodeId node : ring.nodes) {
            if (node.value() >= NodeSet::index_limit) {
                return invalid_argument("ring {}: node {}, expected a number below {}", ring.name,
                                        node.value(), NodeSet::index_limit);
            }
            if (seen.contains(node)) {
                return invalid_argument("ring {}: node {} has a place already", ring.name,
                                        node.value());
            }
            seen.insert(node);
        }
    }
    return {};
}

}  // namespace trestle
