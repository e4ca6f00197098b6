// SPDX-License-Identifier: Apache-2.0
#include "knobs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/interval.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"

namespace trestle::slurm {
namespace {

using Knobs = std::vector<Knob>;
using GresList = std::optional<std::vector<Gres>> JobOptions::*;

constexpr GresList gres_lists[] = {&JobOptions::gres, &JobOptions::gpus, &JobOptions::gpus_per_node,
                                   &JobOptions::gpus_per_socket, &JobOptions::gpus_per_task};

/// Left out, where it was given.
template <class T>
void add_drop(Knobs& knobs, const JobOptions& options, T JobOptions::*member) {
    if (options.*member == T{}) return;
    knobs.push_back({1, [member](JobOptions& o, std::int64_t) { o.*member = T{}; }});
}

/// Lowered to 1, or to as much as `unit`.
template <class T>
void add_amount(Knobs& knobs, const JobOptions& options, std::optional<T> JobOptions::*member,
                T unit = T(1)) {
    if (!(options.*member)) return;
    const std::int64_t most = (*(options.*member)).value() / unit.value();
    if (most < 2) return;
    knobs.push_back({most - 1, [member, most, unit](JobOptions& o, std::int64_t step) {
                         o.*member = T((most - step) * unit.value());
                     }});
}

void add_places(Knobs& knobs, const JobOptions& options) {
    add_drop(knobs, options, &JobOptions::switches);
    add_drop(knobs, options, &JobOptions::contiguous);
    add_drop(knobs, options, &JobOptions::segment);
    add_drop(knobs, options, &JobOptions::spread_segments);
    add_drop(knobs, options, &JobOptions::gres_flags);
    add_drop(knobs, options, &JobOptions::nodelist);
    add_drop(knobs, options, &JobOptions::exclude);
    add_drop(knobs, options, &JobOptions::constraint);
    add_drop(knobs, options, &JobOptions::hint);
    add_drop(knobs, options, &JobOptions::core_kind);
    add_drop(knobs, options, &JobOptions::core_spec);
    add_drop(knobs, options, &JobOptions::sockets_per_node);
    add_drop(knobs, options, &JobOptions::cores_per_socket);
    add_drop(knobs, options, &JobOptions::threads_per_core);
    add_drop(knobs, options, &JobOptions::ntasks_per_socket);
    add_drop(knobs, options, &JobOptions::ntasks_per_core);
    add_drop(knobs, options, &JobOptions::exclusive);
    add_drop(knobs, options, &JobOptions::licenses);
}

/// The types of devices of a name that the cluster has.
std::set<std::string> types_of(const Controller& controller, const std::string& name) {
    std::set<std::string> types;
    const Cluster& cluster = controller.cluster();
    const NodeShape* last = nullptr;
    for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
        if (cluster.name(NodeId(i)).empty()) continue;
        const NodeShape& shape = cluster.shape(NodeId(i));
        if (&shape == last) continue;
        last = &shape;
        for (const Device& device : shape.devices) {
            if (device.name == name && !device.type.empty()) types.insert(device.type);
        }
    }
    return types;
}

/// Any type instead of the one that was given, then each other one.
void add_types(Knobs& knobs, const JobOptions& options, const Controller& controller) {
    for (const GresList list : gres_lists) {
        if (!(options.*list)) continue;
        const std::vector<Gres>& items = *(options.*list);
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (items[i].type.empty()) continue;
            std::vector<std::string> types{""};
            for (const std::string& type : types_of(controller, items[i].name)) {
                if (type != items[i].type) types.push_back(type);
            }
            for (const std::string& type : types) {
                knobs.push_back({1, [list, i, type](JobOptions& o, std::int64_t) {
                                     (*(o.*list))[i].type = type;
                                 }});
            }
        }
    }
}

void add_partitions(Knobs& knobs, const JobOptions& options, const Controller& controller) {
    for (const PartitionLine& line : controller.rules().partitions) {
        const auto& named = options.partitions;
        const bool is_tried =
            named.empty() ? line.is_default : std::count(named.begin(), named.end(), line.name) > 0;
        if (is_tried) continue;
        knobs.push_back(
            {1, [name = line.name](JobOptions& o, std::int64_t) { o.partitions = {name}; }});
    }
}

void add_device_counts(Knobs& knobs, const JobOptions& options) {
    for (const GresList list : gres_lists) {
        if (!(options.*list)) continue;
        const std::vector<Gres>& items = *(options.*list);
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::int64_t most = items[i].count.value();
            if (most < 2) continue;
            knobs.push_back({most - 1, [list, i, most](JobOptions& o, std::int64_t step) {
                                 (*(o.*list))[i].count = Count(most - step);
                             }});
        }
    }
}

void add_node_count(Knobs& knobs, const JobOptions& options) {
    if (!options.nodes || !options.nodes->range.min) return;
    const std::int64_t most = options.nodes->range.min->value();
    if (most < 2) return;
    knobs.push_back({most - 1, [most](JobOptions& o, std::int64_t step) {
                         o.nodes = NodeCounts{Range<Count>::exactly(Count(most - step)), {}};
                     }});
}

void add_time(Knobs& knobs, const JobOptions& options) {
    if (!options.time || !options.time->limit) return;
    const std::int64_t most = options.time->limit->value() / 60;
    if (most < 2) return;
    knobs.push_back({most - 1, [most](JobOptions& o, std::int64_t step) {
                         o.time = TimeLimit{Seconds((most - step) * 60)};
                     }});
}

}  // namespace

Knobs knobs_of(const JobOptions& options, const Controller& controller) {
    Knobs knobs;
    add_places(knobs, options);
    add_types(knobs, options, controller);
    add_partitions(knobs, options, controller);
    add_time(knobs, options);
    add_device_counts(knobs, options);
    add_node_count(knobs, options);
    add_amount(knobs, options, &JobOptions::ntasks);
    add_amount(knobs, options, &JobOptions::ntasks_per_node);
    add_amount(knobs, options, &JobOptions::cpus_per_task);
    add_amount(knobs, options, &JobOptions::cpus_per_gpu);
    add_amount(knobs, options, &JobOptions::mincpus);
    add_amount(knobs, options, &JobOptions::mem, mib(1));
    add_amount(knobs, options, &JobOptions::mem_per_cpu, mib(1));
    add_amount(knobs, options, &JobOptions::mem_per_gpu, mib(1));
    add_amount(knobs, options, &JobOptions::tmp, mib(1));
    return knobs;
}

}  // namespace trestle::slurm
