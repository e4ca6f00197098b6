// SPDX-License-Identifier: Apache-2.0
// A dstack fleet shares a host of eight GPUs in blocks: where runs go, what each has of the host,
// and why the last one has to wait.
#include <fmt/core.h>

#include <string>
#include <vector>

#include "trestle/alloc/market/owners.hpp"
#include "trestle/alloc/market/split.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/quantities.hpp"
#include "trestle/dialect/dstack/run/access.hpp"
#include "trestle/dialect/dstack/run/plan.hpp"
#include "trestle/model/node_builder.hpp"

using namespace trestle;

namespace {

constexpr const char* fleet_file = R"(
type: fleet
name: lab
blocks: auto
resources: {gpu: "A100:80GB:8"}
ssh_config: {hosts: [gpu-01]}
)";

const std::vector<std::string> run_files{
    "type: task\nname: notebook\nresources: {gpu: 1, memory: 100GB..}",
    "type: task\nname: training\nresources: {gpu: 4, memory: 200GB..}",
    "type: task\nname: tests\nresources: {gpu: 0.., cpu: 4..}",
    "type: task\nname: large\nresources: {gpu: 4}",
};

void print(const dstack::RunConfiguration& run, const dstack::RunPlan& plan) {
    for (const dstack::PlannedNode& node : plan.nodes) {
        const Instance::Share& share = node.share;
        fmt::print("{:9} {} blocks {} of {}: {} CPUs ({}), {}, GPUs {}, network {}\n", run.name,
                   share.instance, share.blocks, share.total_blocks, share.cpus, share.threads,
                   dstack::memory_text(share.memory), share.placement->device_set(),
                   dstack::access_of(share).network);
    }
    if (plan.has_capacity()) return;
    for (const dstack::FleetAnswer& answer : plan.fleets) {
        fmt::print("{:9} not in fleet {}: {}; {}\n", run.name, answer.fleet, answer.reuse->reason,
                   answer.creation->reason);
    }
}

Status run_all() {
    TRESTLE_TRY(const auto file, dstack::parse_configuration(fleet_file));
    const std::vector fleets{*file.fleet};
    TRESTLE_TRY(const Node node,
                make_node({.name = "gpu-01",
                           .packages = 2,
                           .cores_per_package = 64,
                           .memory = 2_TiB,
                           .disk = 8_TiB,
                           .devices = {{.name = "gpu",
                                        .type = "A100",
                                        .count = 8,
                                        .memory = 80_GiB,
                                        .linking = NodeDescription::Devices::Linking::all}}}));
    const Count blocks =
        fleets[0].blocks.is_auto ? even_blocks(*node.shape) : fleets[0].blocks.count;
    Instance host;
    host.name = node.name;
    host.fleet = "lab";
    TRESTLE_TRY_STATUS(look_at(host, node.shape, blocks));
    std::vector<Instance> instances{host};
    for (std::size_t i = 0; i < run_files.size(); ++i) {
        TRESTLE_TRY(const auto run, dstack::parse_configuration(run_files[i]));
        TRESTLE_TRY(const auto plan,
                    dstack::plan_run(fleets, instances, {}, *run.run, OwnerId(i + 1)));
        print(*run.run, plan);
        TRESTLE_TRY(instances, dstack::apply_plan(instances, plan));
    }
    fmt::print("free blocks: {}\n", instances[0].blocks.free());
    const Status stolen = take_blocks(instances[0], BlockSet::of({BlockId(0)}), OwnerId(9));
    fmt::print("{}\n", message(stolen));
    return {};
}

}  // namespace

int main() {
    const Status status = run_all();
    if (status.ok()) return 0;
    fmt::print(stderr, "blocks: {}\n", message(status));
    return 1;
}
