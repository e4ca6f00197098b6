// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/fit_conditions.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "alloc/node/detail/common_values.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

namespace detail {

std::string counted(Count count, std::string_view noun, std::string_view rest) {
    return fmt::format("{} {}{}{}", count, noun, count == Count(1) ? "" : "s", rest);
}

std::string number_text(const NodeDemand& demand, std::size_t i) {
    std::size_t number = 1;
    for (std::size_t j = 0; j < i; ++j) {
        if (demand.devices[j].request.name == demand.devices[i].request.name) ++number;
    }
    return number == 1 ? "" : fmt::format(" ({})", number);
}

std::string common_devices(const NodeDemand& demand, const Request::CommonAttribute& common) {
    std::string text;
    for (std::size_t i = 0; i < demand.devices.size(); ++i) {
        if (!is_about(common, demand.devices[i])) continue;
        text += fmt::format("{}{}{}", text.empty() ? "" : ", ", demand.devices[i].request.name,
                            number_text(demand, i));
    }
    return text;
}

FitConditions::FitConditions(const NodeDemand& demand) : demand_(demand) {
    if (demand.exclusivity == Exclusivity::whole_node) {
        add(Part::whole_node, Constraint::cores, "the whole node");
    }
    for (std::size_t i = 0; i < demand.devices.size(); ++i) add_devices(i);
    add_common();
    if (!demand.cpus().is_zero() || !demand.cpus_per_device.is_zero() ||
        !demand.tasks_per_core.is_zero() || !demand.threads_per_core.is_zero()) {
        add(Part::cores, Constraint::cores, cores_text());
    }
    if (demand.core_kind) {
        add(Part::core_kind, Constraint::cores, fmt::format("{} cores", *demand.core_kind));
    }
    if (!demand.milli_cpus.is_zero()) {
        add(Part::milli_cpus, Constraint::cores, milli_cpus_text());
    }
    if (const std::string text = packages_text(); !text.empty()) {
        add(Part::packages, Constraint::cores, text);
    }
    if (demand.task_level && !demand.cpus_per_task.is_zero()) {
        add(Part::task_groups, Constraint::locality,
            fmt::format("each task in one group of level {}", *demand.task_level));
    }
    if (demand.core_locality == Strictness::require) {
        add(Part::near_cores, Constraint::locality,
            fmt::format("cores in one group of level {}", demand.core_level));
    }
    if (demand.memory.is_zero()) return;
    add(Part::memory, Constraint::memory, memory_text());
    if (demand.memory_locality == Strictness::require) {
        add(Part::near_memory, Constraint::locality, "memory near the cores");
    }
}

NodeDemand FitConditions::reduced(const Choice& choice) const {
    NodeDemand demand = demand_;
    for (std::size_t i = 0; i < conditions_.size(); ++i) {
        if (!choice[i]) drop(demand, conditions_[i]);
    }
    return demand;
}

void FitConditions::add(Part part, Constraint constraint, std::string text, std::size_t device) {
    conditions_.push_back({part, device, {constraint, std::move(text)}});
}

void FitConditions::add_devices(std::size_t i) {
    const DeviceRequest& request = demand_.devices[i].request;
    const std::string number = number_text(demand_, i);
    add(Part::devices, Constraint::devices, devices_text(demand_.devices[i]) + number, i);
    if (request.locality == Strictness::require) {
        add(Part::near_device, Constraint::locality, request.name + number + " near the cores", i);
    }
    if (i > 0 && request.device_locality == Strictness::require) {
        add(Part::near_switch, Constraint::locality,
            request.name + number + " below one switch with earlier devices", i);
    }
}

void FitConditions::add_common() {
    for (std::size_t i = 0; i < demand_.common_attributes.size(); ++i) {
        const Request::CommonAttribute& one = demand_.common_attributes[i];
        const std::string devices = common_devices(demand_, one);
        if (devices.empty()) continue;
        add(Part::common, Constraint::device_attributes,
            fmt::format("{} of one {}", devices, one.name), i);
    }
}

void FitConditions::drop(NodeDemand& demand, const Entry& entry) {
    switch (entry.part) {
        case Part::whole_node:
            demand.exclusivity = Exclusivity::shared;
            demand.system_cores = Count();
            break;
        case Part::devices:
            drop_devices(demand.devices[entry.device]);
            break;
        case Part::near_device:
            demand.devices[entry.device].request.locality = Strictness::prefer;
            break;
        case Part::near_switch:
            demand.devices[entry.device].request.device_locality = Strictness::prefer;
            break;
        case Part::common:
            demand.common_attributes[entry.device].name.clear();
            break;
        case Part::cores:
            demand.cpus_per_task = Count();
            demand.cpus_per_device = Count();
            demand.tasks_per_core = Count();
            demand.threads_per_core = Count();
            demand.memory_locality = Strictness::prefer;
            break;
        case Part::core_kind:
            demand.core_kind.reset();
            break;
        case Part::milli_cpus:
            demand.milli_cpus = MilliCpu();
            break;
        case Part::packages:
            demand.distribution = Distribution::block;
            demand.distribution_level = HardwareLevel::package;
            demand.tasks_per_socket = Count();
            demand.sockets_per_node = Count();
            demand.cores_per_socket = Count();
            demand.memory_locality = Strictness::prefer;
            break;
        case Part::task_groups:
            demand.task_level.reset();
            demand.memory_locality = Strictness::prefer;
            break;
        case Part::near_cores:
            demand.core_locality = Strictness::prefer;
            break;
        case Part::memory:
            demand.memory = Bytes();
            demand.memory_locality = Strictness::prefer;
            break;
        case Part::near_memory:
            demand.memory_locality = Strictness::prefer;
            break;
    }
}

void FitConditions::drop_devices(NodeDemand::Device& demand) {
    demand.count.min.reset();
    demand.sockets = Count();
    demand.request.total_memory = {};
    if (demand.request.shares_per == Per::node && !demand.request.shares.is_zero()) {
        demand.request.shares = Count(1);
        demand.request.shares_per = Per::device;
    }
}

std::string FitConditions::devices_text(const NodeDemand::Device& demand) {
    const DeviceRequest& request = demand.request;
    std::string text = to_text(demand.count) + " " + request.name;
    for (std::size_t i = 0; i < request.types.size(); ++i) {
        text += (i == 0 ? ":" : "|") + request.types[i];
    }
    if (!request.slice.empty()) text += " " + request.slice;
    if (request.shares.is_zero()) return text;
    return text + fmt::format(" with {} shares {}", request.shares,
                              request.shares_per == Per::node ? "in all" : "each");
}

std::string FitConditions::cores_text() const {
    std::string text = counted(demand_.cpus_per_task, "CPU");
    if (demand_.tasks != Count(1)) text = counted(demand_.tasks, "task", " of ") + text;
    const auto also = [&](Count count, const char* noun, const char* rest) {
        if (!count.is_zero()) text += ", " + counted(count, noun, rest);
    };
    also(demand_.cpus_per_device, "CPU", " a device");
    also(demand_.tasks_per_core, "task", " a core");
    also(demand_.threads_per_core, "thread", " a core");
    return text;
}

std::string FitConditions::milli_cpus_text() const {
    return fmt::format("{} thousandths of a CPU{}", demand_.milli_cpus,
                       demand_.tasks == Count(1) ? "" : " a task");
}

std::string FitConditions::packages_text() const {
    std::string text;
    if (demand_.distribution != Distribution::block) {
        text = fmt::format("tasks dealt {}", demand_.distribution);
        if (demand_.distribution_level != HardwareLevel::package) {
            text += fmt::format(" to groups of level {}", demand_.distribution_level);
        }
    }
    const auto also = [&](Count count, const char* noun, const char* rest) {
        if (!count.is_zero()) text += (text.empty() ? "" : ", ") + counted(count, noun, rest);
    };
    also(demand_.tasks_per_socket, "task", " a socket");
    also(demand_.sockets_per_node, "socket", "");
    also(demand_.cores_per_socket, "free core", " a socket");
    return text;
}

std::string FitConditions::memory_text() const {
    std::string text = fmt::format("{} of memory", demand_.memory);
    if (demand_.memory_per == Per::cpu) text += " a CPU";
    if (demand_.memory_per == Per::device) text += " a device";
    return text;
}

}  // namespace detail

}  // namespace trestle
