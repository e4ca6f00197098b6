// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/job/job.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "alloc/node/free/holding_edits.hpp"
#include "alloc/node/job/detail/job_shape.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

const NodePlacement* JobStep::find_node(NodeId node) const {
    for (const NodePlacement& part : placement.nodes) {
        if (part.node == node) return &part;
    }
    return nullptr;
}

Allocation JobState::allocation() const {
    Allocation all{owner_, request_, {}};
    for (const JobNode& node : nodes_) all.placement.nodes.push_back(node.granted);
    return all;
}

const JobNode* JobState::find_node(NodeId id) const {
    for (const JobNode& node : nodes_) {
        if (node.granted.node == id) return &node;
    }
    return nullptr;
}

const JobStep* JobState::find_step(StepId id) const {
    for (const JobStep& step : steps_) {
        if (step.id == id) return &step;
    }
    return nullptr;
}

void JobState::hash_into(HashState& state) const {
    trestle::hash_into(state, allocation());
    trestle::hash_into(state, steps_);
}

namespace {

/// Ok when all units of the part exist on a node of that shape. Errors: see NodeLedger::take.
Status check_units(const NodeShape& shape, const NodePlacement& part) {
    return NodeLedger(shape).take(part, OwnerId());
}

/// Ok when `whole` has every unit of `part`, in the same row, with the same use of its cores.
Status check_holds(const NodePlacement& whole, const NodePlacement& part) {
    if (whole.row != part.row) return failed_precondition("cores in another row than the job's");
    if (!part.cores.is_empty() && whole.threads_per_core != part.threads_per_core) {
        return failed_precondition("{} threads of each core, not {} (0: all)",
                                   whole.threads_per_core.value(), part.threads_per_core.value());
    }
    if (const auto core = (part.cores - whole.cores).first()) {
        return failed_precondition("core {} of the job's is missing", core->value());
    }
    if (whole.milli_cpus < part.milli_cpus) {
        return failed_precondition("thousandths of CPUs of the job's are missing");
    }
    Holding held;
    detail::add(held, whole);
    for (const MemoryShare& share : part.memory) {
        if (share.bytes <= held.bytes_of(share.domain)) continue;
        return failed_precondition("memory of domain {} of the job's is missing",
                                   share.domain.value());
    }
    for (const DeviceShare& share : part.devices) {
        if (share.shares <= held.shares_of(share.device, share.slice)) continue;
        return failed_precondition("device {} of the job's is missing", share.device.value());
    }
    return {};
}

}  // namespace

StatusOr<JobState> JobState::create(std::span<const Node> nodes, const Allocation& allocation) {
    JobState job;
    job.owner_ = allocation.owner;
    job.request_ = *allocation.request;
    for (const NodePlacement& part : allocation.placement.nodes) {
        const std::uint32_t id = part.node.value();
        if (id >= nodes.size()) return invalid_argument("node {} does not exist", id);
        const NodePlacement* const before =
            job.nodes_.empty() ? nullptr : &job.nodes_.back().granted;
        if (before && before->node == part.node && before->component < part.component) {
            return invalid_argument(
                "node {}: it serves components {} and {}, expected a job of one component, as "
                "component_placement() gives it",
                nodes[id].name, before->component, part.component);
        }
        if (before && !(before->node < part.node)) {
            return invalid_argument("node {}: expected rising node ids, each once", id);
        }
        TRESTLE_TRY_STATUS(job.add_node(nodes[id], part));
    }
    return job;
}

Status JobState::add_node(const Node& node, NodePlacement granted) {
    if (node.name.empty()) {
        return invalid_argument("node {}: it has no name", granted.node.value());
    }
    const bool is_known = std::any_of(nodes_.begin(), nodes_.end(), [&](const JobNode& other) {
        return other.name == node.name || other.granted.node == granted.node;
    });
    if (is_known) return failed_precondition("node {}: the job has it already", node.name);
    const std::string where = "node " + node.name;
    TRESTLE_TRY_STATUS(with_context(where, check_units(*node.shape, granted)));
    JobNode made{node.name, node.shape, std::move(granted), Holding{owner_}};
    detail::add(made.free, made.granted);
    TRESTLE_TRY_STATUS(with_context(where, check(detail::shape_with(*made.shape, made.granted))));
    const auto at = std::find_if(nodes_.begin(), nodes_.end(), [&](const JobNode& other) {
        return made.granted.node < other.granted.node;
    });
    nodes_.insert(at, std::move(made));
    return {};
}

