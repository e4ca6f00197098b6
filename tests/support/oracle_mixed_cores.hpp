// SPDX-License-Identifier: Apache-2.0
// What the oracle of fit() is asked on a node whose cores differ: in how many CPUs they count, or
// in whether they are of the kind that is preferred. Every set of cores that has enough is an
// answer, and the one with the fewest cores of another kind, then with the fewest CPUs, is best.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "support/oracle_question.hpp"

namespace trestle {

class OracleMixedCores : protected OracleQuestion {
  public:
    using OracleQuestion::OracleQuestion;

  protected:
    /// The most tasks that the cores have room for, each on cores of its own or beside others on
    /// one core.
    [[nodiscard]] std::int64_t own_tasks(Mask cores) {
        if (cores == 0) return 0;
        const auto known = own_tasks_.find(cores);
        if (known != own_tasks_.end()) return known->second;
        const Mask lowest = cores & (~cores + 1);
        const Mask others = cores & ~lowest;
        std::int64_t most = own_tasks(others);
        for (Mask more = others;; more = (more - 1) & others) {
            const Count both = saturating_add(Count(tasks_together(lowest | more)),
                                              Count(own_tasks(others & ~more)));
            most = std::max(most, both.value());
            if (more == 0) break;
        }
        own_tasks_[cores] = most;
        return most;
    }

    [[nodiscard]] std::int64_t threads_of(Mask cores) const {
        return shape_.hardware.threads_of(set_of(cores)).count();
    }
    /// The cores that no job has alone have what is taken and asked in thousandths.
    [[nodiscard]] bool leaves_milli_cpus(Mask cores) const {
        const MilliCpu left = cpus(threads_of(mask_of(ledger_.free_cores()) & ~cores));
        return ledger_.free().held_milli_cpus + demand_.all_milli_cpus() <= left;
    }

    /// The most tasks with cores of their own, each of them inside of a task group.
    [[nodiscard]] std::int64_t own_tasks_in_groups(Mask cores) {
        if (task_groups_.empty()) return own_tasks(cores);
        std::int64_t sum = 0;
        for (const Mask group : task_groups_) sum += own_tasks(cores & group);
        return sum;
    }

    /// Tasks that each task group has room for: side by side, unless cores are shared by whole
    /// tasks alone.
    [[nodiscard]] std::vector<std::int64_t> tasks_by_group(Mask cores) {
        std::vector<std::int64_t> tasks;
        for (const Mask group : task_groups_) {
            tasks.push_back(demand_.tasks_per_core.is_zero()
                                ? cpus_of(cores & group) / demand_.cpus_per_task.value()
                                : own_tasks(cores & group));
        }
        return tasks;
    }

    /// Each task lies in one of the groups from `at` on. Where cores are dealt, no group has two
    /// tasks more than another one that has room for more. `allowed`: tasks that all cores that
    /// could be taken have room for, by group.
    [[nodiscard]] bool has_places(std::int64_t tasks, const std::vector<std::int64_t>& room,
                                  const std::vector<std::int64_t>& allowed,
                                  std::vector<std::int64_t> chosen = {}) const {
        if (chosen.size() == room.size())
            return tasks == 0 && (!deals_cores_ || is_even(chosen, allowed));
        const std::size_t at = chosen.size();
        chosen.push_back(0);
        for (; chosen[at] <= std::min({room[at], allowed[at], tasks}); ++chosen[at]) {
            if (has_places(tasks - chosen[at], room, allowed, chosen)) return true;
        }
        return false;
    }
    [[nodiscard]] static bool is_even(const std::vector<std::int64_t>& tasks,
                                      const std::vector<std::int64_t>& most) {
        for (std::size_t a = 0; a < tasks.size(); ++a) {
            for (std::size_t b = 0; b < tasks.size(); ++b) {
                if (tasks[a] > tasks[b] + 1 && tasks[b] < most[b]) return false;
            }
        }
        return true;
    }

    /// All tasks lie on the cores of a whole node, no more in a package than allowed.
    [[nodiscard]] bool has_tasks_of_packages(Mask cores) {
        if (demand_.tasks_per_socket.is_zero() || demand_.cpus_per_task.is_zero()) return true;
        std::vector<std::int64_t> tasks(packages_.size());
        std::vector<std::pair<Mask, std::size_t>> groups{{~Mask{0}, 0}};
        if (demand_.task_level) groups = parts_of(*demand_.task_level, false);
        for (const auto& [part, package] : parts_of(demand_.distribution_level, false)) {
            for (const auto& [group, any] : groups) {
                tasks[package] += own_tasks(cores & wanted_ & part & group);
            }
        }
        std::int64_t sum = 0;
        for (const std::int64_t one : tasks) sum += std::min(one, demand_.tasks_per_socket.value());
        return sum >= demand_.tasks.value();
    }

