// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which cores, once the devices are chosen.
//
// Layer: alloc, internal to fit. Main types: CoreChooser, CoreQuestion, CoreChoice. Among the cores
// with the fewest far devices it takes those whose memory domains hold the request, in as few
// groups as possible, lowest numbers first.
// A reader would get wrong: far pairs come first, so all cells that are nearer than the last one
// needed are taken whole ("forced"); only among the equally far ones (the "tie") is there a choice.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/alloc/detail/step_budget.hpp"
#include "trestle/alloc/fit/detail/fit_problem.hpp"
#include "trestle/alloc/fit/detail/piece_choice.hpp"
#include "trestle/alloc/fit/detail/thread_choice.hpp"
#include "trestle/alloc/fit/free_state.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::detail {

/// A set of cores with what it costs. Less is better, first member first.
struct CoreChoice {
    std::uint64_t far_pairs = 0;  ///< a chosen core and a chosen device that is not near it
    Bytes far_memory;             ///< that the domains near the cores do not hold
    std::uint32_t groups = 0;     ///< of the core level that are touched
    CoreSet cores;

    friend bool operator<(const CoreChoice& a, const CoreChoice& b) {
        return std::tie(a.far_pairs, a.far_memory, a.groups, a.cores) <
               std::tie(b.far_pairs, b.far_memory, b.groups, b.cores);
    }
};

/// What is asked of the cores.
struct CoreQuestion {
    std::uint32_t count = 0;
    Bytes memory;
    std::vector<std::uint32_t> weight;       ///< by zone: devices that are near it alone
    SmallSet<> required;                     ///< zones that all cores have to lie in
    std::vector<std::uint32_t> per_package;  ///< cores of each package; empty: of any
    /// Threads that may be taken of those that nobody has, where that is limited: the others are
    /// given in thousandths.
    std::optional<std::int64_t> threads_max{};
};

class CoreChooser {
  public:
    /// `usable`: the cores that may be given at all.
    CoreChooser(const FitProblem& problem, const FreeState& free, const CoreSet& usable)
        : problem_(problem), unpinned_(free.cores) {
        free_memory_.reserve(problem.shape().memory.size());
        for (std::uint32_t i = 0; i < problem.shape().memory.size(); ++i) {
            const bool is_given = is_ordinary(problem.shape().memory[i]);
            free_memory_.push_back(is_given ? free.memory[i] : Bytes());
        }
        free_.reserve(problem.cells().size());
        views_.reserve(problem.cells().size());
        for (const CoreCell& cell : problem.cells()) free_.push_back(cell.cores & usable);
    }

