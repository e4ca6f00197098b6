// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "dialect/slurm/lint/suspicions.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"

namespace trestle::slurm {
namespace {

std::vector<std::string> found_in(const std::string& slurm_conf, const std::string& gres_conf,
                                  Release release = default_release) {
    const auto reading = read_cluster({.slurm_conf = slurm_conf, .gres_conf = gres_conf});
    CHECK(reading.errors.empty());
    std::vector<std::string> texts;
    for (const Finding& finding : suspicions_of(reading, release))
        texts.push_back(to_text(finding));
    return texts;
}

TEST_CASE("lint: each suspicion stands with its line, and a sound file has none",
          "[dialect][slurm][lint]") {
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
         {"slurm.conf:4: warning: slurmctld drains g: gres/gpu count reported lower than "
          "configured "
          "(0 < 2); a gres.conf that lies only on the nodes is not read here",
          "slurm.conf:5: suspicion: no job can run in p: all of its nodes are down or drained"}},
        {"fewer GPUs than promised",
         gpus,
         "Name=gpu File=/dev/nvidia0 Cores=0-3\n",
         {"gres.conf:1: warning: slurmctld drains g: gres/gpu count reported lower than configured "
          "(1 < 2); a gres.conf that lies only on the nodes is not read here",
          "slurm.conf:5: suspicion: no job can run in p: all of its nodes are down or drained"}},
        {"cores that cut a socket",
         gpus,
         "Name=gpu File=/dev/nvidia[0-1] Cores=0-1\n",
         {"gres.conf:1: warning: slurmctld drains g: gres/gpu GRES core specification 0-1 doesn't "
          "match socket boundaries (socket 0 is cores 0-3)",
          "slurm.conf:5: suspicion: no job can run in p: all of its nodes are down or drained"}},
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

TEST_CASE("lint: 22.05 takes cores that cut a socket", "[dialect][slurm][lint]") {
    const std::string conf =
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\n"
        "NodeName=g Sockets=2 CoresPerSocket=4 RealMemory=1000 Gres=gpu:2\n"
        "PartitionName=p Nodes=g\n";
    CHECK(found_in(conf, "Name=gpu File=/dev/nvidia[0-1] Cores=0-1\n", Release::v22_05).empty());
}

}  // namespace
}  // namespace trestle::slurm
