// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/partition.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "model/partition_rules.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

Status check(const Partition& partition) {
    const auto bad = [&](const char* what) {
        return invalid_argument("partition {}: {}", partition.name, what);
    };
    const Range<Count>& nodes = partition.nodes_per_job;
    if (!nodes.is_rising() || nodes.max == Count(0)) {
        return bad("nodes_per_job: expected a rising range that holds 1 or more");
    }
    if (partition.max_cpus_per_node == Count(0)) {
        return bad("max_cpus_per_node: 0, expected 1 or more");
    }
    if (partition.jobs_per_core.is_zero()) return bad("jobs_per_core: 0, expected 1 or more");
    if (partition.max_time && partition.default_time &&
        *partition.max_time < *partition.default_time) {
        return bad("default_time: expected at most max_time");
    }
    return {};
}

std::optional<Seconds> effective_time_limit(const Partition& partition, const Request& request) {
    if (request.time_limit) return request.time_limit;
    return partition.default_time ? partition.default_time : partition.max_time;
}

Exclusivity effective_exclusivity(const Partition& partition, const Request& request) {
    switch (partition.oversubscribe) {
        case Partition::OverSubscribe::exclusive:
            return Exclusivity::whole_node;
        case Partition::OverSubscribe::force:
            return Exclusivity::shared;
        default:
            return request.exclusivity;
    }
}

std::uint32_t effective_rows(const Partition& partition, std::uint32_t wanted) {
    constexpr std::int64_t limit = std::numeric_limits<std::uint32_t>::max();
    const auto most = static_cast<std::uint32_t>(std::min(partition.jobs_per_core.value(), limit));
    switch (partition.oversubscribe) {
        case Partition::OverSubscribe::yes:
            return std::min(wanted, most);
        case Partition::OverSubscribe::force:
            return most;
        default:
            return 1;
    }
}

namespace {

/// What the node with the most tasks gives at least, when there are `nodes`.
struct NodeLeast {
    Count cpus;
    Bytes memory;
};

/// The largest number of nodes that the job accepts and the partition allows and has, or nothing.
std::optional<Count> most_nodes_in(const Partition& partition, const Request& request) {
    const Count there(static_cast<std::int64_t>(partition.nodes.count()));
    auto allowed = intersect(request.nodes, partition.nodes_per_job);
    if (allowed) allowed = intersect(*allowed, {Count(1), there});
    if (!allowed) return std::nullopt;
    if (request.node_counts.empty()) return allowed->max;
    std::optional<Count> most;
    for (const Count count : request.node_counts) {
        if (allowed->contains(count)) most = count;
    }
    return most;
}

/// How many nodes a job of the partition may have, behind a comma; empty where any number.
std::string nodes_of_a_job(const Partition& partition) {
    const Range<Count>& each = partition.nodes_per_job;
    if (each.least() > Count(1)) return fmt::format(", {} a job", each);
    return each.max ? fmt::format(", at most {} a job", *each.max) : "";
}

std::string asked_nodes(const Request& request) {
    if (request.node_counts.empty()) {
        return request.nodes.is_open() ? "any number" : to_text(request.nodes);
    }
    std::string text;
    for (const Count count : request.node_counts) {
        text += (text.empty() ? "" : ",") + to_text(count);
    }
    return text;
}

NodeLeast least_of_fullest(const Request& request, Count nodes) {
    const auto tasks = div_ceil(request.tasks.value_or(Count(1)), nodes.value()).value();
    const Count cpus = checked_mul(request.cpus_per_task.least(), tasks).value_or(Count::max());
    const auto milli = checked_mul(request.milli_cpus, tasks).value_or(MilliCpu::max());
    const std::int64_t units = request.memory_per == Per::cpu ? cpus.value() : 1;
    return {checked_add(cpus, Count(div_ceil(milli, 1000).value())).value_or(Count::max()),
            checked_mul(request.memory.least(), units).value_or(Bytes::max())};
}

}  // namespace

std::optional<Refusal> refuse(const Partition& partition, const Request& request) {
    const auto no = [&](std::string why) {
        return Refusal{Constraint::partition, "partition " + partition.name + " " + std::move(why)};
    };
    if (partition.state != Partition::State::up) return no(fmt::format("is {}", partition.state));
    const auto nodes = most_nodes_in(partition, request);
    if (!nodes) {
        const auto there = partition.nodes.count();
        return no(fmt::format("has {} node{}{}, asked {}", there, there == 1 ? "" : "s",
                              nodes_of_a_job(partition), asked_nodes(request)));
    }
    if (request.time_limit && partition.max_time && *partition.max_time < *request.time_limit) {
        return no(fmt::format("runs jobs for at most {} s, asked {}", *partition.max_time,
                              *request.time_limit));
    }
    const auto [cpus, memory] = least_of_fullest(request, *nodes);
    if (partition.max_cpus_per_node && *partition.max_cpus_per_node < cpus) {
        return no(
            fmt::format("gives {} CPUs of a node, asked {}", *partition.max_cpus_per_node, cpus));
    }
    if (partition.max_memory_per_node && *partition.max_memory_per_node < memory) {
        return no(fmt::format("gives {} of memory of a node, asked {}",
                              *partition.max_memory_per_node, memory));
    }
    return std::nullopt;
}

}  // namespace trestle
