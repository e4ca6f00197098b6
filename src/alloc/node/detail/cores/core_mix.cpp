// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/cores/core_mix.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
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
      cpus_asked_(std::max(tasks_cpus_, devices_cpus)) {
    find_pools();
}

void CoreMixes::find_pools() {
    const bool by_part = problem_.is_dealt() && !problem_.deals_cores();
    std::vector<std::pair<std::uint32_t, std::uint32_t>> keys;
    for (const CoreClass& one : problem_.classes()) {
        const std::pair key(by_part ? one.part : 0, one.task_group);
        const auto at = std::find(keys.begin(), keys.end(), key);
        pool_of_.push_back(static_cast<std::size_t>(at - keys.begin()));
        if (at == keys.end()) keys.push_back(key);
    }
    for (std::size_t pool = 0; pool < keys.size(); ++pool) {
        std::vector<std::uint32_t> classes;
        for (std::uint32_t i = 0; i < pool_of_.size(); ++i) {
            if (pool_of_[i] == pool) classes.push_back(i);
        }
        pools_.push_back({keys[pool].first, keys[pool].second, own_tasks(classes)});
    }
}

OwnTasks CoreMixes::own_tasks(const std::vector<std::uint32_t>& classes) const {
    std::vector<AlikeCores> cores;
    for (const CoreClass& one : problem_.classes()) cores.push_back({one.cpus, 0});
    for (const std::uint32_t i : classes) cores[i].count = room_[i];
    const NodeDemand& demand = problem_.demand();
    return OwnTasks(std::move(cores), demand.cpus_per_task, demand.tasks_per_core);
}

std::int64_t CoreMixes::cpus_in(const std::vector<std::uint32_t>& counts) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) sum += problem_.classes()[i].cpus * counts[i];
    return sum;
}

std::int64_t CoreMixes::cpus_of_pool(std::size_t pool, const Counts& counts) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (pool_of_[i] == pool) sum += problem_.classes()[i].cpus * counts[i];
    }
    return sum;
}

std::int64_t CoreMixes::tasks_in(std::size_t pool, const Counts& counts) const {
    const NodeDemand& demand = problem_.demand();
    const bool are_own = problem_.is_dealt() && !problem_.deals_cores();
    if (!are_own && demand.tasks_per_core.is_zero() && !demand.cpus_per_task.is_zero()) {
        return cpus_of_pool(pool, counts) / demand.cpus_per_task.value();
    }
    Counts here = counts;
    for (std::size_t i = 0; i < here.size(); ++i) {
        if (pool_of_[i] != pool) here[i] = 0;
    }
    return pools_[pool].own.most(here);
}

std::int64_t CoreMixes::tasks_of_part(std::uint32_t part, const Counts& counts) const {
    Count sum;
    for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
        if (pools_[pool].part != part) continue;
        sum = saturating_add(sum, Count(tasks_in(pool, counts)));
    }
    return sum.value();
}

std::int64_t CoreMixes::tasks_max(std::uint32_t part) const { return tasks_of_part(part, room_); }

std::int64_t CoreMixes::tasks_in_groups() const {
    const std::int64_t asked = problem_.demand().tasks.value();
    if (problem_.task_groups().empty()) return asked;
    Count sum;
    for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
        sum = saturating_add(sum, Count(tasks_in(pool, room_)));
    }
    return std::min(asked, sum.value());
}

bool CoreMixes::is_enough(const std::vector<std::uint32_t>& counts) const {
    const std::int64_t cpus = cpus_in(counts);
    if (cpus < devices_cpus_) return false;
    for (std::uint32_t part = 0; part < tasks_on_.size(); ++part) {
        if (tasks_of_part(part, counts) < tasks_on_[part]) return false;
    }
    if (!tasks_on_.empty()) return true;
    const bool lie_anywhere =
        problem_.task_groups().empty() && problem_.demand().tasks_per_core.is_zero();
    return lie_anywhere ? cpus >= tasks_cpus_ : has_tasks(counts);
}

bool CoreMixes::has_tasks(const Counts& counts) const {
    std::vector<std::int64_t> tasks;
    Count sum;
    for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
        tasks.push_back(tasks_in(pool, counts));
        sum = saturating_add(sum, Count(tasks.back()));
    }
    if (sum < problem_.demand().tasks) return false;
    return limits_.empty() || is_even(tasks);
}

bool CoreMixes::is_even(const std::vector<std::int64_t>& tasks) const {
    std::int64_t level = 0;  // that all groups reach, as far as they have room
    std::int64_t left = problem_.demand().tasks.value();
    for (;; ++level) {
        const auto open = std::count_if(limits_.begin(), limits_.end(),
                                        [&](std::int64_t limit) { return limit > level; });
        if (open == 0 || left < open) break;
        left -= open;
    }
    std::int64_t above = 0;
    for (std::size_t pool = 0; pool < tasks.size(); ++pool) {
        if (tasks[pool] < std::min(level, limits_[pool])) return false;
        if (std::min(tasks[pool], limits_[pool]) > level) ++above;
    }
    return above >= left;
}

