// SPDX-License-Identifier: Apache-2.0
#include "enforce/detail/limit_steps.hpp"

#include <string>
#include <utility>
#include <vector>

#include "trestle/enforce/group_name.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

namespace detail {

void StepList::enable(const std::string& resource, const std::string& controller, Requirement r) {
    steps_.push_back(
        {StepKind::enable_controller, r, resource, parent_group(group_), {}, controller, {}});
}

void StepList::make() {
    steps_.push_back({StepKind::make_group, Requirement::require, {}, group_, {}, {}, {}});
}

void StepList::label(OwnerId owner) {
    steps_.push_back({StepKind::label_group,
                      Requirement::best_effort,
                      "owner",
                      group_,
                      {},
                      std::to_string(owner.value()),
                      {}});
}

void StepList::write(const std::string& resource, std::pair<std::string, std::string> file_value,
                     Requirement r) {
    steps_.push_back({StepKind::write_value,
                      r,
                      resource,
                      group_,
                      std::move(file_value.first),
                      std::move(file_value.second),
                      {}});
}

void StepList::filter(DeviceAllowList devices, Requirement r) {
    steps_.push_back({StepKind::load_filter, r, "devices", group_, {}, {}, std::move(devices)});
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

void write_cpus(const Limits& limits, const Requirements& required, StepList& steps) {
    if (!limits.cpus.is_empty()) {
        steps.write("cpu", {"cpuset.cpus", to_cgroup_list(limits.cpus)}, required.cpu);
    }
    if (!limits.mems.is_empty()) {
        steps.write("cpu", {"cpuset.mems", to_cgroup_list(limits.mems)}, required.cpu);
    }
    if (limits.partition != CpusetPartition::member) {
        steps.write("partition", {"cpuset.cpus.partition", std::string(to_text(limits.partition))},
                    required.partition);
    }
    if (limits.cpu_max) {
        steps.write("cpu quota", {"cpu.max", cpu_max_text(*limits.cpu_max)}, required.cpu);
    }
    if (limits.cpu_weight) {
        steps.write("cpu weight", {"cpu.weight", number_or_max(limits.cpu_weight)}, required.cpu);
    }
}

void write_memory(const Limits& limits, const Requirements& required, StepList& steps) {
    const auto write = [&](const char* resource, const char* file,
                           const std::optional<Bytes>& bytes, Requirement r) {
        if (bytes) steps.write(resource, {file, number_or_max(bytes)}, r);
    };
    write("memory", "memory.max", limits.memory_max, required.memory);
    write("memory", "memory.high", limits.memory_high, required.memory);
    write("memory", "memory.low", limits.memory_low, required.memory);
    write("memory", "memory.min", limits.memory_min, required.memory);
    write("swap", "memory.swap.max", limits.swap_max, required.swap);
    if (limits.is_oom_group) steps.write("memory", {"memory.oom.group", "1"}, required.memory);
}

void write_others(const Limits& limits, const Requirements& required, StepList& steps) {
    if (limits.pids_max) {
        steps.write("pids", {"pids.max", number_or_max(limits.pids_max)}, required.pids);
    }
    for (const IoLimit& limit : limits.io) {
        steps.write("io", {"io.max", to_text(limit)}, required.io);
    }
    if (limits.io_weight) {
        steps.write("io weight", {"io.weight", "default " + number_or_max(limits.io_weight)},
                    required.io);
    }
    for (const HugetlbLimit& limit : limits.hugetlb) {
        const std::string file = "hugetlb." + huge_page_name(limit.page_size);
        const std::string bytes = std::to_string(limit.max.value());
        steps.write("hugetlb", {file + ".max", bytes}, required.hugetlb);
        steps.write("hugetlb reservation", {file + ".rsvd.max", bytes}, Requirement::best_effort);
    }
    for (const RdmaLimit& limit : limits.rdma) {
        steps.write("rdma", {"rdma.max", to_text(limit)}, required.rdma);
    }
    for (const MiscLimit& limit : limits.misc) {
        steps.write("misc", {"misc.max", to_text(limit)}, required.misc);
    }
}

std::vector<Step> steps_of(const LabelledGroup& group, const Limits& limits,
                           const Requirements& required, DeviceAllowList devices) {
    StepList steps(group.name);
    enable_controllers(limits, required, steps);
    steps.make();
    steps.label(group.owner);
    write_cpus(limits, required, steps);
    write_memory(limits, required, steps);
    write_others(limits, required, steps);
    if (required.devices != Requirement::skip) steps.filter(std::move(devices), required.devices);
    return std::move(steps).take();
}

}  // namespace detail

}  // namespace trestle
