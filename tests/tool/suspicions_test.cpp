// SPDX-License-Identifier: Apache-2.0
#include "tool/lint/suspicions.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"

namespace trestle::tool {
namespace {

std::vector<std::string> found_in(const std::string& slurm_conf, const std::string& gres_conf) {
    const auto reading = slurm::read_cluster({.slurm_conf = slurm_conf, .gres_conf = gres_conf});
    CHECK(reading.errors.empty());
    std::vector<std::string> texts;
    for (const Finding& finding : suspicions_of(reading)) texts.push_back(finding_text(finding));
    return texts;
}

TEST_CASE("lint: each suspicion stands with its line, and a sound file has none", "[tool][lint]") {
    struct Row {
        const char* why;
        std::string slurm_conf;
        std::string gres_conf;
        std::vector<std::string> findings;
    };
    const std::string memory = "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n";
    const std::string gpus = memory +
                             "GresTypes=gpu\n"
                             "NodeName=g Sockets=2 CoresPerSocket=4 RealMemory=1000 Gres=gpu:2\n"
                             "PartitionName=p Nodes=g\n";
    const Row rows[] = {
        {"files and cores", gpus, "Name=gpu File=/dev/nvidia[0-1] Cores=0-3\n", {}},
        {"no gres.conf",
         gpus,
         "",
         {"slurm.conf:4: suspicion: 2 of the 2 GPUs of g have no File in gres.conf: jobs are "
          "neither given nor denied their device files"}},
        {"no cores",
         gpus,
         "Name=gpu File=/dev/nvidia[0-1]\n",
         {"slurm.conf:4: suspicion: 2 of the 2 GPUs of g have no Cores in gres.conf: on 2 sockets "
          "jobs get cores far from their GPUs"}},
        {"one socket needs no cores",
         memory + "GresTypes=gpu\nNodeName=g CPUs=4 RealMemory=1000 Gres=gpu:1\n"
                  "PartitionName=p Nodes=g\n",
         "Name=gpu File=/dev/nvidia0\n",
         {}},
        {"an inactive partition",
         memory + "NodeName=n CPUs=4\nPartitionName=p Nodes=n State=INACTIVE\n",
         "",
         {"slurm.conf:4: suspicion: no job can run in p: its State is inactive"}},
        {"more nodes than there are",
         memory + "NodeName=n CPUs=4\nPartitionName=p Nodes=n MinNodes=2\n",
         "",
         {"slurm.conf:4: suspicion: no job can run in p: MinNodes=2 is more than its 1 nodes"}},
        {"only down nodes",
         memory + "NodeName=n CPUs=4 State=DOWN\nPartitionName=p Nodes=n\n",
         "",
         {"slurm.conf:4: suspicion: no job can run in p: all of its nodes are down or drained"}},
        {"one node of two is up",
         memory + "NodeName=a CPUs=4 State=DOWN\nNodeName=b CPUs=4\nPartitionName=p Nodes=a,b\n",
         "",
         {}},
        {"GPU nodes as light as others",
         memory + "GresTypes=gpu\nNodeName=g CPUs=4 Gres=gpu:1\nNodeName=n CPUs=4\n"
                  "PartitionName=p Nodes=g,n\n",
         "Name=gpu File=/dev/nvidia0\n",
         {"slurm.conf:6: suspicion: p: jobs without GPUs fill g (Weight=1) no later than nodes "
          "without GPUs (Weight=1)"}},
        {"heavier GPU nodes",
         memory + "GresTypes=gpu\nNodeName=g CPUs=4 Gres=gpu:1 Weight=9\nNodeName=n CPUs=4\n"
                  "PartitionName=p Nodes=g,n\n",
         "Name=gpu File=/dev/nvidia0\n",
         {}},
        {"memory is not counted",
         "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n"
         "NodeName=n CPUs=4\nPartitionName=p Nodes=n\n",
         "",
         {"slurm.conf: suspicion: memory is not counted: jobs may take more than a node has"}},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(found_in(row.slurm_conf, row.gres_conf) == row.findings);
    }
}

}  // namespace
}  // namespace trestle::tool