void CoreMixes::deal_cores(std::vector<std::uint32_t> order) {
    order_ = std::move(order);
    if (problem_.task_groups().empty()) return;
    for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
        limits_.push_back(tasks_in(pool, room_));
    }
}

void CoreMixes::sort(std::vector<CoreMix>& mixes) {
    std::stable_sort(mixes.begin(), mixes.end(), [](const CoreMix& a, const CoreMix& b) {
        return std::tie(a.others, a.cpus) < std::tie(b.others, b.cpus);
    });
}

void CoreMixes::sum_up(CoreMix& mix) const {
    mix.cpus = cpus_in(mix.counts);
    mix.cores = mix.others = 0;
    for (std::size_t i = 0; i < mix.counts.size(); ++i) {
        mix.cores += mix.counts[i];
        if (problem_.classes()[i].is_other) mix.others += mix.counts[i];
    }
}

std::vector<CoreMix> CoreMixes::all(bool takes_more, StepBudget& budget) const {
    std::vector<CoreMix> found;
    CoreMix mix;
    mix.counts.assign(room_.size(), 0);
    find(0, takes_more, budget, mix, found);
    sort(found);
    return found;
}

void CoreMixes::find(std::size_t at, bool takes_more, StepBudget& budget, CoreMix& mix,
                     std::vector<CoreMix>& found) const {
    const std::uint32_t part = problem_.classes()[at].part;
    const bool is_last = at + 1 == room_.size();
    const bool ends_part =
        !tasks_on_.empty() && (is_last || problem_.classes()[at + 1].part != part);
    for (std::uint32_t count = 0; count <= room_[at]; ++count) {
        if (!budget.spend()) return;
        mix.counts[at] = count;
        if (ends_part && tasks_of_part(part, mix.counts) < tasks_on_[part]) continue;
        if (!is_last) {
            find(at + 1, takes_more, budget, mix, found);
            if (ends_part && !takes_more && devices_cpus_ <= tasks_cpus_) break;
            continue;
        }
        if (!is_enough(mix.counts)) continue;
        sum_up(mix);
        if (!is_dealt_in_turn(mix)) continue;
        found.push_back(mix);
        if (!takes_more) break;
    }
    mix.counts[at] = 0;
}

