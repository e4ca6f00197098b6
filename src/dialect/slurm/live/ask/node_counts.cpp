// SPDX-License-Identifier: Apache-2.0
#include "node_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/place/node_filter.hpp"
#include "trestle/alloc/cluster/place/prepared_request.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/options/options.hpp"

namespace trestle::slurm {
namespace {

/// The partition that the component was looked at in.
std::string asked_partition(const Controller& controller, const JobOptions& options,
                            const Decision* decision) {
    if (decision != nullptr && !decision->partition.empty()) return decision->partition;
    if (!options.partitions.empty()) return options.partitions.front();
    for (const PartitionLine& line : controller.rules().partitions) {
        if (line.is_default) return line.name;
    }
    return "";
}

bool says_memory(const JobOptions& options) {
    return options.mem || options.mem_per_cpu || options.mem_per_gpu;
}

/// The memory of each node that Slurm adds to a job that asks for none.
void add_default_memory(const Decision& decision, Request& request) {
    const std::int64_t all = decision.req_tres.of({"mem", ""}).value();
    const std::int64_t nodes = request.nodes.min.value_or(Count(1)).value();
    if (all > 0)
        request.memory = Range<Bytes>::exactly(Bytes(all / std::max<std::int64_t>(1, nodes)));
}

/// The nodes that the job may have: those of its partition, or those it names where it wants no
/// other.
NodeSet nodes_of(const Controller& controller, const JobOptions& options, const Request& request) {
    const Cluster& cluster = controller.cluster();
    NodeSet named;
    for (const std::string& name : request.required_nodes) {
        if (const auto node = cluster.find_node(name)) named.insert(*node);
    }
    const auto wanted = static_cast<std::uint64_t>(request.nodes.min.value_or(Count(1)).value());
    if (!named.is_empty() && named.count() >= wanted) return named;
    for (const Partition& one : cluster.partitions()) {
        if (one.name == options.partitions.front()) return one.nodes;
    }
    return {};
}

/// The refusal, which may name a node that is none of the candidates, in words about these.
void say_of_candidates(std::uint64_t candidates, const Request& request, Explanation& found) {
    Refusal& why = found.why;
    if (why.constraint != Constraint::candidates && why.constraint != Constraint::nodes) return;
    const Count wanted = request.nodes.min.value_or(Count(1));
    if (wanted > Count(1) || !found.fitting.is_zero()) {
        why = {Constraint::nodes, fmt::format("asked {} nodes, {} of {} can take a part", wanted,
                                              found.fitting, candidates)};
    } else if (!found.removed.empty()) {
        why = {found.removed.front().constraint, found.removed.front().example};
    }
}

}  // namespace

StatusOr<Explanation> explain_nodes(const Controller& controller, const Submission& job,
                                    const std::vector<Decision>& decisions) {
    Submission asked = job;
    for (std::size_t i = 0; i < asked.components.size(); ++i) {
        JobOptions& options = asked.components[i].options;
        const Decision* const decision = i < decisions.size() ? &decisions[i] : nullptr;
        options.partitions = {asked_partition(controller, options, decision)};
    }
    TRESTLE_TRY(Request request, request_of(asked));
    if (asked.components.size() == 1 && !decisions.empty() &&
        !says_memory(asked.components.front().options)) {
        add_default_memory(decisions.front(), request);
    }
    TRESTLE_TRY(const PreparedRequest prepared, PreparedRequest::create(std::move(request)));
    const NodeSet nodes = nodes_of(controller, asked.components.front().options, *prepared);
    NodeFilter filter;
    filter.candidates = &nodes;
    Explanation found = explain(controller.cluster(), prepared, {}, filter, 1);
    std::erase_if(found.removed, [](const Explanation::Removal& row) {
        return row.constraint == Constraint::candidates;  // nodes of other partitions
    });
    say_of_candidates(nodes.count(), *prepared, found);
    return found;
}

}  // namespace trestle::slurm
