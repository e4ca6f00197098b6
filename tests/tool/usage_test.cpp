// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "support/seed.hpp"
#include "tool/show/picture.hpp"
#include "tool/show/usage.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"

namespace trestle::tool {
namespace {

constexpr const char* slurm_conf =
    "ClusterName=x\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
    "GresTypes=gpu\nDefMemPerCPU=500\n"
    "NodeName=g[1-4] Sockets=2 CoresPerSocket=3 RealMemory=4000 Gres=gpu:4\n"
    "NodeName=c1 Sockets=1 CoresPerSocket=4 RealMemory=1000\n"
    "PartitionName=gpu Nodes=g[1-4] Default=YES\nPartitionName=all Nodes=ALL\n";
constexpr const char* gres_conf = "NodeName=g[1-4] Name=gpu File=/dev/nvidia[0-3]\n";

slurm::Controller idle_controller() {
    auto controller = slurm::Controller::create({slurm_conf, gres_conf});
    REQUIRE(controller.ok());
    return *std::move(controller);
}

/// How many jobs of one device and one core start on the node.
std::int64_t jobs_that_start(slurm::Controller controller, const std::string& node) {
    std::int64_t count = 0;
    for (;;) {
        const auto decision =
            controller.submit(fmt::format("-p gpu -w {} --gres=gpu:1 -c1 -N1", node));
        REQUIRE(decision.ok());
        if (decision->answer != slurm::Answer::allocated) return count;
        ++count;
    }
}

TEST_CASE("show: stranded devices are those that no job of one of them gets", "[tool][show]") {
    Rng random(test_seed());
    std::uint32_t by_cores = 0, by_memory = 0, by_node = 0;
    for (std::uint32_t round = 0; round < test_rounds(200u); ++round) {
        slurm::Controller controller = idle_controller();
        for (std::uint64_t jobs = random.below(8); jobs > 0; --jobs) {
            (void)controller.submit(fmt::format("-p gpu --gres=gpu:{} -c {} --mem={} -N1",
                                                random.below(3), 1 + random.below(6),
                                                100 * (1 + random.below(38))));
        }
        if (random.below(2) == 0) {
            const auto nodes = slurm::Hostlist::parse("g2");
            REQUIRE(controller.set_node_state(*nodes, NodeState::drained).ok());
        }
        const auto uses = partition_uses(controller.cluster(), &controller.rules());
        REQUIRE(uses.size() == 2);
        CHECK(uses.back().nodes.size() == 5);
        DeviceUse sum;
        for (const NodeUse& node : uses.front().nodes) {
            const DeviceUse& use = node.devices.front();
            INFO(node.name);
            CHECK(use.free() - use.stranded() == jobs_that_start(controller, node.name));
            CHECK((use.node_gone > 0) == (!node.takes_work && use.free() > 0));
            by_cores += use.cores_gone > 0 ? 1 : 0;
            by_memory += use.memory_gone > 0 ? 1 : 0;
            by_node += use.node_gone > 0 ? 1 : 0;
            sum.count += use.count;
            sum.taken += use.taken;
        }
        CHECK(uses.front().sum.devices.front().count == sum.count);
        CHECK(uses.front().sum.devices.front().taken == sum.taken);
    }
    CHECK(by_cores > test_rounds(20u));
    CHECK(by_memory > test_rounds(20u));
    CHECK(by_node > test_rounds(20u));
}

TEST_CASE("show: what lies on idle nodes is not in fragments", "[tool][show]") {
    slurm::Controller controller = idle_controller();
    CHECK(partition_uses(controller.cluster(), &controller.rules()).front().free_devices.front() ==
          FreeDevices{"gpu", "nvidia", 16, 16, 4, 0});
    REQUIRE(controller.submit("--gres=gpu:1").ok());
    CHECK(partition_uses(controller.cluster(), &controller.rules()).front().free_devices.front() ==
          FreeDevices{"gpu", "nvidia", 15, 12, 4, 20});
}

TEST_CASE("show: lines are as wide as the terminal", "[tool][show]") {
    std::string conf = slurm_conf;
    conf.replace(conf.find("c1 Sockets"), 2, "c[1-900]");
    auto controller = slurm::Controller::create({conf, gres_conf});
    REQUIRE(controller.ok());
    for (const std::size_t width : {40u, 80u, 200u}) {
        const std::string text =
            picture_text(partition_uses(controller->cluster(), &controller->rules()), width);
        CHECK(text.find("a cell is a node") != std::string::npos);
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = text.find('\n', at);
            const std::string line = text.substr(at, end - at);
            INFO(line);
            const bool is_of_cells =
                line.find("....") != std::string::npos && line.find("cores") == std::string::npos;
            if (is_of_cells) CHECK(line.size() <= width);
            at = end + 1;
        }
    }
}

}  // namespace
}  // namespace trestle::tool
