// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/topology_request.hpp"

#include <functional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "trestle/model/request.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

TEST_CASE("check: what is asked of the network makes sense together", "[model]") {
    struct Row {
        std::function<void(TopologyRequest&)> change;
        std::string error;
        const char* why;
    };
    const std::vector<Row> rows = {
        {[](auto&) {}, "", "nothing is asked"},
        {[](auto& r) { r.topology = "pods"; }, "", "a name says the kind"},
        {[](auto& r) { r.switches_max = Count(1), r.level = Count(2), r.is_contiguous = true; }, "",
         "two leaf switches of one pod, ids in a row"},
        {[](auto& r) { r.switches_max = Count(0); }, "switches_max: 0, expected 1 or more",
         "no switch"},
        {[](auto& r) { r.level = Count(31); }, "", "2^31 blocks"},
        {[](auto& r) { r.level = Count(32); }, "level: 32, expected at most 31", "too wide"},
        {[](auto& r) { r.segment_size = Count(4), r.level = Count(1); }, "",
         "12 = 3 x 4 in a pair of blocks"},
        {[](auto& r) { r.segment_size = Count(6); }, "", "12 is in the range, 8 is not a multiple"},
        {[](auto& r) { r.segment_size = Count(7); },
         "segment_size: 7, expected one that divides a number of nodes", "14 is beyond"},
        {[](auto& r) { r.segment_size = Count(0); }, "segment_size: 0, expected 1 or more",
         "empty"},
        {[](auto& r) { r.segment_size = Count::max(); },
         "segment_size: 9223372036854775807, expected one that divides a number of nodes",
         "larger than the job"},
        {[](auto& r) {
             r.shape = TorusTopology::Shape{3, 2, 2};
         },
         "", "12 nodes"},
        {[](auto& r) {
             r.shape = TorusTopology::Shape{2, 2, 2};
         },
         "", "8 nodes"},
        {[](auto& r) {
             r.shape = TorusTopology::Shape{2, 2, 1};
         },
         "shape: 2 x 2 x 1, expected as many places as nodes", "4 are too few"},
        {[](auto& r) {
             r.shape = TorusTopology::Shape{0, 2, 1};
         },
         "shape: 0 x 2 x 1, expected as many places as nodes", "none"},
        {[](auto& r) { r.is_on_ring = true; }, "", "a ring"},
        {[](auto& r) { r.is_on_ring = true, r.segment_size = Count(4); },
         "switches_max, segment_size, shape, is_on_ring: expected at most one of them",
         "two kinds"},
        {[](auto& r) { r.is_on_ring = true, r.level = Count(0); },
         "level: expected neither a shape nor a ring", "a ring has no levels"},
        {[](auto& r) { r.is_on_ring = true, r.is_contiguous = true; },
         "is_contiguous: expected neither segments, a shape nor a ring", "ids or the ring"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        TopologyRequest request;
        row.change(request);
        CHECK(message(check(request, Range<Count>::between(Count(8), Count(13)))) == row.error);
    }
}

TEST_CASE("check: any number of nodes holds a multiple", "[model]") {
    TopologyRequest request;
    request.segment_size = Count(5);
    CHECK(check(request, {}).ok());
    CHECK(check(request, Range<Count>::at_least(Count(8))).ok());
    CHECK_FALSE(check(request, Range<Count>::at_most(Count(4))).ok());
    CHECK_FALSE(check(request, Range<Count>::at_least(Count::max())).ok());
}

TEST_CASE("check: a request is checked with its topology", "[model]") {
    Request request;
    request.topology.switches_max = Count(0);
    CHECK(message(check(request)) == "topology: switches_max: 0, expected 1 or more");
    request.topology = {};
    request.topology.shape = TorusTopology::Shape{2, 1, 1};
    CHECK_FALSE(check(request).ok());
    request.nodes = Range<Count>::exactly(Count(2));
    CHECK(check(request).ok());
}

}  // namespace
}  // namespace trestle
