// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/topology/ring.hpp"

#include "model/topology/add_once.hpp"
#include "model/topology/names.hpp"
#include "trestle/base/status.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

Status check(const RingTopology& topology) {
    TRESTLE_TRY_STATUS(detail::check_names("ring", topology.rings));
    NodeSet seen;
    for (const RingTopology::Ring& ring : topology.rings) {
        for (const NodeId node : ring.nodes) {
            TRESTLE_TRY_STATUS(add_once("ring", ring.name, node, seen));
        }
    }
    return {};
}

}  // namespace trestle
