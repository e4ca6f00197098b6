// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/cores/core_deal.hpp"

#include <algorithm>
#include <cstdint>

namespace trestle {

namespace detail {

bool Deal::run(std::int64_t cores_min) {
    const bool is_done = problem_.deals_cores() ? deal_single_cores() : deal_tasks();
    if (!is_done) return false;
    std::int64_t dealt = 0;
    for (const DealtPart& one : parts_) dealt += one.cores;
    return deal_rounds(cores_min - dealt, 1, {&DealtPart::cores, no_limit},
                       [](const DealtPart& one) { return one.capacity - one.cores; });
}

std::int64_t Deal::left_of(const Limit& limit, std::uint32_t package) const {
    std::int64_t left = limit.most;
    if (left == no_limit) return left;
    for (const DealtPart& one : parts_) {
        if (one.package == package) left -= one.*limit.units;
    }
    return left;
}

bool Deal::deal_tasks() {
    const std::int64_t tasks = demand_.tasks.value();
    if (problem_.whole_cores_for(tasks) == 0) return true;
    std::int64_t each = 1;
    if (demand_.distribution == Distribution::block) each = tasks;
    if (demand_.distribution == Distribution::plane) {
        each = std::max<std::int64_t>(1, demand_.plane_size.value());
    }
    const Limit limit{&DealtPart::tasks, demand_.tasks_per_socket.is_zero()
                                             ? no_limit
                                             : demand_.tasks_per_socket.value()};
    const std::int64_t left =
        demand_.distribution == Distribution::block ? deal_shares(tasks, limit) : tasks;
    const bool is_done = deal_rounds(
        left, each, limit, [&](const DealtPart& one) { return tasks_max(one) - one.tasks; });
    for (DealtPart& one : parts_) one.cores = problem_.whole_cores_for(one.tasks);
    return is_done;
}

std::int64_t Deal::deal_shares(std::int64_t tasks, const Limit& limit) {
    std::int64_t devices = 0;
    std::int64_t left = tasks;
    for (const DealtPart& one : parts_) devices += one.devices;
    for (DealtPart& one : parts_) {
        if (one.devices == 0) continue;
        const std::int64_t share = tasks / devices * one.devices +  // rounded down, never too large
                                   tasks % devices * one.devices / devices;
        one.tasks = std::min({tasks_max(one), share, left_of(limit, one.package)});
        left -= one.tasks;
    }
    return left;
}

bool Deal::deal_single_cores() {
    return deal_rounds(problem_.cores_for_tasks(), 1, {&DealtPart::cores, no_limit},
                       [&](const DealtPart& one) { return one.capacity - one.cores; });
}

std::int64_t Deal::tasks_max(const DealtPart& one) const {
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
