// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/json/timeline.hpp"

#include <string>

#include "support/catch.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle::json {
namespace {

TEST_CASE("JSON: a timeline comes back with all that runs and will", "[json][time]") {
    Timeline timeline(*testing::cluster_from_text("3 x (4c)"), Instant(50));
    const auto on = [&](std::uint32_t node) {
        return *whole_nodes(timeline.cluster(), NodeSet::range({node, node + 1}));
    };
    REQUIRE(timeline.reserve({OwnerId(1), {}, on(0)}, {Instant(50), Instant(100)}).ok());
    REQUIRE(timeline.reserve({OwnerId(2), {}, on(0)}, {Instant(100), end_of_time}).ok());
    REQUIRE(timeline.reserve({OwnerId(3), {}, on(2)}, {Instant(60), Instant(61)}).ok());
    const auto back = from_json_text<Timeline>(to_json_text(timeline));
    REQUIRE(message(back.status()) == "");
    CHECK(*back == timeline);
    CHECK(from_json_text<Timeline>(R"({"cluster":{},"parts":{"now":7}})").value() ==
          Timeline(Cluster(), Instant(7)));
}

TEST_CASE("JSON: a timeline is checked when it is read", "[json][time]") {
    struct Row {
        std::string parts;
        const char* error;
        const char* why;
    };
    const std::string first = R"({"allocation":{"owner":1,"placement":{"nodes":[{"cores":"0"}]}},)"
                              R"("period":{"first":5,"end":9}})";
    const std::string second = R"({"allocation":{"owner":2,"placement":{"nodes":[{"cores":"0"}]}},)"
                               R"("period":{"first":8,"end":9}})";
    const Row rows[] = {
        {R"({"running":[{"owner":4,"period":{"first":0,"end":9}}]})",
         "json: parts: owner 4 running from 0 to 9: expected owners of the cluster, each once, "
         "now, 0, within, expected a consistent timeline",
         "a period of somebody who has nothing"},
        {R"({"reservations":[)" + first + "," + second + "]}",
         "json: parts: owner 2 from 8 to 9: node n0 at 8: core 0 belongs to owner 1, owner 1 from "
         "5 "
         "to 9, expected a consistent timeline",
         "two owners of one core"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const std::string cluster = R"({"parts":{"nodes":[{"name":"n0","shape":{"hardware":)"
                                    R"({"cores":[{"threads":[0]}]}}}]}})";
        const std::string text = R"({"cluster":)" + cluster + R"(,"parts":)" + row.parts + "}";
        CHECK(message(from_json_text<Timeline>(text).status()) == row.error);
    }
}

}  // namespace
}  // namespace trestle::json
