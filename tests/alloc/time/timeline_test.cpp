// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/time/timeline.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "trestle/alloc/time/earliest_start.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("smoke", "[alloc][time]") {
    Timeline t(*testing::cluster_from_text("2 x (4c)"));
    CHECK(t.reserve({OwnerId(1), {}, *whole_nodes(t.cluster(), NodeSet::of({NodeId(0)}))}, {Instant(5), Instant(10)}).ok());
    const auto s = earliest_start(t, Request(), {{}, Seconds(10), {}});
    REQUIRE(s.ok());
    REQUIRE(*s);
    CHECK((*s)->placement.nodes[0].node == NodeId(1));
}

}  // namespace
}  // namespace trestle
