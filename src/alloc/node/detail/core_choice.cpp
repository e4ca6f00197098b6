// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/core_choice.hpp"

#include <algorithm>
#include <cstdint>
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
    const std::vector<CoreCell>& cells = problem_.cells();
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
        const CoreCell& cell = cells[i];
        const bool is_allowed =
            cell.zones.contains_all(question.required) &&
            (cell.reserved_by.is_empty() || cell.reserved_by.intersects(devices));
        if (!is_allowed) continue;
        View view{&cell, &free_[i], free_[i].count(), 0};
        if (view.count == 0) continue;
        for (std::uint32_t z = 0; z < question.weight.size(); ++z) {
            if (!cell.zones.contains(z)) view.far += question.weight[z];
        }
        views_.push_back(view);
    }
    std::sort(views_.begin(), views_.end(), [](const View& a, const View& b) {
        return a.far != b.far ? a.far < b.far : a.cell < b.cell;
    });
}

std::uint32_t CoreChooser::capacity(const CoreSet& package) const {
    std::uint32_t sum = 0;
    for (const View& view : views_) sum += view.cores->count_and(package);
    return sum;
}

std::optional<CoreChoice> CoreChooser::choose(const CoreQuestion& question,
                                              StepBudget& budget) const {
    if (question.threads_max && question.count > 0) {
        const ThreadChoice by_threads(alike_parts(), question.count);
        if (by_threads.least() > *question.threads_max) return std::nullopt;
        if (by_threads.most() > *question.threads_max) {
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
        choice.far_pairs += view.far * here;
        near |= view.cell->domains;
        groups.insert(view.cell->group);
    }
    if (covered != cores.count()) return std::nullopt;
    choice.groups = counted(groups.count(), covered);
    choice.far_memory = far_memory(question, near);
    const NodeDemand& demand = problem_.demand();
    const bool is_apart = demand.core_locality == Strictness::require && choice.groups > 1;
    return is_apart ? std::nullopt : judged(question, std::move(choice));
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
    if (!question.per_package.empty()) {
        return is_plenty && problem_.groups_stay_in_package()
                   ? choose_per_package(question, views, budget)
                   : choose_slowly(question, views, budget);
    }
    auto choice = choose_least_far(question, question.count, views, is_plenty, budget);
    if (!choice || !must_be_near || choice->far_memory.is_zero()) return choice;
    return choose_slowly(question, views, budget);
}

std::optional<CoreChoice> CoreChooser::choose_per_package(const CoreQuestion& question,
                                                          const std::vector<View>& views,
                                                          StepBudget& budget) const {
    CoreChoice whole;
    for (std::uint32_t p = 0; p < question.per_package.size(); ++p) {
        if (question.per_package[p] == 0) continue;
        std::vector<View> here;
        for (const View& view : views) {
            if (view.cell->package == p) here.push_back(view);
        }
        if (capacity_of(here) < question.per_package[p]) return std::nullopt;
        auto part = choose_least_far(question, question.per_package[p], here, true, budget);
        if (!part) return std::nullopt;
        whole.far_pairs += part->far_pairs;
        whole.groups += part->groups;
        whole.cores |= part->cores;
    }
    return whole;
}

std::optional<CoreChoice> CoreChooser::choose_least_far(const CoreQuestion& question,
                                                        std::uint32_t count,
                                                        const std::vector<View>& views,
                                                        bool is_plenty, StepBudget& budget) const {
    CoreChoice choice;
    PieceChoice pieces;
    std::uint32_t missing = count;
    std::size_t at = 0;
    DomainSet near;
    while (at < views.size()) {
        std::size_t end = at;
        std::uint32_t level = 0;
        while (end < views.size() && views[end].far == views[at].far) {
            level += views[end++].count;
        }
        if (level >= missing) {
            choice.far_pairs += views[at].far * missing;
            for (; at < end; ++at) add_tie(views[at], is_plenty, near, pieces);
            break;
        }
        choice.far_pairs += views[at].far * level;
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
    choice.groups = counted(found->groups, count);
    choice.far_memory = found->far_memory;
    return choice;
}

void CoreChooser::add_tie(const View& view, bool is_plenty, const DomainSet& near,
                          PieceChoice& pieces) const {
    const DomainSet domains = is_plenty ? DomainSet() : view.cell->domains - near;
    const bool is_split = !is_plenty && !problem_.groups_share_memory();
    pieces.add(*view.cores, domains, view.cell->group, is_split);
}

std::optional<CoreChoice> CoreChooser::choose_slowly(const CoreQuestion& question,
                                                     const std::vector<View>& views,
                                                     StepBudget& budget) const {
    std::vector<std::vector<View>> parts;
    for (const View& view : views) {
        const bool is_given =
            question.per_package.empty() || question.per_package[view.cell->package] > 0;
        if (!is_given) continue;
        const auto at = std::find_if(parts.begin(), parts.end(), [&](const auto& part) {
            const CoreCell& cell = *part.front().cell;
            return cell.domains == view.cell->domains && cell.group == view.cell->group &&
                   cell.package == view.cell->package;
        });
        if (at == parts.end()) {
            parts.push_back({view});
        } else {
            at->push_back(view);
        }
    }
    std::optional<CoreChoice> best;
    const auto most = std::min<std::size_t>(parts.size(), question.count);
    for (std::size_t size = 1; size <= most; ++size) {
        std::vector<std::size_t> pick(size);
        for (std::size_t i = 0; i < size; ++i) pick[i] = i;
        do {
            if (!budget.spend()) return std::nullopt;
            auto choice = touching_all(question, parts, pick);
            if (choice && (!best || *choice < *best)) best = std::move(choice);
        } while (next_combination(pick, parts.size()));
    }
    return best;
}

std::optional<CoreChoice> CoreChooser::touching_all(const CoreQuestion& question,
                                                    const std::vector<std::vector<View>>& parts,
                                                    const std::vector<std::size_t>& pick) const {
    std::vector<std::uint32_t> left = question.per_package;
    std::uint32_t missing = question.count;
    const auto take = [&](std::uint32_t package, std::uint32_t count) {
        if (!left.empty()) count = std::min(count, left[package]);
        count = std::min(count, missing);
        if (!left.empty()) left[package] -= count;
        missing -= count;
        return count;
    };
    CoreSet cores;
    std::vector<View> pool;
    for (const std::size_t i : pick) {
        const std::uint64_t least = parts[i].front().far;
        CoreSet nearest;
        for (const View& view : parts[i]) {
            if (view.far == least) nearest |= *view.cores;
            pool.push_back(view);
        }
        if (take(parts[i].front().cell->package, 1) == 0) return std::nullopt;
        cores.insert(*nearest.first());
    }
    std::vector<std::tuple<std::uint64_t, CoreId, std::uint32_t>> order;
    for (const View& view : pool) {
        for (const CoreId core : *view.cores) {
            order.emplace_back(view.far, core, view.cell->package);
        }
    }
    std::sort(order.begin(), order.end());
    for (const auto& [far, core, package] : order) {
        if (!cores.contains(core) && take(package, 1) == 1) cores.insert(core);
    }
    return missing == 0 ? judge(question, cores) : std::nullopt;
}

std::vector<ThreadChoice::Part> CoreChooser::alike_parts() const {
    std::vector<ThreadChoice::Part> parts;
    const auto add = [&](const View& view, CoreSet cores, std::int64_t threads) {
        if (cores.is_empty()) return;
        parts.push_back({std::move(cores), view.cell->package, threads});
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
    const bool is_whole = by_threads.for_each_set(*question.threads_max, question.per_package,
                                                  budget, [&](const CoreSet& cores) {
                                                      auto choice = judge(question, cores);
                                                      if (choice && (!best || *choice < *best))
                                                          best = std::move(choice);
                                                  });
    return is_whole ? best : std::nullopt;
}

}  // namespace detail

}  // namespace trestle
