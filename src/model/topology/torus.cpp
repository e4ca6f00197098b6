// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/topology/torus.hpp"

#include "model/topology/add_once.hpp"
#include "model/topology/names.hpp"
#include "trestle/base/status.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

Status check(const TorusTopology& topology) {
    TRESTLE_TRY_STATUS(detail::check_names("torus", topology.toruses));
    NodeSet seen;
    for (const TorusTopology::Torus& torus : topology.toruses) {
        const TorusTopology::Shape& shape = torus.shape;
        const auto volume = shape.volume();
        if (!volume || *volume == 0 || *volume != torus.nodes.size()) {
            return invalid_argument("torus {}: {} places, expected {} x {} x {}", torus.name,
                                    torus.nodes.size(), shape.x, shape.y, shape.z);
        }
        for (const auto& node : torus.nodes) {
            if (!node) continue;
            TRESTLE_TRY_STATUS(add_once("torus", torus.name, *node, seen));
        }
    }
    return {};
}

}  // namespace trestle
