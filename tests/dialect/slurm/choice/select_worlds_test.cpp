// SPDX-License-Identifier: Apache-2.0
// select() on thousands of random questions: against decisions that were recorded of an
// implementation which looked at every node by itself, and against itself where it has to.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/seed.hpp"
#include "support/slurm_worlds.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/dialect/slurm/choice/select.hpp"

namespace trestle {
namespace {

using slurm::Answer;
using slurm::Decision;
using slurm_worlds::Life;
using slurm_worlds::Marks;
using slurm_worlds::World;

/// All of a decision but words.
std::string all_but_words(const Decision& decision) {
    std::string text =
        fmt::format("{} {} {} {:016x}", to_text(decision.answer), to_text(decision.reason),
                    decision.partition, hash_of(decision.placement));
    for (const slurm::NodeGrant& grant : decision.grants) {
        text += fmt::format(" {}({}):{}:{}", grant.node, to_text(grant.cpu_ids), grant.cpus.value(),
                            grant.memory.value());
        for (const slurm::GresDetail& one : grant.gres) {
            text += fmt::format(",{}({})", to_text(one.gres), to_text(one.indexes));
        }
    }
    return text;
}

}  // namespace

TEST_CASE("Slurm select: random worlds are answered as they were when it was plain",
          "[dialect][slurm][golden]") {
    std::string report =
        "Decisions on random clusters (tests/support/slurm_worlds.hpp), sixty jobs each, as an\n"
        "implementation made them that looked at every node by itself.\n\n"
        "| world | allocated | pending | refused | hash of all |\n|---|---|---|---|---|\n";
    for (std::uint64_t number = 0; number < 150; ++number) {
        Rng rng(1000 + number);
        const World world = slurm_worlds::random_world(rng, Marks::none);
        Life life(world);
        std::array<int, 3> answers{};
        HashState all;
        for (int step = 0; step < 60; ++step) {
            life.change(rng);
            const std::string text = slurm_worlds::random_options(rng, world);
            const Decision decision =
                slurm::select(life.cluster, slurm_worlds::read_options(text), life.rules);
            ++answers[static_cast<std::size_t>(decision.answer)];
            hash_into(all, std::string_view(all_but_words(decision)));
            life.commit(decision);
        }
        report += fmt::format("| {} | {} | {} | {} | {:016x} |\n", number, answers[0], answers[1],
                              answers[2], all.result());
    }
    check_golden("slurm_select_worlds.md", report);
}

TEST_CASE("Slurm select: nodes told apart by what no job asks for are chosen like nodes alike",
          "[dialect][slurm][law]") {
    // Nodes alike are looked at together. A feature of its own makes a node a kind of its own, so
    // that there every node is looked at by itself.
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    std::size_t allocated = 0;
    for (int number = 0; number < 60; ++number) {
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
    CHECK(allocated > 500);
}

}  // namespace trestle
