// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/pending_states.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include "support/catch.hpp"

namespace trestle {
namespace {

using detail::NodeStep;
using detail::TransitionCache;

NodePlacement some_of_all() {
    NodePlacement part;
    part.cores = CoreSet::of({CoreId(1)});
    part.milli_cpus = MilliCpu(500);
    part.memory = {{DomainId(0), Bytes(3)}};
    part.devices = {{DeviceId(2), Count(1)}};
    return part;
}

constexpr std::uint32_t step_variants = 17;

/// Each differs from some_of_all() in one respect, by a little more than others.
std::vector<NodePlacement> other_parts() {
    std::vector<NodePlacement> parts;
    for (std::uint32_t more = 1; more <= step_variants; ++more) {
        parts.push_back(some_of_all());
        parts.back().cores.insert(CoreId(1 + more));
        parts.push_back(some_of_all());
        parts.back().milli_cpus += MilliCpu(more);
        parts.push_back(some_of_all());
        parts.back().memory[0].bytes += Bytes(more);
        parts.push_back(some_of_all());
        parts.back().devices[0].shares += Count(more);
    }
    return parts;
}

}  // namespace

TEST_CASE("TransitionCache: a step is known again, and none like it is taken for it", "[alloc]") {
    const NodePlacement part = some_of_all();
    const std::vector<NodePlacement> parts = other_parts();
    const NodeStates states{};
    // Of two steps one in sixteen, or so, has the other's place: hence so many.
    for (std::uint32_t round = 0; round < 300; ++round) {
        const NodeStep step{StateId(round), true, false, 1, &part};
        TransitionCache transitions;
        transitions.add(states, step, StateId(7));
        REQUIRE(transitions.find(states, step) == StateId(7));
        std::vector<NodeStep> others(2, step);
        others[0].is_release = false;
        others[1].others_have_something = true;
        for (std::uint32_t more = 1; more <= step_variants; ++more) {
            others.insert(others.end(), 2, step);
            others.back().other_kinds += more;
            (others.end() - 2)->from = StateId(round + more);
        }
        for (const NodePlacement& other : parts) {
            others.push_back(step);
            others.back().part = &other;
        }
        for (const NodeStep& other : others) {
            if (transitions.find(states, other)) FAIL("round " << round);
        }
    }
}

TEST_CASE("TransitionCache: nothing outlives the numbers of the states", "[alloc]") {
    const NodePlacement part = some_of_all();
    for (std::uint32_t round = 0; round < 100; ++round) {
        const NodeStep step{StateId(round), true, false, 1, &part};
        const NodeStep next{StateId(round + 1), true, false, 1, &part};
        NodeStates states;
        TransitionCache transitions;
        transitions.add(states, step, StateId(7));
        states.forget_unused();
        REQUIRE(transitions.find(states, step) == std::nullopt);
        transitions.add(states, next, StateId(8));
        REQUIRE(transitions.find(states, step) == std::nullopt);
        REQUIRE(transitions.find(states, next) == StateId(8));
    }
}

}  // namespace trestle
