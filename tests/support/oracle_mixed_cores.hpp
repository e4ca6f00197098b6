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

    /// `tasks_on`: of each package; empty where they are not dealt to packages.
    [[nodiscard]] bool is_enough(Mask cores, const std::vector<std::int64_t>& tasks_on) {
        if (cpus_of(cores) < demand_.cpus_per_device.value() * coupled_entries()) return false;
        for (std::size_t p = 0; p < tasks_on.size(); ++p) {
            if (own_tasks(cores & packages_[p]) < tasks_on[p]) return false;
        }
        if (!tasks_on.empty()) return true;
        const std::int64_t tasks = demand_.tasks.value();
        if (!demand_.tasks_per_core.is_zero()) return own_tasks(cores) >= tasks;
        return cpus_of(cores) >= tasks * demand_.cpus_per_task.value();
    }

    [[nodiscard]] bool deals_cores() const {
        return is_dealt() && demand_.distribution == Distribution::fcyclic;
    }

    /// How many tasks each package gets; nothing when they do not fit.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> deal_tasks(Mask allowed) {
        if (!is_dealt() || deals_cores()) return std::vector<std::int64_t>();
        const std::int64_t per_socket = demand_.tasks_per_socket.value();
        std::int64_t tasks = demand_.tasks.value();
        if (demand_.cpus_per_task.is_zero() && demand_.tasks_per_core.is_zero()) tasks = 0;
        std::vector<std::int64_t> limits;
        for (const Mask package : packages_) {
            const std::int64_t most = per_socket == 0 ? tasks : std::min(tasks, per_socket);
            limits.push_back(tasks == 0 ? 0 : std::min(most, own_tasks(allowed & package)));
        }
        std::vector<std::int64_t> parts(packages_.size());
        const bool is_block = demand_.distribution == Distribution::block;
        if (is_block && tasks > 0) parts = parts_of(tasks, limits);
        std::int64_t turn = is_block ? tasks : 1;
        if (demand_.distribution == Distribution::plane) {
            turn = std::max<std::int64_t>(1, demand_.plane_size.value());
        }
        for (std::size_t p = 0; p < packages_.size(); ++p) {
            tasks -= parts[p];
            limits[p] -= parts[p];
        }
        auto given = deal_out(tasks, turn, deal_order(), limits);
        for (std::size_t p = 0; given && p < packages_.size(); ++p) (*given)[p] += parts[p];
        return given;
    }

    /// How many cores of each kind these are, on each package where tasks are dealt.
    [[nodiscard]] std::vector<std::int64_t> mix_of(Mask cores) const {
        std::map<std::vector<std::int64_t>, std::int64_t> counts;
        for (const auto& [core, cpus] : counts_) {
            std::vector<std::int64_t> kind{cpus, is_of_other_kind(core) ? 1 : 0};
            if (is_dealt()) {
                for (const Mask package : packages_) kind.push_back(package >> core & 1);
            }
            counts[kind] += cores >> core & 1;
        }
        std::vector<std::int64_t> mix;
        for (const auto& [kind, count] : counts) mix.push_back(count);
        return mix;
    }

    /// True when the packages give as many cores as they get when one is dealt to each in turn.
    [[nodiscard]] bool is_dealt_in_turn(Mask cores, Mask allowed) {
        std::vector<std::int64_t> limits;
        for (const Mask package : packages_) limits.push_back(cores_max(allowed & package));
        const auto dealt = deal_out(size_of(cores), 1, deal_order(), limits);
        return dealt && is_as_dealt(cores, *dealt);
    }

    [[nodiscard]] bool is_as_dealt(Mask mask, const std::vector<std::int64_t>& dealt) const {
        for (std::size_t p = 0; p < packages_.size(); ++p) {
            if (size_of(mask & packages_[p]) != dealt[p]) return false;
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

    /// Of these cores of a package: as many as tasks_per_socket tasks may need.
    [[nodiscard]] std::int64_t cores_max(Mask cores) {
        const std::int64_t tasks_cpus = demand_.tasks.value() * demand_.cpus_per_task.value();
        const bool is_for_devices =
            demand_.cpus_per_device.value() * coupled_entries() > tasks_cpus;
        if (demand_.tasks_per_socket.is_zero() || is_for_devices) return size_of(cores);
        std::vector<std::pair<std::int64_t, Mask>> order;
        for (Mask left = cores; left != 0; left &= left - 1) {
            const Mask lowest = left & (~left + 1);
            order.emplace_back(cpus_of(lowest), lowest);
        }
        std::sort(order.begin(), order.end());
        Mask smallest = 0;
        for (const auto& [cpus, core] : order) {
            if (own_tasks(smallest) >= demand_.tasks_per_socket.value()) break;
            smallest |= core;
        }
        return size_of(smallest);
    }

    std::map<Mask, std::int64_t> own_tasks_;
};

}  // namespace trestle
