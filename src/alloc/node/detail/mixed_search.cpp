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
    if (problem_.is_dealt() && !deal_mixed(question, mixes)) {
        return note({Constraint::cores, "the tasks do not fit the packages as they are dealt"});
    }
    const bool requires_near = std::any_of(question.needs.begin(), question.needs.end(),
                                           [](const NearNeed& need) { return need.is_required; });
    const bool deals_cores = problem_.is_dealt() && demand_.distribution == Distribution::fcyclic;
    const bool takes_more =
        requires_near || deals_cores || demand_.memory_locality == Strictness::require;
    std::vector<CoreMix> found = mixes.all(takes_more, budget_);
    if (budget_.left == 0) return;
    if (found.empty()) return note(refuse_cores(problem_.cores_least(), usable_));
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
    question.threads_max = threads_max_;
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
    one.per_package = mix.counts;
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
    std::vector<DealtPackage> dealt = packages_to_deal(question);
    if (demand_.distribution == Distribution::fcyclic) {
        std::vector<std::uint32_t> order;
        for (const DealtPackage& one : dealt) order.push_back(one.package);
        mixes.deal_cores(std::move(order));
        return true;
    }
    for (DealtPackage& one : dealt) one.tasks_room = mixes.tasks_max(one.package);
    if (!Deal(problem_, dealt).run(0)) return false;
    std::vector<std::int64_t> tasks(dealt.size(), 0);
    for (const DealtPackage& one : dealt) tasks[one.package] = one.tasks;
    mixes.deal_tasks(std::move(tasks));
    return true;
}

bool FitSearch::has_whole_room(std::int64_t cpus) const {
    if (!problem_.is_mixed()) return true;
    const std::vector<std::uint32_t> all = count_classes(usable_);
    return CoreMixes(problem_, all, cpus).is_enough(all);
}

std::vector<std::uint32_t> FitSearch::count_classes(const CoreSet& cores) const {
    std::vector<std::uint32_t> counts;
    for (const CoreClass& one : problem_.classes()) counts.push_back(one.cores.count_and(cores));
    return counts;
}

}  // namespace detail

}  // namespace trestle
