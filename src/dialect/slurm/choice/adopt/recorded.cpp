// SPDX-License-Identifier: Apache-2.0
#include "recorded.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "../../ids_per_thread.hpp"
#include "../network/layers.hpp"
#include "../node_placement.hpp"
#include "model/cluster_counts.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm::choice {
namespace {

/// The cores of abstract CPU ids. Nothing: there are no such CPUs.
std::optional<CoreSet> cores_of(const NodeShape& shape, const PuSet& cpu_ids) {
    CoreSet cores;
    std::uint32_t end = 0;
    for_each_core_ids(shape.hardware, [&](CoreId core, PuSet::Run range) {
        if (cpu_ids.count_in(range) != 0) cores.insert(core);
        end = range.end;
    });
    const auto last = cpu_ids.last();
    if (last && last->value() >= end) return std::nullopt;
    return cores;
}

/// Whether a device is of the recorded type, which Slurm does not always print.
bool is_of_type(const ViewDevice& device, std::string_view type) {
    return type.empty() || device.type == type;
}

/// Adds parts of devices, given device by device, to what is taken. A job's are of all GPUs of the
/// node, those of a type alone are one each of its devices. False: there are fewer.
bool take_parts(const NodeView& view, const ViewGres& gres, const GresDetail& recorded,
                NodeTaking& taking) {
    if (!gres.is_shared) return false;
    const auto all = devices_beside(view, gres);
    const bool are_all = recorded.parts.size() == all.size();
    const std::span<const ViewDevice> devices = are_all ? all : std::span(gres.devices);
    auto device = devices.begin();
    for (const GresPart& part : recorded.parts) {
        device = std::find_if(device, devices.end(), [&](const ViewDevice& one) {
            return are_all || is_of_type(one, recorded.gres.type);
        });
        if (device == devices.end()) return false;
        const ViewDevice& one = *device++;
        const Count used = part.used.value_or(Count());
        if (used.is_zero()) continue;
        if (part.all != view.shape->devices[one.id.value()].shares) return false;
        if (!is_cut(gres, one) || !is_of_type(one, recorded.gres.type)) return false;
        const DeviceId id = one.id;
        Count& known = taking.shares[id];
        const auto sum = checked_add(known, used);
        if (!sum || *sum > view.shape->devices[id.value()].shares) return false;
        known = *sum;
    }
    return true;
}

/// Adds devices that are recorded by their indexes to what is taken. False: there are no such
/// devices. How the parts are spread over several devices is not recorded: all give as many, the
/// first ones what is left over. A whole device gives what others have not of it.
bool take_indexes(const NodeView& view, const FreeState& free, const ViewGres& gres,
                  const GresDetail& recorded, NodeTaking& taking) {
    const auto devices = static_cast<std::int64_t>(recorded.indexes.count());
    const Count each = div_floor(recorded.gres.count, devices);
    Count over = recorded.gres.count - each * devices;
    for (const std::uint32_t index : recorded.indexes) {
        const auto device =
            std::find_if(gres.devices.begin(), gres.devices.end(), [&](const ViewDevice& one) {
                return one.index == index && is_of_type(one, recorded.gres.type);
            });
        if (device == gres.devices.end()) return false;
        const Count whole = view.shape->devices[device->id.value()].shares;
        Count& known = taking.shares[device->id];
        if (!gres.is_shared) {
            const Count left = free.shares[device->id.value()];
            known = left.is_zero() ? whole : left;
            continue;
        }
        if (whole < each) return false;
        const Count more = std::min(over, whole - each);
        known = std::max(known, each + more);
        over -= more;
    }
    return !gres.is_shared || over.is_zero();
}

/// Adds recorded devices to what is taken. False: there are no such devices.
bool take_recorded(const NodeView& view, const FreeState& free, const GresDetail& recorded,
                   NodeTaking& taking) {
    if (recorded.gres.count.is_zero()) return true;
    const auto at = view.find_gres(recorded.gres.name);
    if (!at) return false;
    const ViewGres& gres = view.gres[*at];
    if (!recorded.parts.empty()) return take_parts(view, gres, recorded, taking);
    if (!recorded.indexes.is_empty()) return take_indexes(view, free, gres, recorded, taking);
    return take_counters(gres, recorded.gres.type, recorded.gres.count, free, taking);
}

/// A licence or a resource of one job, as --licenses bounds them.
constexpr std::int64_t recorded_max = std::numeric_limits<std::int32_t>::max();

}  // namespace

StatusOr<NodePlacement> recorded_part(const Cluster& cluster, const NodeGrant& grant) {
    const auto node = cluster.find_node(grant.node);
    if (!node) return invalid_argument("unknown node {}", grant.node);
    const NodeShape& shape = cluster.shape(*node);
    const FreeState& free = cluster.free(*node);
    auto cores = cores_of(shape, grant.cpu_ids);
    if (!cores) {
        return invalid_argument("node {}: CPU {} does not exist", grant.node,
                                grant.cpu_ids.last()->value());
    }
    NodeTaking taking{*std::move(cores), grant.memory, {}};
    const NodeView view = view_of(shape, 1);
    for (const GresDetail& one : grant.gres) {
        if (take_recorded(view, free, one, taking)) continue;
        return invalid_argument("node {}: there is no {}", grant.node, to_text(one));
    }
    auto placement = placement_of(shape, free, taking);
    if (!placement) {
        return failed_precondition("node {}: less than {} bytes are free", grant.node,
                                   grant.memory.value());
    }
    placement->node = *node;
    return *std::move(placement);
}

std::vector<ClusterCount> licenses_of(const Cluster& cluster, const JobOptions& options) {
    if (!options.licenses) return {};
    const std::vector<ClusterCount>& asked = options.licenses->counts;
    if (!options.licenses->is_any_of) return asked;
    const auto free = cluster.free_counts();
    const auto one = std::find_if(asked.begin(), asked.end(), [&](const ClusterCount& count) {
        return contains(free, std::vector{count});
    });
    if (one == asked.end()) return asked;
    return {*one};
}

StatusOr<std::vector<ClusterCount>> recorded_counts(const Cluster& cluster,
                                                    const SelectRules& rules,
                                                    std::span<const ClusterCount> licenses,
                                                    const Placement& placement) {
    std::vector<ClusterCount> counts;
    std::vector<AskedResource> asked;
    for (const ClusterCount& one : licenses) {
        if (one.count.is_zero()) continue;
        if (one.count > Count(recorded_max)) {
            return invalid_argument("{}: {}, expected at most {}", one.name, one.count.value(),
                                    recorded_max);
        }
        const auto resource = find_resource(rules.resources, one.name);
        if (resource.of != nullptr && resource.layer == nullptr) {
            asked.push_back({resource.of, one.count});
            continue;
        }
        const std::string name =
            resource.of == nullptr ? one.name : count_name(*resource.of, *resource.layer);
        if (count_of(cluster.counts(), name).is_zero()) {
            return invalid_argument("the cluster has no licence {}", one.name);
        }
        counts = add(counts, {{name, one.count}});
    }
    return add(counts, layers_taken(asked, cluster.free_counts(), placement));
}

}  // namespace trestle::slurm::choice
