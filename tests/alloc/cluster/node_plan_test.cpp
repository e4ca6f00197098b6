// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/node_plan.hpp"

#include <cstdint>
#include <optional>

#include "support/catch.hpp"

namespace trestle {
namespace {

using detail::NodeStep;
using detail::Transitions;

NodePlacement some_of_all() {
    NodePlacement part;
    part.cores = CoreSet::of({CoreId(1)});
    part.milli_cpus = MilliCpu(500);
    part.memory = {{DomainId(0), Bytes(3)}};
    part.devices = {{DeviceId(2), Count(1)}};
    return part;
}

}  // namespace

TEST_CASE("Transitions: a step is known again, and none like it is taken for it", "[alloc]") {
    const NodePlacement part = some_of_all();
    NodePlacement cores = part;
    cores.cores.insert(CoreId(2));
    NodePlacement milli_cpus = part;
    milli_cpus.milli_cpus = MilliCpu(501);
    NodePlacement memory = part;
    memory.memory[0].bytes = Bytes(4);
    NodePlacement devices = part;
    devices.devices[0].shares = Count(2);
    const NodeStates states{};
    // Of two steps one in sixteen has the other's place: hence so many rounds.
    for (std::uint32_t round = 0; round < 1'000; ++round) {
        const NodeStep step{StateId(round), true, false, 1, &part};
        NodeStep others[] = {step, step, step, step, step, step, step, step};
        others[0].from = StateId(round + 1);
        others[1].is_release = false;
        others[2].others_have_something = true;
        others[3].other_kinds = 2;
        others[4].part = &cores;
        others[5].part = &milli_cpus;
        others[6].part = &memory;
        others[7].part = &devices;
        Transitions transitions;
        transitions.add(states, step, StateId(7));
        REQUIRE(transitions.find(states, step) == StateId(7));
        for (const NodeStep& other : others) {
            REQUIRE(transitions.find(states, other) == std::nullopt);
        }
    }
}

TEST_CASE("Transitions: nothing outlives the numbers of the states", "[alloc]") {
    const NodePlacement part = some_of_all();
    for (std::uint32_t round = 0; round < 100; ++round) {
        const NodeStep step{StateId(round), true, false, 1, &part};
        const NodeStep next{StateId(round + 1), true, false, 1, &part};
        NodeStates states;
        Transitions transitions;
        transitions.add(states, step, StateId(7));
        states.forget_unused();
        REQUIRE(transitions.find(states, step) == std::nullopt);
        transitions.add(states, next, StateId(8));
        REQUIRE(transitions.find(states, step) == std::nullopt);
        REQUIRE(transitions.find(states, next) == StateId(8));
    }
}

}  // namespace trestle
