// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/fleet.hpp"

#include <vector>

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

TEST_CASE("Partition: prints what differs from a default one", "[model][golden]") {
    Partition partition;
    partition.name = "gpu";
    partition.nodes = NodeSet::range({0, 64});
    partition.state = PartitionState::drain;
    partition.nodes_per_job = Range<Count>::at_most(Count(8));
    partition.max_time = Seconds(3600);
    CHECK(to_text(partition) ==
          "{name=gpu, nodes=0-63, state=drain, nodes_per_job=..8, max_time=3600}");
}

}  // namespace
}  // namespace trestle
