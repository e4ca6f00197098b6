// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/print.hpp"

#include "support/catch.hpp"
#include "trestle/dialect/slurm/describe.hpp"

using namespace trestle;

namespace {

Node small_node() {
    const auto nodes = slurm::parse_nodes(
        {.slurm_conf = "NodeName=n1 Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=65536 "
                       "Gres=gpu:a100:4,fpga:2",
         .gres_conf = "Name=gpu Type=a100 File=/dev/nvidia[0-3]"});
    return nodes.value().front();
}

NodePlacement small_placement() {
    NodePlacement placement;
    placement.cores = CoreSet::range({0, 4});
    placement.memory = {{DomainId(0), gib(32)}};
    placement.devices = {{DeviceId(0), Count(1)}, {DeviceId(1), Count(1)}};
    return placement;
}

}  // namespace

TEST_CASE("Slurm print: a job's detail line", "[dialect][slurm]") {
    const Node node = small_node();
    NodePlacement placement = small_placement();
    CHECK(to_text(slurm::grant_of(node, placement)) ==
          "Nodes=n1 CPU_IDs=0-7 Mem=32768 GRES=gpu:a100:2(IDX:0-1)");
    placement.cores = CoreSet::of({CoreId(0), CoreId(15)});
    placement.memory = {{DomainId(0), Bytes(1)}, {DomainId(1), mib(1)}};
    placement.devices = {{DeviceId(1), Count(1)}, {DeviceId(3), Count(1)}, {DeviceId(4), Count(1)}};
    CHECK(to_text(slurm::grant_of(node, placement)) ==
          "Nodes=n1 CPU_IDs=0-1,30-31 Mem=2 GRES=gpu:a100:2(IDX:1,3),fpga(CNT:1)");
    CHECK(to_text(slurm::grant_of(node, {})) == "Nodes=n1 CPU_IDs= Mem=0 GRES=");
    CHECK(slurm::parse_gres_details("gpu:a100:2(IDX:1,3)").value()[0] ==
          slurm::gres_of(*node.shape, placement)[0]);
}

TEST_CASE("Slurm print: CPU ids are abstract, whatever the kernel's numbers are",
          "[dialect][slurm]") {
    NodeShape shape;
    shape.hardware.cores = {{{OsIndex(0), OsIndex(2)}}, {{OsIndex(1), OsIndex(3)}}};
    NodePlacement placement;
    placement.cores.insert(CoreId(1));
    CHECK(to_text(slurm::cpu_ids(shape, placement)) == "2-3");
    CHECK(to_text(threads_of(shape, placement)) == "1,3");
}