template <class Has>
std::string JobState::holders(NodeId node, Has has) const {
    std::string text;
    for (const JobStep& step : steps_) {
        const NodePlacement* part = step.find_node(node);
        if (step.use == JobStep::Use::overlap || part == nullptr || !has(*part)) continue;
        text += fmt::format("{}{}", text.empty() ? "" : ", ", step.id);
    }
    return text.empty() ? text : " (step " + text + ")";
}

Status JobState::check_cores(const JobNode& node, const NodePlacement& part,
                             JobStep::Use use) const {
    const NodePlacement& granted = node.granted;
    if (part.row != granted.row) return invalid_argument("cores in another row than the job's");
    const Count threads = granted.threads_per_core;
    if (!threads.is_zero() &&
        (part.threads_per_core.is_zero() || threads < part.threads_per_core)) {
        return invalid_argument("more threads of a core than the job's {}", threads.value());
    }
    if (const auto core = (part.cores - granted.cores).first()) {
        return failed_precondition("core {} is not the job's", core->value());
    }
    if (use == JobStep::Use::overlap) return {};
    if (const auto core = (part.cores - node.free.cores_in(granted.row)).first()) {
        return failed_precondition(
            "core {} is taken{}", core->value(),
            holders(granted.node, [&](const auto& p) { return p.cores.contains(*core); }));
    }
    return {};
}

MilliCpu JobState::step_milli_cpus(NodeId node) const {
    MilliCpu sum;
    for (const JobStep& step : steps_) {
        const NodePlacement* part = step.find_node(node);
        if (step.use == JobStep::Use::alone && part != nullptr) sum += part->milli_cpus;
    }
    return sum;
}

/// Thousandths, and cores that leave enough for those of other steps.
Status JobState::check_milli_cpus(const JobNode& node, const NodePlacement& part,
                                  JobStep::Use use) const {
    const NodePlacement& granted = node.granted;
    const bool is_alone = use == JobStep::Use::alone;
    const MilliCpu taken = is_alone ? step_milli_cpus(granted.node) : MilliCpu();
    const auto needed = checked_add(taken, part.milli_cpus);
    if (needed == MilliCpu()) return {};
    NodePlacement unpinned = granted;
    if (is_alone) unpinned.cores = node.free.cores_in(granted.row) - part.cores;
    const MilliCpu all = cpus(threads_of(*node.shape, unpinned).count()) + granted.milli_cpus;
    if (needed && *needed <= all) return {};
    return failed_precondition(
        "{} thousandths of CPUs would be left, not {}{}", saturating_sub(all, taken).value(),
        part.milli_cpus.value(),
        holders(granted.node, [](const auto& p) { return !p.milli_cpus.is_zero(); }));
}

Status JobState::check_memory(const JobNode& node, const NodePlacement& part,
                              JobStep::Use use) const {
    for (const MemoryShare& share : part.memory) {
        Bytes granted;
        for (const MemoryShare& one : node.granted.memory) {
            if (one.domain == share.domain) granted = one.bytes;
        }
        if (granted < share.bytes) {
            return failed_precondition("the job has {} bytes of memory domain {}, not {}",
                                       granted.value(), share.domain.value(), share.bytes.value());
        }
        const Bytes free = node.free.bytes_of(share.domain);
        if (use == JobStep::Use::overlap || share.bytes <= free) continue;
        const auto has = [&](const NodePlacement& p) {
            return std::any_of(p.memory.begin(), p.memory.end(),
                               [&](const MemoryShare& one) { return one.domain == share.domain; });
        };
        return failed_precondition("{} bytes of memory domain {} are left, not {}{}", free.value(),
                                   share.domain.value(), share.bytes.value(),
                                   holders(node.granted.node, has));
    }
    return {};
}

Status JobState::check_devices(const JobNode& node, const NodePlacement& part,
                               JobStep::Use use) const {
    for (const DeviceShare& share : part.devices) {
        const Device& device = node.shape->devices[share.device.value()];
        Count granted;
        for (const DeviceShare& one : node.granted.devices) {
            if (detail::is_same_unit(one, share)) granted = one.shares;
        }
        if (granted < share.shares) {
            return granted.is_zero()
                       ? failed_precondition("{}:{} is not the job's", device.name, device.index)
                       : failed_precondition("the job has {} shares of {}:{}, not {}",
                                             granted.value(), device.name, device.index,
                                             share.shares.value());
        }
        const Count free = node.free.shares_of(share.device, share.slice);
        if (use == JobStep::Use::overlap || share.shares <= free) continue;
        const auto has = [&](const NodePlacement& p) {
            return std::any_of(p.devices.begin(), p.devices.end(), [&](const DeviceShare& one) {
                return detail::is_same_unit(one, share);
            });
        };
        return failed_precondition("{}:{} is taken, {} of {} shares are left{}", device.name,
                                   device.index, free.value(), granted.value(),
                                   holders(node.granted.node, has));
    }
    return {};
}

