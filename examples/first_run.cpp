// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trestle/dialect/dstack/offers_csv.hpp"
#include "trestle/dialect/dstack/run/plan.hpp"

using namespace trestle;

constexpr const char* prices =
    "backend,region,instance,cpus,memory,disk,gpu_count,gpu_name,gpu_memory,gpu_vendor,price,spot\n"
    "aws,us-east-1,p4de.24xlarge,96,1152GB,8TB,8,A100,80GB,nvidia,40.97,false\n"
    "gcp,us-central1,a2-highgpu-4g,48,340GB,,4,A100,40GB,nvidia,14.69,false\n";

int main() {
    const auto fleet =
        dstack::parse_configuration("{type: fleet, name: lab, nodes: 0..2, blocks: 4}");
    const auto task = dstack::parse_configuration("{type: task, resources: {gpu: 'A100:2'}}");
    const std::vector fleets{*fleet->fleet};
    const Catalog catalog = Catalog::read(*dstack::parse_offers_csv(prices)).catalog;

    std::vector<Instance> instances;
    for (std::uint64_t job = 1; job <= 5; ++job) {
        const auto plan = dstack::plan_run(fleets, instances, catalog, *task->run, OwnerId(job));
        if (!plan->has_capacity()) return fmt::print("job {}: {}\n", job, plan->fleets[0]), 0;
        const Instance::Share& share = plan->nodes[0].share;
        fmt::print("job {}: {} blocks {} of {}, {} CPUs{}\n", job, share.instance, share.blocks,
                   share.total_blocks, share.cpus, plan->nodes[0].offer ? ", to be made" : "");
        instances = *dstack::apply_plan(instances, *plan);
    }
}
