// SPDX-License-Identifier: Apache-2.0
#include "suspicions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/model/partition.hpp"

namespace trestle::tool {
namespace {

using Findings = std::vector<Finding>;

Finding suspicion(const slurm::ConfPlace& place, std::string message, std::string suggestion = {}) {
    return {place.file,          place.line,         0,
            Severity::suspicion, std::move(message), std::move(suggestion)};
}

/// The first node of the line, which is like the others.
const NodeShape* shape_of(const slurm::ClusterReading& reading, const slurm::NodeLine& line) {
    if (line.names.is_empty()) return nullptr;
    const auto node = reading.built.cluster.find_node(line.names[0]);
    return node ? &reading.built.cluster.shape(*node) : nullptr;
}

bool is_gpu(const Device& device) { return device.name == "gpu"; }

bool has_gpus(const NodeShape& shape) {
    return std::any_of(shape.devices.begin(), shape.devices.end(), is_gpu);
}

void look_at_gpus(const slurm::NodeLine& line, const NodeShape& shape, Findings& findings) {
    const auto& devices = shape.devices;
    const auto gpus = std::count_if(devices.begin(), devices.end(), is_gpu);
    const auto bare = std::count_if(devices.begin(), devices.end(), [](const Device& device) {
        return is_gpu(device) && device.files.empty();
    });
    const auto far = std::count_if(devices.begin(), devices.end(), [](const Device& device) {
        return is_gpu(device) && !device.files.empty() && device.cores.is_empty();
    });
    const std::string names = to_text(line.names);
    if (bare > 0) {
        findings.push_back(suspicion(
            line.place,
            fmt::format("{} of the {} GPUs of {} have no File in gres.conf: jobs are neither "
                        "given nor denied their device files",
                        bare, gpus, names),
            fmt::format("gres.conf: NodeName={} Name=gpu File=/dev/nvidia[0-{}]", names,
                        gpus - 1)));
    }
    if (far > 0 && line.sockets > 1 &&
        line.cores_per_socket > 1) {  // CPUs=4 says nothing of sockets
        findings.push_back(suspicion(
            line.place,
            fmt::format("{} of the {} GPUs of {} have no Cores in gres.conf: on {} sockets jobs "
                        "get cores far from their GPUs",
                        far, gpus, names, line.sockets),
            fmt::format("gres.conf: NodeName={} Name=gpu File=... Cores=0-{}", names,
                        line.cores_per_socket - 1)));
    }
}

void look_at_nodes(const slurm::ClusterReading& reading, Findings& findings) {
    for (const slurm::NodeLine& line : reading.conf.nodes) {
        const NodeShape* const shape = shape_of(reading, line);
        if (shape != nullptr) look_at_gpus(line, *shape, findings);
    }
}

/// Why no job can run in the partition; nothing: some can.
std::optional<std::string> why_unreachable(const Cluster& cluster, const Partition& partition,
                                           const slurm::PartitionLine& line) {
    if (partition.state == PartitionState::down || partition.state == PartitionState::inactive) {
        return fmt::format("its State is {}", partition.state);
    }
    if (partition.nodes.is_empty()) return "it has no nodes";
    if (line.min_nodes > partition.nodes.count()) {
        return fmt::format("MinNodes={} is more than its {} nodes", line.min_nodes,
                           partition.nodes.count());
    }
    const bool has_node =
        std::any_of(partition.nodes.begin(), partition.nodes.end(),
                    [&](NodeId node) { return cluster.class_of(node).state == NodeState::up; });
    return has_node ? std::nullopt
                    : std::optional<std::string>("all of its nodes are down or drained");
}

/// GPU nodes of the partition that come no later than a node without GPUs.
std::optional<std::string> weight_doubt(const Cluster& cluster, const Partition& partition) {
    std::optional<std::uint32_t> lightest_gpu, heaviest_other;
    std::string example;
    for (const NodeId node : partition.nodes) {
        const std::uint32_t weight = cluster.class_of(node).weight;
        if (!has_gpus(cluster.shape(node))) {
            heaviest_other = std::max(heaviest_other.value_or(0), weight);
        } else if (!lightest_gpu || weight < *lightest_gpu) {
            lightest_gpu = weight;
            example = cluster.name(node);
        }
    }
    if (!lightest_gpu || !heaviest_other || *lightest_gpu > *heaviest_other) return std::nullopt;
    return fmt::format(
        "jobs without GPUs fill {} (Weight={}) no later than nodes without GPUs "
        "(Weight={})",
        example, *lightest_gpu, *heaviest_other);
}

void look_at_partitions(const slurm::ClusterReading& reading, Findings& findings) {
    const Cluster& cluster = reading.built.cluster;
    for (const slurm::PartitionLine& line : reading.conf.partitions) {
        for (const Partition& partition : cluster.partitions()) {
            if (partition.name != line.name) continue;
            if (const auto why = why_unreachable(cluster, partition, line)) {
                findings.push_back(suspicion(
                    line.place, fmt::format("no job can run in {}: {}", line.name, *why)));
            }
            if (const auto doubt = weight_doubt(cluster, partition)) {
                findings.push_back(suspicion(line.place, fmt::format("{}: {}", line.name, *doubt),
                                             "a higher Weight on the lines of nodes with GPUs"));
            }
        }
    }
}

void look_at_memory(const slurm::ClusterReading& reading, Findings& findings) {
    if (reading.conf.parameters.select.counts_memory || reading.conf.nodes.empty()) return;
    findings.push_back({"slurm.conf", 0, 0, Severity::suspicion,
                        "memory is not counted: jobs may take more than a node has",
                        "SelectTypeParameters=CR_Core_Memory"});
}

}  // namespace

Findings suspicions_of(const slurm::ClusterReading& reading) {
    Findings findings;
    look_at_nodes(reading, findings);
    look_at_partitions(reading, findings);
    look_at_memory(reading, findings);
    return findings;
}

}  // namespace trestle::tool
