// SPDX-License-Identifier: Apache-2.0
#include "enforce/detail/limit_steps.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/enforce/group_name.hpp"

namespace trestle {

namespace detail {

void StepList::add(Step::Action action, const std::string& resource, Requirement r) {
    steps_.push_back({std::move(action), r, resource, group_});
}

void StepList::enable(const std::string& resource, const std::string& controller, Requirement r) {
    steps_.push_back({Step::EnableController{controller}, r, resource, parent_group(group_)});
}

void StepList::set(const std::string& resource, Limit limit, Requirement r) {
    add(Step::SetLimit{std::move(limit)}, resource, r);
}

void enable_controllers(const Limits& limits, const Requirements& required, StepList& steps) {
    if (!limits.cpus.is_empty() || !limits.mems.is_empty()) {
        steps.enable("cpu", "cpuset", required.cpu);
    }
    if (limits.cpu_max || limits.cpu_weight) {
        steps.enable(limits.cpu_max ? "cpu quota" : "cpu weight", "cpu", required.cpu);
    }
    if (limits.memory_max || limits.memory_high || limits.memory_low || limits.memory_min) {
        steps.enable("memory", "memory", required.memory);
    } else if (required.memory != Requirement::skip) {
        steps.enable("memory usage", "memory", Requirement::best_effort);
    }
    if (limits.pids_max) steps.enable("pids", "pids", required.pids);
    if (!limits.io.empty() || limits.io_weight) {
        steps.enable(limits.io.empty() ? "io weight" : "io", "io", required.io);
    }
    if (!limits.hugetlb.empty()) steps.enable("hugetlb", "hugetlb", required.hugetlb);
    if (!limits.rdma.empty()) steps.enable("rdma", "rdma", required.rdma);
    if (!limits.misc.empty()) steps.enable("misc", "misc", required.misc);
}

void set_cpus(const Limits& limits, const Requirements& required, StepList& steps) {
    if (!limits.cpus.is_empty()) steps.set("cpu", CpusLimit{limits.cpus}, required.cpu);
    if (!limits.mems.is_empty()) steps.set("cpu", MemsLimit{limits.mems}, required.cpu);
    if (limits.partition != CpusetPartition::member) {
        steps.set("partition", PartitionLimit{limits.partition}, required.partition);
    }
    if (limits.cpu_max) steps.set("cpu quota", CpuTimeLimit{limits.cpu_max}, required.cpu);
    if (limits.cpu_weight) {
        steps.set("cpu weight", CpuWeightLimit{*limits.cpu_weight}, required.cpu);
    }
}

void set_memory(const Limits& limits, const Requirements& required, StepList& steps) {
    const auto set = [&](const char* resource, MemoryLimit::File file,
                         const std::optional<Bytes>& bytes, Requirement r) {
        if (bytes) steps.set(resource, MemoryLimit{file, bytes}, r);
    };
    set("memory", MemoryLimit::File::max, limits.memory_max, required.memory);
    set("memory", MemoryLimit::File::high, limits.memory_high, required.memory);
    set("memory", MemoryLimit::File::low, limits.memory_low, required.memory);
    set("memory", MemoryLimit::File::min, limits.memory_min, required.memory);
    set("swap", MemoryLimit::File::swap_max, limits.swap_max, required.swap);
    if (limits.is_oom_group) steps.set("memory", OomGroupLimit{true}, required.memory);
}

void set_others(const Limits& limits, const Requirements& required, StepList& steps) {
    if (limits.pids_max) steps.set("pids", PidsLimit{limits.pids_max}, required.pids);
    for (const IoLimit& limit : limits.io) steps.set("io", limit, required.io);
    if (limits.io_weight) steps.set("io weight", IoWeightLimit{*limits.io_weight}, required.io);
    for (const HugetlbLimit& limit : limits.hugetlb) {
        steps.set("hugetlb", limit, required.hugetlb);
        steps.set("hugetlb reservation", HugetlbReservation{limit.page_size, limit.max},
                  Requirement::best_effort);
    }
    for (const RdmaLimit& limit : limits.rdma) steps.set("rdma", limit, required.rdma);
    for (const MiscLimit& limit : limits.misc) steps.set("misc", limit, required.misc);
}

std::vector<Step> steps_of(const LabelledGroup& group, const Limits& limits,
                           const Requirements& required, DeviceAllowList devices) {
    StepList steps(group.name);
    enable_controllers(limits, required, steps);
    steps.add(Step::MakeGroup{}, {}, Requirement::require);
    steps.add(Step::LabelGroup{group.owner}, "owner", Requirement::best_effort);
    set_cpus(limits, required, steps);
    set_memory(limits, required, steps);
    set_others(limits, required, steps);
    if (required.devices != Requirement::skip) {
        steps.add(Step::LoadFilter{std::move(devices)}, "devices", required.devices);
    }
    return std::move(steps).take();
}

}  // namespace detail

}  // namespace trestle
