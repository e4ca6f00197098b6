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

#include "dialect/slurm/choice/rules/release_rules.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/model/partition.hpp"

namespace trestle::slurm {
namespace {

using Findings = std::vector<Finding>;

Finding suspicion(const ConfPlace& place, std::string message, std::string suggestion = {}) {
    return {place.file,          place.line,         0,
            Severity::suspicion, std::move(message), std::move(suggestion)};
}

/// The first node of the line, which is like the others.
const NodeShape* shape_of(const ClusterReading& reading, const NodeLine& line) {
    if (line.names.is_empty()) return nullptr;
    const auto node = reading.built.cluster.find_node(line.names[0]);
    return node ? &reading.built.cluster.shape(*node) : nullptr;
}

bool is_gpu(const Device& device) { return device.name == "gpu"; }

bool has_gpus(const NodeShape& shape) {
    return std::any_of(shape.devices.begin(), shape.devices.end(), is_gpu);
}

std::string line_for_gpus(const std::string& names, std::int64_t count) {
    return fmt::format("gres.conf: NodeName={} Name=gpu File=/dev/nvidia[0-{}]", names, count - 1);
}

std::int64_t gpu_count_of(const NodeShape& shape) {
    return std::count_if(shape.devices.begin(), shape.devices.end(), is_gpu);
}

/// The nodes that take no jobs become drained in `cluster`.
void look_at_faults(const std::vector<InvalidNodes>& all, Release release, Cluster& cluster,
                    Findings& findings) {
    for (const InvalidNodes& invalid : all) {
        const bool has_too_few = invalid.fault.kind == NodeFaultKind::missing_gpus;
        if (!has_too_few && !choice::rules_of(release).refuses_part_of_socket) continue;
        std::string suggestion;
        const std::string names = to_text(invalid.nodes.sorted());
        for (const std::string& name : invalid.nodes.names()) {
            const auto node = cluster.find_node(name);
            if (!node) continue;
            if (has_too_few) suggestion = line_for_gpus(names, gpu_count_of(cluster.shape(*node)));
            cluster.set_node_state(*node, NodeState::drained);
        }
        findings.push_back(
            {invalid.fault.place.file, invalid.fault.place.line, 0, Severity::warning,
             fmt::format("slurmctld drains {}: {}{}", names, invalid.fault.reason,
                         has_too_few ? "; a gres.conf that lies only on the nodes is "
                                       "not read here"
                                     : ""),
             std::move(suggestion)});
    }
}

/// True where the node of that name has fewer GPUs with files than slurm.conf promises.
bool lacks_gpus(const std::vector<InvalidNodes>& all, const std::string& name) {
    return std::any_of(all.begin(), all.end(), [&](const InvalidNodes& one) {
        return one.fault.kind == NodeFaultKind::missing_gpus && one.nodes.contains(name);
    });
}

void look_at_gpus(const NodeLine& line, const NodeShape& shape, bool is_said, Findings& findings) {
    const auto& devices = shape.devices;
    const std::int64_t gpus = gpu_count_of(shape);
    const auto bare = std::count_if(devices.begin(), devices.end(), [](const Device& device) {
        return is_gpu(device) && device.files.empty();
    });
    const auto far = std::count_if(devices.begin(), devices.end(), [](const Device& device) {
        return is_gpu(device) && !device.files.empty() && device.cores.is_empty();
    });
    const std::string names = to_text(line.names);
    if (bare > 0 && !is_said) {
        findings.push_back(suspicion(
            line.place,
            fmt::format("{} of the {} GPUs of {} have no File in gres.conf: jobs are neither "
                        "given nor denied their device files",
                        bare, gpus, names),
            line_for_gpus(names, gpus)));
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

void look_at_nodes(const ClusterReading& reading, Findings& findings) {
    for (const NodeLine& line : reading.conf.nodes) {
        const NodeShape* const shape = shape_of(reading, line);
        if (shape == nullptr) continue;
        const bool is_said = lacks_gpus(reading.built.invalid, line.names[0]);
        look_at_gpus(line, *shape, is_said, findings);
    }
}

/// Why no job can run in the partition; nothing: some can.
std::optional<std::string> why_unreachable(const Cluster& cluster, const Partition& partition,
                                           const PartitionLine& line) {
    if (partition.state == Partition::State::down ||
        partition.state == Partition::State::inactive) {
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

void look_at_partitions(const std::vector<PartitionLine>& lines, const Cluster& cluster,
                        Findings& findings) {
    for (const PartitionLine& line : lines) {
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

void look_at_memory(const ClusterReading& reading, Findings& findings) {
    if (reading.conf.parameters.select.counts_memory || reading.conf.nodes.empty()) return;
    findings.push_back({"slurm.conf", 0, 0, Severity::suspicion,
                        "memory is not counted: jobs may take more than a node has",
                        "SelectTypeParameters=CR_Core_Memory"});
}

}  // namespace

Findings suspicions_of(const ClusterReading& reading, Release release) {
    Findings findings;
    Cluster cluster = reading.built.cluster;
    look_at_faults(reading.built.invalid, release, cluster, findings);
    look_at_nodes(reading, findings);
    look_at_partitions(reading.conf.partitions, cluster, findings);
    look_at_memory(reading, findings);
    return findings;
}

}  // namespace trestle::slurm
