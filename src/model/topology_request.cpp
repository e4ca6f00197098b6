// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/topology_request.hpp"

#include <algorithm>

#include "model/topology/levels.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/topology/block.hpp"

namespace trestle {

namespace {

Status check_segments(Count size, const Range<Count>& nodes) {
    if (size.is_zero()) return invalid_argument("segment_size: 0, expected 1 or more");
    const Count least = std::max(nodes.least(), Count(1));
    const auto lowest = checked_mul(size, div_ceil(least, size.value()).value());
    if (lowest && nodes.contains(*lowest)) return {};
    return invalid_argument("segment_size: {}, expected one that divides a number of nodes",
                            size.value());
}

Status check_box(const TorusTopology::Shape& shape, const Range<Count>& nodes) {
    const auto volume = shape.volume();
    if (volume && *volume != 0 && nodes.contains(Count(*volume))) return {};
    return invalid_argument("shape: {} x {} x {}, expected as many places as nodes", shape.x,
                            shape.y, shape.z);
}

}  // namespace

Status check(const TopologyRequest& request, const Range<Count>& nodes) {
    if (request.switches_max == Count(0)) {
        return invalid_argument("switches_max: 0, expected 1 or more");
    }
    if (request.level && *request.level > Count(detail::block_level_max)) {
        return invalid_argument("level: {}, expected at most {}", request.level->value(),
                                detail::block_level_max);
    }
    const int kinds = int{request.switches_max.has_value()} +
                      int{request.segment_size.has_value()} + int{request.shape.has_value()} +
                      int{request.is_on_ring};
    if (kinds > 1) {
        return invalid_argument(
            "switches_max, segment_size, shape, is_on_ring: expected at most one of them");
    }
    if (request.level && (request.shape || request.is_on_ring)) {
        return invalid_argument("level: expected neither a shape nor a ring");
    }
    if (request.is_contiguous && (request.segment_size || request.shape || request.is_on_ring)) {
        return invalid_argument("is_contiguous: expected neither segments, a shape nor a ring");
    }
    if (request.segment_size) {
        TRESTLE_TRY_STATUS(check_segments(*request.segment_size, nodes));
    }
    if (request.shape) TRESTLE_TRY_STATUS(check_box(*request.shape, nodes));
    return {};
}

}  // namespace trestle
