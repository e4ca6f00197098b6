// SPDX-License-Identifier: Apache-2.0
// The part of FitSearch for tasks that are dealt to parts of a node: see Deal.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "alloc/node/detail/cores/own_tasks.hpp"
#include "alloc/node/detail/fit_search.hpp"
#include "base/join.hpp"
#include "model/core_groups.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

namespace detail {

void FitSearch::settle_in_one_group(const DevicePick& pick, CoreAnswer& answer) {
    std::optional<CoreAnswer> best;
    const auto order = [](const CoreAnswer& one) {
        const CoreChoice& choice = *one.choice;
        return std::tie(one.other_cores, one.spare_cpus, choice.near, choice.far_memory,
                        choice.groups, choice.cores);
    };
    for (std::uint32_t group = 0; group < problem_.group_count(); ++group) {
        CoreAnswer here;
        here.question = answer.question;
        here.question.group = group;
        settle_cores(pick, here);
        if (budget_.left == 0) return;
        const bool is_better = here.choice && (!best || order(here) < order(*best));
        if (is_better) best = std::move(here);
    }
    if (best) answer = *std::move(best);
}

std::vector<DealtPart> FitSearch::parts_to_deal(const CoreQuestion& question) const {
    const std::vector<CoreSet>& parts = problem_.deal_parts();
    std::vector<std::pair<std::int64_t, std::uint32_t>> order;
    for (std::uint32_t p = 0; p < parts.size(); ++p) {
        std::int64_t far = 0;
        for (std::uint32_t z = 0; z < question.needs.size(); ++z) {
            if (!problem_.zones()[z].intersects(parts[p])) far += question.needs[z].devices;
        }
        order.emplace_back(far, p);
    }
    std::sort(order.begin(), order.end());
    std::vector<DealtPart> dealt;
    for (const auto& [far, p] : order) {
        std::int64_t devices = 0;
        for (std::uint32_t z = 0; z < question.needs.size(); ++z) {
            if (parts[p].contains_all(problem_.zones()[z])) devices += question.needs[z].devices;
        }
        dealt.push_back({p, problem_.package_of(parts[p]), devices, chooser_->capacity(parts[p])});
    }
    return dealt;
}

std::optional<std::vector<std::uint32_t>> FitSearch::deal(const CoreQuestion& question,
                                                          std::int64_t cores_min) const {
    std::vector<DealtPart> dealt = parts_to_deal(question);
    if (!Deal(problem_, dealt).run(cores_min)) return std::nullopt;
    std::vector<std::uint32_t> cores(dealt.size(), 0);
    for (const DealtPart& one : dealt) cores[one.part] = static_cast<std::uint32_t>(one.cores);
    return cores;
}

std::optional<Refusal> FitSearch::refuse_tasks_of_packages() const {
    const std::int64_t limit = demand_.tasks_per_socket.value();
    if (!is_whole_node() || limit == 0 || demand_.cpus_per_task.is_zero()) return std::nullopt;
    const std::int64_t tasks = tasks_of_packages();
    if (tasks >= demand_.tasks.value()) return std::nullopt;
    return Refusal{
        Constraint::cores,
        fmt::format("asked {} tasks, at most {} in a package, {} packages have room for {}",
                    demand_.tasks, limit, problem_.packages().size(), tasks)};
}

std::int64_t FitSearch::tasks_of_packages() const {
    std::int64_t tasks = 0;
    for (const CoreSet& package : problem_.packages()) {
        tasks += std::min(demand_.tasks_per_socket.value(), own_tasks_on(package));
    }
    return tasks;
}

std::int64_t FitSearch::own_tasks_on(const CoreSet& cores) const {
    const CoreSet given = cores & usable_ & problem_.wanted_cores();
    const std::int64_t used = demand_.threads_per_core.value();
    const std::vector<CoreSet> all{given};
    std::int64_t tasks = 0;
    for (const CoreSet& part :
         groups_to_deal(shape_, demand_.distribution_level, demand_.distribution)) {
        for (const CoreSet& group :
             demand_.task_level ? groups_in_packages(shape_, *demand_.task_level) : all) {
            const CoreSet here = given & part & group;
            std::vector<AlikeCores> kinds;
            OwnTasks::Counts counts;
            for (const ThreadCounts::Kind& kind : problem_.threads().kinds()) {
                counts.push_back(here.count_and(kind.cores));
                kinds.push_back({used > 0 ? used : kind.threads, counts.back()});
            }
            const OwnTasks own(std::move(kinds), demand_.cpus_per_task, demand_.tasks_per_core);
            tasks += own.most(counts);
        }
    }
    return tasks;
}

Refusal FitSearch::refuse_deal() const {
    const bool is_package = demand_.distribution_level == HardwareLevel::package;
    std::vector<std::string> free;
    for (const CoreSet& part : problem_.deal_parts()) {
        free.push_back(std::to_string(part.count_and(usable_)));
    }
    const std::int64_t each = demand_.tasks_per_socket.value();
    std::string limit;
    if (each > 0 && !demand_.cpus_per_task.is_zero()) {
        const std::int64_t tasks = tasks_of_packages();
        limit = fmt::format(", at most {} a socket", each);
        if (tasks < demand_.tasks.value())
            limit += fmt::format(", which leaves room for {}", tasks);
    }
    return {Constraint::cores,
            fmt::format("asked {} task{} of {} CPU{}{}: they do not fit the {} as they are dealt, "
                        "which have {} free cores",
                        demand_.tasks, demand_.tasks == Count(1) ? "" : "s", demand_.cpus_per_task,
                        demand_.cpus_per_task == Count(1) ? "" : "s", limit,
                        is_package ? std::string("packages")
                                   : fmt::format("groups of level {}", demand_.distribution_level),
                        join(free, ", "))};
}

}  // namespace detail

}  // namespace trestle