    /// Looks at the cores that a pick of devices leaves. Requires: asked before choose().
    void open(const CoreQuestion& question, const DeviceSet& devices) {
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
    /// Cores that are left, in all or on one package.
    [[nodiscard]] std::uint32_t capacity() const { return capacity_of(views_); }
    [[nodiscard]] std::uint32_t capacity(const CoreSet& package) const {
        std::uint32_t sum = 0;
        for (const View& view : views_) sum += view.cores->count_and(package);
        return sum;
    }
    /// The best choice, or nothing: because there is none, or because `budget` ended (then it has
    /// no step left).
    [[nodiscard]] std::optional<CoreChoice> choose(const CoreQuestion& question,
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

    /// What exactly these cores cost; nothing when they are not what is required.
    [[nodiscard]] std::optional<CoreChoice> judge(const CoreQuestion& question,
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
        const bool is_apart = demand.core_locality == Locality::require && choice.groups > 1;
        return is_apart ? std::nullopt : judged(question, std::move(choice));
    }

  private:
    [[nodiscard]] std::optional<CoreChoice> choose_with_memory(const CoreQuestion& question,
                                                               StepBudget& budget) const {
        if (question.count == 0) return judged(question, {});
        if (problem_.demand().core_locality != Locality::require) {
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

    /// A cell as one question sees it.
    struct View {
        const CoreCell* cell;
        const CoreSet* cores;  ///< the free ones
        std::uint32_t count;
        std::uint64_t far;  ///< devices that it is far from
    };

    [[nodiscard]] static DomainSet domains_of(const std::vector<View>& views) {
        DomainSet domains;
        for (const View& view : views) domains |= view.cell->domains;
        return domains;
    }
    [[nodiscard]] static std::uint32_t capacity_of(const std::vector<View>& views) {
        std::uint32_t sum = 0;
        for (const View& view : views) sum += view.count;
        return sum;
    }
    [[nodiscard]] std::uint32_t counted(std::uint32_t groups, std::uint32_t cores) const {
        if (problem_.has_core_groups()) return cores;
        return problem_.has_groups() ? groups : 0;
    }
    [[nodiscard]] Bytes far_memory(const CoreQuestion& question, const DomainSet& near) const {
        if (problem_.demand().memory_locality == Locality::ignore) return Bytes();
        Bytes sum;
        for (const DomainId domain : near) sum += free_memory_[domain.value()];
        return saturating_sub(question.memory, sum);
    }
    /// `choice`, unless required memory is far. Where there are no cores nothing is.
    [[nodiscard]] std::optional<CoreChoice> judged(const CoreQuestion& question,
                                                   CoreChoice choice) const {
        if (question.count == 0) choice.far_memory = Bytes();
        const bool must_be_near = problem_.demand().memory_locality == Locality::require;
        if (must_be_near && !choice.far_memory.is_zero()) return std::nullopt;
        return choice;
    }

    /// True when the near memory of any one cell holds what is asked: memory need not be looked at.
    [[nodiscard]] bool memory_is_plenty(const CoreQuestion& question,
                                        const std::vector<View>& views) const {
        return std::all_of(views.begin(), views.end(), [&](const View& view) {
            return far_memory(question, view.cell->domains).is_zero();
        });
    }

    [[nodiscard]] std::optional<CoreChoice> choose_among(const CoreQuestion& question,
                                                         const std::vector<View>& views,
                                                         StepBudget& budget) const {
        if (capacity_of(views) < question.count) return std::nullopt;
        const bool must_be_near = problem_.demand().memory_locality == Locality::require;
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

    [[nodiscard]] std::optional<CoreChoice> choose_per_package(const CoreQuestion& question,
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

    /// The best choice among those with the fewest far pairs.
    /// Requires: the views are by far devices and have `count` cores.
    [[nodiscard]] std::optional<CoreChoice> choose_least_far(const CoreQuestion& question,
                                                             std::uint32_t count,
                                                             const std::vector<View>& views,
                                                             bool is_plenty,
                                                             StepBudget& budget) const {
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

    /// Cells of one part are chosen between by memory, pieces of one part by their groups.
    void add_tie(const View& view, bool is_plenty, const DomainSet& near,
                 PieceChoice& pieces) const {
        const DomainSet domains = is_plenty ? DomainSet() : view.cell->domains - near;
        const bool is_split = !is_plenty && !problem_.groups_share_memory();
        pieces.add(*view.cores, domains, view.cell->group, is_split);
    }

    /// Any set of parts may be the answer: a larger one can have fewer far pairs, or more memory.
    [[nodiscard]] std::optional<CoreChoice> choose_slowly(const CoreQuestion& question,
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

    /// The least far cores that touch every picked part; nothing when there are too few, or when
    /// they are not what is required.
    [[nodiscard]] std::optional<CoreChoice> touching_all(
        const CoreQuestion& question, const std::vector<std::vector<View>>& parts,
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

    /// Cores of one cell, with equally many threads to take of those that nobody has.
    [[nodiscard]] std::vector<ThreadChoice::Part> alike_parts() const {
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

    [[nodiscard]] std::optional<CoreChoice> choose_light(const CoreQuestion& question,
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

    const FitProblem& problem_;
    const CoreSet& unpinned_;         ///< cores that nobody has
    std::vector<Bytes> free_memory_;  ///< by DomainId; none where it is not given
    std::vector<CoreSet> free_;       ///< by cell
    std::vector<View> views_;         ///< by far devices
};

}  // namespace trestle::detail
