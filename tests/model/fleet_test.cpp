// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/fleet.hpp"

#include <vector>

#include "model/fleets.hpp"
#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

Fleet fleet(const char* name, NodeSet nodes) {
    Fleet made;
    made.name = name;
    made.nodes = std::move(nodes);
    return made;
}

TEST_CASE("check: a node belongs to one fleet", "[model]") {
    CHECK(check(std::vector<Fleet>{}).ok());
    std::vector<Fleet> fleets{fleet("a", NodeSet::range({0, 4})), fleet("b", {}),
                              fleet("c", NodeSet::range({4, 6}))};
    CHECK(check(fleets).ok());
    fleets.push_back(fleet("d", NodeSet::of({NodeId(3), NodeId(9)})));
    CHECK(check(fleets).code() == StatusCode::kInvalidArgument);
    CHECK(message(check(fleets)) == "fleet d: node 3 belongs to fleet a already");
}

TEST_CASE("check: a fleet cuts its nodes into at least one block", "[model]") {
    Fleet none = fleet("a", {});
    none.blocks = Count(0);
    CHECK(message(check(std::vector{none})) == "fleet a: blocks=0, expected 1 or more");
}

TEST_CASE("add_node: a node joins one fleet, and the fleet that has it is named", "[model]") {
    std::vector<Fleet> fleets{fleet("a", NodeSet::range({0, 2})), fleet("b", {})};
    fleets[1].size = Range<Count>::at_most(Count(1));
    CHECK(fleet_of(fleets, NodeId(1)) == &fleets[0]);
    CHECK(fleet_of(fleets, NodeId(2)) == nullptr);

    const auto before = fleets;
    CHECK(add_node(fleets, "a", NodeId(1)).ok());
    const Status taken = add_node(fleets, "b", NodeId(1));
    CHECK(taken.code() == StatusCode::kFailedPrecondition);
    CHECK(message(taken) == "node 1 belongs to fleet a already");
    const Status unknown = add_node(fleets, "c", NodeId(2));
    CHECK(unknown.code() == StatusCode::kNotFound);
    CHECK(message(unknown) == "there is no fleet c");
    CHECK(fleets == before);

    CHECK(add_node(fleets, "b", NodeId(2)).ok());
    CHECK(fleets[1].nodes == NodeSet::of({NodeId(2)}));
    CHECK(check(fleets).ok());
    const auto full = fleets;
    CHECK(message(add_node(fleets, "b", NodeId(3))) == "fleet b has 1 nodes, as many as it may");
    CHECK(fleets == full);
}

TEST_CASE("remove_node: gives a node back that the fleet has", "[model]") {
    std::vector<Fleet> fleets{fleet("a", NodeSet::range({0, 2})), fleet("b", {})};
    const auto before = fleets;
    CHECK(remove_node(fleets, "b", NodeId(0)).code() == StatusCode::kNotFound);
    CHECK(message(remove_node(fleets, "b", NodeId(0))) == "node 0 is not in fleet b");
    CHECK(message(remove_node(fleets, "c", NodeId(0))) == "there is no fleet c");
    CHECK(fleets == before);
    CHECK(remove_node(fleets, "a", NodeId(0)).ok());
    CHECK(fleet_of(fleets, NodeId(0)) == nullptr);
    CHECK(add_node(fleets, "b", NodeId(0)).ok());
    CHECK(fleet_of(fleets, NodeId(0)) == &fleets[1]);
}

}  // namespace
}  // namespace trestle
