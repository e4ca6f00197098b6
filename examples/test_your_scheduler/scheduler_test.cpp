// SPDX-License-Identifier: Apache-2.0
#include "scheduler.hpp"
#include TRESTLE_CATCH_HEADER  // 2 or 3: see CMakeLists.txt
#include "trestle/enforce/faulty_enforcer.hpp"
#include "trestle/testing/cluster_text.hpp"
#include "trestle/testing/generators.hpp"
#include "trestle/testing/scripted_enforcer.hpp"
using namespace trestle;
using namespace trestle::testing;

TEST_CASE("a job waits for the GPU and gets it when the first is killed for memory") {
    ManualClock clock;
    ScriptedEnforcer enforcer(clock);
    enforcer.set_script("greedy", {.duration = seconds(60), .memory = {{seconds(5), gib(3)}}});
    Scheduler scheduler(cluster_from_text("2 x (4c mem=8G gpu:1)").value(), enforcer);
    Request request;
    request.memory = Range<Bytes>::exactly(gib(2));
    request.devices = {DeviceRequest{}};
    for (int i = 0; i < 3; ++i) scheduler.submit(request, "greedy");
    REQUIRE(scheduler.tick().ok());
    CHECK(scheduler.waiting() == 1);  // three jobs, two GPUs
    clock.advance(seconds(5));
    REQUIRE(scheduler.tick().ok());
    CHECK(scheduler.ended().at(OwnerId(1)).ending == Outcome::Ending::out_of_memory);
    CHECK(scheduler.cluster().find_allocation(OwnerId(3))->placement.nodes[0].node == NodeId(0));
}

TEST_CASE("whatever is asked and whichever call fails, all is idle again in the end") {
    for_random_choices({.seed = 1, .count = 200}, [](Choices& choices) {
        ManualClock clock;
        ScriptedEnforcer machine(clock);
        FaultyEnforcer enforcer(machine, FaultyEnforcer::Fault::once(choices.below(60)));
        const Cluster idle = any_cluster(choices);
        Scheduler scheduler(idle, enforcer);
        for (int i = 0; i < 5; ++i) scheduler.submit(any_request(choices, {.nodes = 1}), "true");
        for (int i = 0; i < 7; ++i) static_cast<void>(scheduler.tick());  // one of them may fail
        CHECK(scheduler.cluster() == idle);
        CHECK(machine.recover()->empty());
    });
}
