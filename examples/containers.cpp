// SPDX-License-Identifier: Apache-2.0
// A quarter of a machine for a dstack job, handed to container runtimes: the document for Docker,
// what the others say, and the keeper of each limit.
//
//   containers     needs no arguments; nothing is started

#include <fmt/format.h>

#include <string>

#include "trestle/alloc/market/owners.hpp"
#include "trestle/dialect/container/docker.hpp"
#include "trestle/dialect/container/kubernetes.hpp"
#include "trestle/dialect/container/oci.hpp"
#include "trestle/dialect/dstack/resources.hpp"
#include "trestle/dialect/dstack/run/job_plan.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/model/node_builder.hpp"

namespace {

using namespace trestle;

/// Two sockets of 8 cores, 256 GiB, 4 GPUs, as discovery would find them.
StatusOr<Node> machine() {
    TRESTLE_TRY(
        Node node,
        make_node({.name = "n0",
                   .packages = 2,
                   .cores_per_package = 8,
                   .memory = 256_GiB,
                   .devices = {{.name = "gpu", .type = "a100", .count = 4, .vendor = "nvidia"}}}));
    NodeShape shape = *node.shape;
    for (Device& gpu : shape.devices) {
        gpu.uuid = fmt::format("GPU-{:04}", gpu.index);
        gpu.files = {{fmt::format("/dev/nvidia{}", gpu.index), Device::File::Kind::character, 195,
                      gpu.index}};
    }
    node.shape = shape;
    return node;
}

/// The second of four blocks.
StatusOr<Instance::Share> second_block(const Node& node) {
    Instance host;
    host.name = node.name;
    TRESTLE_TRY_STATUS(look_at(host, node.shape, Count(4)));
    return share_of(host, BlockSet::of({BlockId(1)}));
}

Status show() {
    TRESTLE_TRY(const Node node, machine());
    TRESTLE_TRY(
        const auto resources,
        dstack::parse_resources("{memory: 50GB.., shm_size: 16GB, gpu: A100, disk: 100GB..}"));
    LimitPolicy policy;
    policy.source =
        LimitPolicy::Source::capacity;  // asked for 50 GB or more, limited to the block's 64
    policy.pids_max = Count(4096);
    TRESTLE_TRY(const Instance::Share block, second_block(node));
    TRESTLE_TRY(const auto job, dstack::plan_job(node, block, to_request(resources), policy,
                                                 {.group = "job_7", .owner = OwnerId(7)}));

    TRESTLE_TRY(const auto docker, container::docker_container(job.plan, job.options));
    fmt::print("Docker\n{}\n\n{}\n", json::to_json_text(docker.content, json::Layout::indented),
               container::kept_table(docker.limits));

    container::OciBundle bundle;
    bundle.command.arguments = {"python", "train.py"};
    TRESTLE_TRY(const auto oci, container::oci_config(job.plan, bundle, job.options));
    fmt::print("OCI, linux.resources without devices\n");
    container::OciResources limits = oci.content.linux_.resources;
    limits.devices.clear();
    fmt::print("{}\n\n", json::to_json_text(limits, json::Layout::indented));

    TRESTLE_TRY(const auto pod, container::kubernetes_pod(job.plan, job.options, "train"));
    fmt::print("Kubernetes\n{}\n\nlost there\n{}",
               json::to_json_text(pod.content, json::Layout::indented),
               container::kept_table(container::losses(pod.limits)));
    return {};
}

}  // namespace

int main() {
    const Status status = show();
    if (status.ok()) return 0;
    fmt::print(stderr, "containers: {}\n", message(status));
    return 1;
}
