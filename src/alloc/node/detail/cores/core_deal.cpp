// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/cores/core_deal.hpp"

#include <algorithm>
#include <cstdint>

namespace trestle {

namespace detail {

bool Deal::run(std::int64_t cores_min) {
    const bool is_done =
        demand_.distribution == Distribution::fcyclic ? deal_single_cores() : deal_tasks();
    if (!is_done) return false;
    std::int64_t dealt = 0;
    for (const DealtPackage& one : packages_) dealt += one.cores;
    return deal_rounds(
        cores_min - dealt, 1, [](const DealtPackage& one) { return one.capacity - one.cores; },
        &DealtPackage::cores);
}

bool Deal::deal_tasks() {
    const std::int64_t tasks = demand_.tasks.value();
    if (problem_.whole_cores_for(tasks) == 0) return true;
    std::int64_t each = 1;
    if (demand_.distribution == Distribution::block) each = tasks;
    if (demand_.distribution == Distribution::plane) {
        each = std::max<std::int64_t>(1, demand_.plane_size.value());
    }
    const std::int64_t left =
        demand_.distribution == Distribution::block ? deal_parts(tasks) : tasks;
    const bool is_done = deal_rounds(
        left, each, [&](const DealtPackage& one) { return tasks_max(one) - one.tasks; },
        &DealtPackage::tasks);
    for (DealtPackage& one : packages_) one.cores = problem_.whole_cores_for(one.tasks);
    return is_done;
}

std::int64_t Deal::deal_parts(std::int64_t tasks) {
    std::int64_t devices = 0;
    std::int64_t left = tasks;
    for (const DealtPackage& one : packages_) devices += one.devices;
    for (DealtPackage& one : packages_) {
        if (one.devices == 0) continue;
        const std::int64_t part = tasks / devices * one.devices +  // rounded down, never too large
                                  tasks % devices * one.devices / devices;
        one.tasks = std::min(tasks_max(one), part);
        left -= one.tasks;
    }
    return left;
}

bool Deal::deal_single_cores() {
    const std::int64_t most = demand_.tasks_per_socket.is_zero()
                                  ? problem_.shape().hardware.core_count()
                                  : problem_.whole_cores_for(demand_.tasks_per_socket.value());
    return deal_rounds(
        problem_.cores_for_tasks(), 1,
        [&](const DealtPackage& one) { return std::min(one.capacity, most) - one.cores; },
        &DealtPackage::cores);
}

std::int64_t Deal::tasks_max(const DealtPackage& one) const {
    std::int64_t low = 0;
    std::int64_t high = demand_.tasks.value();
    if (!demand_.tasks_per_socket.is_zero()) {
        high = std::min(high, demand_.tasks_per_socket.value());
    }
    if (one.tasks_room) return std::min(high, *one.tasks_room);
    while (low < high) {
        const std::int64_t middle = high - (high - low) / 2;
        if (problem_.whole_cores_for(middle) <= one.capacity) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

}  // namespace detail

}  // namespace trestle
