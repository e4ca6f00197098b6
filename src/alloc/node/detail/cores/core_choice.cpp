// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/cores/core_choice.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "model/core_groups.hpp"

namespace trestle {

namespace detail {

CoreChooser::CoreChooser(const FitProblem& problem, const FreeState& free, const CoreSet& usable)
    : problem_(problem), unpinned_(free.cores) {
    free_memory_.reserve(problem.shape().memory.size());
    for (std::uint32_t i = 0; i < problem.shape().memory.size(); ++i) {
        const bool is_given = problem.shape().memory[i].is_ordinary();
        free_memory_.push_back(is_given ? free.memory[i] : Bytes());
    }
    free_.reserve(problem.cells().size());
    views_.reserve(problem.cells().size());
    for (const CoreCell& cell : problem.cells()) free_.push_back(cell.cores & usable);
}

void CoreChooser::open(const CoreQuestion& question, const DeviceSet& devices) {
    views_.clear();
    SmallSet<> required;
    for (std::uint32_t z = 0; z < question.needs.size(); ++z) {
        if (question.needs[z].is_required && !question.is_anywhere) required.insert(z);
    }
    SmallSet<> near_to_all =
        SmallSet<>::range({0, static_cast<std::uint32_t>(question.needs.size())});
    const std::vector<CoreCell>& cells = problem_.cells();
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
        const CoreCell& cell = cells[i];
        const bool is_allowed =
            (required.is_empty() || cell.zones.intersects(required)) &&
            (cell.reserved_by.is_empty() || cell.reserved_by.intersects(devices)) &&
            (!question.group || cell.group == *question.group);
        if (!is_allowed) continue;
        View view{&cell, &free_[i], free_[i].count(), 0};
        if (view.count == 0) continue;
        for (std::uint32_t z = 0; z < question.needs.size(); ++z) {
            if (!cell.zones.contains(z)) view.far += question.needs[z].devices;
        }
        near_to_all &= cell.zones;
        views_.push_back(view);
    }
    zones_.clear();
    for (std::uint32_t z = 0; z < question.needs.size(); ++z) {
        const bool is_asked = question.needs[z].devices > 0 || question.needs[z].cpus > 0;
        if (is_asked && !near_to_all.contains(z)) zones_.insert(z);
    }
    find_patches();
    std::sort(views_.begin(), views_.end(), [](const View& a, const View& b) {
        return a.far != b.far ? a.far < b.far : a.cell < b.cell;
    });
}

void CoreChooser::find_patches() {
    if (!needs_split()) {
        patch_count_ = 2;
        for (View& view : views_) view.patch = view.cell->zones.intersects(zones_) ? 0 : 1;
        return;
    }
    std::vector<View*> order;
    for (View& view : views_) order.push_back(&view);
    std::sort(order.begin(), order.end(),
              [](const View* a, const View* b) { return *a->cores->first() < *b->cores->first(); });
    std::vector<std::pair<SmallSet<>, std::uint32_t>> patches;
    for (View* view : order) {
        const std::pair key(view->cell->zones & zones_, view->cell->part);
        const auto at = std::find(patches.begin(), patches.end(), key);
        view->patch = static_cast<std::uint32_t>(at - patches.begin());
        if (at == patches.end()) patches.push_back(key);
    }
    patch_count_ = static_cast<std::uint32_t>(patches.size());
}

std::int64_t CoreChooser::fewest_near(const CoreQuestion& question, std::int64_t least,
                                      StepBudget& budget) const {
    const bool is_any_required = std::any_of(zones_.begin(), zones_.end(), [&](std::uint32_t zone) {
        return question.needs[zone].is_required || question.needs[zone].required_cpus > 0;
    });
    if (!is_any_required || least > capacity()) return least;
    return split_of(question, views_).fewest(static_cast<std::uint32_t>(least), budget);
}

std::uint32_t CoreChooser::capacity(const CoreSet& part) const {
    std::uint32_t sum = 0;
    for (const View& view : views_) sum += view.cores->count_and(part);
    return sum;
}

std::optional<CoreChoice> CoreChooser::choose(const CoreQuestion& question,
                                              StepBudget& budget) const {
    if (question.threads_max && question.count > 0) {
        const ThreadChoice by_threads(alike_parts(question), question.count);
        if (by_threads.least() > *question.threads_max) return std::nullopt;
        if (by_threads.most() > *question.threads_max) {
            CoreQuestion unlimited = question;
            unlimited.threads_max.reset();
            auto choice = choose(unlimited, budget);
            if (!choice) return std::nullopt;
            const std::int64_t threads = problem_.threads().of(choice->cores & unpinned_);
            if (threads <= *question.threads_max) return choice;
            return choose_light(question, by_threads, budget);
        }
    }
    if (memory_is_plenty(question, views_)) return choose_with_memory(question, budget);
    // Cores that are best with memory left aside are best of all when none of it is far.
    CoreQuestion aside = question;
    aside.memory = Bytes();
    const auto choice = choose_with_memory(aside, budget);
    if (!choice) return std::nullopt;
    auto whole = judge(question, choice->cores);
    if (whole && whole->far_memory.is_zero()) return whole;
    return choose_with_memory(question, budget);
}

std::optional<CoreChoice> CoreChooser::judge(const CoreQuestion& question,
                                             const CoreSet& cores) const {
    CoreChoice choice;
    choice.cores = cores;
    DomainSet near;
    SmallSet<> groups;
    std::uint32_t covered = 0;
    for (const View& view : views_) {
        const std::uint32_t here = view.cores->count_and(cores);
        if (here == 0) continue;
        covered += here;
        near |= view.cell->domains;
        groups.insert(view.cell->group);
    }
    if (covered != cores.count()) return std::nullopt;
    set_near(question, choice);
    if (choice.near.refused > 0) return std::nullopt;
    choice.groups = counted(groups.count(), covered);
    choice.far_memory = far_memory(question, near);
    const NodeDemand& demand = problem_.demand();
    const bool is_apart = demand.core_locality == Strictness::require && choice.groups > 1;
    return is_apart ? std::nullopt : judged(question, std::move(choice));
}

void CoreChooser::set_near(const CoreQuestion& question, CoreChoice& choice) const {
    if (zones_.is_empty() || question.count == 0) return;
    if (needs_split()) choice.split.assign(patch_count_, 0);
    for (const View& view : views_) {
        const std::uint32_t here = view.cores->count_and(choice.cores);
        if (needs_split()) choice.split[view.patch] += here;
        choice.near.far_pairs += view.far * here;
    }
    for (const std::uint32_t z : zones_) {
        const CoreSet& zone = problem_.zones()[z];
        const std::uint64_t cores = choice.cores.count_and(zone);
        std::uint64_t counted = cores;
        if (problem_.is_mixed()) {
            counted = static_cast<std::uint64_t>(problem_.cpus_of(choice.cores & zone));
        } else if (problem_.wants_some_cores()) {
            counted = (choice.cores & zone).count_and(problem_.wanted_cores());
        }
        target_of(question, z).charge(cores, counted, choice.near);
    }
}

ZoneTarget CoreChooser::target_of(const CoreQuestion& question, std::uint32_t zone) const {
    std::int64_t devices = 0;
    for (const std::uint32_t z : zones_) devices += question.needs[z].devices;
    const NearNeed& need = question.needs[zone];
    const auto cores_for = [&](std::int64_t cpus) {
        constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
        const auto counted = problem_.is_mixed() ? cpus : problem_.cores_for_cpus(Count(cpus));
        return static_cast<std::uint32_t>(std::min(counted, most));
    };
    const auto part =
        static_cast<std::uint32_t>(std::int64_t{need.devices} * question.count / devices);
    return {need.devices, part, cores_for(need.cpus), cores_for(need.required_cpus),
            need.is_required};
}

CoreSplit CoreChooser::split_of(const CoreQuestion& question,
                                const std::vector<View>& views) const {
    std::vector<ZoneTarget> zones;
    for (const std::uint32_t z : zones_) zones.push_back(target_of(question, z));
    std::vector<CorePatch> patches(patch_count_);
    for (const View& view : views) {
        CorePatch& patch = patches[view.patch];
        std::uint32_t at = 0;
        for (const std::uint32_t z : zones_) {
            if (view.cell->zones.contains(z)) patch.zones.insert(at);
            ++at;
        }
        patch.part = view.cell->part;
        patch.capacity += view.count;
        patch.far = view.far;
        if (problem_.is_mixed()) {
            patch.weight = static_cast<std::uint64_t>(problem_.classes()[view.cell->part].cpus);
        }
    }
    return CoreSplit(std::move(zones), std::move(patches), question.per_part);
}

bool CoreChooser::needs_split() const {
    return problem_.is_mixed() || problem_.is_dealt() || zones_.count() > 1;
}

std::optional<CoreChoice> CoreChooser::choose_with_memory(const CoreQuestion& question,
                                                          StepBudget& budget) const {
    if (question.count == 0) return judged(question, {});
    if (problem_.demand().core_locality != Strictness::require) {
        return choose_among(question, views_, budget);
    }
    if (problem_.has_core_groups()) {
        if (question.count > 1) return std::nullopt;
        return choose_among(question, views_, budget);
    }
    std::optional<CoreChoice> best;
    SmallSet<> seen;
    for (const View& first : views_) {
        if (seen.contains(first.cell->group)) continue;
        seen.insert(first.cell->group);
        std::vector<View> group;
        for (const View& view : views_) {
            if (view.cell->group == first.cell->group) group.push_back(view);
        }
        auto choice = choose_among(question, group, budget);
        if (budget.left == 0) return std::nullopt;
        if (choice && (!best || *choice < *best)) best = std::move(choice);
    }
    return best;
}

DomainSet CoreChooser::domains_of(const std::vector<View>& views) {
    DomainSet domains;
    for (const View& view : views) domains |= view.cell->domains;
    return domains;
}

std::uint32_t CoreChooser::capacity_of(const std::vector<View>& views) {
    std::uint32_t sum = 0;
    for (const View& view : views) sum += view.count;
    return sum;
}

std::uint32_t CoreChooser::counted(std::uint32_t groups, std::uint32_t cores) const {
    if (problem_.has_core_groups()) return cores;
    return problem_.has_groups() ? groups : 0;
}

Bytes CoreChooser::far_memory(const CoreQuestion& question, const DomainSet& near) const {
    if (problem_.demand().memory_locality == Strictness::ignore) return Bytes();
    Bytes sum;
    for (const DomainId domain : near) sum += free_memory_[domain.value()];
    return saturating_sub(question.memory, sum);
}

std::optional<CoreChoice> CoreChooser::judged(const CoreQuestion& question,
                                              CoreChoice choice) const {
    if (question.count == 0) choice.far_memory = Bytes();
    const bool must_be_near = problem_.demand().memory_locality == Strictness::require;
    if (must_be_near && !choice.far_memory.is_zero()) return std::nullopt;
    return choice;
}

bool CoreChooser::memory_is_plenty(const CoreQuestion& question,
                                   const std::vector<View>& views) const {
    return std::all_of(views.begin(), views.end(), [&](const View& view) {
        return far_memory(question, view.cell->domains).is_zero();
    });
}

std::optional<CoreChoice> CoreChooser::choose_among(const CoreQuestion& question,
                                                    const std::vector<View>& views,
                                                    StepBudget& budget) const {
    if (capacity_of(views) < question.count) return std::nullopt;
    const bool must_be_near = problem_.demand().memory_locality == Strictness::require;
    if (must_be_near && !far_memory(question, domains_of(views)).is_zero()) return std::nullopt;
    const bool is_plenty = memory_is_plenty(question, views);
    auto choice = needs_split() ? choose_split(question, views, is_plenty, budget)
                                : choose_least_far(question, views, is_plenty, budget);
    const bool may_be_better = must_be_near && (!choice || !choice->far_memory.is_zero());
    if (!may_be_better || budget.left == 0) return choice;
    return choose_slowly(question, views, budget);
}

std::optional<CoreChoice> CoreChooser::choose_least_far(const CoreQuestion& question,
                                                        const std::vector<View>& views,
                                                        bool is_plenty, StepBudget& budget) const {
    CoreChoice choice;
    PieceChoice pieces;
    std::uint32_t missing = question.count;
    std::size_t at = 0;
    DomainSet near;
    while (at < views.size()) {
        std::size_t end = at;
        std::uint32_t level = 0;
        while (end < views.size() && views[end].far == views[at].far) {
            level += views[end++].count;
        }
        if (level >= missing) {
            for (; at < end; ++at) add_tie(views[at], is_plenty, near, pieces);
            break;
        }
        missing -= level;
        for (; at < end; ++at) {
            choice.cores |= *views[at].cores;
            near |= views[at].cell->domains;
            pieces.touch_group(views[at].cell->group);
        }
    }
    const auto spill = [&](const DomainSet& more) {
        return is_plenty ? Bytes() : far_memory(question, near | more);
    };
    auto found = pieces.best(missing, spill, budget);
    if (!found) return std::nullopt;
    choice.cores |= found->cores;
    choice.groups = counted(found->groups, question.count);
    choice.far_memory = found->far_memory;
    set_near(question, choice);
    if (choice.near.refused > 0) return std::nullopt;
    return choice;
}

void CoreChooser::add_tie(const View& view, bool is_plenty, const DomainSet& near,
                          PieceChoice& pieces) const {
    const DomainSet domains = is_plenty ? DomainSet() : view.cell->domains - near;
    const bool is_split = !is_plenty && !problem_.groups_share_memory();
    pieces.add(*view.cores, domains, view.cell->group, is_split);
}

std::optional<CoreChoice> CoreChooser::choose_split(const CoreQuestion& question,
                                                    const std::vector<View>& views, bool is_plenty,
                                                    StepBudget& budget) const {
    const auto counts =
        split_of(question, views).best(question.count, CoreSplit::Counts(patch_count_, 0), budget);
    if (!counts) return std::nullopt;
    if (problem_.is_mixed() && is_plenty) return fill_groups(question, views, *counts, budget);
    if (follows_patches(views, [](const CoreCell& cell) { return SmallSet<>::of({cell.group}); })) {
        auto choice = fill_patches(question, views, *counts, false, budget);
        const bool is_best = is_plenty || (choice && choice->far_memory.is_zero());
        if (is_best || budget.left == 0) return choice;
        const bool is_by_patch = follows_patches(views, [](const CoreCell& cell) {
            SmallSet<> domains;
            for (const DomainId domain : cell.domains) domains.insert(domain.value());
            return domains;
        });
        // Memory that cannot all be near is nearest where each patch has the most near.
        if (is_by_patch) choice = fill_patches(question, views, *counts, true, budget);
        const bool is_near = choice && choice->far_memory.is_zero();
        if (is_by_patch && !is_near) return choice;
        if (budget.left == 0) return std::nullopt;
    }
    return fill_slowly(question, views, *counts, budget);
}

std::optional<CoreChoice> CoreChooser::fill_patches(const CoreQuestion& question,
                                                    const std::vector<View>& views,
                                                    const CoreSplit::Counts& counts,
                                                    bool wants_memory, StepBudget& budget) const {
    const auto without = [&](const DomainSet& domains) {
        Bytes near;
        for (const DomainId domain : domains) near += free_memory_[domain.value()];
        return wants_memory ? saturating_sub(Bytes::max(), near) : Bytes();
    };
    CoreSet cores;
    for (std::uint32_t patch = 0; patch < counts.size(); ++patch) {
        if (counts[patch] == 0) continue;
        PieceChoice pieces;
        for (const View& view : views) {
            if (view.patch == patch) add_tie(view, !wants_memory, DomainSet(), pieces);
        }
        const auto found = pieces.best(counts[patch], without, budget);
        if (!found) return std::nullopt;
        cores |= found->cores;
    }
    return judge(question, cores);
}

std::optional<CoreChoice> CoreChooser::fill_groups(const CoreQuestion& question,
                                                   const std::vector<View>& views,
                                                   const CoreSplit::Counts& counts,
                                                   StepBudget& budget) const {
    std::map<std::uint32_t, std::vector<CoreSet>> by_group;  // cores of each patch
    for (const View& view : views) {
        std::vector<CoreSet>& patches = by_group[view.cell->group];
        patches.resize(counts.size());
        patches[view.patch] |= *view.cores;
    }
    std::vector<const std::vector<CoreSet>*> groups;
    std::vector<std::size_t> having(counts.size(), 0);  // groups that have cores of a patch
    for (auto& [group, patches] : by_group) {
        bool is_asked = false;
        for (std::uint32_t patch = 0; patch < counts.size(); ++patch) {
            if (counts[patch] == 0 || patches[patch].is_empty()) continue;
            is_asked = true;
            ++having[patch];
        }
        if (is_asked) groups.push_back(&patches);
    }
    const auto is_only = [&](const std::vector<CoreSet>* patches) {
        for (std::uint32_t patch = 0; patch < counts.size(); ++patch) {
            if (having[patch] == 1 && !(*patches)[patch].is_empty()) return true;
        }
        return false;
    };
    const auto least = std::count_if(groups.begin(), groups.end(), is_only);
    std::optional<CoreSet> best;
    for (auto size = std::max<std::size_t>(1, static_cast<std::size_t>(least));
         size <= groups.size() && !best; ++size) {
        std::vector<std::size_t> pick(size);
        for (std::size_t i = 0; i < size; ++i) pick[i] = i;
        do {
            if (!budget.spend()) return std::nullopt;
            CoreSet cores;  // fewer groups do not do, so all of these are touched
            bool is_enough = true;
            for (std::uint32_t patch = 0; patch < counts.size() && is_enough; ++patch) {
                CoreSet pool;
                for (const std::size_t i : pick) pool |= (*groups[i])[patch];
                is_enough = pool.count() >= counts[patch];
                cores |= pool.first_k(counts[patch]);
            }
            if (is_enough && (!best || cores < *best)) best = std::move(cores);
        } while (next_combination(pick, groups.size()));
    }
    return best ? judge(question, *best) : std::nullopt;
}

std::optional<CoreChoice> CoreChooser::fill_slowly(const CoreQuestion& question,
                                                   const std::vector<View>& views,
                                                   const CoreSplit::Counts& counts,
                                                   StepBudget& budget) const {
    std::vector<CoreSet> ways{CoreSet()};
    for (std::uint32_t patch = 0; patch < counts.size(); ++patch) {
        if (counts[patch] == 0) continue;
        std::vector<std::vector<View>> parts;
        for (const View& view : views) {
            if (view.patch == patch) add_to_parts(view, parts);
        }
        std::vector<CoreSet> longer;
        const bool is_whole =
            for_each_pick(parts.size(), counts[patch], budget, [&](const auto& pick) {
                CoreSet pool;
                CoreSet cores;
                for (const std::size_t i : pick) {
                    const CoreSet part = cores_of(parts[i]);
                    cores.insert(*part.first());
                    pool |= part;
                }
                if (pool.count() < counts[patch]) return true;
                cores |= (pool - cores).first_k(counts[patch] - cores.count());
                if (!budget.spend(ways.size())) return false;
                for (const CoreSet& way : ways) longer.push_back(way | cores);
                return true;
            });
        if (!is_whole) return std::nullopt;
        ways = std::move(longer);
    }
    std::optional<CoreChoice> best;
    for (const CoreSet& cores : ways) {
        auto choice = judge(question, cores);
        if (choice && (!best || *choice < *best)) best = std::move(choice);
    }
    return best;
}

std::optional<CoreChoice> CoreChooser::choose_slowly(const CoreQuestion& question,
                                                     const std::vector<View>& views,
                                                     StepBudget& budget) const {
    std::vector<std::vector<View>> parts;
    for (const View& view : views) {
        const bool is_given = question.per_part.empty() || question.per_part[view.cell->part] > 0;
        if (is_given) add_to_parts(view, parts);
    }
    std::optional<CoreChoice> best;
    const bool is_whole =
        for_each_pick(parts.size(), question.count, budget, [&](const auto& pick) {
            auto choice = touching_all(question, parts, pick, budget);
            if (choice && (!best || *choice < *best)) best = std::move(choice);
            return budget.left > 0;
        });
    return is_whole ? best : std::nullopt;
}

void CoreChooser::add_to_parts(const View& view, std::vector<std::vector<View>>& parts) {
    const auto at = std::find_if(parts.begin(), parts.end(), [&](const auto& part) {
        const CoreCell& cell = *part.front().cell;
        return cell.domains == view.cell->domains && cell.group == view.cell->group &&
               part.front().patch == view.patch;
    });
    if (at == parts.end()) {
        parts.push_back({view});
    } else {
        at->push_back(view);
    }
}

CoreSet CoreChooser::cores_of(const std::vector<View>& part) {
    CoreSet cores;
    for (const View& view : part) cores |= *view.cores;
    return cores;
}

std::optional<CoreChoice> CoreChooser::touching_all(const CoreQuestion& question,
                                                    const std::vector<std::vector<View>>& parts,
                                                    const std::vector<std::size_t>& pick,
                                                    StepBudget& budget) const {
    CoreSplit::Counts start(patch_count_, 0);
    std::vector<CoreSet> pools(patch_count_);
    std::vector<View> views;
    CoreSet cores;
    for (const std::size_t i : pick) {
        const CoreSet part = cores_of(parts[i]);
        const std::uint32_t patch = parts[i].front().patch;
        cores.insert(*part.first());
        pools[patch] |= part;
        ++start[patch];
        views.insert(views.end(), parts[i].begin(), parts[i].end());
    }
    const auto counts = split_of(question, views).best(question.count, start, budget);
    if (!counts) return std::nullopt;
    for (std::uint32_t patch = 0; patch < patch_count_; ++patch) {
        cores |= (pools[patch] - cores).first_k((*counts)[patch] - start[patch]);
    }
    return judge(question, cores);
}

std::vector<ThreadChoice::Part> CoreChooser::alike_parts(const CoreQuestion& question) const {
    const bool has_memory = !memory_is_plenty(question, views_);
    const bool has_groups = problem_.has_groups() && !problem_.has_core_groups();
    const auto are_alike = [&](const CoreCell& a, const CoreCell& b) {
        return a.part == b.part && (a.zones & zones_) == (b.zones & zones_) &&
               (!has_memory || a.domains == b.domains) && (!has_groups || a.group == b.group);
    };
    std::vector<ThreadChoice::Part> parts;
    std::vector<const CoreCell*> cells;  // of each part, the first
    const auto add = [&](const View& view, CoreSet cores, std::int64_t threads) {
        if (cores.is_empty()) return;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (parts[i].threads != threads || !are_alike(*cells[i], *view.cell)) continue;
            parts[i].cores |= cores;
            return;
        }
        parts.push_back({std::move(cores), view.cell->part, threads});
        cells.push_back(view.cell);
    };
    for (const View& view : views_) {
        add(view, *view.cores - unpinned_, 0);
        for (const ThreadCounts::Kind& kind : problem_.threads().kinds()) {
            add(view, *view.cores & unpinned_ & kind.cores, kind.threads);
        }
    }
    return parts;
}

std::optional<CoreChoice> CoreChooser::choose_light(const CoreQuestion& question,
                                                    const ThreadChoice& by_threads,
                                                    StepBudget& budget) const {
    std::optional<CoreChoice> best;
    const bool is_whole = by_threads.for_each_set(*question.threads_max, question.per_part, budget,
                                                  [&](const CoreSet& cores) {
                                                      auto choice = judge(question, cores);
                                                      if (choice && (!best || *choice < *best))
                                                          best = std::move(choice);
                                                  });
    return is_whole ? best : std::nullopt;
}

}  // namespace detail

}  // namespace trestle
