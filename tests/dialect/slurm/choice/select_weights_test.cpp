// SPDX-License-Identifier: Apache-2.0
// select() where nodes have many weights and sizes. It skips groups of nodes that give too little
// in sum; trying one weight after another has to find the same answers.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "support/slurm_worlds.hpp"
#include "trestle/base/fmt.hpp"
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

/// Whether the answer is in the lightest nodes that suffice. A range of node counts aims at its
/// upper end, and of several partitions or feature sets each is tried with all weights. Nodes of
/// all weights are spread, or looked at for neighbours.
bool goes_by_weight_alone(std::string_view options) {
    for (const std::string_view other :
         {"-N 1-4", "-N 2-3", "-N 2-4", "-N 3-6", "few,p", "[", "--spread-job", "--contiguous"}) {
        if (options.find(other) != std::string_view::npos) return false;
    }
    return true;
}

/// The answer when nodes are offered weight after weight, the lightest first, until the job fits.
Decision answer_weight_by_weight(const Life& life, const slurm::JobOptions& options) {
    std::set<std::uint32_t> weights;
    const auto nodes = static_cast<std::uint32_t>(life.cluster.node_count());
    for (NodeId id(0); id.value() < nodes; id = NodeId(id.value() + 1)) {
        weights.insert(life.cluster.class_of(id).weight);
    }
    Decision decision;
    for (const std::uint32_t most : weights) {
        Cluster offered = life.cluster;
        for (NodeId id(0); id.value() < nodes; id = NodeId(id.value() + 1)) {
            if (offered.class_of(id).weight > most) offered.set_node_state(id, NodeState::drained);
        }
        decision = slurm::select(offered, options, life.rules);
        if (decision.answer == Answer::allocated) break;
    }
    return decision;
}

}  // namespace

TEST_CASE("Slurm select: among many weights the answers are those of trying each",
          "[dialect][slurm][law][unsanitized]") {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    std::size_t allocated = 0;
    std::size_t compared = 0;
    for (std::uint64_t number = 0; number < test_rounds(60u); ++number) {
        World world = slurm_worlds::random_world(rng, Marks::none);
        draw_anew(world.slurm_conf, " Weight=", rng, 1, number % 2 == 0 ? 100 : 8);
        draw_anew(world.slurm_conf, " CoresPerSocket=", rng, 2, 9);
        Life life(world);
        for (int step = 0; step < 40; ++step) {
            life.change(rng);
            const std::string text =
                rng.chance(1, 2) ? large_options(rng) : slurm_worlds::random_options(rng, world);
            INFO(text << "\n" << world.slurm_conf << world.topology_conf);
            const slurm::JobOptions options = slurm_worlds::read_options(text);
            const Decision decision = slurm::select(life.cluster, options, life.rules);
            if (goes_by_weight_alone(text)) {
                REQUIRE(answer_weight_by_weight(life, options) == decision);
                ++compared;
            }
            if (decision.answer == Answer::allocated) ++allocated;
            life.commit(decision);
        }
    }
    CHECK(allocated > test_rounds(400u));
    CHECK(compared > test_rounds(1000u));
}

TEST_CASE("Slurm select: of two thousand weights of fifty sizes nearly all CPUs are found",
          "[dialect][slurm][unsanitized]") {
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
