// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/choice/controller.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "placing.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle::slurm {
namespace choice {
namespace {

/// The cores of abstract CPU ids. Nothing: there are no such CPUs.
std::optional<CoreSet> cores_of(const NodeShape& shape, const PuSet& cpu_ids) {
    CoreSet cores;
    std::uint32_t first = 0;
    for (std::uint32_t i = 0; i < shape.hardware.core_count(); ++i) {
        const auto threads = static_cast<std::uint32_t>(shape.hardware.cores[i].threads.size());
        if (cpu_ids.count_in({first, first + threads}) != 0) cores.insert(CoreId(i));
        first += threads;
    }
    const auto last = cpu_ids.last();
    if (last && last->value() >= first) return std::nullopt;
    return cores;
}

/// Adds recorded devices to what is taken. False: there are no such devices.
bool take_recorded(const NodeView& view, const FreeState& free, const GresDetail& recorded,
                   NodeTaking& taking) {
    if (recorded.gres.count.is_zero()) return true;
    const auto at = view.find_gres(recorded.gres.name);
    if (!at) return false;
    const ViewGres& gres = view.gres[*at];
    if (recorded.indexes.is_empty()) {
        return take_counters(gres, recorded.gres.type, recorded.gres.count, free, taking);
    }
    const Count each = div_floor(recorded.gres.count, recorded.indexes.count());
    for (const std::uint32_t index : recorded.indexes) {
        const auto device = std::find_if(gres.devices.begin(), gres.devices.end(),
                                         [&](const auto& one) { return one.index == index; });
        if (device == gres.devices.end()) return false;
        const Count whole = view.shape->devices[device->id.value()].shares;
        Count& known = taking.shares[device->id];
        known = gres.is_shared ? std::max(known, std::min(each, whole)) : whole;
    }
    return true;
}

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

}  // namespace
}  // namespace choice

StatusOr<Controller> Controller::create(const ConfTexts& texts) {
    const ConfFiles none;
    TRESTLE_TRY(const SlurmConf conf,
                parse_slurm_conf(texts.slurm_conf, texts.files != nullptr ? *texts.files : none));
    TRESTLE_TRY(BuiltCluster built, parse_cluster_of(conf, texts));
    SelectRules rules = select_rules_of(conf, built.cluster);
    return Controller(std::move(built), std::move(rules));
}

StatusOr<Decision> Controller::submit(std::string_view options) {
    const auto submission = parse_option_text(options);
    if (!submission.ok()) {
        Decision refused;
        refused.message = message(submission.status());
        return refused;
    }
    if (submission->components.size() != 1) {
        return make_error(StatusCode::kUnimplemented, "a job of several components");
    }
    return submit(submission->components.front().options);
}

StatusOr<Decision> Controller::submit(const JobOptions& options) {
    Decision decision = selector_.select(cluster_, options);
    if (decision.answer == Answer::allocated) {
        TRESTLE_TRY(decision.owner, commit(decision.placement, decision.partition));
    }
    return decision;
}

StatusOr<OwnerId> Controller::adopt(std::span<const NodeGrant> grants, std::string_view partition) {
    const auto& partitions = cluster_.partitions();
    const bool is_known = partition.empty() ||
                          std::any_of(partitions.begin(), partitions.end(),
                                      [&](const Partition& one) { return one.name == partition; });
    if (!is_known) return invalid_argument("unknown partition {}", partition);
    Placement placement;
    for (const NodeGrant& grant : grants) {
        TRESTLE_TRY(NodePlacement part, choice::recorded_part(cluster_, grant));
        placement.nodes.push_back(std::move(part));
    }
    std::sort(placement.nodes.begin(), placement.nodes.end(),
              [](const NodePlacement& a, const NodePlacement& b) { return a.node < b.node; });
    return commit(std::move(placement), partition);
}

StatusOr<OwnerId> Controller::commit(Placement placement, std::string_view partition) {
    Request request;
    request.partition = partition;  // whose CPUs MaxCPUsPerNode counts
    const OwnerId owner(next_owner_);
    TRESTLE_TRY_STATUS(cluster_.commit({owner, std::move(request), std::move(placement)}));
    ++next_owner_;
    return owner;
}

Status Controller::release(OwnerId owner) { return cluster_.release(owner).status(); }

}  // namespace trestle::slurm
