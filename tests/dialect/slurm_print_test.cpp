// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/print.hpp"

#include "support/catch.hpp"
#include "trestle/dialect/slurm/describe.hpp"
#include "trestle/dialect/slurm/environment.hpp"

using namespace trestle;

namespace {

Node small_node() {
    const auto node = slurm::parse_node_line(
        "NodeName=n1 Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=65536 "
        "Gres=gpu:a100:4,fpga:2");
    const auto gres = slurm::parse_gres_conf("Name=gpu Type=a100 File=/dev/nvidia[0-3]");
    return slurm::build_nodes(std::vector{node.value()}, gres.value()).value().front();
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
    CHECK(slurm::job_detail(node, placement) ==
          "Nodes=n1 CPU_IDs=0-7 Mem=32768 GRES=gpu:a100:2(IDX:0-1)");
    placement.cores = CoreSet::of({CoreId(0), CoreId(15)});
    placement.memory = {{DomainId(0), Bytes(1)}, {DomainId(1), mib(1)}};
    placement.devices = {{DeviceId(1), Count(1)}, {DeviceId(3), Count(1)}, {DeviceId(4), Count(1)}};
    CHECK(slurm::job_detail(node, placement) ==
          "Nodes=n1 CPU_IDs=0-1,30-31 Mem=2 GRES=gpu:a100:2(IDX:1,3),fpga(CNT:1)");
    CHECK(slurm::job_detail(node, {}) == "Nodes=n1 CPU_IDs= Mem=0 GRES=");
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

TEST_CASE("Slurm environment: what a job on one node sees", "[dialect][slurm]") {
    const Node node = small_node();
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(8));
    request.memory = Range<Bytes>::exactly(gib(32));
    using Variables = std::vector<EnvironmentVariable>;
    CHECK(slurm::job_environment(42, request, node, small_placement()) ==
          Variables{{"SLURM_JOB_ID", "42"},
                    {"SLURM_JOB_NODELIST", "n1"},
                    {"SLURM_JOB_NUM_NODES", "1"},
                    {"SLURM_NTASKS", "1"},
                    {"SLURM_CPUS_PER_TASK", "8"},
                    {"SLURM_CPUS_ON_NODE", "8"},
                    {"SLURM_MEM_PER_NODE", "32768"},
                    {"SLURM_JOB_GPUS", "0,1"},
                    {"SLURM_GPUS_ON_NODE", "2"}});

    NodePlacement counted = small_placement();
    counted.devices = {{DeviceId(4), Count(1)}};
    request.memory_per = Per::cpu;
    request.memory = Range<Bytes>::exactly(gib(4));
    const Variables variables = slurm::job_environment(7, request, node, counted);
    CHECK(variables.back() == EnvironmentVariable{"SLURM_MEM_PER_CPU", "4096"});
}