    /// `tasks_on`: of each part; empty where they are not dealt. `allowed`: that could be taken.
    [[nodiscard]] bool is_enough(Mask cores, const std::vector<std::int64_t>& tasks_on,
                                 Mask allowed) {
        if (cpus_of(cores) < demand_.cpus_per_device.value() * coupled_entries()) return false;
        for (std::size_t p = 0; p < tasks_on.size(); ++p) {
            if (own_tasks_in_groups(cores & parts_[p]) < tasks_on[p]) return false;
        }
        if (!tasks_on.empty()) return true;
        const std::int64_t tasks = demand_.tasks.value();
        if (!task_groups_.empty()) {
            return has_places(tasks, tasks_by_group(cores), tasks_by_group(allowed));
        }
        if (!demand_.tasks_per_core.is_zero()) return own_tasks(cores) >= tasks;
        return cpus_of(cores) >= tasks * demand_.cpus_per_task.value();
    }

    /// How many tasks each part gets; nothing when they do not fit.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> deal_tasks(Mask allowed) {
        if (!is_dealt() || deals_cores_) return std::vector<std::int64_t>();
        std::int64_t tasks = demand_.tasks.value();
        if (demand_.cpus_per_task.is_zero() && demand_.tasks_per_core.is_zero()) tasks = 0;
        std::vector<std::int64_t> limits;
        for (const Mask part : parts_) {
            limits.push_back(tasks == 0 ? 0 : own_tasks_in_groups(allowed & part));
        }
        return deal_tasks_out(tasks, limits);
    }

    /// How many cores of each kind these are, of each part where tasks are dealt, and of each group
    /// that holds tasks whole.
    [[nodiscard]] std::vector<std::int64_t> mix_of(Mask cores) const {
        std::map<std::vector<std::int64_t>, std::int64_t> counts;
        for (const auto& [core, cpus] : counts_) {
            std::vector<std::int64_t> kind{cpus, is_of_other_kind(core) ? 1 : 0};
            for (const Mask part : parts_) kind.push_back(part >> core & 1);
            for (const Mask group : task_groups_) kind.push_back(group >> core & 1);
            counts[kind] += cores >> core & 1;
        }
        std::vector<std::int64_t> mix;
        for (const auto& [kind, count] : counts) mix.push_back(count);
        return mix;
    }

    /// True when the parts give as many cores as they get when one is dealt to each in turn; inside
    /// of each task group, where there are some.
    [[nodiscard]] bool is_dealt_in_turn(Mask cores, Mask allowed) {
        const std::vector<std::int64_t> most(packages_.size(),
                                             std::numeric_limits<std::int64_t>::max());
        const std::vector<Mask> all{~Mask{0}};
        const std::vector<Mask>& places = task_groups_.empty() ? all : task_groups_;
        return std::all_of(places.begin(), places.end(), [&](Mask place) {
            std::vector<std::int64_t> limits;
            for (const Mask part : parts_) limits.push_back(size_of(allowed & part & place));
            const auto dealt = deal_out(size_of(cores & place), 1, limits, most,
                                        std::vector<std::int64_t>(parts_.size()));
            return dealt && is_as_dealt(cores & place, *dealt);
        });
    }

    [[nodiscard]] bool is_as_dealt(Mask mask, const std::vector<std::int64_t>& dealt) const {
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            if (size_of(mask & parts_[p]) != dealt[p]) return false;
        }
        return true;
    }

  private:
    [[nodiscard]] std::int64_t tasks_together(Mask cores) const {
        const std::int64_t cpus = demand_.cpus_per_task.value();
        const std::int64_t limit = demand_.tasks_per_core.value();
        if (size_of(cores) > 1) return cpus > 0 && cpus_of(cores) >= cpus ? 1 : 0;
        constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
        return std::min(limit == 0 ? any : limit, cpus == 0 ? any : cpus_of(cores) / cpus);
    }

    std::map<Mask, std::int64_t> own_tasks_;
};

}  // namespace trestle