void CoreMixes::serve(std::vector<NearCores> devices) {
    served_ = std::move(devices);
    std::vector<std::uint64_t> far(pools_.size(), 0);  // devices that no core of the pool is near
    for (const NearCores& one : served_) {
        std::vector<bool> is_near(pools_.size(), false);
        for (std::size_t i = 0; i < room_.size(); ++i) {
            if (one.room[i] > 0) is_near[pool_of_[i]] = true;
        }
        for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
            if (!is_near[pool]) far[pool] += one.devices;
        }
    }
    visited_.resize(room_.size());
    for (std::size_t i = 0; i < visited_.size(); ++i) visited_[i] = i;
    const auto rank = [&](std::size_t i) {
        const std::size_t pool = pool_of_[i];
        return std::tuple(pools_[pool].part, far[pool], pool, i);
    };
    std::sort(visited_.begin(), visited_.end(),
              [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
}

/// What within() is about.
struct CoreMixes::Walk {
    std::int64_t floor;
    std::int64_t ceiling;
    bool takes_more;
    StepBudget budget;
    CoreMix mix{};
    Listed listed{};
    std::vector<std::int64_t> room_behind{};  ///< tasks that later pools have room for
    std::int64_t done_cpus = 0;               ///< of pools that are settled, as the next
    std::int64_t done_tasks = 0;

    /// True when so many CPUs are too many.
    [[nodiscard]] bool is_above(std::int64_t cpus) {
        if (cpus <= ceiling) return false;
        listed.next = std::min(listed.next.value_or(cpus), cpus);
        return true;
    }
};

CoreMixes::Listed CoreMixes::within(std::int64_t floor, std::int64_t ceiling, bool takes_more,
                                    StepBudget& budget) const {
    const std::uint64_t steps = std::min(budget.left, steps_max);
    Walk one{floor, ceiling, takes_more, StepBudget{steps}};
    one.mix.counts.assign(room_.size(), 0);
    one.room_behind.assign(room_.size(), 0);
    std::int64_t behind = 0;
    for (std::size_t at = room_.size(); at-- > 1;) {
        const std::size_t pool = pool_of_[visited_[at]];
        if (pool_of_[visited_[at - 1]] != pool) behind += tasks_in(pool, room_);
        one.room_behind[at - 1] = behind;
    }
    walk(0, one);
    if (one.budget.left == 0) one.listed.is_whole = false;
    budget.left -= steps - one.budget.left;
    sort(one.listed.mixes);
    return std::move(one.listed);
}

void CoreMixes::walk(std::size_t at, Walk& walk) const {
    if (at == visited_.size()) return list(walk);
    const std::size_t klass = visited_[at];
    const std::size_t pool = pool_of_[klass];
    const bool ends_pool = at + 1 == visited_.size() || pool_of_[visited_[at + 1]] != pool;
    const std::int64_t tasks = problem_.demand().tasks.value();
    const auto done = std::pair(walk.done_cpus, walk.done_tasks);
    for (std::uint32_t count = room_[klass] + 1; count-- > 0;) {
        if (!walk.listed.is_whole || !walk.budget.spend()) break;
        walk.mix.counts[klass] = count;
        if (ends_pool) {
            walk.done_cpus = done.first + cpus_of_pool(pool, walk.mix.counts);
            walk.done_tasks = done.second + tasks_in(pool, walk.mix.counts);
            if (!tasks_on_.empty()) {  // what a part has too many of is of no use to others
                const auto end = tasks_on_.begin() + 1 + pools_[pool].part;
                walk.done_tasks = std::min(
                    walk.done_tasks, std::accumulate(tasks_on_.begin(), end, std::int64_t{0}));
            }
            if (walk.done_tasks + walk.room_behind[at] < tasks || lacks_tasks(at, walk)) break;
            const std::int64_t missing = std::max<std::int64_t>(0, tasks - walk.done_tasks);
            const std::int64_t each = problem_.demand().cpus_per_task.value();
            if (walk.is_above(walk.done_cpus + missing * each)) continue;
        }
        this->walk(at + 1, walk);
    }
    walk.mix.counts[klass] = 0;
    std::tie(walk.done_cpus, walk.done_tasks) = done;
}

void CoreMixes::list(Walk& walk) const {
    CoreMix& mix = walk.mix;
    sum_up(mix);
    if (mix.cpus <= walk.floor || walk.is_above(mix.cpus)) return;
    if (!is_enough(mix.counts) || !is_near_enough(mix) || !is_dealt_in_turn(mix)) return;
    if (!walk.takes_more && !needs_all(mix)) return;
    walk.listed.mixes.push_back(mix);
    if (walk.listed.mixes.size() == listed_max) walk.listed.is_whole = false;
}

bool CoreMixes::is_near_enough(const CoreMix& mix) const {
    return std::all_of(served_.begin(), served_.end(), [&](const NearCores& one) {
        std::int64_t cpus = 0;
        for (std::size_t i = 0; i < mix.counts.size(); ++i) {
            cpus += problem_.classes()[i].cpus * std::min(mix.counts[i], one.room[i]);
        }
        return cpus >= one.required;
    });
}

bool CoreMixes::lacks_tasks(std::size_t at, const Walk& walk) const {
    if (tasks_on_.empty()) return false;
    const std::uint32_t part = problem_.classes()[visited_[at]].part;
    const bool ends_part =
        at + 1 == visited_.size() || problem_.classes()[visited_[at + 1]].part != part;
    return ends_part && tasks_of_part(part, walk.mix.counts) < tasks_on_[part];
}

bool CoreMixes::needs_all(const CoreMix& mix) const {
    Counts fewer = mix.counts;
    for (std::uint32_t& count : fewer) {
        if (count == 0) continue;
        --count;
        if (is_enough(fewer)) return false;
        ++count;
    }
    return true;
}

bool CoreMixes::is_dealt_in_turn(const CoreMix& mix) const {
    if (order_.empty()) return true;
    const auto groups = std::max<std::size_t>(1, problem_.task_groups().size());
    for (std::uint32_t group = 0; group < groups; ++group) {
        if (!is_dealt_in_turn(mix, group)) return false;
    }
    return true;
}

bool CoreMixes::is_dealt_in_turn(const CoreMix& mix, std::uint32_t task_group) const {
    const std::size_t parts = problem_.deal_parts().size();
    std::vector<std::int64_t> room(parts, 0);
    std::vector<std::int64_t> dealt(parts, 0);
    std::int64_t missing = 0;
    for (std::size_t i = 0; i < mix.counts.size(); ++i) {
        const CoreClass& one = problem_.classes()[i];
        if (one.task_group != task_group) continue;
        room[one.part] += room_[i];
        dealt[one.part] -= mix.counts[i];
        missing += mix.counts[i];
    }
    while (missing > 0) {
        const std::int64_t before = missing;
        for (const std::uint32_t part : order_) {
            if (missing == 0 || room[part] == 0) continue;
            --room[part];
            --missing;
            ++dealt[part];
        }
        if (missing == before) return false;
    }
    return std::all_of(dealt.begin(), dealt.end(), [](std::int64_t n) { return n == 0; });
}

}  // namespace detail

}  // namespace trestle
