// SPDX-License-Identifier: Apache-2.0
// select() on random clusters: a node that equals others gets the same answers as a node that is
// unique.
#include <cstddef>
#include <string>

#include "alloc/cluster/states/node_states.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"
#include "support/slurm_worlds.hpp"
#include "trestle/dialect/slurm/choice/select.hpp"

namespace trestle {
namespace {

using slurm::Answer;
using slurm::Decision;
using slurm_worlds::Life;
using slurm_worlds::Marks;
using slurm_worlds::World;

}  // namespace

TEST_CASE("Slurm select: nodes told apart by what no job asks for are chosen like nodes alike",
          "[dialect][slurm][law]") {
    // Equal nodes are evaluated together. A feature of its own makes each node unique, which forces
    // select() to evaluate every node by itself. Each allocation is committed, which fails where it
    // overlaps another one.
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    std::size_t allocated = 0;
    for (std::uint64_t number = 0; number < test_rounds(100u); ++number) {
        Rng same = rng;
        const World world = slurm_worlds::random_world(rng, Marks::none);
        Life alike(world);
        Life apart(slurm_worlds::random_world(same, Marks::one_a_node));
        REQUIRE(apart.cluster.states().count() == apart.cluster.node_count());
        for (int step = 0; step < 60; ++step) {
            same = rng;
            alike.change(rng);
            apart.change(same);
            const std::string text = slurm_worlds::random_options(rng, world);
            INFO(text << "\n" << world.slurm_conf << world.topology_conf);
            const slurm::JobOptions options = slurm_worlds::read_options(text);
            const Decision decision = slurm::select(alike.cluster, options, alike.rules);
            REQUIRE(slurm::select(apart.cluster, options, apart.rules) == decision);
            alike.commit(decision);
            apart.commit(decision);
            if (decision.answer == Answer::allocated) ++allocated;
        }
    }
    CHECK(allocated > test_rounds(800u));
}

}  // namespace trestle
