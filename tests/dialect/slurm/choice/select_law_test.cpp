// SPDX-License-Identifier: Apache-2.0
// Laws of choosing as Slurm chooses, over random sequences of jobs.
#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "support/slurm_worlds.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle {
namespace {

using slurm::Answer;
using slurm::Controller;
using slurm::Decision;
using slurm_worlds::World;

const World worlds[] = {
    {"SelectTypeParameters=CR_Core_Memory\nGresTypes=gpu,shard,lic\nDefMemPerCPU=1000\n"
     "NodeName=n[0-2] Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=64000 "
     "Gres=gpu:a100:2,shard:8,lic:5\n"
     "NodeName=m[0-2] Sockets=4 CoresPerSocket=2 RealMemory=32000 Weight=3 CoreSpecCount=1\n"
     "PartitionName=p Nodes=ALL Default=YES\nPartitionName=few Nodes=ALL MaxCPUsPerNode=4\n",
     "NodeName=n[0-2] Name=gpu Type=a100 File=/dev/nvidia0 Cores=0-3\n"
     "NodeName=n[0-2] Name=gpu Type=a100 File=/dev/nvidia1 Cores=4-7\n"
     "NodeName=n[0-2] Name=shard Count=8\n",
     "",
     {"n0", "n1", "n2", "m0", "m1", "m2"}},
    {"SelectTypeParameters=CR_CPU_Memory\nGresTypes=gpu,shard,lic\nTopologyPlugin=topology/tree\n"
     "NodeName=n[0-5] Sockets=2 CoresPerSocket=2 ThreadsPerCore=2 RealMemory=16000 Gres=gpu:2\n"
     "PartitionName=p Nodes=ALL Default=YES\nPartitionName=few Nodes=ALL LLN=YES\n",
     "Name=gpu File=/dev/nvidia[0-1]\n",
     "SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n[2-4]\nSwitchName=c Nodes=n5\n"
     "SwitchName=top Switches=a,b,c\n",
     {"n0", "n1", "n2", "n3", "n4", "n5"}},
    {"SelectTypeParameters=CR_Socket_Memory\nGresTypes=gpu,shard,lic\nDefMemPerCPU=500\n"
     "NodeName=n[0-4] Sockets=2 CoresPerSocket=3 RealMemory=16000 Gres=lic:3\n"
     "PartitionName=p Nodes=ALL Default=YES\nPartitionName=few Nodes=ALL MaxNodes=2\n",
     "",
     "",
     {"n0", "n1", "n2", "n3", "n4"}},
};

/// Placement and grants say the same.
void check_agreement(const Controller& controller, const Decision& decision) {
    REQUIRE(decision.placement.nodes.size() == decision.grants.size());
    for (const slurm::NodeGrant& grant : decision.grants) {
        const NodeId id = *controller.cluster().find_node(grant.node);
        const auto part =
            std::find_if(decision.placement.nodes.begin(), decision.placement.nodes.end(),
                         [&](const NodePlacement& one) { return one.node == id; });
        REQUIRE(part != decision.placement.nodes.end());
        const NodeShape& shape = controller.cluster().shape(id);
        const PuSet system = shape.hardware.threads_of(shape.system_cores);
        CHECK(slurm::cpu_ids(shape, *part) == grant.cpu_ids - system);
        CHECK(part->total_memory() == grant.memory);
    }
}

}  // namespace

TEST_CASE("Slurm select: what it places can be committed and taken back", "[dialect][slurm][law]") {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    std::size_t allocated = 0;
    for (const World& world : worlds) {
        auto made = Controller::create({.slurm_conf = world.slurm_conf,
                                        .gres_conf = world.gres_conf,
                                        .topology_conf = world.topology_conf});
        INFO(message(made.status()));
        REQUIRE(made.ok());
        const Cluster idle = made->cluster();
        Controller& controller = *made;
        std::vector<OwnerId> owners;
        for (std::uint64_t step = 0; step < test_rounds(400u); ++step) {
            if (!owners.empty() && rng.chance(1, 3)) {
                const std::size_t i = rng.below(owners.size());
                REQUIRE(controller.release(owners[i]).ok());
                owners.erase(owners.begin() + static_cast<std::ptrdiff_t>(i));
                continue;
            }
            const std::string text = slurm_worlds::random_options(rng, world);
            INFO(text);
            const Cluster before = controller.cluster();
            const auto decision = controller.submit(text);
            INFO(message(decision.status()));
            REQUIRE(decision.ok());
            const auto options = slurm::parse_option_text(text);
            if (options.ok()) {  // a pure function: asked again of the same cluster it is the same
                Decision again =
                    slurm::select(before, options->components.front().options, controller.rules());
                again.owner = decision->owner;
                CHECK(again == *decision);
            }
            if (decision->answer != Answer::allocated) {
                CHECK(controller.cluster() == before);
                continue;
            }
            ++allocated;
            REQUIRE(decision->owner);
            owners.push_back(*decision->owner);
            check_agreement(controller, *decision);
            // What is recorded as grants comes to the same placement.
            Controller other = controller;
            REQUIRE(other.release(*decision->owner).ok());
            CHECK(other.cluster() == before);
            const auto adopted = other.adopt(decision->grants, decision->partition);
            INFO(message(adopted.status()));
            REQUIRE(adopted.ok());
            for (const NodePlacement& part : decision->placement.nodes) {
                CHECK(other.cluster().free(part.node) == controller.cluster().free(part.node));
            }
        }
        for (const OwnerId owner : owners) REQUIRE(controller.release(owner).ok());
        CHECK(controller.cluster() == idle);
    }
    CHECK(allocated > test_rounds(200u));
}

}  // namespace trestle
