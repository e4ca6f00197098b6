// SPDX-License-Identifier: Apache-2.0
// The part of FitSearch for nodes whose cores differ: see CoreMixes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "alloc/node/detail/fit_search.hpp"
#include "trestle/model/locality.hpp"

namespace trestle {

namespace detail {

void FitSearch::choose_mixed(std::int64_t devices, CoreAnswer& answer) {
    const auto cpus = checked_mul(demand_.cpus_per_device, devices).value_or(Count::max());
    CoreQuestion& question = answer.question;
    std::vector<std::uint32_t> room;
    for (const CoreClass& one : problem_.classes()) room.push_back(chooser_->capacity(one.cores));
    CoreMixes mixes(problem_, room, cpus.value());
    if (mixes.tasks_in_groups() < demand_.tasks.value()) {
        return note(refuse_task_groups(mixes.tasks_in_groups(), room));
    }
    if (problem_.is_dealt() && !deal_mixed(question, mixes)) return note(refuse_deal());
    const bool requires_near = std::any_of(question.needs.begin(), question.needs.end(),
                                           [](const NearNeed& need) { return need.is_required; });
    const bool takes_more =
        requires_near || problem_.deals_cores() || demand_.memory_locality == Strictness::require;
    question.threads_max = threads_max_;
    if (!problem_.task_groups().empty()) {
        mixes.serve(near_cores(question));
        return choose_in_groups(mixes, devices, takes_more, answer);
    }
    std::vector<CoreMix> found = mixes.all(takes_more, budget_);
    if (budget_.left == 0) return;
    if (found.empty()) return note(refuse_cores(problem_.cores_least(), usable_));
    try_mixes(std::move(found), mixes, devices, answer);
}

void FitSearch::choose_in_groups(const CoreMixes& mixes, std::int64_t devices, bool takes_more,
                                 CoreAnswer& answer) {
    const bool has_others = std::any_of(problem_.classes().begin(), problem_.classes().end(),
                                        [](const CoreClass& one) { return one.is_other; });
    // Fewest cores that are not preferred come before fewest CPUs, so no limit of CPUs helps there.
    std::optional<std::int64_t> ceiling =
        has_others ? problem_.cpus_of(usable_) : mixes.cpus_asked();
    std::int64_t floor = -1;
    bool has_any = false;
    while (ceiling && !answer.choice) {
        CoreMixes::Listed listed = mixes.within(floor, *ceiling, takes_more, budget_);
        floor = *ceiling;
        ceiling = listed.next;
        if (!listed.mixes.empty()) {
            has_any = true;
            try_mixes(std::move(listed.mixes), mixes, devices, answer);
        }
        // Of more ways than can be looked at the best one seen is given; no is not said of others.
        if (!listed.is_whole && !answer.choice) budget_.left = 0;
        if (budget_.left == 0) return;
    }
    if (!has_any) note(refuse_cores(problem_.cores_least(), usable_));
}

std::vector<NearCores> FitSearch::near_cores(const CoreQuestion& question) const {
    std::vector<NearCores> all;
    for (std::uint32_t z = 0; z < question.needs.size(); ++z) {
        const NearNeed& need = question.needs[z];
        if (need.devices == 0) continue;
        NearCores one{
            {}, need.devices, need.is_required ? std::max<std::int64_t>(1, need.required_cpus) : 0};
        std::uint32_t sum = 0;
        for (const CoreClass& some : problem_.classes()) {
            one.room.push_back(chooser_->capacity(some.cores & problem_.zones()[z]));
            sum += one.room.back();
        }
        if (sum < chooser_->capacity()) all.push_back(std::move(one));
    }
    return all;
}

void FitSearch::try_mixes(std::vector<CoreMix> found, const CoreMixes& mixes, std::int64_t devices,
                          CoreAnswer& answer) {
    CoreQuestion& question = answer.question;
    keep_light(found);
    if (found.empty()) {
        return note(
            {Constraint::cores,
             fmt::format("asked {} thousandths of CPUs and {} CPUs beside them, {} are free",
                         demand_.all_milli_cpus(), mixes.cpus_asked(), free_milli_cpus())});
    }
    const auto smallest =
        std::min_element(found.begin(), found.end(),
                         [](const CoreMix& a, const CoreMix& b) { return a.cpus < b.cpus; });
    const auto least = memory_for(smallest->cpus, devices);
    if (!least || *least > free_memory()) {
        return note(refuse_memory(least.value_or(Bytes::max())));
    }
    has_enough_ = true;
    const CoreMix* best = nullptr;
    for (const CoreMix& mix : found) {
        if (best != nullptr && !best->is_as_good_as(mix)) break;
        const auto memory = memory_for(mix.cpus, devices);
        if (!memory || *memory > free_memory()) continue;
        question.memory = *memory;
        choose_mix(mix, question, answer);
        if (budget_.left == 0) return answer.choice.reset();
        if (best == nullptr && answer.choice) best = &mix;
    }
    if (best == nullptr) return;
    question.memory = *memory_for(best->cpus, devices);
    answer.other_cores = best->others;
    answer.spare_cpus = best->cpus - mixes.cpus_asked();
}

void FitSearch::choose_mix(const CoreMix& mix, const CoreQuestion& question, CoreAnswer& answer) {
    CoreQuestion one = question;
    one.count = mix.cores;
    one.per_part = mix.counts;
    auto choice = chooser_->choose(one, budget_);
    // How a mix is split over places says nothing about another mix.
    const auto order = [](const CoreChoice& a) {
        return std::tie(a.near, a.far_memory, a.groups, a.cores);
    };
    const bool is_better = choice && (!answer.choice || order(*choice) < order(*answer.choice));
    if (is_better) answer.choice = std::move(choice);
}

void FitSearch::keep_light(std::vector<CoreMix>& mixes) const {
    if (!threads_max_) return;
    std::erase_if(mixes, [&](const CoreMix& mix) {
        std::int64_t threads = 0;
        for (std::size_t i = 0; i < mix.counts.size(); ++i) {
            const CoreClass& one = problem_.classes()[i];
            const std::int64_t in_rows = (one.cores & (usable_ - state_.cores)).count();
            threads += one.cpus * std::max<std::int64_t>(0, mix.counts[i] - in_rows);
        }
        return threads > *threads_max_;
    });
}

bool FitSearch::deal_mixed(const CoreQuestion& question, CoreMixes& mixes) const {
    std::vector<DealtPart> dealt = parts_to_deal(question);
    if (problem_.deals_cores()) {
        std::vector<std::uint32_t> order;
        for (const DealtPart& one : dealt) order.push_back(one.part);
        mixes.deal_cores(std::move(order));
        return true;
    }
    for (DealtPart& one : dealt) one.tasks_room = mixes.tasks_max(one.part);
    if (!Deal(problem_, dealt).run(0)) return false;
    std::vector<std::int64_t> tasks(dealt.size(), 0);
    for (const DealtPart& one : dealt) tasks[one.part] = one.tasks;
    mixes.deal_tasks(std::move(tasks));
    return true;
}

std::optional<Refusal> FitSearch::refuse_whole(std::int64_t cpus) const {
    if (!problem_.is_mixed()) return std::nullopt;
    const std::vector<std::uint32_t> all = count_classes(usable_);
    const CoreMixes mixes(problem_, all, cpus);
    if (mixes.is_enough(all)) return std::nullopt;
    if (mixes.tasks_in_groups() < demand_.tasks.value()) {
        return refuse_task_groups(mixes.tasks_in_groups(), all);
    }
    return refuse_cores(problem_.cores_for_tasks(), usable_);
}

Refusal FitSearch::refuse_task_groups(std::int64_t tasks,
                                      const std::vector<std::uint32_t>& room) const {
    std::vector<std::int64_t> cpus(problem_.task_groups().size(), 0);
    for (std::size_t i = 0; i < room.size(); ++i) {
        const CoreClass& one = problem_.classes()[i];
        cpus[one.task_group] += one.cpus * room[i];
    }
    const Count asked = demand_.tasks;
    return {
        Constraint::locality,
        fmt::format("asked {} task{} of {} CPUs, each in one {}, there is room for {}; the "
                    "most that a {} has free is {} CPUs",
                    asked, asked == Count(1) ? "" : "s", demand_.cpus_per_task, *demand_.task_level,
                    tasks, *demand_.task_level, *std::max_element(cpus.begin(), cpus.end()))};
}

std::vector<std::uint32_t> FitSearch::count_classes(const CoreSet& cores) const {
    std::vector<std::uint32_t> counts;
    for (const CoreClass& one : problem_.classes()) counts.push_back(one.cores.count_and(cores));
    return counts;
}

}  // namespace detail

}  // namespace trestle
