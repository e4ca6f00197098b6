// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/cores/core_mix.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace trestle {

namespace detail {

CoreMixes::CoreMixes(const FitProblem& problem, std::vector<std::uint32_t> room,
                     std::int64_t devices_cpus)
    : problem_(problem),
      room_(std::move(room)),
      tasks_cpus_(problem.demand().cpus().value()),
      devices_cpus_(devices_cpus),
      cpus_asked_(std::max(tasks_cpus_, devices_cpus)),
      all_tasks_(own_tasks([](const CoreClass&) { return true; })) {
    if (!problem.is_dealt()) return;
    for (std::uint32_t package = 0; package < problem.packages().size(); ++package) {
        tasks_.push_back(own_tasks([&](const CoreClass& one) { return one.package == package; }));
    }
}

template <class Counts>
OwnTasks CoreMixes::own_tasks(const Counts& counts) const {
    std::vector<AlikeCores> cores;
    for (std::size_t i = 0; i < room_.size(); ++i) {
        const CoreClass& one = problem_.classes()[i];
        cores.push_back({one.cpus, counts(one) ? room_[i] : 0});
    }
    const NodeDemand& demand = problem_.demand();
    return OwnTasks(std::move(cores), demand.cpus_per_task, demand.tasks_per_core);
}

std::int64_t CoreMixes::cpus_in(const std::vector<std::uint32_t>& counts) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) sum += problem_.classes()[i].cpus * counts[i];
    return sum;
}

std::int64_t CoreMixes::tasks_in(std::uint32_t package,
                                 const std::vector<std::uint32_t>& counts) const {
    std::vector<std::uint32_t> here = counts;
    for (std::size_t i = 0; i < here.size(); ++i) {
        if (problem_.classes()[i].package != package) here[i] = 0;
    }
    return tasks_[package].most(here);
}

std::int64_t CoreMixes::tasks_max(std::uint32_t package) const { return tasks_in(package, room_); }

bool CoreMixes::is_enough(const std::vector<std::uint32_t>& counts) const {
    const std::int64_t cpus = cpus_in(counts);
    if (cpus < devices_cpus_) return false;
    for (std::uint32_t package = 0; package < tasks_on_.size(); ++package) {
        if (tasks_in(package, counts) < tasks_on_[package]) return false;
    }
    if (!tasks_on_.empty()) return true;
    const NodeDemand& demand = problem_.demand();
    if (demand.tasks_per_core.is_zero()) return cpus >= tasks_cpus_;
    return all_tasks_.most(counts) >= demand.tasks.value();
}

void CoreMixes::deal_cores(std::vector<std::uint32_t> order) {
    order_ = std::move(order);
    cores_max_.resize(order_.size());
    for (const std::uint32_t package : order_) cores_max_[package] = cores_max(package);
}

std::vector<CoreMix> CoreMixes::all(bool takes_more, StepBudget& budget) const {
    std::vector<CoreMix> found;
    CoreMix mix;
    mix.counts.assign(room_.size(), 0);
    find(0, takes_more, budget, mix, found);
    std::stable_sort(found.begin(), found.end(), [](const CoreMix& a, const CoreMix& b) {
        return std::tie(a.others, a.cpus) < std::tie(b.others, b.cpus);
    });
    return found;
}

void CoreMixes::find(std::size_t at, bool takes_more, StepBudget& budget, CoreMix& mix,
                     std::vector<CoreMix>& found) const {
    const std::uint32_t package = problem_.classes()[at].package;
    const bool is_last = at + 1 == room_.size();
    const bool ends_package =
        !tasks_on_.empty() && (is_last || problem_.classes()[at + 1].package != package);
    for (std::uint32_t count = 0; count <= room_[at]; ++count) {
        if (!budget.spend()) return;
        mix.counts[at] = count;
        if (ends_package && tasks_in(package, mix.counts) < tasks_on_[package]) continue;
        if (!is_last) {
            find(at + 1, takes_more, budget, mix, found);
            if (ends_package && !takes_more && devices_cpus_ <= tasks_cpus_) break;
            continue;
        }
        if (!is_enough(mix.counts)) continue;
        mix.cpus = cpus_in(mix.counts);
        mix.cores = mix.others = 0;
        for (std::size_t i = 0; i < mix.counts.size(); ++i) {
            mix.cores += mix.counts[i];
            if (problem_.classes()[i].is_other) mix.others += mix.counts[i];
        }
        if (!is_dealt_in_turn(mix)) continue;
        found.push_back(mix);
        if (!takes_more) break;
    }
    mix.counts[at] = 0;
}

std::int64_t CoreMixes::cores_max(std::uint32_t package) const {
    std::vector<std::size_t> order;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < room_.size(); ++i) {
        if (problem_.classes()[i].package != package) continue;
        order.push_back(i);
        all += room_[i];
    }
    const Count limit = problem_.demand().tasks_per_socket;
    if (limit.is_zero() || devices_cpus_ > tasks_cpus_) return all;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return problem_.classes()[a].cpus < problem_.classes()[b].cpus;
    });
    std::vector<std::uint32_t> smallest(room_.size(), 0);
    std::int64_t cores = 0;
    for (const std::size_t i : order) {
        while (smallest[i] < room_[i]) {
            if (tasks_in(package, smallest) >= limit.value()) return cores;
            ++smallest[i];
            ++cores;
        }
    }
    return cores;
}

bool CoreMixes::is_dealt_in_turn(const CoreMix& mix) const {
    if (order_.empty()) return true;
    std::vector<std::int64_t> left = cores_max_;
    std::vector<std::int64_t> dealt(order_.size(), 0);
    for (std::int64_t missing = mix.cores; missing > 0;) {
        const std::int64_t before = missing;
        for (const std::uint32_t package : order_) {
            if (missing == 0 || left[package] == 0) continue;
            --left[package];
            --missing;
            ++dealt[package];
        }
        if (missing == before) return false;
    }
    for (std::size_t i = 0; i < mix.counts.size(); ++i) {
        dealt[problem_.classes()[i].package] -= mix.counts[i];
    }
    return std::all_of(dealt.begin(), dealt.end(), [](std::int64_t n) { return n == 0; });
}

}  // namespace detail

}  // namespace trestle
