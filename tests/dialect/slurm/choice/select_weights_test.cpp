// SPDX-License-Identifier: Apache-2.0
// select() where nodes have many weights and sizes: recorded answers of an implementation that
// tried every weight and every size, one after another.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/golden.hpp"
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

/// The value of each `key` is another one.
void draw_anew(std::string& text, std::string_view key, Rng& rng, std::uint64_t least,
               std::uint64_t values) {
    for (std::size_t at = 0; (at = text.find(key, at)) != std::string::npos;) {
        at += key.size();
        const std::size_t end = text.find_first_not_of("0123456789", at);
        text.replace(at, end - at, fmt::format("{}", least + rng.below(values)));
    }
}

std::string large_options(Rng& rng) {
    static const std::vector<std::string> shapes{
        "", " -N 2", " -N 2-4", " -N 3", " --contiguous", " --spread-job", " --exclusive", " -c 2"};
    static const std::vector<std::string> devices{
        "", "", " --gpus=5", " --gpus=12", " --gres=gpu:1", " --gpus-per-task=1"};
    const std::uint64_t tasks = rng.below(120) + 1;
    const std::string& shape = slurm_worlds::any_of(rng, shapes);
    return fmt::format("-n {}{}{}", tasks, shape, slurm_worlds::any_of(rng, devices));
}

}  // namespace

TEST_CASE("Slurm select: among many weights the answers are those of trying each",
          "[dialect][slurm][golden]") {
    std::string report =
        "Decisions on random clusters of many weights and sizes, forty jobs each, as an\n"
        "implementation made them that tried every weight and every size.\n\n"
        "| world | allocated | pending | refused | hash of all |\n|---|---|---|---|---|\n";
    for (std::uint64_t number = 0; number < 100; ++number) {
        Rng rng(7000 + number);
        World world = slurm_worlds::random_world(rng, Marks::none);
        draw_anew(world.slurm_conf, " Weight=", rng, 1, number % 2 == 0 ? 100 : 8);
        draw_anew(world.slurm_conf, " CoresPerSocket=", rng, 2, 9);
        Life life(world);
        std::array<int, 3> answers{};
        HashState all;
        for (int step = 0; step < 40; ++step) {
            life.change(rng);
            const std::string text =
                rng.chance(1, 2) ? large_options(rng) : slurm_worlds::random_options(rng, world);
            const Decision decision =
                slurm::select(life.cluster, slurm_worlds::read_options(text), life.rules);
            ++answers[static_cast<std::size_t>(decision.answer)];
            hash_into(all, hash_of(decision.placement));
            hash_into(all, decision.answer);
            hash_into(all, decision.reason);
            life.commit(decision);
        }
        report += fmt::format("| {} | {} | {} | {} | {:016x} |\n", number, answers[0], answers[1],
                              answers[2], all.result());
    }
    check_golden("slurm_select_weights.md", report);
}

TEST_CASE("Slurm select: of two thousand weights of fifty sizes nearly all CPUs are found",
          "[dialect][slurm]") {
    // Nearly all CPUs: no cheaper group of nodes suffices, and each would be tried in fifty ways.
    std::string conf = "SelectTypeParameters=CR_Core\n";
    std::uint64_t cpus = 0;
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const std::uint64_t size = i * 7 % 50 + 1;
        cpus += size;
        conf += fmt::format("NodeName=n{} CPUs={} Weight={}\n", i, size, i * 37 % 2003 + 1);
    }
    conf += "PartitionName=p Nodes=ALL Default=YES\n";
    const auto controller = slurm::Controller::create({.slurm_conf = conf});
    REQUIRE(controller.ok());
    const auto ask = [&](std::uint64_t tasks) {
        return slurm::select(controller->cluster(),
                             slurm_worlds::read_options(fmt::format("-n {}", tasks)),
                             controller->rules());
    };
    const Decision nearly_all = ask(cpus - 1);
    CHECK(nearly_all.answer == Answer::allocated);
    CHECK(nearly_all.placement.nodes.size() == 2000);
    CHECK(ask(cpus + 1).answer != Answer::allocated);
    const Decision two = slurm::select(
        controller->cluster(), slurm_worlds::read_options("-N 2 -n 100"), controller->rules());
    CHECK(two.answer == Answer::allocated);
    CHECK(two.placement.nodes.size() == 2);
}

}  // namespace trestle
