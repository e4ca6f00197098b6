// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/json/cluster.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/testing/cluster_text.hpp"
#include "trestle/testing/generators.hpp"
#include "trestle/testing/operations.hpp"

namespace trestle::json {
namespace {

using testing::Choices;

TEST_CASE("JSON: a cluster comes back with its allocations", "[json][law]") {
    std::size_t allocations = 0;
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(200u)}, [&](Choices& choices) {
        Cluster cluster = testing::any_cluster(choices);
        testing::Bounds::History bounds;
        bounds.nodes = cluster.node_count();
        for (const auto& operation : testing::any_operations(choices, bounds)) {
            testing::play(cluster, operation);
        }
        allocations += cluster.allocations().size();
        const auto back = from_json_text<Cluster>(to_json_text(cluster));
        REQUIRE(message(back.status()) == "");
        REQUIRE(*back == cluster);
    });
    CHECK(allocations > test_rounds(40u));
}

TEST_CASE("JSON: nodes of one shape share it again", "[json]") {
    const auto cluster = testing::cluster_from_text("3 x (4c); (2c)").value();
    const auto back = from_json_text<Cluster>(to_json_text(cluster)).value();
    CHECK(back.node(NodeId(0)).shape.is_same_object(back.node(NodeId(2)).shape));
    CHECK_FALSE(back.node(NodeId(0)).shape.is_same_object(back.node(NodeId(3)).shape));
}

TEST_CASE("JSON: a shape stands once in a list of nodes", "[json]") {
    const auto cluster = testing::cluster_from_text("2 x (4c); (2c); 2 x (4c)").value();
    auto nodes = cluster.parts().nodes;
    nodes[3].shape = Shared<NodeShape>(*nodes[3].shape);  // equal, and another object
    nodes.emplace_back();                                 // without a shape
    const std::string text = to_json_text(nodes);
    const auto count = [&](const std::string& part) {
        std::size_t found = 0;
        for (std::size_t at = text.find(part); at != std::string::npos;
             at = text.find(part, at + 1)) {
            ++found;
        }
        return found;
    };
    CHECK(count("\"hardware\":") == 2);
    CHECK(count("\"shape\":0") == 3);
    const auto back = from_json_text<std::vector<Node>>(text);
    REQUIRE(back.ok());
    CHECK(*back == nodes);
    CHECK(to_json_text(*back) == text);
    CHECK((*back)[0].shape.is_same_object((*back)[4].shape));

    const char* const expected = "an object, or the position of a node before it";
    const std::pair<const char*, const char*> rows[] = {
        {R"([{"shape":0}])", "json: [0].shape: 0, expected "},
        {R"([{},{"shape":1}])", "json: [1].shape: 1, expected "},
        {R"([{},{"shape":18446744073709551615}])",
         "json: [1].shape: 18446744073709551615, expected "},
    };
    for (const auto& [document, error] : rows) {
        CHECK(message(from_json_text<std::vector<Node>>(document).status()) ==
              std::string(error) + expected);
    }
    CHECK_FALSE(from_json_text<std::vector<Node>>(R"([{},{"shape":-1}])").ok());
    CHECK_FALSE(from_json_text<Node>(R"({"shape":0})").ok());
}

TEST_CASE("JSON: a cluster is checked when it is read", "[json]") {
    struct RequestRow {
        const char* text;
        const char* error;
        const char* why;
    };
    const RequestRow rows[] = {
        {R"({"parts":{"nodes":[{"name":"a"},{"name":"a"}]}})",
         "json: parts: node a: the name stands twice, expected a consistent cluster",
         "two nodes of one name"},
        {R"({"parts":{"nodes":[{"name":"a","shape":{"hardware":{"cores":[{"threads":[0]}]}}}]},)"
         R"("allocations":[{"owner":1,"placement":{"nodes":[{"cores":"0"}]}},)"
         R"({"owner":2,"placement":{"nodes":[{"cores":"0"}]}}]})",
         "json: allocations[1]: node a: core 0 belongs to owner 1, expected what is free",
         "two owners of one core"},
        {R"({"parts":{},"allocations":[{"placement":{"nodes":[{"node":3}]}}]})",
         "json: allocations[0]: node 3 does not exist, expected what is free", "a node too many"},
        {R"({"nodes":[]})", "json: nodes: an unknown name, expected one of parts, allocations",
         "a list of nodes is no cluster"},
    };
    for (const RequestRow& row : rows) {
        INFO(row.why);
        CHECK(message(from_json_text<Cluster>(row.text).status()) == row.error);
    }
}

}  // namespace
}  // namespace trestle::json