Status JobState::check_step(const JobStep& step) const {
    if (find_step(step.id) != nullptr) {
        return failed_precondition("step {} runs already", step.id.value());
    }
    if (step.placement.nodes.empty()) {
        return invalid_argument("step {}: it has no node", step.id.value());
    }
    const NodePlacement* lower = nullptr;
    for (const NodePlacement& part : step.placement.nodes) {
        const JobNode* node = find_node(part.node);
        if (node == nullptr) {
            return failed_precondition("node {} is not the job's", part.node.value());
        }
        if (lower != nullptr && !(lower->node < part.node)) {
            return invalid_argument("node {}: expected rising node ids, each once",
                                    part.node.value());
        }
        lower = &part;
        const std::string where = "node " + node->name;
        TRESTLE_TRY_STATUS(with_context(where, check_units(*node->shape, part)));
        TRESTLE_TRY_STATUS(with_context(where, check_cores(*node, part, step.use)));
        TRESTLE_TRY_STATUS(with_context(where, check_milli_cpus(*node, part, step.use)));
        TRESTLE_TRY_STATUS(with_context(where, check_memory(*node, part, step.use)));
        TRESTLE_TRY_STATUS(with_context(where, check_devices(*node, part, step.use)));
    }
    return {};
}

void JobState::move_units(const JobStep& step, JobNode& node,
                          void (*move)(Holding&, const NodePlacement&)) const {
    const NodePlacement* const part = step.find_node(node.granted.node);
    if (step.use == JobStep::Use::overlap || part == nullptr) return;
    NodePlacement moved = *part;
    erase_if(moved.devices, [&](const DeviceShare& share) {
        return !node.shape->devices[share.device.value()].is_consumed;
    });
    moved.milli_cpus = MilliCpu();
    move(node.free, moved);
    const MilliCpu taken = step_milli_cpus(node.granted.node);
    node.free.milli_cpus = saturating_sub(node.granted.milli_cpus, taken);
}

void JobState::move_units(const JobStep& step, void (*move)(Holding&, const NodePlacement&)) {
    for (JobNode& node : nodes_) move_units(step, node, move);
}

Status JobState::start(JobStep step) {
    TRESTLE_TRY_STATUS(check_step(step));
    const auto at = std::find_if(steps_.begin(), steps_.end(),
                                 [&](const JobStep& other) { return step.id < other.id; });
    move_units(*steps_.insert(at, std::move(step)), &detail::remove);
    return {};
}

StatusOr<JobStep> JobState::end(StepId id) {
    const auto at = std::find_if(steps_.begin(), steps_.end(),
                                 [&](const JobStep& step) { return step.id == id; });
    if (at == steps_.end()) return not_found("step {} does not run", id.value());
    JobStep ended = std::move(*at);
    steps_.erase(at);
    move_units(ended, &detail::add);
    return ended;
}

Status JobState::grow_node(NodePlacement whole) {
    const auto at = std::find_if(nodes_.begin(), nodes_.end(), [&](const JobNode& node) {
        return node.granted.node == whole.node;
    });
    if (at == nodes_.end()) return not_found("node {} is not the job's", whole.node.value());
    const std::string where = "node " + at->name;
    TRESTLE_TRY_STATUS(with_context(where, check_units(*at->shape, whole)));
    TRESTLE_TRY_STATUS(with_context(where, check_holds(whole, at->granted)));
    JobNode grown{at->name, at->shape, std::move(whole), Holding{owner_}};
    TRESTLE_TRY_STATUS(with_context(where, check(detail::shape_with(*grown.shape, grown.granted))));
    detail::add(grown.free, grown.granted);
    for (const JobStep& step : steps_) move_units(step, grown, &detail::remove);
    *at = std::move(grown);
    return {};
}

StatusOr<Placement> JobState::remove_node(NodeId id) {
    const auto at = std::find_if(nodes_.begin(), nodes_.end(),
                                 [&](const JobNode& node) { return node.granted.node == id; });
    if (at == nodes_.end()) return not_found("node {} is not the job's", id.value());
    for (const JobStep& step : steps_) {
        if (step.find_node(id) != nullptr) {
            return failed_precondition("node {}: step {} runs there", at->name, step.id.value());
        }
    }
    Placement part{{std::move(at->granted)}};
    nodes_.erase(at);
    return part;
}

}  // namespace trestle
