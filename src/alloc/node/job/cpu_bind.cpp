// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/job/cpu_bind.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alloc/node/job/detail/shared_nodes.hpp"
#include "model/core_groups.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

Status check(const TaskBind& bind) {
    const bool is_map = bind.to == TaskBind::To::map || bind.to == TaskBind::To::map_numa;
    const bool is_mask = bind.to == TaskBind::To::mask || bind.to == TaskBind::To::mask_numa;
    if ((is_map && bind.map.empty()) || (is_mask && bind.masks.empty())) {
        return invalid_argument("CPU binding: {} without a list", to_text(bind.to));
    }
    return {};
}

namespace {

/// Binds the tasks of one node.
class NodeCpuBind {
  public:
    NodeCpuBind(const NodeShape& shape, const NodePlacement& placement, const TaskBind& bind);

    /// The threads of task `local` of the node, or why there are none.
    [[nodiscard]] Verdict<PuSet> run(std::size_t local, const TaskPlacement& task) const;

  private:
    [[nodiscard]] PuSet in(const CoreSet& cores) const {
        return shape_.hardware.threads_of(cores) & granted_;
    }

    /// One thread of each core in turn, before any core's second.
    [[nodiscard]] PuSet thread_by_rank(std::size_t local) const;

    [[nodiscard]] Verdict<PuSet> listed(std::size_t local) const;
    [[nodiscard]] CoreSet domain_cores(std::uint32_t number) const;
    [[nodiscard]] Refusal not_granted(std::uint32_t number) const;

    const NodeShape& shape_;
    const TaskBind& bind_;
    PuSet granted_;
    std::vector<CoreSet> groups_;
};

NodeCpuBind::NodeCpuBind(const NodeShape& shape, const NodePlacement& placement,
                         const TaskBind& bind)
    : shape_(shape), bind_(bind), granted_(threads_of(shape, placement)) {
    using enum HardwareLevel;
    switch (bind.to) {
        case TaskBind::To::l3:
            groups_ = core_groups(shape, l3);
            break;
        case TaskBind::To::numa:
        case TaskBind::To::rank_numa:
            groups_ = core_groups(shape, numa);
            break;
        case TaskBind::To::sockets:
            groups_ = core_groups(shape, package);
            break;
        default:
            break;
    }
    if (bind.to == TaskBind::To::rank_numa) {
        std::erase_if(groups_, [&](const CoreSet& cores) { return in(cores).is_empty(); });
    }
}

Verdict<PuSet> NodeCpuBind::run(std::size_t local, const TaskPlacement& task) const {
    if (granted_.is_empty()) return PuSet();
    switch (bind_.to) {
        case TaskBind::To::none:
            return granted_;
        case TaskBind::To::threads:
            return task.threads;
        case TaskBind::To::cores:
        case TaskBind::To::l3:
        case TaskBind::To::numa:
        case TaskBind::To::sockets:
            return in(widen(groups_, task.cores));
        case TaskBind::To::rank:
            return thread_by_rank(local);
        case TaskBind::To::rank_numa:
            return in(groups_[local % groups_.size()]);
        default:
            return listed(local);
    }
}

PuSet NodeCpuBind::thread_by_rank(std::size_t local) const {
    std::vector<OsIndex> order;
    for (std::size_t level = 0; order.size() < granted_.count(); ++level) {
        for (const Core& core : shape_.hardware.cores) {
            if (level >= core.threads.size()) continue;
            if (granted_.contains(core.threads[level])) order.push_back(core.threads[level]);
        }
    }
    return PuSet::of({order[local % order.size()]});
}

Verdict<PuSet> NodeCpuBind::listed(std::size_t local) const {
    const bool is_map = bind_.to == TaskBind::To::map || bind_.to == TaskBind::To::map_numa;
    SmallSet<> wanted;
    if (is_map) {
        const std::uint32_t number = bind_.map[local % bind_.map.size()];
        if (number >= wanted.index_limit) return not_granted(number);
        wanted.insert(number);
    } else {
        wanted = bind_.masks[local % bind_.masks.size()];
    }
    if (wanted.is_empty()) return Refusal{Constraint::cores, "the mask of a task is empty"};
    const bool is_cpus = bind_.to == TaskBind::To::map || bind_.to == TaskBind::To::mask;
    PuSet threads;
    for (const std::uint32_t number : wanted) {
        PuSet more;
        if (is_cpus && granted_.contains(OsIndex(number))) more.insert(OsIndex(number));
        if (!is_cpus) more = in(domain_cores(number));
        if (more.is_empty()) return not_granted(number);
        threads |= more;
    }
    return threads;
}

CoreSet NodeCpuBind::domain_cores(std::uint32_t number) const {
    for (const MemoryDomain& domain : shape_.memory) {
        if (domain.os_index == OsIndex(number)) return domain.cores;
    }
    return {};
}

Refusal NodeCpuBind::not_granted(std::uint32_t number) const {
    const bool is_cpus = bind_.to == TaskBind::To::map || bind_.to == TaskBind::To::mask;
    const std::string has = is_cpus ? "is none" : "has none";
    return {Constraint::cores,
            fmt::format("{} {} of the list {} of the job's CPUs {}",
                        is_cpus ? "CPU" : "NUMA domain", number, has, to_text(granted_))};
}

}  // namespace

Verdict<std::vector<PuSet>> bind_cpus(std::span<const Node> nodes, const Placement& placement,
                                      std::span<const TaskPlacement> tasks, const TaskBind& bind) {
    TRESTLE_EXPECTS(check(bind).ok(), "the binding can be meant");
    std::vector<PuSet> bound(tasks.size());
    for (const NodePlacement& part : placement.nodes) {
        TRESTLE_EXPECTS(part.node.value() < nodes.size(), "the node exists");
    }
    if (auto why = detail::refuse_shared_nodes(nodes, placement)) return *std::move(why);
    for (const NodePlacement& part : placement.nodes) {
        const Node& node = nodes[part.node.value()];
        const NodeCpuBind on_node(*node.shape, part, bind);
        std::size_t local = 0;
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            if (tasks[i].node != part.node) continue;
            auto threads = on_node.run(local++, tasks[i]);
            if (!threads) {
                return Refusal{threads.refusal().constraint,
                               fmt::format("node {}: {}", node.name, threads.refusal().reason)};
            }
            bound[i] = *std::move(threads);
        }
    }
    return bound;
}

}  // namespace trestle
